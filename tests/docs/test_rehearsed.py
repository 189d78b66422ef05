"""Command lines of the documentation that take hours, or need tasks of others, are run all the same: on one small task,
under one configuration.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.console import DOCS, ROOT, Command, folder, output, unrun

PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted((DOCS / "results").glob("*.md"))]
LINES = list(dict.fromkeys(line for page in PAGES for line in unrun(page)))
SERVED = re.compile(r"craton serve\b|--cluster ")  # commands/test_serve.py and bench/test_cluster.py run them
ONE_OF = {
    "craig-vs-newton": "Automizer bv Z3",
    "newton-in-cpachecker": "SBE-Edge",
    "exploring-interpolants": "plain",
    "refinement-selection": "PA None",
}
TASK = """format_version: "2.0"
input_files: three.c
properties:
  - property_file: unreach-call.prp
    expected_verdict: true
options: {language: C, data_model: ILP32}
"""
PROPERTY = "CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )\n"
PROGRAM = """void __VERIFIER_error(void);
int main(void) { int x = 0; while (x < 3) x++; if (x > 3) __VERIFIER_error(); return 0; }
"""
CLAUSES = """(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (p x))))
(assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))
(check-sat)
"""


@pytest.fixture(scope="module")
def campaign() -> Iterator[Path]:
    """What `craton bench` leaves behind."""
    with folder() as inside:
        put_tasks(inside)
        output(Command("craton bench three.yml --out done --quiet", ()), inside)
        yield inside / "done"


@pytest.fixture
def here(campaign: Path) -> Iterator[Path]:
    """With whatever the lines name."""
    with folder() as around:
        inside = around / "main"
        inside.mkdir()
        for shared in ("examples", ".bin"):
            (inside / shared).symlink_to(around / shared)
        for place in (inside, inside / "tasks", around / "shared/tasks/c"):
            put_tasks(place)
        for place in (inside / "clauses", around / "shared/tasks/horn"):
            place.mkdir(parents=True)
            (place / "three.smt2").write_text(CLAUSES)
        for earlier in ("before", "after", "earlier"):
            shutil.copytree(campaign, inside / earlier)
        yield inside


def put_tasks(place: Path) -> None:
    place.mkdir(parents=True, exist_ok=True)
    for name, text in {"three.c": PROGRAM, "three.yml": TASK, "unreach-call.prp": PROPERTY}.items():
        (place / name).write_text(text)
    for name in re.findall(r"[\w*-]+\.set", "ReachSafety-Loops.set\n" + "\n".join(LINES)):
        (place / name.replace("*", "Any")).write_text("three.yml\n")


def shortened(line: str) -> str:
    """One task, under one configuration; patterns of files stay for the shell."""
    words = iter(shlex.split(line, comments=True))
    kept: list[str] = []
    for word in words:
        if word in ("--only", "--config"):
            value = next(words)
            kept += ["--config", value] if word == "--config" and word not in kept else []
        elif word != "--quick":
            kept.append(word)
    kept += [option for name, one in ONE_OF.items() if name in kept for option in ("--only", one)]
    kept += ["--sample", "1"] if kept[1] in ("bench", "reproduce") else []
    if kept[1] == "tune":
        kept[2] = "earlier"  # what another line has to find in its place
    return " ".join(word if set(word) & set("*?") and " " not in word else shlex.quote(word) for word in kept)


@pytest.mark.parametrize("line", [line for line in LINES if not SERVED.search(line)])
def test_a_long_command_line_is_rehearsed(line: str, here: Path) -> None:
    printed = output(Command(f"{shortened(line)}; echo exit code $?", ()), here)
    assert printed[-1] == "exit code 0", "\n".join([shortened(line), *printed])


def test_lines_are_shortened() -> None:
    line = "craton reproduce craig-vs-newton tasks/*.yml --quick --only 'Automizer *' --only 'Z3' --jobs 2 # hours"
    short = "craton reproduce craig-vs-newton tasks/*.yml --jobs 2 --only 'Automizer bv Z3' --sample 1"
    assert shortened(line) == short
    assert (
        shortened("craton bench a --config 'x=--seed 1' --config y")
        == "craton bench a --config 'x=--seed 1' --sample 1"
    )
