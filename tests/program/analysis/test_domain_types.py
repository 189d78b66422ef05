"""Domain types of the variables of C programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.frontends.c.load import load_c
from craton.program.analysis.domain_types import DomainType, domain_types
from craton.program.blocks import encode_blocks
from craton.program.preparation import prepare
from craton.views import integer_view

PROGRAM = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int flag = 0, copy, state = 3, old = 0, i = 0, sum = 0, far = 0;
  unsigned mask = 1;
  double weight = 1.0;
  int n = __VERIFIER_nondet_int();
  int table[4] = {0, 0, 0, 0};
  if (n)
    flag = 1;
  while (i < n) {
    if (state == 3)
      state = 5;
    else
      state = 7;
    old = state;
    mask = (mask << 1) & 255;
    sum = sum + n;
    weight = weight * 2;
    table[n & 3] = sum;
    i++;
  }
  copy = flag;
  far = far + 1;
  if (!copy && old == 5 && mask == 2 && sum > 2 && weight > 3 && table[1] && far)
    reach_error();
  return 0;
}
"""

EXPECTED = {
    "flag": DomainType.BOOLEAN,
    "copy": DomainType.BOOLEAN,
    "state": DomainType.EQUALITY,
    "old": DomainType.EQUALITY,
    "mask": DomainType.BITS,
    "sum": DomainType.ARITHMETIC,
    "far": DomainType.ARITHMETIC,  # moved, but not in a loop
    "weight": DomainType.BITS,  # multiplied
    "n": DomainType.BITS,  # masked
    "i": DomainType.COUNTER,
}


@pytest.mark.parametrize("blocks", [False, True], ids=["statements", "blocks"])
def test_variables_are_known_by_their_use(blocks: bool, tmp_path: Path) -> None:
    file = tmp_path / "uses.c"
    file.write_text(PROGRAM)
    program = prepare(load_c([file])).whole
    if blocks:
        program = encode_blocks(program).program
    types = {v.name.removeprefix("main::"): found for v, found in domain_types(program.main.edges).items()}
    assert {name: types[name] for name in EXPECTED} == EXPECTED


def test_in_the_integer_view_flags_are_flags(tmp_path: Path) -> None:
    """It says of all variables that they are in range, which is no use of them. Masks become remainders."""
    file = tmp_path / "uses.c"
    file.write_text(PROGRAM)
    edges = integer_view(prepare(load_c([file])).whole).program.main.edges
    types = {v.name.removeprefix("main::"): found for v, found in domain_types(edges).items()}
    assert {name: types[name] for name in EXPECTED} == EXPECTED | {"mask": DomainType.ARITHMETIC}


def test_a_counter_that_no_condition_asks_for_is_a_number(tmp_path: Path) -> None:
    file = tmp_path / "idle.c"
    file.write_text(
        "extern int __VERIFIER_nondet_int(void);\n"
        "int main(void) { int i = 0; while (__VERIFIER_nondet_int()) i++; return i; }\n"
    )
    edges = prepare(load_c([file])).whole.main.edges
    assert {str(v): found for v, found in domain_types(edges).items()}["main::i"] is DomainType.ARITHMETIC


# --- loop counters in all their forms ---------------------------------------------------------------------------------

COUNTING = {
    "in the condition": "int i = 0; while (i++ < n) sum += 2;",
    "in the condition, before": "int i = 0; while (++i < n) sum += 2;",
    "downwards in the condition": "int i = n; while (i-- > 0) sum += 2;",
    "in an index": "int i = 0; while (i < 10) table[i++] = n;",
    "in a call": "int i = 0; while (i < n) sum += twice(i++);",
    "by a function": "int i = 0; while (i < n) i = next(i);",
    "as an assignment": "int i = 0; while (i < n) i += 3;",
    "char": "char i = 0; while (i < 100) i++;",
    "unsigned char": "unsigned char i = 0; do i++; while (i != n);",
    "short": "short i = 100; for (; i >= 0; i -= 2) sum++;",
    "long long": "long long i = 0; for (; i < n; ++i) sum++;",
    "double": "double i = 0; while (i < 10.0) i = i + 1.0;",
    "float": "float i = 0; while (i < 10.0f) i += 0.5f;",
    "through another": "int i = 0, k; while (i < n) { k = i + 1; i = k; }",
    "where a branch moves it": "int i = 0; while (i < n) { if (n & 1) i += 2; else i++; }",
    "where it is left out now and then": "int i = 0; while (i < n) { if (nondet()) i++; }",
    "in an index that is tested": "short i = 0; while (table[i++] != 3);",
    "in a call, as char": "char i = 0; while (i < 10) sum += twice(i++);",
    "in a call that is tested": "int i = 0; while (twice(i) < n) i++;",
    "in a condition, as double": "double i = 0; while (i++ < 10.0) sum += 2;",
    "as double in an index": "double i = 0; while (i < 10) { table[(int)i] = 1; i++; }",
    "tested as char": "int i = 0; while ((unsigned char)i < 100) i++;",
    "tested through a flag": "int i = 0, more = 1; while (more) { i++; more = i < n; }",
    "left by break": "int i = 0; for (;;) { if (i >= n) break; i++; }",
    "in a loop of gotos": "int i = 0; again: if (i < n) { i++; goto again; }",
    "in a switch": "int i = 0; while (1) { switch (i) { case 10: return 0; } i++; }",
    "by either": "int i = 0; while (i < n) i = nondet() ? i + 1 : i + 2;",
    "a pointer": "int *i = table; while (i < table + 10) i++;",
}
NO_COUNTERS = {
    "doubled": "int i = 1; while (i < n) i = i + i;",
    "read": "int i = 0; while (i < n) i = nondet();",
    "copied": "int i = 0; while (i != n) i = n;",
    "before the loop": "int i = 0; i++; while (n > i) n = nondet();",
    "summed up, but not asked for": "int i = 0, k; for (k = 0; k < n; k++) i += 2;",
    "by different steps": "int i = 0; while (i < 100) i += n;",
    "around a ring": "int i = 0; while (i != 7) i = (i + 1) % 10;",
}


def counters(body: str, view: bool, folder: Path) -> set[str]:
    file = folder / "counting.c"
    file.write_text(
        "extern int __VERIFIER_nondet_int(void);\n#define nondet __VERIFIER_nondet_int\n"
        "int twice(int a) { return 2 * a; }\nint next(int a) { return a + 1; }\n"
        f"int main(void) {{ int n = nondet(), sum = 0, table[10];\n{body}\nreturn sum + table[0]; }}\n"
    )
    program = prepare(load_c([file])).whole
    if view:
        program = integer_view(program).program
    types = domain_types(program.main.edges)
    return {v.name.removeprefix("main::") for v, found in types.items() if found is DomainType.COUNTER}


@pytest.mark.parametrize("view", [False, True], ids=["bits", "integers"])
@pytest.mark.parametrize("form", COUNTING)
def test_counters_are_found_in_all_their_forms(form: str, view: bool, tmp_path: Path) -> None:
    assert "i" in counters(COUNTING[form], view, tmp_path)


@pytest.mark.parametrize("view", [False, True], ids=["bits", "integers"])
@pytest.mark.parametrize("form", NO_COUNTERS)
def test_what_is_no_counter(form: str, view: bool, tmp_path: Path) -> None:
    assert "i" not in counters(NO_COUNTERS[form], view, tmp_path)
