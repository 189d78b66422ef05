"""Whether generated programs are what they promise: every compiler, optimisation and sanitizer agrees on them.

python -m cfuzz.validate FIRST LAST [--jobs N] [--quick]      (with tests/ on PYTHONPATH)
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from cfuzz.features import ALL, Features
from cfuzz.generate import generate
from cfuzz.oracle import (
    OPTIMISED,
    PLAIN,
    SANITIZED,
    CompileError,
    Crash,
    Model,
    Outcome,
    Timeout,
    compiled,
    compilers,
    execute,
    inputs,
    models,
    supports,
)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to compile a program."""

    compiler: str
    model: Model
    options: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.compiler} {self.model.name} {' '.join(self.options)}"


@dataclass(slots=True)
class Report:
    """What was found out about one seed."""

    seed: int
    lines: int = 0
    seconds: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


QUICK = (
    ("gcc", Model.LP64, OPTIMISED),
    ("clang", Model.LP64, SANITIZED),
    ("gcc", Model.ILP32, PLAIN),
    ("clang", Model.ILP32, PLAIN),
)


def ways(*, quick: bool = False) -> list[Way]:
    """The ways this machine offers, grouped by model; the quick ones compile in a fraction of the time."""
    found = []
    for compiler in compilers():
        for model in models(compiler):
            for options in (PLAIN, OPTIMISED, SANITIZED):
                if quick and (compiler, model, options) not in QUICK:
                    continue
                if supports(compiler, model, options):
                    found.append(Way(compiler, model, options))
    return found


def examine(seed: int, selected: list[Way], features: Features = ALL, runs: int = 3) -> Report:
    """Compile the program of the seed in each way and compare the outcomes of some runs."""
    source = generate(seed, features=features)
    report = Report(seed, source.count("\n"))
    expected: dict[tuple[Model, int], Outcome] = {}
    with tempfile.TemporaryDirectory(prefix="cfuzz") as folder:
        for number, way in enumerate(selected):
            try:
                binary = compiled(
                    source, way.model, Path(folder) / f"p{number}", compiler=way.compiler, options=way.options
                )
            except CompileError as error:
                report.faults.append(f"{way}: {error}")
                break
            for run in range(runs):
                begun = time.perf_counter()
                outcome = execute(binary, inputs(seed * 10 + run) if run else ())
                if way.options == PLAIN:
                    report.seconds = max(report.seconds, time.perf_counter() - begun)
                first = expected.setdefault((way.model, run), outcome)
                report.kinds[type(outcome).__name__] += 1
                if isinstance(outcome, Crash | Timeout):
                    report.faults.append(f"{way}, run {run}: {outcome}")
                elif outcome != first:
                    report.faults.append(f"{way}, run {run}: {outcome}, elsewhere {first}")
    return report


def examine_quickly(seed: int) -> Report:
    return examine(seed, ways(quick=True))


def examine_fully(seed: int) -> Report:
    return examine(seed, ways())


def main() -> None:
    parser = argparse.ArgumentParser(prog="cfuzz.validate", description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    task = examine_quickly if arguments.quick else examine_fully
    lines, kinds, bad, slowest = [], Counter[str](), 0, 0.0
    with multiprocessing.Pool(arguments.jobs) as pool:
        for report in pool.imap_unordered(task, range(arguments.first, arguments.last)):
            lines.append(report.lines)
            kinds += report.kinds
            slowest = max(slowest, report.seconds)
            if report.faults:
                bad += 1
                print(f"seed {report.seed}:", *report.faults[:4], sep="\n    ", flush=True)
    lines.sort()
    median = lines[len(lines) // 2]
    print(f"{len(lines)} seeds, {bad} bad; lines {lines[0]}..{median}..{lines[-1]}; slowest run {slowest:.3f} s")
    print(f"outcomes {dict(kinds)}; ways:", *ways(quick=arguments.quick), sep="\n    ")


if __name__ == "__main__":
    main()
