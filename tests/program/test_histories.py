"""Histories change nothing: each run is a run of the program without them, and what they say is what happened."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.frontends.programs import Request, load_program
from craton.program.blocks import encode_blocks
from craton.program.cfa import Edge, Program
from craton.program.execution.interpreter import Interpreter
from craton.program.histories import histories, with_histories
from craton.program.preparation import prepare
from craton.program.statements import Assign
from craton.program.variables import reads, writes

BEGIN = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); int main(void) {"
BODIES = {
    "a sum": "int a[9], s = 0; for (int i = 0; i < 9; i++) { a[i] = __VERIFIER_nondet_int(); s += a[i]; }"
    " if (s == 7) reach_error();",
    "backwards": "int a[9], s = 0, n = 0; for (int i = 8; i >= 0; i--) { a[i] = __VERIFIER_nondet_int();"
    " s = 3 * s + a[i]; if (a[i] > 0) n++; } if (s == n) reach_error();",
    "nested": "int a[9], s = 0; for (int j = 0; j < 3; j++) for (int i = 0; i < 9; i++) {"
    " a[i] = __VERIFIER_nondet_int(); s += a[i]; } if (s == 7) reach_error();",
}


def prepared(folder: Path, body: str) -> Program:
    (folder / "p.c").write_text(f"{BEGIN} {body} return 0; }}\n")
    return prepare(load_program(Request((str(folder / "p.c"),)))).small.program


@pytest.mark.parametrize("name", BODIES)
def test_nothing_else_is_changed_and_nothing_reads_them(tmp_path: Path, name: str) -> None:
    program = prepared(tmp_path, BODIES[name])
    changed = with_histories(program)
    found = histories(encode_blocks(program).program)
    new = {history.array for history in found}
    assert new and new.isdisjoint((*program.globals, *program.main.locals))
    kept: list[Edge] = []
    for edge in changed.program.main.edges:
        if writes(edge.statement) & new:
            assert isinstance(edge.statement, Assign) and edge.statement in {h.update for h in found}
            assert changed.original_edges(edge) == ()
        else:
            assert new.isdisjoint(reads(edge.statement))
            kept += changed.original_edges(edge)
    assert sorted(kept, key=str) == sorted(program.main.edges, key=str)
    assert with_histories(changed.program).program is changed.program


@pytest.mark.parametrize("name", BODIES)
def test_they_hold_what_was_there(tmp_path: Path, name: str) -> None:
    program = prepared(tmp_path, BODIES[name])
    found = histories(encode_blocks(program).program)
    changed = with_histories(program).program
    watched = {h.head: (h.array, h.index, h.value) for h in found}
    seen: list[tuple[int, int]] = []

    def note(location: object, values: tuple[object, ...]) -> None:
        array, index, value = values
        seen.append((dict(array)[index], value))  # type: ignore[call-overload, arg-type]

    runs = [
        Interpreter(p, watched=w, seen=note).run((3, -1, 4), seed=5) for p, w in ((changed, watched), (program, {}))
    ]
    assert type(runs[0].outcome) is type(runs[1].outcome)
    assert len(seen) >= 9 and all(said == was for said, was in seen)


def test_what_no_loop_computes_has_none(tmp_path: Path) -> None:
    body = "int a[9], x = 0; for (int i = 0; i < 9; i++) { a[i] = i; x += 2; } if (a[3] == x) reach_error();"
    program = prepared(tmp_path, body)
    assert with_histories(program).program is program
