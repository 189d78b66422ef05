"""docs/papers.md is the legend of the tags in the code: its symbols exist, what is cited has a row, and what is built
is not said to be missing.
"""

from __future__ import annotations

import ast
import importlib
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from craton.configuration.engines import ENGINES, TESTING, refines
from craton.configuration.refiners import PRESETS, REFINERS, refiner
from craton.registry import ExpressionError

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "papers.md"
SOURCE = ROOT / "src" / "craton"
TAGS = ("CN", "NR", "EI", "RS")


# --- citations --------------------------------------------------------------------------------------------------------

_KINDS = {
    "sect": "Sect.",
    "section": "Sect.",
    "def": "Def.",
    "definition": "Def.",
    "lem": "Lemma",
    "lemma": "Lemma",
    "remark": "Remark",
    "alg": "Alg.",
    "algorithm": "Alg.",
    "ex": "Ex.",
    "example": "Ex.",
    "tab": "Table",
    "table": "Table",
    "fig": "Fig.",
    "figure": "Fig.",
    "eq": "Eq.",
    "step": "Step",
}
_KIND = rf"(?i:(?:{'|'.join(sorted(_KINDS, key=len, reverse=True))})s?\b\.?)"
_NUMBER = r"(?:\d+(?:\.\d+)*|[IVX]+(?:-[A-Z])?\b)"
_NUMBERS = rf"{_NUMBER}(?:\s*(?:,|and|–|-)\s*{_NUMBER})*"
_PLACES = rf"(?:{_KIND}\s+)?{_NUMBERS}"
_TAG = rf"\[({'|'.join(TAGS)})\]"
_BEHIND = re.compile(rf"{_TAG}\s+({_PLACES}(?:\s*(?:[,;]|and)\s*{_KIND}\s+{_NUMBERS})*)")
_BEFORE = re.compile(rf"({_KIND}\s+{_NUMBERS})\s+of\s+{_TAG}")


def places(text: str) -> set[str]:
    """`Defs. 3.1, 3.2` and `Figs. 4–6` as places of a paper, one by one; a bare number is a section."""
    found: set[str] = set()
    for kind, numbers in re.findall(rf"({_KIND})?\s*({_NUMBERS})", text):
        name = _KINDS.get(kind.lower().rstrip("."), _KINDS.get(kind.lower().rstrip(".s"), "Sect."))
        found.update(f"{name} {number}" for number in _listed(numbers))
    return found


def _listed(numbers: str) -> Iterator[str]:
    for part in re.split(r"\s*(?:,|and)\s*", numbers):
        ends = re.split(r"(?<=\d)\s*[–-]\s*(?=\d)", part)
        *start, first = ends[0].split(".")
        last = ends[-1].rsplit(".", 1)[-1]
        if len(ends) == 1:
            yield part.strip()
        else:
            yield from (".".join([*start, str(n)]) for n in range(int(first), int(last) + 1))


def cited(text: str) -> set[tuple[str, str]]:
    """Tags with the places that are named with them."""
    text = " ".join(text.split())
    found = {(tag, place) for tag, where in _BEHIND.findall(text) for place in places(where)}
    return found | {(tag, place) for where, tag in _BEFORE.findall(text) for place in places(where)}


def prose(source: str) -> Iterator[str]:
    """The docstrings of a module and its comments; those on successive lines are one. None if it cites no paper."""
    if not re.search(_TAG, source):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
    comments: list[str] = []
    line = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != line + 1:
                yield " ".join(comments)
                comments = []
            line = token.start[0]
            comments.append(token.string.lstrip("# "))
    yield " ".join(comments)


def test_citations_are_understood() -> None:
    assert cited("Newton ([CN] 3-6, [NR] 3-4).") == {
        *(("CN", f"Sect. {n}") for n in (3, 4, 5, 6)),
        *(("NR", f"Sect. {n}") for n in (3, 4)),
    }
    assert cited("([EI] Def. 2, 5); [EI] Sect. VI-B and Alg. 1") == {
        ("EI", "Def. 2"),
        ("EI", "Def. 5"),
        ("EI", "Sect. VI-B"),
        ("EI", "Alg. 1"),
    }
    assert cited("Algorithm 1 of [RS], Figure 2\nof [CN]") == {("RS", "Alg. 1"), ("CN", "Fig. 2")}
    assert cited("[NR] Figs. 5.1 and 5.2, Eqs. 3.1–3.3") == {
        ("NR", "Fig. 5.1"),
        ("NR", "Fig. 5.2"),
        *(("NR", f"Eq. 3.{n}") for n in (1, 2, 3)),
    }
    assert cited("as in [EI]; the [RS] way; [CN] x := 0; [NR] in all; [CN], with Table 1 of others") == set()


# --- the page ---------------------------------------------------------------------------------------------------------

_CODE = re.compile(r"`([^`]+)`")
_NOT_YET = re.compile(r"not yet \(issue \d+\)(?:: (`[^`]+`(?:, `[^`]+`)*))?")


@dataclass(frozen=True, slots=True)
class Row:
    tag: str  # "" for other literature
    place: str  # what it is called there
    here: str
    remark: str

    @property
    def missing(self) -> bool:
        return self.here.startswith("not yet")

    @property
    def named(self) -> list[str]:
        """What the column *here* names."""
        return _CODE.findall(self.here)

    def __str__(self) -> str:
        return f"[{self.tag}] {self.place}" if self.tag else self.place


def _rows() -> Iterator[Row]:
    tag: str | None = None
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = re.match(rf"## {_TAG} ", line)
            tag = heading[1] if heading else ""
        elif line.startswith("|") and not line.startswith(("| in the paper", "| work", "|---")):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            assert tag is not None, "a table before any heading"
            assert len(cells) == (4 if tag else 3), f"{len(cells)} columns: {line}"
            yield Row(tag, cells[0], cells[-2], cells[-1])


ROWS = list(_rows())


def test_each_paper_has_its_rows() -> None:
    assert [tag for tag in TAGS if not any(row.tag == tag for row in ROWS)] == []
    assert [str(row) for row in ROWS if row.tag and not places(row.place)] == []


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_says_where_and_how(row: Row) -> None:
    assert row.remark
    if row.missing:
        assert _NOT_YET.fullmatch(row.here), "not yet (issue 15), or not yet (issue 15): `what it will be called`"
    else:
        assert row.here == "–" or row.here == ", ".join(f"`{name}`" for name in row.named) != "", row.here


def test_what_the_source_cites_has_a_row() -> None:
    there = {(row.tag, place) for row in ROWS for place in places(row.place)}
    lost = {
        f"{path.relative_to(ROOT)}: [{tag}] {place}"
        for path in sorted(SOURCE.rglob("*.py"))
        for text in prose(path.read_text(encoding="utf-8"))
        for tag, place in cited(text)
        if (tag, place) not in there
    }
    assert not lost, f"cited, but without a row in docs/papers.md: {sorted(lost)}"


@pytest.mark.parametrize(
    "row", [r for r in ROWS if r.place.startswith(("Def.", "Alg.")) and r.named and not r.missing], ids=str
)
def test_who_builds_a_definition_cites_it(row: Row) -> None:
    modules = {name.partition(":")[0] for name in row.named if name.startswith("craton")}
    files = [file for module in modules if (file := importlib.import_module(module).__file__) is not None]
    said = {place for file in files for text in prose(Path(file).read_text(encoding="utf-8")) for place in cited(text)}
    assert {(row.tag, place) for place in places(row.place)} <= said, f"cite it in {' or '.join(sorted(modules))}"


# --- symbols ----------------------------------------------------------------------------------------------------------

_SYMBOL = re.compile(r'(craton(?:\.\w+)*)(?::(\w+(?:\.\w+)*)(?:\["([^"]+)"\])?)?')
_TEST = re.compile(r"(tests/[\w/]+\.py)::(\w+)")


def problem_of(name: str) -> str:
    """Why a symbol or a test does not exist; "" if it does."""
    if test := _TEST.fullmatch(name):
        path = ROOT / test[1]
        if path.is_file() and f"\ndef {test[2]}(" in path.read_text(encoding="utf-8"):
            return ""
        return f"no such test{_seen_elsewhere(test[2], ROOT / 'tests')}"
    symbol = _SYMBOL.fullmatch(name)
    if symbol is None:
        return "neither module:name nor a test"
    module, attributes, key = symbol.groups()
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError:
        return f"no such module{_seen_elsewhere(attributes or '', SOURCE)}"
    for attribute in attributes.split(".") if attributes else ():
        if is_dataclass(found) and attribute in {one.name for one in fields(found)}:
            return "" if key is None else "a field has no keys"
        if not hasattr(found, attribute):
            return f"no {attribute}{_seen_elsewhere(attribute, SOURCE)}"
        found = getattr(found, attribute)
    return "" if key is None or key in found else f"no key {key!r}"


def _seen_elsewhere(name: str, folder: Path) -> str:
    """Where it has moved to, perhaps."""
    defined = re.compile(rf"^(?:class|def) {re.escape(name.split('.')[0])}\b|^{re.escape(name)}\b.* = ", re.MULTILINE)
    found = [path for path in sorted(folder.rglob("*.py")) if name and defined.search(path.read_text(encoding="utf-8"))]
    return f"; {name} is in {', '.join(str(path.relative_to(ROOT)) for path in found)}" if found else ""


def can_be_read(expression: str) -> bool:
    """As a refiner or as an engine."""
    word = re.match(r"[\w-]+", expression)
    assert word is not None, expression
    try:
        if word[0] in ENGINES.entries:
            given = {"refiner": refiner("newton")} if refines(expression) else {}
            ENGINES.read(expression, **given)
        else:
            refiner(expression)
    except ExpressionError:
        return False
    return True


@pytest.mark.parametrize("row", [row for row in ROWS if not row.missing], ids=str)
def test_what_is_named_exists(row: Row) -> None:
    problems = {name: problem_of(name) for name in row.named}
    assert {name: problem for name, problem in problems.items() if problem} == {}


@pytest.mark.parametrize("row", [row for row in ROWS if row.missing and row.named], ids=str)
def test_what_is_not_yet_there_is_not_there(row: Row) -> None:
    built = [
        name
        for name in row.named
        if (not problem_of(name) if name.startswith(("craton.", "tests/")) else can_be_read(name))
    ]
    assert built == [], "is built: say where, and how it differs from the paper"


@pytest.mark.parametrize("row", [row for row in ROWS if "`" in row.remark], ids=str)
def test_remarks_name_what_there_is(row: Row) -> None:
    known = {*REFINERS.entries, *PRESETS, *ENGINES.entries} - {TESTING}
    for text in _CODE.findall(row.remark):
        if text.startswith(("craton.", "tests/")):
            assert problem_of(text) == ""
        elif text.startswith("craton "):
            assert importlib.import_module(f"craton.commands.{text.split()[1]}")
        elif re.split(r"\W", text.replace("-", "_"))[0].replace("_", "-") in known:
            assert can_be_read(text), f"{text} cannot be read"


def test_a_missing_symbol_is_seen() -> None:
    assert problem_of("craton.traces.newton:strongest_post") == ""
    assert problem_of("craton.traces.newton:Newton.live") == ""
    assert problem_of('craton.traces.scorers:SCORERS["good"]') == ""
    assert "no strongest_host" in problem_of("craton.traces.newton:strongest_host")
    assert "no key" in problem_of('craton.traces.scorers:SCORERS["best"]')
    assert "src/craton/traces/newton.py" in problem_of("craton.traces.isaac:strongest_post")
    assert "no such test" in problem_of("tests/docs/test_papers_index.py::test_nothing")
    assert not can_be_read("newton(sideways)")
    assert can_be_read("predicate(lbe)")
