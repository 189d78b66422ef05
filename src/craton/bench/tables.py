"""The results of a campaign as tables: for the terminal, as CSV, Markdown and LaTeX.

The tables for people have counts, category × configuration; the one for other programs (CSV) has a line for each run.
"""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePath

from craton.bench.results import WRONG, Campaign
from craton.bench.summary import Summary, configs, found_by, in_order, iterations, perfect_sequences, summaries


@dataclass(frozen=True, slots=True)
class Column:
    """A column of numbers. An `optional` one is left out of a table if it would be zero everywhere."""

    group: str
    title: str
    value: Callable[[Summary], float]
    optional: bool = False

    @property
    def words(self) -> str:
        return f"{self.group} {self.title}".strip()

    @property
    def is_bad(self) -> bool:
        return self.group == "wrong" or self.title == "not accepted"


def _counting(group: str, title: str, *statuses: str, optional: bool = False) -> Column:
    return Column(group, title, lambda summary: summary.count(*statuses), optional)


_COLUMNS = (
    Column("", "tasks", lambda summary: summary.runs),
    _counting("correct", "true", "correct-true"),
    _counting("correct", "false", "correct-false"),
    _counting("wrong", "true", "wrong-true"),
    _counting("wrong", "false", "wrong-false"),
    _counting("unjudged", "true", "done-true", optional=True),
    _counting("unjudged", "false", "done-false", optional=True),
    Column("proofs", "accepted", lambda summary: summary.accepted, optional=True),
    Column("proofs", "not accepted", lambda summary: summary.not_accepted, optional=True),
    Column("", "only here", lambda summary: summary.alone, optional=True),
    _counting("", "timeout", "timeout"),
    _counting("", "memory", "memory"),
    _counting("", "error", "error", optional=True),
    _counting("", "unknown", "unknown"),
    Column("", "score", lambda summary: summary.score),
    Column("", "CPU (s)", lambda summary: summary.cpu),
)


def columns_for(rows: Sequence[Summary]) -> list[Column]:
    return [column for column in _COLUMNS if not column.optional or any(map(column.value, rows))]


def number(value: float) -> str:
    """Counts as they are, seconds with sensible precision."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def _by_category(rows: Sequence[Summary]) -> list[tuple[str, list[Summary]]]:
    return [(key[0], list(group)) for key, group in groupby(rows, lambda row: (row.category, row.is_total))]


# --- terminal ---------------------------------------------------------------------------------------------------------


# With more categories and configurations than this, the reasons of all categories are shown together.
_MOST_REASONS = 16


def terminal_table(campaign: Campaign, width: int | None = None, *, colour: bool = False) -> str:
    """The counts, below them the reasons for missing answers, and each wrong verdict.

    Numbers are never cut: a table may be wider than the terminal. `width` is where text is wrapped.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    rows = summaries(campaign)
    if not rows:
        return "no runs\n"
    columns = [column for column in columns_for(rows) if column.group != "wrong"]
    columns.insert(3, Column("wrong", "", lambda row: row.wrong))
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("", no_wrap=True)
    for column in columns:
        table.add_column(f"{column.group}\n{column.title}" if column.group else f"\n{column.title}", justify="right")
    for category, group in _by_category(rows):
        table.add_row(f"[bold]{escape(category)}[/]")
        for row in group:
            cells = [Text(number(column.value(row)), _style(column, row)) for column in columns]
            table.add_row(f"  {escape(row.config)}", *cells)
    natural = 4 + max(cell_len(name) for row in rows for name in (row.category, row.config))
    natural += sum(2 + max(len(column.group), len(column.title), 8) for column in columns)
    out = io.StringIO()
    console = Console(
        file=out, width=natural, force_terminal=colour, no_color=not colour, color_system="standard" if colour else None
    )
    console.print(table)
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    for line in _why_unknown(rows) + _which_are_wrong(campaign):
        lines += textwrap.wrap(line, max(40, width or 120), subsequent_indent="      ") or [""]
    return "\n".join(lines) + "\n"


def _style(column: Column, row: Summary) -> str:
    value = column.value(row)
    if column.is_bad and value:
        return "bold red"
    return "dim" if not value else ""


def _why_unknown(rows: Sequence[Summary]) -> list[str]:
    """For each category, or for all of them together if there are too many."""
    told = [row for row in rows if row.unknown_by_reason and not row.is_total]
    if len(told) > _MOST_REASONS:
        told = [row for row in rows if row.unknown_by_reason and row.is_total] or told
    lines = [f"  {row.category}, {row.config}: {row.reasons()}" for row in told]
    return ["", "unknown, by reason:", *lines] if lines else []


def _which_are_wrong(campaign: Campaign) -> list[str]:
    """One line for each: nothing in a table matters more."""
    lines = [
        f"  {run.task} ({run.property}): {run.config} says {run.verdict}, expected is {run.expected}"
        for run in in_order(campaign)
        if run.status in WRONG
    ]
    return ["", "WRONG VERDICTS:", *lines] if lines else []


# --- CSV --------------------------------------------------------------------------------------------------------------

_CSV = (
    "category task property expected config verdict status reason score cpu wall memory exit_code"
    " iterations perfect tested log evidence by by_seconds schedule proof check check_seconds"
).split()


def csv_table(campaign: Campaign) -> str:
    """A line for each run, with a header. Unknown values are empty cells."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_CSV)
    for run in in_order(campaign):
        perfect, tested = perfect_sequences(run) or ("", "")
        more = {"iterations": iterations(run), "perfect": perfect, "tested": tested}
        writer.writerow([more[name] if name in more else getattr(run, name) for name in _CSV])
    return out.getvalue()


# --- Markdown ---------------------------------------------------------------------------------------------------------


def markdown_table(campaign: Campaign) -> str:
    rows = summaries(campaign)
    columns = columns_for(rows)
    lines = [
        _markdown_line(["category", "configuration", *(column.words for column in columns), "why unknown"]),
        _markdown_line(["---", "---", *("---:" for _ in columns), "---"]),
    ]
    for row in rows:
        cells = [_markdown_number(column, row) for column in columns]
        lines.append(_markdown_line([row.category, f"`{row.config}`", *cells, row.reasons()]))
    return "\n".join([*lines, *_markdown_stages(campaign)]) + "\n"


def _markdown_stages(campaign: Campaign) -> list[str]:
    """Which stages found the verdicts, as far as that is recorded."""
    found = found_by(campaign)
    if not found:
        return []
    lines = ["", _markdown_line(["configuration", "by", "verdicts", "median CPU (s)"]), "| --- | --- | ---: | ---: |"]
    for one in found:
        cells = [f"`{one.config}`", f"`{one.stage}`", str(one.verdicts), number(one.median_cpu)]
        lines.append(_markdown_line(cells))
    return lines


def markdown_runs(campaign: Campaign) -> str:
    """Task by task: the verdict, who found it, and the seconds it took; a table for each category."""
    proofs = any(run.check for run in campaign.runs)
    several = len(configs(campaign)) > 1
    titles = ["task", *(["configuration"] if several else []), "verdict", "found by", "wall (s)", "CPU (s)"]
    titles += ["proof"] if proofs else []
    marks = ["---:" if title.endswith("(s)") else "---" for title in titles]
    lines: list[str] = []
    for category, runs in groupby(in_order(campaign), key=lambda run: run.category):
        lines += [*([""] if lines else []), f"**{category}**", "", _markdown_line(titles), _markdown_line(marks)]
        for run in runs:
            name = PurePath(run.task).stem
            said = f"**{run.status}: {run.verdict}**" if run.status in WRONG else run.verdict
            cells = [name, *([f"`{run.config}`"] if several else []), said, run.by, number(run.wall), number(run.cpu)]
            lines.append(_markdown_line([*cells, *([run.check] if proofs else [])]))
    return "\n".join(lines) + "\n"


def _markdown_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _markdown_number(column: Column, row: Summary) -> str:
    text = number(column.value(row))
    return f"**{text}**" if column.is_bad and text != "0" else text


# --- LaTeX ------------------------------------------------------------------------------------------------------------

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "×": r"$\times$", "…": r"\dots{}", "−": r"$-$",
}  # fmt: skip


def latex_text(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def latex_table(campaign: Campaign) -> str:
    """A `tabular` for a paper; it needs the package booktabs."""
    rows = summaries(campaign)
    columns = columns_for(rows)
    groups = [(name, len(list(group))) for name, group in groupby(columns, lambda column: column.group)]
    spans = [rf"\multicolumn{{{size}}}{{c}}{{{latex_text(name)}}}" for name, size in groups]
    lines = [
        "% needs \\usepackage{booktabs}",
        rf"\begin{{tabular}}{{ll{'r' * len(columns)}}}",
        r"\toprule",
        " & ".join(["", "", *spans]).strip() + r" \\",
        " & ".join(["category", "configuration", *(latex_text(column.title) for column in columns)]) + r" \\",
    ]
    for category, group in _by_category(rows):
        lines.append(r"\midrule")
        for row in group:
            cells = [_latex_number(column, row) for column in columns]
            name = latex_text(category) if row is group[0] else ""
            lines.append(" & ".join([name, latex_text(row.config), *cells]).strip() + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _latex_number(column: Column, row: Summary) -> str:
    text = number(column.value(row))
    text = f"$-${text[1:]}" if text.startswith("-") else text
    return rf"\textbf{{{text}}}" if column.is_bad and column.value(row) else text
