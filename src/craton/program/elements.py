"""Elements of arrays as variables of their own: memory that is read at constant addresses only needs no array.

After inlining and constants, a struct that the program has once is such memory, wherever it was allocated: `s->state`
is `mem[65588]` wherever it stands. Engines that know values of variables know nothing of elements, and interpolants
about variables are simpler.

Law: the new program has the paths of the old one, with the same values of what is read. An array is replaced only if
all that the program does with it is to read constant indices, to write to constant indices, to set all elements to one
value, and to forget it; the variables are the elements that are read, so nobody sees the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from craton.logic import TRUE, Array, Term, and_, conjuncts, evaluate, free_variables, ops, store, substitute, var
from craton.logic.evaluation import constant, zero
from craton.logic.walk import QUANTIFIERS, post_order, replaced
from craton.program.cfa import Edge, Location, Program, Symbol
from craton.program.simultaneous import one_by_one
from craton.program.statements import Assign, Assume, Havoc, Proposed, Return, Statement
from craton.program.storage import cell_at
from craton.program.transformation import Transformed, unchanged

_MOST = 64  # elements of one array: more are no members of a struct, and as many variables are no help


def elements_as_variables(program: Program) -> Transformed:
    """Programs of several procedures stay as they are: what pointers point to is not constant there."""
    if len(program.procedures) != 1:
        return unchanged(program)
    uses = _Uses(program)
    found = {array: elements for array, elements in uses.read.items() if uses.can_be_replaced(array)}
    return _Replacement(program, found).result() if found else unchanged(program)


class _Uses:
    """What a program does with its arrays."""

    def __init__(self, program: Program) -> None:
        self.read: dict[Term, dict[Term, Term]] = {}  # by array: what is read at constant indices, and the variable
        self._otherwise: set[Term] = set()
        main = program.main
        self._otherwise.update((*main.parameters, *main.returns))
        self._own = frozenset((*program.globals, *main.locals))
        self._names = {variable.name for variable in self._own}
        self._seen: set[Term] = set()
        for variable in (*program.globals, *main.locals):
            if isinstance(variable.sort, Array):
                self.read[variable] = {}
        for edge in main.edges:
            self._note(edge.statement)

    def can_be_replaced(self, array: Term) -> bool:
        elements = self.read[array]
        if array in self._otherwise or not 0 < len(elements) <= _MOST:
            return False
        return self._names.isdisjoint(variable.name for variable in elements.values())

    def _note(self, statement: Statement) -> None:
        match statement:
            case Assume(condition):
                self._note_terms(condition)
            case Assign(array, value) if isinstance(array.sort, Array):
                written, base = _writes(value)
                if base is not array and base.op is not ops.CONST_ARRAY:
                    self._otherwise.add(array)
                    self._note_terms(value)
                    return
                self._note_terms(*written.values(), *base.args)
            case Assign(_, value):
                self._note_terms(value)
            case Havoc(variables, source) if source is not None:
                self._otherwise.update(variables)
                if isinstance(source, Proposed):
                    self._note_terms(source.value)
            case Havoc() | Return():
                pass
            case _:
                self._otherwise.update(self._own)

    def _note_terms(self, *terms: Term) -> None:
        for term in terms:
            self._otherwise.update((term,) if term.is_variable else ())
        for node in post_order(*terms):
            if node in self._seen:
                continue
            self._seen.add(node)
            if node.op in QUANTIFIERS:
                self._otherwise |= free_variables(node).union(node.payload)
                continue
            for position, argument in enumerate(node.args):
                if not argument.is_variable or not isinstance(argument.sort, Array):
                    continue
                if node.op is ops.SELECT and position == 0 and node.args[1].is_value and argument in self.read:
                    index = node.args[1]
                    self.read[argument][node] = var(f"{argument.name}[{index.payload}]", node.sort)
                else:
                    self._otherwise.add(argument)


def _writes(value: Term) -> tuple[dict[Term, Term], Term]:
    """The last write to each constant index, and the array that is written to."""
    found: dict[Term, Term] = {}
    while value.op is ops.STORE and value.args[1].is_value:
        found.setdefault(value.args[1], value.args[2])
        value = value.args[0]
    return found, value


@dataclass(slots=True)
class _Replacement:
    program: Program
    found: Mapping[Term, Mapping[Term, Term]]
    parts: dict[Term, Term] = field(default_factory=dict)  # what is read → the variable
    edges: list[Edge] = field(default_factory=list)
    back: dict[Edge, tuple[Edge, ...]] = field(default_factory=dict)
    inserted: dict[Location, Location] = field(default_factory=dict)
    kept: dict[Term, None] = field(default_factory=dict)  # variables that hold a value while others are assigned
    _next: int = 0

    def result(self) -> Transformed:
        self._next = self.program.next_location()
        self.parts = {place: v for elements in self.found.values() for place, v in elements.items()}
        for edge in self.program.main.edges:
            self._add(edge)
        main = replace(
            self.program.main,
            edges=tuple(self.edges),
            locals=(*self._without_arrays(self.program.main.locals), *self.kept),
        )
        program = replace(
            self.program,
            procedures={self.program.entry: main},
            globals=self._without_arrays(self.program.globals),
            symbols={**self.program.symbols, **dict(self._symbols())},
            hints={location: tuple(self._hints(hints)) for location, hints in self.program.hints.items()},
            elements={**self.program.elements, **self._meanings()},
        )
        return Transformed(program, self.back, self.inserted)

    def _add(self, edge: Edge) -> None:
        """One edge for each statement that the edge's becomes."""
        statements = list(self._statements(edge.statement))
        if statements == [edge.statement]:
            self.edges.append(edge)
            return
        here = edge.source
        origin: tuple[Edge, ...] = (edge,)
        for number, statement in enumerate(statements, 1):
            there = edge.target if number == len(statements) else self._new_location(edge.target)
            new = replace(edge, source=here, statement=statement, target=there)
            self.back[new] = origin
            self.edges.append(new)
            here, origin = there, ()

    def _new_location(self, before: Location) -> Location:
        new = Location(self._next)
        self._next += 1
        self.inserted[new] = before
        return new

    def _statements(self, statement: Statement) -> Iterator[Statement]:
        match statement:
            case Assume(condition):
                yield Assume(self._term(condition))
            case Assign(array, value) if array in self.found:
                yield from self._assignments(array, value)
            case Assign(variable, value):
                yield Assign(variable, self._term(value))
            case Havoc(variables, None):
                left = self._without_arrays(variables)
                yield Havoc(left) if left else Assume(TRUE)
            case Havoc(variables, source) if isinstance(source, Proposed):
                yield Havoc(variables, replace(source, value=self._term(source.value)))
            case _:
                yield statement

    def _assignments(self, array: Term, value: Term) -> Iterator[Statement]:
        written, base = _writes(value)
        updates: dict[Term, Term] = {}
        for place, variable in self.found[array].items():
            new = written.get(place.args[1], variable if base is array else base.args[0])
            updates[variable] = self._term(new)
        assigned = list(one_by_one(updates))
        known = {*updates, *self.program.main.locals}
        self.kept.update(dict.fromkeys(a.variable for a in assigned if a.variable not in known))
        yield from assigned or (Assume(TRUE),)

    def _term(self, term: Term) -> Term:
        if self.found.keys().isdisjoint(free_variables(term)):
            return term
        return replaced((term,), self.parts)[0]

    def _without_arrays(self, variables: Iterable[Term]) -> tuple[Term, ...]:
        return tuple(new for old in variables for new in (self.found[old].values() if old in self.found else (old,)))

    def _hints(self, hints: Iterable[Term]) -> Iterator[Term]:
        """What they say of what is left."""
        for hint in hints:
            parts = map(self._term, conjuncts(hint))
            yield and_(*(part for part in parts if self.found.keys().isdisjoint(free_variables(part))))

    def _meanings(self) -> dict[Term, Term]:
        """The elements in terms of arrays of the program as it was at first."""
        return {variable: substitute(place, self.program.elements) for place, variable in self.parts.items()}

    def _symbols(self) -> Iterator[tuple[Term, Symbol]]:
        """Elements have no name of their own, but signs."""
        for place, variable in self.parts.items():
            address = place.args[1].payload
            known = self.program.storage.at(address) if isinstance(address, int) else None
            if known is not None and known.shape is not None and known.address is not None:
                cell = cell_at(known.shape, address - known.address)
                if cell is not None:
                    yield variable, Symbol("", cell.scalar.type, None, signed=cell.scalar.signed)


def with_arrays(formula: Term, program: Program) -> Term:
    """What a formula about a program's variables says of the arrays that the program had."""
    return substitute(formula, program.elements) if program.elements else formula


def in_arrays(values: Mapping[Term, Any], elements: Mapping[Term, Term]) -> dict[Term, Any]:
    """Values of a program's variables, those of elements as values of the arrays; other elements are zero."""
    result = {variable: value for variable, value in values.items() if variable not in elements}
    for variable, place in elements.items():
        if variable in values:
            array, written = place, constant(values[variable], variable.sort)
            while array.op is ops.SELECT:
                array, written = array.args[0], store(array.args[0], array.args[1], written)
            result[array] = evaluate(written, {array: result.get(array, zero(array.sort))})
    return result
