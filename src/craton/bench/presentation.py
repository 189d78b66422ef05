"""Everything produced from a campaign's results: files next to the results, and the table for the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from craton.bench.benchexec_xml import result_files
from craton.bench.figures import MissingMatplotlib, write_figures
from craton.bench.page import results_page
from craton.bench.results import Campaign
from craton.bench.tables import csv_table, latex_table, markdown_table, terminal_table
from craton.files import make_directory, write_atomically


def show(campaign: Campaign) -> None:
    """Prints the table of counts, as wide as the terminal."""
    width = shutil.get_terminal_size((120, 50)).columns
    print(terminal_table(campaign, width, colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ), end="")


def write_all(
    campaign: Campaign, out: Path, draw: Callable[[Campaign, Path], list[Path]] = write_figures
) -> list[Path]:
    """Writes tables, the page and figures into the campaign's directory.

    Figures need an extra; if it is missing, this does not fail, since the campaign may have been long.
    """
    texts = {
        "results.csv": csv_table(campaign),
        "results.md": markdown_table(campaign),
        "results.tex": latex_table(campaign),
        "results.html": results_page(campaign),
    }
    for name, text in texts.items():
        write_atomically(out / name, text)
    written = [out / name for name in texts]
    written += write_xml(campaign, out / "benchexec", out)
    try:
        written += draw(campaign, out / "figures")
    except MissingMatplotlib as problem:
        print(f"craton: no figures: {problem}", file=sys.stderr)
    return written


def write_xml(campaign: Campaign, directory: Path, out: Path) -> list[Path]:
    """One file for each configuration; `out` is the campaign's directory, where its logs are."""
    make_directory(directory)
    written = []
    for name, text in result_files(campaign, directory, out).items():
        write_atomically(directory / name, text)
        written.append(directory / name)
    return written
