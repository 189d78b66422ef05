"""M. Gerlach: Newton Refinement as Alternative to Craig Interpolation in CPAchecker, bachelor thesis, 2018.

[NR] Tables 5.1–5.3 and [NR] Figs. 5.1–5.6.

Predicate analysis over single statements (SBE) or between loop heads (LBE); Newton at the level of edges or blocks,
with infeasible cores (IC), live variables (LV) and a fallback to interpolation (fb). Table 5.1 uses MathSAT5 there and
z3 here. Table 5.3 and the figures are about tasks that need a refinement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from craton.bench.configurations import Configuration
from craton.bench.experiments.contract import AS_WRITTEN, Experiment, Quick, Row, Table, share, time_limits
from craton.bench.results import DONE, Campaign, RunRecord
from craton.bench.summary import task_of, with_refinement
from craton.bench.tasks import BenchTask
from craton.words import counted

# --- the paper's figures ----------------------------------------------------------------------------------------------

# Correct true, correct false, incorrect true, incorrect false, timeout, other error; with MathSAT5. As printed: the
# rows sum up to 5423 tasks, except for SBE-Edge-IC-LV, which has two more.
TABLE_1 = {
    "SBE-Edge": (1329, 266, 0, 3, 3166, 659),
    "SBE-Edge-IC": (1419, 241, 0, 1, 1918, 1844),
    "SBE-Edge-LV": (1287, 283, 0, 2, 3242, 609),
    "SBE-Edge-IC-LV": (1383, 222, 0, 2, 1970, 1848),
    "SBE-Block": (1419, 281, 0, 1, 2872, 850),
    "SBE-Block-IC": (1420, 281, 0, 1, 2880, 841),
    "SBE-Block-LV": (1398, 279, 0, 1, 2919, 826),
    "SBE-Block-IC-LV": (1399, 277, 0, 1, 2917, 829),
    "LBE-Edge": (1786, 598, 0, 3, 2473, 563),
    "LBE-Edge-IC": (1884, 628, 0, 1, 1845, 1065),
    "LBE-Edge-LV": (1894, 686, 0, 3, 2241, 599),
    "LBE-Edge-IC-LV": (1877, 625, 0, 1, 1857, 1063),
    "LBE-Block": (1538, 412, 0, 1, 2685, 787),
    "LBE-Block-IC": (1539, 411, 0, 1, 2680, 792),
    "LBE-Block-LV": (1545, 411, 0, 1, 2664, 802),
    "LBE-Block-IC-LV": (1546, 410, 0, 1, 2666, 800),
    "SBE-Interpolation": (1514, 324, 0, 1, 2565, 1019),
    "SBE-Block-IC-LV-fb": (1405, 283, 0, 1, 2951, 783),
    "SBE-Edge-IC-LV-fb": (1472, 295, 0, 1, 2683, 972),
    "LBE-Interpolation": (2055, 731, 1, 3, 1880, 753),
    "LBE-Block-IC-LV-fb": (1620, 435, 0, 1, 2732, 635),
    "LBE-Edge-IC-LV-fb": (1981, 711, 1, 1, 1985, 744),
}

# Correct true, correct false, incorrect true, incorrect false, unknown; LBE-Edge-LV with different solvers and their
# own quantifier elimination (none, light, full), over bit-vectors or integers.
TABLE_2 = {
    "MathSAT5-none-bv": (1894, 685, 0, 3, 2841),
    "Z3-none-bv": (1574, 389, 0, 10, 3450),
    "Z3-light-bv": (1576, 390, 0, 10, 3447),
    "Z3-full-bv": (1366, 340, 0, 9, 3708),
    "MathSAT5-none-int": (1807, 765, 12, 237, 2602),
    "Z3-none-int": (1576, 554, 8, 223, 3062),
    "Z3-light-int": (1575, 554, 8, 223, 3063),
    "Z3-full-int": (1430, 493, 8, 217, 3275),
    "Princess-none-int": (1390, 251, 8, 175, 3599),
    "Princess-light-int": (1393, 250, 8, 175, 3597),
    "Princess-full-int": (1224, 280, 8, 171, 3740),
    "SMTInterpol-none-int": (1500, 400, 11, 143, 3369),
}

# As in Table 5.2, for programs that need a refinement. "subset": both give the same result.
TABLE_3 = {
    "MathSAT5-Interpolation": (1672, 735, 1, 3, 2184),
    "MathSAT5-Newton": (1507, 684, 0, 3, 2401),
    "MathSAT5 subset": (1427, 666, 0, 1, 2084),
    "Z3-Interpolation": (1270, 391, 0, 10, 2924),
    "Z3-Newton": (1188, 391, 0, 10, 3006),
    "Z3 subset": (1119, 355, 0, 10, 2819),
}

ELIMINATIONS = (
    "The thesis, Fig. 5.5 (MathSAT5): of about 105 million eliminations 30.6 % by unconnected parameter drop, half of"
    " all by it and destructive equality resolution together.",
    "Fig. 5.6 (Z3-light): destructive equality resolution achieves more than unconnected parameter drop; the solver"
    " adds only a small fraction.",
)


# --- configurations ---------------------------------------------------------------------------------------------------


CRAIG = "craig(z3, time=none)"

# Not in the thesis: smaller cores of parts of statements, and what composes them.
OURS = {
    "ours: LBE-Edge-conjuncts-LV": "newton(core=conjunct, minimise=1, sp, lv, level=edge)",
    "ours: LBE-Block-conjuncts-LV": "newton(core=conjunct, minimise=1, sp, lv)",
    "ours: LBE-default": "default",
}


_AS_THERE = "boolean, location, atoms, bfs"
_BLOCKS = f"predicate(lbe, {_AS_THERE}, level=block)"  # the refiner alone says whether it looks inside of blocks


def _newton(level: str, flags: str, solver: str = "z3", quantifiers: str = "none") -> str:
    by = f", by={solver}" if solver == "princess" else ""  # its own elimination; z3's otherwise
    return f"newton({flags}, level={level}, solver={solver}, quantifiers={quantifiers}{by}, extra=false, time=none)"


def _row_of_table_1(name: str) -> Row:
    """The configuration that a name such as SBE-Edge-IC-LV-fb describes."""
    blocks, *words = name.lower().split("-")
    engine = (
        "--engine",
        _BLOCKS if blocks == "lbe" else f"predicate({blocks}, {_AS_THERE})",
        *AS_WRITTEN,
        "--encoding",
        "bv",
        "--solver",
        "z3",
    )
    if words == ["interpolation"]:
        return Row(name, (*engine, "--refine", CRAIG))
    flags = ", ".join(["sp", *(flag for word, flag in (("ic", "it"), ("lv", "lv")) if word in words)])
    refiner = _newton(words[0], flags)
    return Row(name, (*engine, "--refine", f"fallback({refiner}, {CRAIG})" if "fb" in words else refiner))


def _row_of_table_2(name: str) -> Row:
    solver, quantifiers, encoding = name.lower().replace("mathsat5", "mathsat").split("-")
    view = ("--encoding", "int", "--floats", "real") if encoding == "int" else ("--encoding", "bv")
    refiner = _newton("edge", "sp, lv", solver, quantifiers)
    return Row(name, ("--engine", _BLOCKS, *AS_WRITTEN, *view, "--solver", solver, "--refine", refiner), solver)


def _row_of_table_3(name: str) -> Row:
    if name == "Z3-Interpolation":
        return replace(_row_of_table_1("LBE-Interpolation"), name=name)
    if name.endswith("-Newton"):
        return replace(_row_of_table_2("Z3-light-bv" if name.startswith("Z3") else "MathSAT5-none-bv"), name=name)
    engine = ("--engine", _BLOCKS, *AS_WRITTEN, "--encoding", "bv", "--solver", "mathsat")
    return Row(name, (*engine, "--refine", "craig(mathsat, time=none)"), "mathsat")


def _row_of_ours(name: str) -> Row:
    return Row(name, ("--engine", _BLOCKS, *AS_WRITTEN, "--encoding", "bv", "--solver", "z3", "--refine", OURS[name]))


def rows() -> list[Row]:
    return [
        *map(_row_of_ours, OURS),
        *map(_row_of_table_1, TABLE_1),
        *map(_row_of_table_2, TABLE_2),
        *(_row_of_table_3(name) for name in TABLE_3 if not name.endswith(" subset")),
    ]


def configurations() -> list[Configuration]:
    """Those whose solvers are installed. Equivalent rows of different tables are run once, under the first name."""
    found: dict[tuple[str, ...], Configuration] = {}
    for row in rows():
        if row.runs_here:
            found.setdefault(row.options, Configuration(row.name, row.options))
    return list(found.values())


def _run_as() -> dict[str, str]:
    """Row → the configuration that was run for it."""
    first: dict[tuple[str, ...], str] = {}
    return {row.name: first.setdefault(row.options, row.name) for row in rows() if row.runs_here}


def missing() -> list[str]:
    return sorted({row.solver for row in rows() if not row.runs_here})


def applies(task: BenchTask, configuration: Configuration) -> bool:
    return True


# --- beside the paper's -----------------------------------------------------------------------------------------------

_VERDICTS = ("correct true", "correct false", "incorrect true", "incorrect false")
_STATUSES = ("correct-true", "correct-false", "wrong-true", "wrong-false")


def tables(campaign: Campaign) -> list[Table]:
    by_config = _by_config(campaign.runs)
    run_as = _run_as()
    refined = with_refinement(campaign.runs)

    def of(row: str) -> list[RunRecord]:
        return by_config.get(run_as.get(row, ""), [])

    def reduced(row: str) -> list[RunRecord]:
        return [record for record in of(row) if task_of(record) in refined]

    absent = missing()
    gone = ("n/a: not run here" + (f"; not installed: {', '.join(absent)}." if absent else "."),)
    note = f"The thesis: CPAchecker, 600 s. Ours: {time_limits(campaign)}."
    first = _table(
        "Table 5.1: configurations of Newton refinement (there by MathSAT5, here by z3)",
        TABLE_1,
        (*_VERDICTS, "timeout", "other"),
        lambda row: _counts(of(row), with_timeouts=True),
        (note, *gone),
    )
    second = _table(
        "Table 5.2: LBE-Edge-LV by solver, quantifier elimination and encoding",
        TABLE_2,
        (*_VERDICTS, "unknown"),
        lambda row: _counts(of(row), with_timeouts=False),
        (
            note,
            "Ours: what is found in integers counts only if it is confirmed in bits.",
            *gone,
        ),
    )
    third = _table(
        "Table 5.3: Newton refinement and interpolation, on tasks that need a refinement",
        TABLE_3,
        (*_VERDICTS, "unknown"),
        lambda row: _counts(_same(reduced, row) if row.endswith(" subset") else reduced(row), with_timeouts=False),
        (note, f"Ours: {counted(len(refined), 'task')} with a refinement under some configuration.", *gone),
    )
    eliminations = _eliminations(reduced("Z3-Newton"))
    return [first, second, third, *([eliminations] if eliminations.rows else []), _ours(of)]


def _ours(of: Callable[[str], list[RunRecord]]) -> Table:
    """Rows that the thesis does not have."""
    lines = []
    for row in OURS:
        counts = _counts(of(row), with_timeouts=True)
        lines.append((row, *(["n/a"] * 6 if counts is None else map(str, counts))))
    return Table("Ours, not in the thesis", ("", *_VERDICTS, "timeout", "other"), tuple(lines))


def _eliminations(runs: Sequence[RunRecord]) -> Table:
    """Fig. 5.6 as a table: how many of all quantified variables each method eliminated."""
    from craton.bench.summary import eliminated

    counts: Counter[str] = Counter()
    for record in runs:
        counts += eliminated(record)
    ranked = sorted(counts.items(), key=lambda item: (item[0] == "none", -item[1], item[0]))
    lines = [("stayed quantified" if name == "none" else name, share(n, counts.total())) for name, n in ranked]
    title = "Fig. 5.6: quantified variables by the method that got rid of them (Z3-Newton)"
    return Table(title, ("", "ours"), tuple(lines), ELIMINATIONS)


def _by_config(runs: Sequence[RunRecord]) -> dict[str, list[RunRecord]]:
    found: dict[str, list[RunRecord]] = {}
    for record in runs:
        found.setdefault(record.config, []).append(record)
    return found


def _same(of: Callable[[str], list[RunRecord]], row: str) -> list[RunRecord]:
    """Runs of Newton refinement with the same result as interpolation."""
    solver = row.removesuffix(" subset")
    other = {(record.task, record.property): _kind(record) for record in of(f"{solver}-Interpolation")}
    return [r for r in of(f"{solver}-Newton") if other.get((r.task, r.property)) == _kind(r)]


def _kind(record: RunRecord) -> str:
    """Everything that is not a verdict counts as unknown, as in the thesis."""
    kind = record.kind()
    if record.status in DONE and kind is not None:
        return f"correct-{kind.value}"
    return record.status if record.status in _STATUSES else "unknown"


def _counts(runs: Sequence[RunRecord], with_timeouts: bool) -> tuple[int, ...] | None:
    """None if there are no such runs. Without an expected verdict, a verdict counts as correct: it was confirmed."""
    if not runs:
        return None
    kinds = Counter(map(_kind, runs))
    verdicts = tuple(kinds[status] for status in _STATUSES)
    if not with_timeouts:
        return *verdicts, kinds["unknown"]
    timeouts = sum(record.status == "timeout" for record in runs)
    return *verdicts, timeouts, kinds["unknown"] - timeouts


def _table(
    title: str,
    paper: Mapping[str, tuple[int, ...]],
    columns: Sequence[str],
    ours: Callable[[str], tuple[int, ...] | None],
    notes: tuple[str, ...],
) -> Table:
    heading = ("", *(cell for column in columns for cell in (f"{column}: thesis", "ours")))
    lines = []
    for row, there in paper.items():
        here = ours(row)
        cells = [row]
        for number, count in enumerate(there):
            cells += [share(count, sum(there)), "n/a" if here is None else share(here[number], sum(here))]
        lines.append(tuple(cells))
    return Table(title, heading, tuple(lines), notes)


# --- figures ----------------------------------------------------------------------------------------------------------

_FIGURES = {"MathSAT5": ("figure-5-1", "figure-5-3", "figure-5-5"), "Z3": ("figure-5-2", "figure-5-4", "figure-5-6")}


def figures(campaign: Campaign, directory: Path) -> list[Path]:
    """For each solver: scatter plot, quantile plot, eliminations by method."""
    from craton.bench.figures import eliminations_figure, quantile_figure, save, scatter_figure
    from craton.bench.summary import eliminated, is_solved

    run_as = _run_as()
    refined = with_refinement(campaign.runs)
    written: list[Path] = []
    for solver, (scatter, quantile, elimination) in _FIGURES.items():
        names = craig, newton = f"{solver}-Interpolation", f"{solver}-Newton"
        runs = [
            replace(record, config=name)
            for name in names
            for record in campaign.runs
            if record.config == run_as.get(name) and task_of(record) in refined
        ]
        part = Campaign(campaign.header | {"configs": {name: [] for name in names}}, tuple(runs))
        if any(map(is_solved, runs)):
            written += save(scatter_figure(part, craig, newton), directory, scatter)
            written += save(quantile_figure(part), directory, quantile)
        if any(eliminated(record) for record in runs):
            written += save(eliminations_figure(part, [newton]), directory, elimination)
    return written


NEWTON_IN_CPACHECKER = Experiment(
    "newton-in-cpachecker",
    "Gerlach: Newton Refinement as Alternative to Craig Interpolation in CPAchecker (thesis, 2018)",
    600.0,
    15000.0,
    configurations,
    applies,
    tables,
    figures,
    missing,
    Quick(("SBE-Block-IC-LV", "LBE-Edge-LV", "LBE-Block-LV", "LBE-Interpolation", "Z3-light-bv"), 5.0),
    {
        file: f"{name} ({solver})"
        for solver, files in _FIGURES.items()
        for file, name in zip(
            files, ("Scatter plot", "Quantile plot", "Quantifier eliminations by method"), strict=True
        )
    },
)
