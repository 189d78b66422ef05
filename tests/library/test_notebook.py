"""The notebook of the examples runs from its first cell to its last, and each cell shows something well-formed."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import craton
from support.entries import TESTS
from support.html import read

NOTEBOOK = TESTS.parent / "examples" / "craton.ipynb"


def cells(path: Path) -> list[str]:
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["nbformat"] == 4
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]


def run_cell(text: str, names: dict[str, Any]) -> Any:
    """What a cell shows: the value of its last expression."""
    parsed = ast.parse(text)
    last = parsed.body.pop() if parsed.body and isinstance(parsed.body[-1], ast.Expr) else None
    exec(compile(parsed, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if isinstance(last, ast.Expr) else None


def test_the_notebook(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = ModuleType("notebook")
    monkeypatch.setitem(sys.modules, "notebook", notebook)  # dataclasses look up the module of their class
    names = vars(notebook)
    values = [run_cell(text, names) for text in cells(NOTEBOOK)]
    shown = [read(value._repr_html_()).text for value in values if hasattr(value, "_repr_html_")]
    assert len(shown) == 6
    assert "TRUE" in shown[0] and "FALSE(unreach-call)" in shown[3]
    assert "unreach-call fails at program.c:12" in capsys.readouterr().out
    assert isinstance(values[-1], craton.Proved) and names["seen"]
