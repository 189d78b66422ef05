"""The shape of the house: imports between packages point one way, inheritance is shallow, functions are short.

All is read from the syntax of the files: imports inside of functions, those for type checkers only and the homes of
lazily imported names count like any other.

    python tests/test_architecture.py             the layers, from the ground up
    python tests/test_architecture.py --mermaid   the graph, for a page that draws it
    python tests/test_architecture.py --modules   modules inside of one package that know each other
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src"
PROJECT = "craton"
LONGEST_CHAIN = 3  # classes, the first included
LONGEST_FUNCTION = 60  # lines
REASON = "# Long because"

Graph = Mapping[str, frozenset[str]]


@cache
def modules() -> dict[str, Path]:
    """Every module by its dotted name; a package is the module of its `__init__`."""
    found = {}
    for path in sorted((ROOT / PROJECT).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


# --- imports ----------------------------------------------------------------------------------------------------------


def imported(name: str) -> Iterator[str]:
    """The modules of the project that a module names."""
    for node in ast.walk(tree(modules()[name])):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())
        elif isinstance(node, ast.ImportFrom):
            yield from _from(name, node)
        elif isinstance(node, ast.Constant) and node.value in modules() and node.value != PROJECT:
            yield node.value  # the home of a lazy import


def _from(name: str, node: ast.ImportFrom) -> Iterator[str]:
    home = node.module or ""
    if node.level:
        package = name if modules()[name].name == "__init__.py" else name.rpartition(".")[0]
        above = package.split(".")[: len(package.split(".")) + 1 - node.level]
        home = ".".join([*above, *([node.module] if node.module else [])])
    for alias in node.names:
        inner = f"{home}.{alias.name}"
        if inner in modules():
            yield inner
        elif home in modules():
            yield home


def package_of(name: str) -> str:
    """The part of the house that a module lies in: a package or a module right below the root; the root is its own."""
    return name.split(".")[1] if "." in name else name


def package_graph() -> Graph:
    found: dict[str, set[str]] = {package_of(name): set() for name in modules()}
    for name in modules():
        found[package_of(name)].update(map(package_of, imported(name)))
    return {package: frozenset(targets - {package}) for package, targets in found.items()}


def module_graph(package: str) -> Graph:
    inside = [name for name in modules() if package_of(name) == package]
    return {name: frozenset(x for x in imported(name) if x in inside and x != name) for name in inside}


def layers(graph: Graph) -> list[list[str]]:
    """Each knows only those before it. What lies on a cycle, or knows what does, is missing."""
    placed: list[list[str]] = []
    below: set[str] = set()
    while True:
        layer = sorted(x for x in graph if x not in below and graph[x] <= below)
        if not layer:
            return placed
        placed.append(layer)
        below.update(layer)


def cycle(graph: Graph) -> list[str]:
    """One, from a package back to it; empty if there is none."""
    left = {x for x in graph if not any(x in layer for layer in layers(graph))}
    if not left:
        return []
    way = [min(left)]
    while way[-1] not in way[:-1]:
        way.append(min(graph[way[-1]] & left))
    return way[way.index(way[-1]) :]


def lines_of(source: str, target: str) -> list[str]:
    """Where a package names another."""
    found = []
    for name in modules():
        if package_of(name) == source:
            targets = {x for x in imported(name) if package_of(x) == target}
            found += [f"{modules()[name].relative_to(ROOT)} names {x}" for x in sorted(targets)]
    return found


def test_imports_between_packages_make_no_cycle() -> None:
    way = cycle(package_graph())
    steps = [line for a, b in pairwise(way) for line in lines_of(a, b)]
    assert not way, "\n".join([" → ".join(way), *steps])


def test_every_package_has_its_layer() -> None:
    assert {x for layer in layers(package_graph()) for x in layer} == set(package_graph())


def test_nobody_inside_knows_the_public_face() -> None:
    assert [name for name, targets in package_graph().items() if PROJECT in targets] == []


def test_a_cycle_would_be_found() -> None:
    graph = {"a": frozenset("b"), "b": frozenset("cd"), "c": frozenset("a"), "d": frozenset(), "e": frozenset("a")}
    assert cycle(graph) == ["a", "b", "c", "a"]
    assert layers(graph) == [["d"]]
    assert cycle({**graph, "c": frozenset("d")}) == []


# --- inheritance ------------------------------------------------------------------------------------------------------


def classes() -> dict[str, list[str]]:
    """Every class of the project, with those of its bases that are the project's own."""
    found: dict[str, list[str]] = {}
    for name, path in modules().items():
        known = _names(name)
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                bases = [known.get(_dotted(base), _dotted(base)) for base in node.bases]
                found[f"{name}.{node.name}"] = bases
    return {name: [base for base in bases if base in found] for name, bases in found.items()}


def _names(module: str) -> dict[str, str]:
    """What names of a module stand for: classes of its own, and what it imports."""
    found = {}
    for node in ast.walk(tree(modules()[module])):
        if isinstance(node, ast.ClassDef):
            found[node.name] = f"{module}.{node.name}"
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def _dotted(base: ast.expr) -> str:
    """`Base` also of `Base[T]`."""
    return ast.unparse(base.value if isinstance(base, ast.Subscript) else base)


def chain(name: str, bases: Mapping[str, list[str]]) -> list[str]:
    """The longest line of ancestors of a class, itself included."""
    return [name, *max((chain(base, bases) for base in bases[name]), key=len, default=[])]


def test_inheritance_is_shallow() -> None:
    bases = classes()
    too_long = [way for way in (chain(name, bases) for name in bases) if len(way) > LONGEST_CHAIN]
    assert not too_long, "\n".join(" → ".join(way) for way in sorted(too_long, key=len, reverse=True))


def test_chains_are_found_across_modules() -> None:
    bases = classes()
    assert chain(f"{PROJECT}.errors.CratonError", bases) == [f"{PROJECT}.errors.CratonError"]
    assert f"{PROJECT}.errors.CratonError" in bases[f"{PROJECT}.files.CannotWrite"]


# --- functions --------------------------------------------------------------------------------------------------------


def long_functions(path: Path) -> Iterator[str]:
    """Those without a reason, which stands right above them or in their first lines."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            around = lines[max(0, first - 4) : node.body[0].lineno + 3]
            if length > LONGEST_FUNCTION and not any(line.strip().startswith(REASON) for line in around):
                yield f"{path}:{node.lineno}: {node.name} has {length} lines"


def test_functions_are_short_or_say_why_not() -> None:
    found = [line for path in modules().values() for line in long_functions(path)]
    assert not found, "\n".join(found)


# --- drawn ------------------------------------------------------------------------------------------------------------


def reachable(graph: Graph, names: Iterable[str]) -> set[str]:
    """What can be come to from some by at least one step."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def direct(graph: Graph) -> Iterator[tuple[str, str]]:
    """Edges that no longer way says already."""
    for source, targets in graph.items():
        yield from ((source, x) for x in sorted(targets) if x not in reachable(graph, targets - {x}))


def knots(graph: Graph) -> Iterator[list[str]]:
    """Sets of modules of which each knows each, perhaps through others."""
    after = {name: reachable(graph, [name]) for name in graph}
    for name in graph:
        knot = sorted(x for x in after[name] if name in after[x])
        if knot and knot[0] == name:
            yield knot


def _print(arguments: list[str]) -> None:
    graph = package_graph()
    if "--mermaid" in arguments:
        print("graph BT")
        for source, target in direct(graph):
            print(f"  {source} --> {target}")
    elif "--modules" in arguments:
        for package in graph:
            for knot in knots(module_graph(package)):
                print(f"{package}: {', '.join(name.removeprefix(f'{PROJECT}.{package}.') for name in knot)}")
    else:
        for number, layer in enumerate(layers(graph)):
            print(f"{number:2}  {'  '.join(layer)}")
        if cycle(graph):
            print("cycle:", " → ".join(cycle(graph)))


if __name__ == "__main__":
    _print(sys.argv[1:])
