"""P. Rümmer, P. Subotić: Exploring Interpolants, FMCAD 2013. [EI] Table I.

Systems of Horn clauses by predicate abstraction with tree interpolants, without and with interpolation abstraction, and
by Spacer, which is what became of Z3's engine there. N is the number of refinements. The last column is ours: all
stages of `craton verify`. Clauses that are not in the paper's table have rows of their own below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from craton.bench.configurations import Configuration
from craton.bench.experiments.contract import Experiment, Quick, Table, time_limits
from craton.bench.results import WRONG, Campaign, RunRecord
from craton.bench.summary import is_solved, iterations
from craton.bench.tasks import SATISFIABILITY, BenchTask

# --- the paper's figures ----------------------------------------------------------------------------------------------

Figures = tuple[int | None, float | None, int | None, float | None, float | None]
_OUT = None  # a timeout of ten minutes

# Eldarica: N and seconds; Eldarica-ABS: N and seconds; Z3: seconds. C: correct, E: with an error.
TABLE_I: dict[str, Figures] = {
    "boustrophedon (C)": (_OUT, _OUT, 10, 10.7, 0.1),
    "boustrophedon_expanded (C)": (_OUT, _OUT, 11, 7.7, 0.1),
    "halbwachs (C)": (_OUT, _OUT, 53, 2.4, 0.1),
    "gopan (C)": (17, 22.2, 62, 57.0, 349.5),
    "rate_limiter (C)": (11, 2.7, 11, 19.1, 0.1),
    "anubhav (C)": (1, 1.7, 1, 1.6, _OUT),
    "cousot (C)": (_OUT, _OUT, 3, 7.7, _OUT),
    "bubblesort (E)": (1, 2.8, 1, 2.3, 0.3),
    "insdel (C)": (1, 0.9, 1, 0.9, 0.0),
    "insertsort (E)": (1, 1.8, 1, 1.7, 0.1),
    "listcounter (C)": (_OUT, _OUT, 8, 2.0, _OUT),
    "listcounter (E)": (1, 0.9, 1, 0.9, 0.0),
    "listreversal (C)": (1, 1.9, 1, 1.9, _OUT),
    "mergesort (E)": (1, 2.9, 1, 2.6, 0.2),
    "selectionsort (E)": (1, 2.4, 1, 2.4, 0.2),
    "rotation_vc.1 (C)": (7, 2.0, 7, 0.3, 0.2),
    "rotation_vc.2 (C)": (8, 2.7, 8, 0.2, 0.3),
    "rotation_vc.3 (C)": (0, 2.3, 0, 0.2, 0.0),
    "rotation.1 (E)": (3, 1.8, 3, 1.8, 0.1),
    "split_vc.1 (C)": (18, 3.9, 17, 3.2, 1.1),
    "split_vc.2 (C)": (_OUT, _OUT, 18, 1.1, 0.2),
    "split_vc.3 (C)": (0, 2.8, 0, 1.5, 0.0),
    "addition (C)": (1, 0.7, 1, 0.8, 0.0),
    "bfprt (C)": (_OUT, _OUT, 5, 8.3, 0.0),
    "binarysearch (C)": (1, 0.9, 1, 0.9, 0.0),
    "buildheap (C)": (_OUT, _OUT, _OUT, _OUT, _OUT),
    "countZero (C)": (2, 2.0, 2, 2.0, 0.0),
    "disjunctive (C)": (10, 2.4, 5, 5.0, 0.3),
    "floodfill (C)": (_OUT, _OUT, _OUT, _OUT, 0.1),
    "gcd (C)": (4, 1.2, 4, 2.0, _OUT),
    "identity (C)": (2, 1.1, 2, 2.1, 0.1),
    "mccarthy91 (C)": (4, 1.4, 3, 2.4, 0.0),
    "mccarthy92 (C)": (38, 5.6, 7, 8.7, 0.1),
    "merge-leq (C)": (3, 1.1, 7, 7.0, 0.1),
    "merge (C)": (3, 1.1, 4, 4.5, 0.1),
    "mult (C)": (_OUT, _OUT, 15, 52.8, _OUT),
    "palindrome (C)": (4, 1.4, 2, 2.1, 0.1),
    "parity (C)": (4, 1.6, 4, 2.9, _OUT),
    "remainder (C)": (2, 1.1, 3, 1.6, _OUT),
    "running (C)": (2, 0.9, 2, 1.7, 0.1),
    "triple (C)": (4, 2.0, 4, 5.1, 0.1),
}

# What the public files are called that are not called as in the table, without .nts.smt2.
_FILES = {
    "boustrophedon.c": "boustrophedon (C)",
    "boustrophedon_expansed.c": "boustrophedon_expanded (C)",
    "halbwachs.c": "halbwachs (C)",
    "gopan.c": "gopan (C)",
    "rate_limiter.c": "rate_limiter (C)",
    "insdel.error": "insdel (C)",
    "rotation_vc.error.1": "rotation.1 (E)",
    **{f"{name}_vc.correct.{n}": f"{name}_vc.{n} (C)" for name in ("rotation", "split") for n in (1, 2, 3)},
    **{f"{name}.correct": f"{name} (C)" for name in ("anubhav", "cousot", "listcounter", "listreversal")},
    **{
        f"{name}.error": f"{name} (E)"
        for name in ("bubblesort", "insertsort", "listcounter", "mergesort", "selectionsort")
    },
}


def row_of(task: str) -> str:
    """The row of a task, by the name of its file: one of the paper's, or the name itself."""
    stem = PurePosixPath(task).name.removesuffix(".smt2").removesuffix(".yml").removesuffix(".nts")
    usual = f"{stem} (C)"
    return _FILES.get(stem, usual if usual in TABLE_I else stem)


# --- configurations ---------------------------------------------------------------------------------------------------

PLAIN, ABS, SPACER, ALL = "plain", "ABS", "Spacer", "Craton"
_PREDICATE = ("--engine", "predicate(cartesian)", "--refine")
# The paper's interpolants are of proofs in linear integer arithmetic, by Princess. Sums of a contradiction are of that
# kind; solutions of Horn clauses, which z3 has today, are of another, and the answer where a contradiction is no sum.
_INTERPOLATION = "fallback(craig(farkas, time=none), craig(z3, time=none))"

CONFIGURATIONS = {
    PLAIN: (*_PREDICATE, _INTERPOLATION),
    ABS: (*_PREDICATE, f"lattice({_INTERPOLATION}, time=1)"),
    SPACER: ("--engine", "horn"),
    ALL: (),
}


def configurations() -> list[Configuration]:
    return [Configuration(name, options) for name, options in CONFIGURATIONS.items()]


def applies(task: BenchTask, configuration: Configuration) -> bool:
    return task.property == SATISFIABILITY


# --- the table --------------------------------------------------------------------------------------------------------

_HEADING = (
    "",
    *(
        f"{column}: {whose}"
        for column in ("plain N", "plain s", "ABS N", "ABS s", "Z3 s")
        for whose in ("paper", "ours")
    ),
    "Craton s",
)


def tables(campaign: Campaign) -> list[Table]:
    runs: dict[tuple[str, str], RunRecord] = {(row_of(run.task), run.config): run for run in campaign.runs}
    found = {row for row, _ in runs}
    rows = [*(row for row in TABLE_I if row in found), *sorted(found.difference(TABLE_I))]
    lines = tuple(_line(row, {config: runs.get((row, config)) for config in CONFIGURATIONS}) for row in rows)
    notes = (
        f"Seconds: ours of processor time. Ours with {time_limits(campaign)}; * is a timeout (theirs: ten minutes), ?"
        " another run without an answer.",
        *_counts(campaign, rows),
    )
    return [Table("Table I", _HEADING, lines, notes)]


def _line(row: str, runs: Mapping[str, RunRecord | None]) -> tuple[str, ...]:
    paper = TABLE_I.get(row)
    cells = [row]
    for place, config in ((0, PLAIN), (2, ABS)):
        run = runs[config]
        cells += [_told(paper, place, "d"), _refinements(run), _told(paper, place + 1, ".1f"), _seconds(run)]
    return (*cells, _told(paper, 4, ".1f"), _seconds(runs[SPACER]), _seconds(runs[ALL]))


def _told(paper: Figures | None, place: int, form: str) -> str:
    if paper is None:
        return "–"
    figure = paper[place]
    return "*" if figure is None else format(figure, form)


def _seconds(run: RunRecord | None) -> str:
    return _if_solved(run, "" if run is None else f"{run.cpu:.1f}")


def _refinements(run: RunRecord | None) -> str:
    return _if_solved(run, "" if run is None else str(iterations(run) or 0))


def _if_solved(run: RunRecord | None, figure: str) -> str:
    if run is None:
        return "n/a"
    if run.status in WRONG:
        return "WRONG"
    return figure if is_solved(run) else "*" if run.status == "timeout" else "?"


def _counts(campaign: Campaign, rows: Sequence[str]) -> list[str]:
    """How many are answered, there and here, of those that the paper has; and whether any answers differ."""
    shared = [row for row in rows if row in TABLE_I]
    places = {PLAIN: 1, ABS: 3, SPACER: 4}
    told = []
    for config in CONFIGURATIONS:
        own = [run for run in campaign.runs if run.config == config]
        if own:
            here = sum(is_solved(run) for run in own)
            place = places.get(config)
            there = "" if place is None else f"; there {sum(TABLE_I[row][place] is not None for row in shared)}"
            told.append(f"{config}: {here} of {len(own)} answered{there and f'{there} of {len(shared)} of them'}.")
    kinds: dict[str, set[str]] = {}
    for run in campaign.runs:
        if is_solved(run):
            kinds.setdefault(run.task, set()).add(str(run.kind()))
    differing = sorted(task for task, said in kinds.items() if len(said) > 1)
    return [*told, *(f"Answers differ: {task}" for task in differing)]


def figures(campaign: Campaign, directory: Path) -> list[Path]:
    return []  # the paper's figures are drawings


EXPLORING_INTERPOLANTS = Experiment(
    "exploring-interpolants",
    "Rümmer, Subotić: Exploring Interpolants (FMCAD 2013)",
    600.0,
    8000.0,
    configurations,
    applies,
    tables,
    figures,
    quick=Quick((PLAIN, ABS, SPACER), 8.0),
)
