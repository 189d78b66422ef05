"""`python -m bench [startup] [load] [foundation] [refiners] [trees] [engines]`: tables of goals and figures.
`python -m bench tricky DIR`, `python -m bench torture DIR`: programs that try to trip a verifier (`collections`).
`python -m bench traces record DIR TASKS…`, `python -m bench traces DIR`: refiners on recorded traces (`traces`).

Each room is measured in a process of its own by the runner of `craton bench`, so that none finds the terms and the
solvers of another, and a room that hangs or eats up the memory is ended and the others still measured.
"""

from __future__ import annotations

import json
import sys

from rich.console import Console
from rich.table import Table

from bench import collections, engines, traces
from bench.measure import Figure
from bench.room import ROOMS, TABLES
from craton.processes.keeper import PYTHON, Contained, Order, contain
from craton.processes.limits import Limits

LIMITS = Limits(wall=3600.0, memory=8 * 2**30)
COLLECTIONS = ("tricky", "torture")
ENGINES = "engines"  # minutes, so only for those who ask for it by name


def main(names: list[str]) -> int:
    if names and names[0] in COLLECTIONS:
        return collections.main(names[0], names[1:])
    if names and names[0] == "traces":
        return traces.main(names[1:])
    unknown = [name for name in names if name not in (*ROOMS, ENGINES)]
    if unknown:
        print(f"no such measurements: {', '.join(unknown)}; there are: {', '.join((*ROOMS, ENGINES))}", file=sys.stderr)
        return 2
    console = Console(highlight=False, width=110)
    failed = 0
    for name in names or ROOMS:
        if name == ENGINES:
            failed += engines.measure()
            continue
        what = _measured(name)
        if what.exit_code != 0:
            console.print(f"[red]{name}: {what.reason or f'exit code {what.exit_code}'}[/]\n{what.log}")
            failed += 1
            continue
        console.print(_table(name, [Figure(**json.loads(line)) for line in what.output.splitlines()], what))
        if name in names and name in TABLES:
            print(_measured(name, "--table").output)
    return 1 if failed else 0


def _measured(name: str, *options: str) -> Contained:
    return contain(Order((PYTHON, "-m", "bench.room", name, *options), LIMITS))


def _table(name: str, figures: list[Figure], what: Contained) -> Table:
    caption = f"{what.cpu:.0f} s of processor time, {what.memory / 2**20:,.0f} MiB"
    table = Table(title=name, caption=caption, box=None, header_style="bold", padding=(0, 2))
    for heading in ("what", "measured", "goal", ""):
        table.add_column(heading, justify="right" if heading in ("measured", "goal") else "left")
    for figure in figures:
        table.add_row(*_row(figure))
    return table


def _row(figure: Figure) -> tuple[str, str, str, str]:
    if figure.goal is None:
        return figure.what, figure.text(figure.value), "", ""
    sign = "≥" if figure.more_is_better else "≤"
    verdict = "[green]met[/]" if figure.met else "[red]missed[/]"
    return figure.what, figure.text(figure.value), f"{sign} {figure.text(figure.goal)}", verdict


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
