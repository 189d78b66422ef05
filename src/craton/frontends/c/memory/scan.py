"""A first look over the program: which functions and globals are reachable, which variables need memory, whether
integers become pointers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from craton.frontends.c.syntax.expressions import constant_number, direct_callee, root_variable, without_conversions
from craton.frontends.c.syntax.nodes import DROPS_CONST, Function, Kind, Node, Storage, Variable
from craton.frontends.c.syntax.program import Program, SymbolKind
from craton.frontends.c.syntax.types import ArrayType, CType, Integer, Pointer, Record

_MOST_BYTES = 1 << 24  # of what looks like a size


# By name, and from the text of the library that serves calls through pointers.
EXITS = frozenset({"exit", "__builtin_exit", "__craton_direct_exit"})


@dataclass(eq=False)
class Scan:
    """What the entry function may reach, and how it is used."""

    functions: dict[str, Function] = field(default_factory=dict)  # reachable, by symbol
    globals: dict[Variable, None] = field(default_factory=dict)  # reachable, static locals included
    locals: dict[str, list[Variable]] = field(default_factory=dict)  # by function
    addressed: dict[Variable, None] = field(default_factory=dict)
    address_taken: dict[str, Function] = field(default_factory=dict)
    calls: dict[str, dict[str, None]] = field(default_factory=dict)  # direct calls, by symbol
    indirect: dict[str, None] = field(default_factory=dict)  # functions that call through pointers
    integers_become_pointers: bool = False
    pointers_become_integers: bool = False
    called_by_system: tuple[Function, ...] = ()  # the entry function, and what runs before or after it
    goes_on: bool = False  # whether functions run when the entry function has returned: destructors, or atexit's
    drops_const: bool = False  # whether a pointer to what is `const` becomes one that may be written through
    largest_argument: int = 0  # of functions without a body, among those that are constants

    def callers(self, symbol: str) -> list[str]:
        """The functions that call one by its name."""
        return [caller for caller, callees in self.calls.items() if symbol in callees]

    def in_memory(self, variable: Variable) -> bool:
        return variable in self.addressed or needs_memory(variable.type)


def needs_memory(t: CType) -> bool:
    """Arrays live in memory, and so does what contains one."""
    if isinstance(t, ArrayType):
        return True
    if isinstance(t, Record):
        if t.is_union and t.size > 64:
            return True
        return any(needs_memory(f.type) for f in t.fields)
    return False


def scan(program: Program, entry: Function, is_unknown: Callable[[Function], bool] | None = None) -> Scan:
    """What can be reached from the entry function; bodies are read as they are found. Where a function is called of
    which only others know what it does (`is_unknown`), these have the program's variables, too, and come from there to
    what they point to.
    """
    scanner = _Scanner()
    scanner.found.called_by_system = (entry, *program.before_entry(), *program.after_entry())
    for function in scanner.found.called_by_system:
        scanner.need(function)
    scanner.drain(program)
    if "atexit" in scanner.found.functions and program.is_of_library("atexit"):
        handlers = program.call_at_the_end("__craton_exit_handlers")
        if handlers is not None:
            scanner.need(handlers)
            scanner.drain(program)
    if is_unknown is not None and any(f.body is None and is_unknown(f) for f in scanner.found.functions.values()):
        scanner.shared(program)
    scanner.found.goes_on = bool(program.after_entry()) or "atexit" in scanner.found.functions
    for callees in scanner.found.calls.values():
        if not callees.keys().isdisjoint(EXITS):  # it calls them
            callees.update((function.symbol, None) for function in program.after_entry())
    return scanner.found


def _has_addresses(initializer: Node) -> bool:
    """Whether it names anything that has an address."""
    waiting = [initializer]
    while waiting:
        node = waiting.pop()
        if node.kind in (Kind.VARIABLE, Kind.FUNCTION, Kind.COMPOUND_LITERAL):
            return True
        waiting.extend(child for child in node.children if child is not None)
    return False


def _becomes_number(conversion: Node) -> bool:
    """Whether a pointer is converted to a number; `&((T *)0)->member` is one already, and a test is no number."""
    child: Node = conversion.children[0]
    if not isinstance(child.type, Pointer | ArrayType) or not isinstance(conversion.type, Integer):
        return False
    return not conversion.type.boolean and not begins_at_number(child)


def begins_at_number(node: Node) -> bool:
    """Whether it is a null pointer or another number as a pointer, or is found from there, whatever is followed on the
    way.
    """
    while node.children and node.kind in (Kind.ADDRESS, Kind.MEMBER, Kind.SUBSCRIPT, Kind.CONVERT, Kind.DEREFERENCE):
        node = node.children[0]
    return node.kind is Kind.NUMBER


class _Scanner:
    """A walk over bodies and initialisers, each once."""

    def __init__(self) -> None:
        self.found = Scan()
        self.waiting: list[Function] = []
        self._current = ""
        self._seen_locals: set[Variable] = set()
        self._read: set[str] = set()

    def need(self, function: Function, *, by_name: bool = False) -> None:
        """A function is mentioned; the body of one that is only called by its name and has a handler is not read."""
        self.found.functions.setdefault(function.symbol, function)
        if function.symbol not in self._read and not (by_name and function.handled):
            self._read.add(function.symbol)
            self.waiting.append(function)

    def drain(self, program: Program) -> None:
        """Reads all that is mentioned."""
        while self.waiting:
            self.function(program, self.waiting.pop(0))

    def shared(self, program: Program) -> None:
        """Variables that others may name count as reached where they begin with addresses."""
        for name, definition in program.definitions.items():
            variable = program.variable(name) if definition.kind is SymbolKind.VARIABLE else None
            if variable is not None and variable.initializer is not None and _has_addresses(variable.initializer):
                self._mention(variable)
        self.drain(program)

    def function(self, program: Program, function: Function) -> None:
        self._current = function.symbol
        body = program.body(function)
        self.found.calls.setdefault(self._current, {})
        for parameter in function.parameters:
            self._mention(parameter)
        if body is not None:
            self._walk(body)

    def _mention(self, variable: Variable) -> None:
        if variable.storage in (Storage.GLOBAL, Storage.STATIC):
            if variable not in self.found.globals:
                self.found.globals[variable] = None
                if variable.initializer is not None:
                    self._walk(variable.initializer)
            return
        known = self.found.locals.setdefault(self._current, [])
        if variable not in self._seen_locals:
            self._seen_locals.add(variable)
            known.append(variable)
            for _, length in variable.dimensions:
                self._walk(length)
            if variable.initializer is not None:
                self._walk(variable.initializer)

    def _walk(self, root: Node) -> None:
        stack: list[Node] = [root]
        while stack:
            node = stack.pop()
            stack.extend(child for child in self._visit(node) if child is not None)

    def _visit(self, node: Node) -> tuple[Node | None, ...]:
        """Notes what a node says; returns what is left to visit below it."""
        found = self.found
        match node.kind:
            case Kind.VARIABLE | Kind.DECLARE:
                self._mention(node.value)
            case Kind.COMPOUND_LITERAL:
                self._mention(node.value)
                return ()
            case Kind.FUNCTION:
                self.need(node.value)
                found.address_taken[node.value.symbol] = node.value
            case Kind.CALL:
                callee = direct_callee(node)
                if callee is not None:
                    self.need(callee, by_name=True)
                    found.calls.setdefault(self._current, {})[callee.symbol] = None
                    sizes = (constant_number(argument) or 0 for argument in node.children[1:])
                    found.largest_argument = max(found.largest_argument, *(s for s in sizes if s < _MOST_BYTES), 0)
                    return node.children[1:]
                found.indirect[self._current] = None
            case Kind.ADDRESS:
                root_of = root_variable(node.children[0])
                if root_of is not None:
                    found.addressed[root_of] = None
            case Kind.ASM:
                count = len(node.value.outputs)
                operands = [*map(without_conversions, node.children[:count]), *node.children[count:]]
                kinds = {isinstance(each.type, Pointer | ArrayType) for each in operands if each.kind is not Kind.GOTO}
                if len(kinds) > 1:  # an output may be what any input was
                    found.integers_become_pointers = found.pointers_become_integers = True
            case Kind.DECLARE_TYPE:
                for _, length in node.value:
                    self._walk(length)
            case Kind.CONVERT:
                child = node.children[0]
                if isinstance(node.type, Pointer) and isinstance(child.type, Integer) and child.kind is not Kind.NUMBER:
                    found.integers_become_pointers = True
                found.drops_const |= node.value == DROPS_CONST
                if _becomes_number(node):
                    found.pointers_become_integers = True
        return node.children
