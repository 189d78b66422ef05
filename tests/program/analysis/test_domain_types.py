"""Domain types of the variables of C programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.frontends.c.load import load_c
from craton.program.analysis.domain_types import DomainType, domain_types
from craton.program.blocks import encode_blocks
from craton.program.preparation import prepare

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


def test_a_counter_that_no_condition_asks_for_is_a_number(tmp_path: Path) -> None:
    file = tmp_path / "idle.c"
    file.write_text(
        "extern int __VERIFIER_nondet_int(void);\n"
        "int main(void) { int i = 0; while (__VERIFIER_nondet_int()) i++; return i; }\n"
    )
    edges = prepare(load_c([file])).whole.main.edges
    assert {str(v): found for v, found in domain_types(edges).items()}["main::i"] is DomainType.ARITHMETIC
