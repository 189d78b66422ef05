"""Traces as text: one statement a line, with terms in SMT-LIB, over declarations as in `support.declarations`.

    x := (+ x 1)         an assignment
    havoc p              a choice
    (< x 10)             an assumption
    3 times { … }        a loop, taken three times
    loop { … } again { … }   a loop whose rounds take different ways through its body
    block { … }          one statement made of several
    either { … } or { … }    inside of a block only: branches that join again

Locations follow from the text: the rounds of a loop start at the same one, and the same statements in the same place
are the same edges.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count

from craton.logic import BOOL, TRUE, Function, Symbols, Term
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Havoc, Statement
from craton.traces.trace import Trace
from support.declarations import parsed, symbols_of
from support.entries import BadExample, Line, lines_of

_STRUCTURE = re.compile(r"\d+ times \{|loop \{|\} again \{|block \{|either \{|\} or \{|\}")
_TIMES = re.compile(r"(\d+) times \{")
_END = Line("", "at the end")


def read_trace(declarations: str, text: str) -> Trace:
    return trace_of(declarations, lines_of(text, "text"))


def trace_of(declarations: str, lines: Sequence[Line]) -> Trace:
    _check_braces(lines)
    reader = _Reader(lines, _statements(declarations, lines))
    return Trace(tuple(reader.path(Location(0), None)[0]))


def _check_braces(lines: Sequence[Line]) -> None:
    """Every brace has its partner, and what goes between two pairs of them fits the first."""
    opened: list[Line] = []
    for line in lines:
        if not _STRUCTURE.fullmatch(line.text):
            if "{" in line.text or "}" in line.text:
                raise BadExample(line.place, f"braces as in `{line.text}` mean nothing")
            continue
        if line.text.startswith("}"):
            if not opened:
                raise BadExample(line.place, f"`{line.text}` closes nothing")
            first = opened.pop().text
            expected = {"} again {": "loop {", "} or {": "either {"}.get(line.text, first)
            if first != expected:
                raise BadExample(line.place, f"`{line.text}` goes with `{expected} …`, not with `{first} …`")
        elif (line.text == "either {") != _within_block(opened):
            where = "inside" if _within_block(opened) else "outside"
            raise BadExample(line.place, f"`{line.text} …` has no place {where} of a block")
        if line.text.endswith("{"):
            opened.append(Line(expected, line.place) if line.text.startswith("}") else line)
    if opened:
        raise BadExample(opened[-1].place, f"`{opened[-1].text}` is never closed")


def _within_block(opened: Sequence[Line]) -> bool:
    return any(line.text == "block {" for line in opened)


def _statements(declarations: str, lines: Sequence[Line]) -> dict[str, Statement]:
    """What each line that is a statement means."""
    names = symbols_of(declarations)
    variables = {name: item for name, item in names.items() if isinstance(item, Term)}
    symbols = Symbols()
    for item in names.values():
        symbols.of(item)
    holders = {name: Function(f"value of {name}", (v.sort,), BOOL) for name, v in variables.items()}
    for holder in holders.values():
        symbols.of(holder)
    found: dict[str, Statement] = {}
    formulas: dict[str, Line] = {}  # by what the statement is in the text
    for line in lines:
        name, assigned, value = line.text.partition(" := ")
        if line.text.startswith("havoc "):
            found[line.text] = Havoc(tuple(_variable(name, variables, line) for name in line.text.split()[1:]))
        elif assigned:
            _variable(name, variables, line)
            formulas[line.text] = Line(f"({symbols.of(holders[name])} {value})", line.place)
        elif not _STRUCTURE.fullmatch(line.text):
            formulas[line.text] = line
    for text, formula in zip(formulas, parsed(symbols, list(formulas.values())), strict=True):
        name, assigned, _ = text.partition(" := ")
        found[text] = Assign(variables[name], formula.args[0]) if assigned else Assume(formula)
    return found


def _variable(name: str, variables: Mapping[str, Term], line: Line) -> Term:
    if name not in variables:
        raise BadExample(line.place, f"no variable is called {name!r}: {', '.join(variables)}")
    return variables[name]


class _Reader:
    """Goes through the lines once; their braces are known to be in order."""

    def __init__(self, lines: Sequence[Line], statements: Mapping[str, Statement]) -> None:
        self._lines = [*lines, _END]
        self._at = 0
        self._statements = statements
        self._ids = count(1)
        self._edges: dict[tuple[Location, str, Location | None], Edge] = {}

    @property
    def _next(self) -> str:
        return self._lines[self._at].text

    @property
    def _closing(self) -> bool:
        """Whether a part of the text ends here."""
        return self._next.startswith("}")

    def _take(self) -> str:
        self._at += 1
        return self._lines[self._at - 1].text

    def path(self, here: Location, back: Location | None) -> tuple[list[Edge], Location]:
        """Edges up to the closing brace or the end; the last one leads to `back`, if there is one."""
        edges: list[Edge] = []
        while self._next and not self._closing:
            times = _TIMES.fullmatch(self._next)
            if times:
                self._take()
                edges += self._round(here) * int(times[1])
                self._take()
            elif self._next == "loop {":
                self._take()
                edges += self._round(here)
                while self._take() == "} again {":
                    edges += self._round(here)
            else:
                edges.append(self._edge(here, back))
                here = edges[-1].target
        return edges, here

    def _edge(self, here: Location, back: Location | None) -> Edge:
        start = self._at
        line = self._take()
        block = self._block() if line == "block {" else None
        text = "\n".join(line.text for line in self._lines[start : self._at])
        last = back if self._closing else None
        if (here, text, last) not in self._edges:
            edge = Edge(here, block or self._statements[line], last or Location(next(self._ids)))
            self._edges[here, text, last] = edge
        return self._edges[here, text, last]

    def _round(self, head: Location) -> list[Edge]:
        edges, end = self.path(head, head)
        if end != head or not edges:
            raise BadExample(self._lines[self._at - 1].place, "the last line of a loop's body must be a statement")
        return edges

    def _block(self) -> Block:
        edges: list[Edge] = []
        self._inside(Location(next(self._ids)), edges)
        self._take()
        return Block(tuple(edges))

    def _inside(self, here: Location, edges: list[Edge], end: Location | None = None) -> None:
        """The edges of a block's part; it ends at `end`, if there is one."""
        while not self._closing:
            line = self._take()
            if line == "either {":
                join = Location(next(self._ids))
                self._inside(here, edges, join)
                while self._take() == "} or {":
                    self._inside(here, edges, join)
                here = join
            else:
                target = (end if self._closing else None) or Location(next(self._ids))
                edges.append(Edge(here, self._statements[line], target))
                here = target
        if end is not None and here != end:  # an empty branch, or one that ends with branches of its own
            edges.append(Edge(here, Assume(TRUE), end))
