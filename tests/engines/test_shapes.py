"""Shapes: facts of all nodes of lists that have any length. What is proved is a proof, and nothing wrong is proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.engines.contract import Budget, EngineAnswer, Safe, Unknown
from craton.engines.shapes import Shapes
from craton.engines.shapes.facts import Effort, Facts
from craton.engines.shapes.nodes import Sized, Stacked, nodes
from craton.engines.shapes.states import MOST_STATES, Observed
from craton.evidence.checker import Confirmed, check_annotation
from craton.evidence.conditions import Annotation
from craton.frontends.programs import Request, load_program
from craton.logic import BOOL, BitVec, Model, bv, eq, evaluate, not_, ops, var
from craton.logic.sorts import Array
from craton.program.cfa import Program
from craton.program.execution.codegen import Cells
from craton.program.transitions import transition
from support.certificates import in_blocks

HEAD = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_error(void);
struct node { struct node *next, *prev; int data; };
"""
APPENDED = """
    struct node *head = malloc(sizeof *head), *x = head;
    head->next = 0; head->data = 7;
    while (__VERIFIER_nondet_int()) { x->next = malloc(sizeof *x); x = x->next; x->next = 0; x->data = 7; }
"""
PREPENDED = """
    struct node *x = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n); n->next = x; n->prev = 0; if (x) x->prev = n; x = n;
    }
"""
FLAGGED = """
    int flag = __VERIFIER_nondet_int();
    struct node *head = malloc(sizeof *head), *x = head;
    while (__VERIFIER_nondet_int()) {
        x->data = flag ? 1 : 2;
        x->next = malloc(sizeof *x); x = x->next;
    }
    x->data = 3;
"""
SHARED = """
    int *shared = malloc(sizeof *shared); *shared = 0;
    struct item { int *data; struct item *next; } *x = 0;
    while (__VERIFIER_nondet_int()) { struct item *n = malloc(sizeof *n); n->next = x; n->data = shared; x = n; }
"""
POSITIVE = """
    struct node *list = 0, *x;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n); int v = __VERIFIER_nondet_int();
        n->next = list; n->data = v > 0 ? v : 1; list = n;
    }
    for (x = list; x; x = x->next) x->data = x->data > 0 ? 5 : 0;
"""
QUEUE = """
    struct { struct node *head, *tail; int length; } q = {0, 0, 0};
    int i, n = __VERIFIER_nondet_int();
    for (i = 0; i < n; i++) {
        struct node *x = malloc(sizeof *x); x->next = 0;
        if (q.tail) q.tail->next = x; else q.head = x;
        q.tail = x; q.length++;
    }
"""
TAKEN = "while (q.head) { struct node *x = q.head; q.head = x->next; free(x); q.length--; }"
SAFE = {
    "as many nodes as were wanted": """
    int i, count = 0, n = __VERIFIER_nondet_int();
    struct node *list = 0, *x;
    for (i = 0; i < n; i++) { x = malloc(sizeof *x); x->next = list; list = x; }
    for (x = list; x; x = x->next) count++;
    if (n >= 0 && count != n) __VERIFIER_error();
    """,
    "a queue that counts its nodes": QUEUE + TAKEN + "if (q.length != 0) __VERIFIER_error();",
    "what is done depends on what nodes hold": POSITIVE
    + "for (x = list; x; x = x->next) if (x->data != 5) __VERIFIER_error();",
    "marked": APPENDED + "for (x = head; x; x = x->next) if (x->data != 7) __VERIFIER_error();",
    "an input says which mark": FLAGGED
    + "for (x = head; x->data != 3; x = x->next) if (x->data != (flag ? 1 : 2)) __VERIFIER_error();",
    "a block that all share": SHARED + "*shared = 9; for (; x; x = x->next) if (*x->data != 9) __VERIFIER_error();",
    "there and back": PREPENDED + "for (; x; x = x->next) if (x->next && x->next->prev != x) __VERIFIER_error();",
}
TURNS = """
    struct node *head = malloc(sizeof *head), *x = head; int red = 1;
    while (__VERIFIER_nondet_int()) {
        x->data = red ? 1 : 2; red = !red;
        x->next = malloc(sizeof *x); x = x->next;
    }
    x->data = 3; red = 1;
"""
UNSAFE = {
    "a queue that does not count its first node": QUEUE.replace("q.length++", "q.length += i > 0")
    + TAKEN
    + "if (q.length != 0) __VERIFIER_error();",
    "what is done depends on what nodes hold, some of which hold zero": POSITIVE.replace("v > 0", "v >= 0")
    + "for (x = list; x; x = x->next) if (x->data != 5) __VERIFIER_error();",
    "marks that take turns, looked at in the wrong order": TURNS
    + "for (x = head; x->data != 3; x = x->next) if (x->data == (red ? 2 : 1)) __VERIFIER_error();",
    "the last has another mark": APPENDED
    + "x->data = 8; for (x = head; x; x = x->next) if (x->data != 7) __VERIFIER_error();",
    "an alias changes a mark": APPENDED
    + "struct node *y = head; y->data = 8; for (x = head; x; x = x->next) if (x->data != 7) __VERIFIER_error();",
    "one does not point back": PREPENDED
    + "if (x && x->next) x->next->prev = 0; for (; x; x = x->next) if (x->next && x->next->prev != x)"
    " __VERIFIER_error();",
    "an input says which mark, and is forgotten": FLAGGED
    + "flag = 1; for (x = head; x->data != 3; x = x->next) if (x->data != (flag ? 1 : 2)) __VERIFIER_error();",
    "not all share a block": SHARED + "if (x && x->next) x->next->data = malloc(sizeof(int)); *shared = 9;"
    " for (; x; x = x->next) if (*x->data != 9) __VERIFIER_error();",
    "only the thousandth is wrong": APPENDED
    + "int n = 0; for (x = head; x; x = x->next) if (++n == 1000) __VERIFIER_error();",
}


STACKED = """
    struct node *x = 0;
    while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->next = x; x = n; }
"""
LOST = {
    "the first is forgotten": STACKED + "if (x) x = x->next; while (x) { struct node *n = x->next; free(x); x = n; }",
    "the thousandth is not freed": STACKED
    + "int i = 0; while (x) { struct node *n = x->next; if (++i != 1000) free(x); x = n; }",
}


def _program(folder: Path, body: str, property_name: str | None = None, model: str = "ILP32") -> Program:
    (folder / "p.c").write_text(f"{HEAD}int main(void) {{ {body} return 0; }}")
    return in_blocks(load_program(Request((str(folder / "p.c"),), property_name, model)), None)


def _answer(program: Program) -> EngineAnswer:
    return Shapes(solver="bitwuzla").run(program, Budget(60))


@pytest.mark.parametrize("name", SAFE)
def test_what_is_true_of_all_nodes_is_proved_and_the_proof_is_one(name: str, tmp_path: Path) -> None:
    program = _program(tmp_path, SAFE[name])
    answer = _answer(program)
    assert isinstance(answer, Safe)
    assert isinstance(check_annotation(Annotation(program, answer.invariants), ("z3",)), Confirmed)


def test_a_list_of_any_length_that_is_freed_leaves_nothing_behind(tmp_path: Path) -> None:
    body = STACKED + "while (x) { struct node *n = x->next; free(x); x = n; }"
    program = _program(tmp_path, body, "memsafety")
    answer = _answer(program)
    assert isinstance(answer, Safe)
    assert isinstance(check_annotation(Annotation(program, answer.invariants), ("z3",)), Confirmed)


@pytest.mark.parametrize("name", LOST)
def test_what_is_lost_is_not_proved_to_be_freed(name: str, tmp_path: Path) -> None:
    assert isinstance(_answer(_program(tmp_path, LOST[name], "memsafety")), Unknown)


@pytest.mark.parametrize("name", UNSAFE)
def test_what_is_not_true_of_all_nodes_is_not_proved(name: str, tmp_path: Path) -> None:
    assert isinstance(_answer(_program(tmp_path, UNSAFE[name])), Unknown)


def test_nodes_are_told_by_their_place_or_by_their_size(tmp_path: Path) -> None:
    kinds = []
    for property_name in (None, "memsafety"):
        program = _program(tmp_path, SAFE["marked"], property_name)
        found = nodes([transition(edge.statement) for edge in program.main.edges])
        assert found is not None
        assert {field.offset for field in found.fields} == {0, 8}
        assert {field.offset for field in found.fields if field.points} == {0}
        kinds.append(type(found.kinds[0]))
    assert kinds == [Stacked, Sized]


def test_a_text_as_long_as_a_node_is_none(tmp_path: Path) -> None:
    """Sizes tell nodes from other blocks, but not from objects of the text that happen to be as large."""
    read = 'static const char text[] = "%s"; if (text[__VERIFIER_nondet_int() & 7] == 9) __VERIFIER_error();'
    for length, are_told_apart in ((11, True), (10, False)):
        body = STACKED + read % ("x" * length) + "for (; x; x = x->next) if (x->next == x) __VERIFIER_error();"
        program = _program(tmp_path, body, "memsafety")
        steps = [transition(edge.statement) for edge in program.main.edges]
        found, apart = nodes(steps), nodes(steps, without_texts=True)
        assert found is not None and apart is not None
        (kind,), (other,) = found.kinds, apart.kinds
        assert isinstance(kind, Sized) and isinstance(other, Sized)
        assert kind.first is None
        assert (other.first is not None) == are_told_apart


def test_members_may_have_fewer_bits_than_addresses(tmp_path: Path) -> None:
    program = _program(tmp_path, SAFE["marked"], model="LP64")
    steps = {edge: transition(edge.statement) for edge in program.main.edges}
    found = nodes(list(steps.values()))
    assert found is not None
    facts = Facts(program, steps, found)
    seen = Shapes()._seen(program, steps, facts, Budget(20))
    assert seen is not None
    facts.look(seen.states(x) for x, rows in seen.seen.items() if rows)
    guesses = [
        guess
        for location, rows in seen.seen.items()
        if rows
        for guess in facts.guesses(frozenset(seen.watched[location]), seen.states(location), Effort.MOST)
    ]
    assert guesses


def test_what_lies_inside_of_nodes_or_behind_them_is_seen_in_runs(tmp_path: Path) -> None:
    body = """
        struct item { struct item *next; char *data, own; } *x = 0;
        while (__VERIFIER_nondet_int()) {
            struct item *n = malloc(sizeof *n);
            n->next = x; n->data = __VERIFIER_nondet_int() ? malloc(1) : &n->own; x = n;
        }
        while (x) { struct item *n = x; x = x->next; if (n->data != &n->own) free(n->data); free(n); }
    """
    program = _program(tmp_path, body, "valid-memsafety")
    steps = {edge: transition(edge.statement) for edge in program.main.edges}
    found = nodes(list(steps.values()))
    assert found is not None
    engine, facts = Shapes(), Facts(program, steps, found)
    seen = engine._seen(program, steps, facts, Budget(20))
    assert seen is not None
    facts.look(seen.states(x) for x in program.main.locations if seen.seen.get(x))
    assert facts.modes is not None
    (distances,) = facts.modes.distances.values()
    kind, *_ = found.kinds
    assert distances == [8, kind.step]
    assert len(facts.kinds) == 1 and len(found.kinds) == 2  # the other blocks have no members


def test_programs_without_nodes_are_left_to_others(tmp_path: Path) -> None:
    answer = _answer(_program(tmp_path, "int i = __VERIFIER_nondet_int(); if (i * 0) __VERIFIER_error();"))
    assert isinstance(answer, Unknown)


def test_columns_say_what_single_states_say(tmp_path: Path) -> None:
    """The oracle is the evaluation of one formula in one state."""
    program = _program(tmp_path, SAFE["there and back"])
    steps = {edge: transition(edge.statement) for edge in program.main.edges}
    found = nodes(list(steps.values()))
    assert found is not None
    facts = Facts(program, steps, found)
    seen = Shapes()._seen(program, steps, facts, Budget(20))
    assert seen is not None
    outcomes = set()
    for location in (x for x in program.main.locations if seen.seen.get(x)):
        states = seen.states(location)
        for guess in facts.guesses(frozenset(seen.watched[location]), states, Effort.MORE):
            formula, node = (guess.args[0], facts.node) if guess.op is ops.FORALL else (guess, None)
            for part in (formula, not_(formula), *formula.args):
                if part.sort is BOOL:
                    pairs = list(states.among(states.all))
                    expected = [evaluate(part, Model({**m.values, facts.node: at})) for m, at in pairs]
                    assert states.where(part, node) == sum(1 << n for n, holds in enumerate(expected) if holds)
                    outcomes.update(expected)
    assert outcomes == {False, True}


def test_few_states_are_looked_at_and_some_of_each_mode_that_the_program_is_in() -> None:
    mode, number = var("mode", BitVec(8)), var("number", BitVec(8))
    observed = Observed({"here": (mode, number)}, lambda model: (), conditions=(eq(mode, bv(1, 8)),))
    for n in range(100):
        observed.begin()
        observed.note("here", (0, n))
    observed.begin()
    observed.note("here", (1, 0))
    rows = observed.rows("here", (mode,))
    assert set(rows) == {(0,), (1,)}
    assert len(observed.seen["here"]) == MOST_STATES + 1


def test_what_lies_where_nothing_was_written_is_any_number_but_one_for_each_state() -> None:
    array, x = var("array", Array(BitVec(8), BitVec(32))), var("x", BitVec(8))
    observed = Observed({"here": (array, x)}, lambda model: ())
    for n in (1, 2, 1):
        observed.begin()
        observed.note("here", (Cells(lambda: 0, {5: 7}), n))
    states = observed.states("here")
    assert len(states.models) == 2
    assert {model[array].entries[5] for model in states.models} == {7}
    assert len({model[array].default for model in states.models}) == 2
