"""Passes: what they keep, what they remove, and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.frontends.c import COptions, load_c
from craton.logic import Term, evaluate
from craton.program.back import Transformed
from craton.program.blocks import cut_points, encode_blocks, summary
from craton.program.cfa import Edge, Program
from craton.program.constants import propagate_constants
from craton.program.inlining import inline
from craton.program.interpreter import Interpreter, ReachedError
from craton.program.slicing import remove_dead_code, slice_for_errors
from craton.program.statements import Assign, Assume, Block, Call, Havoc

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


def test_a_summary_is_what_the_paths_of_a_block_do(program: Program) -> None:
    """Runs the edges inside every block one by one and compares with the formula."""
    encoded = encode_blocks(remove_dead_code(inline(program).program).program).program
    checked = 0
    for edge in encoded.main.edges:
        if not isinstance(edge.statement, Block):
            continue
        result = summary(edge.statement)
        for start in range(6):
            state = {
                v: (start * 7 + i * 3) % 11 for i, v in enumerate(sorted(_variables(edge), key=lambda v: v.serial))
            }
            state |= dict.fromkeys(result.fresh, start)
            after = _walk(edge.statement, dict(state), result.fresh)
            assert bool(evaluate(result.guard, state)) == (after is not None)
            if after is not None:
                checked += 1
                for variable, value in result.updates.items():
                    assert evaluate(value, state) == after[variable]
    assert checked


def _variables(edge: Edge) -> set[Term]:
    from craton.program.variables import reads, writes

    return {v for v in reads(edge.statement) | writes(edge.statement) if not hasattr(v.sort, "index")}


def _walk(block: Block, state: dict[Term, int], fresh: tuple[Term, ...]) -> dict[Term, int] | None:
    """Follows the enabled edges; None if none leads to the end."""
    reached = {block.begin: state}
    waiting = list(fresh)
    for inner in block.edges:
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
            new = {**here, **{v: state[waiting.pop(0)] for v in statement.variables}}
        reached.setdefault(inner.target, new)
    return reached.get(block.end)
