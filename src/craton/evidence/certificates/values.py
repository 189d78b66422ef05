"""Sorts and values as a certificate writes them.

A sort is its SMT-LIB text. A value is read by its sort, so that nothing is ambiguous:

    Bool                      true, false
    Int, BitVec, Float        a number: of a bit-vector unsigned, of a float its bit pattern
    Real                      a text: "3", "-1/3"
    RoundingMode              its name
    Array                     {"default": value, "entries": [[index, value], …]}
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from craton.errors import CratonError
from craton.evidence.certificates.fields import Fields, as_list, as_text, one_line
from craton.evidence.certificates.format import BadCertificate
from craton.logic.ieee import RoundingMode, canonical
from craton.logic.semantics import ArrayValue, Value
from craton.logic.sorts import BOOL, INT, REAL, ROUNDING_MODE, Array, BitVec, Float, Sort
from craton.logic.terms import format_of
from craton.smt.sexpr import Sexpr, parse

LARGEST_INDEX = 2**20  # of bits in a sort, for example
LONGEST_NUMBER = 4000  # digits
_DEEPEST_SORT = 16
_BASIC = {str(sort): sort for sort in (BOOL, INT, REAL, ROUNDING_MODE)}
_RATIONAL = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?", re.ASCII)


def read_sort(text: str) -> Sort:
    """The sort whose SMT-LIB text this is, to the letter."""
    try:
        found = _sort(parse(text), 0)
        if str(found) == text:
            return found
    except (ValueError, CratonError):
        pass
    raise BadCertificate(f"{one_line(text)!r} is no sort")


def _sort(expression: Sexpr, depth: int) -> Sort:
    match expression:
        case str() if expression in _BASIC:
            return _BASIC[expression]
        case ["_", "BitVec", str(width)]:
            return BitVec(_size(width))
        case ["_", "FloatingPoint", str(exponent), str(significand)]:
            return Float(_size(exponent), _size(significand))
        case ["Array", index, element] if depth < _DEEPEST_SORT:
            return Array(_sort(index, depth + 1), _sort(element, depth + 1))
    raise ValueError


def _size(text: str) -> int:
    if not text.isdecimal() or len(text) > 7 or int(text) > LARGEST_INDEX:
        raise ValueError
    return int(text)


def read_value(content: Any, sort: Sort) -> Value:
    """A value of the sort, as `logic.semantics` represents it."""
    if isinstance(sort, Array):
        return _read_array(content, sort)
    if sort is BOOL and isinstance(content, bool):
        return content
    if sort is REAL:
        return _read_rational(as_text(content, "a value of sort Real"))
    if sort is ROUNDING_MODE and isinstance(content, str) and content in RoundingMode.__members__:
        return RoundingMode[content]
    if type(content) is int:
        if sort is INT:
            return content
        if isinstance(sort, BitVec | Float) and content >= 0 and content.bit_length() <= sort.width:
            # Of floats that are not numbers there is one pattern.
            return canonical(format_of(sort), content) if isinstance(sort, Float) else content
    raise BadCertificate(f"a value is no value of sort {sort}")


def _read_array(content: Any, sort: Array) -> ArrayValue:
    fields = Fields(content, f"a value of sort {sort}").only("default", "entries")
    entries: dict[Value, Value] = {}
    for entry in fields.entries("entries"):
        pair = as_list(entry, "an entry of an array")
        if len(pair) != 2:
            raise BadCertificate("an entry of an array is not an index with a value")
        index = read_value(pair[0], sort.index)
        if index in entries:
            raise BadCertificate("an array has two values at one index")
        entries[index] = read_value(pair[1], sort.element)
    return ArrayValue(read_value(fields.value("default"), sort.element), entries)


def _read_rational(text: str) -> Fraction:
    match = _RATIONAL.fullmatch(text)
    if match is None or len(text) > LONGEST_NUMBER or (match[2] is not None and int(match[2]) == 0):
        raise BadCertificate(f"{one_line(text)!r} is no value of sort Real")
    return Fraction(int(match[1]), int(match[2] or 1))


def write_value(value: Value, sort: Sort) -> Any:
    """As plain data that `read_value` takes for the same value."""
    if isinstance(sort, Array):
        entries = [[write_value(i, sort.index), write_value(v, sort.element)] for i, v in value.entries.items()]
        return {"default": write_value(value.default, sort.element), "entries": entries}
    if sort is REAL:
        return str(value)
    return value.value if sort is ROUNDING_MODE else value
