"""SMT-LIB 2.7 text of sorts, terms and whole queries. (Reading is the job of z3's parser: `smt.reading`.)"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from craton.errors import NotExpressible
from craton.logic import ieee, ops
from craton.logic.definitions import expand
from craton.logic.ops import Op
from craton.logic.rendering import Binding, Piece, fresh_names, render
from craton.logic.sorts import BOOL, INT, REAL, ROUNDING_MODE, BitVec, Float, Function
from craton.logic.terms import Term, format_of
from craton.logic.walk import QUANTIFIERS, functions, ordered_variables


@dataclass(frozen=True, slots=True)
class Dialect:
    """A solver's names, and the operations that it lacks and that are expanded by definition."""

    names: Mapping[Op, str] = field(default_factory=dict)
    missing: frozenset[Op] = frozenset()


STANDARD = Dialect()


def to_smtlib(term: Term, dialect: Dialect = STANDARD, symbols: Symbols | None = None) -> str:
    """One term, with `let` for shared parts."""
    language = _SmtLib(dialect, symbols or Symbols())
    term = expand(term, dialect.missing)
    bindings, body = render(term, language, fresh_names(term))
    return language.let(bindings, body).text


def script(
    assertions: Iterable[Term | tuple[str, Term]],
    *,
    dialect: Dialect = STANDARD,
    logic: str = "ALL",
    comment: str = "",
    options: Sequence[str] = (),
    closing: Sequence[str] = ("(check-sat)",),
) -> str:
    """A self-contained query.

    Named assertions are (name, formula) pairs; shared parts become definitions, so nothing nests deeply.
    """
    named = [("", a) if isinstance(a, Term) else a for a in assertions]
    formulas = [expand(formula, dialect.missing) for _, formula in named]
    symbols = _WritableSymbols()
    labels = [symbols.reserve(symbols.spelling(name)) if name else "" for name, _ in named]  # labels are symbols too
    lines = [f"; {line}" for line in comment.splitlines()]
    lines += [*options, f"(set-logic {logic})", *declarations(formulas, symbols)]
    names = fresh_names(*formulas)
    for label, formula in zip(labels, formulas, strict=True):
        definitions, text = defined(formula, names, dialect, symbols)
        lines += definitions
        lines.append(f"(assert (! {text} :named {quoted(label)}))" if label else f"(assert {text})")
    return "\n".join([*lines, *closing]) + "\n"


def declarations(formulas: Sequence[Term], symbols: Symbols) -> list[str]:
    """`declare-fun` for every free variable and function."""
    lines = [f"(declare-fun {symbols.of(v)} () {v.sort})" for v in ordered_variables(*formulas)]
    lines += [
        f"(declare-fun {symbols.of(f)} ({' '.join(map(str, f.params))}) {f.result})" for f in functions(*formulas)
    ]
    return lines


def defined(term: Term, names: Iterator[str], dialect: Dialect, symbols: Symbols) -> tuple[list[str], str]:
    """`define-fun` lines for the shared parts of a term (already expanded for the dialect), and the term's text."""
    bindings, body = render(term, _SmtLib(dialect, symbols), names)
    return [f"(define-fun {b.name} () {b.term.sort} {b.text})" for b in bindings], body.text


# --- symbols ----------------------------------------------------------------------------------------------------------


class Symbols:
    """The names of variables and functions in one script. Mostly their own; SMT-LIB allows each symbol once, so two
    variables of the same name (and different sorts), or a variable called `select`, get a suffix."""

    def __init__(self) -> None:
        self._texts: dict[Term | Function, str] = {}
        self._taken = set(_RESERVED)
        self.meaning: dict[str, Term | Function] = {}  # by name, unquoted

    def of(self, item: Term | Function) -> str:
        text = self._texts.get(item)
        if text is None:
            name = self.reserve(self.spelling(item.name))
            self.meaning[name] = item
            text = self._texts[item] = quoted(name)
        return text

    def spelling(self, name: str) -> str:
        """The preferred spelling of a name, if it is free."""
        return name

    def reserve(self, stem: str) -> str:
        """Reserves this name, or a similar one, for the caller."""
        name, number = stem, 1
        while name in self._taken:
            number += 1
            name = f"{stem}~{number}"
        self._taken.add(name)
        return name


class _WritableSymbols(Symbols):
    """For scripts, where names only have to be distinct: characters that SMT-LIB cannot write become question marks."""

    def spelling(self, name: str) -> str:
        return name.replace("|", "?").replace("\\", "?")


def quoted(name: str) -> str:
    """A symbol, in bars if SMT-LIB needs them."""
    if _SIMPLE.fullmatch(name):
        return name
    if "|" in name or "\\" in name:
        raise NotExpressible(f"SMT-LIB has no symbol {name!r}: names must not contain | or \\")
    return f"|{name}|"


_SIMPLE = re.compile(r"[A-Za-z~!@$%^&*_\-+=<>.?/][A-Za-z0-9~!@$%^&*_\-+=<>.?/]*")
_RESERVED = frozenset(Op.table) | frozenset(
    "true false let par _ ! as match BINARY DECIMAL HEXADECIMAL NUMERAL STRING > >= fp bvnand bvnor bvxnor bvcomp"
    " bvugt bvuge bvsgt bvsge divisible to_fp fp.gt fp.geq NaN +oo -oo +zero -zero bv2nat int2bv nat2bv RNE RNA RTP RTN"
    " RTZ roundNearestTiesToEven roundNearestTiesToAway roundTowardPositive roundTowardNegative roundTowardZero"
    # the standard's commands
    " assert check-sat check-sat-assuming declare-const declare-datatype declare-datatypes declare-fun declare-sort"
    " define-const define-fun define-fun-rec define-funs-rec define-sort echo exit get-assertions get-assignment"
    " get-info get-model get-option get-proof get-unsat-assumptions get-unsat-core get-value pop push reset"
    " reset-assertions set-info set-logic set-option"
    # functions that some solvers add to every logic, and that C programs use as names
    " exp sin cos tan sqrt is tuple sep card insert member subset union".split()
)


# --- terms ------------------------------------------------------------------------------------------------------------


class _SmtLib:
    """How one node is written in SMT-LIB."""

    longest = 2000
    shared_from = 12

    def __init__(self, dialect: Dialect, symbols: Symbols) -> None:
        self.dialect = dialect
        self.symbols = symbols

    def node(self, term: Term, parts: Sequence[Piece]) -> Piece:
        op = term.op
        if op is ops.VALUE:
            return Piece(value_text(term))
        if op is ops.VARIABLE:
            return Piece(self.symbols.of(term))
        if op in QUANTIFIERS:
            bound = " ".join(f"({self.symbols.of(v)} {v.sort})" for v in term.payload)
            return Piece(f"({op.name} ({bound}) {parts[0].text})")
        return Piece(f"({self._head(term)} {' '.join([p.text for p in parts])})")

    def _head(self, term: Term) -> str:
        op = term.op
        if op is ops.APPLY:
            return self.symbols.of(term.payload)
        if op is ops.CONST_ARRAY:
            return f"(as const {term.sort})"
        name = self.dialect.names.get(op) or _NAMES.get(op, op.name)
        if term.payload is None:
            return name
        return f"(_ {name} {' '.join(map(str, term.payload))})"

    def let(self, bindings: Sequence[Binding], body: Piece) -> Piece:
        opening = "".join([f"(let (({b.name} {b.text})) " for b in bindings])
        return Piece(f"{opening}{body.text}{')' * len(bindings)}")


# Our names distinguish overloads of one SMT-LIB symbol.
_NAMES = {
    ops.NEG: "-",
    ops.FP_FROM_BITS: "to_fp",
    ops.FP_FROM_FP: "to_fp",
    ops.FP_FROM_REAL: "to_fp",
    ops.FP_FROM_SIGNED: "to_fp",
}


def value_text(term: Term) -> str:
    """A constant."""
    sort, payload = term.sort, term.payload
    if sort is BOOL:
        return "true" if payload else "false"
    if sort is INT:
        return str(payload) if payload >= 0 else f"(- {-payload})"
    if sort is REAL:
        return _rational(payload)
    if sort is ROUNDING_MODE:
        return str(payload.value)
    if isinstance(sort, BitVec):
        return _bits(payload, sort.width)
    assert isinstance(sort, Float)
    return _float(payload, sort)


def _rational(number: Fraction) -> str:
    magnitude = abs(number)
    text = (
        f"{magnitude.numerator}.0"
        if magnitude.denominator == 1
        else f"(/ {magnitude.numerator}.0 {magnitude.denominator}.0)"
    )
    return text if number >= 0 else f"(- {text})"


def _bits(number: int, width: int) -> str:
    return f"#x{number:0{width // 4}x}" if width % 4 == 0 else f"#b{number:0{width}b}"


def _float(pattern: int, sort: Float) -> str:
    form = format_of(sort)
    if ieee.is_nan(form, pattern):
        return f"(_ NaN {sort.exponent_bits} {sort.significand_bits})"
    if ieee.is_infinite(form, pattern):
        sign = "-" if ieee.is_negative(form, pattern) else "+"
        return f"(_ {sign}oo {sort.exponent_bits} {sort.significand_bits})"
    digits = f"{pattern:0{sort.width}b}"
    return f"(fp #b{digits[0]} #b{digits[1 : sort.exponent_bits + 1]} #b{digits[sort.exponent_bits + 1 :]})"
