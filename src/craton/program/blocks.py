"""Large-block encoding (Beyer, Cimatti, Griggio, Keremoglu, Sebastiani, FMCAD 2009).

Locations that stay: entry and exit, loop heads, error locations, and the ends of edges that are calls or returns. All
paths between two of them that pass no third become one edge with a `Block`. `summary` says what a block does as a
formula: it can be taken iff `guard` holds, and then each variable has the value of `updates`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from craton.logic import BOOL, FALSE, TRUE, Term, and_, free_variables, ite, not_, ops, or_, substitute, var
from craton.program.back import Transformed
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.graph import back_edge_targets
from craton.program.statements import Assign, Assume, Block, Call, Havoc, Return


def encode_blocks(program: Program) -> Transformed:
    """The program over large blocks. A block of one edge stays that edge."""
    procedures = {name: _encoded(procedure, program) for name, procedure in program.procedures.items()}
    present = {location for procedure in procedures.values() for location in procedure.locations}
    from dataclasses import replace

    result = replace(
        program,
        procedures=procedures,
        errors={location: p for location, p in program.errors.items() if location in present},
        loop_heads={location: r for location, r in program.loop_heads.items() if location in present},
    )
    return Transformed(result)


def cut_points(procedure: Procedure, program: Program) -> set[Location]:
    """The locations that stay."""
    stay = {procedure.entry, procedure.exit, *back_edge_targets(procedure)}
    for location in procedure.locations:
        if location in program.errors or location in program.loop_heads or not procedure.outgoing(location):
            stay.add(location)
    for edge in procedure.edges:
        if isinstance(edge.statement, Call | Return):
            stay.update((edge.source, edge.target))
    return stay


def _encoded(procedure: Procedure, program: Program) -> Procedure:
    stay = cut_points(procedure, program)
    edges: list[Edge] = []
    for location in procedure.locations:
        if location in stay:
            edges.extend(_blocks_from(procedure, location, stay))
    return procedure.with_edges(tuple(edges))


def _blocks_from(procedure: Procedure, start: Location, stay: set[Location]) -> list[Edge]:
    order = _topological(procedure, start, stay)
    inner: dict[Location, list[Edge]] = {}
    ends: dict[Location, None] = {}
    for location in order:
        for edge in procedure.outgoing(location):
            inner.setdefault(edge.target, []).append(edge)
            if edge.target in stay:
                ends[edge.target] = None
    position = {location: i for i, location in enumerate(order)}
    found: list[Edge] = []
    for end in ends:
        needed: dict[Edge, None] = {}
        stack = list(inner[end])
        seen: set[Location] = set()
        while stack:
            edge = stack.pop()
            needed[edge] = None
            source = edge.source
            if source != start and source not in seen:
                seen.add(source)
                stack.extend(inner[source])
        parts = sorted(needed, key=lambda e: position[e.source])
        # Among edges into the end the last in order must come last, so that `Block.end` is right.
        parts.sort(key=lambda e: (position[e.source], e.target == end))
        if parts[-1].target != end:
            last = next(i for i in reversed(range(len(parts))) if parts[i].target == end)
            parts.append(parts.pop(last))
        if len(parts) == 1:
            found.append(parts[0])
        else:
            found.append(Edge(start, Block(tuple(parts)), end, parts[0].origin))
    return found


def _topological(procedure: Procedure, start: Location, stay: set[Location]) -> list[Location]:
    """The start and the locations inside its blocks, each before its successors."""
    done: list[Location] = []
    seen = {start}
    work = [(start, iter(procedure.outgoing(start)))]
    while work:
        location, edges = work[-1]
        for edge in edges:
            if edge.target not in seen and edge.target not in stay:
                seen.add(edge.target)
                work.append((edge.target, iter(procedure.outgoing(edge.target))))
                break
        else:
            done.append(location)
            work.pop()
    return done[::-1]


# --- what a block does ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Summary:
    """The block can be taken iff `guard` holds; afterwards each variable of `updates` has that value of the variables
    before, and of `fresh` variables, which are arbitrary (havocked values and choices).
    """

    guard: Term
    updates: Mapping[Term, Term]
    fresh: tuple[Term, ...]


class _Path:
    """The state in which a location of the block is reached: under which guard, with which values."""

    __slots__ = ("guard", "values")

    def __init__(self, guard: Term, values: dict[Term, Term]) -> None:
        self.guard = guard
        self.values = values


def summary(block: Block, prefix: str = "") -> Summary:
    """One formula for all paths. Fresh variables are named by `prefix` and where in the block they come from."""
    states: dict[Location, list[_Path]] = {block.begin: [_Path(TRUE, {})]}
    outgoing: dict[Location, list[Edge]] = {}
    for edge in block.edges:
        outgoing.setdefault(edge.source, []).append(edge)
    fresh: list[Term] = []
    merged: dict[Location, _Path] = {}
    for number, edge in enumerate(block.edges):
        state = merged.get(edge.source)
        if state is None:
            state = merged[edge.source] = _merge(states.get(edge.source, []))
        guard, values = state.guard, state.values
        siblings = outgoing[edge.source]
        if len(siblings) > 1 and not _exclusive(siblings):
            choice = var(f"{prefix}choice {number}", BOOL)
            fresh.append(choice)
            guard = and_(guard, choice)
        statement = edge.statement
        if isinstance(statement, Assume):
            guard = and_(guard, _under(statement.condition, values))
        elif isinstance(statement, Assign):
            values = {**values, statement.variable: _under(statement.value, values)}
        elif isinstance(statement, Havoc):
            values = dict(values)
            for variable in statement.variables:
                arbitrary = var(f"{prefix}{variable.name} {number}", variable.sort)
                fresh.append(arbitrary)
                values[variable] = arbitrary
        else:
            raise AssertionError(f"{statement} inside a block")
        if guard is not FALSE:
            states.setdefault(edge.target, []).append(_Path(guard, values))
    final = _merge(states.get(block.end, []))
    updates = {v: t for v, t in final.values.items() if t is not v}
    return Summary(final.guard, updates, tuple(fresh))


def _under(term: Term, values: dict[Term, Term]) -> Term:
    used = {v: values[v] for v in sorted(free_variables(term), key=lambda v: v.serial) if v in values}
    return substitute(term, used) if used else term


def _merge(paths: list[_Path]) -> _Path:
    """Paths exclude each other, so a value is chosen by the guards."""
    if not paths:
        return _Path(FALSE, {})
    if len(paths) == 1:
        return paths[0]
    values: dict[Term, Term] = {}
    variables = dict.fromkeys(v for path in paths for v in path.values)
    for variable in variables:
        term = paths[-1].values.get(variable, variable)
        for path in reversed(paths[:-1]):
            term = ite(path.guard, path.values.get(variable, variable), term)
        values[variable] = term
    return _Path(or_(*(path.guard for path in paths)), values)


def _exclusive(edges: list[Edge]) -> bool:
    """Whether at most one of the edges can be enabled, as far as one can see."""
    conditions = []
    for edge in edges:
        if not isinstance(edge.statement, Assume):
            return False
        conditions.append(edge.statement.condition)
    if len(conditions) == 2 and not_(conditions[0]) is conditions[1]:
        return True
    subject: Term | None = None
    values: set[Term] = set()
    for condition in conditions:
        if condition.op is ops.EQ and condition.args[1].op is ops.VALUE:
            if subject is None:
                subject = condition.args[0]
            if condition.args[0] is not subject or condition.args[1] in values:
                return False
            values.add(condition.args[1])
        elif not _denies_all(condition, [c for c in conditions if c is not condition]):
            return False
    return True


def _denies_all(condition: Term, others: list[Term]) -> bool:
    """`not (a or b)` beside a and b."""
    denied = not_(condition)
    parts = set(denied.args) if denied.op is ops.OR else {denied}
    return all(other in parts for other in others)
