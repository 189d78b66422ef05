"""The papers' figures are theirs, and ours are put beside them in the right place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from craton.bench.configurations import check
from craton.bench.experiments import EXPERIMENTS
from craton.bench.experiments import craig_vs_newton as cn
from craton.bench.experiments import exploring_interpolants as ei
from craton.bench.experiments import newton_in_cpachecker as nr
from craton.bench.experiments import refinement_selection as rs
from craton.bench.experiments.contract import Table
from craton.bench.experiments.page import column_groups, experiment_page
from craton.bench.results import Campaign, RunRecord, score_of, status_of
from craton.bench.tasks import BenchTask
from craton.configuration.refiners import refiner
from craton.traces.compose import Fallback
from craton.traces.cores import Granularity
from craton.traces.craig import Craig
from craton.traces.levels import Level
from craton.traces.newton import Newton
from craton.traces.prefixes import Sliced
from craton.traces.refutation import Refiner
from craton.traces.scorers import SCORERS
from craton.traces.values import ExplicitValues

# --- what the papers say about their own figures ----------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["Automizer", "Kojak"])
def test_sums_of_table_1_are_those_that_the_paper_prints(tool: str) -> None:
    """A figure that was copied wrongly would change the sum of its row."""
    rows = [sum(cell[0] for cell in cells if cell) for cells in cn.PAPER[tool].values()]
    portfolios = [sum(filter(None, cells)) for cells in cn.PAPER_PORTFOLIOS[tool].values()]
    assert tuple(rows + portfolios) == cn.PAPER_SUMS[tool]
    assert sum(cn.SIZES.values()) == 845
    alone = [sum(cell[1] for cell in cells if cell) for cells in cn.PAPER[tool].values()]
    differing = {row: pair for row, *pair in zip(cn.REFINERS, alone, cn.PAPER_EXCLUSIVE_SUMS[tool], strict=True)}
    as_printed = {"IT-WP-LV": [0, 2]} if tool == "Automizer" else {}
    assert {row: pair for row, pair in differing.items() if pair[0] != pair[1]} == as_printed


@pytest.mark.parametrize("tool", ["Automizer", "Kojak"])
def test_portfolios_of_table_1_lie_between_their_members_and_the_sum_of_them(tool: str) -> None:
    for name, members in cn.PORTFOLIOS.items():
        for column, size in enumerate(cn.SIZES.values()):
            solved = [cell[0] for row in members if (cell := cn.PAPER[tool][row][column])]
            portfolio = cn.PAPER_PORTFOLIOS[tool][name][column]
            assert (portfolio is None) == (not solved)
            assert portfolio is None or max(solved) <= portfolio <= min(sum(solved), size)


def test_rows_of_the_thesis_have_the_same_number_of_tasks() -> None:
    as_printed = {"SBE-Edge-IC-LV": 5425}  # two too many, in the thesis itself
    assert {name: sum(row) for name, row in nr.TABLE_1.items() if sum(row) != 5423} == as_printed
    assert {sum(row) for row in nr.TABLE_2.values()} == {5423}
    whole = {name: sum(row) for name, row in nr.TABLE_3.items() if not name.endswith("subset")}
    assert set(whole.values()) == {4595}


def test_what_the_thesis_says_in_words() -> None:
    """Sect. 5.1 and 5.3: 2580 and 1956 successful cases; interpolation has 216 correct results more than Newton."""
    assert sum(nr.TABLE_1["LBE-Edge-LV"][:2]) == 2580
    assert sum(nr.TABLE_1["LBE-Block-IC-LV"][:2]) == 1956
    craig, newton, both = (nr.TABLE_3[name] for name in list(nr.TABLE_3)[:3])
    assert sum(craig[:2]) - sum(newton[:2]) == 216
    assert (craig[0] - both[0], craig[1] - both[1]) == (245, 69)
    assert (newton[0] - both[0], newton[1] - both[1]) == (80, 18)


def test_what_table_i_says_of_timeouts() -> None:
    """Sect. VII-B: abstraction avoids divergence on eight of ten, and Z3 times out more often than it."""
    out = [sum(row[place] is None for row in ei.TABLE_I.values()) for place in (1, 3, 4)]
    assert out == [10, 2, 9]
    assert len(ei.TABLE_I) == 41
    assert all((row[0] is None) is (row[1] is None) for row in ei.TABLE_I.values())
    assert all((row[2] is None) is (row[3] is None) for row in ei.TABLE_I.values())


def test_what_refinement_selection_says_in_words() -> None:
    """[RS] 7: 224 more tasks (20 %) by good and narrow; all but "bad" are better than none."""
    solved = {row: cells[0] for row, cells in rs.TABLE_1.items() if cells}
    assert solved["Good&Narrow"] - solved["None"] == 224
    assert {row for row, count in solved.items() if count < solved["None"]} == {"Bad"}
    assert max(solved, key=lambda row: solved[row]) == "Good&Narrow"
    best = {row: cells[0] for row, cells in rs.TABLE_2.items() if cells}
    assert max(best, key=lambda row: best[row]) == "Good&Narrow"
    third = {row: cells[0] for row, cells in rs.TABLE_3.items() if cells}
    assert third[rs.WITHIN] == third[rs.BETWEEN] > third[rs.VALUES_FIRST] > third["PA"]
    for paper, sizes in ((rs.TABLE_1, rs.SIZES_1), (rs.TABLE_2, rs.SIZES_2), (rs.TABLE_3, rs.SIZES_3)):
        for cells in filter(None, paper.values()):
            assert all(count <= size for count, size in zip(cells, sizes.values(), strict=True))
            assert sum(cells[1:]) <= cells[0]


# --- configurations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_configurations_are_options_of_verify(name: str) -> None:
    configurations = EXPERIMENTS[name].configurations()
    fewest = 4 if name == "exploring-interpolants" else 21
    assert len({configuration.options for configuration in configurations}) == len(configurations) >= fewest
    for configuration in configurations:
        check(configuration)


def test_the_sets_of_a_task() -> None:
    assert cn.sets_of("unreach-call", "ReachSafety-Loops") == ("Bitvector", "Integer")
    assert cn.sets_of("unreach-call", "ReachSafety-Floats") == ("Float",)
    assert cn.sets_of("valid-memsafety", "MemSafety-Heap") == ("Memsafety",)


# --- ours beside theirs -----------------------------------------------------------------------------------------------


def record(task: str, config: str, verdict: str, expected: str = "true", refuted: int = 0) -> RunRecord:
    category, _, _ = task.partition("/")
    status = status_of(verdict, expected)
    properties = {"mem": "valid-memsafety"}
    figures = {
        "refutations": {"newton": refuted},
        "eliminated": {"case by case": refuted, "none": 2} if refuted else {},
    }
    return RunRecord(
        task=task, category=category, property=properties.get(category, "unreach-call"), expected=expected,
        config=config, verdict=verdict, status=status, reason="", score=score_of(status), cpu=1.0, wall=1.0, memory=1,
        exit_code=0, statistics=figures, log="", evidence="",
    )  # fmt: skip


def campaign(*runs: RunRecord) -> Campaign:
    return Campaign({"limits": {"wall": 10.0}, "configs": dict.fromkeys(run.config for run in runs)}, runs)


def cells(table: Table, row: str) -> dict[str, str]:
    """Ours, by the column."""
    line = next(line for line in table.rows if line[0] == row)
    return {
        heading.partition(":")[0]: line[place + 1] for place, heading in enumerate(table.heading) if ": " in heading
    }


def test_table_1_counts_what_is_solved_and_what_nobody_else_has_solved() -> None:
    (table,) = cn.tables(
        campaign(
            record("loops/a", "Automizer bv Z3", "true"),
            record("loops/b", "Automizer bv Z3", "unknown"),
            record("loops/a", "Automizer bv IT-SP", "true"),
            record("loops/b", "Automizer bv IT-SP", "true"),
            record("loops/a", "Automizer int Z3", "TIMEOUT"),
            record("loops/b", "Automizer int Z3", "true"),
            record("floats/c", "Automizer bv IT-SP", "true", "false"),  # wrong, so not solved
            record("mem/d", "Automizer int IT-SP", "false(valid-deref)", "false(valid-deref)"),
        )
    )
    assert cells(table, "No. of tasks") == {"Bitvector": "2", "Integer": "2", "Memsafety": "1", "Float": "1", "Σ": "6"}
    assert cells(table, "Z3") == {
        "Bitvector": "1 (50 %) [0]",
        "Integer": "1 (50 %) [1]",
        "Memsafety": "n/a",
        "Float": "–",
        "Σ": "2 (33 %) [1]",
    }
    assert cells(table, "IT-SP") == {
        "Bitvector": "2 (100 %) [1]",
        "Integer": "n/a",
        "Memsafety": "1 (100 %) [1]",
        "Float": "0 (0 %) [0]",
        "Σ": "3 (50 %) [2]",
    }
    assert cells(table, "P All")["Bitvector"] == "2 (100 %)" and cells(table, "P Craig")["Bitvector"] == "1 (50 %)"
    assert cells(table, "SP") == dict.fromkeys(["Bitvector", "Integer", "Memsafety", "Float", "Σ"], "n/a")
    assert any("WRONG" in note for note in table.notes)


def test_rows_of_ours_stand_below_and_compete_with_none() -> None:
    ours = next(iter(cn.OURS))
    (table,) = cn.tables(
        campaign(record("loops/a", "Automizer bv Z3", "true"), record("loops/a", f"Automizer bv {ours}", "true"))
    )
    assert cells(table, "Z3")["Bitvector"] == "1 (100 %) [1]"
    assert cells(table, ours)["Bitvector"] == "1 (100 %)"
    assert [line[0] for line in table.rows[-len(cn.OURS) :]] == [*cn.OURS]
    assert all(name.startswith("ours") for name in cn.OURS)


def test_rows_of_ours_have_a_table_of_their_own() -> None:
    name = next(iter(nr.OURS))
    *theirs, ours = nr.tables(campaign(record("loops/a", name, "true"), record("loops/a", "LBE-Edge", "true")))
    assert [line[0] for line in ours.rows] == [*nr.OURS]
    assert ours.rows[0][1:] == ("1", "0", "0", "0", "0", "0")
    assert not any(line[0].startswith("ours") for table in theirs for line in table.rows)


@pytest.mark.parametrize("name", ["Z3 IT-SP-LV", "IT-WP", "SP"])
def test_rows_of_the_paper_have_its_settings(name: str) -> None:
    """Whole statements, the solver's core as it comes, single statements, no limit of time ([CN] 4.5, 7)."""
    newton = refiner(cn.REFINERS[name][0])
    assert isinstance(newton, Newton)
    assert newton.core is (Granularity.STATEMENT if "IT" in name else None)
    assert (newton.minimise, newton.late, newton.level, newton.time_limit) == (0, False, Level.EDGE, None)


@pytest.mark.parametrize("name", ["craig-vs-newton", "newton-in-cpachecker", "refinement-selection"])
def test_refiners_see_what_is_irrelevant(name: str) -> None:
    """Neither slicing nor known constants do a refiner's work."""
    for configuration in EXPERIMENTS[name].configurations():
        assert configuration.options[configuration.options.index("--passes") + 1] == "dead-code"


def test_rows_of_table_3_are_configured_exactly() -> None:
    """[RS] 7: values first; the same with selection in each analysis; selection between the analyses. As in all rows,
    single statements, unwound anew after each refinement, with one precision for all locations; no limits of time.
    """
    options = {row.name: row.options for row in rs.rows()}
    craig = Fallback((Craig("farkas", time_limit=None), Craig("z3", time_limit=None)))
    values = ExplicitValues(time_limit=None)
    good_narrow = (SCORERS["good"], SCORERS["narrow"])

    def refines(row: str) -> Refiner:
        return refiner(options[row][options[row].index("--refine") + 1])

    def selecting(*refiners: Refiner) -> Refiner:
        return Sliced(refiners, good_narrow, time_limit=None)

    assert refines("PA None") == craig and refines("VA None") == values
    assert refines(rs.VALUES_FIRST) == Fallback((values, craig))
    assert refines(rs.WITHIN) == Fallback((selecting(values), selecting(craig)))
    assert refines(rs.BETWEEN) == selecting(values, craig)
    for row in (rs.VALUES_FIRST, rs.WITHIN, rs.BETWEEN):
        assert options[row][:2] == ("--engine", "value-predicate(sbe, restart, global)")
    for row in rs.HEURISTICS:
        assert options[f"PA {row}"][:2] == ("--engine", "predicate(sbe, restart, global, boolean, atoms, bfs)")
        assert options[f"VA {row}"][:2] == ("--engine", "value(sbe, restart, global)")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_quick_runs_some_of_the_rows_in_five_minutes(name: str) -> None:
    experiment = EXPERIMENTS[name]
    rows = experiment.quick.chosen(experiment.configurations())
    assert {row.name for row in rows} == set(experiment.quick.rows) and len(rows) >= 2
    fitting = experiment.quick.fitting([len(rows)] * 1000, experiment.quick.seconds)
    assert 5 <= fitting <= 600 / experiment.quick.seconds / len(rows)
    assert experiment.quick.fitting([10**6], experiment.quick.seconds) == 1


def test_perfect_sequences_are_counted_by_set_and_by_row() -> None:
    def run(config: str, verdict: str, perfect: str) -> RunRecord:
        made = record(f"loops/{verdict}", config, verdict)
        return replace(made, statistics={"perfect sequences": perfect})

    *_, by_set, by_row = cn.tables(
        campaign(
            run("Automizer bv Z3 IT-SP-LV", "true", "3 of 3"),
            run("Automizer bv Z3 IT-SP-LV", "unknown", "1 of 30"),
            run("Automizer bv Z3", "TIMEOUT", "0 of 5"),
            run("Automizer bv SP", "true", "0 of 0"),
            run("Kojak bv SP", "true", "1 of 1"),
        )
    )
    assert by_set.rows == (
        ("Bitvector", "1", "1 (100 %)", "0 (0 %)", "0 (0 %)", "2", "0 (0 %)", "1 (50 %)", "1 (50 %)"),
    )
    assert [line[0] for line in by_row.rows] == ["Z3", "Z3 IT-SP-LV"]


def test_the_page_groups_columns_and_marks_what_is_ours() -> None:
    ours = next(iter(cn.OURS))
    found = campaign(record("loops/<a>", "Automizer bv Z3", "true"), record("loops/a", f"Automizer bv {ours}", "true"))
    page = experiment_page(cn.CRAIG_VS_NEWTON, found, cn.tables(found))
    assert '<th colspan="2">Bitvector</th>' in page and f'<tr class=own><th scope="row">{ours}</th>' in page
    assert '<td class="num mine">1 (50 %) [1]</td>' in page and "WRONG" not in page and "@BODY@" not in page
    assert list(column_groups(("", "A: x", "ours", "B: y", "B: ours", "c"))) == [
        ("A", ["x", "ours"]),
        ("B", ["y", "ours"]),
        ("", ["c"]),
    ]


def test_the_paper_stands_beside_ours() -> None:
    (table,) = cn.tables(campaign(record("loops/a", "Kojak bv Z3", "true")))
    text = table.text()
    assert "Kojak" in table.title and "27 (10 %) [0]" in text and "111 (13 %)" in text
    assert "| Z3 | 27 (10 %) [0] | 1 (100 %) [1] |" in table.markdown()


def test_tables_of_the_thesis() -> None:
    first, second, third, fourth, _ = nr.tables(
        campaign(
            record("a/1", "LBE-Edge-LV", "true", refuted=2),
            record("a/2", "LBE-Edge-LV", "TIMEOUT"),
            record("a/3", "LBE-Edge-LV", "ERROR"),
            record("a/1", "LBE-Interpolation", "unknown"),
            record("a/2", "LBE-Interpolation", "true", refuted=2),
            record("a/3", "LBE-Interpolation", "true"),
            record("a/1", "Z3-light-bv", "true"),
            record("a/2", "Z3-light-bv", "true", refuted=6),
            record("a/3", "Z3-light-bv", "false(unreach-call)"),
        )
    )
    some = {"correct true": "1 (33 %)", "timeout": "1 (33 %)", "other": "1 (33 %)"}
    assert {name: cell for name, cell in cells(first, "LBE-Edge-LV").items() if cell != "0 (0 %)"} == some
    # The same options under another name: the thesis has MathSAT5 in one table and z3 in the other, we have z3.
    assert cells(second, "Z3-none-bv")["unknown"] == "2 (67 %)"
    assert cells(second, "Z3-light-bv")["incorrect false"] == "1 (33 %)"
    assert set(cells(second, "Z3-full-bv").values()) == {"n/a"}
    # The third task needs no refinement under any configuration.
    assert cells(third, "Z3-Newton")["correct true"] == "2 (100 %)"
    assert cells(third, "Z3-Interpolation")["correct true"] == "1 (50 %)"
    assert cells(third, "Z3 subset")["correct true"] == "1 (100 %)"
    assert fourth.rows == (("case by case", "6 (75 %)"), ("stayed quantified", "2 (25 %)"))


def selected(task: str, config: str, verdict: str, several: int, refuted: int = 1) -> RunRecord:
    made = record(task, config, verdict, refuted=refuted)
    choices = {"fewest": 1, "median": 1.0, "most": several + 1, "with several": several}
    return replace(made, statistics=made.statistics | {"refinements to select from": choices})


def test_tables_of_refinement_selection(tmp_path: Path) -> None:
    ended = campaign(
        record("ReachSafety-ECA/1", "PA None", "TIMEOUT", refuted=3),
        selected("ReachSafety-ECA/1", "PA Good", "true", 2),
        record("ReachSafety-ECA/2", "PA None", "true", refuted=1),
        selected("ReachSafety-ECA/2", "PA Good", "true", 0),  # nothing to select: the task does not count
        record("ReachSafety-Loops/3", "PA None", "true", refuted=1),
        selected("ReachSafety-Loops/3", "PA Good", "unknown", 1),
        selected("ReachSafety-Loops/3", "VA Good", "true", 1),
        selected("ReachSafety-ECA/2", rs.BETWEEN, "true", 1),
        selected("ReachSafety-ECA/1", rs.BETWEEN, "true", 0, refuted=0),  # needs no refinement
        record("ReachSafety-ECA/2", rs.VALUES_FIRST, "TIMEOUT"),
        record("ReachSafety-ECA/2", "ours: VA lazy", "true"),
    )
    first, second, third, prefixes, ours = rs.tables(ended)
    assert cells(first, "No. of tasks") == dict.fromkeys(rs.SIZES_1, "0") | {"All tasks": "2", "ECA": "1"}
    assert cells(first, "None")["All tasks"] == "1 (50 %)" and cells(first, "None")["ECA"] == "0 (0 %)"
    assert cells(first, "Good")["ECA"] == "1 (100 %)" and cells(first, "Good")["Seq."] == "n/a"
    assert set(cells(first, "Bad").values()) == {"n/a"}
    assert first.rows[1][1] == "1139 (40 %)"
    assert cells(second, "Good")["All tasks"] == "1 (100 %)" and second.rows[1][1] == "–"
    assert cells(third, "No. of tasks")["All tasks"] == "1"
    assert cells(third, rs.BETWEEN)["ECA"] == "1 (100 %)" and cells(third, rs.VALUES_FIRST)["ECA"] == "0 (0 %)"
    assert cells(third, "PA")["All tasks"] == "1 (100 %)"
    assert ("PA Good", "2 (67 %)", "3", "3") in prefixes.rows
    assert ("ours: VA lazy", "1 (33 %)") in ours.rows and ("ours: VA eager", "n/a") in ours.rows
    assert [path.stem for path in rs.figures(ended, tmp_path)][:1] == ["figure-2"]


def test_table_i() -> None:
    def run(task: str, config: str, verdict: str, refinements: int = 0) -> RunRecord:
        made = record(f"horn/{task}", config, verdict, verdict if task == "own.smt2" else "true")
        return replace(made, property="satisfiability", statistics={"iterations": refinements})

    (table,) = ei.tables(
        campaign(
            run("mccarthy91.nts.smt2", "plain", "true", 7),
            run("mccarthy91.nts.smt2", "ABS", "TIMEOUT"),
            run("mccarthy91.nts.smt2", "Spacer", "unknown"),
            run("mccarthy91.nts.smt2", "Craton", "true"),
            run("rotation_vc.correct.1.nts.smt2", "ABS", "true", 3),
            run("boustrophedon_expansed.c.nts.smt2", "ABS", "true", 2),
            run("own.smt2", "Spacer", "true"),
            run("own.smt2", "Craton", "false"),
            run("parity.nts.smt2", "Craton", "false"),
        )
    )
    lines = {line[0]: line[1:] for line in table.rows}
    assert lines["mccarthy91 (C)"] == ("4", "7", "1.4", "1.0", "3", "*", "2.4", "*", "0.0", "?", "1.0")
    assert lines["rotation_vc.1 (C)"][4:8] == ("7", "3", "0.3", "1.0")
    assert lines["boustrophedon_expanded (C)"][:5] == ("*", "n/a", "*", "n/a", "11")
    assert lines["own"] == ("–", "n/a", "–", "n/a", "–", "n/a", "–", "n/a", "–", "1.0", "1.0")
    assert lines["parity (C)"][-1] == "WRONG"
    assert [line[0] for line in table.rows][-1] == "own"
    assert "plain: 1 of 1 answered; there 3 of 4 of them." in table.notes
    assert "Answers differ: horn/own.smt2" in table.notes


def test_experiments_are_for_tasks_of_their_kind() -> None:
    configuration = ei.configurations()[0]
    clauses = BenchTask("a", "a", "satisfiability", None, Path("a.smt2"), None, ())
    assert ei.EXPLORING_INTERPOLANTS.applies(clauses, configuration)
    assert not ei.EXPLORING_INTERPOLANTS.applies(replace(clauses, property="unreach-call"), configuration)
    reachability = replace(clauses, property="unreach-call", file=Path("a.c"), category="ReachSafety-ECA")
    assert rs.applies(reachability, configuration)
    for category in ("ReachSafety-Arrays", "ReachSafety-Heap", "ReachSafety-Recursive", "ConcurrencySafety-Main"):
        assert not rs.applies(replace(reachability, category=category), configuration)
    assert not rs.applies(replace(reachability, property="no-overflow"), configuration)
