"""`python -m bench [foundation] [refiners]`: runs the measurements; a table has the goal beside each figure."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table

from bench import foundation, refiners
from bench.measure import Figure

ROOMS = {"foundation": foundation.figures, "refiners": refiners.figures}
TABLES = {"refiners": refiners.table}  # minutes each, so only for those who ask for the room by name


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in ROOMS]
    if unknown:
        print(f"no such measurements: {', '.join(unknown)}; there are: {', '.join(ROOMS)}", file=sys.stderr)
        return 2
    console = Console(highlight=False, width=110)
    for name in names or ROOMS:
        table = Table(title=name, box=None, header_style="bold", padding=(0, 2))
        for heading in ("what", "measured", "goal", ""):
            table.add_column(heading, justify="right" if heading in ("measured", "goal") else "left")
        for figure in ROOMS[name]():
            table.add_row(*_row(figure))
        console.print(table)
        if name in names and name in TABLES:
            TABLES[name](console)
    return 0


def _row(figure: Figure) -> tuple[str, str, str, str]:
    if figure.goal is None:
        return figure.what, figure.text(figure.value), "", ""
    sign = "≥" if figure.more_is_better else "≤"
    verdict = "[green]met[/]" if figure.met else "[red]missed[/]"
    return figure.what, figure.text(figure.value), f"{sign} {figure.text(figure.goal)}", verdict


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
