"""What refiners learn from the spurious error paths of a program, or derivations of false of a system, within a time:
what is left of it is divided among the refiners that are still to be asked.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from craton.errors import CratonError
from craton.frontends.programs import Request, is_horn, load_program, load_system
from craton.processes.limits import Limits
from craton.processes.supervision import Done, Ended, Failed, Interrupted, supervise
from craton.program.passes import Pass, Passes
from craton.traces.explanation import Column, Explained
from craton.traces.refutation import GaveUp, Refiner
from craton.trees.explanation import Kind, Spurious, spurious_of_program, spurious_of_system
from craton.verification.template_names import check_refiners
from craton.words import counted

if TYPE_CHECKING:
    from craton.traces.trace import Trace
    from craton.trees.tree import Tree

T = TypeVar("T")

USUAL = ("newton(sp)", "newton(it, sp)", "newton(it, sp, lv)", "craig(z3)")
SECONDS = 60.0


class NotDecided(CratonError):
    """Whether there is anything to explain was not found out."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class Wanted:
    """So many paths, each round each loop at most `unroll` times, of the program that the passes leave."""

    unroll: int = 2
    paths: int = 1
    passes: Passes = (Pass.DEAD_CODE,)
    folder: Path | None = None  # that the files are read in


class Clock:
    """Work in processes of its own, which are ended when their share of the time is over."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def within(self, work: Callable[[], T], share: float = 1.0) -> T | Ended:
        """What the work returns; an interrupt is one here too, an error is raised here."""
        seconds = round(max(0.0, self._end - time.monotonic()) * share, 2)
        ending = supervise(lambda report: work(), Limits(seconds), lambda content: None)
        match ending:
            case Done(value):
                found: T = value
                return found
            case Failed(error, trace):
                error.add_note(trace)  # where it happened: seen with --debug
                raise error
        if isinstance(ending.cause, Interrupted):
            raise KeyboardInterrupt
        return ending


def spurious(request: Request, wanted: Wanted, clock: Clock, refiners: Sequence[Refiner]) -> Spurious:
    """What to explain by these refiners; that there is nothing is an error."""

    def work() -> Spurious:
        if wanted.folder is not None:
            os.chdir(wanted.folder)  # of the worker
        if is_horn(request):
            system = load_system(request)
            check_refiners(refiners, system)
            return spurious_of_system(system, wanted.unroll, wanted.paths)
        program = load_program(request)
        check_refiners(refiners, program)
        return spurious_of_program(program, wanted.unroll, wanted.paths, wanted.passes)

    found = clock.within(work)
    if not isinstance(found, Spurious):
        kind = Kind.DERIVATION if is_horn(request) else Kind.ERROR_PATH
        raise NotDecided(f"no spurious {kind.one} was found: {found.reason} (try a smaller --unroll)")
    if not found.problems:
        raise _nothing(found, wanted.unroll)
    return found


def missing(found: Spurious, wanted: Wanted) -> str:
    """Why there are fewer than were asked for, if some could not be decided."""
    if len(found.problems) < wanted.paths and found.judged.undecided:
        return f"{_undecided(found)}: {_reasons(found)}"
    return ""


def _nothing(found: Spurious, unroll: int) -> CratonError:
    kind, judged = found.kind, found.judged
    if judged.undecided:
        others = f", the others {kind.are_possible}" if judged.feasible else ""
        return NotDecided(
            f"no spurious {kind.one} found up to {unroll} rounds: {_undecided(found)}{others}: {_reasons(found)}"
        )
    if judged.feasible:
        return CratonError(
            f"no spurious {kind.one} up to {unroll} rounds: the {kind.several} found {kind.are_possible}"
        )
    return CratonError(f"no {kind.one} up to {unroll} rounds of each loop: nothing to explain (try a larger --unroll)")


def _undecided(found: Spurious) -> str:
    number = len(found.judged.undecided)
    return f"{number} {found.kind.one if number == 1 else found.kind.several} not decided"


def _reasons(found: Spurious) -> str:
    return ", ".join(dict.fromkeys(found.judged.undecided))


def explanations(found: Spurious, refiners: Sequence[Refiner], clock: Clock) -> Iterator[tuple[str, Explained]]:
    """With titles."""
    left = len(found.problems) * len(refiners)
    for number, problem in enumerate(found.problems, 1):
        columns: list[Column] = []
        for refiner in refiners:
            columns.append(_column(found, problem, refiner, clock, 1 / left))
            left -= 1
        explanation = found.explanation(problem, columns)
        yield f"Spurious {found.kind.one} {number}: {counted(len(problem), explanation.step)}", explanation


def _column(found: Spurious, problem: Trace | Tree, refiner: Refiner, clock: Clock, share: float) -> Column:
    begun = time.perf_counter()
    made = clock.within(lambda: found.column(problem, refiner), share)
    if isinstance(made, Column):
        return made
    return Column(refiner.name, GaveUp(made.reason), time.perf_counter() - begun, None)
