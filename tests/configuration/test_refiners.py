"""Refinement expressions: what they mean, how refiners print, and what is said about mistakes."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.configuration.refiners import PRESETS, REFINERS, refiner
from craton.registry.expressions import ExpressionError
from craton.smt import known_solvers
from craton.traces.checked import Checked
from craton.traces.compose import Fallback, Memo, Race, UntilInductive, UntilPerfect, UntilProving
from craton.traces.cores import Granularity
from craton.traces.craig import Bits, Craig
from craton.traces.lattice import Lattice, Visits
from craton.traces.lean import Lean
from craton.traces.levels import Level
from craton.traces.newton import Direction, Newton, Quantifiers
from craton.traces.own_templates import Name, Number, Operation, OwnTemplate
from craton.traces.prefixes import Sliced
from craton.traces.refutation import Refiner
from craton.traces.scorers import SCORERS, ByChance
from craton.traces.simplified import Simplified
from craton.traces.templates import Base, Cost
from craton.traces.values import ExplicitValues
from support import examples
from support.newtons import IT_SP, IT_SP_LV

SP = Newton(core=None, live=False)
_OWN = (OwnTemplate(Operation("-", (Name("x"), Name("y"))), 3), OwnTemplate(Operation("<=", (Name("i"), Number(9)))))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("newton", SP),
        ("newton()", SP),
        ("newton(wp)", replace(SP, direction=Direction.WP)),
        ("newton(it, sp, lv)", IT_SP_LV),
        ("newton(lv, it)", IT_SP_LV),
        ("newton(it, core=statement)", replace(SP, core=Granularity.STATEMENT)),
        ("newton(core=statement, it)", replace(SP, core=Granularity.STATEMENT)),
        ("newton(core=conjunct)", replace(SP, core=Granularity.CONJUNCT)),
        ("newton(core=half, it)", replace(SP, core=Granularity.HALF)),
        ("newton(it, minimise=0)", IT_SP),
        ("newton(it, minimise=1)", replace(IT_SP, minimise=1.0)),
        ("newton(it, minimise=none)", replace(IT_SP, minimise=None)),
        ("newton(quantifiers=full, drop)", replace(SP, quantifiers=Quantifiers.FULL, drop=True)),
        ("newton(der=false, upd=true)", replace(SP, der=False)),
        ("newton(quantifiers=light, by=princess)", replace(SP, eliminator="princess")),
        ("simplified(newton(it), time=12)", Simplified(IT_SP, time_limit=12.0)),
        ("newton(solver=bitwuzla, time=2.5)", replace(SP, solver="bitwuzla", time_limit=2.5)),
        ("newton(level=block)", SP),
        ("newton(level=edge)", replace(SP, level=Level.EDGE)),
        ("  newton (\n it ,\tlv\n) ", IT_SP_LV),
        ("craig", Craig()),
        ("craig(cvc5)", Craig("cvc5")),
        ("craig(time=3, bitwuzla)", Craig("bitwuzla", time_limit=3.0)),
        ("craig(numbers, cvc5)", Craig("cvc5", bits=Bits.NUMBERS)),
        ("craig(it)", Craig(core=Granularity.STATEMENT)),
        ("craig(core=half, minimise=2)", Craig(core=Granularity.HALF, minimise=2.0)),
        ("craig(core=statement, it, cvc5)", Craig("cvc5", core=Granularity.STATEMENT)),
        ("lean(newton(it))", Lean(IT_SP)),
        ("race(newton(sp), craig, time=2)", Race((Newton(core=None, live=False), Craig()), 2.0)),
        ("fallback(newton, craig)", Fallback((SP, Craig()))),
        ("until-perfect(newton)", UntilPerfect((SP,))),
        ("race(newton, craig, memo(newton(wp)))", Race((SP, Craig(), Memo(replace(SP, direction=Direction.WP))))),
        ("memo(it-sp-lv)", Memo(IT_SP_LV)),
        ("lattice(craig, predicates, time=2)", Lattice(Craig(), time_limit=2.0, base=Base.PREDICATES)),
        (
            "lattice(craig, own, visits=each, cost=size, templates=(x - y: 3, i<=9))",
            Lattice(Craig(), base=Base.OWN, templates=_OWN, cost=Cost.SIZE, visits=Visits.EACH),
        ),
        ("newton-or-craig", Fallback((IT_SP_LV, Craig()))),
    ],
)
def test_meaning(expression: str, expected: Refiner) -> None:
    assert refiner(expression) == expected


@pytest.mark.parametrize("preset", PRESETS)
def test_presets(preset: str) -> None:
    made = refiner(preset)
    assert made == refiner(PRESETS[preset]) == refiner(made.name)
    assert hash(refiner(preset)) == hash(made), "refiners are values"


def test_presets_and_refiners_have_different_names() -> None:
    assert not set(PRESETS) & set(REFINERS.entries)


def test_every_refiner_is_described() -> None:
    for name, entry in REFINERS.entries.items():
        assert entry.usage.startswith(f"{name}(")
        assert entry.summary


# --- printing ---------------------------------------------------------------------------------------------------------

_NEWTONS = st.builds(
    Newton,
    st.sampled_from([None, *Granularity]),
    st.sampled_from(Direction),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(Quantifiers),
    st.sampled_from(Level),
    st.sampled_from(known_solvers()),
    st.sampled_from([0.5, 2.0, 10.0, 900.0, None]),
    st.sampled_from([0.0, 0.5, 1.0, None]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["z3", "cvc5", "princess"]),
)
_SIMPLE = st.one_of(
    _NEWTONS,
    st.builds(ExplicitValues, st.sampled_from([0.5, 5.0])),
    st.builds(
        Craig,
        st.sampled_from(known_solvers()),
        st.sampled_from([None, *Granularity]),
        st.sampled_from([0.25, 10.0, 60.0, None]),
        st.sampled_from([0.0, 2.0, None]),
        st.sampled_from(Bits),
    ),
)
REFINERS_MADE: st.SearchStrategy[Refiner] = st.recursive(
    _SIMPLE,
    lambda inner: st.one_of(
        st.builds(Memo, inner),
        st.builds(Checked, inner, st.sampled_from([0.5, 5.0])),
        st.builds(Simplified, inner, st.sampled_from(known_solvers()), st.sampled_from([2.0, 12.0, None])),
        st.builds(
            Lattice,
            inner,
            st.sampled_from(known_solvers()),
            st.sampled_from([0.5, 1.0]),
            st.sampled_from(Base),
            st.sampled_from([(), _OWN]),
            st.sampled_from(Cost),
            st.sampled_from(Visits),
        ),
        st.builds(
            Sliced,
            st.lists(inner, min_size=1, max_size=2).map(tuple),
            st.lists(st.sampled_from([*SCORERS.values(), ByChance(0), ByChance(7)]), min_size=1, max_size=3).map(tuple),
            st.sampled_from(Level),
            st.sampled_from(known_solvers()),
            st.sampled_from([0.5, 10.0]),
        ),
        *(
            st.builds(kind, st.lists(inner, min_size=2, max_size=3).map(tuple))
            for kind in (Fallback, UntilPerfect, UntilProving, UntilInductive, Race)
        ),
    ),
    max_leaves=6,
)


@given(REFINERS_MADE)
@examples(150)
def test_a_refiner_prints_as_the_expression_it_is(made: Refiner) -> None:
    assert refiner(made.name) == made


@pytest.mark.parametrize(
    ("core", "live", "direction"), [*product((None, Granularity.STATEMENT), (False, True), Direction)]
)
def test_the_eight_variants_print_as_the_paper_names_them(
    core: Granularity | None, live: bool, direction: Direction
) -> None:
    words = ["it"] * (core is not None) + [direction.value] + ["lv"] * live
    assert Newton(core, direction, live).name == f"newton({','.join(words)})"


# --- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "at", "problem"),
    [
        # the text itself
        ("", 0, "expected a name, found the end"),
        ("   ", 3, "expected a name, found the end"),
        ("newton(", 7, "expected a name, found the end"),
        ("newton(it", 9, "expected ',' or ')', found the end"),
        ("newton(it lv)", 10, "expected ',' or ')', found 'lv'"),
        ("newton(it,)", 10, "expected a name, found ')'"),
        ("newton(,it)", 7, "expected a name, found ','"),
        ("newton(it))", 10, "expected the end of the expression, found ')'"),
        ("newton(it) craig", 11, "expected the end of the expression, found 'craig'"),
        ("newton(solver=)", 14, "expected a name, found ')'"),
        ("newton(it; lv)", 9, "unexpected ';' in an expression"),
        ("newton(time=-1)", 12, "unexpected '-' in an expression"),
        # words
        ("neuton(it)", 0, "unknown refiner 'neuton'; did you mean newton?"),
        ("fallback(newton, crag(z3))", 17, "unknown refiner 'crag'; did you mean craig?"),
        ("until_perfect(newton)", 0, "unknown refiner 'until_perfect'; did you mean until-perfect or perfect?"),
        (
            "xyz",
            0,
            "unknown refiner 'xyz'; known: newton, craig, values, lean, simplified, sliced, lattice, fallback,"
            " until-perfect, until-proving, until-inductive, race, memo, checked, default, perfect, it-sp-lv, it-wp-lv,"
            " newton-or-craig, bits",
        ),
        ("newton(its)", 7, "unknown option of newton 'its'; did you mean it?"),
        ("newton(it, solvr=z3)", 11, "unknown option of newton 'solvr'; did you mean solver?"),
        ("newton(solver=cvc4)", 14, "unknown solver 'cvc4'; did you mean cvc5?"),
        ("newton(level=edges)", 13, "unknown level 'edges'; did you mean edge?"),
        ("newton(core=statment)", 12, "unknown core 'statment'; did you mean statement?"),
        ("newton(quantifiers=lite)", 19, "unknown quantifiers 'lite'; did you mean light?"),
        ("craig(bitwuzzla)", 6, "unknown solver 'bitwuzzla'; did you mean bitwuzla?"),
        ("craig(z3, tme=4)", 10, "unknown option of craig 'tme'; did you mean time?"),
        # values and arguments where there should be none, and the other way round
        ("newton(time=soon)", 12, "expected seconds, found 'soon'"),
        ("newton(time=0)", 12, "expected seconds, found '0'"),
        ("newton(time=1.2.3)", 12, "expected seconds, found '1.2.3'"),
        ("newton(time=nan)", 12, "expected seconds, found 'nan'"),
        ("newton(time=2(z3))", 12, "2 takes neither arguments nor a value"),
        ("newton(it=1)", 7, "it takes neither arguments nor a value"),
        ("newton(it(lv))", 7, "it takes neither arguments nor a value"),
        ("newton(level=edge=block)", 13, "edge takes neither arguments nor a value"),
        ("newton(solver=z3(fast))", 14, "z3 takes neither arguments nor a value"),
        ("newton(level)", 7, "level needs a value: level=…"),
        ("default()", 0, "default is a preset and takes no arguments"),
        ("solver=z3", 0, "solver=… is an option, not a refiner"),
        ("race(newton, level=edge)", 13, "level=… is an option, not a refiner"),
        # twice, too few, too many
        ("newton(sp, wp)", 11, "wp contradicts or repeats sp"),
        ("newton(it, it)", 11, "it contradicts or repeats it"),
        ("newton(solver=z3, solver=cvc5)", 18, "solver contradicts or repeats solver"),
        ("craig(z3, cvc5)", 10, "cvc5 contradicts or repeats z3"),
        ("craig(it, it)", 10, "it contradicts or repeats it"),
        ("craig(core)", 6, "core needs a value: core=…"),
        ("lean(newton, craig)", 0, "lean takes one refiner"),
        ("race(newton, time=2)", 0, "race needs at least 2 refiners in parentheses"),
        ("race(newton, craig, time=2, time=3)", 28, "time contradicts or repeats time"),
        ("fallback(newton)", 0, "fallback needs at least 2 refiners in parentheses"),
        ("memo(race(newton))", 5, "race needs at least 2 refiners in parentheses"),
        ("until-perfect", 0, "until-perfect needs at least one refiner in parentheses"),
        ("memo()", 0, "memo needs at least one refiner in parentheses"),
        ("memo(newton, craig)", 0, "memo takes one refiner"),
    ],
)
def test_mistakes(expression: str, at: int, problem: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        refiner(expression)
    assert str(caught.value) == f"{problem}\n  {expression}\n  {' ' * at}^"


@given(st.text(alphabet="newton craig(),=z3itspv-0.", max_size=30))
@examples(300)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        made = refiner(text)
    except ExpressionError:
        return
    assert refiner(made.name) == made
