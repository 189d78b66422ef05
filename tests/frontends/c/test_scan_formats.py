"""What formats of scanf write."""

from __future__ import annotations

from dataclasses import replace

import pytest

from craton.frontends.c.syntax.scan_formats import Conversion, Written, conversions

INT, LONG = Conversion(Written.INTEGER, 4), Conversion(Written.INTEGER, 8)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("", ()),
        ("abc %% def", ()),
        ("%d,%i;%5u", (INT, INT, INT)),
        ("%*d%x", (INT,)),
        ("%hhd%hX%ld%lld%zu%jd", (Conversion(Written.INTEGER, 1), Conversion(Written.INTEGER, 2), *[LONG] * 4)),
        ("%f%lf%Lg", tuple(Conversion(Written.FLOATING, size) for size in (4, 8, 16))),
        ("%p%n%hn", (LONG, Conversion(Written.COUNT, 4), Conversion(Written.COUNT, 2))),
        ("%c%7c", (Conversion(Written.CHARACTERS, 1), Conversion(Written.CHARACTERS, 7))),
        ("%s%31s", (Conversion(Written.TEXT, None), Conversion(Written.TEXT, 31))),
        ("%[^]%d]%[]x]%4[a-z]", (*[Conversion(Written.TEXT, None)] * 2, Conversion(Written.TEXT, 4))),
        ("%ls", None),
        ("%ms", None),
        ("%1$d", None),
        ("%d%", None),
        ("%y", None),
    ],
)
def test_conversions(template: str, expected: object) -> None:
    found = conversions(template, 8)
    assert (None if found is None else tuple(replace(each, source="") for each in found)) == expected


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("%d,%5u", ["scanf(%d)", "scanf(,%5u)"]),
        ("%% %lx%n%c", ["scanf(% %lx)", "", "scanf(%c)"]),
        ("a%*db%hhd", ["scanf(ab%hhd)"]),
        ("%s%lf", ["", "scanf(%lf)"]),
    ],
)
def test_what_is_read_has_a_name(template: str, expected: list[str]) -> None:
    assert [each.source for each in conversions(template, 8) or ()] == expected


def test_some_are_as_wide_as_pointers() -> None:
    sizes = [each.size for each in conversions("%ld%zd%p%Lf%lld", 4) or ()]
    assert sizes == [4, 4, 4, 12, 8]
