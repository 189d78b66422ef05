"""`craton tables`: the results of a campaign as tables, a page and figures."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import replace
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from craton.bench.results import Campaign

_DESCRIPTION = """\
Shows what a campaign of `craton bench` has found: without options as a table in the terminal, which counts by category
and configuration; else as the files that are asked for. --all writes all of them into the campaign's directory.

The score is the one of SV-COMP: 2 for a correct true, 1 for a correct false, -32 and -16 for a wrong true and a wrong
false.
"""

_EPILOG = """\
examples:
  craton tables results
  craton tables results --markdown table.md --runs runs.md --html page.html
  craton tables results --xml benchexec && table-generator benchexec/*.xml
  craton tables results --all
  craton tables results --tasks selecting --set selecting.set
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "tables",
        help="show the results of a campaign as tables, a page or figures",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    parser.add_argument("campaign", type=Path, metavar="OUT", help="what `craton bench --out` has written")
    parser.add_argument(
        "--tasks",
        choices=("refined", "selecting"),
        help="only tasks that some run refined, or whose refinements had several sliced prefixes to select from",
    )
    parser.add_argument("--set", type=Path, metavar="FILE", help="the tasks, for another campaign of `craton bench`")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="a line for each run")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the counts as Markdown")
    parser.add_argument("--runs", type=Path, metavar="FILE", help="who found each verdict, and when, as Markdown")
    parser.add_argument("--latex", type=Path, metavar="FILE", help="the counts as LaTeX, for the package booktabs")
    parser.add_argument("--html", type=Path, metavar="FILE", help="a self-contained page with table and plots")
    parser.add_argument("--xml", type=Path, metavar="DIR", help="BenchExec's result files, for its table-generator")
    parser.add_argument("--figures", type=Path, metavar="DIR", help="SVG and PDF; needs matplotlib: craton[figures]")
    parser.add_argument("--all", action="store_true", help="all of these, in OUT")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.bench.presentation import show, write_all, write_xml
    from craton.bench.results import read_campaign

    campaign = _chosen(read_campaign(args.campaign), args.tasks)
    out = args.campaign if args.campaign.is_dir() else args.campaign.parent
    written = write_all(campaign, out) if args.all else []
    written += _write_texts(args, campaign, out)
    if args.xml is not None:
        written += write_xml(campaign, args.xml, out)
    if args.figures is not None:
        from craton.bench.figures import write_figures

        written += write_figures(campaign, args.figures)
    for path in written:
        print(f"written: {path}")
    asked = (args.all, args.set, args.csv, args.markdown, args.runs, args.latex, args.html, args.xml, args.figures)
    if not any(asked):
        show(campaign)
    return 0


def _chosen(campaign: Campaign, tasks: str | None) -> Campaign:
    """The runs of some of the tasks."""
    from craton.bench.summary import task_of, with_refinement, with_selection

    if tasks is None:
        return campaign
    kept = with_refinement(campaign.runs) if tasks == "refined" else with_selection(campaign.runs)
    return replace(campaign, runs=tuple(run for run in campaign.runs if task_of(run) in kept))


def _write_texts(args: argparse.Namespace, campaign: Campaign, out: Path) -> list[Path]:
    from craton.bench.page import results_page
    from craton.bench.tables import csv_table, latex_table, markdown_runs, markdown_table
    from craton.files import write_atomically

    def tasks(campaign: Campaign) -> str:
        """A set: lines of patterns, relative to its file."""
        names = sorted({run.task for run in campaign.runs})
        return "".join(f"{escape(os.path.relpath(name, args.set.parent))}\n" for name in names)

    def page(campaign: Campaign) -> str:
        return results_page(campaign, os.path.relpath(out, args.html.parent))

    makers: tuple[tuple[Path | None, Callable[[Campaign], str]], ...] = (
        (args.set, tasks),
        (args.csv, csv_table),
        (args.markdown, markdown_table),
        (args.runs, markdown_runs),
        (args.latex, latex_table),
        (args.html, page),
    )
    written = []
    for path, make in makers:
        if path is not None:
            write_atomically(path, make(campaign))
            written.append(path)
    return written
