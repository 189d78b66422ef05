"""Explanations as a self-contained page: no network, no scripts needed to read it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from craton.logic import infix
from craton.traces.explanation import Column, Explanation

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --core: #2a7d4f; --formula: #0b5fa5; --dim: #8a8a8a; }
@media (prefers-color-scheme: dark) { :root { --core: #6fcf97; --formula: #7cb8f2; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th { text-align: left; padding: .4rem .8rem; border-bottom: 2px solid var(--line); position: sticky; top: 0;
     background: Canvas; }
td { padding: .15rem .8rem; vertical-align: top; font-family: ui-monospace, monospace; font-size: .87rem; }
tr.statement td { border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); font-weight: 600; }
td.line { color: var(--dim); text-align: right; }
td.formula { color: var(--formula); min-width: 11rem; max-width: 28rem; overflow-wrap: anywhere; }
/* The statements stay in sight when the columns of many refiners are scrolled. */
th.statement, td.statement { position: sticky; left: 0; z-index: 1; background: Canvas; min-width: 11rem;
     max-width: 22rem; overflow-wrap: anywhere; }
td .live { display: block; color: var(--dim); font-size: .78rem; }
.core { color: var(--core); font-weight: 400; }
.verdict { font-weight: 400; display: block; font-size: .8rem; color: var(--dim); }
.perfect { color: var(--core); }
"""

_LEGEND = """
<p>Read downwards: each statement of the trace stands between the assertions that hold before and after it. All
sequences start with <code>true</code> and end with <code>false</code>: nobody can execute the trace. <span
class="core">●</span> marks statements in the infeasible core; the others did not matter. A sequence is <em>perfect</em>
if it proves the whole path program, with all its loops: then it contains the loop invariants.</p>
"""


def page(explanations: Sequence[tuple[str, Explanation]], source: str) -> str:
    """The page for the traces of one program."""
    sections = "".join(f"<h2>{escape(title)}</h2>{_table(explanation)}" for title, explanation in explanations)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Craton explains {escape(source)}</title><style>{_STYLE}</style></head>"
        f"<body><h1>What refiners learn from {escape(source)}</h1>{_LEGEND}{sections}</body></html>\n"
    )


def _table(explanation: Explanation) -> str:
    heads = "".join(f"<th>{escape(c.refiner)}{_verdict(c)}</th>" for c in explanation.columns)
    rows = [f'<tr><th>line</th><th class="statement">statement</th>{heads}</tr>']
    for position in range(len(explanation.trace) + 1):
        cells = "".join(_assertion(c, position) for c in explanation.columns)
        rows.append(f'<tr><td></td><td class="statement"></td>{cells}</tr>')
        if position < len(explanation.trace):
            marks = "".join(f"<td>{_mark(c, position)}</td>" for c in explanation.columns)
            rows.append(
                f'<tr class="statement"><td class="line">{explanation.places[position]}</td>'
                f'<td class="statement">{escape(explanation.statements[position])}</td>{marks}</tr>'
            )
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _verdict(column: Column) -> str:
    kind = "verdict perfect" if column.perfect else "verdict"
    size = f", {column.total_size} nodes" if column.assertions else ""
    return f'<span class="{kind}">{escape(column.verdict)}{size}, {column.seconds * 1000:.0f} ms</span>'


def _assertion(column: Column, position: int) -> str:
    if not column.assertions:
        return "<td></td>"
    live = column.live(position)
    names = f'<span class="live">live: {escape(", ".join(live))}</span>' if live else ""
    return f'<td class="formula">{escape(infix(column.assertions[position]))}{names}</td>'


def _mark(column: Column, position: int) -> str:
    return '<span class="core">● in core</span>' if column.core and position in column.core else ""
