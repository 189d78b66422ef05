"""Templates that users write: the grammar, what they mean in each sort, and [EI]'s example by the paper's own base."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.configuration.refiners import refiner
from craton.logic import (
    BOOL,
    INT,
    REAL,
    Array,
    BitVec,
    Term,
    add,
    and_,
    bv,
    bvadd,
    bvsle,
    bvsub,
    bvule,
    eq,
    forall,
    free_variables,
    implies,
    int_,
    le,
    lt,
    mod,
    mul,
    not_,
    or_,
    select,
    sign_extend,
    sub,
    substitute,
    to_real,
    var,
    zero_extend,
)
from craton.registry import ExpressionError
from craton.smt import Unsat, make_solver
from craton.traces.exploration import Frontier, Template
from craton.traces.lattice import ForgettingTrace, Lattice, Visits, frontier, templates_in
from craton.traces.own_templates import (
    Expression,
    Name,
    Number,
    Operation,
    OwnTemplate,
    Schematic,
    check_names,
    is_called,
    typed,
)
from craton.traces.perfect import is_perfect
from craton.traces.refutation import Refutation, law_violation
from craton.traces.templates import Base, Cost, instantiated, templates_at
from craton.traces.trace import Trace
from support import examples
from support.judge import SOLVERS, Judge
from support.trace_reader import read_trace


def read(text: str) -> tuple[OwnTemplate, ...]:
    made = refiner(f"lattice(newton, templates={text})")
    assert isinstance(made, Lattice)
    return made.templates


# --- reading and printing ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("(x)", "x"),
        ("( x-y , i<=n )", "x - y, i <= n"),
        ("(i ≤ n, ¬a ∧ b, p → q, x ≠ y)", "i <= n, !a && b, p -> q, x != y"),
        ("(x == y)", "x = y"),
        ("((x - y) - z, x - (y - z))", "x - y - z, x - (y - z)"),
        ("((x + y) * 2, -x % 3, -3 * x)", "(x + y) * 2, -x % 3, -3 * x"),
        ("(!(a < b) || !c, !(a && b))", "!a < b || !c, !(a && b)"),
        ("(main::i - f::n: 3, i#2: 0)", "main::i - f::n: 3, i#2: 0"),
        ("(a[?k], h[h[?x][1]][i + 1])", "a[?k], h[h[?x][1]][i + 1]"),
    ],
)
def test_reading_and_printing(written: str, printed: str) -> None:
    found = read(written)
    assert ", ".join(map(str, found)) == printed
    assert read(f"({printed})") == found


_LEAVES: st.SearchStrategy[Expression] = st.one_of(
    st.sampled_from(["x", "y1", "main::i", "_a.b"]).map(Name),
    st.integers(-3, 40).map(Number),
    st.sampled_from("kl").map(Schematic),
)


def _operations(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    binary = st.sampled_from(["+", "-", "*", "%", "&", "|", "^", "&&", "||", "->", "[]"])
    compared = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
    negated = inner.filter(lambda e: not isinstance(e, Number)).map(lambda e: Operation("-", (e,)))
    return st.one_of(
        st.builds(Operation, st.one_of(binary, compared), st.tuples(inner, inner)),
        st.builds(Operation, st.just("!"), st.tuples(inner)),
        negated,
    )


@given(st.recursive(_LEAVES, _operations, max_leaves=6), st.one_of(st.none(), st.integers(0, 30)))
@examples(150)
def test_what_is_printed_is_read_again(expression: Expression, cost: int | None) -> None:
    template = OwnTemplate(Operation("+", (Name("v"), expression)), cost)
    assert read(f"({template})") == (template,)


@pytest.mark.parametrize(
    ("written", "problem", "at"),
    [
        ("templates=x", "templates are written in parentheses", "x"),
        ("templates=()", "expected a variable, a number or '(' in a template, found ')'", ")"),
        ("templates=(x -)", "expected a variable, a number or '(' in a template, found ')'", ")"),
        ("templates=(x y)", "expected ')' in a template, found 'y'", "y)"),
        ("templates=(x ; y)", "unexpected ';' in a template", ";"),
        ("templates=(a < b < c)", "comparisons are not chained", "< b"),
        ("templates=(1 + 2)", "a template needs a variable", "1 +"),
        ("templates=(x: y)", "what the template costs, a whole number", "y"),
        ("templates=(a[1)", "expected ']'", ")"),
        ("templates=(x", "this parenthesis is never closed", "(x"),
        ("cost=(1)", "unknown cost '(1)'", "(1)"),
        ("time=(2)", "expected seconds, found '(2)'", "(2)"),
        ("visits=all", "unknown visits 'all'; known: together, each", "all"),
    ],
)
def test_mistakes_are_pointed_at(written: str, problem: str, at: str) -> None:
    text = f"lattice(newton, {written})" if problem != "this parenthesis is never closed" else f"lattice({written}"
    with pytest.raises(ExpressionError) as caught:
        refiner(text)
    message, shown, caret = str(caught.value).split("\n")
    assert problem in message
    start = text.index(written)
    assert shown[2:] == text and len(caret) - 3 == text.index(at, start + (written.index("=") if "=" in written else 0))


# --- names ------------------------------------------------------------------------------------------------------------


def test_names_of_variables() -> None:
    for variable in ("i", "main::i", "main::i#2", "f@3::i"):
        assert is_called(variable, "i")
    assert is_called("f@3::i", "f::i") and is_called("f@3::i", "f@3::i")
    assert not is_called("main::i", "f::i") and not is_called("main::ii", "i") and not is_called("i.a", "i")


def test_a_name_that_nothing_has_is_pointed_at() -> None:
    check_names(read("(i - x, ?k + main::x)"), {"main::i", "main::x"})
    with pytest.raises(ExpressionError, match="unknown variable 'xx'; did you mean x\\?\n  i - xx\n      \\^"):
        check_names(read("(i - xx)"), {"main::i", "main::x", "$1"})


def test_templates_are_found_in_compositions() -> None:
    made = refiner("fallback(sliced(lattice(newton, templates=(a))), memo(lattice(craig, templates=(b, c))))")
    assert [str(template) for template in templates_in(made)] == ["a", "b", "c"]


# --- what they mean ---------------------------------------------------------------------------------------------------


def meanings(text: str, *variables: Term) -> set[Term]:
    (template,) = read(f"({text})")
    names = {name: [v for v in variables if is_called(v.name, name)] for name in template.names}
    return {made.term for made in typed(template, names)}


def test_numbers() -> None:
    x, y, r = var("x", INT), var("y", INT), var("r", REAL)
    assert meanings("x - y", x, y) == {sub(x, y)}
    assert meanings("2 * x + 1 <= y", x, y) == {le(add(mul(int_(2), x), int_(1)), y)}
    assert meanings("!(x = 0) && x % 2 > y", x, y) == meanings("x != 0 && y < x % 2", x, y)
    assert meanings("y < x % 2", x, y) == {lt(y, mod(x, int_(2)))}
    assert meanings("x < r", x, r) == {lt(to_real(x), r)}
    assert meanings("x & y", x, y) == set()  # no numbers are
    assert meanings("x - z", x, y) == set()  # z is not known here


def test_bits_are_signed_or_not() -> None:
    x, y, c = var("x", BitVec(32)), var("y", BitVec(32)), var("c", BitVec(8))
    assert meanings("x + y", x, y) == {bvadd(x, y)}
    assert meanings("x <= y", x, y) == {bvsle(x, y), bvule(x, y)}
    assert meanings("x <= 255", x) == {bvsle(x, bv(255, 32)), bvule(x, bv(255, 32))}
    assert meanings("x - c", x, c) == {bvsub(x, sign_extend(24, c)), bvsub(x, zero_extend(24, c))}


def test_arrays_truth_values_and_several_variables() -> None:
    a = var("a", Array(BitVec(64), BitVec(32)))
    i, b = var("i", BitVec(32)), var("b", BOOL)
    assert meanings("a[i]", a, i) == {select(a, sign_extend(32, i)), select(a, zero_extend(32, i))}
    assert meanings("a[1] = i", a, i) == {eq(select(a, bv(1, 64)), i)}
    assert meanings("!b", b) == {not_(b)} and meanings("b", b) == {b}
    assert meanings("a + 1", a) == meanings("b + 1", b) == meanings("i[1]", i) == meanings("b < b", b) == set()
    f, g = var("f::i", INT), var("g::i", INT)
    assert meanings("i", f, g) == {f, g} and meanings("f::i", f, g) == {f}


def test_schematic_variables_have_the_sort_that_fits() -> None:
    h = var("h", Array(INT, Array(INT, INT)))
    (template,) = read("(h[h[?x][1]][2] + ?y)")
    (made,) = typed(template, {"h": [h]})
    x, y = var("?x", INT), var("?y", INT)
    assert made.term is add(select(select(h, select(select(h, x), int_(1))), int_(2)), y)
    assert made.schematic == (x, y)
    (template,) = read("(x = ?y && b = ?y)")
    assert typed(template, {"x": [var("x", INT)], "b": [var("b", BOOL)]}) == ()


# --- the example of [EI] I-A, with the templates of Ex. 4 -------------------------------------------------------------

BASE = "(x - i, i: 16, j)"


def introduction(rounds: int, sort: str = "Int") -> Trace:
    zero, one, fifty = ("0", "1", "50") if sort == "Int" else ("#x00", "#x01", "#x32")
    below, plus = ("<", "+") if sort == "Int" else ("bvslt", "bvadd")
    text = f"""
    i := {zero}
    x := j
    {rounds} times {{
    ({below} i {fifty})
    i := ({plus} i {one})
    x := ({plus} x {one})
    }}
    (not ({below} i {fifty}))
    (= j {zero})
    ({below} x {fifty})
    """
    return read_trace(f"i x j: {sort}", text)


def infeasible(trace: Trace) -> bool:
    solver = make_solver("cvc5")
    solver.add(*trace.formula.by_step)
    return isinstance(solver.check(), Unsat)


@pytest.mark.parametrize("sort", ["Int", "B8"])
def test_the_lattice_of_figure_3(sort: str) -> None:
    """Feasible are the sets with i, and those with x − i and j: as Fig. 3 says, and as another solver sees it."""
    problem = ForgettingTrace(introduction(1, sort))
    templates = templates_at(problem.places, Base.OWN, read(BASE))
    names = {t: t.term.name if len(t.variables) == 1 else "x - i" for t in templates}
    assert set(names.values()) == {"x - i", "i", "j"}
    for chosen in chain.from_iterable(combinations(templates, size) for size in range(4)):
        said = {names[t] for t in chosen}
        assert infeasible(problem.forgetful(chosen)[0]) == ("i" in said or {"x - i", "j"} <= said)
    found = frontier(problem, templates, make_solver("z3"), 60.0)
    assert isinstance(found, Frontier) and found.complete
    assert [{names[t] for t in element} for element in found.elements] == [{"x - i", "j"}, {"i"}]


@pytest.mark.parametrize("sort", ["Int", "B8"])
@pytest.mark.parametrize("inner", ["newton(it, sp, lv)", "newton(wp)"])
def test_own_templates_guide(inner: str, sort: str) -> None:
    trace = introduction(2, sort)
    answer = refiner(f"lattice({inner}, own, templates={BASE}, time=60)").refute(trace)
    assert isinstance(answer, Refutation) and answer.abstraction is not None
    assert len(answer.abstraction.sets) == 2 and len(answer.abstraction.templates) == 2
    assert law_violation(trace, answer, Judge(SOLVERS)) == ""
    assert is_perfect(trace, answer.assertions, make_solver("z3"))


def test_an_inequality_as_template() -> None:
    """[EI] I-A's I_2 = (x ≥ i + j), which is inductive, and its I_1 = (i ≤ 1), which needs i ≤ 0 a round before."""
    trace = introduction(1)
    x, i, j = (var(name, INT) for name in "xij")
    for text, said in (("(x >= i + j)", le(add(i, j), x)), ("(i <= 0, i <= 1)", le(i, int_(1)))):
        answer = refiner(f"lattice(newton(wp), own, templates={text}, time=60)").refute(trace)
        assert isinstance(answer, Refutation) and answer.abstraction is not None
        assert said in answer.abstraction.templates and len(answer.abstraction.templates) == text.count("=")
        last = answer.assertions[max(ForgettingTrace(trace).known)]
        assert Judge(SOLVERS).is_valid(eq(last, said))
        assert law_violation(trace, answer, Judge(SOLVERS)) == ""


def test_own_templates_and_automatic_ones_together() -> None:
    problem = ForgettingTrace(introduction(1))
    own = read("(x - i - j)")
    (template,) = templates_at(problem.places, Base.OWN, own)
    together = templates_at(problem.places, Base.TERMS, own)
    assert template in together and len(together) == 6
    found = frontier(problem, together, make_solver("z3"), 60.0)
    assert isinstance(found, Frontier) and found.elements[0] == (template,)
    assert len(templates_at(problem.places, Base.BOTH, own)) > 6
    assert templates_at(problem.places, Base.TERMS, read("(x, j)"))  # what is known twice is one
    assert len(templates_at(problem.places, Base.TERMS, read("(x, j)"))) == 5


def test_templates_that_do_not_suffice_leave_the_trace_as_it_is() -> None:
    trace = introduction(1)
    answer = refiner("lattice(newton(it, sp, lv), own, templates=(j))").refute(trace)
    assert isinstance(answer, Refutation) and answer.abstraction is None
    assert law_violation(trace, answer, Judge(SOLVERS)) == ""


# --- cost -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        (f"templates={BASE}", {"x", "i", "j"}),
        ("templates=(x - i, i, j)", {"i"}),  # what users write costs one, if they do not say it
        ("templates=(x - i: 5, i: 6, j: 2)", {"i"}),
        ("templates=(x - i: 5, i: 8, j: 2)", {"x", "i", "j"}),
        ("templates=(x - i, i, j), cost=size", {"i"}),
    ],
)
def test_what_costs_least_is_taken(options: str, chosen: set[str]) -> None:
    answer = refiner(f"lattice(newton(it, sp, lv), own, {options}, time=60)").refute(introduction(1))
    assert isinstance(answer, Refutation) and answer.abstraction is not None
    assert {v for term in answer.abstraction.templates for v in _names(term)} == chosen


def _names(term: Term) -> set[str]:
    return {term.name} if not term.args else set().union(*map(_names, term.args))


def test_costs_of_automatic_templates() -> None:
    places = ForgettingTrace(introduction(1)).places
    costs = {cost: sorted(t.cost for t in templates_at(places, cost=cost)) for cost in Cost}
    assert costs == {Cost.COUNTERS: [1, 2, 2, 4, 16], Cost.EQUAL: [1] * 5, Cost.SIZE: [1, 1, 1, 2, 2]}
    cheapest = {}
    for cost in Cost:
        answer = refiner(f"lattice(newton(it, sp, lv), cost={cost.value}, time=60)").refute(introduction(1))
        assert isinstance(answer, Refutation) and answer.abstraction is not None
        cheapest[cost] = len(answer.abstraction.templates)
    assert cheapest == {Cost.COUNTERS: 2, Cost.EQUAL: 1, Cost.SIZE: 1}


# --- a lattice for each visit -----------------------------------------------------------------------------------------


def test_the_product_over_all_visits_against_trying_every_set() -> None:
    """[EI] VII-A: a lattice for each abstraction point. Two points, three templates each: 64 elements."""
    problem = ForgettingTrace(introduction(1), Visits.EACH)
    templates = templates_at(problem.places, Base.OWN, read(BASE))
    assert len(problem.points) == len(problem.places) == 2 and len(templates) == 6
    every = chain.from_iterable(combinations(templates, size) for size in range(7))
    feasible = [frozenset(chosen) for chosen in every if infeasible(problem.forgetful(chosen)[0])]
    least = {chosen for chosen in feasible if not any(other < chosen for other in feasible)}
    found = frontier(problem, templates, make_solver("z3"), 60.0)
    assert isinstance(found, Frontier) and found.complete
    assert {frozenset(element) for element in found.elements} == least
    assert len(least) == 2  # an argument goes through both points


def test_visits_may_remember_different_things() -> None:
    """Zero goes from c to b to a, a round at a time: one variable at each point, or all of them at all points."""
    trace = read_trace("a b c: Int", "a := 5\nb := 5\nc := 0\n2 times {\na := b\nb := c\n}\n(not (= a 0))")
    found = {}
    for visits in Visits:
        problem = ForgettingTrace(trace, visits)
        told = frontier(problem, templates_at(problem.places, Base.OWN, read("(a, b, c)")), make_solver("z3"), 60.0)
        assert isinstance(told, Frontier) and told.complete
        (element,) = told.elements
        found[visits] = sorted(str(template.term) for template in element)
        assert infeasible(problem.forgetful(element)[0])
    assert found == {Visits.EACH: ["a", "b", "c"], Visits.TOGETHER: ["a", "b", "c"]}
    problem = ForgettingTrace(trace, Visits.EACH)
    told = frontier(problem, templates_at(problem.places), make_solver("z3"), 60.0)
    assert isinstance(told, Frontier) and told.complete
    assert len({template.place for template in told.elements[0]}) == len(told.elements[0]) == len(problem.points) == 3


@pytest.mark.parametrize("visits", Visits)
def test_visits_together_or_each_obey_the_law(visits: Visits) -> None:
    trace = introduction(2)
    answer = refiner(f"lattice(newton(it, sp, lv), visits={visits.value}, time=60)").refute(trace)
    assert isinstance(answer, Refutation) and answer.abstraction is not None
    assert law_violation(trace, answer, Judge(SOLVERS)) == ""
    assert is_perfect(trace, answer.assertions, make_solver("z3"))


# --- schematic templates: [EI] Ex. 3 ----------------------------------------------------------------------------------

HEAP = "(H[H[?x][1]][2], a, b, c)"


def heap() -> Trace:
    """The heap as an array of objects of fields; f is 1, g is 2, null is 0."""
    text = """
    (= (select (select H a) 1) c)
    (not (= (select (select H b) 2) 0))
    1 times {
    true
    }
    (= b c)
    (= (select (select H b) 2) 0)
    (= (select (select H (select (select H a) 1)) 2) 0)
    """
    return read_trace("H: Int => Int => Int, a b c: Int", text)


def guided_through_heap(inner: str) -> tuple[Trace, Refutation]:
    """What a refiner says of the trace that remembers the templates' instances; whatever time exploring takes."""
    problem = ForgettingTrace(heap())
    chosen = templates_at(problem.places, Base.OWN, read(HEAP))
    assert len(chosen) == 4 and infeasible(problem.forgetful(chosen)[0])  # for all x, as Def. 11 says
    abstract, positions = problem.forgetful(instantiated(chosen, problem.places))
    answer = refiner(inner).refute(abstract)
    assert isinstance(answer, Refutation)
    return problem.whole, replace(answer, assertions=tuple(answer.assertions[i] for i in positions))


def field_of(heap: Term, thing: Term, name: int) -> Term:
    return select(select(heap, thing), int_(name))


def test_schematic_templates_steer_through_the_heap() -> None:
    """Alone, the solver speaks of H(b, g), or of the same by another name, and not of a; with H(H(·, f), g), a, b, c it
    says b = c → H(H(a, f), g) ≠ null.
    """
    trace = heap()
    h = var("H", Array(INT, Array(INT, INT)))
    a, b, c = (var(name, INT) for name in "abc")
    wanted = implies(eq(b, c), not_(eq(field_of(h, field_of(h, a, 1), 2), int_(0))))
    alone, (_, guided) = refiner("craig(z3, time=60)").refute(trace), guided_through_heap("craig(z3, time=60)")
    assert isinstance(alone, Refutation)
    judge = Judge(SOLVERS)
    for position in ForgettingTrace(trace).known:
        assert a not in free_variables(alone.assertions[position])
        assert judge.is_valid(eq(guided.assertions[position], wanted))
    assert law_violation(trace, guided, judge) == ""


def test_schematic_templates_are_explored() -> None:
    answer = refiner(f"lattice(newton(wp), own, templates={HEAP})").refute(heap())
    assert isinstance(answer, Refutation)
    assert answer.abstraction is None or len(answer.abstraction.templates) == 4  # None: no time


@pytest.mark.parametrize("inner", ["newton(wp, time=60)", "craig(z3, time=60)"])
def test_what_is_asserted_is_a_matter_of_schematic_templates(inner: str) -> None:
    """[EI] Lemma 12: heaps that agree on the template, for all x, are not told apart."""
    trace, answer = guided_through_heap(inner)
    assert law_violation(trace, answer, Judge(SOLVERS)) == ""
    h, other = (var(name, Array(INT, Array(INT, INT))) for name in ("H", "H again"))
    x = var("?x", INT)
    template = field_of(h, field_of(h, x, 1), 2)
    agree = forall([x], eq(template, substitute(template, {h: other})))
    said = answer.assertions[max(ForgettingTrace(trace).known)]
    assert make_solver("cvc5", time_limit=20.0).is_valid(implies(and_(agree, said), substitute(said, {h: other})))


def test_without_free_variables_it_is_a_term_abstraction() -> None:
    """The note on [EI] Def. 11."""
    before, after = {var("x", INT): var("x1", INT)}, {var("x", INT): var("x2", INT)}
    plain = Template("loop", var("x", INT), 1)
    assert plain.kept(before, after) is eq(var("x1", INT), var("x2", INT))
    a, k = var("a", Array(INT, INT)), var("?k", INT)
    kept = Template("loop", select(a, k), 1, (k,)).kept({a: var("a1", a.sort)}, {a: var("a2", a.sort)})
    assert kept is forall([k], eq(select(var("a1", a.sort), k), select(var("a2", a.sort), k)))


def test_where_no_instance_is_enough_all_of_them_are_remembered() -> None:
    """No term of the trace is where the arrays differ: something is, for some k."""
    trace = read_trace(
        "a: Int => Int, i: Int",
        "(exists ((k Int)) (= (select a k) 7))\n1 times {\ni := (+ i 1)\n}\n"
        "(forall ((k Int)) (not (= (select a k) 7)))\n(= i 5)",
    )
    answer = refiner("lattice(newton(wp), own, templates=(a[?k]), time=20)").refute(trace)
    assert isinstance(answer, Refutation) and answer.abstraction is not None
    assert "does not hold" not in law_violation(trace, answer, Judge(SOLVERS))
    point = max(ForgettingTrace(trace).known)
    assert var("i", INT) not in free_variables(answer.assertions[point])


def test_schematic_inequalities() -> None:
    """Which elements are at most m is remembered, not what they are."""
    trace = read_trace(
        "a: Int => Int, i m: Int",
        "(<= (select a 3) m)\ni := 0\n2 times {\n(<= i m)\na := (store a 3 i)\ni := (+ i 1)\n}\n(> (select a 3) m)",
    )
    answer = refiner("lattice(newton(it, wp, lv), own, templates=(a[?k] <= m, m), time=20)").refute(trace)
    assert isinstance(answer, Refutation) and answer.abstraction is not None
    assert law_violation(trace, answer, Judge(SOLVERS)) == ""
    at_most = le(select(var("a", Array(INT, INT)), int_(3)), var("m", INT))
    assert answer.assertions[max(ForgettingTrace(trace).known)] is at_most


# --- the space of interpolants: [EI] Fig. 2, Lemmas 4 and 7, Ex. 1, 2 and 4 -------------------------------------------

_x, _i, _j = (var(name, INT) for name in "xij")
I_1 = le(_i, int_(1))
I_2 = le(add(_i, _j), _x)
I_3 = or_(not_(eq(_j, int_(0))), le(_i, int_(49)))
SPACES = {  # the templates, the strongest and the weakest of their interpolants, and those of I_1, I_2, I_3 among them
    "(i)": (eq(_i, int_(1)), le(_i, int_(49)), {I_1}),
    "(x - i, j)": (eq(_x, add(_i, _j)), or_(not_(eq(_j, int_(0))), le(_i, _x)), {I_2}),
    "(i, j)": (eq(_i, int_(1)), I_3, {I_1, I_3}),
}


@pytest.mark.parametrize("templates", SPACES)
def test_interpolants_lie_between_the_strongest_and_the_weakest(templates: str) -> None:
    """At the loop's end, where [EI] I-A looks: what post and wp of the forgetful trace say is as printed, and of the
    paper's interpolants those lie between that its Fig. 2 and Ex. 1 and 4 put there.
    """
    strongest, weakest, inside = SPACES[templates]
    trace, judge = introduction(1), Judge(SOLVERS)
    problem = ForgettingTrace(trace)
    chosen = templates_at(problem.places, Base.OWN, read(templates))
    abstract, positions = problem.forgetful(chosen)
    last = positions[max(problem.known)]
    for direction, expected in (("sp", strongest), ("wp", weakest)):
        answer = refiner(f"newton({direction})").refute(abstract)
        assert isinstance(answer, Refutation)
        assert judge.is_valid(eq(answer.assertions[last], expected))
    for one in (I_1, I_2, I_3):
        between = judge.is_valid(implies(strongest, one)) and judge.is_valid(implies(one, weakest))
        assert between == (one in inside)


@pytest.mark.parametrize(("text", "wanted"), [("i <= 1", I_1), ("x >= i + j", I_2), ("j != 0 || i <= 49", I_3)])
def test_there_is_an_abstraction_for_each_interpolant(text: str, wanted: Term) -> None:
    """[EI] Lemma 4: some abstraction leaves nothing but the interpolant that is wanted, up to equivalence."""
    trace, judge = introduction(1), Judge(SOLVERS)
    for inner in ("newton(sp)", "newton(wp)", "craig(z3)"):
        made = refiner(f"lattice({inner}, own, visits=each, templates=(i <= 0, {text}), time=60)")
        answer = made.refute(trace)
        assert isinstance(answer, Refutation) and answer.abstraction is not None
        assert answer.abstraction.frontier == 1
        assert judge.is_valid(eq(answer.assertions[max(ForgettingTrace(trace).known)], wanted))
        assert law_violation(trace, answer, judge) == ""
