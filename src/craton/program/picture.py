"""Automata as pictures: SVG that stands for itself, in the colours of the page that it is on. Needs no graphviz."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from html import escape
from itertools import pairwise

from craton.logic import TRUE
from craton.program.cfa import Edge, Location, Procedure, Program, Unmodelled
from craton.program.layout import Arrow, Layout, laid_out
from craton.program.readable import Readable
from craton.program.statements import Assume

_LONGEST = 44  # characters of a label
_CHARACTER = 6.7  # its width
_BOX, _HEIGHT = 34.0, 20.0
_MARGIN = 12.0
_TITLE = 22.0
LARGEST = 400  # edges that a person looks at

_STYLE = """
.cfa text { font: 11px ui-monospace, monospace; fill: currentColor; }
.cfa rect { fill: none; stroke: currentColor; stroke-opacity: .6; }
.cfa .loop rect { stroke-width: 2.5; } .cfa .end rect { fill: currentColor; fill-opacity: .12; }
.cfa .error rect { fill: #d33; fill-opacity: .35; stroke: #d33; stroke-opacity: 1; }
.cfa .gap rect { fill: #c80; fill-opacity: .3; stroke: #c80; stroke-opacity: 1; }
.cfa path { fill: none; stroke: currentColor; stroke-opacity: .55; }
.cfa .taken path { stroke: #d33; stroke-opacity: 1; stroke-width: 2; } .cfa .taken text { font-weight: bold; }
.cfa .head { fill: currentColor; stroke: none; }
"""


def to_svg(program: Program, taken: Collection[Edge] = ()) -> str:
    """Every procedure beside the others; loop heads are bold, errors red, the edges of a path that is to be seen, too.

    A program that is too large to be looked at is a sentence instead.
    """
    number = sum(1 for _ in program.edges())
    if number > LARGEST:
        return f"<p>{number} edges are too many for a picture.</p>"
    chosen = frozenset((edge.source, edge.target) for edge in taken)
    words = Readable(program)
    drawn = [_procedure(procedure, program, words, chosen) for procedure in program.procedures.values()]
    x, parts = _MARGIN, []
    for part, width, _ in drawn:
        parts.append(f'<g transform="translate({x:.0f},{_TITLE:.0f})">{part}</g>')
        x += width + 2 * _MARGIN
    height = _TITLE + _MARGIN + max((tall for _, _, tall in drawn), default=0.0)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="cfa" viewBox="0 0 {x:.0f} {height:.0f}" width="{x:.0f}"'
        f' height="{height:.0f}" role="img" aria-label="control-flow automaton"><style>{_STYLE}</style>'
        '<defs><marker id="cfa-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6"'
        f' orient="auto"><path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>{"".join(parts)}</svg>'
    )


def _procedure(
    procedure: Procedure, program: Program, words: Readable, taken: Collection[tuple[Location, Location]]
) -> tuple[str, float, float]:
    """Its picture, how wide and how high it is."""
    first = [procedure.entry, *(one for one in procedure.locations if one != procedure.entry)]
    numbers = {location: number for number, location in enumerate(first)}
    texts = [_text(edge, words) for edge in procedure.edges]
    labels = [text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…" for text in texts]
    arrows = [
        Arrow(numbers[edge.source], numbers[edge.target], _CHARACTER * len(text))
        for edge, text in zip(procedure.edges, labels, strict=True)
    ]
    laid = laid_out([_BOX] * len(first), arrows)
    parts = [f'<text x="0" y="-6" font-weight="bold">{escape(procedure.name)}</text>']
    for edge, label, text, points, at in zip(procedure.edges, labels, texts, laid.arrows, laid.labels, strict=True):
        kind = ' class="taken"' if (edge.source, edge.target) in taken else ""
        if edge.origin is not None:
            kind += f' data-at="{escape(edge.origin.file)}:{edge.origin.line}"'
        parts.append(f"<g{kind}>{_line(points)}{_label(label, text, at)}</g>")
    parts += _boxes(first, procedure, program, laid)
    return "".join(parts), max(laid.width, _CHARACTER * len(procedure.name)), laid.height


def _text(edge: Edge, words: Readable) -> str:
    """What the edge does; nothing, where nothing happens."""
    if isinstance(edge.statement, Assume) and edge.statement.condition is TRUE:
        return ""
    text = " ".join(words.statement(edge.statement).split())
    return f"[{text.removeprefix('assume ')}]" if isinstance(edge.statement, Assume) else text


def _line(points: tuple[tuple[float, float], ...]) -> str:
    """Through all points, upright where it leaves and comes, up to the border of its target."""
    way = list(points)
    down = way[-1][1] > way[-2][1]
    way[0] = (way[0][0], way[0][1] + (_HEIGHT / 2 if way[1][1] > way[0][1] else -_HEIGHT / 2))
    way[-1] = (way[-1][0], way[-1][1] - (_HEIGHT / 2 if down else -_HEIGHT / 2))
    if points[0] == points[-1]:  # round, beside its label
        way[0], way[-1] = (way[0][0] - 6, way[0][1]), (way[-1][0] + 6, way[-1][1])
    path = f"M{way[0][0]:.0f} {way[0][1]:.0f}"
    for (x, y), (to_x, to_y) in pairwise(way):
        middle = (y + to_y) / 2
        path += f" C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {to_y:.0f}"
    return f'<path d="{path}" marker-end="url(#cfa-head)"/>'


def _label(text: str, whole: str, at: tuple[float, float]) -> str:
    if not text:
        return ""
    x, y = at
    width = _CHARACTER * len(text)
    return (
        f'<rect x="{x - width / 2:.0f}" y="{y - 8:.0f}" width="{width:.0f}" height="16"'
        ' style="fill: Canvas; stroke: none"/>'
        f'<text x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle">{escape(text)}<title>{escape(whole)}</title></text>'
    )


def _boxes(locations: list[Location], procedure: Procedure, program: Program, laid: Layout) -> Iterator[str]:
    for location, (x, y) in zip(locations, laid.boxes, strict=True):
        kind, told = _kind(location, procedure, program)
        yield (
            f'<g class="{kind}"><rect x="{x - _BOX / 2:.0f}" y="{y - _HEIGHT / 2:.0f}" width="{_BOX:.0f}"'
            f' height="{_HEIGHT:.0f}" rx="9"/><text x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle">{location}'
            f"<title>{escape(told)}</title></text></g>"
        )


def _kind(location: Location, procedure: Procedure, program: Program) -> tuple[str, str]:
    violated = program.errors.get(location)
    if isinstance(violated, Unmodelled):
        return "gap", violated.sentence
    if violated is not None:
        return "error", f"{violated.name}: {violated.description}"
    if location in program.loop_heads:
        place = program.loop_heads[location]
        return "loop", "a loop" if place is None else f"the loop at {place}"
    if location in (procedure.entry, procedure.exit):
        return "end", "the entry" if location == procedure.entry else "the exit"
    return "inside", str(location)
