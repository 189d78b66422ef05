"""Figures of a campaign: what they draw against the runs, and the files against those who read them."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from craton.bench.figures import (
    ITERATIONS,
    PERFECT,
    TIME,
    eliminations_figure,
    quantile_figure,
    quantiles,
    save,
    scatter_figure,
    statistics_figure,
    write_figures,
)
from craton.bench.results import Campaign
from craton.bench.summary import eliminated, is_solved, iterations, perfect_share
from craton.cli import main
from support.campaigns import CONFIGS, campaign, write_campaign

CAMPAIGN = campaign()
PROGRAM = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = 0, y = __VERIFIER_nondet_int();
  while (x < 3) { x++; y = __VERIFIER_nondet_int(); }
  if (x != 3) reach_error();
  return y;
}
"""


def test_quantiles_are_of_what_is_solved() -> None:
    for config in CONFIGS:
        solved = [run for run in CAMPAIGN.runs if run.config == config and run.status.startswith(("correct", "done"))]
        assert quantiles(CAMPAIGN, config) == sorted(run.cpu for run in solved)
        assert quantiles(CAMPAIGN, config, ITERATIONS) == sorted(run.statistics["iterations"] for run in solved)
        shares = [run.statistics["perfect sequences"].split(" of ") for run in solved]
        expected = sorted(100 * int(perfect) / int(tested) for perfect, tested in shares if tested != "0")
        assert quantiles(CAMPAIGN, config, PERFECT) == expected
    loops = [run for run in CAMPAIGN.runs if run.config == "SP" and run.category == "Loops" and is_solved(run)]
    assert len(quantiles(CAMPAIGN, "SP", TIME, "Loops")) == len(loops) > 0


def values(drawn: Any) -> list[float]:
    return [float(value) for value in drawn]


def test_the_lines_of_a_quantile_plot() -> None:
    [axes] = quantile_figure(CAMPAIGN).axes
    assert axes.get_yscale() == "log"
    for config, line in zip(CONFIGS, axes.get_lines(), strict=True):
        assert line.get_label() == config
        assert values(line.get_ydata()) == quantiles(CAMPAIGN, config)
        assert values(line.get_xdata()) == list(range(1, len(quantiles(CAMPAIGN, config)) + 1))


def test_time_iterations_and_perfect_sequences_beside_each_other() -> None:
    figure = statistics_figure(CAMPAIGN, "Floats")
    for axes, metric in zip(figure.axes, (TIME, ITERATIONS, PERFECT), strict=True):
        assert axes.get_title() == metric.title
        drawn = {str(line.get_label()): values(line.get_ydata()) for line in axes.get_lines()}
        assert drawn == {config: quantiles(CAMPAIGN, config, metric, "Floats") for config in CONFIGS}


def test_the_points_of_a_scatter_plot() -> None:
    """Both axes have the same range, so that the diagonal is one; what one has not solved lies beyond all others."""
    runs = {(run.task, run.config): run for run in CAMPAIGN.runs}
    pairs = [(runs[task, "craig"], runs[task, "SP"]) for task in sorted({run.task for run in CAMPAIGN.runs})]
    both = Counter((x.cpu, y.cpu) for x, y in pairs if is_solved(x) and is_solved(y))
    one = [(x, y) for x, y in pairs if is_solved(x) != is_solved(y)]
    [axes] = scatter_figure(CAMPAIGN, "craig", "SP").axes
    first, second = (points(drawn) for drawn in axes.collections)
    assert Counter(first) == both
    longest = max(max(pair) for pair in both)
    assert len(second) == len(one) > 0
    assert all((x > longest) != (y > longest) for x, y in second)
    assert axes.get_xlim() == axes.get_ylim()
    assert max(axes.get_xlim()) > max(map(max, second))


def points(drawn: Any) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in drawn.get_offsets()]


def test_the_bars_of_eliminations() -> None:
    [axes] = eliminations_figure(CAMPAIGN).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == list(reversed(list(CONFIGS)[1:]))
    names = [str(container.get_label()) for container in axes.containers]
    assert names[0] == "destructive equality resolution"
    assert names[-1] == "stayed quantified"
    counts: Counter[str] = Counter()
    for run in CAMPAIGN.runs:
        if run.config == "SP":
            counts.update(run.statistics["eliminated"])
    for container, method in zip(axes.containers, names, strict=True):
        bars: Any = container
        share = counts["none" if method == "stayed quantified" else method] / counts.total()
        assert bars[0].get_width() == pytest.approx(100 * share)  # the lowest bar is the last configuration's


def test_files(tmp_path: Path) -> None:
    """Whatever there is data for, as SVG that is XML, and as PDF."""
    runs = tuple(run for run in CAMPAIGN.runs if run.category == "Floats" and run.config in ("craig", "SP"))
    written = write_figures(Campaign(CAMPAIGN.header, runs), tmp_path)
    assert {file.stem for file in written} == {
        "quantile-time", "quantile-iterations", "quantile-perfect-sequences", "statistics-Floats", "scatter-craig-SP",
        "eliminations",
    }  # fmt: skip
    assert sorted(file.suffix for file in written) == [".pdf"] * 6 + [".svg"] * 6
    for file in written:
        if file.suffix == ".svg":
            assert ElementTree.parse(file).getroot().tag.endswith("svg")
        else:
            assert file.read_bytes().startswith(b"%PDF-")


def test_the_same_campaign_makes_the_same_bytes(tmp_path: Path) -> None:
    """In whatever order its runs ended."""
    other = Campaign(CAMPAIGN.header, CAMPAIGN.runs[::-1])
    for one, two in (
        (scatter_figure(CAMPAIGN, "craig", "SP"), scatter_figure(other, "craig", "SP")),
        (eliminations_figure(CAMPAIGN), eliminations_figure(other)),
    ):
        for first, second in zip(save(one, tmp_path, "a"), save(two, tmp_path, "b"), strict=True):
            assert first.read_bytes() == second.read_bytes()


def test_any_name_can_be_drawn(tmp_path: Path) -> None:
    """Matplotlib has its own mind about dollars and leading underscores."""
    names = {"craig": "_a $x_1$", "SP": "$ \\frac{"}
    runs = tuple(replace(run, config=names[run.config]) for run in CAMPAIGN.runs if run.config in names)
    strange = Campaign({**CAMPAIGN.header, "configs": {name: [] for name in names.values()}}, runs)
    for figure in (quantile_figure(strange), scatter_figure(strange, names["craig"], names["SP"])):
        text = " ".join(ElementTree.parse(save(figure, tmp_path, "f")[0]).getroot().itertext())
        assert "_a $x_1$" in text
        assert "$ \\frac{" in text


def test_without_data_there_are_no_figures(tmp_path: Path) -> None:
    unsolved = tuple(run for run in CAMPAIGN.runs if not is_solved(run))
    assert write_figures(Campaign(CAMPAIGN.header, unsolved), tmp_path) == []
    assert write_figures(Campaign(CAMPAIGN.header, ()), tmp_path) == []
    for run in CAMPAIGN.runs:
        if is_solved(run):  # one point only
            assert write_figures(Campaign(CAMPAIGN.header, (replace(run, statistics={}),)), tmp_path)
            break


def test_without_matplotlib_there_is_a_clear_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = write_campaign(CAMPAIGN, tmp_path / "out")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["tables", str(out), "--figures", str(tmp_path / "figures")]) == 2
    told = capsys.readouterr().err
    assert told == "craton: figures need matplotlib, which is not installed: pip install 'craton[figures]'\n"


def test_what_a_real_run_tells_is_what_figures_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Iterations, perfect sequences and eliminations of a run of Newton, from its statistics."""
    (tmp_path / "p.c").write_text(PROGRAM)
    options = ["--engine", "trace-abstraction", "--refine", "until-perfect(newton(it, sp, lv))"]
    assert main(["verify", str(tmp_path / "p.c"), *options, "--json"]) == 0
    statistics = json.loads(capsys.readouterr().out)["statistics"]
    run = replace(CAMPAIGN.runs[0], statistics=statistics)
    count, share = iterations(run), perfect_share(run)
    assert count is not None and count > 0
    assert share is not None and 0 <= share <= 100
    assert eliminated(run)["destructive equality resolution"] > 0
