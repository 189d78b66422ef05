"""Passes: what they keep, what they remove, and the way back."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from craton.frontends.c import COptions, load_c
from craton.logic import INT, Term, add, eq, evaluate, int_, le, not_, var
from craton.program.blocks import cut_points, encode_blocks
from craton.program.cfa import Edge, Location, Program
from craton.program.constants import propagate_constants
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.program.inlining import inline
from craton.program.passes import ALL, Pass
from craton.program.preparation import prepare
from craton.program.slicing import remove_dead_code, slice_for_errors
from craton.program.statements import Assign, Assume, Block, Call, Havoc, Statement
from craton.program.transformation import Transformed
from craton.program.transitions import chosen_value, paths, transition

TEXT = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int unused = 3, counter;
static int clamp(int x, int low, int high) { if (x < low) return low; if (x > high) return high; return x; }
static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
static void log_it(int x) { counter += x; }
int main(void) {
    int n = clamp(__VERIFIER_nondet_int(), 0, 10), sum = 0, noise = 0, idle = 1, mode = 2;
    for (int i = 0; i < n; i++) {
        sum += clamp(i * 3, 2, 20);
        noise ^= i; idle = noise + idle;
        if (mode == 2) log_it(i); else reach_error();
        if (noise > 5) noise = 1; else noise = 2;
    }
    if (gcd(sum, 6) == 6 && n > 4) reach_error();
    return sum;
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    path = tmp_path / "program.c"
    path.write_text(TEXT)
    return load_c([path], options=COptions("LP64"))


def behaviour(program: Program, n: int) -> tuple[bool, tuple[object, ...]]:
    run = Interpreter(program).run([n])
    return isinstance(run.outcome, ReachedError), run.inputs


PASSES = [inline, remove_dead_code, propagate_constants, slice_for_errors, encode_blocks]


@pytest.mark.parametrize("transform", PASSES)
@pytest.mark.parametrize("n", [-3, 0, 4, 5, 6, 7, 9, 100])
def test_every_pass_keeps_whether_an_error_is_reached(transform: object, n: int, program: Program) -> None:
    assert behaviour(transform(program).program, n) == behaviour(program, n)  # type: ignore[operator]


def chained(program: Program) -> Transformed:
    result = inline(program)
    for transform in (remove_dead_code, propagate_constants, slice_for_errors, encode_blocks):
        result = result.then(transform(result.program))
    return result


@pytest.mark.parametrize("n", [0, 5, 6, 7])
def test_the_passes_compose_and_lead_back(n: int, program: Program) -> None:
    final = chained(program)
    assert behaviour(final.program, n) == behaviour(program, n)
    old = set(program.edges())
    for edge in final.program.edges():
        inner = edge.statement.edges if isinstance(edge.statement, Block) else (edge,)
        for part in inner:
            assert set(final.original_edges(part)) <= old, part


def test_inlining_leaves_recursive_calls_only(program: Program) -> None:
    inlined = inline(program).program
    called = {e.statement.procedure for e in inlined.edges() if isinstance(e.statement, Call)}
    assert called == {"gcd"} and set(inlined.procedures) == {"main", "gcd"}
    names = {v.name for v in inlined.main.locals}
    assert {"clamp::x", "clamp@2::x"} <= names, "the second copy has variables of its own"
    assert inline(program, most_edges=1).program.procedures.keys() == program.procedures.keys()


def test_inlined_copies_share_no_location(program: Program) -> None:
    inlined = inline(program)
    edges = list(inlined.program.edges())
    assert len(edges) == len({(e.source, e.target, e.statement) for e in edges})
    assert all(inlined.original_location(loc) in {p for q in program.procedures.values() for p in q.locations}
               for loc in inlined.program.main.locations)  # fmt: skip


def test_slicing_removes_what_cannot_matter(program: Program) -> None:
    sliced = slice_for_errors(inline(program).program).program
    written = {e.statement.variable.name for e in sliced.edges() if isinstance(e.statement, Assign)}
    assert not {"main::idle", "counter", "unused"} & written
    assert "main::sum" in written


def test_constants_decide_branches(program: Program) -> None:
    before = inline(program).program
    after = propagate_constants(before).program
    assert len(after.errors) == len(before.errors) - 1, "mode is always 2"


def test_blocks_end_at_cut_points_only(program: Program) -> None:
    inlined = remove_dead_code(inline(program).program).program
    encoded = encode_blocks(inlined).program
    stay = cut_points(inlined.main, inlined)
    assert {e.source for e in encoded.main.edges} | {e.target for e in encoded.main.edges} <= stay
    for edge in encoded.main.edges:
        if isinstance(edge.statement, Block):
            block = edge.statement
            assert (block.begin, block.end) == (edge.source, edge.target)
            seen = {block.begin}
            for inner in block.edges:
                assert inner.source in seen, "topological order"
                seen.add(inner.target)


def test_a_transition_is_what_the_paths_of_a_block_do(program: Program) -> None:
    """Runs the edges inside every block one by one and compares with the formula."""
    encoded = encode_blocks(remove_dead_code(inline(program).program).program).program
    checked = 0
    for edge in encoded.main.edges:
        if not isinstance(edge.statement, Block):
            continue
        step = transition(edge.statement)
        for start in range(6):
            state = {
                v: (start * 7 + i * 3) % 11 for i, v in enumerate(sorted(_variables(edge), key=lambda v: v.serial))
            }
            state |= dict.fromkeys(step.inputs, start)
            after = _walk(edge.statement, dict(state))
            assert bool(evaluate(step.guard, state)) == (after is not None)
            if after is not None:
                checked += 1
                for variable, value in step.updates.items():
                    assert evaluate(value, state) == after[variable]
    assert checked


@pytest.mark.parametrize("seed", range(200))
def test_a_transition_has_every_path_of_a_block(seed: int) -> None:
    """Random blocks with free and decided branches: the states after the block are those of its paths."""
    block = _random_block(random.Random(seed))
    step = transition(block)
    start = {_X: seed % 3, _Y: seed % 5}
    by_paths = {end for path in paths(block) for end in [_run(path, dict(start))] if end is not None}
    by_formula = set()
    for values in itertools.product((False, True), repeat=len(step.inputs)):
        state = start | dict(zip(step.inputs, values, strict=True))
        if evaluate(step.guard, state):
            by_formula.add(tuple(evaluate(step.updates.get(v, v), state) for v in (_X, _Y)))
    assert by_formula == by_paths


_X, _Y = var("x", INT), var("y", INT)


def _random_block(draw: random.Random) -> Block:
    """A graph on a few locations, numbered in topological order, of which the last is the end."""
    size = draw.randint(3, 7)
    edges: list[Edge] = []
    for source in range(size - 1):
        a, b = draw.randint(source + 1, size - 1), draw.randint(source + 1, size - 1)
        condition = draw.choice((le(_X, int_(draw.randint(0, 9))), eq(_X, int_(draw.randint(0, 4))), le(_X, _Y)))
        kind = draw.randrange(4)
        if kind == 0:
            edges += [_edge(source, Assume(condition), a), _edge(source, Assume(not_(condition)), b)]
        elif kind == 1:
            edges += [_edge(source, Assign(_X, add(_X, int_(1))), a), _edge(source, Assign(_Y, add(_Y, _X)), b)]
        elif kind == 2:
            edges += [_edge(source, Assume(condition), a), _edge(source, Assume(le(_Y, int_(7))), b)]
            edges.append(_edge(source, Assign(_Y, int_(draw.randint(0, 9))), source + 1))
        else:
            edges.append(_edge(source, Assign(_X, add(_X, int_(2))), source + 1))
    live = {size - 1}
    for edge in reversed(edges):
        if edge.target.id in live:
            live.add(edge.source.id)
    reached = {0}
    for edge in edges:
        if edge.source.id in reached:
            reached.add(edge.target.id)
    kept = [e for e in edges if e.source.id in reached and e.target.id in live]
    last = max(i for i, e in enumerate(kept) if e.target.id == size - 1)
    kept.append(kept.pop(last))
    return Block(tuple(kept))


def _edge(source: int, statement: Statement, target: int) -> Edge:
    return Edge(Location(source), statement, Location(target))


def _run(path: tuple[Edge, ...], state: dict[Term, int]) -> tuple[int, int] | None:
    for edge in path:
        if isinstance(edge.statement, Assume):
            if not evaluate(edge.statement.condition, state):
                return None
        else:
            assert isinstance(edge.statement, Assign)
            state[edge.statement.variable] = evaluate(edge.statement.value, state)
    return state[_X], state[_Y]


def _variables(edge: Edge) -> set[Term]:
    from craton.program.variables import reads, writes

    return {v for v in reads(edge.statement) | writes(edge.statement) if not hasattr(v.sort, "index")}


def _walk(block: Block, state: dict[Term, int]) -> dict[Term, int] | None:
    """Follows the enabled edges; None if none leads to the end."""
    reached = {block.begin: state}
    for number, inner in enumerate(block.edges):
        here = reached.get(inner.source)
        if here is None:
            continue
        statement = inner.statement
        if isinstance(statement, Assume):
            if not evaluate(statement.condition, here):
                continue
            new = here
        elif isinstance(statement, Assign):
            new = {**here, statement.variable: evaluate(statement.value, here)}
        else:
            assert isinstance(statement, Havoc)
            new = {**here, **{v: state.get(chosen_value(v, number), 0) for v in statement.variables}}
        if inner.target == block.end:
            return new
        reached.setdefault(inner.target, new)
    return None


_LEVELS = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
static int level%s; static int *where;
static void must(int c) { if (!c) reach_error(); }
static int down(int n) { must(level == 1); where = &n; return n > 0 ? down(*where - 1) : 0; }
int main(void) { %s return down(__VERIFIER_nondet_int()); }
"""


@pytest.mark.parametrize(
    ("value", "first", "is_left"),
    [
        (" = 1", "", False),
        (" = 1", "level = 1;", False),
        (" = 1", "if (__VERIFIER_nondet_int()) level = 2;", True),
        (" = 1", "must(__VERIFIER_nondet_int());", True),
        ("", "int old = level; level = 1; must(old);", True),  # it was another value once
        ("", "int old = level; level = 1; must(!old);", True),
    ],
)
def test_where_control_flow_is_the_proof_nothing_is_inlined(
    value: str, first: str, is_left: bool, tmp_path: Path
) -> None:
    path = tmp_path / "levels.c"
    path.write_text(_LEVELS % (value, first))
    program = load_c([path], options=COptions("LP64"))
    assert bool(prepare(program).small.program.errors) == is_left
    assert prepare(program, tuple(one for one in ALL if one is not Pass.CONSTANTS)).small.program.errors
