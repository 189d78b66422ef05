"""What a C program asks of others, and where its errors stand in the text: enough to link and run it elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from craton.frontends.c.clang.parsing import parsed
from craton.frontends.c.load import with_large_stack
from craton.frontends.c.memory.scan import Scan, scan
from craton.frontends.c.options import COptions
from craton.frontends.c.syntax.nodes import Function, Kind, Node, Variable, spelling
from craton.frontends.c.syntax.program import Program as Syntax
from craton.program.origin import SourceRange
from craton.program.specification import Specification


@dataclass(frozen=True, slots=True)
class Outline:
    """Functions without a body and variables without a definition that may be used, by name; the begins of the bodies
    of error functions, and of labels that are errors; the parameters of the entry function.
    """

    functions: tuple[Function, ...]
    variables: tuple[Variable, ...]
    bodies: tuple[SourceRange, ...]
    labels: tuple[SourceRange, ...]
    parameters: int
    defines_main: bool


def outline_c(paths: Sequence[str | Path], specification: Specification, options: COptions) -> Outline:
    return with_large_stack(lambda: _outline(list(map(str, paths)), specification, options))


def _outline(paths: list[str], specification: Specification, options: COptions) -> Outline:
    with parsed(paths, specification.entry, options) as (syntax, entry):
        found = scan(syntax, entry)
        missing = {f.name: f for f in found.functions.values() if f.body is None}
        return Outline(
            tuple(missing[name] for name in sorted(missing)),
            tuple(sorted((v for v in found.globals if not v.defined), key=lambda variable: variable.name)),
            tuple(_bodies(syntax, specification)),
            tuple(_labels(syntax, found, specification)),
            len(entry.parameters),
            syntax.function("main") is not None,
        )


def _bodies(syntax: Syntax, specification: Specification) -> Iterator[SourceRange]:
    """Every unit may have an error function of its own, if it is static."""
    for unit in syntax.units:
        for name in specification.error_functions:
            function = unit.defined(name)
            body = syntax.body(function) if function is not None else None
            place = unit.source_range(body.range) if body is not None and body.range is not None else None
            if place is not None:
                yield place


def _labels(syntax: Syntax, found: Scan, specification: Specification) -> Iterator[SourceRange]:
    for function in found.functions.values():
        if function.body is None:
            continue
        stack: list[Node] = [function.body]
        while stack:
            node = stack.pop()
            if node.kind is Kind.LABEL and spelling(node.value) in specification.labels and node.range is not None:
                place = syntax.units[function.unit].source_range(node.range)
                if place is not None:
                    yield place
            stack.extend(child for child in node.children if child is not None)
