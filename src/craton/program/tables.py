"""Tables: arrays that a program fills with constants at its beginning and only reads later, as choices.

`next = table[state][event]` is what state machines, character classes and days of months are written with. An array
that nobody writes is a function of its index, and said as one it is no variable: engines that know values of variables
follow it, and nobody has to keep its elements in invariants.

    table[i]   becomes   i = 65536 ? 3 : (i = 65537 ? 1 : … 0)

Law: the new program has the paths of the old one, with the same values of all variables. An array is a table if all
that writes it are assignments of constants along the only way from the entry, before it is read, and all that speaks of
it behind them reads elements: there it holds what these assignments have left, whatever else happens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from craton.logic import Array, Term, eq, fold, free_variables, ite, ops, rebuild
from craton.logic.walk import post_order
from craton.program.cfa import Edge, Procedure, Program
from craton.program.statements import Assign, Assume, Havoc, Proposed, Statement
from craton.program.transformation import Transformed, unchanged
from craton.program.variables import terms, writes

MOST = 64  # elements that are not as all others

Contents = tuple[Term, dict[Term, Term]]  # what all elements are but for those at constant indices, and what these are


def tables_as_choices(program: Program) -> Transformed:
    """Programs of several procedures stay as they are: others may write there."""
    if len(program.procedures) != 1 or not all(_is_simple(edge.statement) for edge in program.main.edges):
        return unchanged(program)
    begins = list(_only_way(program.main))
    begun = frozenset(begins)
    behind = [edge for edge in program.main.edges if edge not in begun]
    tables = _tables(begins)
    for edge in behind:
        for array in _otherwise(edge.statement):
            tables.pop(array, None)
    if not tables:
        return unchanged(program)
    memo: dict[Term, Term] = {}
    back: dict[Edge, tuple[Edge, ...]] = {}
    edges = list(begins)
    for edge in behind:
        statement = _chosen(edge.statement, tables, memo)
        if statement != edge.statement:
            new = replace(edge, statement=statement)
            back[new] = (edge,)
            edge = new
        edges.append(edge)
    if not back:
        return unchanged(program)
    changed = {**program.procedures, program.entry: program.main.with_edges(tuple(edges))}
    return Transformed(program.with_procedures(changed), back)


def _is_simple(statement: Statement) -> bool:
    return isinstance(statement, Assume | Assign | Havoc)


def _only_way(main: Procedure) -> Iterator[Edge]:
    """The edges that all runs begin with, each once."""
    location = main.entry
    while len(main.outgoing(location)) == 1 and (location != main.entry or not main.incoming(location)):
        (edge,) = main.outgoing(location)
        if len(main.incoming(edge.target)) != 1:
            return
        yield edge
        location = edge.target


def _tables(begins: Sequence[Edge]) -> dict[Term, Contents]:
    """Arrays with what they hold behind these edges, if all that is said of them there is assignments of constants."""
    found: dict[Term, Contents] = {}
    others: set[Term] = set()
    for edge in begins:
        statement = edge.statement
        contents = _written(statement, found) if isinstance(statement, Assign) else None
        if contents is not None and isinstance(statement, Assign):
            found[statement.variable] = contents
        else:
            others |= writes(statement).union(*(free_variables(term) for term in _terms(statement)))
    return {array: told for array, told in found.items() if array not in others and len(told[1]) <= MOST}


def _written(assignment: Assign, found: Mapping[Term, Contents]) -> Contents | None:
    """What the array holds then; None if that is not constants, or speaks of another array."""
    value, elements = assignment.value, dict[Term, Term]()
    while value.op is ops.STORE and value.args[1].is_value and value.args[2].is_value:
        elements.setdefault(value.args[1], value.args[2])
        value = value.args[0]
    if value.op is ops.CONST_ARRAY and value.args[0].is_value:
        return value.args[0], elements
    if value is assignment.variable and value in found:
        others, before = found[value]
        before.update(elements)  # in place: arrays may be filled element by element
        return others, before
    return None


def _otherwise(statement: Statement) -> Iterator[Term]:
    """The arrays that are written, or of which more is asked than elements."""
    yield from (variable for variable in writes(statement) if isinstance(variable.sort, Array))
    for term in _terms(statement):
        if term.is_variable:
            yield term
        for node in post_order(term):
            for position, argument in enumerate(node.args):
                if argument.is_variable and not (node.op is ops.SELECT and position == 0):
                    yield argument


def _terms(statement: Statement) -> tuple[Term, ...]:
    if isinstance(statement, Havoc) and isinstance(statement.source, Proposed):
        return (statement.source.value,)
    return terms(statement)


def _chosen(statement: Statement, tables: Mapping[Term, Contents], memo: dict[Term, Term]) -> Statement:
    def visit(node: Term, args: list[Term]) -> Term:
        if node.op is ops.SELECT and node.args[0] in tables:
            return _choice(tables[node.args[0]], args[1])
        return rebuild(node, args) if args else node

    def term(old: Term) -> Term:
        return old if tables.keys().isdisjoint(free_variables(old)) else fold(old, visit, memo)

    match statement:
        case Assume(condition):
            return Assume(term(condition))
        case Assign(variable, value):
            return Assign(variable, term(value))
        case Havoc(variables, source) if isinstance(source, Proposed):
            return Havoc(variables, replace(source, value=term(source.value)))
    return statement


def _choice(contents: Contents, index: Term) -> Term:
    """The element at an index."""
    others, elements = contents
    found = others
    for place, element in elements.items():
        if element is not others:
            found = ite(eq(index, place), element, found)
    return found
