"""Sets of states are checked by evaluation: each edge applied to each state must stay in the set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.errors import CratonError
from craton.evidence.certificates.checking import Accepted, Programs, Refused, check_certificate
from craton.evidence.certificates.format import Certificate, Declared, LocationStates, StateSet
from craton.evidence.certificates.reading import from_data
from craton.evidence.certificates.task import described
from craton.evidence.certificates.writing import as_data
from craton.evidence.checker import Confirmed, Flaw, find_flaw
from craton.evidence.states import Row, States, check_states
from craton.frontends.programs import Request
from craton.logic import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    Array,
    BitVec,
    Function,
    Term,
    and_,
    apply,
    bv,
    bvadd,
    bvurem,
    div,
    eq,
    exists,
    int_,
    ite,
    not_,
    ops,
    or_,
    select,
    store,
    substitute,
    var,
)
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.statements import Assign, Assume, Havoc, Statement
from craton.program.transitions import transition
from craton.verdicts.provenance import Provenance
from support import examples

MACHINE = """
int input();
void reach_error();
int main() {
  unsigned char state = 0, calls = 0;
  while (1) {
    int command = input();
    if (state == 0 && command == 1) { state = 1; calls = 1; }
    else if (state == 1 && command == 2) { state = 2; calls = 2; }
    else if (state == 2) { state = 0; calls = 0; }
    if (calls != state) reach_error();
  }
}
"""


def explored(request: Request) -> Certificate:
    """All states of the variables that are bytes, by constant folding along single statements. Others hold anything."""
    program = Programs(request).in_blocks(1)
    written = {x for edge in program.main.edges for x in transition(edge.statement).written}
    bytes_ = tuple(sorted((x for x in written if x.sort is BitVec(8)), key=lambda x: x.name))
    found: dict[Location, dict[Row, None]] = {program.main.entry: {(None,) * len(bytes_): None}}
    waiting: list[tuple[Location, Row]] = [(program.main.entry, (None,) * len(bytes_))]
    while waiting:
        here, row = waiting.pop()
        for edge in program.main.outgoing(here):
            step = transition(edge.statement)
            now = {x: bv(value, 8) for x, value in zip(bytes_, row, strict=True) if value is not None}
            values = [substitute(step.updates.get(x, x), now) for x in bytes_]
            after = tuple(value.payload if value.op is ops.VALUE else None for value in values)
            if substitute(step.guard, now) is not FALSE and after not in found.setdefault(edge.target, {}):
                found[edge.target][after] = None
                waiting.append((edge.target, after))
    symbols = tuple(Declared(f"|{x.name}|", x.name, (), str(x.sort)) for x in bytes_)
    sets = tuple(LocationStates(location.id, tuple(rows)) for location, rows in found.items())
    proof = StateSet(1, tuple(symbol.symbol for symbol in symbols), sets)
    return Certificate("", described(request), Provenance("explicit"), symbols, (), proof)


@pytest.fixture
def machine(tmp_path: Path) -> Request:
    (tmp_path / "machine.c").write_text(MACHINE)
    return Request((str(tmp_path / "machine.c"),))


def test_the_states_of_a_machine_are_a_proof(machine: Request) -> None:
    made = explored(machine)
    assert from_data(as_data(made)) == made
    found = check_certificate(made, machine)
    assert isinstance(found, Accepted), found
    assert found.solvers == ()
    assert found.conditions > 20


def test_every_state_is_needed(machine: Request) -> None:
    data = as_data(explored(machine))
    for states in data["proof"]["states"]:
        for row in list(states["rows"]):
            kept = list(states["rows"])
            states["rows"].remove(row)
            found = check_certificate(from_data(data), machine)
            assert isinstance(found, Refused), (states["location"], row)
            states["rows"] = kept


def test_a_machine_that_fails_has_no_such_proof(machine: Request) -> None:
    Path(machine.files[0]).write_text(MACHINE.replace("calls = 2", "calls = 3"))
    found = check_certificate(explored(machine), machine)
    assert isinstance(found, Refused)
    assert found.decided
    assert found.problem.startswith("not safe: there are states at the error location")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda proof: proof.update(variables=["|main::state|"]), "a state has 2 values"),
        (lambda proof: proof["variables"].append("x"), "the variable 'x' of the states is not declared"),
        (lambda proof: proof["variables"].append(proof["variables"][0]), "is there 2 times"),
        (lambda proof: proof["states"].append(proof["states"][0]), "has 2 sets of states"),
        (lambda proof: proof["states"][0].update(rows=[[0, 256]]), "no value of sort (_ BitVec 8)"),
        (lambda proof: proof["states"][0].update(rows=[[0, True]]), "no value of sort (_ BitVec 8)"),
        (lambda proof: proof["states"][0].update(rows=[0]), "an entry of 'rows' is not a list"),
        (lambda proof: proof["states"][0].update(note=""), "a field 'note', which is not known"),
        (lambda proof: proof.update(assumes=[]), "a field 'assumes', which is not known"),
    ],
)
def test_what_is_no_set_of_states(change: Any, message: str, machine: Request) -> None:
    data = as_data(explored(machine))
    change(data["proof"])
    with pytest.raises(CratonError) as caught:
        from_data(data)
    assert message in str(caught.value)


def test_there_are_no_conditions_to_write(machine: Request, tmp_path: Path) -> None:
    with pytest.raises(CratonError, match="checked by evaluation"):
        check_certificate(explored(machine), machine, conditions=tmp_path / "conditions")


# --- by hand ----------------------------------------------------------------------------------------------------------

X, Y = (var(name, BitVec(2)) for name in "xy")
ENTRY, HEAD, DONE, ERROR = map(Location, range(4))


def program(*edges: tuple[Location, Statement, Location]) -> Program:
    made = tuple(Edge(*edge) for edge in edges)
    return Program("main", {"main": Procedure("main", (), (), ENTRY, DONE, made)}, (X, Y), {ERROR: UNREACH})


def two(number: int) -> Term:
    return bv(number, 2)


Rows = Mapping[Location, Sequence[Row]]


def checked(made: Program, rows: Rows, variables: tuple[Term, ...] = (X,)) -> Flaw | Confirmed:
    return check_states(States(made, variables, {ENTRY: [(None,) * len(variables)], **rows}))


def test_what_cannot_be_evaluated_counts_as_possible() -> None:
    f = Function("f", (BitVec(2),), BOOL)
    a, n = var("a", Array(INT, INT)), var("n", INT)
    for condition in (
        eq(X, Y),
        apply(f, X),
        eq(div(int_(1), int_(0)), n),
        exists((X,), eq(X, two(3))),
        eq(select(a, n), int_(0)),
        or_(eq(X, two(3)), eq(Y, two(1))),
    ):
        made = program((ENTRY, Assign(X, two(0)), HEAD), (HEAD, Assume(condition), ERROR))
        found = checked(made, {HEAD: [(0,)]})
        assert isinstance(found, Flaw), condition
        assert not found.decided
        assert found.problem == "not shown to be safe: L1 → L3, from state 0"
    for condition in (eq(X, two(1)), and_(eq(X, two(1)), eq(Y, two(1))), and_(apply(f, Y), not_(eq(X, two(0))))):
        made = program((ENTRY, Assign(X, two(0)), HEAD), (HEAD, Assume(condition), ERROR))
        assert isinstance(checked(made, {HEAD: [(0,)]}), Confirmed), condition


def test_a_value_that_is_chosen_may_be_any() -> None:
    made = program((ENTRY, Havoc((X,)), HEAD), (HEAD, Assume(eq(X, two(3))), ERROR))
    for rows in ([(0,)], [(0,), (1,), (2,), (3,)], [(None,)], []):
        assert isinstance(checked(made, {HEAD: rows}), Flaw)
    fine = program((ENTRY, Havoc((X,)), HEAD), (HEAD, Assign(X, two(1)), DONE), (DONE, Assume(eq(X, two(3))), ERROR))
    assert isinstance(checked(fine, {HEAD: [(None,)], DONE: [(1,)]}), Confirmed)


def test_flaws_are_told() -> None:
    made = program((ENTRY, Assign(X, two(0)), HEAD), (HEAD, Assign(X, bvadd(X, two(1))), DONE))
    start = "does not hold at the start: not all states are in the set of the entry L0"
    cases: list[tuple[dict[Location, list[Row]], str]] = [
        ({ENTRY: []}, start),
        ({ENTRY: [(0,), (1,), (2,), (3,)]}, start),
        ({ERROR: [(0,)]}, "not safe: there are states at the error location L3"),
        ({HEAD: [(1,)]}, "not closed: L0 → L1, from state 0"),
        ({HEAD: [(1,), (0,)], DONE: [(2,)]}, "not closed: L1 → L2, from state 1"),
    ]
    for rows, problem in cases:
        found = checked(made, rows)
        assert isinstance(found, Flaw)
        assert (found.problem, found.decided) == (problem, True)
    late = check_states(States(made, (X,), {ENTRY: [(None,)]}), 0.0)
    assert isinstance(late, Flaw)
    assert not late.decided


def test_arrays_are_values_too() -> None:
    a = var("a", Array(BitVec(2), BitVec(2)))
    made = program((ENTRY, Assign(X, two(0)), HEAD), (HEAD, Assign(a, store(a, X, two(1))), DONE))
    assert isinstance(checked(made, {HEAD: [(None, 0)], DONE: [(None, 0)]}, (a, X)), Confirmed)


# --- any program ------------------------------------------------------------------------------------------------------

_TERMS = st.recursive(
    st.sampled_from([X, Y, *map(two, range(4))]),
    lambda inner: st.builds(bvadd, inner, inner) | st.builds(bvurem, inner, inner)
    | st.builds(lambda a, b, c, d: ite(eq(a, b), c, d), inner, inner, inner, inner),
    max_leaves=4,
)  # fmt: skip
_STATEMENTS = (
    st.builds(lambda a, b: Assume(eq(a, b)), _TERMS, _TERMS)
    | st.builds(lambda a, b: Assume(not_(eq(a, b))), _TERMS, _TERMS)
    | st.builds(Assign, st.sampled_from([X, Y]), _TERMS)
    | st.builds(lambda x: Havoc((x,)), st.sampled_from([X, Y]))
)
_EDGES = st.tuples(st.sampled_from([ENTRY, HEAD, DONE]), _STATEMENTS, st.sampled_from([HEAD, DONE, ERROR]))
_VALUE = st.none() | st.integers(0, 3)


@given(st.lists(_EDGES, max_size=6), st.data())
@examples(200)
def test_what_is_confirmed_is_an_inductive_invariant(edges: list[Any], data: st.DataObject) -> None:
    """As a formula, before a solver: whatever the rows are, if evaluation confirms them they are a proof."""
    made = program(*edges)
    rows = {
        location: data.draw(st.lists(st.tuples(_VALUE, _VALUE), max_size=8), label=f"{location}")
        for location in (HEAD, DONE)
    }
    found = checked(made, rows, (X, Y))
    invariants = {location: or_(*(_described(row) for row in there)) for location, there in rows.items()}
    flaw = find_flaw(made, {ENTRY: TRUE, **invariants}, ("bitwuzla",))
    if isinstance(found, Confirmed):
        assert flaw is None
    elif found.decided:
        assert flaw is not None


def _described(row: Row) -> Term:
    return and_(*(eq(x, two(v)) for x, v in zip((X, Y), row, strict=True) if v is not None)) if row else FALSE
