"""A reproduced experiment as files: its tables as text, and one page with all its tables and figures.

The page stands for itself: figures are in it, and it loads nothing. Every run of the campaign is on the page of results
that stands beside it.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from craton.bench.experiments.contract import Experiment, Table, is_ours
from craton.bench.page import about, asset, filled
from craton.bench.presentation import write_all
from craton.bench.results import WRONG, Campaign
from craton.files import write_atomically

OURS = "ours"  # the heading of a column with our figures


def write_reproduction(experiment: Experiment, campaign: Campaign, out: Path) -> list[Path]:
    """Tables, page and figures of the experiment, and all that `craton bench` writes."""
    tables = experiment.tables(campaign)
    texts = [out / f"{experiment.name}.md", out / f"{experiment.name}.html"]
    written = write_all(campaign, out, experiment.figures)
    markdown = "\n".join([f"# {experiment.title}", "", *(table.markdown() for table in tables)])
    write_atomically(texts[0], markdown)
    drawn = [path for path in written if path.suffix == ".svg"]
    write_atomically(texts[1], experiment_page(experiment, campaign, tables, drawn))
    return [*texts, *written]


def experiment_page(
    experiment: Experiment, campaign: Campaign, tables: Sequence[Table], drawn: Sequence[Path] = ()
) -> str:
    """The page, with the figures that were drawn."""
    wrong = sum(run.status in WRONG for run in campaign.runs)
    parts = [
        f'<p class="alarm">{wrong} of the verdicts are WRONG; they count as not solved.</p>' if wrong else "",
        *map(_table, tables),
        *(_figure(path, experiment.captions.get(path.stem, path.stem)) for path in drawn),
    ]
    return filled(
        "experiment.html",
        {
            "@TITLE@": escape(experiment.title),
            "@STYLE@": asset("page.css") + asset("experiment.css"),
            "@ABOUT@": escape(about(campaign)),
            "@BODY@": "\n".join(filter(None, parts)),
        },
    )


# --- tables -----------------------------------------------------------------------------------------------------------


def _table(table: Table) -> str:
    groups = list(column_groups(table.heading))
    above = "".join(f'<th colspan="{len(columns)}">{escape(name)}</th>' for name, columns in groups)
    below = "".join(f'<th class="num{_mark(word)}">{escape(word)}</th>' for _, columns in groups for word in columns)
    mine = [word == OURS for _, columns in groups for word in columns]
    rows = "\n".join(_row(row, mine) for row in table.rows)
    notes = "".join(f'<p class="dim">{escape(note)}</p>' for note in table.notes)
    heads = f'<tr><th rowspan="2">{escape(table.heading[0])}</th>{above}</tr><tr>{below}</tr>'
    return (
        f'<section class="card"><div class="bar"><h2>{escape(table.title)}</h2></div>'
        f'<div class="scroll"><table class="paper"><thead>{heads}</thead><tbody>\n{rows}\n</tbody></table></div>{notes}'
        "</section>"
    )


def column_groups(heading: Sequence[str]) -> Iterable[tuple[str, list[str]]]:
    """The columns behind the first, by what they are about: "A: x", "y", "A: z" are the columns x, y and z of A.

    A column without a group's name goes to the group before it only if it is "ours".
    """
    groups: list[tuple[str, list[str]]] = []
    for cell in heading[1:]:
        name, colon, word = cell.partition(": ")
        if not colon and cell == OURS and groups:
            groups[-1][1].append(cell)
        elif colon and groups and groups[-1][0] == name:
            groups[-1][1].append(word)
        else:
            groups.append((name, [word]) if colon else ("", [cell]))
    return groups


def _row(row: Sequence[str], mine: Sequence[bool]) -> str:
    cells = "".join(
        f'<td class="num{_mark(OURS) if own else ""}{" dim" if cell in ("n/a", "–") else ""}">{escape(cell)}</td>'
        for cell, own in zip(row[1:], mine, strict=True)
    )
    return f'<tr{" class=own" if is_ours(row[0]) else ""}><th scope="row">{escape(row[0])}</th>{cells}</tr>'


def _mark(word: str) -> str:
    return " mine" if word == OURS else ""


# --- figures ----------------------------------------------------------------------------------------------------------


def _figure(path: Path, caption: str) -> str:
    """As an image: figures of one page would share the names of their parts otherwise."""
    data = base64.b64encode(path.read_bytes()).decode()
    text = escape(caption)
    return (
        f'<section class="card"><div class="bar"><h2>{text}</h2></div><div class="scroll">'
        f'<img class="figure" alt="{text}" src="data:image/svg+xml;base64,{data}"></div></section>'
    )
