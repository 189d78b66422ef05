"""Explanations for the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from craton.traces.explanation import Column, Explained

_INDENT = 3


def print_explanation(explanation: Explained, title: str, console: Console) -> None:
    """Steps and assertions interleaved: an assertion holds between the steps around it."""
    table = Table(title=title, title_justify="left", box=None, header_style="bold", padding=(0, 1), pad_edge=False)
    table.add_column("line", justify="right", style="dim")
    table.add_column(explanation.step, overflow="fold", ratio=2)
    for column in explanation.columns:
        table.add_column(escape(column.refiner), overflow="fold", ratio=2)
    if explanation.begins_with_assertion:
        table.add_row("", "", *(_assertion(explanation, column, 0) for column in explanation.columns))
    for step, line in enumerate(explanation.lines):
        table.add_row(
            line.place,
            Padding(f"[bold]{escape(line.text)}[/]", (0, 0, 0, _INDENT * line.depth)),
            *("[green]●[/] in core" if column.core and step in column.core else "" for column in explanation.columns),
        )
        position = step + explanation.begins_with_assertion
        table.add_row("", "", *(_assertion(explanation, column, position) for column in explanation.columns))
    console.print(table)
    console.print()
    for column in explanation.columns:
        console.print(_summary(column))


def _assertion(explanation: Explained, column: Column, position: int) -> str:
    if not column.assertions:
        return ""
    return f"[cyan]{escape(explanation.told(column.assertions[position]))}[/]"


def _summary(column: Column) -> str:
    colour = "green" if column.perfect else "yellow"
    parts = [f"[bold]{escape(column.refiner)}[/]: [{colour}]{escape(column.verdict)}[/]"]
    if column.core is not None:
        parts.append(f"core of {len(column.core)} steps")
    if column.frontier:
        parts.append(escape(column.frontier))
    if column.assertions:
        parts.append(f"{column.total_size} nodes")
    parts.append(f"{column.seconds * 1000:.0f} ms")
    return ", ".join(parts)
