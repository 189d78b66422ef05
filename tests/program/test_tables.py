"""Tables as choices: which arrays are tables, and that runs stay what they are."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from craton.configuration.stages import Stage
from craton.frontends.programs import Request
from craton.logic import INT, Array, Term, add, const_array, eq, evaluate, int_, ite, le, not_, select, store, var
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.statements import Assign, Assume, Havoc, Statement
from craton.program.tables import tables_as_choices
from craton.program.variables import reads
from craton.verification import verify

INTS = Array(INT, INT)
A, B = var("A", INTS), var("B", INTS)
X, Y = var("x", INT), var("y", INT)
ZERO = const_array(INTS, int_(0))
FILLED = (Assign(A, ZERO), Assign(A, store(store(A, int_(1), int_(4)), int_(2), int_(7))))


def forked(begins: tuple[Statement, ...], behind: tuple[Statement, ...]) -> Program:
    """Statements, a branch on x, and on both ways the statements behind it."""
    rows = [*begins, Assume(le(X, int_(3))), *behind]
    edges = [Edge(Location(i), statement, Location(i + 1)) for i, statement in enumerate(rows)]
    other = [Location(len(begins)), *(Location(100 + i) for i in range(len(behind) + 1))]
    for number, statement in enumerate((Assume(not_(le(X, int_(3)))), *behind)):
        edges.append(Edge(other[number], statement, other[number + 1]))
    main = Procedure("main", (), (), Location(0), Location(len(rows)), tuple(edges), (X, Y))
    return Program("main", {"main": main}, (A, B), {})


def is_read(program: Program, array: Term) -> bool:
    return any(array in reads(e.statement) for e in program.main.edges if e.source.id >= len(FILLED))


def test_a_table_is_read_no_more() -> None:
    program = forked(FILLED, (Assign(Y, select(A, select(A, X))), Assume(eq(select(A, Y), int_(4)))))
    after = tables_as_choices(program)
    assert not is_read(after.program, A)
    new = after.program.main.outgoing(Location(100))[0]
    assert after.original_edges(new) == (program.main.outgoing(Location(100))[0],)


READ = Assign(Y, select(A, X))
STAYS: dict[str, tuple[tuple[Statement, ...], tuple[Statement, ...]]] = {
    "written later": (FILLED, (READ, Assign(A, store(A, X, Y)))),
    "forgotten later": (FILLED, (READ, Havoc((A,)))),
    "copied": (FILLED, (READ, Assign(B, A))),
    "compared as a whole": (FILLED, (READ, Assume(eq(A, B)))),
    "a choice": (FILLED, (READ, Assign(Y, select(ite(le(X, Y), A, B), X)))),
    "read too early": ((FILLED[0], READ, FILLED[1]), (READ,)),
    "of values that nobody knows": ((*FILLED, Assign(A, store(A, int_(1), X))), (READ,)),
    "begun with what nobody knows": (FILLED[1:], (READ,)),
    "forgotten at first": ((*FILLED, Havoc((A,))), (READ,)),
    "made from another one": ((*FILLED, Assign(B, ZERO), Assign(A, store(B, int_(1), int_(2)))), (READ,)),
}


@pytest.mark.parametrize(("begins", "behind"), STAYS.values(), ids=STAYS)
def test_what_is_used_otherwise_stays(begins: tuple[Statement, ...], behind: tuple[Statement, ...]) -> None:
    assert any(A in reads(edge.statement) for edge in tables_as_choices(forked(begins, behind)).program.main.edges[-3:])


def run(program: Program, x: int) -> dict[Term, Any] | None:
    """The values at the end; None if no edge can be taken."""
    values: dict[Term, Any] = {X: x, Y: 0, A: evaluate(ZERO, {}), B: evaluate(ZERO, {})}
    here = program.main.entry
    while outgoing := program.main.outgoing(here):
        for edge in outgoing:
            if not isinstance(edge.statement, Assume) or evaluate(edge.statement.condition, values):
                break
        else:
            return None
        if isinstance(edge.statement, Assign):
            values[edge.statement.variable] = evaluate(edge.statement.value, values)
        here = edge.target
    return values


def drawn(random: Random, *, begins: bool) -> Statement:
    def number(depth: int = 2) -> Term:
        table = select(random.choice((A, B)), number(depth - 1)) if depth else int_(random.randrange(5))
        return random.choice((X, Y, int_(random.randrange(5)), table, add(table, int_(1))))

    if begins and random.random() < 0.9:
        array = random.choice((A, B))
        base = random.choice((array, const_array(INTS, int_(random.randrange(3)))))
        return Assign(array, store(base, int_(random.randrange(4)), int_(random.randrange(5))))
    if random.random() < 0.1:
        return Assign(A, store(A, number(), number()))
    return Assign(random.choice((X, Y)), number()) if random.random() < 0.8 else Assume(le(number(), number()))


def test_runs_stay_what_they_are() -> None:
    replaced = 0
    for seed in range(150):
        random = Random(seed)
        begins = (Assign(A, ZERO), Assign(B, ZERO), *(drawn(random, begins=True) for _ in range(4)))
        program = forked(begins, tuple(drawn(random, begins=False) for _ in range(4)))
        after = tables_as_choices(program).program
        replaced += after is not program
        for x in range(-1, 6):
            assert run(after, x) == run(program, x), f"seed {seed}, x = {x}"
    assert replaced > 40


MACHINE = """extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
enum { IDLE, RUN, PAUSE };
static const unsigned char next[3][2] = { { RUN, IDLE }, { RUN, PAUSE }, { RUN, IDLE } };
int main(void) {
    unsigned state = IDLE, old = IDLE;
    for (;;) {
        unsigned event = __VERIFIER_nondet_uint();
        if (event > 1) continue;
        old = state;
        state = next[state][event];
        if (state == PAUSE && old != FROM) reach_error();
    }
}
"""


@pytest.mark.parametrize(("origin", "verdict"), [("RUN", "true"), ("IDLE", "false(unreach-call)")])
def test_a_state_machine(origin: str, verdict: str, tmp_path: Path) -> None:
    file = tmp_path / "machine.c"
    file.write_text(MACHINE.replace("FROM", origin))
    stage = Stage("explicit", "newton(core=conjunct, minimise=1, sp, lv)")
    assert str(verify(Request((str(file),)), [stage], 300.0, cpu=30.0).verdict) == verdict
