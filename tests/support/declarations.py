"""Declarations and formulas as the examples of tests write them.

Declarations are such as `x y: Int, a: Int => Bool, f: Int -> Int`. Sorts are written Bool, Int, Real, RM, B8 (a
bit-vector of 8 bits), F32 (a float of 32 bits), `index => element` (an array) and `param param -> result` (a function).
Formulas are SMT-LIB, one a line; `(f16 0.1)`, `(f32 0.1)` and `(f64 0.1)` are float constants, rounded to nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from craton.errors import SmtLibError
from craton.logic import (
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT,
    REAL,
    ROUNDING_MODE,
    Array,
    BitVec,
    Function,
    Sort,
    Symbols,
    Term,
    var,
)
from craton.smt.reading import declared, parse_script
from support.entries import BadExample, Entry, Line, lines_of

_SORTS: dict[str, Sort] = {
    "Bool": BOOL,
    "Int": INT,
    "Real": REAL,
    "RM": ROUNDING_MODE,
    "F16": FLOAT16,
    "F32": FLOAT32,
    "F64": FLOAT64,
}
_FLOAT_CONSTANTS = """
(define-fun f16 ((r Real)) (_ FloatingPoint 5 11) ((_ to_fp 5 11) RNE r))
(define-fun f32 ((r Real)) (_ FloatingPoint 8 24) ((_ to_fp 8 24) RNE r))
(define-fun f64 ((r Real)) (_ FloatingPoint 11 53) ((_ to_fp 11 53) RNE r))
"""


def sort_named(text: str) -> Sort:
    index, arrow, element = text.partition("=>")
    if arrow:
        return Array(sort_named(index.strip()), sort_named(element.strip()))
    if text in _SORTS:
        return _SORTS[text]
    if not (text.startswith("B") and text[1:].isdecimal()):
        raise ValueError(f"no sort is called {text!r}: {', '.join(_SORTS)}, B8 or index => element")
    return BitVec(int(text[1:]))


def symbols_of(declarations: str) -> dict[str, Term | Function]:
    """The variables and functions of `x y: Int, f: Int -> Int`, by name."""
    found: dict[str, Term | Function] = {}
    for declaration in filter(None, (part.strip() for part in declarations.split(","))):
        names, _, sort = (part.strip() for part in declaration.partition(":"))
        params, arrow, result = (part.strip() for part in sort.partition("->"))
        for name in names.split():
            if arrow:
                found[name] = Function(name, tuple(map(sort_named, params.split())), sort_named(result))
            else:
                found[name] = var(name, sort_named(sort))
    return found


def declarations_of(entry: Entry) -> str:
    """The declarations of an example, which make sense."""
    declarations = entry.required("var")
    try:
        symbols_of(declarations)
    except ValueError as error:
        raise BadExample(entry.fields["var"].place, str(error)) from None
    return declarations


@cache
def read(declarations: str, text: str, source: str = "text") -> tuple[Term, ...]:
    """The formulas of a text, one a line."""
    return read_lines(declarations, tuple(lines_of(text, source)))


@cache
def read_lines(declarations: str, lines: tuple[Line, ...]) -> tuple[Term, ...]:
    symbols = Symbols()
    for item in symbols_of(declarations).values():
        symbols.of(item)
    return tuple(parsed(symbols, lines))


def parsed(symbols: Symbols, lines: Sequence[Line]) -> list[Term]:
    """Formulas over these symbols. The parser is started only once, unless one of them is wrong."""
    before = "\n".join([*declared(symbols), _FLOAT_CONSTANTS])
    try:
        formulas = parse_script("\n".join([before, *(f"(assert {line.text})" for line in lines)]), symbols.meaning)
    except SmtLibError:
        formulas = []
    if len(formulas) != len(lines):
        for line in lines:
            _check_alone(before, line, symbols)
        raise BadExample(lines[0].place, f"{len(lines)} lines from here on are {len(formulas)} formulas")
    return formulas


def _check_alone(before: str, line: Line, symbols: Symbols) -> None:
    try:
        count = len(parse_script(f"{before}\n(assert {line.text})", symbols.meaning))
    except SmtLibError as error:
        raise BadExample(line.place, f"{line.text}: {error}") from None
    if count != 1:
        raise BadExample(line.place, f"{count} formulas instead of one: {line.text}")
