"""Invariants as C: they hold where they stand, in compiled programs too, and mean what the formulas mean."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from cfuzz import oracle
from craton.configuration.stages import DEFAULT, Stage
from craton.evidence.checker import make_checker
from craton.evidence.witness.invariants import c_invariants, spelled
from craton.evidence.witness.make import witness_of
from craton.evidence.witness.model import CorrectnessWitness, Invariant, InvariantKind
from craton.evidence.witness.scope import NotInScope, Snippet, refused, terms_in_scope
from craton.evidence.witness.source import Source
from craton.frontends.programs import Request, c_source, load_program
from craton.logic import (
    TRUE,
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvand,
    bvashr,
    bvlshr,
    bvmul,
    bvneg,
    bvnot,
    bvor,
    bvsdiv,
    bvsge,
    bvshl,
    bvsle,
    bvslt,
    bvsrem,
    bvsub,
    bvudiv,
    bvule,
    bvult,
    bvurem,
    bvxor,
    eq,
    extract,
    ite,
    not_,
    or_,
    sign_extend,
    xor,
    zero_extend,
)
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.preparation import prepare
from craton.smt import Sat
from craton.verification import verify
from support.programs import BY_NAME

HEAD = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"

# Loops in functions that are called more than once, of several kinds, with variables that hide others.
TWICE = """
int g;
int up(int from, int to) {
  int k = from;
  while (k < to && __VERIFIER_nondet_int()) { k++; g = k; }
  return k;
}
int main(void) {
  int a = up(0, 10);
  int b = up(20, 25);
  if (a > 10 || b > 25 || b < 20) reach_error();
  return 0;
}
"""
DO = """
int main(void) {
  unsigned char c = 0;
  do { int step = 1; c += step; } while (c < 100 && __VERIFIER_nondet_int());
  if (c > 100) reach_error();
  return 0;
}
"""
DECLARED = """
int main(void) {
  int n = __VERIFIER_nondet_int(), s = 0;
  if (n < 0) return 0;
  for (int i = 0; i != n; i++) { s++; if (i >= n) reach_error(); }
  return 0;
}
"""
HIDING = """
int main(void) {
  int x = 1, n = 0;
  {
    int x = __VERIFIER_nondet_int();
    while (n < 10 && x) { n++; x = __VERIFIER_nondet_int(); }
  }
  if (x != 1 || n > 10) reach_error();
  return 0;
}
"""
MEMBERS = """
struct pair { short a; unsigned short b; };
int main(void) {
  struct pair p = {0, 0};
  int *q = 0;
  while (p.a < 20 && __VERIFIER_nondet_int()) { p.a++; p.b += 2; }
  if (p.b > 40 || p.b != 2 * p.a) reach_error();
  return q != 0;
}
"""
JUMPING = """
int main(void) {
  int n = 0;
again:
  if (n < 10) {
    n++;
    if (__VERIFIER_nondet_int()) goto again;
  }
  if (n > 10) reach_error();
  return 0;
}
"""
OWN = {"jumping": JUMPING, "twice": TWICE, "do": DO, "declared": DECLARED, "hiding": HIDING, "members": MEMBERS}
_QUICK = Stage("trace-abstraction", "newton(it, wp, lv, late)", seconds=5)
SUITE = "loops/bound.c loops/even.c loops/leaving.c loops/modulo.c loops/skipping.c loops/together.c loops/leads.c"


def _own(name: str, folder: Path) -> Request:
    path = folder / f"{name}.c"
    path.write_text(HEAD + OWN[name], encoding="utf-8")
    return Request((str(path),), data_model="LP64")


def _invariants(request: Request, *stages: Stage) -> tuple[Invariant, ...]:
    result = verify(request, stages, 60)
    assert result.is_true, result.reason
    witness = witness_of(request, load_program(request), result)
    assert isinstance(witness, CorrectnessWitness)
    return witness.invariants


# Engines whose invariants have no quantifiers; which of the default stages is first depends on the machine.
_PLAIN = (Stage("horn"), Stage("conjectures"), Stage("horn", encoding="ideal"))


# --- in the compiled program ------------------------------------------------------------------------------------------

_AROUND = """
static int check(int holds) { if (!holds) __builtin_exit(77); return 0; }
void reach_error(void) { __builtin_exit(42); }
"""


def _instrumented(path: Path, invariants: tuple[Invariant, ...], sign: str) -> str:
    """The program with a check of each invariant where its kind says that it holds."""
    source = Source(path)
    text = source.text
    places = []
    for invariant in invariants:
        assert invariant.place.column is not None
        keyword = source.offset(invariant.place.line, invariant.place.column)
        assert keyword is not None
        call = f"check({sign}({invariant.value}))"
        if invariant.kind is InvariantKind.LOCATION:
            declared = source.word_at(keyword) == "int"
            places.append((keyword, f"{call}; " if declared else f"if ({call}) ; else "))
            continue
        places.append((keyword, f"if (0 && ({invariant.value})) ; else "))  # it is in scope at the keyword already
        inside = text.index("(" if source.word_at(keyword) == "while" else ";", keyword) + 1
        places.append((inside, f"{call}, "))
    for offset, inserted in sorted(places, reverse=True):
        text = text[:offset] + inserted + text[offset:]
    return text.replace("extern void reach_error(void);", f"extern void reach_error(void); {_AROUND}")


@pytest.mark.skipif(not oracle.compilers(), reason="no C compiler")
@pytest.mark.parametrize("name", [*OWN, *SUITE.split()])
def test_invariants_hold_in_the_compiled_program(name: str, tmp_path: Path) -> None:
    request = _own(name, tmp_path) if name in OWN else Request((str(BY_NAME[name].path),), data_model="LP64")
    invariants = _invariants(request, *((_QUICK, *_PLAIN) if name in OWN else _PLAIN))
    assert invariants
    path = Path(request.files[0])
    checked = oracle.compiled(_instrumented(path, invariants, ""), oracle.Model.LP64, tmp_path / "checked")
    denied = oracle.compiled(_instrumented(path, invariants, "!"), oracle.Model.LP64, tmp_path / "denied")
    rng = Random(name)
    outcomes = set()
    for _ in range(12):
        inputs = [rng.randint(-3, 60) for _ in range(30)]
        assert oracle.execute(checked, inputs) != oracle.Exit(77), inputs
        outcomes.add(oracle.execute(denied, inputs))
    assert oracle.Exit(77) in outcomes  # the checks are on the way


# --- what is said, and what is not ------------------------------------------------------------------------------------


def test_a_for_keeps_what_it_declares_for_its_body(tmp_path: Path) -> None:
    said = _invariants(_own("declared", tmp_path), _QUICK, *_PLAIN)
    for invariant in said:
        speaks_of_i = refused(invariant.value) is None and " i " in f" {invariant.value} "
        assert not (invariant.kind is InvariantKind.LOOP and speaks_of_i)
    assert any(invariant.kind is InvariantKind.LOCATION for invariant in said)


def _proved(program: Program) -> Program:
    return encode_blocks(prepare(program).small.program).program


def _said(text: str, folder: Path, formula: str) -> list[str]:
    """What is said of the only loop, if its invariant were the formula, which is C over variables of `main`."""
    path = folder / "said.c"
    path.write_text(HEAD + text, encoding="utf-8")
    request = Request((str(path),), data_model="ILP32")
    program, source = load_program(request), c_source(request)
    names = {v.name.removeprefix("main::"): v for v in program.symbols}
    term: Term = eval(formula, dict(globals()), names)
    proved = _proved(program)
    return [i.value for i in c_invariants(source, program, proved, dict.fromkeys(proved.main.locations, term))]


HIDDEN = """
int main(void) {
  int x = 0, n = __VERIFIER_nondet_int();
  int *p = 0;
  { int inner = n; n = inner + 1; }
  { int x = n; while (x < 10) { x++; } n = x; }
  if (n < 10 || x) reach_error();
  return 0;
}
"""


def test_what_is_out_of_scope_hidden_or_an_address_is_left_out(tmp_path: Path) -> None:
    ten = "bv(10, 32)"
    assert _said(HIDDEN, tmp_path, f"bvsle(n, {ten})") == ["n <= 10"]
    assert _said(HIDDEN, tmp_path, f"and_(bvsle(n, {ten}), bvsle(inner, {ten}))") == ["n <= 10"]
    assert _said(HIDDEN, tmp_path, f"or_(bvsle(n, {ten}), bvsle(inner, {ten}))") == []
    assert _said(HIDDEN, tmp_path, f"bvsle(x, {ten})") == []  # the outer x is hidden by the inner one
    assert _said(HIDDEN, tmp_path, "eq(p, bv(0, 32))") == []
    assert _said(HIDDEN, tmp_path, f"not_(or_(bvslt({ten}, n), eq(p, bv(0, 32))))") == ["n <= 10"]


UNIMPORTANT = """
int up(int from, int to) {
  int k = from;
  while (k < to) k++;
  return k;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n != 7) return 0;
  if (up(0, n) != n) reach_error();
  up(100, 200);
  return 0;
}
"""


def test_a_copy_that_slicing_removed_is_not_forgotten(tmp_path: Path) -> None:
    """The second call cannot matter for the error, but it runs through the loop all the same."""
    OWN["unimportant"] = UNIMPORTANT
    try:
        assert _invariants(_own("unimportant", tmp_path), _QUICK, *DEFAULT) == ()
    finally:
        del OWN["unimportant"]


MACROS = """
#define RUN n = 0; while (n < 10 && __VERIFIER_nondet_int()) n++
#define AGAIN n = 0; again: if (n < 10 && __VERIFIER_nondet_int()) { n++; goto again; }
int main(void) {
  int n = 50;
  %s;
  if (n > 10) reach_error();
  return 0;
}
"""


@pytest.mark.parametrize("macro", ["RUN", "AGAIN"])
def test_nothing_is_said_of_loops_in_macros(macro: str, tmp_path: Path) -> None:
    """Where the macro stands, n is 50."""
    path = tmp_path / "macros.c"
    path.write_text(HEAD + MACROS % macro, encoding="utf-8")
    assert _invariants(Request((str(path),), data_model="ILP32"), _QUICK, *DEFAULT) == ()


# --- the meaning of texts ---------------------------------------------------------------------------------------------

TYPES = """
signed char c; unsigned char uc; short s; unsigned short us; int i; unsigned u; long l; unsigned long ul;
long long ll; unsigned long long ull; struct { int a; unsigned char b; } r;
int main(void) {
  int first = 0, second = c + uc + s + us + i + u + l + ul + ll + ull + r.a + r.b;
  while (first) second++;
  return second;
}
"""
_BINARY = (bvadd, bvsub, bvmul, bvand, bvor, bvxor, bvudiv, bvurem, bvsdiv, bvsrem, bvshl, bvlshr, bvashr)
_RELATIONS = (eq, bvult, bvule, bvslt, bvsle, bvsge)


def _random_vector(rng: Random, variables: list[Term], depth: int) -> Term:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(variables)
    a = _random_vector(rng, variables, depth - 1)
    assert isinstance(a.sort, BitVec)
    width = a.sort.width
    roll = rng.random()
    if roll < 0.15:
        return rng.choice((bvneg, bvnot))(a)
    if roll < 0.25:
        return ite(_random_relation(rng, variables, depth - 1), a, bv(rng.getrandbits(width), width))
    if roll < 0.3 and width > 8:
        return sign_extend(width - 8, extract(7, 0, a))
    return rng.choice(_BINARY)(a, _fitted(rng, _random_vector(rng, variables, depth - 1), width))


def _fitted(rng: Random, term: Term, width: int) -> Term:
    assert isinstance(term.sort, BitVec)
    if rng.random() < 0.3:
        return bv(rng.choice((0, 1, 7, (1 << width) - 1, 1 << (width - 1))), width)
    if term.sort.width > width:
        return extract(width - 1, 0, term)
    extend = rng.choice((sign_extend, zero_extend))
    return term if term.sort.width == width else extend(width - term.sort.width, term)


def _random_relation(rng: Random, variables: list[Term], depth: int) -> Term:
    a = _random_vector(rng, variables, depth)
    assert isinstance(a.sort, BitVec)
    found = rng.choice(_RELATIONS)(a, _fitted(rng, _random_vector(rng, variables, depth), a.sort.width))
    if depth > 1 and rng.random() < 0.4:
        other = _random_relation(rng, variables, depth - 1)
        found = rng.choice((and_, or_))(found, not_(other) if rng.random() < 0.5 else other)
    return found


@pytest.mark.parametrize("data_model", ["ILP32", "LP64"])
def test_texts_mean_what_the_formulas_mean(data_model: str, tmp_path: Path) -> None:
    path = tmp_path / "types.c"
    path.write_text(TYPES, encoding="utf-8")
    request = Request((str(path),), data_model=data_model)
    program = load_program(request)
    variables = sorted((v for v in program.symbols if "::" not in v.name), key=str)
    assert len(variables) == 12
    rng = Random(data_model)
    terms = [_random_relation(rng, variables, 1 + n % 2) for n in range(90)]
    wanted = [(term, text) for term in terms if refused(text := spelled(term, program)) is None]
    offset = path.read_text(encoding="utf-8").index("while")
    meanings = terms_in_scope([Snippet(path, offset, text) for _, text in wanted], c_source(request), program)
    understood = 0
    for (term, text), meaning in zip(wanted, meanings, strict=True):
        if isinstance(meaning, NotInScope):
            assert "?" in text, (text, meaning)  # a division guarded against zero is control flow to the front end
            continue
        understood += 1
        assert not _differ(term, meaning), text
        assert _agree(term, meaning, rng), text
    assert understood > 45


def _differ(a: Term, b: Term) -> bool:
    """Whether a solver knows values under which they do; some are too hard for it."""
    solver = make_checker("bitwuzla", 1.0)
    solver.add(xor(a, b))
    return isinstance(solver.check(), Sat)


def _agree(a: Term, b: Term, rng: Random) -> bool:
    """Under random values."""
    from craton.logic import Model, evaluate, free_variables

    variables = free_variables(a) | free_variables(b)
    for _ in range(30):
        values = {}
        for v in sorted(variables, key=lambda v: v.serial):
            assert isinstance(v.sort, BitVec)
            values[v] = rng.choice((0, 1, (1 << v.sort.width) - 1, rng.getrandbits(v.sort.width)))
        if evaluate(a, Model(values)) != evaluate(b, Model(values)):
            return False
    return True


@pytest.mark.parametrize(
    "text",
    ["x = 1", "x++", "f(x)", "x) || (1", "1; }", "x, y", '"a"', "", "#", "x += 1", "(x", "{ 1; }", "x ? y", "@", "\\"],
)
def test_what_is_no_expression_is_not_tried_or_does_not_parse(text: str, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("int main(void) {\n  int x = 0, y = 0;\n  while (x < 3) x++;\n  return y;\n}\n", encoding="utf-8")
    request = Request((str(path),), data_model="ILP32")
    offset = path.read_text(encoding="utf-8").index("while")
    good = Snippet(path, offset, "x <= 3 && y == 0")
    meanings = terms_in_scope([good, Snippet(path, offset, text), good], c_source(request), load_program(request))
    assert isinstance(meanings[1], NotInScope)
    assert meanings[1].reason
    assert meanings[0] is meanings[2]
    assert isinstance(meanings[0], Term) and meanings[0] is not TRUE
