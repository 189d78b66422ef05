"""The shape of the C front end: rooms that know only those before them, no deep inheritance, no long functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import craton.frontends.c

_HOME = Path(craton.frontends.c.__file__).parent
_PACKAGE = "craton.frontends.c"
_ORDER = (
    "errors",
    "syntax",
    "options",
    "clang",
    "memory",
    "automaton",
    "library",
    "lowering",
    "load",
    "outline",
    "__init__",
)
_CHAIN = 3
_LINES = 60
_FILES = sorted(path for path in _HOME.rglob("*.py"))


def _room(module: str) -> str:
    """`craton.frontends.c.memory.places` lies in `memory`."""
    return module.removeprefix(_PACKAGE).lstrip(".").partition(".")[0]


def _imports(path: Path) -> Iterator[str]:
    """Also lazy ones and those for type checkers."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module == _PACKAGE)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", _FILES, ids=lambda path: str(path.relative_to(_HOME)))
def test_a_room_knows_only_those_before_it(path: Path) -> None:
    here = path.relative_to(_HOME).parts[0].removesuffix(".py")
    known = {_room(name) for name in _imports(path) if name.startswith(f"{_PACKAGE}.")} - {here}
    late = {room for room in known if _ORDER.index(room) >= _ORDER.index(here)}
    assert not late, f"{here} must not know {', '.join(sorted(late))}"


def test_memory_and_lowering_do_not_know_who_reads_the_text() -> None:
    for path in _FILES:
        if path.relative_to(_HOME).parts[0] in ("syntax", "memory", "automaton", "library", "lowering"):
            assert not any(_room(name) == "clang" for name in _imports(path) if name.startswith(f"{_PACKAGE}.")), path


def test_modules_import_each_other_in_no_circle() -> None:
    modules = {_name(path): path for path in _FILES if path.name != "__init__.py"}
    known = {name: {other for other in _imports(path) if other in modules} for name, path in modules.items()}
    while known:
        free = {name for name, others in known.items() if not others & known.keys()}
        assert free, f"a circle among {sorted(known)}"
        known = {name: others for name, others in known.items() if name not in free}


def _name(path: Path) -> str:
    return ".".join((_PACKAGE, *path.relative_to(_HOME).with_suffix("").parts))


def test_inheritance_is_shallow() -> None:
    bases: dict[str, list[str]] = {}
    for path in _FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                bases.setdefault(node.name, []).extend(b.id for b in node.bases if isinstance(b, ast.Name))

    def depth(name: str) -> int:
        return 1 + max((depth(base) for base in bases.get(name, ()) if base != name), default=0)

    assert {name: depth(name) for name in bases if depth(name) > _CHAIN} == {}


def test_functions_are_short() -> None:
    long = [
        f"{path.relative_to(_HOME)}: {node.name}"
        for path in _FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= _LINES
    ]
    assert long == []
