"""Infeasible slices of trees: each is a reason of its own, what refutes one refutes the tree, and scorers choose."""

from __future__ import annotations

from craton.configuration.refiners import refiner
from craton.horn.clauses import Clause, Predicate, System
from craton.logic import BOOL, FALSE, INT, TRUE, Term, add, and_, eq, free_variables, int_, lt, not_, var
from craton.program.analysis.domain_types import DomainType
from craton.smt import Sat, Unsat, make_solver
from craton.traces.refutation import Answer, Feasible, Refutation
from craton.trees.prefixes import Slice, slices_of, without_assumptions
from craton.trees.refiners import refute
from craton.trees.refutation import law_violation
from craton.trees.tree import Node, Tree
from craton.trees.uses import domain_types, shared_parameters
from trees.test_conformance import THEORIES, trees

X, Y, Z = (var(name, INT) for name in "xyz")
B, C = var("b", BOOL), var("c", BOOL)
P, Q = Predicate("p", (INT,)), Predicate("q", (INT, INT))


def slices(tree: Tree) -> list[Slice]:
    with make_solver("z3") as solver:
        found = slices_of(tree, solver, 10.0)
        assert isinstance(found, list)
        return found


def path(*conditions: Term) -> Tree:
    """p(x), and one assumption after the other about x."""
    clauses = [Clause(P(X), () if i == 0 else (P(X),), c) for i, c in enumerate(conditions[:-1])]
    clauses.append(Clause(None, (P(X),), conditions[-1]))
    return Tree(System(tuple(clauses)), tuple(Node(i, (i - 1,) if i else ()) for i in range(len(clauses))))


def test_the_example_of_the_paper() -> None:
    """[RS] 4, as clauses."""
    found = slices(path(lt(X, int_(0)), eq(X, int_(0)), eq(X, int_(1))))
    told = [[slice_.tree.clause(number).constraint for number in range(len(slice_))] for slice_ in found]
    assert told == [[lt(X, int_(0)), eq(X, int_(0))], [lt(X, int_(0)), TRUE, eq(X, int_(1))]]


def test_reasons_beside_each_other() -> None:
    """Two subtrees that derive nothing, and a query that would be impossible without them."""
    leaf = Clause(P(X), (), eq(X, int_(1)))
    no, neither = Clause(P(X), (P(X),), lt(X, int_(0))), Clause(P(X), (P(X),), lt(int_(5), X))
    query = Clause(None, (P(X), P(Y)), not_(eq(X, Y)))
    nodes = (Node(0, ()), Node(1, (0,)), Node(0, ()), Node(2, (2,)), Node(3, (1, 3)))
    tree = Tree(System((leaf, no, neither, query)), nodes)
    found = slices(tree)
    assert [(slice_.first, len(slice_)) for slice_ in found] == [(0, 2), (2, 2), (0, 5)]
    for expression, derived in (("short", (0, 1)), ("long", (0, 1, 2, 3, 4))):
        answer = refute(refiner(f"sliced(newton(it, sp, lv), {expression})"), tree)
        assert isinstance(answer, Refutation) and answer.selection is not None
        assert law_violation(tree, answer, make_solver("cvc5")) == ""
        assert (answer.selection.prefix, answer.selection.choices) == (len(derived), 3)
        assert all(a is TRUE for i, a in enumerate(answer.assertions[:-1]) if i not in derived)


def test_what_a_clause_computes_stays() -> None:
    computes = Clause(Q(Y, Z), (P(X),), and_(eq(Y, add(X, int_(1))), lt(X, int_(3)), eq(Z, int_(0))))
    assert without_assumptions(computes).constraint is and_(eq(Y, add(X, int_(1))), eq(Z, int_(0)))
    again = Clause(P(Y), (P(X),), and_(eq(Y, int_(1)), eq(Y, add(X, int_(1)))))
    assert without_assumptions(again).constraint is eq(Y, int_(1))
    circular = Clause(P(X), (), and_(eq(X, add(Y, int_(1))), eq(Y, X)))
    assert len(free_variables(without_assumptions(circular).constraint)) == 2
    flags = Clause(None, (), and_(B, not_(C)))
    assert without_assumptions(flags) == flags


def test_arguments_are_taken_as_they_come() -> None:
    for clause in (Clause(P(X), (Q(X, X),), TRUE), Clause(P(X), (Q(X, int_(3)),), TRUE)):
        (atom,) = without_assumptions(clause).body
        assert atom.arguments[0] is X and atom.arguments[1].is_variable and atom.arguments[1] is not X
    taken = var("any 0 1", INT)
    (atom,) = without_assumptions(Clause(P(X), (Q(X, X),), lt(taken, X))).body
    assert atom.arguments[1] not in (X, taken)


def test_a_slice_is_infeasible_by_its_root() -> None:
    several = 0
    for tree in (tree for theory in THEORIES for tree in trees(theory)[:20]):
        with make_solver("z3") as solver:
            found = slices_of(tree, solver, 10.0)
        if not isinstance(found, list):
            assert isinstance(found, Sat)
            continue
        several += len(found) > 1
        for slice_ in found:
            with make_solver("z3", time_limit=10.0) as solver:
                solver.add(*slice_.tree.formulas[:-1])
                assert isinstance(solver.check(), Sat)
                solver.add(slice_.tree.formulas[-1])
                assert isinstance(solver.check(), Unsat)
    assert several > 5


def variables(answer: Answer) -> set[str]:
    assert isinstance(answer, Refutation)
    return {v.name for assertion in answer.assertions for v in free_variables(assertion)}


def test_flags_are_good_and_counters_are_bad() -> None:
    """[RS] Fig. 1, as clauses: q(i, b) counts i up."""
    start = Clause(Q(X, Y), (), and_(eq(X, int_(0)), eq(Y, int_(0))))
    count = Clause(Q(add(X, int_(1)), Y), (Q(X, Y),), lt(X, int_(2)))
    leave = Clause(Q(X, Y), (Q(X, Y),), not_(eq(Y, int_(0))))
    query = Clause(None, (Q(X, Y),), eq(X, int_(1)))
    system = System((start, count, leave, query))
    types = domain_types(system)
    counter, flag = shared_parameters(Q)
    assert types[counter] is DomainType.COUNTER and types[flag] is DomainType.BOOLEAN
    tree = Tree(system, (Node(0, ()), Node(1, (0,)), Node(1, (1,)), Node(2, (2,)), Node(3, (3,))))
    assert variables(refute(refiner("sliced(newton(core=half, sp, lv), good)"), tree)) == {"q.1"}
    assert variables(refute(refiner("sliced(newton(core=half, sp, lv), bad)"), tree)) == {"q.0"}


def test_feasible_is_feasible() -> None:
    assert isinstance(refute(refiner("sliced(newton)"), path(lt(X, int_(0)), lt(X, int_(5)))), Feasible)


def test_lean_keeps_what_is_needed_of_each_child() -> None:
    """Of y nothing is needed, of x one half of the equation."""
    leaf = Clause(Q(X, Y), (), and_(eq(X, int_(1)), eq(Y, int_(2))))
    query = Clause(None, (Q(X, Y), Q(Z, Y)), lt(add(X, Z), int_(0)))
    tree = Tree(System((leaf, query)), (Node(0, ()), Node(0, ()), Node(1, (0, 1))))
    full, lean = (refute(refiner(expression), tree) for expression in ("newton(sp)", "lean(newton(sp))"))
    assert isinstance(full, Refutation) and variables(full) == {"q.0", "q.1"}
    assert isinstance(lean, Refutation) and variables(lean) == {"q.0"}
    assert lean.assertions[-1] is FALSE and eq(Q.parameters[0], int_(1)) not in lean.assertions
    assert law_violation(tree, lean, make_solver("cvc5")) == ""
