"""Refiners on recorded traces: `python -m bench traces record DIR TASKS…`, then `python -m bench traces DIR`.

Recording runs trace abstraction on each task for some seconds, in bits and in ideal integers, and keeps infeasible
error traces of 20 to 600 steps, few of each task and of different lengths. Measuring asks each refiner about each
trace: the share answered, the median and the 90th percentile of processor time, and how many sequences prove more
than their trace. Traces of the same recording are comparable between versions; they stay outside of the repository.
"""

from __future__ import annotations

import argparse
import pickle
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.table import Table

from craton.bench.tasks import BenchTask, find_tasks
from craton.configuration.refiners import refiner
from craton.configuration.stages import Stage
from craton.engines.contract import Budget
from craton.engines.trace_abstraction import TraceAbstraction
from craton.errors import CratonError
from craton.frontends.programs import Request, load_program
from craton.processes.limits import Limits
from craton.processes.supervision import Done, supervise
from craton.program.blocks import CHAINS
from craton.program.cfa import Edge
from craton.program.preparation import prepare
from craton.smt import make_solver
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.perfect import quality
from craton.traces.refutation import Answer, Quality, Refiner, Refutation
from craton.traces.trace import Trace
from craton.verification.stage_programs import StagePrograms

SHORTEST, LONGEST = 20, 600
ENCODINGS = ("bv", "ideal")
MEMORY = 3 * 2**30
REFINERS = (
    "newton(core=half, minimise=1, wp, lv, late)",
    "newton(core=half, minimise=1, sp, lv)",
    "craig(farkas, core=half, minimise=1)",
    "craig(z3, core=half, minimise=1, time=2)",
    "default",
)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["record"]:
        parser = argparse.ArgumentParser(prog="python -m bench traces record")
        parser.add_argument("directory", type=Path)
        parser.add_argument("tasks", nargs="+")
        parser.add_argument("--property", default="unreach-call")
        parser.add_argument("--every", type=int, default=1, help="every n-th task of each category")
        parser.add_argument("--seconds", type=float, default=5.0, help="for each task and encoding")
        parser.add_argument("--most", type=int, default=3, help="traces of each task and encoding")
        asked = parser.parse_intermixed_args(arguments[1:])
        return _record(asked)
    parser = argparse.ArgumentParser(prog="python -m bench traces")
    parser.add_argument("directory", type=Path)
    parser.add_argument("refiners", nargs="*")
    parser.add_argument("--every", type=int, default=1, help="every n-th trace")
    asked = parser.parse_intermixed_args(arguments)
    _measure(asked.directory, asked.refiners or REFINERS, asked.every)
    return 0


# --- recording --------------------------------------------------------------------------------------------------------


def _record(asked: argparse.Namespace) -> int:
    asked.directory.mkdir(parents=True, exist_ok=True)
    for task in find_tasks(asked.tasks, asked.property, asked.every):
        for encoding in ENCODINGS:
            goal = asked.directory / f"{encoding}-{task.category}-{task.file.stem}.traces"
            if not goal.exists():
                limits = Limits(wall=4 * asked.seconds + 20, memory=MEMORY)
                work = partial(_recorded, task, encoding, asked.seconds)
                ending = supervise(work, limits, lambda _: None)
                found = ending.value if isinstance(ending, Done) else []
                chosen = _spread(found, asked.most)
                goal.write_bytes(pickle.dumps(chosen))
                print(f"{goal.name}: {len(chosen)} of {len(found)}", flush=True)
    return 0


def _recorded(
    task: BenchTask, encoding: str, seconds: float, report: object
) -> list[tuple[tuple[Edge, ...], tuple[Edge, ...]]]:
    """The edges of traces, and of their program."""
    try:
        file = None if task.property_file is None else str(task.property_file)
        prepared = prepare(load_program(Request((str(task.file),), file)))
        program = StagePrograms(prepared).blocks(Stage(encoding=encoding), CHAINS).program
    except CratonError:
        return []
    recorder = _Recorder(refiner("fallback(newton(it, wp, lv, late), newton(it, sp, lv))"))
    TraceAbstraction(recorder, blocks=CHAINS).run(program, Budget(seconds))
    return recorder.found


class _Recorder(Refiner):
    """Keeps what another refiner refuted."""

    word = "recorder"

    def __init__(self, asked: Refiner) -> None:
        self.asked = asked
        self.found: list[tuple[tuple[Edge, ...], tuple[Edge, ...]]] = []

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        answer = self.asked.refute(trace, memory)
        if isinstance(answer, Refutation) and SHORTEST <= len(trace) <= LONGEST:
            self.found.append((trace.edges, trace.program))
        return answer


T = TypeVar("T")


def _spread(found: Sequence[T], most: int) -> list[T]:
    """Some of them, evenly: the first and the last included."""
    if len(found) <= most:
        return list(found)
    return [found[round(i * (len(found) - 1) / (most - 1))] for i in range(most)]


# --- measuring --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Recorded:
    encoding: str
    trace: Trace


def recording(directory: Path, every: int = 1) -> list[Recorded]:
    found = []
    for path in sorted(directory.glob("*.traces")):
        encoding = path.name.partition("-")[0]
        found += [Recorded(encoding, Trace(edges, program)) for edges, program in pickle.loads(path.read_bytes())]
    return found[::every]


def _measure(directory: Path, expressions: Sequence[str], every: int) -> None:
    traces = recording(directory, every)
    console = Console(highlight=False, width=120)
    for encoding in ENCODINGS:
        chosen = [one.trace for one in traces if one.encoding == encoding]
        lengths = sorted(map(len, chosen))
        if not lengths:
            continue
        title = f"{len(chosen)} traces in {encoding}, {lengths[0]} to {lengths[-1]} steps, half of them up to"
        title += f" {statistics.median(lengths):.0f}"
        table = Table(title=title, box=None, header_style="bold", padding=(0, 2))
        for heading in ("refiner", "answered", "median ms", "90 % ms", "inductive", "perfect"):
            table.add_column(heading, justify="left" if heading == "refiner" else "right")
        for expression in expressions:
            table.add_row(expression, *_row(expression, chosen))
            print(".", end="", file=sys.stderr, flush=True)
        console.print(table)


def _row(expression: str, traces: Sequence[Trace]) -> tuple[str, ...]:
    """All answers count for the time, those of refiners that give up, too."""
    asked = refiner(expression)
    checker = make_solver("z3")
    seconds: list[float] = []
    qualities: list[Quality] = []
    for trace in traces:
        start = time.process_time()
        answer = asked.refute(Trace(trace.edges, trace.program))  # a new one, which remembers nothing
        seconds.append(time.process_time() - start)
        if isinstance(answer, Refutation):
            qualities.append(quality(trace, answer.assertions, checker, 1.0, 3.0))
    milliseconds = sorted(1000 * s for s in seconds)
    return (
        f"{100 * len(qualities) / len(traces):.0f} %",
        f"{statistics.median(milliseconds):.0f}",
        f"{milliseconds[int(0.9 * (len(milliseconds) - 1))]:.0f}",
        str(sum(q >= Quality.INDUCTIVE for q in qualities)),
        str(sum(q is Quality.PERFECT for q in qualities)),
    )
