"""From a program as it was loaded to the one that engines and proofs are about.

The proof checker rebuilds the program by these same steps: they are part of the trusted base; engines are not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from craton.program.analysis.blind_reachability import fails_blindly
from craton.program.analysis.blind_states import reaches
from craton.program.cfa import Program
from craton.program.constants import propagate_constants
from craton.program.elements import elements_as_variables
from craton.program.histories import with_histories
from craton.program.inlining import Inlining, inline
from craton.program.passes import ALL, CALLS_ARE_TYPED, Pass, Passes
from craton.program.slicing import remove_dead_code, slice_for_errors
from craton.program.tables import tables_as_choices
from craton.program.transformation import Transformed, unchanged
from craton.program.waiting import without_waiting


@dataclass(frozen=True, slots=True)
class Prepared:
    """A program without the calls that were inlined, before and after the passes that simplify it, with the mapping
    back.
    """

    whole: Program
    small: Transformed


def prepare(program: Program, passes: Passes = ALL, inlining: Inlining = Inlining.ALL) -> Prepared:
    """Inlines calls and removes what cannot influence the errors, as far as these passes do. Where control flow alone
    shows that no error can be reached nothing is left, and nothing is inlined: large programs are much larger then.
    """
    typed = Pass.TYPED_CALLS in passes and program.gaps_are_harmless_by_type and not program.gaps_are_harmless
    if Pass.CONSTANTS in passes and (typed or _cannot_fail(program)):
        nothing = program.restricted_to({program.entry: program.main.with_edges(())})
        if typed:
            nothing = replace(nothing, assumptions=(*nothing.assumptions, CALLS_ARE_TYPED))
        return Prepared(nothing, unchanged(nothing))
    whole = inline(program.only_modelled() if program.gaps_are_harmless else program, inlining).program
    return Prepared(whole, made_smaller(whole, passes))


def _cannot_fail(program: Program) -> bool:
    """Whether control flow alone shows that no error is reached. Of a program that is one procedure the passes find out
    all the same, and one without errors is looked at for other reasons.
    """
    if not program.errors:
        return False
    if program.gaps_are_harmless:
        return True
    if len(program.procedures) == 1:
        return False
    return not fails_blindly(program) or (_is_large(program) and not reaches(program, program.errors))


def _is_large(program: Program) -> bool:
    """Whether it is worth the while to tell states apart before engines do. Of small programs they find proofs that
    say more.
    """
    return sum(len(procedure.edges) for procedure in program.procedures.values()) >= _LARGE


def made_smaller(program: Program, passes: Passes) -> Transformed:
    """Slicing comes twice: constants may show that more does not matter."""
    small = unchanged(program)
    for one in (Pass.DEAD_CODE, Pass.SLICING, Pass.CONSTANTS):
        if one in passes:
            small = small.then(_PASSES[one](small.program))
    if Pass.ELEMENTS in passes:
        small = _without_arrays(small, passes)
    if Pass.SLICING in passes:
        small = small.then(slice_for_errors(small.program))
    if Pass.WAITING in passes:
        small = small.then(without_waiting(small.program))
    return small.then(with_histories(small.program)) if Pass.HISTORIES in passes else small


def _without_arrays(small: Transformed, passes: Passes) -> Transformed:
    """Elements that are variables may be constants, and those be indices of others: pointers held in memory."""
    small = small.then(tables_as_choices(small.program))
    for _ in range(_MOST_POINTERS):
        replaced = elements_as_variables(small.program)
        if replaced.program is small.program:
            break
        small = small.then(replaced)
        if Pass.CONSTANTS in passes:
            small = small.then(propagate_constants(small.program))
    return small


_LARGE = 2_000  # edges
_MOST_POINTERS = 8  # one behind the other
_PASSES = {Pass.DEAD_CODE: remove_dead_code, Pass.SLICING: slice_for_errors, Pass.CONSTANTS: propagate_constants}
