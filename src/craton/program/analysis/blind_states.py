"""Which locations control can come to if nothing is known about memory, told apart by what a few variables hold.

As in `blind_reachability`, but procedures are entered and left in *states*: what those variables hold that are told
apart. A lock that is taken in one procedure and released in another, a flag that says whether a device is registered:
of such things most errors of drivers are made, and they do not lie in memory. Of other variables that procedures share
nothing is known, unless nobody changes them; of a procedure's own, constants are.

Which variables are told apart is found by trying: the first way to an error is followed alone, without joins; where it
cannot be passed, those variables are told apart from then on whose values had been lost in joins (`blind_ways`).

After Das, Lerner, Seigle: ESP, Path-Sensitive Program Verification in Polynomial Time (2002).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from craton.logic import Term, var
from craton.program.analysis.blind_reachability import first_values
from craton.program.analysis.blind_search import Search, Transfer, Unknowns
from craton.program.analysis.blind_ways import lost_on_the_way
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.statements import Call, Return
from craton.program.variables import writes

MOST_STEPS = 300_000
_MOST_IN_ONE = 10_000  # steps for each procedure: what few procedures do by themselves engines find out better
MOST_SEARCHES = 40
NOTHING_UNKNOWN = Unknowns()
NOTHING: frozenset[Term] = frozenset()


def reaches(program: Program, goals: Collection[Location], unknowns: Unknowns = NOTHING_UNKNOWN) -> bool:
    """Whether control may come to one of these locations. If not, it does not; else nothing is said."""
    return told_apart_to_exclude(program, goals, unknowns) is None


def told_apart_to_exclude(
    program: Program,
    goals: Collection[Location],
    unknowns: Unknowns,
    told_apart: frozenset[Term] = NOTHING,
    most_steps: int = MOST_STEPS,
) -> frozenset[Term] | None:
    """Variables that are enough to tell apart to see that control comes to none of these locations; None where that is
    not seen. It is begun with those that are given.
    """
    program, anyone = _with_anyone(program, unknowns)
    alone = Transfer(frozenset(program.globals), _kept(program))
    given_up: frozenset[Term] = frozenset()
    steps = min(most_steps, _MOST_IN_ONE * len(program.procedures))
    for _ in range(MOST_SEARCHES):
        search = Search(program, frozenset(goals), unknowns, anyone, alone.of_shared(told_apart), told_apart, steps)
        goal = search.run()
        steps = search.steps
        if steps <= 0:
            return None
        if search.many is not None:
            given_up |= {search.many}
            alone.give_up(search.many)
        elif goal is None:
            return told_apart
        else:
            lost = lost_on_the_way(goal, alone) - told_apart
            if not lost:
                return None
            told_apart |= lost
        told_apart -= given_up
    return None


def _with_anyone(program: Program, unknowns: Unknowns) -> tuple[Program, dict[tuple[str, ...], str]]:
    """With a procedure for each group of procedures that may be called somewhere: it calls any of them, as often as it
    likes, and returns. And the names of these.
    """
    names: dict[tuple[str, ...], str] = {}
    procedures = dict(program.procedures)
    for group in dict.fromkeys(wild.procedures for wild in unknowns.wild.values()):
        names[group] = name = f"any of group {len(names) + 1}"
        entry = Location(-2 * len(names))
        exit_ = Location(entry.id - 1)
        calls = [Edge(entry, _call_of(program.procedures[each]), entry) for each in group]
        procedures[name] = Procedure(name, (), (), entry, exit_, (*calls, Edge(entry, Return(), exit_)))
    return program.with_procedures(procedures), names


def _call_of(procedure: Procedure) -> Call:
    """With any arguments: variables of which nothing is known."""
    arguments = tuple(var("any argument", parameter.sort) for parameter in procedure.parameters)
    return Call(procedure.name, arguments, tuple(var("any result", result.sort) for result in procedure.returns))


def _kept(program: Program) -> Mapping[Term, Term]:
    """The shared variables that get a value at first and no other one."""
    written = Counter(variable for edge in program.edges() for variable in writes(edge.statement))
    return {variable: value for variable, value in first_values(program) if written[variable] == 1}
