"""The program that comes out: where it starts, what its locations and variables are, what is known besides."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.frontends.boogie import EVERY, load_boogie
from craton.logic import INT, TRUE, free_variables, var
from craton.program.blocks import encode_blocks
from craton.program.cfa import UNREACH
from craton.program.inlining import inline
from craton.program.statements import Assign, Assume, Call, Havoc
from frontends.boogie.exploring import Found, explore

EXAMPLES = Path(__file__).parents[3] / "examples" / "boogie"

LOOPS = """\
procedure main()
{
  var x: int;

  x := 0;
  while (x < 10)
    invariant x >= 0;
    invariant x <= 10;
  {
    x := x + 1;
  }
  assert x == 10;
}
"""


def test_ranges_and_errors() -> None:
    loaded = load_boogie(LOOPS)
    program = loaded.program
    assert program.entry == "main"
    assert set(program.errors.values()) == {UNREACH}
    assert list(program.errors) == list(loaded.checks)
    assert sorted(loaded.checks.values()) == [
        "the assertion at <text>:12:3",
        "the invariant at <text>:7:5",
        "the invariant at <text>:8:5",
    ]
    (increment,) = (e for e in program.edges() if str(e.statement) == "main::x := main::x + 1")
    assert increment.origin is not None
    assert (increment.origin.line, increment.origin.column, increment.origin.end_column) == (10, 5, 16)
    (test,) = (e for e in program.edges() if str(e.statement) == "assume main::x < 10")
    assert test.branch is True
    assert str(test.origin) == "<text>:6:3"


def test_loop_heads_and_hints() -> None:
    loaded = load_boogie(LOOPS)
    ((head, where),) = loaded.program.loop_heads.items()
    assert str(where) == "<text>:6:3"
    assert [str(hint) for hint in loaded.hints[head]] == ["main::x ≥ 0", "main::x ≤ 10"]


def test_hints_of_copies_speak_of_the_copies() -> None:
    loaded = load_boogie(
        "procedure main() { call p(1); call p(2); }"
        " procedure p(n: int) { var x: int; x := 0; while (x < n) invariant x <= n; { x := x + 1; } }"
    )
    assert len(loaded.program.loop_heads) == 2
    variables = set()
    for head, hints in loaded.hints.items():
        (guard,) = (e for e in loaded.program.main.outgoing(head) if e.branch)
        assert isinstance(guard.statement, Assume)
        assert hints == (guard.statement.condition,)
        variables.add(hints)
    assert len(variables) == 2
    assert set(loaded.checks.values()) == {"the invariant at <text>:1:100"}
    assert len(loaded.checks) == 2


def test_hints_survive_inlining_and_blocks() -> None:
    """Engines look hints up by the loop heads of the program they are given."""
    loaded = load_boogie(
        "procedure main() { call p(1); call p(2); call r(3); }"
        " procedure p(n: int) { var x: int; x := 0; while (x < n) invariant x <= n; { x := x + 1; } }"
        " procedure r(n: int) { var y: int; while (y < n) invariant y >= 0 || n > 0; { y := y + 1; }"
        " if (n > 0) { call r(n - 1); } }"
    )
    again = inline(loaded.program)
    assert again.program.procedures.keys() == loaded.program.procedures.keys()
    blocks = encode_blocks(again.program).program
    for head, hints in loaded.hints.items():
        assert again.original_location(head) == head
        assert head in blocks.loop_heads
        owners = [p for p in blocks.procedures.values() if head in p.locations]
        assert len(owners) == 1
        known = {*blocks.globals, *owners[0].locals, *owners[0].parameters}
        assert all(free_variables(hint) <= known for hint in hints)
    assert len(loaded.hints) == 3


def test_goto_loops_have_heads() -> None:
    program = load_boogie("procedure main() { L: goto L, M; M: return; }").program
    assert len(program.loop_heads) == 1


def test_labels_without_goto_cost_nothing() -> None:
    with_labels = load_boogie("procedure main() { var x: int; A: x := 1; B: x := 2; }").program
    without = load_boogie("procedure main() { var x: int; x := 1; x := 2; }").program
    assert [e.statement for e in with_labels.edges()] == [e.statement for e in without.edges()]


def test_symbols() -> None:
    program = load_boogie("var g: [int]bool; procedure main(p: int) { var x: int; assume g[x]; }").program
    symbol = program.symbols[var("main::x", INT)]
    assert (symbol.name, symbol.type, symbol.function) == ("x", "int", "main")
    assert symbol.declared is not None
    assert symbol.declared.column == 48
    (shared,) = program.globals
    assert (program.symbols[shared].name, program.symbols[shared].type, program.symbols[shared].function) == (
        "g",
        "[int]bool",
        None,
    )
    assert var("main::p", INT) in program.main.parameters


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("procedure main() { } procedure ULTIMATE.start() { }", "ULTIMATE.start"),
        ("procedure main() { } procedure {:entrypoint} p() { }", "p"),
        ("procedure Main() { call p(); } procedure p() { }", "Main"),
        ("procedure Main() { } procedure p() { }", "$start"),
        ("procedure p() { }", "p"),
        ("procedure p() { } procedure q() { }", "$start"),
        ("procedure p() { call p(); }", "$start"),
    ],
)
def test_where_a_program_starts(text: str, entry: str) -> None:
    assert load_boogie(text).program.entry == entry


def test_the_entry_can_be_chosen() -> None:
    text = "procedure main() { } procedure p() { assert false; }"
    assert explore(load_boogie(text, entry="main").program) is Found.NONE
    assert explore(load_boogie(text).program) is Found.ERROR
    assert explore(load_boogie(text, entry="p").program) is Found.ERROR
    assert explore(load_boogie(text, entry=EVERY).program) is Found.ERROR


def test_with_contracts_callees_are_verified_too() -> None:
    text = "procedure main() { call p(); } procedure p() ensures false; { } procedure unused() { assert false; }"
    loaded = load_boogie(text, entry="main", contracts=True)
    assert set(loaded.checks.values()) == {"the postcondition of p at <text>:1:46"}
    assert explore(loaded.program) is Found.ERROR


def test_axioms_come_first() -> None:
    program = load_boogie(
        "const unique a, b: int; axiom a > 0; procedure main(x: int) requires x > a; { assert x > 1; }"
    ).program
    first = []
    location = program.main.entry
    while len(program.main.outgoing(location)) == 1:
        (edge,) = program.main.outgoing(location)
        first.append(str(edge.statement))
        location = edge.target
    assert first == ["assume a ≠ b", "assume a > 0", "assume a < main::x"]


def test_only_recursive_calls_stay() -> None:
    program = load_boogie(
        "procedure main() { var x: int; call x := twice(3); call x := down(x); }"
        " procedure twice(x: int) returns (y: int) { y := 2 * x; }"
        " procedure down(x: int) returns (y: int) { if (x > 0) { call y := twice(x); call y := down(y - 1); } }"
    ).program
    assert set(program.procedures) == {"main", "down"}
    assert {e.statement.procedure for e in program.edges() if isinstance(e.statement, Call)} == {"down"}


def test_open_locals_of_callees_are_havocked() -> None:
    program = load_boogie(
        "procedure main() { call p(); call p(); } procedure p() { var open, set: int; set := open; }"
    ).program
    havocs = [e.statement for e in program.edges() if isinstance(e.statement, Havoc)]
    assert [len(h.variables) for h in havocs] == [1, 1]
    assert havocs[0] != havocs[1]


def test_old_costs_nothing_for_what_cannot_change() -> None:
    program = load_boogie("var g: int; procedure main() { assert old(g) == g; }").program
    assert not program.errors
    program = load_boogie("var g: int; procedure main() modifies g; { g := 1; assert old(g) == g; }").program
    first = program.main.outgoing(program.main.entry)[0].statement
    assert isinstance(first, Assign)
    assert first.value is var("g", INT)


def test_notes() -> None:
    loaded = load_boogie(
        'type T; function {:overapproximation "and"} f(int): int; procedure main() { var x: T; assert f(1) == 1; }'
    )
    assert loaded.overapproximated == ("f",)
    assert len(loaded.program.assumptions) == 2
    assert "type T" in loaded.program.assumptions[0]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.bpl")), ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    found = explore(load_boogie(path).program, steps=40)
    unsafe = path.read_text().startswith("// #Unsafe")
    assert (found is Found.ERROR) == unsafe


def test_no_edge_does_nothing_without_need() -> None:
    program = load_boogie(LOOPS).program
    assert [str(e.statement) for e in program.edges() if e.statement == Assume(TRUE)] == []
