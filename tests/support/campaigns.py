"""Campaigns for tests of what is made of them: drawn at random, always the same, with everything that may occur."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from craton.bench.results import Campaign, RunRecord, line_of, score_of, status_of

CONFIGS = {
    "craig": ["--engine", "trace-abstraction", "--refine", "until-perfect(craig(z3))"],
    "IT-SP-LV": ["--engine", "trace-abstraction", "--refine", "until-perfect(newton(it, sp, lv))"],
    "IT-WP <b>&_%": ["--engine", "trace-abstraction", "--refine", "until-perfect(newton(it, wp))"],
    "SP": ["--engine", "trace-abstraction", "--refine", "until-perfect(newton(sp))"],
}
LIMIT = 60.0
_CATEGORIES = {"Loops": 30, "BitVectors": 20, "Floats": 14}
_REASONS = (
    "no refutation of an error trace of {} steps: the sequence lost too much to prove the trace infeasible",
    "prog.c:{}:5: setjmp is not supported",
    "no test failed; recursion is not supported beyond a bound: f{}",
)


def campaign(seed: int = 1, configs: dict[str, list[str]] | None = None) -> Campaign:
    """Tasks have a hardness that the configurations share, so that plots look like plots."""
    chance = random.Random(seed)
    chosen = CONFIGS if configs is None else configs
    runs = []
    for category, size in _CATEGORIES.items():
        for number in range(size):
            hardness = chance.lognormvariate(0.5, 1.5)
            expected = chance.choice(["true", "true", "false(unreach-call)", None if number % 7 == 6 else "true"])
            for strength, config in enumerate(chosen):
                runs.append(_run(chance, category, number, expected, config, hardness * (1 + strength)))
    chance.shuffle(runs)  # runs end in any order
    return Campaign(header(chosen), tuple(runs))


def header(configs: dict[str, list[str]]) -> dict[str, Any]:
    return {
        "kind": "campaign",
        "format": 1,
        "started": "2026-11-15T12:00:00+00:00",
        "machine": {
            "host": "here",
            "processor": "Test CPU </script><b>",
            "cores": 2,
            "memory": 2**33,
            "system": "Linux",
        },
        "versions": {"craton": "0.1", "python": "3.11"},
        "configs": configs,
        "limits": {"wall": LIMIT, "cpu": LIMIT, "memory": 2 * 2**30},
        "jobs": 2,
    }


def _run(
    chance: random.Random, category: str, number: int, expected: str | None, config: str, hardness: float
) -> RunRecord:
    task = f"tasks/{category.lower()}/loop_{number:02}{' #1' if number == 3 else ''}.yml"
    cpu = min(LIMIT, 0.2 + hardness * chance.lognormvariate(0, 0.7))
    reason, verdict = "", expected or "true"
    luck = chance.random()
    if cpu >= LIMIT:
        verdict, reason = "TIMEOUT", f"more than {LIMIT:g} s"
    elif luck < 0.04:
        verdict, reason = "OUT OF MEMORY", "more than 2048 MiB"
    elif luck < 0.16:
        verdict, reason = "unknown", chance.choice(_REASONS).format(chance.randrange(3, 90))
    elif luck < 0.17:
        verdict, reason = "ERROR", "ended by signal 11"
    elif luck < 0.19:
        verdict = "true" if verdict.startswith("false") else "false(unreach-call)"
    status = status_of(verdict, expected)
    tested = chance.randrange(0, 20)
    figures = {
        "iterations": tested + 1,
        "perfect sequences": f"{chance.randrange(0, tested + 1)} of {tested}",
        "eliminated": {}
        if config == "craig"
        else {
            "destructive equality resolution": chance.randrange(50, 400),
            "unconnected parameter drop": chance.randrange(0, 90),
            "the solver's light elimination": chance.randrange(0, 30),
            "none": chance.randrange(0, 60),
        },
    }
    stem = f"{category}.{number}.{list(CONFIGS).index(config) if config in CONFIGS else 0}"
    memory = chance.randrange(60, 900) * 2**20
    exit_code = {"true": 0, "unknown": 3}.get(verdict, 1 if verdict.startswith("false") else None)
    return RunRecord(
        task, category, "unreach-call", expected, config, verdict, status, reason, score_of(status),
        round(cpu, 3), round(cpu * 1.1, 3), memory, exit_code, figures, f"logs/{stem}.log",
        f"witnesses/{stem} #.yml" if verdict in ("true", "false(unreach-call)") else "",
    )  # fmt: skip


def write_campaign(found: Campaign, out: Path) -> Path:
    """As the runner would have left it, with logs and witnesses."""
    out.mkdir(parents=True, exist_ok=True)
    lines = [found.header, *map(line_of, found.runs)]
    content = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (out / "results.jsonl").write_text(content, encoding="utf-8")
    for run in found.runs:
        for name in filter(None, (run.log, run.evidence)):
            (out / name).parent.mkdir(exist_ok=True)
            (out / name).write_text(f"{name} of {run.task}\n", encoding="utf-8")
    return out


# --- campaigns of a few runs, to compare ------------------------------------------------------------------------------


def run(task: str, verdict: str, expected: str | None = "true", cpu: float = 1.0, config: str = "c") -> RunRecord:
    status = status_of(verdict, expected)
    return RunRecord(
        task, "Loops", "unreach-call", expected, config, verdict, status, "", score_of(status),
        cpu, cpu, 1, 0, {}, "", "",
    )  # fmt: skip


def of(*runs: RunRecord) -> Campaign:
    return Campaign(header({name: [] for name in dict.fromkeys(run.config for run in runs)}), runs)
