"""Explanations as a self-contained page: no network, no scripts needed to read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from craton.markup import Html
from craton.program.storage import MEMORY
from craton.report.document import document, folded, highlighted, source_lines
from craton.traces.explanation import Column, Explained, Line
from craton.traces.refutation import Abstraction
from craton.words import counted

_STYLE = """
td.formula, th { font-size: .87rem; } table { width: auto; }
th { position: sticky; top: 0; background: var(--card); vertical-align: bottom; }
td { font-family: ui-monospace, monospace; font-size: .87rem; }
tr.statement td { border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); font-weight: 600; }
td.line { color: var(--dim); text-align: right; }
td.formula { color: var(--accent); min-width: 11rem; max-width: 28rem; overflow-wrap: anywhere; }
/* The statements stay in sight when the columns of many refiners are scrolled. */
th.statement, td.statement { position: sticky; left: 0; z-index: 1; background: var(--card); min-width: 11rem;
     max-width: 22rem; overflow-wrap: anywhere; }
/* What a clause takes besides the fact above it is derived further in. */
td .inside { border-left: 2px solid var(--line); margin-left: calc((var(--depth) - 1) * .9rem + .3rem);
     padding-left: .6rem; }
td .live { display: block; color: var(--dim); font-size: .78rem; }
.core { color: var(--good); font-weight: 400; }
.verdict { font-weight: 400; display: block; font-size: .8rem; color: var(--dim); }
.perfect { color: var(--good); }
@media (max-width: 800px) { th.statement, td.statement { position: static; min-width: 8rem; max-width: 11rem; } }
"""

_SHORT = 60  # lines of a source that is shown at once

_LEGEND = """
<p>Read downwards: each statement of the trace stands between the assertions that hold before and after it. All
sequences start with <code>true</code> and end with <code>false</code>: nobody can execute the trace. <span
class="core">●</span> marks statements in the infeasible core; the others did not matter. A sequence is <em>perfect</em>
if it proves the whole path program by one assertion for each location: then it contains the loop invariants.</p>
"""

_LEGEND_OF_TREES = """
<p>Read downwards: below each clause, or statement, stands what refiners assert about the fact that it derives, or the
state it leads to. It builds on the one above it with the same indentation, and on the last one of each part between the
two that is indented further: what else the clause needs, or the call that returns. All assertions end with
<code>false</code>: nothing is derived. <span class="core">●</span> marks what is in the infeasible core; the others did
not matter. Assertions are <em>perfect</em> if they prove that no derivation with the clauses of the tree, however
large, ends with <code>false</code>: then they contain the invariants, and what calls ensure.</p>
"""


def page(explanations: Sequence[tuple[str, Explained]], source: str, texts: Mapping[str, str] | None = None) -> str:
    """The page for the traces of one program, or for the trees of one system; with the texts of its files."""
    legend = _LEGEND if all(explanation.begins_with_assertion for _, explanation in explanations) else _LEGEND_OF_TREES
    head = f'<section class="card"><h1>What refiners learn from {escape(source)}</h1>{legend}</section>'
    sources = [
        folded(name, _source(text), begins_open=text.count("\n") <= _SHORT) for name, text in (texts or {}).items()
    ]
    sections = [f'<section class="card"><h2>{escape(title)}</h2>{_table(one)}</section>' for title, one in explanations]
    body = (Html(head), *sources, *map(Html, sections))
    return document(f"Craton explains {source}", *body, style=_STYLE)


def _source(text: str) -> Html:
    lines = (
        f'<div class="row"><span class="no mono">{number}</span><span class="code">{line}</span></div>'
        for number, line in enumerate(highlighted(text), 1)
    )
    return source_lines([*map(Html, lines)])


def _table(explanation: Explained) -> str:
    heads = "".join(f"<th>{escape(c.refiner)}{_verdict(c)}</th>" for c in explanation.columns)
    rows = [f'<tr><th>line</th><th class="statement">{explanation.step}</th>{heads}</tr>']
    if explanation.begins_with_assertion:
        rows.append(_assertions(explanation, 0))
    for step, line in enumerate(explanation.lines):
        marks = "".join(f"<td>{_mark(c, step)}</td>" for c in explanation.columns)
        rows.append(
            f'<tr class="statement"><td class="line">{line.place}</td>'
            f'<td class="statement">{_indented(line)}</td>{marks}</tr>'
        )
        rows.append(_assertions(explanation, step + explanation.begins_with_assertion))
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _indented(line: Line) -> str:
    return (
        f'<div class="inside" style="--depth: {line.depth}">{escape(line.text)}</div>'
        if line.depth
        else escape(line.text)
    )


def _assertions(explanation: Explained, position: int) -> str:
    cells = "".join(_assertion(explanation, c, position) for c in explanation.columns)
    return f'<tr><td></td><td class="statement"></td>{cells}</tr>'


def _verdict(column: Column) -> str:
    kind = "verdict perfect" if column.perfect else "verdict"
    size = f", {column.total_size} nodes" if column.assertions else ""
    frontier = "" if column.abstraction is None else _frontier(column.abstraction)
    return f'<span class="{kind}">{escape(column.verdict)}{size}, {column.seconds * 1000:.0f} ms</span>{frontier}'


def _frontier(told: Abstraction) -> str:
    """The sets of templates that suffice, one a line; the chosen one marked ([EI] VI)."""
    whole = "frontier" if told.complete else "part of the frontier that was found in time"
    lines = [f"{whole}, of the lattice over {counted(told.base, 'template')}:"]
    for found in told.elements:
        mark = "▸ remembers" if found == told.chosen else "or"
        lines.append(f"{mark} {found}, cost {found.cost}")
    return '<span class="frontier">' + "<br>".join(map(escape, lines)) + "</span>"


def _assertion(explanation: Explained, column: Column, position: int) -> str:
    if not column.assertions:
        return "<td></td>"
    live = [name.removeprefix(MEMORY) for name in column.live(position)]
    names = f'<span class="live">live: {escape(", ".join(live))}</span>' if live else ""
    return f'<td class="formula">{escape(explanation.told(column.assertions[position]))}{names}</td>'


def _mark(column: Column, position: int) -> str:
    return '<span class="core">● in core</span>' if column.core and position in column.core else ""
