"""Proofs in plainer words: they prove the same, by the checker's word, and a person would say it so."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.engines.contract import Budget
from craton.engines.plain import is_long, plain_proof
from craton.evidence.checker import Confirmed, check_proof
from craton.frontends.programs import Request, load_program
from craton.logic import TRUE, BitVec, Term, and_, bv, bvadd, bvule, bvult, conjuncts, eq, ite, or_, size, var
from craton.program.blocks import encode_blocks
from craton.program.cfa import Location, Program
from craton.program.preparation import prepare

RING = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  unsigned head = 0, count = 0;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) { if (count != 8) count++; }
    else if (count != 0) { head = (head + 1) % 8; count--; }
    if (!(count <= 8 && head < 8)) reach_error();
  }
}
"""


def in_blocks(folder: Path, text: str) -> Program:
    file = folder / "ring.c"
    file.write_text(text)
    return encode_blocks(prepare(load_program(Request((str(file),)))).small.program, None).program


def variable(program: Program, name: str) -> Term:
    return next(v for v in program.main.locals if name in v.name.split("::"))


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> tuple[Program, dict[Location, Term]]:
    """The program, and a proof as weakest preconditions say it."""
    program = in_blocks(tmp_path_factory.mktemp("plain"), RING)
    head, count = variable(program, "head"), variable(program, "count")
    eight, one, none = (bv(n, 32) for n in (8, 1, 0))
    put = bvule(ite(eq(count, eight), count, bvadd(count, one)), eight)
    taken = or_(eq(count, none), bvule(bvadd(count, bv(2**32 - 1, 32)), eight))
    loop = and_(put, taken, bvult(head, eight), or_(bvule(count, eight), eq(bvadd(head, count), eight)))
    safe = [x for x in program.main.locations if x not in program.errors]
    return program, {x: loop if x in program.loop_heads else TRUE for x in safe}


def test_a_long_proof_is_told_plainly(ring: tuple[Program, dict[Location, Term]]) -> None:
    program, invariants = ring
    assert is_long(invariants)
    assert isinstance(check_proof(program, invariants, ["bitwuzla"], 20), Confirmed)
    found = plain_proof(program, invariants, Budget(20))
    assert found is not None
    assert isinstance(check_proof(program, found, ["bitwuzla"], 20), Confirmed)
    head, count = variable(program, "head"), variable(program, "count")
    (loop,) = program.loop_heads
    assert set(conjuncts(found[loop])) == {bvule(count, bv(8, 32)), bvult(head, bv(8, 32))}
    assert max(map(size, found.values())) < max(map(size, invariants.values()))


def test_where_no_plain_words_suffice_nothing_is_said(tmp_path: Path) -> None:
    program = in_blocks(tmp_path, RING.replace("count++", "count += 1 + (head & 2)"))
    assert plain_proof(program, dict.fromkeys(program.main.locations, TRUE), Budget(20)) is None


def test_short_proofs_are_left_as_they_are() -> None:
    x = var("x", BitVec(32))
    assert not is_long({Location(1): bvult(x, bv(8, 32))})
