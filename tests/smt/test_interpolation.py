"""Every source of interpolants on every sequence of the catalogue: answers obey the law, as another solver sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from craton.errors import MissingCapability, UnknownSolver
from craton.logic import FALSE, TRUE, Term, and_, free_variables, functions, not_
from craton.smt.contract import Solver, Undecided
from craton.smt.interpolation import (
    Interpolants,
    Satisfiable,
    binary_interpolant,
    by_binary,
    foreign_symbols,
    law_violation,
    sequence_interpolants,
    shared_symbols,
)
from craton.smt.registry import LIBRARIES, make_solver
from craton.smt.registry import SOURCES as OWN
from support.catalogue import SATISFIABLE, UNSATISFIABLE, Sequence
from support.declarations import read
from support.patience import Group, record
from support.sampling import sample

TIME_LIMIT = 1.0
SOURCES = (*LIBRARIES, *OWN)
THEORIES = tuple(dict.fromkeys(p.theory for p in UNSATISFIABLE))

# How many of the catalogue each source answered when this was measured, less some slack for slow machines: fewer means
# that something has silently got worse.
FLOORS = {
    ("z3", "Int"): 21,
    ("z3", "Real"): 6,
    ("z3", "BitVec"): 21,
    ("z3", "Float"): 5,
    ("z3", "Array"): 7,
    ("z3", "Bool"): 5,
    ("z3", "Mixed"): 5,
    ("bitwuzla", "BitVec"): 22,
    ("bitwuzla", "Array"): 1,
    ("bitwuzla", "UF"): 2,
    ("bitwuzla", "Bool"): 5,
    ("cvc5", "Int"): 20,
    ("cvc5", "Real"): 5,
    ("cvc5", "BitVec"): 19,
    ("cvc5", "Float"): 4,
    ("cvc5", "Array"): 10,
    ("cvc5", "UF"): 5,
    ("cvc5", "Bool"): 3,
    ("cvc5", "Mixed"): 4,
    ("farkas", "Int"): 20,
    ("farkas", "Real"): 5,
    ("farkas", "Bool"): 5,
    ("farkas", "Mixed"): 2,
}

_answers: dict[tuple[str, Sequence], Interpolants | MissingCapability] = {}


def answer(source: str, problem: Sequence) -> Interpolants | MissingCapability:
    """What the source says, asked once."""
    key = source, problem
    if key not in _answers:
        try:
            _answers[key] = sequence_interpolants(problem.formulas, source, TIME_LIMIT)
        except MissingCapability as refusal:
            _answers[key] = refusal
        record(Group.INTERPOLANTS, f"{source} on {problem}", _answers[key])
    return _answers[key]


def checkers(source: str, formulas: tuple[Term, ...]) -> Iterator[Solver]:
    """The other solvers that understand the formulas."""
    for name in ("z3", "cvc5", "bitwuzla"):
        if name != source:
            solver = make_solver(name, time_limit=10.0)
            try:
                with solver.scope():
                    solver.add(*formulas)
            except MissingCapability:
                continue
            yield solver


def violation(source: str, formulas: tuple[Term, ...], sequence: tuple[Term, ...]) -> str:
    """By the first other solver that can tell."""
    found = "no other solver understands the formulas"
    for checker in checkers(source, formulas):
        found = law_violation(formulas, sequence, checker)
        if "is undecided" not in found:
            break
    return found


# One test a theory and source, so that a worker asks each question once and the floor is counted in one place.
@pytest.mark.parametrize("theory", THEORIES)
@pytest.mark.parametrize("source", SOURCES)
def test_interpolants_obey_the_law(source: str, theory: str) -> None:
    problems = [p for p in UNSATISFIABLE if p.theory == theory]
    outcome: Counter[str] = Counter()
    wrong = []
    for problem in problems:
        found = answer(source, problem)
        if isinstance(found, tuple):
            outcome["answered"] += 1
            trouble = violation(source, problem.formulas, found)
            if trouble:
                wrong.append(f"{problem}: {trouble}")
        elif isinstance(found, Satisfiable):
            wrong.append(f"{problem}: said to be satisfiable")
        else:
            outcome["undecided" if isinstance(found, Undecided) else "outside"] += 1
    print(
        f"\n{source:9} {theory:7} answered {outcome['answered']:2} of {len(problems):2},"
        f" undecided {outcome['undecided']:2}, outside its fragment {outcome['outside']:2}"
    )
    assert not wrong, "\n".join(wrong)
    floor = FLOORS.get((source, theory), 0)
    late = sum(with_patience(source, problem) for problem in problems) if outcome["answered"] < floor else 0
    assert outcome["answered"] + late >= floor, f"{source} used to answer at least {floor} of the {theory} sequences"


def with_patience(source: str, problem: Sequence) -> bool:
    """Was it only the machine that was busy?"""
    if not isinstance(answer(source, problem), Undecided):
        return False
    return isinstance(sequence_interpolants(problem.formulas, source, 10 * TIME_LIMIT), tuple)


BINARY = sample([p for p in UNSATISFIABLE if len(p.formulas) == 3], 3, "binary interpolants")


@pytest.mark.parametrize("problem", BINARY, ids=str)
@pytest.mark.parametrize("source", SOURCES)
def test_binary_interpolants(source: str, problem: Sequence) -> None:
    first, *rest = problem.formulas
    b = and_(*rest)
    try:
        found = binary_interpolant(first, b, source, TIME_LIMIT)
    except MissingCapability as refusal:
        pytest.skip(str(refusal))
    record(Group.INTERPOLANTS, f"{source} on {problem} in two", found)
    if isinstance(found, Undecided):
        pytest.skip(found.reason)
    assert isinstance(found, Term)
    assert free_variables(found) <= free_variables(first) & free_variables(b)
    assert set(functions(found)) <= set(functions(first)) & set(functions(b))
    assert not violation(source, (first, b), (TRUE, found, FALSE))


@pytest.mark.parametrize("problem", SATISFIABLE, ids=str)
@pytest.mark.parametrize("source", SOURCES)
def test_nothing_to_interpolate(source: str, problem: Sequence) -> None:
    try:
        found = sequence_interpolants(problem.formulas, source, TIME_LIMIT)
    except MissingCapability as refusal:
        pytest.skip(str(refusal))
    record(Group.INTERPOLANTS, f"{source} on {problem}", found)
    assert isinstance(found, Satisfiable | Undecided), f"interpolants of a satisfiable sequence: {found}"


@pytest.mark.parametrize("source", SOURCES)
def test_no_formulas_are_satisfiable(source: str) -> None:
    assert isinstance(sequence_interpolants((), source), Satisfiable)


@pytest.mark.parametrize("source", LIBRARIES)
def test_a_contradictory_part_between_strangers(source: str) -> None:
    """z3's Horn engine forgot the clause of the middle formula, and answered `true` after it."""
    formulas = read("x y z: B8", "(= x #x01)\n(and (bvult y #x03) (bvugt y #x05))\n(= z #x01)")
    found = sequence_interpolants(formulas, source, 20.0)
    assert found == (TRUE, TRUE, FALSE, FALSE)


@pytest.mark.parametrize("source", SOURCES)
def test_a_time_limit_ends_the_search(source: str) -> None:
    """cvc5's synthesis looks at no clock; parity has no interpolant in its grammar."""
    formulas = read("x y z: Int", "(= y (* 2 x))\n(= y (+ (* 2 z) 1))")
    try:
        found = sequence_interpolants(formulas, source, 0.2)
    except MissingCapability as refusal:
        pytest.skip(str(refusal))
    assert isinstance(found, tuple | Undecided)


def test_bitwuzla_survives_floats() -> None:
    """Its interpolation procedure ends the whole process on float arithmetic, so it is not asked."""
    formulas = read("x y: F32", "(= x (f32 1.0))\n(= y (fp.add RNE x x))\n(fp.lt y x)")
    assert isinstance(sequence_interpolants(formulas, "bitwuzla", TIME_LIMIT), Undecided)


def test_cvc5_mixes_numbers() -> None:
    """cvc5 answers with Int coefficients of Real variables, and with whole Reals."""
    formulas = read("x y z: Real", "(<= (+ x y) 1.0)\n(<= (- x y) 1.0)\n(= z (* 2.0 x))\n(> z 2.0)")
    found = sequence_interpolants(formulas, "cvc5", 20.0)
    assert isinstance(found, tuple)
    assert not violation("cvc5", formulas, found)


def test_foreign_symbols_are_found() -> None:
    a, b = read("x y z: Int", "(and (= x 1) (= y x))\n(and (= z y) (= z 2))")
    (local,) = read("x: Int", "(= x 1)")
    assert shared_symbols((a, b))[1] == free_variables(a) & free_variables(b)
    assert foreign_symbols((a, b), (TRUE, local, FALSE)) == "x at cut 1"


def test_a_broken_law_is_found() -> None:
    problem = read("x: Int", "(= x 1)\n(= x 2)")
    (too_strong, too_weak) = read("x: Int", "(= x 3)\n(> x 0)")
    solver = make_solver("z3")
    assert law_violation(problem, (TRUE, too_strong, FALSE), solver).startswith("step 1 fails")
    assert law_violation(problem, (TRUE, too_weak, FALSE), solver).startswith("step 2 fails")
    assert "from true to false" in law_violation(problem, (TRUE, TRUE, TRUE), solver)
    assert "from true to false" in law_violation(problem, (TRUE, FALSE), solver)


def test_sequences_by_binary_interpolants() -> None:
    """The strongest interpolant, and the weakest one, cut by cut."""
    formulas = read("x: Int", "(= x 1)\n(> x 0)\n(= x 2)")
    for binary in (lambda a, b, limit: a, lambda a, b, limit: not_(b)):
        found = by_binary(binary)(formulas, None)
        assert isinstance(found, tuple)
        assert not law_violation(formulas, (TRUE, *found, FALSE), make_solver("cvc5"))


def test_an_undecided_cut_is_undecided() -> None:
    formulas = read("x: Int", "(= x 1)\n(= x 2)")
    assert by_binary(lambda a, b, limit: Undecided("tired"))(formulas, 1.0) == Undecided("tired")


def test_unknown_sources() -> None:
    formulas = read("x: Int", "(= x 1)\n(= x 2)")
    with pytest.raises(UnknownSolver, match="did you mean z3"):
        sequence_interpolants(formulas, "z33")


def test_the_catalogue_is_large_enough() -> None:
    """That every solver finds its sequences unsatisfiable is asked in the conformance suite."""
    assert len(UNSATISFIABLE) >= 60
    assert len({str(p) for p in UNSATISFIABLE}) == len(UNSATISFIABLE)
