"""Float operations of the real view: every result that IEEE arithmetic has is among those the view allows."""

from __future__ import annotations

from functools import cache
from itertools import product
from random import Random

import pytest

from craton.logic import (
    BOOL,
    FLOAT16,
    INT,
    REAL,
    RNA,
    RNE,
    RTN,
    RTP,
    RTZ,
    Float,
    Sort,
    Term,
    Unspecified,
    and_,
    eq,
    evaluate,
    fp_add,
    fp_div,
    fp_from_fp,
    fp_mul,
    fp_round_to_integral,
    fp_sqrt,
    fp_sub,
    fp_to_sbv,
    int_,
    var,
)
from craton.logic.semantics import Value
from craton.views.signs import Signs
from craton.views.terms import Translator
from views.numbers import as_pair, equal_to, numbers, possible, program_of

SMALL, HALF = Float(3, 4), FLOAT16
MODES = (RNE, RNA, RTP, RTN, RTZ)


def operations(sort: Float, narrow: Float) -> list[Term]:
    x, y = var("x", sort), var("y", sort)
    terms = [make(mode, x, y) for make in (fp_add, fp_sub, fp_mul, fp_div) for mode in MODES]
    terms += [fp_from_fp(narrow, mode, x) for mode in MODES]
    terms += [fp_round_to_integral(mode, x) for mode in MODES]
    return [*terms, fp_sqrt(RNE, x)]


@cache
def translated(term: Term) -> tuple[Translator, Term, tuple[Term, ...]]:
    translator = Translator(Signs(program_of(eq(term, term), {})), "real")
    needs = translator.needs(term)
    return translator, and_(*needs.facts), tuple(needs.variables)


def allowed(term: Term, model: dict[Term, Value]) -> bool:
    """Facts and value hold if what is open is the expected result, or zero where that is not looked at."""
    translator, facts, variables = translated(term)
    number, nan = as_pair(evaluate(term, model), term.sort)
    state: dict[Term, Value] = {}
    for variable, value in model.items():
        state.update(numbers(translator, variable, value))
    goal = and_(facts, equal_to(translator.parts(term, term), (number, nan)))
    options: dict[Sort, tuple[Value, Value]] = {BOOL: (nan, False), REAL: (number, 0 * number), INT: (int(number), 0)}
    for chosen in product(*(options[v.sort] for v in variables)):
        if evaluate(goal, {**state, **dict(zip(variables, chosen, strict=True))}) is True:
            return True
    return False


@pytest.mark.parametrize("term", operations(SMALL, Float(2, 3)), ids=str)
def test_every_pair_of_small_floats(term: Term) -> None:
    x, y = var("x", SMALL), var("y", SMALL)
    nans = frozenset(range(0x39, 0x40)) | frozenset(range(0x79, 0x80))
    patterns = [bits for bits in range(128) if bits not in nans or bits == 0x3C]
    for a in patterns:
        for b in patterns[a % 7 :: 7] if y in term.args else (0,):
            assert allowed(term, {x: a, y: b}), (a, b)


@pytest.mark.parametrize("term", operations(HALF, Float(4, 6)), ids=str)
def test_some_pairs_of_half_floats(term: Term) -> None:
    random = Random(str(term))
    x, y = var("x", HALF), var("y", HALF)
    edges = (0x0000, 0x8000, 0x0001, 0x03FF, 0x0400, 0x3C00, 0x3C01, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00)
    pairs = [(a, b) for i, a in enumerate(edges) for b in edges[i % 3 :: 3]]
    drawn = ((random.randrange(0x7C00), random.randrange(0x7C00) | random.getrandbits(1) << 15) for _ in range(30))
    for a, b in (*pairs, *drawn):
        assert allowed(term, {x: a, y: b}), (a, b)


@pytest.mark.parametrize("bits", [0x7C00, 0xFC00, 0x7E00])
def test_a_conversion_that_bits_leave_open_is_open(bits: int) -> None:
    """An infinity of a short format would fit into 32 bits as the number that stands for it."""
    x = var("x", HALF)
    term = fp_to_sbv(32, RTZ, x)
    with pytest.raises(Unspecified):
        evaluate(term, {x: bits}, specified_only=True)
    translator = Translator(Signs(program_of(eq(term, term), {})), "real")
    needs = translator.needs(term)
    (part,) = translator.parts(term, term)
    state = numbers(translator, x, bits)
    for result in (-7, 0, 5):
        assert possible(and_(*needs.facts, eq(part, int_(result % 2**32))), state, tuple(needs.variables)) is True
