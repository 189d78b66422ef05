"""The stage that each program has in the conformance suite, by name: the lines of `engines/stages.txt`.

program | engine | refinement | encoding | solver | view of arrays, if there is one
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from craton.configuration.stages import Stage
from support.entries import TESTS, BadExample, lines_of

FILE = TESTS / "engines" / "stages.txt"


def read_stages(path: Path, programs: Collection[str]) -> dict[str, Stage]:
    """By the names of the programs; each has exactly one."""
    found: dict[str, Stage] = {}
    for line in lines_of(path.read_text(encoding="utf-8"), path.name):
        cells = [cell.strip() for cell in line.text.split("|")]
        if len(cells) not in (5, 6):
            raise BadExample(line.place, f"expected program | engine | refinement | encoding | solver, not {line.text}")
        program, engine, refine, encoding, solver, *view = cells
        if program not in programs:
            raise BadExample(line.place, f"there is no program {program}")
        if program in found:
            raise BadExample(line.place, f"{program} has a stage already")
        found[program] = Stage(engine, refine, encoding, solver=solver, arrays=view[0] if view else "exact")
    for program in programs:
        if program not in found:
            raise BadExample(path.name, f"no line for {program}")
    return found
