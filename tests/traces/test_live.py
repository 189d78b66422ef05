"""Live variables of random traces, against their definition."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from craton.logic import Term, free_variables
from craton.program.statements import Assign, Assume, Havoc, Statement
from craton.traces.live import future_live, past_live
from support import examples
from support.executor import variables_of
from support.statements import MIXED, path_of, statements


def _reads(statement: Statement) -> frozenset[Term]:
    match statement:
        case Assume(condition):
            return free_variables(condition)
        case Assign(_, value):
            return free_variables(value)
        case _:
            return frozenset()


def _writes(statement: Statement, variable: Term) -> bool:
    return isinstance(statement, Assign) and statement.variable is variable


def _havocs(statement: Statement, variable: Term) -> bool:
    return isinstance(statement, Havoc) and variable in statement.variables


@given(st.lists(statements(MIXED), min_size=1, max_size=8))
@examples(200)
def test_live_variables(steps: list[Statement]) -> None:
    """[CN] Def. 5.1, word by word; st[j] of the paper is steps[j - 1] here."""
    n = len(steps)
    future, past = future_live(path_of(steps).steps), past_live(path_of(steps).steps)
    for variable, i in product(variables_of(*steps), range(n + 1)):
        is_future_live = any(
            variable in _reads(steps[j - 1])
            and not any(_writes(steps[k - 1], variable) or _havocs(steps[k - 1], variable) for k in range(i + 1, j))
            for j in range(i + 1, n + 1)
        )
        is_past_live = any(
            (_writes(steps[j - 1], variable) or variable in _reads(steps[j - 1]))
            and not any(_havocs(steps[k - 1], variable) for k in range(j + 1, i + 1))
            for j in range(1, i + 1)
        )
        assert (variable in future[i]) == is_future_live
        assert (variable in past[i]) == is_past_live
