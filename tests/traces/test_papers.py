"""The worked examples of the papers, assertion by assertion, up to equivalence.

Two slips of [CN] are put right here. In Figure 2, φ5 and φ6 need ¬b[p] (without it the next postcondition would be
a = b[p := false], not the a = b that is printed). In Figure 3 the last statement must be y < 0, the negation of what is
asserted.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from craton.logic import Term, free_variables, implies
from craton.traces.cores import Granularity
from craton.traces.live import future_live
from craton.traces.newton import Direction, Newton
from craton.traces.perfect import is_perfect
from craton.traces.refutation import Refutation, law_violation
from support.declarations import read_lines
from support.entries import read_entries
from support.judge import SOLVERS, Judge
from support.traces import FOLDER, INFEASIBLE, Example

FIGURE_2 = INFEASIBLE["leak check, [CN] Figure 2"]
FIGURE_3 = INFEASIBLE["k is dead, [CN] Figure 3"]
TABLE_1 = INFEASIBLE["loop not entered, [NR] Table 3.1"]
TABLE_2 = INFEASIBLE["loop entered once, [NR] Table 3.2"]

SP = Newton(core=None, live=False)
SP_LV = Newton(core=None, live=True)
IT_SP = Newton(core=Granularity.STATEMENT, live=False)
IT_SP_LV = Newton(core=Granularity.STATEMENT, live=True)
WP = Newton(direction=Direction.WP, core=None, live=False)
WP_LV = Newton(direction=Direction.WP, core=None, live=True)
IT_WP = Newton(direction=Direction.WP, core=Granularity.STATEMENT, live=False)
IT_WP_LV = Newton(direction=Direction.WP, core=Granularity.STATEMENT, live=True)

VARIANTS = {
    "SP": SP,
    "SP-LV": SP_LV,
    "IT-SP": IT_SP,
    "IT-SP-LV": IT_SP_LV,
    "WP": WP,
    "WP-LV": WP_LV,
    "IT-WP": IT_WP,
    "IT-WP-LV": IT_WP_LV,
}
SEQUENCES = {
    f"{entry.title.text}, {variant}": (entry, variant)
    for entry in read_entries(FOLDER / "papers.sequences", ("by",))
    for variant in entry.required("by").split()
}


def test_the_papers_sequences_are_all_here() -> None:
    """All eight variants of each example. The core of Table 3.2 is not unique; with the one that the thesis supposes,
    the trace has an entry of its own.
    """
    assert len(SEQUENCES) == 36
    by_example: dict[str, set[str]] = {}
    for entry, variant in SEQUENCES.values():
        by_example.setdefault(entry.title.text, set()).add(variant)
    without_core = {"loop entered once, [NR] Table 3.2": {name for name in VARIANTS if "IT" not in name}}
    assert len(by_example) == 5
    assert all(found == without_core.get(name, set(VARIANTS)) for name, found in by_example.items())


@pytest.mark.parametrize("name", SEQUENCES)
def test_sequence(name: str) -> None:
    entry, variant = SEQUENCES[name]
    example = INFEASIBLE[entry.title.text]
    found = refuted(example, VARIANTS[variant])
    expected = read_lines(example.declarations, entry.lines)
    assert len(found.assertions) == len(expected)
    for i, (actual, wanted) in enumerate(zip(found.assertions, expected, strict=True)):
        assert implied(actual, wanted) and implied(wanted, actual), f"φ{i} is {actual}, not {wanted}"
    assert law_violation(example.trace, found, Judge(SOLVERS)) == ""


# --- what the papers say about them -----------------------------------------------------------------------------------


@pytest.mark.parametrize("granularity", Granularity)
@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_the_core_of_figure_2_leaves_out_x(granularity: Granularity, solver: str) -> None:
    found = refuted(FIGURE_2, Newton(core=granularity, live=False, solver=solver))
    assert found.core == frozenset((0, 3, 4, 6, 7))
    x = FIGURE_2.variable("x")
    assert all(x not in free_variables(assertion) for assertion in found.assertions)


def test_figure_2_has_a_loop_invariant_only_with_the_core() -> None:
    plain, abstract = refuted(FIGURE_2, SP), refuted(FIGURE_2, IT_SP)
    assert implied(abstract.assertions[7], abstract.assertions[2])
    assert not implied(plain.assertions[7], plain.assertions[2])
    solver = Judge(SOLVERS)
    assert is_perfect(FIGURE_2.trace, abstract.assertions, solver)
    assert not is_perfect(FIGURE_2.trace, plain.assertions, solver)


def test_figure_3_has_only_itself_as_core() -> None:
    assert refuted(FIGURE_3, IT_SP).core == frozenset(range(5))


def test_figure_3_has_a_loop_invariant_only_with_live_variables() -> None:
    plain, live = refuted(FIGURE_3, SP), refuted(FIGURE_3, SP_LV)
    assert implied(live.assertions[4], live.assertions[2])
    assert not implied(plain.assertions[4], plain.assertions[2])
    assert is_perfect(FIGURE_3.trace, live.assertions, Judge(SOLVERS))
    assert not is_perfect(FIGURE_3.trace, plain.assertions, Judge(SOLVERS))


@pytest.mark.parametrize("refiner", [IT_SP, IT_SP_LV, IT_WP, IT_WP_LV], ids=lambda refiner: refiner.name)
@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_the_core_of_table_2(refiner: Newton, solver: str) -> None:
    """There are two minimal cores; the thesis goes on with the first."""
    found = refuted(TABLE_2, replace(refiner, solver=solver))
    assert found.core in (frozenset((0, 3, 5)), frozenset((2, 3, 4, 5)))
    assert law_violation(TABLE_2.trace, found, Judge(SOLVERS)) == ""


def test_the_live_variables_of_table_3() -> None:
    """The thesis takes the last occurrence for the last read, so y is live before its assignment; not so in [CN]."""
    x = TABLE_1.variable("x")
    assert future_live(TABLE_1.trace.steps) == [frozenset(), {x}, {x}, {x}, frozenset()]


# --- helpers ----------------------------------------------------------------------------------------------------------


def refuted(example: Example, refiner: Newton) -> Refutation:
    answer = refiner.refute(example.trace)
    assert isinstance(answer, Refutation), answer
    return answer


def implied(stronger: Term, weaker: Term) -> bool | None:
    return Judge(SOLVERS).is_valid(implies(stronger, weaker))
