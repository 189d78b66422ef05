"""Elements of arrays as variables: which arrays are replaced, that runs stay what they are, and the way back."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from craton.frontends.c import COptions, load_c
from craton.logic import (
    INT,
    TRUE,
    Array,
    Term,
    add,
    const_array,
    eq,
    evaluate,
    forall,
    int_,
    ite,
    le,
    select,
    store,
    var,
)
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.elements import elements_as_variables, in_arrays, with_arrays
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.program.preparation import prepare
from craton.program.statements import Assign, Assume, Havoc, Statement

INTS = Array(INT, INT)
A, B, N = var("A", INTS), var("B", INTS), var("N", Array(INT, INTS))
X, Y = var("x", INT), var("y", INT)


def straight(*statements: Statement) -> Program:
    edges = tuple(Edge(Location(i), statement, Location(i + 1)) for i, statement in enumerate(statements))
    main = Procedure("main", (), (), Location(0), Location(len(edges)), edges, (X, Y))
    return Program("main", {"main": main}, (A, B, N), {})


def at(array: Term, index: int) -> Term:
    return select(array, int_(index))


STAYS = {
    "read at a variable index": (Assign(X, at(A, 1)), Assign(Y, select(A, X))),
    "written at a variable index": (Assign(X, at(A, 1)), Assign(A, store(A, X, Y))),
    "compared as a whole": (Assign(X, at(A, 1)), Assume(eq(A, const_array(INTS, X)))),
    "copied": (Assign(B, A), Assign(X, at(A, 1))),
    "a choice": (Assign(X, select(ite(le(X, Y), A, store(A, X, Y)), int_(1))),),
    "of all elements": (Assign(X, at(A, 1)), Assume(forall([Y], le(at(A, 1), Y)))),
    "an element that is an array": (Assign(N, store(N, int_(1), A)), Assign(X, at(A, 1))),
}


@pytest.mark.parametrize("statements", STAYS.values(), ids=STAYS)
def test_what_is_used_otherwise_stays_an_array(statements: tuple[Statement, ...]) -> None:
    after = elements_as_variables(straight(*statements)).program
    assert A in after.globals and not any(place.args[0] is A for place in after.elements.values())


def test_parameters_and_names_that_exist_stay() -> None:
    program = straight(Assign(X, at(A, 1)))
    taken = replace(program, globals=(A, var("A[1]", INT)))
    assert elements_as_variables(taken).program is taken
    returned = replace(program, procedures={"main": replace(program.main, returns=(A,))})
    assert elements_as_variables(returned).program is returned


def run(program: Program, begin: dict[Term, Any], chosen: int) -> dict[Term, Any]:
    """The values behind a straight program; what is forgotten becomes one value everywhere."""
    values, here = dict(begin), program.main.entry
    while outgoing := program.main.outgoing(here):
        (edge,) = outgoing
        match edge.statement:
            case Assign(variable, value):
                values[variable] = evaluate(value, values)
            case Havoc(variables):
                values |= {v: evaluate(_everywhere(v, chosen), {}) for v in variables}
            case other:
                assert other == Assume(TRUE)
        here = edge.target
    return values


def _everywhere(variable: Term, value: int) -> Term:
    return const_array(INTS, int_(value)) if variable.sort is INTS else int_(value)


def drawn(rng: random.Random) -> Statement:
    def number() -> Term:
        return rng.choice((X, Y, int_(rng.randrange(9)), at(A, rng.randrange(4)), at(B, rng.randrange(4))))

    array = rng.choice((A, B))
    kind = rng.randrange(8)
    if kind == 0:
        return Havoc((array, Y))
    if kind < 4:
        return Assign(rng.choice((X, Y)), add(number(), number()))
    value = const_array(INTS, number()) if kind == 4 else array
    for _ in range(rng.randrange(1, 4)):
        value = store(value, int_(rng.randrange(5)), number())
    return Assign(array, value)


@pytest.mark.parametrize("seed", range(40))
def test_runs_stay_what_they_are(seed: int) -> None:
    """Written at once, read by each other, set everywhere, forgotten."""
    rng = random.Random(seed)
    before = straight(*(drawn(rng) for _ in range(12)), Assign(X, add(at(A, 0), at(B, 1))))
    back = elements_as_variables(before)
    after = back.program
    assert not {A, B} & {*after.globals, *after.main.locals}
    begin = {variable: rng.randrange(9) for variable in (*after.globals, *after.main.locals) if variable.sort is INT}
    ends = [run(before, in_arrays(begin, after.elements), 3), run(after, begin, 3)]
    for variable in (X, Y):
        assert ends[0][variable] == ends[1][variable]
    for element, place in after.elements.items():
        assert evaluate(place, ends[0]) == ends[1][element]
    path = [old for edge in after.main.edges for old in back.original_edges(edge)]
    assert path == list(before.main.edges)


def test_elements_of_elements() -> None:
    """One round for each index; what is said of the last variable is said of the first array."""
    program = straight(Assign(N, store(N, int_(1), store(at(N, 1), int_(2), X))), Assign(Y, at(at(N, 1), 2)))
    once = elements_as_variables(program).program
    twice = elements_as_variables(once).program
    assert [v.sort for v in twice.globals if v.name.startswith("N")] == [INT]
    (element,) = (v for v in twice.globals if v.name.startswith("N"))
    assert with_arrays(le(element, X), twice) is le(at(at(N, 1), 2), X)
    assert evaluate(at(at(N, 1), 2), in_arrays({element: 7}, twice.elements)) == 7


LINKED = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void); extern void *malloc(unsigned long);
struct inner { int flag; int count; };
struct outer { int state; struct inner *in; };
static void step(struct outer *s) { if (s->state == 3) { s->in->count++; s->state = 4; } else s->state = 3; }
int main(void) {
    struct outer *s = malloc(sizeof *s);
    s->in = malloc(sizeof *s->in);
    s->state = __VERIFIER_nondet_int();
    s->in->count = 0;
    step(s); step(s); step(s);
    if (s->in->count == 2) reach_error();
    return 0;
}
"""


@pytest.mark.parametrize("state", [0, 3])
def test_members_behind_pointers_held_in_memory(state: int, tmp_path: Path) -> None:
    path = tmp_path / "linked.c"
    path.write_text(LINKED)
    prepared = prepare(load_c([path], options=COptions("LP64")))
    small = prepared.small.program
    assert not any(isinstance(v.sort, Array) for v in (*small.globals, *small.main.locals) if _is_used(v, small))
    outcomes = [Interpreter(one).run([state]).outcome for one in (prepared.whole, small)]
    assert [isinstance(outcome, ReachedError) for outcome in outcomes] == [state == 3] * 2


def _is_used(variable: Term, program: Program) -> bool:
    return any(variable.name in str(edge.statement) for edge in program.edges())
