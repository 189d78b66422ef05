"""What is wrong with an access of memory, in words."""

from __future__ import annotations

import re

import pytest

from craton import load
from craton.program.cfa import Unmodelled
from craton.report.way import way
from craton.verdicts.counterexample import Replay


def because(body: str) -> str:
    """What is wrong in the only run of `main`."""
    text = f"#include <stdlib.h>\n#include <string.h>\nstruct pair {{ int first; int second; }};\n{body}\n"
    program = load(source=text, property="memsafety")
    ways = [
        way(Replay(location, (), ()), program, violated)  # which runs the program
        for location, violated in program.errors.items()
        if not isinstance(violated, Unmodelled)
    ]
    (found,) = [one for one in ways if one.steps]
    return re.sub(r"/\S*/", "", found.because)


MAIN = "int main(void) {{\n{}\n  return 0;\n}}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("  int *p = NULL;\n  *p = 1;", "the pointer is NULL"),
        (
            "  struct pair *p = NULL;\n  p->second = 1;",
            "the pointer is NULL (and what is meant 4 bytes behind it)",
        ),
        (
            "  struct pair *p = malloc(sizeof *p);\n  free(p);\n  p->second = 1;",
            "block 1 (8 bytes, allocated at program.c:5) was freed at program.c:6",
        ),
        (
            "  char *p = malloc(3);\n  free(p);\n  free(p);",
            "block 1 (3 bytes, allocated at program.c:5) was freed at program.c:6",
        ),
        ("  int x = 1;\n  int *volatile p = &x;\n  free(p);", "x was not allocated"),
        (
            "  char *p = malloc(3);\n  free(p + 1);",
            "the pointer is not to the beginning of block 1 (3 bytes, allocated at program.c:5), but 1 byte behind it",
        ),
        (
            "  int a[3];\n  for (int i = 0; i <= 3; i++)\n    a[i] = i;",
            "4 bytes lie at offset 12, beyond the end of a (3 elements, 12 bytes)",
        ),
        (
            "  int a[3];\n  for (int i = 2; i > -2; i--)\n    a[i] = i;",
            "4 bytes lie 4 bytes before the beginning of a (3 elements, 12 bytes)",
        ),
        (
            '  char *p = malloc(3);\n  strcpy(p, "abc");',
            "1 byte lies at offset 3, beyond the end of block 1 (3 bytes, allocated at program.c:5)",
        ),
        ('  char *p = "abc";\n  p[1] = 7;', "string literals must not be written"),
        (
            "  char *p = malloc(3);\n  for (int i = 4; i < 6; i++)\n    p = malloc(i);\n  p = NULL;",
            "block 1 (3 bytes, allocated at program.c:5), block 2 (4 bytes, allocated at program.c:7) "
            "and block 3 (5 bytes, allocated at program.c:7) are never freed",
        ),
    ],
)
def test_in_main(body: str, expected: str) -> None:
    assert because(MAIN.format(body)) == expected


def test_a_local_whose_function_was_left() -> None:
    make = "int *make(void) {\n  int x = 3;\n  int *p = &x;\n  return p;\n}\n"
    assert (
        because(make + MAIN.format("  return *make();"))
        == "x (4 bytes) lives no more: its function was left at program.c:7"
    )


def test_the_pointer_of_a_procedure_that_calls_itself() -> None:
    """Each activation has variables and objects of its own."""
    down = """
int down(int n, int *p) {
  int a[2] = {n, n};
  return n == 0 ? *p : down(n - 1, a + 2 * n);
}
"""
    expected = "4 bytes lie at offset 8, beyond the end of a (2 elements, 8 bytes)"
    assert because(down + MAIN.format("  return down(2, 0);")) == expected


def test_a_function_is_no_null() -> None:
    text = "int f(int x) {\n  return x;\n}\n" + MAIN.format("  void *volatile p = (void *)f;\n  free(p);")
    assert because(text) == "the pointer is to the function f"
