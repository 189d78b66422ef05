"""A campaign that is interrupted and killed, again and again, ends with the results of one that was not."""

from __future__ import annotations

import dataclasses
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from craton.bench.results import RESULTS, NoCampaign, RunRecord, read_campaign
from craton.bench.runner import CampaignError
from craton.processes.limits import Limits
from support.bench import A, B, campaign, plan, write_tasks

WORDS = ("true", "false", "unknown", "false(valid-deref)", "bad-input", "no-answer", "crash")

CAMPAIGN = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from craton.bench.runner import LocalPool, run_campaign
from craton.bench.tasks import find_tasks
from support.bench import A, B, STAND_IN, plan
tasks = find_tasks([sys.argv[1]])
ended = run_campaign(plan(tasks, Path(sys.argv[2]), None, A, B), LocalPool(2, STAND_IN))
sys.exit(130 if ended.interrupted else 0)
"""


def what_matters(record: RunRecord) -> tuple[object, ...]:
    """All but times and memory, which are never the same."""
    alike = dataclasses.replace(record, cpu=0.0, wall=0.0, memory=0)
    return tuple(map(repr, dataclasses.astuple(alike)))


def test_ten_interruptions_lose_nothing(tmp_path: Path) -> None:
    chance = random.Random(7)
    programs = {
        f"p{number:02}": f"// #{chance.choice(('Safe', 'Unsafe'))}\nsleep={chance.uniform(0, 0.1):.2f} {word}"
        for number, word in enumerate(WORDS * 2)
    }
    tasks = write_tasks(tmp_path / "tasks", programs)
    whole, _ = campaign(plan(tasks, tmp_path / "whole", None, A, B))
    assert len(whole.campaign.runs) == len(programs) * 2

    out = tmp_path / "interrupted"
    command = [sys.executable, "-c", CAMPAIGN, str(tmp_path / "tasks"), str(out)]
    done: list[int] = []
    for number in range(10):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        target = (done[-1] if done else 0) + 1
        while process.poll() is None and lines(out) < target:
            time.sleep(0.02)
        time.sleep(chance.uniform(0, 0.05))
        sent = chance.choice((signal.SIGINT, signal.SIGKILL))
        process.send_signal(sent)
        assert process.wait(60) == (130 if sent is signal.SIGINT else -signal.SIGKILL)
        done.append(lines(out))
        if number == 4:  # what a power failure in the middle of a line would leave
            with (out / RESULTS).open("a") as file:
                file.write('{"kind": "ru')
    assert done == sorted(done) and done[-1] < len(programs) * 2
    assert subprocess.run(command, stderr=subprocess.DEVNULL, timeout=120).returncode == 0

    resumed = read_campaign(out)
    assert sorted(map(what_matters, resumed.runs)) == sorted(map(what_matters, whole.campaign.runs))
    raw = [json.loads(line) for line in (out / RESULTS).read_text().splitlines()]
    kinds = [line["kind"] for line in raw]
    assert kinds.count("run") == len(programs) * 2  # none was counted twice
    assert kinds[0] == "campaign" and kinds.count("resumed") == 10
    assert all((out / record.log).is_file() for record in resumed.runs)


def lines(out: Path) -> int:
    """Runs on disk."""
    file = out / RESULTS
    return file.read_text().count('"kind": "run"') if file.exists() else 0


def test_a_finished_campaign_is_not_run_again(tmp_path: Path) -> None:
    tasks = write_tasks(tmp_path / "tasks", {"one": "true"})
    campaign(plan(tasks, tmp_path / "out"))
    before = (tmp_path / "out" / RESULTS).read_bytes()
    ended, _ = campaign(plan(tasks, tmp_path / "out"))
    assert len(ended.campaign.runs) == 1 and not ended.interrupted and not ended.missing
    assert (tmp_path / "out" / RESULTS).read_bytes() == before


def test_a_torn_header_is_no_campaign_yet(tmp_path: Path) -> None:
    tasks = write_tasks(tmp_path / "tasks", {"one": "true"})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / RESULTS).write_text('{"kind": "campaign", "for')
    with pytest.raises(NoCampaign, match="empty"):
        read_campaign(tmp_path / "out")
    ended, _ = campaign(plan(tasks, tmp_path / "out"))
    assert len(ended.campaign.runs) == 1


def test_another_campaign_in_the_same_place_is_refused(tmp_path: Path) -> None:
    tasks = write_tasks(tmp_path / "tasks", {"one": "true", "two": "false"})
    out = tmp_path / "out"
    campaign(plan(tasks, out))
    before = (out / RESULTS).read_bytes()
    with pytest.raises(CampaignError, match=r"other configurations \(b: 'none' there"):
        campaign(plan(tasks, out, None, A, B))
    with pytest.raises(CampaignError, match=r"other limits \(wall: 30.0 there, 5.0 here\)"):
        campaign(plan(tasks, out, Limits(5.0, None, 2**30)))
    with pytest.raises(CampaignError, match="other tasks"):
        campaign(plan(tasks[:1], out))
    (tmp_path / "tasks" / "two.bpl").write_text("true")
    with pytest.raises(CampaignError, match="other tasks"):
        campaign(plan(tasks, out))
    assert (out / RESULTS).read_bytes() == before


def test_two_campaigns_at_once_in_one_place_are_refused(tmp_path: Path) -> None:
    tasks = write_tasks(tmp_path / "tasks", {f"p{number}": "sleep=0.5 true" for number in range(40)})
    out = tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, "-c", CAMPAIGN, str(tmp_path / "tasks"), str(out)], stderr=subprocess.DEVNULL
    )
    try:
        while not lines(out):
            assert process.poll() is None
            time.sleep(0.01)
        with pytest.raises(CampaignError, match="another campaign is running"):
            campaign(plan(tasks, out, None, A, B))
    finally:
        process.kill()
        process.wait()


def test_other_versions_are_noticed(tmp_path: Path) -> None:
    tasks = write_tasks(tmp_path / "tasks", {"one": "true", "two": "false"})
    out = tmp_path / "out"
    campaign(plan(tasks, out))
    header, first, _ = (out / RESULTS).read_text().splitlines()
    older = json.loads(header) | {"versions": {"craton": "0.0.1"}}
    (out / RESULTS).write_text(json.dumps(older) + "\n" + first + "\n")
    ended, shown = campaign(plan(tasks, out))
    assert "begun with other versions" in shown
    assert len(ended.campaign.runs) == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ('{"kind": "run"}\n', "not a line"),
        ('{"kind": "campaign", "format": 99}\n', "format 99"),
        ('{"kind": "campaign", "format": 1}\nnonsense\n{"kind": "resumed"}\n', ":2: not a line of JSON"),
        ('{"kind": "campaign", "format": 1}\n[]\n', ":2: not a line"),
        ('{"other": 1}\n', "not a line"),
    ],
)
def test_what_is_no_campaign_is_said(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / RESULTS).write_text(text)
    with pytest.raises(NoCampaign, match=problem):
        read_campaign(tmp_path)


def test_no_file_is_no_campaign(tmp_path: Path) -> None:
    with pytest.raises(NoCampaign, match="no such file"):
        read_campaign(tmp_path)
