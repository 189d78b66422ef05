"""The site hangs together: tables of contents have all pages, links lead somewhere, the library is told completely."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

import craton
from craton.bench.experiments import EXPERIMENTS
from support.entries import TESTS

ROOT = TESTS.parent
DOCS = ROOT / "docs"
MADE = "commands"  # by docs/conf.py
PAGES = sorted(path for path in DOCS.glob("*.md") if path.stem != MADE)
RESULTS = sorted((DOCS / "results").glob("*.md"))


def test_every_page_is_in_a_table_of_contents() -> None:
    blocks = re.findall(r"```\{toctree\}\n(.*?)```", (DOCS / "index.md").read_text(encoding="utf-8"), re.DOTALL)
    listed = [line for block in blocks for line in block.splitlines() if line and not line.startswith(":")]
    assert sorted(listed) == sorted([MADE, *(path.stem for path in PAGES if path.stem != "index")])


def test_every_experiment_has_a_page_of_results() -> None:
    assert {path.stem for path in RESULTS} >= set(EXPERIMENTS)
    listed = (DOCS / "results.md").read_text(encoding="utf-8")
    assert all(f"\nresults/{path.stem}\n" in listed for path in RESULTS)


@pytest.mark.parametrize(
    "page", [*PAGES, *RESULTS, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name
)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists() or target == f"{MADE}.md", target


@pytest.mark.parametrize("picture", sorted((DOCS / "pictures").glob("*.svg")), ids=lambda path: path.stem)
def test_pictures_are_well_formed(picture: Path) -> None:
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    assert f"pictures/{picture.name}" in "".join(page.read_text(encoding="utf-8") for page in PAGES)


def test_the_page_of_the_library_has_all_names() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    told = set(re.findall(r":: craton\.(\w+)$", text, re.MULTILINE))
    choices = {"Direction", "Quantifiers", "Granularity", "Level", "__version__"}  # of the refiners that have them
    assert told | choices == set(craton.__all__)


def test_the_citation_is_of_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert cited["version"] == craton.__version__ and cited["license"] == project["license"]


def test_what_the_site_is_built_with_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = (ROOT / "requirements-docs.lock").read_text(encoding="utf-8")
    for requirement in project["optional-dependencies"]["docs"]:
        assert f"{requirement} " in locked
