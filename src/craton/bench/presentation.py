"""All that is made of a campaign's results, in one place: files beside the results, and the table for the terminal."""

from __future__ import annotations

from pathlib import Path

from craton.bench.benchexec_xml import result_files
from craton.bench.page import results_page
from craton.bench.results import Campaign
from craton.bench.tables import csv_table, latex_table, markdown_table, terminal_table
from craton.files import make_directory, write_atomically

__all__ = ["terminal_table", "write_all", "write_xml"]


def write_all(campaign: Campaign, out: Path, *, figures: bool = False) -> list[Path]:
    """Writes tables and the page into the campaign's directory, and figures if asked for: they need matplotlib."""
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
    if figures:
        from craton.bench.figures import write_figures

        written += write_figures(campaign, out / "figures")
    return written


def write_xml(campaign: Campaign, directory: Path, out: Path) -> list[Path]:
    """One file for each configuration; `out` is the campaign's directory, where its logs are."""
    make_directory(directory)
    written = []
    for name, text in result_files(campaign, directory, out).items():
        write_atomically(directory / name, text)
        written.append(directory / name)
    return written
