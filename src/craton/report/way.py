"""The way to an error, line by line: what the program did, which variables changed, and what was read from outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from craton.logic import BOOL, TRUE, BitVec, Float, Sort, Term, evaluate, free_variables
from craton.logic.evaluation import CannotEvaluate, Model
from craton.logic.ieee import to_python
from craton.logic.semantics import to_signed
from craton.logic.sorts import Array
from craton.logic.terms import format_of
from craton.program.cfa import Edge, Program
from craton.program.statements import Assign, Assume, Havoc, Input
from craton.verdicts.counterexample import Background, Replay

_LONGEST_ROUND = 40  # steps of a loop's body that are recognised as one
_MOST_STEPS = 200_000


@dataclass(slots=True)
class Step:
    """A line that was passed. `changes` are variables with their new values, `inputs` those of them that came from
    outside.
    """

    file: str
    line: int
    changes: dict[str, str] = field(default_factory=dict)
    inputs: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Rounds:
    """So many rounds of a loop that were left out."""

    number: int


def way(replay: Replay) -> list[Step | Rounds]:
    """The steps of a run, rounds of loops but the first and the last left out; none if its path is not known."""
    if replay.background is None or not replay.edges or len(replay.edges) > _MOST_STEPS:
        return []
    try:
        return folded(list(_steps(replay.edges, replay, replay.background)))
    except CannotEvaluate:
        return []


def _steps(edges: Sequence[Edge], replay: Replay, background: Background) -> Iterator[Step]:
    values: dict[Term, Any] = dict(background.start)
    inputs, opened = iter(replay.inputs), iter(background.opened)
    set_before: set[Term] = set()
    from_outside: set[Term] = set()  # variables that hold what was read
    here: Step | None = None
    for edge in edges:
        origin = edge.origin
        if isinstance(edge.statement, Assume) and edge.statement.condition is TRUE and edge is not edges[-1]:
            continue  # nothing happens there
        if origin is not None and (here is None or (here.file, here.line) != (origin.file, origin.line)):
            if here is not None:
                yield here
            here = Step(origin.file, origin.line)
        for variable, value, is_input in _changes(edge, values, background.model, inputs, opened):
            changed = variable not in set_before or values.get(variable) != value
            values[variable] = value
            set_before.add(variable)
            read = is_input or _hands_on(edge, from_outside)
            name = _name(variable, background.program)
            (from_outside.add if read and not name else from_outside.discard)(variable)
            if here is not None and name and (changed or read):
                here.changes[name] = shown(value, variable.sort, background.program, variable)
                if read:
                    here.inputs.add(name)
    if here is not None:
        yield here


def _hands_on(edge: Edge, held: set[Term]) -> bool:
    """Whether the edge assigns what was read just before."""
    return isinstance(edge.statement, Assign) and bool(free := free_variables(edge.statement.value)) and free <= held


def _changes(
    edge: Edge, values: dict[Term, Any], model: Model, inputs: Iterator[Any], opened: Iterator[Any]
) -> Iterator[tuple[Term, Any, bool]]:
    match edge.statement:
        case Assign(variable, value):
            yield variable, evaluate(value, Model(values, model.functions, model.choices)), False
        case Havoc(variables, source):
            for variable in variables:
                if isinstance(source, Input):
                    yield variable, next(inputs).value, True
                else:
                    yield variable, next(opened), False


def _name(variable: Term, program: Program) -> str:
    """As C spells it; "" for what has no name there, and for memory."""
    symbol = program.symbols.get(variable)
    return "" if symbol is None or isinstance(variable.sort, Array) else symbol.name


def shown(value: Any, sort: Sort, program: Program, variable: Term) -> str:
    """A variable's value as a C programmer writes it."""
    symbol = program.symbols.get(variable)
    if isinstance(sort, BitVec) and symbol is not None and "*" in symbol.type:
        return hex(value) if value else "NULL"
    if sort is BOOL:
        return "true" if value else "false"
    return value_text(value, sort, signed=symbol is None or symbol.signed)


def value_text(value: Any, sort: Sort, *, signed: bool) -> str:
    """A number as people write it."""
    if isinstance(sort, BitVec):
        return str(to_signed(sort.width, value) if signed else value)
    if isinstance(sort, Float):
        return repr(to_python(format_of(sort), value))
    return f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else str(value)


def folded(steps: Sequence[Step]) -> list[Step | Rounds]:
    """Where the same lines come again and again, only the first and the last round are kept."""
    lines = [(step.file, step.line) for step in steps]
    found: list[Step | Rounds] = []
    position = 0
    while position < len(steps):
        length, times = _rounds(lines, position)
        if times > 2:
            found += steps[position : position + length]
            found.append(Rounds(times - 2))
            found += steps[position + (times - 1) * length : position + times * length]
            position += times * length
        else:
            found.append(steps[position])
            position += 1
    return found


def _rounds(lines: Sequence[tuple[str, int]], begin: int) -> tuple[int, int]:
    """The length of the round that begins here and is repeated most, and how often it comes."""
    best = (1, 1)
    for length in range(1, min(_LONGEST_ROUND, (len(lines) - begin) // 2) + 1):
        if lines[begin] != lines[begin + length]:
            continue
        one, times = lines[begin : begin + length], 1
        while lines[begin + times * length : begin + (times + 1) * length] == one:
            times += 1
        if length * times > best[0] * best[1] and times > 1:
            best = length, times
    return best
