"""The shared catalogue of traces, and a concrete executor that owes nothing to the code under test.

A trace is text: declarations as in `support.catalogue`, then one statement a line, with terms in SMT-LIB:

    x := (+ x 1)         an assignment
    havoc p              a choice
    (< x 10)             an assumption
    3 times { … }        a loop, taken three times
    loop { … } again { … }   a loop whose rounds take different ways through its body
    block { … }          one statement made of several
    either { … } or { … }    inside of a block only: branches that join again

Locations follow from the text: the rounds of a loop start at the same one, and the same statements in the same place
are the same edges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, product

from craton.logic import BOOL, TRUE, Function, Model, Symbols, Term, Value, evaluate, free_variables
from craton.logic.semantics import same
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Havoc, Statement
from craton.smt.reading import declared, parse_script
from craton.traces.trace import Trace
from support.c_traces import C_PROGRAMS
from support.catalogue import symbols_of
from support.trace_texts import FEASIBLE_TEXTS, INFEASIBLE_TEXTS

_FLOAT_CONSTANTS = """
(define-fun f16 ((r Real)) (_ FloatingPoint 5 11) ((_ to_fp 5 11) RNE r))
(define-fun f32 ((r Real)) (_ FloatingPoint 8 24) ((_ to_fp 8 24) RNE r))
"""


@dataclass(frozen=True)
class Example:
    name: str
    theory: str
    declarations: str
    text: str

    @cached_property
    def trace(self) -> Trace:
        return read_trace(self.declarations, self.text)

    @property
    def has_blocks(self) -> bool:
        return any(isinstance(edge.statement, Block) for edge in self.trace.edges)

    def variable(self, name: str) -> Term:
        found = symbols_of(self.declarations)[name]
        assert isinstance(found, Term)
        return found

    def __str__(self) -> str:
        return f"{self.theory}: {self.name}"


@dataclass(frozen=True)
class CExample(Example):
    """A trace of a C program; its text is the program's."""

    @cached_property
    def trace(self) -> Trace:
        return C_PROGRAMS[self.name].trace


# --- reading traces ---------------------------------------------------------------------------------------------------


def read_trace(declarations: str, text: str) -> Trace:
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    reader = _Reader(lines, _statements(declarations, lines))
    edges, _ = reader.path(Location(0), None)
    return Trace(tuple(edges))


_STRUCTURE = re.compile(r"\d+ times \{|loop \{|\} again \{|block \{|either \{|\} or \{|\}")


def _statements(declarations: str, lines: list[str]) -> dict[str, Statement]:
    """What each line that is a statement means; the parser is started only once."""
    names = symbols_of(declarations)
    variables = {name: item for name, item in names.items() if isinstance(item, Term)}
    symbols = Symbols()
    for item in names.values():
        symbols.of(item)
    holders = {name: Function(f"value of {name}", (v.sort,), BOOL) for name, v in variables.items()}
    for holder in holders.values():
        symbols.of(holder)
    plain = [line for line in dict.fromkeys(lines) if not _STRUCTURE.fullmatch(line) and not line.startswith("havoc")]
    script = [*declared(symbols), _FLOAT_CONSTANTS]
    for line in plain:
        name, assigned, value = line.partition(" := ")
        script.append(f"(assert ({symbols.of(holders[name])} {value}))" if assigned else f"(assert {line})")
    formulas = parse_script("\n".join(script), symbols.meaning)
    assert len(formulas) == len(plain), f"{len(plain)} statements, {len(formulas)} formulas: {lines}"
    found: dict[str, Statement] = {}
    for line, formula in zip(plain, formulas, strict=True):
        name, assigned, _ = line.partition(" := ")
        found[line] = Assign(variables[name], formula.args[0]) if assigned else Assume(formula)
    for line in lines:
        if line.startswith("havoc"):
            found[line] = Havoc(tuple(variables[name] for name in line.split()[1:]))
    return found


class _Reader:
    def __init__(self, lines: list[str], statements: Mapping[str, Statement]) -> None:
        self._lines = lines
        self._at = 0
        self._statements = statements
        self._ids = count(1)
        self._edges: dict[tuple[Location, str, Location | None], Edge] = {}

    def path(self, here: Location, back: Location | None) -> tuple[list[Edge], Location]:
        """Edges up to the closing brace or the end; the last one leads to `back`, if there is one."""
        edges: list[Edge] = []
        while self._at < len(self._lines) and not self._lines[self._at].startswith("}"):
            line = self._lines[self._at]
            start = self._at
            self._at += 1
            if line.endswith("times {"):
                edges += self._round(here) * int(line.split()[0])
                self._closed()
            elif line == "loop {":
                edges += self._round(here)
                while self._closed() == "} again {":
                    edges += self._round(here)
            else:
                block = self._block() if line == "block {" else None
                text = "\n".join(self._lines[start : self._at])
                last = back if self._at < len(self._lines) and self._lines[self._at].startswith("}") else None
                edge = self._edges.get((here, text, last))
                if edge is None:
                    edge = Edge(here, block or self._statements[line], last or Location(next(self._ids)))
                    self._edges[here, text, last] = edge
                edges.append(edge)
                here = edge.target
        return edges, here

    def _closed(self) -> str:
        self._at += 1
        return self._lines[self._at - 1]

    def _round(self, head: Location) -> list[Edge]:
        edges, end = self.path(head, head)
        assert end == head, "the last line of a loop's body must be a statement"
        return edges

    def _block(self) -> Block:
        edges: list[Edge] = []
        self._inside(Location(next(self._ids)), edges)
        self._closed()
        return Block(tuple(edges))

    def _inside(self, here: Location, edges: list[Edge], end: Location | None = None) -> Location:
        while not self._lines[self._at].startswith("}"):
            line = self._closed()
            last = end if self._lines[self._at].startswith("}") else None
            if line == "either {":
                join = Location(next(self._ids))
                self._inside(here, edges, join)
                while self._closed() == "} or {":
                    self._inside(here, edges, join)
                here = join
            else:
                target = last or Location(next(self._ids))
                edges.append(Edge(here, self._statements[line], target))
                here = target
        if end is not None and here != end:  # an empty branch, or one that ends with branches of its own
            edges.append(Edge(here, Assume(TRUE), end))
            here = end
        return here


# --- the catalogue ----------------------------------------------------------------------------------------------------


def _examples(texts: Mapping[str, tuple[str, str]]) -> dict[str, Example]:
    found = {}
    for title, (declarations, text) in texts.items():
        theory, _, name = title.partition(": ")
        found[name] = Example(name, theory, declarations, text)
    assert len(found) == len(texts), "two examples have one name"
    return found


INFEASIBLE = _examples(INFEASIBLE_TEXTS)
INFEASIBLE |= {name: CExample(name, "c", "", program.text) for name, program in C_PROGRAMS.items()}
FEASIBLE = _examples(FEASIBLE_TEXTS)


# --- the executor -----------------------------------------------------------------------------------------------------

State = dict[Term, Value]


@dataclass
class Replay:
    """Runs a trace concretely with the values of a model: at the start, and wherever something is chosen."""

    trace: Trace
    model: Model
    state: State = field(default_factory=dict)

    def problem(self) -> str:
        """Why the run fails; "" if it does not."""
        at = self.trace.formula.at
        variables = sorted(variables_of(*(e.statement for e in self.trace.edges)), key=lambda v: v.serial)
        self.state = {v: self.model[at(0, v)] for v in variables}
        for i, edge in enumerate(self.trace.edges):
            expected = {v: self.model[at(i + 1, v)] for v in variables}
            reached = [
                s for s in executions(edge.statement, self.state, self._choices(expected)) if _agree(s, expected)
            ]
            if not reached:
                return f"step {i + 1}, {edge.statement}, does not lead from {self.state} to {expected}"
            self.state = reached[0]
        return ""

    def _choices(self, expected: State) -> Mapping[Term, list[Value]]:
        """What a havoc may choose: the value after the step; inside of a block, any value of the model."""
        return {
            v: [value, *(x for w, x in self.model.values.items() if w.sort is v.sort)] for v, value in expected.items()
        }


def executions(statement: Statement, state: State, choices: Mapping[Term, list[Value]]) -> Iterator[State]:
    """The states after a statement. A havoc chooses among `choices`."""
    match statement:
        case Assume(condition):
            if evaluate(condition, state) is True:
                yield state
        case Assign(variable, value):
            yield {**state, variable: evaluate(value, state)}
        case Havoc(variables):
            for chosen in product(*(choices[v] for v in variables)):
                yield {**state, **dict(zip(variables, chosen, strict=True))}
        case Block():
            yield from _through(statement, None, state, choices)
        case _:
            raise AssertionError(f"not a statement of a trace: {statement}")


def _through(block: Block, at: Location | None, state: State, choices: Mapping[Term, list[Value]]) -> Iterator[State]:
    """`at` is None at the start, which may be where the block ends, too."""
    if at == block.end:
        yield state
        return
    for edge in block.edges:
        if edge.source == (at or block.begin):
            for after in executions(edge.statement, state, choices):
                yield from _through(block, edge.target, after, choices)


def _agree(state: State, expected: State) -> bool:
    return all(same(v.sort, state[v], value) for v, value in expected.items())


def variables_of(*statements: Statement) -> frozenset[Term]:
    found: set[Term] = set()
    for statement in statements:
        match statement:
            case Assume(condition):
                found |= free_variables(condition)
            case Assign(variable, value):
                found |= {variable, *free_variables(value)}
            case Havoc(variables):
                found.update(variables)
            case Block(edges):
                found |= variables_of(*(edge.statement for edge in edges))
            case _:
                raise AssertionError(f"not a statement of a trace: {statement}")
    return frozenset(found)
