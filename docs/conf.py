"""How Sphinx builds the site: `make docs`."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from craton.cli import build_parser  # noqa: E402 - not before the path is known
from craton.version import __version__  # noqa: E402

project = "Craton"
author = copyright = "The Craton developers"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["deflist", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header", "myst.xref_missing"]  # links to files of the repository beside the site
highlight_language = "none"
autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": False}
html_theme = "furo"
html_title = f"Craton {release}"
html_theme_options = {"sidebar_hide_name": False}
html_static_path = ["static"]
html_css_files = ["pictures.css"]
default_role = "code"  # as docstrings mean single backquotes


def _commands() -> str:
    """The page of commands, in their own words."""
    root = build_parser()
    commands = next(iter(root._subparsers._group_actions)).choices  # type: ignore[union-attr]
    parts = [
        "# Commands\n\nWhat `craton COMMAND --help` says. `craton manual` prints the same for `man`, and"
        " `craton completion SHELL` lets a shell complete it.\n"
    ]
    for name, parser in commands.items():  # type: ignore[union-attr]
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            parser.print_help()
        parts.append(f"## {name}\n\n````text\n{text.getvalue()}````\n")
    return "\n".join(parts)


(Path(__file__).parent / "commands.md").write_text(_commands(), encoding="utf-8")
