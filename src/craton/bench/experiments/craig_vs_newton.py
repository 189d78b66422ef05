"""D. Dietsch, M. Heizmann, B. Musa, A. Nutz, A. Podelski: Craig vs. Newton in Software Model Checking, ESEC/FSE 2017.

[CN] Table 1 (what each source of assertions solves, for two tools and four sets of tasks) and [CN] Figs. 4–6 (time,
iterations and perfect sequences of Ultimate Automizer). Automizer is trace abstraction, Kojak is splitting. Every
refiner is wrapped in `until-perfect`, which with one refiner only counts how many of its sequences are perfect. Traces
consist of single statements, as there (straight lines are unfolded by `level=edge`). No refiner has a time limit; z3 as
auxiliary solver simplifies and unifies assertions, and eliminates quantifiers together with DER and UPD.
Rows of ours are not the paper's algorithm: they stand below, and nothing is compared with them.

The sets, for any tasks: those with a memory property are Memsafety; those of a category with "float" in its name are
Float; all others are Bitvector, verified bit-precisely, and also Integer, verified over integers. Memsafety is verified
over integers, too: the paper has figures for it from solvers that do not support bit-vectors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from craton.bench.configurations import Configuration
from craton.bench.experiments.contract import AS_WRITTEN, Experiment, Quick, Row, Table, share, time_limits
from craton.bench.results import WRONG, Campaign, RunRecord
from craton.bench.tasks import BenchTask

SETS = ("Bitvector", "Integer", "Memsafety", "Float")
ENGINES = {"Automizer": "trace-abstraction(chains)", "Kojak": "splitting(chains)"}


def _craig(solver: str) -> str:
    return f"craig({solver}, time=none)"


def _newton(options: str, solver: str = "z3") -> str:
    return f"newton({options}, level=edge, solver={solver}, extra=false, time=none)"


# The paper's name, the refiner, and the solver it needs. cvc5 is the successor of CVC4.
REFINERS = {
    "Princess": (_craig("princess"), "princess"),
    "Z3": (_craig("z3"), "z3"),
    "SMTInterpol": (_craig("smtinterpol"), "smtinterpol"),
    "CVC4 IT-SP-LV": (_newton("it, sp, lv", "cvc5"), "cvc5"),
    "Mathsat IT-SP-LV": (_newton("it, sp, lv", "mathsat"), "mathsat"),
    "SMTInterpol IT-SP-LV": (_newton("it, sp, lv", "smtinterpol"), "smtinterpol"),
    "Z3 IT-SP-LV": (_newton("it, sp, lv"), "z3"),
    "IT-WP-LV": (_newton("it, wp, lv"), "z3"),
    "IT-SP": (_newton("it, sp"), "z3"),
    "IT-WP": (_newton("it, wp"), "z3"),
    "SP-LV": (_newton("sp, lv"), "z3"),
    "WP-LV": (_newton("wp, lv"), "z3"),
    "SP": (_newton("sp"), "z3"),
    "WP": (_newton("wp"), "z3"),
}

# Not in the paper: cores of conjuncts or of halves of equations, made smaller; and what the default stages use.
OURS = {
    "ours: conjuncts, SP-LV": ("newton(core=conjunct, minimise=1, sp, lv)", "z3"),
    "ours: halves, SP-LV": ("newton(core=half, minimise=1, sp, lv)", "z3"),
    "ours: late, WP-LV": ("newton(core=conjunct, minimise=1, wp, lv, late)", "z3"),
}
EVERYWHERE = ((0, 0),) * 4  # rows of ours run on all sets

PORTFOLIOS = {
    "P Craig": ("Princess", "Z3", "SMTInterpol"),
    "P ⋆+IT-SP-LV": tuple(name for name in REFINERS if name.endswith(" IT-SP-LV")),
    "P All": tuple(REFINERS),
}

SIZES = {"Bitvector": 264, "Integer": 264, "Memsafety": 188, "Float": 129}

Cell = tuple[int, int] | None  # solved, and solved by no other row; None where the paper has a dash

# Table 1: Bitvector, Integer, Memsafety, Float. Sums are computed when the table is shown.
PAPER: dict[str, dict[str, tuple[Cell, Cell, Cell, Cell]]] = {
    "Automizer": {
        "Princess": (None, (100, 0), (62, 3), None),
        "Z3": ((70, 0), (125, 1), (49, 2), None),
        "SMTInterpol": (None, (139, 4), (24, 0), None),
        "CVC4 IT-SP-LV": ((112, 4), (106, 1), (67, 0), None),
        "Mathsat IT-SP-LV": ((105, 1), (117, 0), (78, 1), (53, 14)),
        "SMTInterpol IT-SP-LV": (None, (137, 2), (77, 2), None),
        "Z3 IT-SP-LV": ((107, 0), (119, 0), (81, 0), (44, 0)),
        "IT-WP-LV": ((111, 0), (117, 0), (66, 0), (43, 0)),
        "IT-SP": ((107, 1), (116, 0), (81, 0), (45, 0)),
        "IT-WP": ((111, 0), (116, 0), (60, 0), (45, 1)),
        "SP-LV": ((63, 0), (67, 0), (65, 0), (44, 0)),
        "WP-LV": ((79, 0), (76, 0), (45, 0), (45, 1)),
        "SP": ((45, 0), (48, 0), (64, 0), (43, 0)),
        "WP": ((75, 0), (73, 0), (44, 0), (44, 0)),
    },
    "Kojak": {
        "Princess": (None, (39, 0), (28, 0), None),
        "Z3": ((27, 0), (50, 1), (34, 3), None),
        "SMTInterpol": (None, (49, 1), (29, 0), None),
        "CVC4 IT-SP-LV": ((54, 0), (54, 0), (45, 0), None),
        "Mathsat IT-SP-LV": ((50, 0), (56, 0), (47, 1), (45, 4)),
        "SMTInterpol IT-SP-LV": (None, (56, 0), (47, 0), None),
        "Z3 IT-SP-LV": ((48, 0), (58, 0), (48, 0), (45, 0)),
        "IT-WP-LV": ((56, 0), (52, 0), (57, 0), (43, 0)),
        "IT-SP": ((49, 0), (53, 0), (64, 0), (44, 0)),
        "IT-WP": ((54, 0), (50, 0), (61, 0), (46, 0)),
        "SP-LV": ((45, 0), (47, 0), (59, 0), (44, 0)),
        "WP-LV": ((51, 0), (49, 0), (42, 0), (45, 0)),
        "SP": ((43, 0), (49, 0), (64, 5), (45, 0)),
        "WP": ((48, 0), (49, 0), (42, 0), (46, 0)),
    },
}

PAPER_PORTFOLIOS: dict[str, dict[str, tuple[int | None, int | None, int | None, int | None]]] = {
    "Automizer": {
        "P Craig": (70, 152, 72, None),
        "P ⋆+IT-SP-LV": (118, 145, 88, 58),
        "P All": (136, 164, 94, 61),
    },
    "Kojak": {
        "P Craig": (27, 59, 45, None),
        "P ⋆+IT-SP-LV": (55, 62, 55, 50),
        "P All": (68, 78, 82, 51),
    },
}

# The column Σ as the paper prints it, for all rows and then the portfolios.
PAPER_SUMS = {
    "Automizer": (162, 244, 163, 285, 353, 214, 351, 337, 349, 332, 239, 245, 200, 236, 294, 409, 455),
    "Kojak": (67, 111, 78, 153, 198, 103, 199, 208, 210, 211, 195, 187, 201, 185, 131, 222, 279),
}

# What a row solved alone, in the column Σ as the paper prints it. It is the sum over the sets, except for Automizer's
# IT-WP-LV: no set has an exclusive of it, and yet 2 are printed.
PAPER_EXCLUSIVE_SUMS = {
    "Automizer": (3, 3, 4, 5, 16, 4, 0, 2, 1, 1, 0, 1, 0, 0),
    "Kojak": (0, 4, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 5, 0),
}


# --- configurations ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a configuration in the table."""

    tool: str
    encoding: str
    row: str

    @property
    def name(self) -> str:
        return f"{self.tool} {self.encoding} {self.row}"

    @classmethod
    def of(cls, name: str) -> _Place:
        return cls(*name.split(" ", 2))


def rows(tool: str, encoding: str) -> Iterable[Row]:
    for name, (refiner, solver) in (REFINERS | OURS).items():
        refine = f"until-perfect(simplified({refiner}))"
        options = ("--engine", ENGINES[tool], "--encoding", encoding, *AS_WRITTEN, "--refine", refine)
        yield Row(_Place(tool, encoding, name).name, options, solver)


def configurations() -> list[Configuration]:
    """The paper's configurations whose solvers are installed, and ours."""
    all_rows = [row for tool in ENGINES for encoding in ("bv", "int") for row in rows(tool, encoding)]
    return [Configuration(row.name, row.options) for row in all_rows if row.runs_here]


def missing() -> list[str]:
    return sorted({row.solver for row in rows("Automizer", "bv") if not row.runs_here})


def sets_of(property_name: str, category: str) -> tuple[str, ...]:
    if property_name.startswith("valid-mem") or property_name in ("valid-deref", "valid-free"):
        return ("Memsafety",)
    return ("Float",) if "float" in category.lower() else ("Bitvector", "Integer")


def _set_of(property_name: str, category: str, place: _Place) -> str | None:
    """The set that a run belongs to; None if it is not part of the experiment: the paper has no such figure."""
    for name in sets_of(property_name, category):
        encoding = "int" if name in ("Integer", "Memsafety") else "bv"
        if encoding == place.encoding and _paper(place)[SETS.index(name)] is not None:
            return name
    return None


def _paper(place: _Place) -> tuple[Cell, ...]:
    return EVERYWHERE if place.row in OURS else PAPER[place.tool][place.row]


def applies(task: BenchTask, configuration: Configuration) -> bool:
    return _set_of(task.property, task.category, _Place.of(configuration.name)) is not None


# --- beside the paper's -----------------------------------------------------------------------------------------------


def tables(campaign: Campaign) -> list[Table]:
    found = [_table(campaign, tool) for tool in ENGINES if any(_of(campaign, tool, name) for name in SETS)]
    return [*found, *_perfect(campaign)]


def _of(campaign: Campaign, tool: str, set_name: str) -> list[tuple[str, RunRecord]]:
    """The runs of a column, each with its row."""
    found = []
    for record in campaign.runs:
        place = _Place.of(record.config)
        if place.tool == tool and _set_of(record.property, record.category, place) == set_name:
            found.append((place.row, record))
    return found


def _table(campaign: Campaign, tool: str) -> Table:
    columns = {name: _Column.of(_of(campaign, tool, name)) for name in SETS}
    all_tasks, paper_tasks = sum(column.tasks for column in columns.values()), sum(SIZES.values())
    heading = ["", *(cell for name in (*SETS, "Σ") for cell in (f"{name}: paper", "ours"))]
    sizes = [cell for name in SETS for cell in (str(SIZES[name]), str(columns[name].tasks))]
    lines = [["No. of tasks", *sizes, str(paper_tasks), str(all_tasks)]]
    sums, exclusive = iter(PAPER_SUMS[tool]), iter(PAPER_EXCLUSIVE_SUMS[tool])
    for row in REFINERS:
        cells = [row]
        for name, paper in zip(SETS, PAPER[tool][row], strict=True):
            cells += ["–" if paper is None else f"{share(paper[0], SIZES[name])} [{paper[1]}]"]
            cells += ["–" if paper is None else columns[name].cell(row)]
        lines.append([*cells, f"{share(next(sums), paper_tasks)} [{next(exclusive)}]", _sum(row, columns, all_tasks)])
    for portfolio, members in PORTFOLIOS.items():
        cells = [portfolio]
        for name, solved in zip(SETS, PAPER_PORTFOLIOS[tool][portfolio], strict=True):
            cells += ["–" if solved is None else share(solved, SIZES[name])]
            cells += ["–" if solved is None else columns[name].portfolio(members)]
        lines.append([*cells, share(next(sums), paper_tasks), _sum_of_portfolio(members, columns, all_tasks)])
    lines += [_our_line(row, columns, all_tasks) for row in OURS]
    title = f"Table 1, {tool} ({ENGINES[tool]})"
    return Table(title, tuple(heading), tuple(map(tuple, lines)), tuple(_notes(campaign, tool)))


def _notes(campaign: Campaign, tool: str) -> list[str]:
    absent = missing()
    notes = [
        "Solved, of all tasks of the set, and [solved by no other row of the paper, in this set]. – is not run, as in"
        " the paper.",
        "n/a: not run here" + (f"; not installed: {', '.join(absent)}." if absent else "."),
        f"The paper: Ultimate {tool}, 120 s. Ours: {ENGINES[tool]}, {time_limits(campaign)}; CVC4 is cvc5.",
    ]
    wrong = [record for _, record in _all(campaign, tool) if record.status in WRONG]
    return [*notes, f"WRONG verdicts among ours, not counted as solved: {len(wrong)}."] if wrong else notes


def _our_line(row: str, columns: Mapping[str, _Column], all_tasks: int) -> list[str]:
    """A row that the paper does not have; it competes with none."""
    cells = [cell for name in SETS for cell in ("", columns[name].count(row))]
    ran = [len(column.solved.get(row, ())) for column in columns.values() if row in column.ran]
    return [row, *cells, "", share(sum(ran), all_tasks) if ran else "n/a"]


def _sum(row: str, columns: Mapping[str, _Column], all_tasks: int) -> str:
    """Over all sets; what is solved alone is summed up, too, as in the paper: a program is in several sets."""
    ran = [column for column in columns.values() if row in column.ran]
    solved = sum(len(column.solved.get(row, ())) for column in ran)
    alone = sum(len(column.alone(row)) for column in ran)
    return f"{share(solved, all_tasks)} [{alone}]" if ran else "n/a"


def _sum_of_portfolio(members: Sequence[str], columns: Mapping[str, _Column], all_tasks: int) -> str:
    ran = [column for column in columns.values() if column.ran.intersection(members)]
    return share(sum(len(column.union(members)) for column in ran), all_tasks) if ran else "n/a"


def _all(campaign: Campaign, tool: str) -> list[tuple[str, RunRecord]]:
    return [pair for name in SETS for pair in _of(campaign, tool, name)]


@dataclass(frozen=True, slots=True)
class _Column:
    """A set of tasks under one tool: which rows solved what."""

    tasks: int
    ran: frozenset[str]
    solved: dict[str, set[tuple[str, str]]]

    @classmethod
    def of(cls, runs: Sequence[tuple[str, RunRecord]]) -> _Column:
        from craton.bench.summary import is_solved

        solved: dict[str, set[tuple[str, str]]] = {}
        for row, record in runs:
            if is_solved(record):
                solved.setdefault(row, set()).add((record.task, record.property))
        tasks = {(record.task, record.property) for _, record in runs}
        return cls(len(tasks), frozenset(row for row, _ in runs), solved)

    def cell(self, row: str) -> str:
        if row not in self.ran:
            return "n/a"
        return f"{share(len(self.solved.get(row, ())), self.tasks)} [{len(self.alone(row))}]"

    def alone(self, row: str) -> set[tuple[str, str]]:
        """What no other row of the paper has solved, under this tool and in this set."""
        others = set().union(*(tasks for name, tasks in self.solved.items() if name != row and name in REFINERS))
        return self.solved.get(row, set()) - others

    def count(self, row: str) -> str:
        return share(len(self.solved.get(row, ())), self.tasks) if row in self.ran else "n/a"

    def portfolio(self, members: Sequence[str]) -> str:
        return share(len(self.union(members)), self.tasks) if self.ran.intersection(members) else "n/a"

    def union(self, members: Sequence[str]) -> set[tuple[str, str]]:
        return set().union(*(self.solved.get(name, set()) for name in members))


# --- perfect sequences (Sect. 7.1) ------------------------------------------------------------------------------------

_SHARES = ("only perfect ones", "some", "none")


def _perfect(campaign: Campaign) -> list[Table]:
    """Do perfect sequences go with success? By set, and by row: of runs of trace abstraction that refuted a trace."""
    from craton.bench.summary import perfect_sequences

    by_set = {name: [record for row, record in _of(campaign, "Automizer", name) if row in REFINERS] for name in SETS}
    pairs = _all(campaign, "Automizer")
    by_row = {row: [record for other, record in pairs if other == row] for row in REFINERS | OURS}
    title = "Sect. 7.1: how many of a run's sequences are perfect, by "
    notes = (
        "The paper: nearly all successful cases of Memsafety and Bitvector had only perfect sequences; nearly a quarter"
        " of the solved tasks of Float had none.",
        "Runs of trace abstraction with at least one sequence. By set: rows of the paper only.",
    )
    heading = ("", *(f"{which}: {word}" for which in ("solved", "not solved") for word in ("runs", *_SHARES)))
    found = []
    for what, groups in (("set", by_set), ("row", by_row)):
        told = {name: [run for run in runs if perfect_sequences(run)] for name, runs in groups.items()}
        lines = tuple((name, *_perfect_line(runs)) for name, runs in told.items() if runs)
        if lines:
            found.append(Table(title + what, heading, lines, notes))
    return found


def _perfect_line(runs: Sequence[RunRecord]) -> list[str]:
    """Of solved runs, and then of the others: their number, and how many had only perfect sequences, some, none."""
    from craton.bench.summary import is_solved, perfect_sequences

    cells = []
    for solved in (True, False):
        shares = [found for run in runs if is_solved(run) is solved and (found := perfect_sequences(run))]
        kinds = Counter(0 if perfect == tested else 1 if perfect else 2 for perfect, tested in shares)
        cells += [str(len(shares)), *(share(kinds[kind], len(shares)) for kind in range(3))]
    return cells


# --- figures ----------------------------------------------------------------------------------------------------------

FIGURES = {
    "Bitvector": "figure-4",
    "Memsafety": "figure-5-memsafety",
    "Integer": "figure-5-integer",
    "Float": "figure-6",
}


_NUMBERS = {"Bitvector": "Fig. 4", "Memsafety": "Fig. 5", "Integer": "Fig. 5", "Float": "Fig. 6"}
_QUICK = ("Z3", "Z3 IT-SP-LV", "IT-WP-LV", "SP")


def figures(campaign: Campaign, directory: Path) -> list[Path]:
    """Our versions of Figs. 4–6: for trace abstraction, as in the paper."""
    from craton.bench.figures import save, statistics_figure
    from craton.bench.summary import is_solved

    written: list[Path] = []
    for name, file in FIGURES.items():
        runs = [replace(record, config=row, category=name) for row, record in _of(campaign, "Automizer", name)]
        if any(map(is_solved, runs)):
            header = campaign.header | {"configs": {row: [] for row in REFINERS | OURS}}
            written += save(statistics_figure(Campaign(header, tuple(runs)), name), directory, file)
    return written


CRAIG_VS_NEWTON = Experiment(
    "craig-vs-newton",
    "Dietsch, Heizmann, Musa, Nutz, Podelski: Craig vs. Newton in Software Model Checking (ESEC/FSE 2017)",
    120.0,
    6000.0,
    configurations,
    applies,
    tables,
    figures,
    missing,
    Quick(tuple(f"Automizer {code} {row}" for code in ("bv", "int") for row in _QUICK), 4.0),
    {file: f"{_NUMBERS[name]}: time, iterations and perfect sequences, {name}" for name, file in FIGURES.items()},
)
