"""The papers' figures for any campaign: as SVG for a page, as PDF for a paper. They need matplotlib (an extra).

| figure | in the papers |
|---|---|
| `quantile_figure` | [NR] Figs. 5.3 and 5.4: what is solved, by time |
| `scatter_figure` | [NR] Figs. 5.1 and 5.2: two configurations, task by task |
| `statistics_figure` | [CN] Figs. 4–6: time, iterations and perfect sequences side by side |
| `eliminations_figure` | [NR] Figs. 5.5 and 5.6: quantified variables by the method that eliminated them |

Figures show solved runs only: no wrong verdicts, and no runs without an answer. The same campaign gives the same files,
byte for byte.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from craton.bench.results import Campaign, RunRecord
from craton.bench.summary import (
    categories,
    configs,
    eliminated,
    file_stems,
    in_order,
    is_solved,
    iterations,
    perfect_share,
)
from craton.errors import CratonError
from craton.files import make_directory, write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


class MissingMatplotlib(CratonError):
    """Figures were requested, but matplotlib is not installed."""

    def __init__(self) -> None:
        super().__init__("figures need matplotlib, which is not installed: pip install 'craton[figures]'")


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of a run, and how it is drawn."""

    title: str
    axis: str
    of: Callable[[RunRecord], float | None]
    logarithmic: bool = False
    least: float = 0.0  # smaller values are drawn here: a logarithmic axis has no zero


TIME = Metric("Time", "CPU time (s)", lambda run: run.cpu, logarithmic=True, least=0.01)
ITERATIONS = Metric("Iterations", "iterations", iterations)
PERFECT = Metric("Perfect sequences", "perfect sequences (%)", perfect_share)

_COLOURS = ("#2563c9 #d9660a #16803f #c9202f #7a3fc0 #8a5a2b #c83f96 #55606f #8a8f00 #0d8f9c #0b2f6b #7d1a24").split()
_MARKERS = "osD^vP*Xp<>h"
_STYLE: Any = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e1e5ea",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.fonttype": "none",  # keep text as text
    "svg.hashsalt": "craton",
    "pdf.fonttype": 42,
}


# --- figures ----------------------------------------------------------------------------------------------------------


def quantile_figure(campaign: Campaign, metric: Metric = TIME, category: str | None = None) -> Figure:
    """For each n, the n-th smallest value among the runs that a configuration has solved."""
    with _style():
        figure = _figure(6.8, 4.0)
        _draw_quantiles(figure.add_subplot(), campaign, metric, category)
        figure.axes[0].set_title("")
        _legend(figure, figure.axes[0])
        return figure


def statistics_figure(campaign: Campaign, category: str | None = None) -> Figure:
    """Time, iterations and the share of perfect sequences, each as quantiles."""
    with _style():
        figure = _figure(11.5, 3.6)
        for position, metric in enumerate((TIME, ITERATIONS, PERFECT), 1):
            _draw_quantiles(figure.add_subplot(1, 3, position), campaign, metric, category)
        if category is not None:
            figure.suptitle(_plain(category), fontweight="bold", fontsize=11)
        _legend(figure, figure.axes[0])
        return figure


def scatter_figure(campaign: Campaign, x: str, y: str, metric: Metric = TIME) -> Figure:
    """A point for each task that at least one of two configurations has solved; beyond the line if only one has."""
    points = _pairs(campaign, x, y, metric)
    known = [value for pair in points for value in pair if value is not None]
    low, high = (min(known), max(known)) if known else (1.0, 10.0)
    beyond = high * 1.9 if metric.logarithmic else high + 0.08 * (high - low or 1.0)
    with _style():
        figure = _figure(4.6, 4.6)
        axes = figure.add_subplot()
        both = [(u, v) for u, v in points if u is not None and v is not None]
        one = [(beyond if u is None else u, beyond if v is None else v) for u, v in points if u is None or v is None]
        for chosen, colour, label in ((both, _COLOURS[0], "both"), (one, _COLOURS[1], "one only")):
            axes.scatter(
                [u for u, _ in chosen], [v for _, v in chosen], s=16, c=colour, alpha=0.6, linewidths=0,
                label=f"solved by {label} ({len(chosen)})",
            )  # fmt: skip
        axes.axline(
            (low, low),
            (high, high) if high > low else None,
            slope=None if high > low else 1,
            color="#667085",
            linewidth=0.8,
        )
        if metric.logarithmic:
            axes.set_xscale("log")
            axes.set_yscale("log")
            for axis in (axes.xaxis, axes.yaxis):
                _plain_powers(axis, high / low, (beyond * high) ** 0.5)
            for factor in (10.0, 0.1):
                ends = (low, low * factor), (low * 100, low * 100 * factor)
                axes.axline(*ends, color="#98a2b3", linewidth=0.6, linestyle=(0, (4, 4)))
        limits = (low / 1.4, beyond * 1.25) if metric.logarithmic else (low, beyond + 0.04 * (high - low or 1.0))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_ticks([beyond], ["none"], minor=True)
        for line in (axes.axvline, axes.axhline):
            line((beyond * high) ** 0.5 if metric.logarithmic else (beyond + high) / 2, color="#98a2b3", linewidth=0.6)
        axes.set(xlim=limits, ylim=limits, aspect="equal")
        axes.set(xlabel=f"{_plain(x)}: {metric.axis}", ylabel=f"{_plain(y)}: {metric.axis}")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize=8)
        return figure


def eliminations_figure(campaign: Campaign, chosen: Sequence[str] | None = None) -> Figure:
    """For each configuration, how many quantified variables each method eliminated, and how many stayed."""
    totals = {name: _eliminated(campaign, name) for name in (configs(campaign) if chosen is None else chosen)}
    totals = {name: counts for name, counts in totals.items() if counts}
    methods = sorted({method for counts in totals.values() for method in counts}, key=_rank(totals))
    with _style():
        figure = _figure(8.0, 1.3 + 0.42 * max(1, len(totals)))
        axes = figure.add_subplot()
        rows = list(reversed(totals))
        places = range(len(rows))
        left = dict.fromkeys(rows, 0.0)
        for number, method in enumerate(methods):
            shares = [100 * totals[name][method] / totals[name].total() for name in rows]
            stayed = method == "none"
            bars = axes.barh(
                places, shares, left=list(left.values()), height=0.62, edgecolor="white", linewidth=0.8,
                label="stayed quantified" if stayed else method,
                color="#c3c9d2" if stayed else _COLOURS[number % len(_COLOURS)],
            )  # fmt: skip
            labels = [f"{share:.1f} %" if share >= 7 else "" for share in shares]
            axes.bar_label(bars, labels, label_type="center", color="black" if stayed else "white", fontsize=8)
            for name, share in zip(rows, shares, strict=True):
                left[name] += share
        for position, name in enumerate(rows):
            axes.text(101, position, f"{totals[name].total():,}", va="center", fontsize=8, color="#667085")
        axes.set_yticks(places, [_plain(name) for name in rows])
        axes.grid(axis="y", visible=False)
        axes.set(xlim=(0, 100), xlabel="quantified variables (%); their number on the right")
        figure.legend(loc="outside upper center", ncols=3, fontsize=8)
        return figure


def _eliminated(campaign: Campaign, config: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for run in campaign.runs:
        if run.config == config:
            counts += eliminated(run)
    return counts


def _rank(totals: dict[str, Counter[str]]) -> Callable[[str], tuple[bool, int, str]]:
    """The most successful method first; "stayed" is always last."""
    return lambda method: (method == "none", -sum(counts[method] for counts in totals.values()), method)


def _pairs(campaign: Campaign, x: str, y: str, metric: Metric) -> list[tuple[float | None, float | None]]:
    values: dict[tuple[str, str], dict[str, float | None]] = {}
    for run in in_order(campaign):
        if run.config in (x, y):
            values.setdefault((run.task, run.property), {})[run.config] = _value(run, metric)
    pairs = [(found[x], found[y]) for found in values.values() if x in found and y in found]
    return [(u, v) for u, v in pairs if u is not None or v is not None]


def _value(run: RunRecord, metric: Metric) -> float | None:
    value = metric.of(run) if is_solved(run) else None
    return None if value is None else max(metric.least, value)


def quantiles(campaign: Campaign, config: str, metric: Metric = TIME, category: str | None = None) -> list[float]:
    """The values of the runs that a configuration has solved, in ascending order."""
    chosen = (run for run in campaign.runs if run.config == config and category in (None, run.category))
    return sorted(value for value in (_value(run, metric) for run in chosen) if value is not None)


def _draw_quantiles(axes: Axes, campaign: Campaign, metric: Metric, category: str | None) -> None:
    from matplotlib.ticker import MaxNLocator

    drawn: list[float] = []
    most = 1
    for number, config in enumerate(configs(campaign)):
        values = quantiles(campaign, config, metric, category)
        most = max(most, len(values))
        drawn += values
        axes.plot(
            range(1, len(values) + 1), values, label=_plain(config), linewidth=1.1, markersize=3.2, markeredgewidth=0,
            color=_COLOURS[number % len(_COLOURS)], linestyle="-" if number < len(_COLOURS) else "--",
            marker=_MARKERS[number % len(_MARKERS)], markevery=max(1, len(values) // 25),
        )  # fmt: skip
    if metric.logarithmic:
        axes.set_yscale("log")
        _plain_powers(axes.yaxis, max(drawn, default=1.0) / min(drawn, default=1.0))
    elif metric is PERFECT:
        axes.set_ylim(-3, 103)
    else:
        axes.set_ylim(bottom=0, top=None if any(drawn) else 1)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(title=metric.title, xlabel="solved tasks", ylabel=metric.axis, xlim=(0, most * 1.02))


_NARROW = 6.0  # the largest number of an axis by the smallest


def _plain_powers(axis: Axis, span: float, last: float = float("inf")) -> None:
    """Ticks of a logarithmic axis as plain numbers, also between powers of ten if `span` contains few of them.

    There are none beyond `last`: in a scatter plot they would suggest a time for unsolved tasks.
    """
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    # Of a narrow range the ticks of a logarithmic axis may show none.
    narrow = span < _NARROW
    axis.set_major_locator(MaxNLocator(5) if narrow else LogLocator(subs=(1, 2, 5) if span < 200 else (1,)))
    axis.set_major_formatter(lambda value, _: f"{value:g}" if value <= last else "")
    axis.set_minor_formatter(NullFormatter())


def _plain(name: str) -> str:
    """A name escaped for matplotlib, in which dollars enclose formulas and a leading _ hides a label."""
    return ("\u200b" if name.startswith("_") else "") + name.replace("$", r"\$")


def _legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", fontsize=8)


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _style() -> Any:
    try:
        from matplotlib import rc_context
    except ImportError:
        raise MissingMatplotlib from None
    return rc_context(_STYLE)


# --- files ------------------------------------------------------------------------------------------------------------


def save(figure: Figure, directory: Path, name: str) -> list[Path]:
    """The figure as SVG and as PDF."""
    make_directory(directory)
    written = []
    with _style():
        figure.draw_without_rendering()  # computes the layout, which is most of the work, once for both
        figure.set_layout_engine("none")
        for kind, dates in (("svg", {"Date": None}), ("pdf", {"CreationDate": None})):
            content = io.BytesIO()
            figure.savefig(content, format=kind, metadata=dates)
            written.append(directory / f"{name}.{kind}")
            write_atomically(written[-1], content.getvalue())
    return written


def write_figures(campaign: Campaign, directory: Path) -> list[Path]:
    """All figures that a campaign has data for. Scatter plots compare its first configuration with each other one."""
    if not any(is_solved(run) for run in campaign.runs):
        return []
    written = save(quantile_figure(campaign), directory, "quantile-time")
    for metric, name in ((ITERATIONS, "iterations"), (PERFECT, "perfect-sequences")):
        if any(quantiles(campaign, config, metric) for config in configs(campaign)):
            written += save(quantile_figure(campaign, metric), directory, f"quantile-{name}")
    for category, stem in file_stems(categories(campaign)).items():
        if any(quantiles(campaign, config, TIME, category) for config in configs(campaign)):
            written += save(statistics_figure(campaign, category), directory, f"statistics-{stem}")
    (first, first_stem), *others = file_stems(configs(campaign)).items()
    for other, stem in others:
        if _pairs(campaign, first, other, TIME):
            written += save(scatter_figure(campaign, first, other), directory, f"scatter-{first_stem}-{stem}")
    if any(eliminated(run) for run in campaign.runs):
        written += save(eliminations_figure(campaign), directory, "eliminations")
    return written
