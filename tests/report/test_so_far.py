"""A run that is ended tells its program, its figures, and what it has learned until then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from craton.engines.contract import Progress, Refined, Statistics
from craton.frontends.programs import Request, load_program
from craton.logic import INT, eq, int_, var
from craton.report.so_far import Reporting, SoFar
from craton.verdicts.text import Limit

PROGRAM = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) { unsigned x = 0; while (__VERIFIER_nondet_int()) x++; if (x == 7) reach_error(); }
"""


def ended(folder: Path, *, learned: bool) -> Any:
    file = folder / "counting.c"
    file.write_text(PROGRAM)
    so_far, handed = SoFar(), []
    reporting = Reporting(lambda content: handed.append(so_far.heard(content)), learned=learned)
    reporting.loaded(load_program(Request((str(file),))))
    log = [Refined(2, (3,), "newton", 2, (eq(var("x", INT), int_(0)),), 0.1)]
    reporting.progress(Progress(1, 2, 1, 1), Statistics(iterations=1, log=log))
    assert [one for one in handed if one is not None] == [(Progress(1, 2, 1, 1), Statistics(iterations=1, log=log))]
    return so_far.outcome("time limit of 1 s reached", Limit.WALL)


def test_a_run_that_was_ended_says_what_it_knows(tmp_path: Path) -> None:
    told = ended(tmp_path, learned=True)
    assert told.limit == "wall" and told.statistics["iterations"] == 1 and told.loops == [f"{tmp_path}/counting.c:3"]
    assert [one["learned"] for one in told.refinements] == [["x = 0"]]


def test_what_was_learned_is_told_to_those_who_ask(tmp_path: Path) -> None:
    assert ended(tmp_path, learned=False).refinements == []


def test_nothing_is_known_of_a_run_that_never_spoke() -> None:
    told = SoFar().outcome("it died", None)
    assert (told.verdict.headline, told.reason, told.statistics, told.sources) == ("UNKNOWN", "it died", {}, {})
