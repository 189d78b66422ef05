"""What pages for people are made of: one style, cards that fold, tables, source text in colours. Pages load nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from craton.markup import Html, element

_SHORT = 120  # lines
_TOKENS = re.compile(
    r"(?P<c>/\*.*?\*/|//[^\n]*)|(?P<s>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')|(?P<n>\b\d[\w.]*)|"
    r"(?P<k>\b(?:auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|goto|if|inline|int|"
    r"long|register|return|short|signed|sizeof|static|struct|switch|typedef|union|unsigned|void|volatile|while|_Bool|"
    r"procedure|requires|ensures|invariant|assert|assume|havoc|call|var|returns)\b|^[ \t]*#[ \t]*\w+)",
    re.DOTALL | re.MULTILINE,
)


def document(title: str, *body: str, style: str = "") -> str:
    """A page in the style of all pages, with what it needs besides."""
    head = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
    )
    style = f"<style>{asset('page.css')}{style}</style>"
    return f"{head}{element('title', title)}{style}</head><body>{element('main', *body)}</body></html>\n"


@cache
def asset(name: str) -> str:
    return (files("craton.report") / "assets" / name).read_text(encoding="utf-8")


def card(title: str, *content: str) -> Html:
    return element("section", element("h2", title), *content, kind="card")


def folded(title: str, *content: str, begins_open: bool = False) -> Html:
    inside = "".join(
        (element("summary", title), *(one if isinstance(one, Html) else element("p", one) for one in content))
    )
    return Html(f'<section class="card"><details{" open" if begins_open else ""}>{inside}</details></section>')


def rows(heads: Sequence[str], content: Sequence[Sequence[str]]) -> Html:
    top = element("tr", *(element("th", head) for head in heads)) if any(heads) else Html()
    lines = (element("tr", *(element("td", cell, kind="mono") for cell in row)) for row in content)
    return element("div", element("table", top, *lines), kind="scroll")


def source_lines(lines: Sequence[Html]) -> Html:
    """A text in its box, which is scrolled only if the text is long: what is scrolled away is easily missed."""
    return element("div", *lines, kind="source long" if len(lines) > _SHORT else "source")


def highlighted(text: str) -> list[Html]:
    """Lines in colours; a token over several lines is coloured in each of them."""
    lines: list[list[str]] = [[]]

    def put(part: str, kind: str) -> None:
        for number, piece in enumerate(part.split("\n")):
            if number:
                lines.append([])
            if piece:
                lines[-1].append(element("span", piece, kind=kind) if kind else element("span", piece))

    position = 0
    for match in _TOKENS.finditer(text):
        put(text[position : match.start()], "")
        put(match.group(), match.lastgroup or "")
        position = match.end()
    put(text[position:], "")
    return [Html("".join(line)) for line in (lines[:-1] if lines and not lines[-1] and len(lines) > 1 else lines)]
