"""Programs as text, as graphviz graphs, and as statistics."""

from __future__ import annotations

from collections.abc import Iterator

from craton.logic import TRUE
from craton.logic.sorts import Array, BitVec, Float
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.readable import Readable
from craton.program.statements import Assume, Block, Call, Havoc, Input

_LONGEST = 80


def statistics(program: Program) -> dict[str, int]:
    """Numbers that say how large a program is and what it is made of."""
    edges = list(program.edges())
    inner = [e for edge in edges for e in (edge.statement.edges if isinstance(edge.statement, Block) else (edge,))]
    inputs = sum(1 for e in inner if isinstance(e.statement, Havoc) and isinstance(e.statement.source, Input))
    variables = dict.fromkeys((*program.globals, *(v for p in program.procedures.values() for v in p.locals)))
    sorts = [variable.sort for variable in variables]
    return {
        "procedures": len(program.procedures),
        "locations": sum(len(p.locations) for p in program.procedures.values()),
        "edges": len(edges),
        "calls": sum(1 for e in inner if isinstance(e.statement, Call)),
        "loops": len(program.loop_heads),
        "errors": len(program.errors),
        "inputs": inputs,
        "variables": len(variables),
        "bit-vectors": sum(isinstance(s, BitVec) for s in sorts),
        "floats": sum(isinstance(s, Float) for s in sorts),
        "arrays": sum(isinstance(s, Array) for s in sorts),
        "byte arrays": sum(isinstance(s, Array) and s.element is BitVec(8) for s in sorts),
        "assumptions": len(program.assumptions),
    }


def to_text(program: Program) -> str:
    """Every procedure with its edges, one per line."""
    return "\n".join(_lines(program, Readable(program, whole=True))) + "\n"


def _lines(program: Program, words: Readable) -> Iterator[str]:
    for procedure in program.procedures.values():
        parameters = ", ".join(f"{v}: {v.sort}" for v in procedure.parameters)
        returns = ", ".join(f"{v}: {v.sort}" for v in procedure.returns)
        entry = " (entry)" if procedure.name == program.entry else ""
        yield f"procedure {procedure.name}({parameters}) returns ({returns}){entry}"
        yield f"  from {procedure.entry} to {procedure.exit}"
        for edge in procedure.edges:
            where = f"    // {edge.origin.line}:{edge.origin.column}" if edge.origin is not None else ""
            yield f"  {edge.source} -> {edge.target}: {words.statement(edge.statement)}{where}"
    for location, violated in program.errors.items():
        yield f"error {location}: {violated}"
    for location, keyword in program.loop_heads.items():
        yield f"loop {location}" + (f" at {keyword.line}:{keyword.column}" if keyword is not None else "")
    for assumption in program.assumptions:
        yield f"assumed: {assumption}"


def to_dot(program: Program) -> str:
    """A graph for graphviz: one cluster per procedure, errors red, loop heads bold."""
    words = Readable(program)
    lines = ["digraph program {", "  node [shape=circle, fontsize=10, width=0.3];", "  edge [fontsize=9];"]
    for number, procedure in enumerate(program.procedures.values()):
        lines.append(f"  subgraph cluster_{number} {{")
        lines.append(f"    label={_quoted(procedure.name)};")
        lines.extend(_nodes(procedure, program))
        lines.extend(_arrow(edge, words) for edge in procedure.edges)
        lines.append("  }")
    return "\n".join([*lines, "}"]) + "\n"


def _nodes(procedure: Procedure, program: Program) -> Iterator[str]:
    for location in procedure.locations:
        style = _style(location, procedure, program)
        yield f"    {location.id} [label={_quoted(str(location))}{style}];"


def _style(location: Location, procedure: Procedure, program: Program) -> str:
    if location in program.errors:
        return f", style=filled, fillcolor=salmon, xlabel={_quoted(program.errors[location].name)}"
    if location in program.loop_heads:
        return ", penwidth=2"
    if location in (procedure.entry, procedure.exit):
        return ", style=filled, fillcolor=lightgrey"
    return ""


def _arrow(edge: Edge, words: Readable) -> str:
    statement = edge.statement
    label = "" if isinstance(statement, Assume) and statement.condition is TRUE else words.statement(statement)
    if len(label) > _LONGEST:
        label = label[: _LONGEST - 1] + "…"
    return f"    {edge.source.id} -> {edge.target.id} [label={_quoted(label)}];"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'
