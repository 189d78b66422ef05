"""Whether it matters what happens at the gaps of a program.

Behind a contained gap memory is unknown, and so is which function a pointer means: any whose address the program takes.
Everything else goes on as the text says. If no error can be reached then, gaps do not matter.
"""

from __future__ import annotations

import re
from enum import Enum

from craton.frontends.c.automaton.context import Context, PointerCall
from craton.frontends.c.library.platform import in_c_library
from craton.frontends.c.library.table import NAMES
from craton.frontends.c.syntax.nodes import Function
from craton.frontends.c.syntax.types import CType, FunctionType, Pointer, Record, is_callable_as
from craton.frontends.c.syntax.unknown_functions import UnknownFunctions
from craton.logic import Term
from craton.program.analysis.blind_reachability import reachable_blindly
from craton.program.analysis.blind_search import Unknowns, Wild
from craton.program.analysis.blind_states import told_apart_to_exclude
from craton.program.cfa import Location, Program, Reach, Unmodelled

# To exclude errors without the assumption, once it is done with it: most of what this finds out takes 40,000.
_MOST_STEPS_UNTYPED = 100_000
_COPY = re.compile(r"___\d+$")  # in the names of structs that tools have put into one file from several


class Harm(Enum):
    """Whether gaps matter in which only memory is unknown, and which functions pointers mean."""

    NONE = "no error can be reached, whatever happens there"
    UNLESS_TYPED = "the same, if functions are called through pointers of their own type"
    POSSIBLE = "errors may be reached"


def harm_of_gaps(program: Program, context: Context) -> Harm:
    """Of what pointers may mean the program has a procedure, called or not.

    It is asked first what is so if calls are typed: with fewer functions to call fewer errors can be reached, so where
    that is not enough the question without the assumption is not worth its time; and where it is, the same variables
    are mostly what has to be told apart.
    """
    goals = _goals(context)
    if reachable_blindly(program, _roots(program, context)).isdisjoint(goals):
        return Harm.NONE
    if not _knows_when(context):
        return Harm.POSSIBLE
    told_apart = told_apart_to_exclude(program, goals, _unknowns(program, context, by_type=True))
    if told_apart is None:
        return Harm.POSSIBLE
    anything = _unknowns(program, context, by_type=False)
    told_apart = told_apart_to_exclude(program, goals, anything, told_apart, _MOST_STEPS_UNTYPED)
    return Harm.UNLESS_TYPED if told_apart is None else Harm.NONE


def _goals(context: Context) -> frozenset[Location]:
    """Errors, and gaps at which anything may happen."""
    return frozenset(
        at for at, error in context.names.errors.items() if not (isinstance(error, Unmodelled) and error.contained)
    )


def _roots(program: Program, context: Context) -> tuple[str, ...]:
    """The functions that pointers may mean."""
    return tuple(symbol for symbol in context.scan.address_taken if symbol in program.procedures)


def _knows_when(context: Context) -> bool:
    """Whether functions that pointers mean are called at calls through pointers and at gaps only: by no function that
    nobody knows, and not at any time. Those of the library that have no record may keep what they are given.
    """
    later = Reach.LATER in context.names.gaps.values()
    later |= any(
        function.body is None and in_c_library(function.name) and function.name not in NAMES
        for function in context.scan.address_taken.values()
    )
    return context.unknown_functions is UnknownFunctions.PURE and not later


def _unknowns(program: Program, context: Context, *, by_type: bool) -> Unknowns:
    gaps, roots = context.names.gaps, _roots(program, context)
    wild = {at: Wild(roots) for at, reach in gaps.items() if reach is Reach.CALLS}
    cut: set[Location] = set()
    for at, call in context.pointer_calls.items():
        fitting = roots
        if by_type:
            functions = context.scan.address_taken
            fitting = tuple(name for name in roots if _is_of_type(functions[name], call))
            cut |= {start for start, function in call.branches.items() if not _is_of_type(function, call)}
            cut.add(call.misfit)
        wild[at] = Wild(fitting, call.pointer, _told(call, context))
    return Unknowns(gaps.keys(), wild, cut)


def _told(call: PointerCall, context: Context) -> frozenset[Term]:
    """The addresses that a call has a branch for; a null pointer ends the program."""
    memory = context.memory
    return frozenset((memory.pointer(0), *map(memory.address_of_function, call.branches.values())))


def _is_of_type(function: Function, call: PointerCall) -> bool:
    """Whether a function is of the type that it is called as, as far as that says something. `void *` and the address
    of bytes may be any object, and a program that was put together from several may have several names for a struct.
    """
    t = call.type
    if not isinstance(t, FunctionType) or not is_callable_as(function.type, t, call.arguments):
        return False
    pairs = zip((function.type.result, *function.type.parameters), (t.result, *t.parameters), strict=False)
    return not any(_differ(a, b) for a, b in pairs)


def _differ(a: CType, b: CType) -> bool:
    """Whether they point to structs of different names."""
    if not isinstance(a, Pointer) or not isinstance(b, Pointer):
        return False
    a, b = a.target, b.target
    if isinstance(a, Record) and isinstance(b, Record):
        return bool(a.tag and b.tag) and _COPY.sub("", a.tag) != _COPY.sub("", b.tag)
    return _differ(a, b)
