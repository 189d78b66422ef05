"""Values, memory, calls and what C leaves open, as a C programmer writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.logic import FLOAT32, FLOAT64
from craton.logic.ieee import from_python
from craton.logic.terms import format_of
from craton.program.storage import Elements, Members, Scalar, Storage, StoredObject, cell_at, literal
from craton.report.values import Values, value_text
from support.commands import command

INT = Scalar("int", 4, True)
NODE = Members("struct node", 16, (("value", 0, INT), ("next", 8, Scalar("struct node *", 8, False, "struct node"))))


def test_cells_of_shapes() -> None:
    grid = Elements(Elements(NODE, 3), 2)
    cell = cell_at(grid, 48 + 16 + 8)
    assert cell is not None and (cell.path, cell.offset) == ("[1][1].next", 72)
    assert cell_at(grid, 96) is None
    assert cell_at(NODE, 5) is None  # between the members


def test_pointers() -> None:
    objects = (
        StoredObject("a", 12, Elements(INT, 3), 1000),
        StoredObject("n", 16, NODE, 2000),
        StoredObject("string", 6, Elements(Scalar("char", 1, True), 6), 3000, b'he"o\n\0'),
    )
    values = Values(Storage(objects))
    assert [values.pointer(at) for at in (0, 1000, 1008, 1012)] == ["NULL", "a", "&a[2]", "&a[3]"]
    assert [values.pointer(2000, "struct node"), values.pointer(2000, "int"), values.pointer(2008)] == [
        "&n",
        "&n.value",
        "&n.next",
    ]
    assert [values.pointer(3000), values.pointer(3002)] == ['"he\\"o\\n"', '"he\\"o\\n" + 2']
    assert values.pointer(9999) == "0x270f"
    values.allocated(5000, 5016)
    assert [values.pointer(5000), values.pointer(5008)] == ["block 1", "block 1 + 8"]


@pytest.mark.parametrize(
    ("value", "name", "text"),
    [
        (65, "char", "'A'"),
        (0, "char", "'\\0'"),
        (200, "char", "-56"),
        (39, "char", "'\\''"),
        (107, "unsigned char", "107 ('k')"),
        (200, "unsigned char", "200"),
        (2, "enum e", "TWO"),
    ],
)
def test_types(value: int, name: str, text: str) -> None:
    values = Values(Storage(enumerations={"enum e": {1: "ONE", 2: "TWO"}}))
    assert values.typed(value, 8, name, signed=name == "char") == text


def test_floats_are_short() -> None:
    for sort, text in ((FLOAT32, "0.1f"), (FLOAT64, "0.1")):
        assert value_text(from_python(format_of(sort), 0.1), sort, signed=True) == text
    assert literal(b"\x01x" + bytes(3)) == '"\\x01x"'


PROGRAM = """\
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
enum colour { RED, GREEN = 7 };
struct box { enum colour colour; float weight; int *place; };
static int paint(struct box *box, int colour) {
  box->colour = (enum colour)colour;
  return colour + 1;
}
int main(void) {
  struct box one;
  int numbers[3], open;
  struct box *other = malloc(sizeof *other);
  one.weight = 0.1f;
  one.place = &numbers[1];
  numbers[2] = paint(&one, 7);
  other->weight = 2.5f;
  paint(other, __VERIFIER_nondet_int());
  assert(other->colour != 3 || open != 4);
  return 0;
}
"""


def test_memory_calls_and_open_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "boxes.c"
    file.write_text(PROGRAM)
    assert command("verify", file, "--engine", "bounded") == 1
    told = capsys.readouterr().out
    for text in (
        "open = 4 (unspecified)",
        "one.weight = 0.1f",
        "one.place = &numbers[1]",
        "paint(box = &one, colour = 7)",
        "box->colour = (enum colour)colour;      one.colour = GREEN",
        "returns 8",
        "numbers[2] = 8",
        "other->weight = 2.5f",
        "box->colour = 3",
    ):
        assert text in told, told
