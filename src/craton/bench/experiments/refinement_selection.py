"""D. Beyer, S. Löwe, P. Wendler: Refinement Selection, SPIN 2015.

[RS] Tables 1–3 and [RS] Fig. 2.

Predicate analysis (PA) and value analysis (VA) over single statements, unwound anew after each refinement, with a
precision for all locations; without selection, or with one of the heuristics of [RS] 5; and both analyses in one, which
refine values first, or select between values and predicates. Interpolants are SMTInterpol's there. Here they are our
own from Farkas' lemma, which are as quick, and z3's where these have none; over integers, as SMTInterpol's.

Each table is about the tasks on which its rows can differ: for Tables 1 and 2, those with a refinement that had more
than one sliced prefix; for Table 3, those that the analysis of its last row refines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from craton.bench.configurations import Configuration
from craton.bench.experiments.contract import AS_WRITTEN, Experiment, Quick, Row, Table, share, time_limits
from craton.bench.results import Campaign
from craton.bench.summary import TaskKey, is_solved, selecting, task_of, with_refinement, with_selection
from craton.bench.tasks import USUAL_PROPERTY, BenchTask

# --- the paper's figures ----------------------------------------------------------------------------------------------

ALL = "All tasks"

# Solved tasks. Of Table 2, the text at hand has no line for the analysis without selection.
SIZES_1 = {ALL: 2827, "ControlFlowInteger": 35, "DeviceDrivers64": 678, "ECA": 1140, "ProductLines": 597, "Seq.": 244}
TABLE_1: dict[str, tuple[int, ...] | None] = {
    "None": (1139, 34, 472, 161, 325, 42),
    "Short": (1259, 34, 427, 252, 370, 78),
    "Long": (1301, 18, 481, 311, 330, 66),
    "Good": (1284, 34, 491, 243, 342, 75),
    "Bad": (1134, 23, 399, 254, 298, 64),
    "Narrow": (1289, 29, 430, 314, 346, 70),
    "Wide": (1253, 27, 477, 281, 312, 61),
    "Shallow": (1225, 25, 464, 246, 340, 57),
    "Deep": (1258, 28, 418, 296, 351, 64),
    "Random": (1328, 34, 467, 295, 345, 82),
    "Good&Narrow": (1363, 30, 494, 314, 345, 81),
    "Narrow&Good": (1339, 28, 474, 314, 354, 70),
}
SIZES_2 = {ALL: 2638, "DeviceDrivers64": 578, "ECA": 1140, "ProductLines": 597}
TABLE_2: dict[str, tuple[int, ...] | None] = {
    "None": None,
    "Short": (1656, 424, 491, 456),
    "Long": (1630, 484, 511, 361),
    "Good": (1761, 494, 573, 408),
    "Bad": (1524, 412, 480, 359),
    "Narrow": (1689, 422, 510, 471),
    "Wide": (1608, 482, 494, 356),
    "Shallow": (1663, 473, 521, 383),
    "Deep": (1729, 415, 536, 489),
    "Random": (1626, 438, 524, 379),
    "Good&Narrow": (1774, 494, 573, 421),
    "Narrow&Good": (1718, 494, 510, 427),
}
SIZES_3 = {ALL: 3563, "DeviceDrivers64": 1240, "ECA": 1140, "Loops": 120, "ProductLines": 597, "Seq.": 261}
VALUES_FIRST, WITHIN, BETWEEN = "VA + PA", "VA_RefSel + PA_RefSel", "(VA_RefSel + PA_RefSel)_RefSel"
TABLE_3: dict[str, tuple[int, ...] | None] = {
    "PA": (1824, 1026, 160, 80, 325, 42),
    VALUES_FIRST: (2300, 993, 503, 69, 422, 118),
    WITHIN: (2384, 1072, 521, 68, 404, 124),
    BETWEEN: (2384, 1065, 521, 79, 403, 120),
}

# What a category is called in later collections contains …
_CATEGORIES = {"ControlFlowInteger": "ControlFlow", "DeviceDrivers64": "DeviceDrivers", "Seq.": "Sequentialized"}
_NOT_SUPPORTED = ("array", "heap", "concurrency", "recurs")  # by both analyses, [RS] 7


# --- configurations ---------------------------------------------------------------------------------------------------

_AS_THERE = "(sbe, restart, global)"  # [RS] 7
_PREDICATES = "predicate(sbe, restart, global, boolean, atoms, bfs)"
_BLOCKS = "predicate(lbe, boolean, location, atoms, bfs, level=block)"
_CRAIG = "fallback(craig(farkas, time=none), craig(z3, time=none))"
_VALUES = "values(time=none)"
_SELECTION = "good, narrow"  # in all rows of Table 3

HEURISTICS = {
    "None": "",
    "Short": "short",
    "Long": "long",
    "Good": "good",
    "Bad": "bad",
    "Narrow": "narrow",
    "Wide": "wide",
    "Shallow": "shallow",
    "Deep": "deep",
    "Random": "random",
    "Good&Narrow": "good, narrow",
    "Narrow&Good": "narrow, good",
}

# Not in the paper: refined lazily or not at all, and large blocks with Newton inside of them.
OURS = {
    "ours: PA lazy": ("predicate(sbe, boolean, location, atoms, bfs)", f"sliced({_CRAIG}, {_SELECTION}, time=none)"),
    "ours: PA blocks": (_BLOCKS, f"sliced(newton(it, sp, lv), {_SELECTION}, level=edge)"),
    "ours: VA lazy": ("value(lazy)", f"sliced({_VALUES}, {_SELECTION}, time=none)"),
    "ours: VA eager": ("value(eager)", _VALUES),
    "ours: VA & PA lazy": ("value-predicate", f"sliced({_VALUES}, {_CRAIG}, {_SELECTION}, time=none)"),
}


def _sliced(refiners: str, heuristic: str) -> str:
    return f"sliced({refiners}, {heuristic}, time=none)" if heuristic else refiners


def _row(name: str, engine: str, refiner: str) -> Row:
    """Values are those of bits; interpolants are for integers, as SMTInterpol's."""
    encoding = "bv" if engine.startswith("value(") else "int"
    return Row(name, ("--engine", engine, *AS_WRITTEN, "--encoding", encoding, "--solver", "z3", "--refine", refiner))


def rows() -> list[Row]:
    predicates = [_row(f"PA {n}", _PREDICATES, _sliced(_CRAIG, h)) for n, h in HEURISTICS.items()]
    values = [_row(f"VA {n}", f"value{_AS_THERE}", _sliced(_VALUES, h)) for n, h in HEURISTICS.items()]
    within = f"fallback({_sliced(_VALUES, _SELECTION)}, {_sliced(_CRAIG, _SELECTION)})"
    both = {
        VALUES_FIRST: f"fallback({_VALUES}, {_CRAIG})",
        WITHIN: within,
        BETWEEN: _sliced(f"{_VALUES}, {_CRAIG}", _SELECTION),
    }
    together = [_row(name, f"value-predicate{_AS_THERE}", refiner) for name, refiner in both.items()]
    return [*predicates, *values, *together, *(_row(name, *one) for name, one in OURS.items())]


def configurations() -> list[Configuration]:
    return [Configuration(row.name, row.options) for row in rows()]


def applies(task: BenchTask, configuration: Configuration) -> bool:
    """Reachability, in programs without much of arrays, heap, threads and recursion."""
    category = task.category.lower()
    return task.property == USUAL_PROPERTY and not any(word in category for word in _NOT_SUPPORTED)


# --- beside the paper's -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Part:
    """A table of the paper, and the tasks of ours that it is about."""

    title: str
    paper: Mapping[str, tuple[int, ...] | None]
    sizes: Mapping[str, int]
    configs: Mapping[str, str]  # row → the configuration that was run for it
    tasks: frozenset[TaskKey]
    note: str

    def table(self, campaign: Campaign) -> Table:
        heading = ("", *(cell for column in self.sizes for cell in (f"{column}: paper", "ours")))
        columns = {name: [t for t in self.tasks if _is_in(t.category, name)] for name in self.sizes}
        sizes = [cell for name, size in self.sizes.items() for cell in (str(size), str(len(columns[name])))]
        lines = [("No. of tasks", *sizes)]
        for row, config in self.configs.items():
            mine = [run for run in campaign.runs if run.config == config]
            solved = {task_of(run) for run in mine if is_solved(run)}
            there = self.paper.get(row) or (None,) * len(self.sizes)
            cells = [row]
            for (name, size), count in zip(self.sizes.items(), there, strict=True):
                found = columns[name]
                cells += ["–" if count is None else share(count, size)]
                cells += [share(len(solved.intersection(found)), len(found)) if mine and found else "n/a"]
            lines.append(tuple(cells))
        notes = (self.note, f"The paper: CPAchecker, 900 s of CPU time. Ours: {time_limits(campaign)}.", _NOT_RUN)
        return Table(self.title, heading, tuple(lines), notes)


_NOT_RUN = "n/a: not run here, or no such tasks."


def _is_in(category: str, column: str) -> bool:
    return column == ALL or _CATEGORIES.get(column, column).lower() in category.lower()


def _parts(campaign: Campaign) -> list[_Part]:
    predicates = {row: f"PA {row}" for row in HEURISTICS}
    values = {row: f"VA {row}" for row in HEURISTICS}
    first, second = (
        frozenset(with_selection(run for run in campaign.runs if run.config in configs.values()))
        for configs in (predicates, values)
    )
    third = frozenset(with_refinement(run for run in campaign.runs if run.config == BETWEEN))
    possible = "Of tasks with a refinement that had more than one sliced prefix, under some row."
    together = {"PA": predicates["None"], **{row: row for row in TABLE_3 if row != "PA"}}
    return [
        _Part("Table 1: predicate analysis by heuristic", TABLE_1, SIZES_1, predicates, first, possible),
        _Part(
            *("Table 2: value analysis by heuristic", TABLE_2, SIZES_2, values, second),
            note=f"{possible} –: the text at hand lacks this line of the paper.",
        ),
        _Part(
            *("Table 3: value and predicate analysis in one", TABLE_3, SIZES_3, together, third),
            note="Of tasks that the analysis of the last row refines.",
        ),
    ]


def tables(campaign: Campaign) -> list[Table]:
    parts = _parts(campaign)
    return [*(part.table(campaign) for part in parts), _prefixes(campaign), _ours(campaign, parts)]


def _prefixes(campaign: Campaign) -> Table:
    """How much there was to select from, which the paper does not tell."""
    lines = []
    for row in rows():
        runs = [run for run in campaign.runs if run.config == row.name]
        found = [one for run in runs if (one := selecting(run)) is not None]
        if found:
            several = sum(one.several > 0 for one in found)
            most = max(one.most for one in found)
            lines.append((row.name, share(several, len(runs)), str(sum(one.several for one in found)), str(most)))
    heading = ("", "runs with a selection", "selections", "most to select from")
    note = "A selection is a refinement with more than one sliced prefix, or more than one analysis to refine."
    return Table("Refinements to select from", heading, tuple(lines), (note,))


def _ours(campaign: Campaign, parts: Sequence[_Part]) -> Table:
    """Rows that the paper does not have, on all tasks of its tables."""
    tasks = frozenset[TaskKey]().union(*(part.tasks for part in parts))
    lines = []
    for name in OURS:
        solved = {task_of(run): is_solved(run) for run in campaign.runs if run.config == name}
        lines.append((name, share(sum(solved.get(task, False) for task in tasks), len(tasks)) if solved else "n/a"))
    return Table("Ours, not in the paper", ("", "ours"), tuple(lines), ("Of all tasks of Tables 1 to 3.",))


# --- figures ----------------------------------------------------------------------------------------------------------

_FIGURE_2 = ("None", "Short", "Good", "Bad", "Narrow", "Random", "Good&Narrow")


def figures(campaign: Campaign, directory: Path) -> list[Path]:
    """Fig. 2: quantile plot of predicate analysis. The heuristics that the paper draws are not named in its text."""
    from craton.bench.figures import quantile_figure, save

    part = _parts(campaign)[0]
    names = {f"PA {row}": row for row in _FIGURE_2}
    chosen = [run for run in campaign.runs if run.config in names and task_of(run) in part.tasks]
    runs = [replace(run, config=names[run.config]) for run in chosen]
    if not any(map(is_solved, runs)):
        return []
    drawn = Campaign(campaign.header | {"configs": {row: [] for row in _FIGURE_2}}, tuple(runs))
    return save(quantile_figure(drawn), directory, "figure-2")


REFINEMENT_SELECTION = Experiment(
    "refinement-selection",
    "Beyer, Löwe, Wendler: Refinement Selection (SPIN 2015)",
    900.0,
    15000.0,
    configurations,
    applies,
    tables,
    figures,
    quick=Quick(
        ("PA None", "PA Bad", "PA Good&Narrow", "VA None", "VA Good&Narrow", VALUES_FIRST, WITHIN, BETWEEN), 6.0
    ),
    captions={"figure-2": "Fig. 2: predicate analysis without and with refinement selection"},
)
