"""Generated Python means what the terms mean."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from craton.logic import BitVec, Model, Term, bvadd, bvmul, evaluate, free_variables, functions, is_quantified, var
from craton.program.execution.codegen import SUPPORT, Cells, Code
from support import examples
from support.terms import BITVECTORS, FLOATS, Universe, instances


def generated(term: Term, values: dict[Term, Any]) -> Any:
    """The value of a term as its code computes it."""
    names = {variable: f"v{number}" for number, variable in enumerate(values)}
    constants: dict[str, Any] = {}
    code = Code(names, constants)
    result = code.expression(term)
    scope = {**SUPPORT, **constants, **{name: values[variable] for variable, name in names.items()}}
    exec("\n".join([*code.lines, f"result = {result}"]), scope)
    return scope["result"]


@pytest.mark.parametrize("universe", [BITVECTORS, FLOATS], ids=["bits", "floats"])
def test_code_has_the_value_of_the_term(universe: Universe) -> None:
    seen = 0

    @examples(150)
    @given(instances(universe=universe))
    def check(instance: tuple[Term, Model]) -> None:
        nonlocal seen
        term, model = instance
        if is_quantified(term) or functions(term):
            return
        values = {v: model[v] for v in sorted(free_variables(term), key=lambda v: v.serial)}
        seen += 1
        assert generated(term, values) == evaluate(term, model)

    check()
    assert seen >= 75


def test_shared_and_deep_parts_are_computed_once() -> None:
    x = var("x", BitVec(8))
    term: Term = x
    for _ in range(60):
        term = bvadd(bvmul(term, term), x)
    code = Code({x: "x"}, {})
    code.expression(term)
    assert sum(map(len, code.lines)) < 60 * 80, "written out, it would double with each step"
    assert generated(term, {x: 3}) == evaluate(term, {x: 3})


def test_cells_that_were_never_written_are_drawn_once_and_copies_are_their_own() -> None:
    drawn = iter(range(10, 20))
    memory = Cells(lambda: next(drawn), {1: 5})
    assert [memory[1], memory[7], memory[7], memory[8]] == [5, 10, 10, 11]
    other = memory.with_(1, 6)
    assert (memory[1], other[1], other[7]) == (5, 6, 10)
    again = memory.copy()
    again[7] = 0
    assert memory[7] == 10
