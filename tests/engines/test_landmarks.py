"""Landmarks: what is said of a step's elements is true after it, and what is proved with them is a proof."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from craton.engines.conjectures import Conjectures
from craton.engines.contract import Budget, Safe, Unknown
from craton.engines.landmarks import NO_LANDMARKS, Landmarks, landmarks
from craton.evidence.checker import Confirmed, check_annotation
from craton.evidence.conditions import Annotation
from craton.frontends.programs import Request, load_program
from craton.logic import (
    Array,
    BitVec,
    Term,
    bv,
    bvadd,
    bvmul,
    bvsle,
    bvsub,
    eq,
    free_variables,
    not_,
    ops,
    or_,
    select,
    store,
    substitute,
    var,
)
from craton.program.blocks import encode_blocks
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program, Symbol
from craton.program.preparation import prepare
from craton.program.statements import Assign, Assume, Block, Statement
from craton.program.transitions import Transition, transition
from craton.smt import Unsat, make_solver

BYTE = BitVec(8)
A = var("a", Array(BYTE, BYTE))
X = tuple(var(name, BYTE) for name in ("i", "j", "n"))
MAKERS = (bvadd, bvsub, bvmul)
HEAD = "extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void);\n"
NUMBER = "int n = __VERIFIER_nondet_int(); if (n < 1 || n > 1000) return 0;"
STRING = (
    NUMBER + "char *s = __builtin_alloca(n), *p = s;"
    " for (int i = 0; i < n - 1; i++) s[i] = __VERIFIER_nondet_char(); s[n - 1] = 0;"
)
AREA = NUMBER + "int *a = __builtin_alloca(n * sizeof(int)), *p = a, m = n;"
SAFE = {
    "to the end": STRING + "while (*p) p++; *p = 1;",
    "no further than a counter": AREA + "while (m--) *p++ = 0;",
}
UNSAFE = {
    "beyond the end": STRING + "while (*p) p++; p[1] = 1;",
    "every other one": STRING + "while (*p) p += 2;",
    "without an end": STRING + "s[n - 1] = 1; while (*p) p++;",
    "one round more": AREA + "do *p++ = 0; while (m--);",
}


# --- steps ------------------------------------------------------------------------------------------------------------

leaves = st.one_of(st.sampled_from((*X, select(A, X[0]))), st.integers(0, 255).map(lambda c: bv(c, 8)))
terms = st.recursive(leaves, lambda t: st.builds(lambda f, a, b: f(a, b), st.sampled_from(MAKERS), t, t), max_leaves=3)
statements = st.one_of(
    st.builds(lambda at, new: Assign(A, store(A, at, new)), terms, terms),
    st.builds(Assign, st.sampled_from(X), terms),
    st.builds(lambda a, b: Assume(bvsle(a, b)), terms, terms),
)


def one_step(parts: list[Statement]) -> tuple[Program, Transition]:
    way = tuple(Edge(Location(10 + i), part, Location(11 + i)) for i, part in enumerate(parts))
    first = Edge(Location(0), Block(way), Location(1))
    last = Edge(Location(1), Assume(not_(eq(*X[:2]))), Location(2))
    main = Procedure("main", (), (), Location(0), Location(3), (first, last), (A, *X))
    symbols = {x: Symbol(x.name, "char", "main") for x in X}
    return Program("main", {"main": main}, (), {Location(2): UNREACH}, symbols=symbols), transition(first.statement)


@given(st.lists(statements, min_size=1, max_size=5))
@settings(max_examples=25, deadline=None)
def test_a_step_leaves_behind_what_is_said_of_it(parts: list[Statement]) -> None:
    """Unless it has written to the same element again; that variables are what they were set to holds always."""
    program, step = one_step(parts)
    steps = {edge: transition(edge.statement) for edge in program.main.edges}
    said = [fact for fact in landmarks(program, steps).facts if fact.op is ops.EQ and not _is_of_bits(fact)]
    places = [[side.args[1] for side in fact.args if side.op is ops.SELECT] for fact in said]
    with make_solver("z3") as solver:
        for number, fact in enumerate(said):
            others = [place for i, found in enumerate(places) if i != number for place in found]
            again = [eq(place, other) for place in places[number] for other in others]
            with solver.scope():
                solver.add(step.guard, not_(substitute(or_(fact, *again), step.updates)))
                assert isinstance(solver.check(), Unsat), fact


def _is_of_bits(fact: Term) -> bool:
    """That a pointer is aligned: a guess about loops."""
    return any(side.op is ops.EXTRACT for side in fact.args)


# --- programs ---------------------------------------------------------------------------------------------------------


def marked(folder: Path, body: str) -> tuple[Program, dict[Edge, Transition], Landmarks]:
    (folder / "p.c").write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    small = prepare(load_program(Request((str(folder / "p.c"),), "memsafety", "ILP32"))).small.program
    program = encode_blocks(small).program
    steps = {edge: transition(edge.statement) for edge in program.main.edges}
    return program, steps, landmarks(program, steps)


def answer(folder: Path, body: str) -> Safe | Unknown | None:
    """What the engine answers, however long its queries take; None if a run fails."""
    program, steps, marks = marked(folder, body)
    engine = Conjectures(landmarks=True, solver="bitwuzla")
    with make_solver("bitwuzla") as solver:
        kept = engine.kept(program, steps, solver, Budget(), marks)
        return None if kept is None else engine.verdict(program, steps, kept, solver)


@pytest.mark.parametrize("name", SAFE)
def test_loops_over_buffers_are_proved(tmp_path: Path, name: str) -> None:
    found = answer(tmp_path, SAFE[name])
    assert isinstance(found, Safe), found
    program, _, _ = marked(tmp_path, SAFE[name])
    assert isinstance(check_annotation(Annotation(program, found.invariants), ("z3", "cvc5")), Confirmed)


@pytest.mark.parametrize("name", UNSAFE)
def test_what_is_wrong_is_not_proved(tmp_path: Path, name: str) -> None:
    assert not isinstance(answer(tmp_path, UNSAFE[name]), Safe)


def test_sizes_and_zeros_are_landmarks(tmp_path: Path) -> None:
    _, _, marks = marked(tmp_path, SAFE["to the end"])
    elements = [fact for fact in marks.facts if any(side.op is ops.SELECT for side in fact.args)]
    (n,) = (x for x in marks.variables if x.name == "main::n")
    assert len(elements) == 2
    assert all(n in free_variables(fact) for fact in elements)


def test_where_nothing_is_written_there_are_none() -> None:
    program, step = one_step([Assume(bvsle(*X[:2]))])
    assert landmarks(program, {program.main.edges[0]: step}) == NO_LANDMARKS
    stage = Conjectures(landmarks=True)
    assert "no landmarks" in getattr(stage.run(program, Budget()), "reason", "")
