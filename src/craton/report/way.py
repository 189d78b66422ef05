"""The way to an error, line by line: what the program did, which variables changed, what was read from outside, and
which values C leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from craton.evidence.surroundings import KnownText, known_texts
from craton.logic import TRUE, Array, BitVec, Float, Term, bv, evaluate, free_variables, ops, select, substitute, var
from craton.logic.evaluation import CannotEvaluate, Model
from craton.logic.semantics import to_signed
from craton.logic.walk import post_order
from craton.program.activations import path_without_calls
from craton.program.cfa import FREE, MEMCLEANUP, MEMTRACK, UNREACH, Edge, Program, Property, Symbol
from craton.program.execution.codegen import CannotRun
from craton.program.statements import Assign, Assume, Havoc, Input
from craton.program.storage import MEMORY, cell_at, literal
from craton.report.lives import Lives
from craton.report.values import Values
from craton.verdicts.counterexample import Background, ReadValue, Replay, as_number

_LONGEST_ROUND = 40  # steps of a loop's body that are recognised as one
_MOST_STEPS = 200_000
_MOST_STORES = 64  # of one statement
_MOST_ARGUMENTS = 8  # of main
_MOST_OPEN = 4  # values of one line that C leaves open
_MOST_THERE = 6  # variables of the statement that fails
_NAME = re.compile(r"(?<![.\w])(?<!->)[A-Za-z_]\w*(?!\s*\()")  # of no member, and of nothing that is called
_LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')


@dataclass(slots=True)
class Step:
    """A line that was passed, `depth` calls deep. `changes` are variables and parts of memory with their new values;
    `inputs` are those that came from outside and `unspecified` those that C leaves open. `calls` are functions that
    were entered there, with their arguments.
    """

    file: str
    line: int
    depth: int = 0
    changes: dict[str, str] = field(default_factory=dict)
    inputs: set[str] = field(default_factory=set)
    unspecified: set[str] = field(default_factory=set)
    calls: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rounds:
    """So many rounds of a loop that were left out."""

    number: int


@dataclass(frozen=True, slots=True)
class Way:
    """The steps of a run, rounds of loops but the first and the last left out; what the variables hold that the
    statement speaks of which fails; and what is wrong with the memory that it uses.
    """

    steps: Sequence[Step | Rounds] = ()
    there: Mapping[str, str] = field(default_factory=dict)
    because: str = ""


class _From(Enum):
    """Where a value comes from."""

    PROGRAM = "the program computed it"
    OUTSIDE = "it was read"
    NOWHERE = "C leaves it open"


def way(replay: Replay, program: Program | None = None, violated: Property = UNREACH, failing: str = "") -> Way:
    """How a run comes to a check, whose statement is `failing`; no steps if its path is not known. The program is the
    one that was loaded: a run of which only the inputs are known is repeated there, and has to come to the same check.
    """
    texts: Sequence[KnownText] | None = None
    if (replay.background is None or not replay.edges) and program is not None:
        replay, texts = _with_path(replay, program, violated.check) or (replay, None)
    if replay.background is None or not replay.edges or len(replay.edges) > _MOST_STEPS:
        return Way()
    try:
        told = _Telling(replay, replay.background, program or replay.background.program)
        told.know(known_texts(replay) if texts is None else texts)
        steps = folded(list(told.steps()))
        return Way(steps, told.there(failing), told.because(violated))
    except CannotEvaluate:
        return Way()


def _with_path(replay: Replay, program: Program, check: str) -> tuple[Replay, Sequence[KnownText]] | None:
    """The same run by the interpreter, which writes down its path, with the same standard input, arguments and
    environment; what the compiled program was not given as an input besides is zero, as are values that C leaves open.
    """
    from craton.evidence.typed_input import run_around
    from craton.program.execution.outcomes import ReachedError

    try:
        numbers = [as_number(read) for read in replay.inputs]
        around = run_around(program, numbers, replay.found_around, _MOST_STEPS, record=True)
    except (CannotRun, RecursionError):
        return None
    run = around.run
    if not isinstance(run.outcome, ReachedError) or run.outcome.violated.check != check:
        return None
    read = tuple(ReadValue(*one, sort) for one, sort in zip(run.inputs, run.sorts, strict=True))
    path = path_without_calls(around.program, run.edges)
    opened = tuple(_zero(variable) for edge in path for variable in _left_open(edge))
    background = Background(around.program, around.start, opened, Model({}))
    return replace(replay, inputs=read, edges=path, background=background), around.texts


def _left_open(edge: Edge) -> Sequence[Term]:
    statement = edge.statement
    return statement.variables if isinstance(statement, Havoc) and not isinstance(statement.source, Input) else ()


class _Telling:
    """A run that is told."""

    def __init__(self, replay: Replay, background: Background, loaded: Program) -> None:
        self.replay = replay
        self.background = background
        self.program = background.program
        self.values: dict[Term, Any] = dict(background.start)
        self.texts = Values(loaded.storage)
        self.home = {edge.origin: name for name, p in loaded.procedures.items() for edge in p.edges if edge.origin}
        self.parameters = {
            name: {symbol.name for one in p.parameters if (symbol := loaded.symbols.get(one)) is not None}
            for name, p in loaded.procedures.items()
        }
        self.hidden = loaded.procedures.keys() - self.home.values()
        self.own = {(symbol.function, symbol.name) for symbol in self.program.symbols.values()}
        self.lives = Lives(self.texts)
        self.stack: list[str] = []
        self.set_before: set[Term] = set()
        self.held: dict[Term, _From] = {}  # variables without a name that hold what was read, or is open
        self.pointers: dict[Term, Symbol] = {}  # those that were set, the latest last
        self.named: dict[tuple[str | None, str], Term] = {}  # what functions and names meant last

    def know(self, texts: Sequence[KnownText]) -> None:
        self.texts.given = {known.address: known for known in texts}

    def steps(self) -> Iterator[Step]:
        inputs, opened = iter(self.replay.inputs), iter(self.background.opened)
        here: Step | None = None
        edges = self.replay.edges
        for edge in edges:
            origin = edge.origin
            if isinstance(edge.statement, Assume) and edge.statement.condition is TRUE and edge is not edges[-1]:
                continue  # nothing happens there
            if origin is not None:
                if here is None and (main := self._arguments()) is not None:
                    yield main
                depth = self._depth(self.home.get(origin, ""))
                if here is None or (here.file, here.line, here.depth) != (origin.file, origin.line, depth):
                    if here is not None:
                        yield here
                    here = Step(origin.file, origin.line, depth)
            for variable, value, source in self._changes(edge, inputs, opened):
                self._note(here, edge, variable, value, source)
        if here is not None:
            yield here

    def there(self, statement: str) -> dict[str, str]:
        """What the variables of a statement hold at the end, in its order."""
        told: dict[str, str] = {}
        for name in dict.fromkeys(_NAME.findall(_LITERAL.sub("", statement))):
            variable = self.named.get((self.stack[-1] if self.stack else None, name), self.named.get((None, name)))
            symbol = None if variable is None else self._symbol(variable)
            if variable is not None and symbol is not None and len(told) < _MOST_THERE:
                told[name] = self._text(self.values[variable], variable, symbol)
        for name, value in self._read_last():
            if len(told) < _MOST_THERE:
                told[name] = value
        return told

    def _read_last(self) -> Iterator[tuple[str, str]]:
        """What the conditions at the end read from memory, as C calls it."""
        conditions: list[Term] = []
        for edge in reversed(self.replay.edges):
            if not isinstance(edge.statement, Assume) or edge.origin != self.replay.edges[-1].origin:
                break
            conditions.insert(0, edge.statement.condition)
        reads = (node for condition in conditions for node in post_order(condition) if node.op is ops.SELECT)
        for memory, address in dict.fromkeys(read.args for read in reads):
            if memory in self.values:
                found = self._place(evaluate(address, self._state()))
                if found is not None:
                    yield found[0], self._stored(memory, *found[1:])

    def because(self, violated: Property) -> str:
        """What is wrong with the memory that the check is about."""
        if self.texts.storage.sizes is None:
            return ""
        if violated.touched is None:
            return self.lives.lost() if violated.name in (MEMTRACK.name, MEMCLEANUP.name) else ""
        last = self.replay.edges[-1].statement
        used = free_variables(last.condition) if isinstance(last, Assume) else ()
        here = {var(one.name.partition(" #")[0], one.sort): one for one in used}
        address, size = violated.touched.address, violated.touched.size
        where = evaluate(substitute(address, here), self._state())
        how_much = None if size is None else evaluate(substitute(size, here), self._state())
        return self.lives.wrong(where, how_much, freeing=violated.name == FREE.name)

    def _arguments(self) -> Step | None:
        """What `main` was called with."""
        first = next(iter(self.program.main.parameters), None)
        symbol = None if first is None else self.program.symbols.get(first)
        given = self.replay.found_around.arguments[1:]
        if first is None or symbol is None or symbol.declared is None or first not in self.background.start:
            return None
        began = self.background.start[first]
        none = isinstance(first.sort, BitVec) and to_signed(first.sort.width, began) < 0  # is taken for no arguments
        count = self.texts.of_symbol(0 if none else began, first.sort, symbol)
        told = {symbol.name: str(len(given) + 1) if given else count}
        second = self.program.symbols.get(self.program.main.parameters[-1])
        if second is not None and second is not symbol:
            told |= {
                f"{second.name}[{number}]": literal(text) for number, text in enumerate(given[:_MOST_ARGUMENTS], 1)
            }
        return Step(symbol.declared.file, symbol.declared.line, 0, told, set(told))

    def _depth(self, function: str) -> int:
        """Functions that are open: one that is open already was returned to."""
        if function:
            if function in self.stack:
                del self.stack[self.stack.index(function) + 1 :]
            else:
                self.stack.append(function)
        return max(0, len(self.stack) - 1)

    def _changes(self, edge: Edge, inputs: Iterator[Any], opened: Iterator[Any]) -> Iterator[tuple[Term, Any, _From]]:
        match edge.statement:
            case Assign(variable, value):
                yield variable, evaluate(value, self._state()), self._source(value)
            case Havoc(variables, source):
                for variable in variables:
                    if isinstance(source, Input):
                        yield variable, _next(inputs).value, _From.OUTSIDE
                    elif self.background.opened or self.background.start:
                        yield variable, _next(opened), _From.NOWHERE
                    else:
                        yield variable, _zero(variable), _From.NOWHERE

    def _source(self, value: Term) -> _From:
        """Where it comes from, if all of it comes from there."""
        sources = {
            self.held.get(one, _From.PROGRAM) for one in free_variables(value) if not isinstance(one.sort, Array)
        }
        return sources.pop() if len(sources) == 1 else _From.PROGRAM

    def _state(self) -> Model:
        model = self.background.model
        return Model(self.values, model.functions, model.choices)

    def _note(self, here: Step | None, edge: Edge, variable: Term, value: Any, source: _From) -> None:
        changed = variable not in self.set_before or self.values.get(variable) != value
        before = self.values.get(variable)
        self.values[variable] = value
        if variable is self.texts.storage.sizes:
            self.lives.change(value, None if here is None else (here.file, here.line))
        self.set_before.add(variable)
        symbol = self._symbol(variable)
        name = "" if symbol is None or isinstance(variable.sort, Array) else symbol.name
        if source is _From.PROGRAM or (name and not self._hands_on(symbol)):
            self.held.pop(variable, None)
        else:
            self.held[variable] = source
        self._notice(variable, symbol, before, value)
        if name and symbol is not None:
            self.named[symbol.function, name] = variable
        if here is None:
            return
        if isinstance(variable.sort, Array):
            if variable.name.startswith(MEMORY):  # and not tables of the model: sizes of objects, freed blocks
                self._note_stores(here, edge, variable)
        elif name and symbol is not None and (changed or source is not _From.PROGRAM):
            self._tell(here, symbol, name, self._text(value, variable, symbol), source, inside=edge.origin is None)

    def _hands_on(self, symbol: Symbol | None) -> bool:
        """Whether what it holds is told of those who get it: results, and variables of functions without lines."""
        return symbol is not None and (symbol.name.startswith("\\") or symbol.function in self.hidden)

    def _text(self, value: Any, variable: Term, symbol: Symbol) -> str:
        """A pointer to nothing that has a name is told by a global variable that has the same value: `stdin`."""
        text = self.texts.of_symbol(value, variable.sort, symbol)
        if not (symbol.type.endswith("*") and text.startswith("0x")):
            return text
        known = ((self.program.symbols.get(one), number) for one, number in self.values.items())
        same = (one.name for one, number in known if one is not None and one.function is None and number == value)
        return next((name for name in same if name), text)

    def _notice(self, variable: Term, symbol: Symbol | None, before: Any, value: Any) -> None:
        """What helps to name addresses later."""
        if variable is self.texts.storage.heap and isinstance(before, int) and value > before:
            self.texts.allocated(before, value)
        if symbol is not None and symbol.object is not None:
            self.texts.moved[value] = symbol.object
        if symbol is not None and "*" in symbol.type and symbol.name:
            self.pointers.pop(variable, None)
            self.pointers[variable] = symbol

    def _tell(
        self, here: Step, symbol: Symbol | None, name: str, text: str, source: _From, *, inside: bool = False
    ) -> None:
        owner = None if symbol is None else symbol.function
        if owner and self.stack and owner != self.stack[-1] and owner not in self.stack:
            if inside and owner in self.hidden:
                return  # what a library calls
            if name in self.parameters.get(owner, (name,)):  # what is inside is told when its lines are passed
                here.calls.setdefault(owner, {})[name] = text
            return
        if source is _From.NOWHERE and len(here.unspecified) >= _MOST_OPEN:
            return
        here.changes.pop(name, None)
        here.changes[name] = text
        for kept, kind in ((here.inputs, _From.OUTSIDE), (here.unspecified, _From.NOWHERE)):
            (kept.add if source is kind else kept.discard)(name)

    # --- memory -------------------------------------------------------------------------------------------------------

    def _note_stores(self, here: Step, edge: Edge, memory: Term) -> None:
        """What an assignment of a whole memory changed."""
        if not isinstance(edge.statement, Assign):
            return
        term = edge.statement.value
        stores: list[tuple[int, _From]] = []
        while term.op is ops.STORE and len(stores) < _MOST_STORES:
            stores.append((evaluate(term.args[1], self._state()), self._source(term.args[2])))
            term = term.args[0]
        told: set[str] = set()
        for address, source in reversed(stores):
            found = self._place(address)
            if found is not None and found[0] not in told:
                told.add(found[0])
                if source is not _From.NOWHERE:
                    self._tell(here, None, found[0], self._stored(memory, *found[1:]), source)

    def _place(self, address: int) -> tuple[str, int, Any] | None:
        """How C calls the scalar at an address, where that begins, and what it is."""
        known, begin = self.texts.object_at(address)
        if known is not None and known.hidden:
            return None
        if known is not None and known.shape is not None and known.text is None:
            pointed = self._behind_pointer(address) if self._hidden(known.name) else None
            cell = cell_at(known.shape, address - begin)
            found = None if cell is None else (f"{known.name}{cell.path}", begin + cell.offset, cell.scalar)
            return pointed or found
        return self._behind_pointer(address)

    def _hidden(self, name: str) -> bool:
        """Whether it means another variable in the function that runs."""
        return bool(self.stack) and (self.stack[-1], name) in self.own

    def _behind_pointer(self, address: int) -> tuple[str, int, Any] | None:
        for pointer, symbol in reversed(self.pointers.items()):
            shape = self.texts.storage.shapes.get(symbol.type.removesuffix("*").strip())
            value = self.values[pointer]
            if shape is None or not value <= address < value + shape.size:
                continue
            cell = cell_at(shape, address - value)
            if cell is not None:
                return _pointed(symbol.name, cell.path), value + cell.offset, cell.scalar
        return None

    def _stored(self, memory: Term, address: int, scalar: Any) -> str:
        sort = memory.sort
        assert isinstance(sort, Array) and isinstance(sort.index, BitVec)
        if isinstance(sort.element, Float):
            value = evaluate(select(memory, bv(address, sort.index.width)), self._state())
            return self.texts.of_symbol(value, sort.element, None)
        assert isinstance(sort.element, BitVec)
        step, bits = max(1, sort.element.width // 8), 0
        for offset in range(0, scalar.size, step):
            part = evaluate(select(memory, bv(address + offset, sort.index.width)), self._state())
            bits |= part << (8 * offset)
        return self.texts.of_cell(bits & ((1 << 8 * scalar.size) - 1), scalar)

    def _symbol(self, variable: Term) -> Symbol | None:
        """Of a variable, or of the one that it is for one activation of a procedure."""
        known = self.program.symbols.get(variable)
        if known is None and variable.is_variable and " #" in variable.name:
            known = self.program.symbols.get(var(variable.name.rpartition(" #")[0], variable.sort))
        return known


def _pointed(pointer: str, path: str) -> str:
    """A part of what a pointer points to; of an array, which is the first of several, `m[0][2]`."""
    if path.startswith("."):
        return f"{pointer}->{path[1:]}"
    return f"{pointer}[0]{path}" if path else f"*{pointer}"


def _next(values: Iterator[Any]) -> Any:
    for value in values:
        return value
    raise CannotEvaluate("the run chose fewer values than its path asks for")


def _zero(variable: Term) -> Any:
    from craton.logic.evaluation import zero

    return zero(variable.sort)


def folded(steps: Sequence[Step]) -> list[Step | Rounds]:
    """Where the same lines come again and again, only the first and the last round are kept; and so in each of them."""
    lines = [(step.file, step.line) for step in steps]
    found: list[Step | Rounds] = []
    position = 0
    while position < len(steps):
        length, times = _rounds(lines, position)
        if times > 2:
            found += folded(steps[position : position + length])
            found.append(Rounds(times - 2))
            found += folded(steps[position + (times - 1) * length : position + times * length])
            position += times * length
        else:
            found.append(steps[position])
            position += 1
    return found


def _rounds(lines: Sequence[tuple[str, int]], begin: int) -> tuple[int, int]:
    """The length of the round that begins here and is repeated most, and how often it comes: more than twice, if one
    does.
    """
    best = (1, 1)
    for length in range(1, min(_LONGEST_ROUND, (len(lines) - begin) // 2) + 1):
        if lines[begin] != lines[begin + length]:
            continue
        one, times = lines[begin : begin + length], 1
        while lines[begin + times * length : begin + (times + 1) * length] == one:
            times += 1
        if length * times > best[0] * best[1] and times > 2:
            best = length, times
    return best
