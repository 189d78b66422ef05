"""`python -m bench.room NAME [--table]`: one room, as `python -m bench` runs it: a line of JSON for each figure."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from rich.console import Console

from bench import foundation, load, refiners, startup, trees

ROOMS = {
    "startup": startup.figures,
    "load": load.figures,
    "foundation": foundation.figures,
    "refiners": refiners.figures,
    "trees": trees.figures,
}
TABLES = {"refiners": refiners.table}  # minutes each, so only for those who ask for the room by name


def main(name: str, options: list[str]) -> None:
    if "--table" in options:
        TABLES[name](Console(highlight=False, width=110))
        return
    for figure in ROOMS[name]():
        print(json.dumps(asdict(figure)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
