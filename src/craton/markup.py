"""Pieces of HTML that objects show of themselves in notebooks (`_repr_html_`): escaped here, in one place, and in the
colours of the page that they are on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
.craton table { border-collapse: collapse; } .craton { overflow-x: auto; }
.craton th, .craton td { text-align: left; vertical-align: top; padding: .1rem .7rem; border: none; }
.craton th { border-bottom: 1px solid currentColor; }
.craton td { font-family: ui-monospace, monospace; font-size: .87em; }
.craton .formula { color: #1f7ac2; } .craton .dim { opacity: .6; } .craton .strong { font-weight: 600; }
.craton .good { color: #2a8a57; } .craton .bad { color: #d33; } .craton .open { color: #b60; }
"""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, *content: str, kind: str = "") -> Html:
    """An element; content that is not HTML is escaped."""
    inside = "".join(one if isinstance(one, Html) else escape(one) for one in content)
    return Html(f'<{name} class="{escape(kind)}">{inside}</{name}>' if kind else f"<{name}>{inside}</{name}>")


def code(text: str) -> Html:
    return element("code", text)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    """Cells are texts, or elements."""
    head = element("tr", *(element("th", cell) for cell in heads)) if any(heads) else Html()
    return element("table", head, *(element("tr", *map(_cell, row)) for row in rows))


def _cell(content: str) -> Html:
    return element("td", content)


def shown(*parts: str) -> str:
    """A whole, as a notebook takes it."""
    return element("div", Html(f"<style>{_STYLE}</style>"), *parts, kind="craton")
