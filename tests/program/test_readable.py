"""Statements and formulas with the names of the text: nothing internal is left in what people look at."""

from __future__ import annotations

from pathlib import Path

import pytest

import craton
from craton.logic import INT, Array, add, and_, eq, exists, int_, le, or_, select, var
from craton.program.inlining import inline
from craton.program.picture import to_svg
from craton.program.readable import Readable
from craton.program.text import to_text

TEXT = """
enum light { RED, GREEN };
struct node { int value; struct node *next; };
struct queue { unsigned items[8]; unsigned head, count; };
struct queue q;
short bytes; int numbers[4];
void put(struct queue *to, int *number, enum light light) {
  to->count = 3;
  to->items[(to->head + to->count) % 8] = 1;
  if (light == GREEN) *number = 5;
}
int main(int argc, char **argv) {
  struct node last = { 1, 0 };
  struct node *p = &last;
  p->next = p;
  p->next->next->value = 2;
  for (int i = 0; i < 4; i++) numbers[i] = i;
  put(&q, &numbers[argc & 3], GREEN);
  put(&q, numbers, RED);
  *((char *)&bytes + 1) = 1;
  if (q.count > 8 || p == 0) return 1;
  return p->value;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> craton.Program:
    path: Path = tmp_path_factory.mktemp("readable") / "words.c"
    path.write_text(TEXT)
    return craton.load(path)


@pytest.mark.parametrize(
    "told",
    [
        "to->count := 3",
        "to->items[(to->head + to->count) %u 8] := 1",
        "assume light = GREEN",
        "*number := 5",
        "p := &last",
        "p->next := p",
        "p->next->next->value := 2",
        "numbers[i] := i",
        "put(&q, numbers, RED)",
        "((char *)&bytes)[1] := 1",
        "assume q.count >u 8 ∨ p = NULL",
    ],
)
def test_statements_have_the_names_of_the_text(told: str, program: craton.Program) -> None:
    words = Readable(program)
    assert told in {words.statement(edge.statement) for edge in program.edges()}


def test_an_address_of_an_element(program: craton.Program) -> None:
    words = Readable(program)
    calls = [text for edge in program.edges() if (text := words.statement(edge.statement)).startswith("put(")]
    assert calls[0].startswith("put(&q, &numbers[") and calls[0].endswith("], GREEN)")


def test_nothing_internal_is_in_a_picture(program: craton.Program) -> None:
    picture = to_svg(program)
    assert "mem " not in picture and "65536" not in picture and "::" not in picture


def test_formulas_of_integers_are_read_by_names(program: craton.Program) -> None:
    (address,) = [known.address for known in program.storage.objects if known.name == "q"]
    assert address is not None
    count = select(var("mem q.count", Array(INT, INT)), int_(address + 36))
    formula = or_(le(count, int_(8)), and_(le(int_(3), count), le(var("main::x", INT), count)))
    assert Readable(program).formula(formula) == "q.count ≤ 8 ∨ q.count ≥ 3 ∧ x ≤ q.count"


def test_variables_that_stand_for_elements_have_their_names(program: craton.Program) -> None:
    (address,) = [known.address for known in program.storage.objects if known.name == "q"]
    assert address is not None
    count = var(f"mem q.count[{address + 36}]", INT)
    old = var(f"{count.name}!old", INT)
    formula = exists((old,), eq(count, add(old, int_(1))))
    assert Readable(program).formula(formula) == "∃q.count'. q.count = q.count' + 1"


def test_formulas_about_several_functions(tmp_path: Path) -> None:
    """What two functions call the same is told with the function; what one does, without."""
    path = tmp_path / "two.c"
    path.write_text("int f(int *q, int y) { return *q + y; }\nint main(void) { int q = 1; return f(&q, 2); }\n")
    loaded = craton.load(path)
    words = Readable(inline(loaded).program, across=True)
    told = {words.statement(edge.statement) for edge in inline(loaded).program.edges()}
    assert {"f::q := &q", "y := 2"} <= told


def test_the_text_of_a_program_leaves_nothing_out(program: craton.Program) -> None:
    text = to_text(program)
    assert "mem " not in text and "…" not in text and "to->items[(to->head + to->count) %u 8] := 1" in text
