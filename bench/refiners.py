"""Refiners: the cost of IT-SP-LV on long traces, and a table of all of them on the catalogue of the tests."""

from __future__ import annotations

import enum
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from bench.measure import Figure, best_seconds
from craton.configuration.refiners import refiner
from craton.logic import INT, BitVec, Term, add, bv, bvadd, bvmul, bvslt, bvxor, eq, int_, lt, not_, size, var
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Statement
from craton.smt import make_solver
from craton.traces.cores import Granularity
from craton.traces.newton import Newton
from craton.traces.perfect import is_perfect
from craton.traces.refutation import Refutation
from craton.traces.trace import Trace

if TYPE_CHECKING:
    from support.traces import Example


def figures() -> Iterator[Figure]:
    """A trace through a loop whose core is the whole loop, and one with a small core at its ends."""
    for name, loop, goal in (("integers", integer_loop, 2), ("bit-vectors", bit_loop, 5)):
        yield Figure(
            f"IT-SP-LV, 1,000 statements, {name}, fixed core", _seconds(loop(1000, Core.FIXED)), "s", goal, False
        )
        yield Figure(
            f"IT-SP-LV, 1,000 statements, {name}, growing core", _seconds(loop(1000, Core.GROWING)), "s", goal, False
        )
    for name, loop in (("integers", integer_loop), ("bit-vectors", bit_loop)):
        growth = _seconds(loop(2000, Core.FIXED)) / _seconds(loop(1000, Core.FIXED))
        yield Figure(f"growth from 1,000 to 2,000 statements, {name}", growth, "×", 2.5, False)


# --- long traces ------------------------------------------------------------------------------------------------------


class Core(enum.Enum):
    """What the last assumption contradicts."""

    FIXED = "what was assigned at the start"
    GROWING = "all rounds of the loop"


def integer_loop(statements: int, core: Core) -> Trace:
    """i and j count together, while other things go on."""
    i, j, n, x, y = (var(name, INT) for name in "ijnxy")
    start = [Assign(i, int_(0)), Assign(j, int_(0)), Assign(x, int_(1))]
    body: list[Statement] = [
        Assume(lt(i, n)),
        Assign(i, add(i, int_(1))),
        Assign(y, add(y, i)),
        Assume(not_(eq(y, n))),
        Assign(j, add(j, int_(1))),
    ]
    end = not_(eq(i, j)) if core is Core.GROWING else lt(x, int_(0))
    return _unrolled(start, body, Assume(end), statements)


def bit_loop(statements: int, core: Core) -> Trace:
    i, j, n, x, y = (var(name, BitVec(32)) for name in "ijnxy")
    start = [Assign(i, bv(0, 32)), Assign(j, bv(0, 32)), Assign(x, bv(1, 32))]
    body: list[Statement] = [
        Assume(bvslt(i, n)),
        Assign(i, bvadd(i, bv(1, 32))),
        Assign(y, bvxor(bvmul(bv(3, 32), y), i)),
        Assume(not_(eq(y, n))),
        Assign(j, bvadd(j, bv(1, 32))),
    ]
    end = not_(eq(i, j)) if core is Core.GROWING else bvslt(x, bv(0, 32))
    return _unrolled(start, body, Assume(end), statements)


def _unrolled(start: Sequence[Statement], body: Sequence[Statement], end: Statement, length: int) -> Trace:
    edges = [Edge(Location(i), statement, Location(i + 1)) for i, statement in enumerate(start)]
    head = len(start)
    places = [head, *range(head + 1, head + len(body)), head]
    loop = [Edge(Location(places[i]), s, Location(places[i + 1])) for i, s in enumerate(body)]
    edges += loop * ((length - len(start) - 1) // len(body))
    return Trace((*edges, Edge(Location(head), end, Location(head + len(body)))))


def _seconds(trace: Trace) -> float:
    def work() -> None:
        answer = Newton(core=Granularity.CONJUNCT, live=True).refute(
            Trace(trace.edges)
        )  # a new trace, so that the formula is built again
        assert isinstance(answer, Refutation), answer

    return best_seconds(work, rounds=3)


# --- the table --------------------------------------------------------------------------------------------------------

_TABLE = [
    *(f"newton({it}{direction}{lv})" for direction in ("sp", "wp") for it in ("", "it,") for lv in ("", ",lv")),
    "newton(it,sp,lv,core=statement)",
    "newton(it,wp,lv,core=statement)",
    "newton(it,sp,lv,quantifiers=none)",
    "newton(it,sp,lv,quantifiers=full)",
    "newton(it,sp,lv,drop)",
    "newton(it,wp,lv,drop,quantifiers=full)",
    "newton(it,sp,lv,solver=cvc5)",
    "newton(it,sp,lv,solver=bitwuzla)",
    "newton(it,sp,lv,level=edge)",
    "lean(newton(it,sp,lv))",
    "craig(z3,time=2)",
    "craig(z3,it,time=2)",
    "craig(bitwuzla,time=2)",
    "craig(cvc5,time=2)",
    "default",
]


def table(console: Console, expressions: list[str] | None = None) -> None:
    """All refiners on the catalogue: how many traces each refuted, how many sequences are perfect (of the traces with
    loops), the median time, and the median size of all assertions of a sequence."""
    catalogue = _catalogue()
    loops = {e.name for e in catalogue if len(set(e.trace.locations)) <= len(e.trace)}
    shown = Table(
        title=f"refiners on the catalogue: {len(catalogue)} infeasible traces, {len(loops)} with loops",
        box=None,
        header_style="bold",
        padding=(0, 2),
    )
    for heading in ("refiner", "answered", "perfect", "with loops", "median ms", "median nodes"):
        shown.add_column(heading, justify="left" if heading == "refiner" else "right")
    for expression in expressions or _TABLE:
        shown.add_row(expression, *_row(expression, catalogue, loops))
    console.print(shown)


def _row(expression: str, catalogue: list[Example], loops: set[str]) -> tuple[str, ...]:
    checker = make_solver("z3")
    seconds, sizes, perfect, perfect_loops = [], [], 0, 0
    for example in catalogue:
        answer, took = _timed(lambda trace=example.trace: refiner(expression).refute(Trace(trace.edges)))  # type: ignore[misc]
        if isinstance(answer, Refutation):
            seconds.append(took)
            sizes.append(sum(map(_size, answer.assertions)))
            if is_perfect(example.trace, answer.assertions, checker, 1.0):
                perfect += 1
                perfect_loops += example.name in loops
    if not seconds:
        return "0", "0", "0", "", ""
    milliseconds = f"{1000 * statistics.median(seconds):.1f}"
    return str(len(seconds)), str(perfect), str(perfect_loops), milliseconds, f"{statistics.median(sizes):.0f}"


def _timed(work: Callable[[], object]) -> tuple[object, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def _size(assertion: Term) -> int:
    return size(assertion)


def _catalogue() -> list[Example]:
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from support.traces import INFEASIBLE

    return list(INFEASIBLE.values())
