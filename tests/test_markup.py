"""HTML of objects: whatever they contain is text there."""

from __future__ import annotations

from craton.markup import Html, code, element, shown, table
from support.html import read

HOSTILE = "<script>alert('1')</script> & \"x\""


def test_text_is_escaped_and_elements_are_not() -> None:
    assert element("b", "1 < 2", code("a & b")) == "<b>1 &lt; 2<code>a &amp; b</code></b>"
    assert element("i", "x", kind='a"b') == '<i class="a&quot;b">x</i>'
    assert isinstance(code("x"), Html)


def test_a_table_is_well_formed_whatever_its_cells_say() -> None:
    page = read(shown(table((HOSTILE, "b"), [(HOSTILE, code(HOSTILE))])))
    assert page.rows == [[HOSTILE, "b"], [HOSTILE, HOSTILE]]
