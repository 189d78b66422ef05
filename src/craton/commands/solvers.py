"""`craton solvers`: which solvers there are, what they can do, and how to get the missing ones."""

from __future__ import annotations

import argparse
import json
from typing import Any

_EPILOG = """\
examples:
  craton solvers
  craton verify prog.c --engine predicate --solver bitwuzla
  craton verify prog.c --engine predicate --solver 'mysolver --smt2 -in'
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "solvers",
        help="list the known solvers: found or not, version, capabilities, theories",
        description="Lists every solver Craton knows. Solvers in process come from PyPI; the others are programs that"
        " speak SMT-LIB.\nAny further program that does can be used by its command line.",
        epilog=_EPILOG,
    )
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    rows = [_describe(name) for name in _known()]
    if args.json:
        print(json.dumps(rows, indent=2))
    else:
        _print_table(rows)
    return 0


def _known() -> tuple[str, ...]:
    from craton.smt.registry import known_solvers

    return known_solvers()


def _describe(name: str) -> dict[str, Any]:
    from craton.smt.process.presets import PRESETS
    from craton.smt.registry import LIBRARIES, capabilities, theories

    entry = LIBRARIES.get(name) or PRESETS[name]
    version = entry.version()
    known = name in PRESETS or version is not None
    return {
        "name": name,
        "runs": "in process" if name in LIBRARIES else "as a program",
        "version": version,
        "how_to_get": entry.how_to_get,
        "capabilities": sorted(c.value for c in capabilities(name)) if known else [],
        "theories": sorted(t.value for t in theories(name)) if known else [],
    }


def _print_table(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("solver", "version", "runs", "capabilities", "theories"):
        table.add_column(heading, no_wrap=heading in ("solver", "version"), overflow="fold")
    for row in rows:
        found = row["version"] is not None
        table.add_row(
            f"[bold]{row['name']}[/]" if found else f"[dim]{row['name']}[/]",
            row["version"] if found else "[yellow]not found[/]",
            row["runs"],
            ", ".join(row["capabilities"]),
            ", ".join(row["theories"]),
        )
    console.print(table)
    missing = [row for row in rows if row["version"] is None]
    if missing:
        console.print("\nTo get the missing ones:")
        for row in missing:
            console.print(f"  {row['name']}: {row['how_to_get']}")
