"""What evaluating an expression, or calling a function, may read, write, end and violate.

Evaluation order asks: where two evaluations touch nothing in common, and neither ends the program before the other can
fail, their order cannot be told. What is said here is an upper bound, by the points-to analysis.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from craton.frontends.c.memory.facts import Facts
from craton.frontends.c.memory.places import Place, find, parts_of, reached
from craton.frontends.c.syntax.expressions import direct_callee
from craton.frontends.c.syntax.nodes import LVALUES, Function, Kind, Node, Storage, Variable
from craton.frontends.c.syntax.types import ArrayType, Floating, FunctionType, Integer, Pointer
from craton.program.analysis.graphs import components
from craton.program.specification import ASSERTION_FAILURES

_LOOPS = frozenset({Kind.WHILE, Kind.DO, Kind.FOR, Kind.GOTO, Kind.COMPUTED_GOTO})
_INPUTS = ("__VERIFIER_nondet_", "nondet_")
_COMPILERS = ("__builtin_", "__sync_", "__atomic_")  # they touch what their arguments reach
# Functions of the library that write nothing that the program can see, and return.
_READERS = frozenset(
    """strlen strnlen strcmp strncmp strcasecmp strncasecmp memcmp strchr strrchr strstr strspn strcspn strpbrk memchr
    atoi atol atoll atof printf fprintf puts putchar putc fputc fputs fputc fflush perror abs labs llabs isalpha isdigit
    isalnum isspace isupper islower ispunct isprint iscntrl isxdigit isgraph isblank toupper tolower malloc calloc
    alloca sqrt fabs floor ceil fmod pow sin cos tan exp log round trunc fmin fmax fabsf sqrtf floorf ceilf
    __builtin_expect __VERIFIER_nondet""".split()
)
_ENDS = frozenset(
    """exit abort _exit _Exit quick_exit longjmp siglongjmp raise kill pthread_exit __VERIFIER_assume __assert_fail
    __assert __assert_rtn _assert __assert_func __assert_perror_fail __builtin_unreachable __builtin_trap
    __builtin_abort __builtin_exit err errx verr verrx""".split()
)


@dataclass(slots=True)
class Spots:
    """Memory: variables by name, the places these lie in, and places that are reached through pointers."""

    variables: set[Variable] = field(default_factory=set)
    rooted: set[Place] = field(default_factory=set)
    pointed: set[Place] = field(default_factory=set)
    everything: bool = False

    def add(self, other: Spots) -> None:
        self.variables |= other.variables
        self.rooted |= other.rooted
        self.pointed |= other.pointed
        self.everything |= other.everything

    def __bool__(self) -> bool:
        return bool(self.everything or self.variables or self.pointed)

    def meets(self, other: Spots) -> bool:
        """Whether both may mean the same bytes. Variables of different names are apart."""
        if self.everything or other.everything:
            return self._exposed and other._exposed
        return bool(
            self.variables & other.variables
            or self.pointed & other.pointed
            or self.pointed & other.rooted
            or self.rooted & other.pointed
        )

    @property
    def _exposed(self) -> bool:
        """Whether unknown code may touch some of it: not locals that are in no memory."""
        shared = (Storage.GLOBAL, Storage.STATIC)
        return bool(self.everything or self.pointed or self.rooted or any(v.storage in shared for v in self.variables))

    @property
    def size(self) -> int:
        return len(self.variables) + len(self.rooted) + len(self.pointed) + self.everything


@dataclass(slots=True)
class Touched:
    """An upper bound. `ends`: control may not come back; `fails`: the property may be violated on the way."""

    reads: Spots = field(default_factory=Spots)
    writes: Spots = field(default_factory=Spots)
    ends: bool = False
    fails: bool = False

    def add(self, other: Touched) -> None:
        self.reads.add(other.reads)
        self.writes.add(other.writes)
        self.ends |= other.ends
        self.fails |= other.fails

    def conflicts(self, other: Touched) -> bool:
        """Whether one writes what the other reads or writes."""
        return self.writes.meets(other.writes) or self.writes.meets(other.reads) or self.reads.meets(other.writes)

    @property
    def size(self) -> int:
        return self.reads.size + self.writes.size + self.ends + self.fails


class Touches:
    """Answers for one program; functions are summed up when the first call is asked about."""

    def __init__(self, facts: Facts, library: Iterable[str]) -> None:
        self._scan = facts.scan
        self._points_to = facts.points_to
        self._specification = facts.specification
        self._recursive = facts.recursive
        self._library = frozenset(library)
        self._summaries: dict[str, Touched] | None = None

    # --- expressions --------------------------------------------------------------------------------------------------

    def of(self, node: Node) -> Touched:
        """All that evaluating an expression for its value touches, its calls included."""
        found = Touched()
        self._walk(node, found, None)
        return found

    def lvalue(self, node: Node) -> Spots:
        """The bytes of an l-value itself."""
        spots = Spots()
        root = object_of(node)
        if root is None:
            place = self._points_to.contents(node) if node.kind not in LVALUES else self._points_to.of_lvalue(node)
            spots.pointed.update(parts_of(place))
            return spots
        spots.variables.add(root)
        if self._scan.in_memory(root):
            spots.rooted.update(parts_of(self._points_to.of_lvalue(node)))
        return spots

    def call(self, node: Node) -> Touched:
        """What a call does once its arguments are known."""
        function = direct_callee(node)
        if function is not None:
            return self._called(function, node)
        found = Touched()
        place = self._points_to.pointed(node.children[0])
        if place.external or not place.functions:
            return _unknown()
        for target in place.functions.values():
            found.add(self._called(target, node))
        return found

    def reads_place(self, node: Node, place: Place) -> bool:
        """Whether evaluating the expression may read from memory in that place."""
        reads = self.of(node).reads
        return reads.everything or not (reads.pointed | reads.rooted).isdisjoint(parts_of(place))

    def cursor(self, node: Node) -> Spots:
        """What `va_arg` steps."""
        spots = Spots()
        root = object_of(node)
        if root is not None:
            spots.variables.add(root)
        spots.pointed.update(parts_of(self._points_to.va_cursor(node)))
        return spots

    # --- functions ----------------------------------------------------------------------------------------------------

    def _called(self, function: Function, node: Node) -> Touched:
        if self._specification.forbids_call(function.name):
            return Touched(ends=True, fails=True)
        if function.body is None:
            return self._external(function.name, node)
        if self._summaries is None:
            self._summaries = self._sum_up()
        return self._summaries.get(function.symbol) or _unknown()

    def _external(self, name: str, node: Node) -> Touched:
        found = Touched()
        if name.startswith(_INPUTS):
            return found
        found.ends = name in _ENDS
        found.fails = self._specification.memory or (self._specification.assertions and name in ASSERTION_FAILURES)
        if found.ends:
            return found
        if name not in self._library and name not in _READERS and not name.startswith(_COMPILERS):
            return _unknown()
        reached = Spots()
        for argument in node.children[1:]:
            if isinstance(argument.type, Integer | Floating):
                continue  # a number may hold an address, but the library follows none of these
            place = self._points_to.of_value(argument)
            if place is None:
                continue
            for part in _closure(place):
                reached.pointed.add(part)
                for target in part.functions.values():  # a callback
                    if target.body is not None:
                        found.add(self._called(target, node))
        found.reads.add(reached)
        if name not in _READERS:
            found.writes.add(reached)
        return found

    def _sum_up(self) -> dict[str, Touched]:
        """All functions, callees before callers; members of a cycle until nothing new is found."""
        self._summaries = {symbol: Touched() for symbol in self._scan.functions}
        pointed = {
            symbol: None
            for place in self._points_to.places.roots()
            if find(place).functions
            for symbol in find(place).functions
        }
        graph = {}
        for symbol in self._scan.functions:
            callees = dict(self._scan.calls.get(symbol, {}))
            graph[symbol] = list(callees | pointed if symbol in self._scan.indirect else callees)
        for group in components(graph):
            self._sum_up_group([symbol for symbol in group if symbol in self._scan.functions])
        return self._summaries

    def _sum_up_group(self, group: list[str]) -> None:
        assert self._summaries is not None
        changed = True
        while changed:
            changed = False
            for symbol in group:
                function, summary = self._scan.functions[symbol], self._summaries[symbol]
                if function.body is None:
                    continue
                before = summary.size
                summary.ends |= symbol in self._recursive
                specification = self._specification
                summary.fails |= specification.overflow or specification.memory
                self._walk(function.body, summary, function)
                changed |= summary.size != before and len(group) > 1

    # --- the walk -----------------------------------------------------------------------------------------------------

    def _walk(self, root: Node, found: Touched, function: Function | None) -> None:
        """`function` is the one that is summed up: its own locals are nobody else's."""
        stack: list[tuple[Node, bool]] = [(root, True)]
        while stack:
            node, as_value = stack.pop()
            self._visit(node, as_value, found, function, stack)

    def _visit(
        self, node: Node, as_value: bool, found: Touched, function: Function | None, stack: list[tuple[Node, bool]]
    ) -> None:
        kind = node.kind
        if kind in LVALUES and kind is not Kind.STRING:
            if as_value and not isinstance(node.type, ArrayType | FunctionType):
                self._note(found.reads, node, function)
            if kind is Kind.COMPOUND_LITERAL:
                self._declared(node.value, stack)
        elif kind is Kind.DECLARE:
            self._declared(node.value, stack)
        elif kind is Kind.CALL:
            found.add(self.call(node))
            called = node.children if direct_callee(node) is None else node.children[1:]
            stack.extend((child, True) for child in called)
            return
        elif kind is Kind.VA_ARG:
            cursor = self.cursor(node.children[0])
            found.reads.add(cursor)
            found.writes.add(cursor)
        elif kind in (Kind.ASSIGN, Kind.COMPOUND_ASSIGN, Kind.STEP):
            self._note(found.writes, node.children[0], function)
            if kind is not Kind.ASSIGN:
                self._note(found.reads, node.children[0], function)
        elif kind is Kind.ASM:
            found.reads.everything = found.writes.everything = True
        elif kind in _LOOPS:
            found.ends = True
        elif kind is Kind.LABEL and node.value in self._specification.labels:
            found.fails = found.ends = True
        elif kind is Kind.SIZE_OF:
            return
        lvalues = value_positions(node)
        stack.extend(
            (child, position) for child, position in zip(node.children, lvalues, strict=True) if child is not None
        )

    def _declared(self, variable: Variable, stack: list[tuple[Node, bool]]) -> None:
        if variable.storage is not Storage.STATIC and variable.initializer is not None:
            stack.append((variable.initializer, True))
        stack.extend((length, True) for _, length in variable.dimensions)

    def _note(self, spots: Spots, node: Node, function: Function | None) -> None:
        root = object_of(node)
        own = root is not None and root.storage in (Storage.LOCAL, Storage.PARAMETER)
        if function is None or not own:
            spots.add(self.lvalue(node))


def object_of(node: Node) -> Variable | None:
    """The variable of an l-value, if no pointer is read on the way: `a[i].m`, `*(T *)&x`, `((char *)a)[1]`."""
    while True:
        if node.kind in (Kind.VARIABLE, Kind.COMPOUND_LITERAL):
            variable: Variable = node.value
            return variable
        below = node.children[0] if node.kind is Kind.MEMBER and node.op == "." else _addressed(node)
        if below is None:
            return None
        node = below


def _addressed(node: Node) -> Node | None:
    """Of what the pointer was made that this l-value follows, if it was made in this expression. Steps and casts on the
    way do not leave the object: what does is undefined.
    """
    if node.kind not in (Kind.SUBSCRIPT, Kind.DEREFERENCE, Kind.MEMBER):
        return None
    pointer = _pointer_operand(node)
    while True:
        if isinstance(pointer.type, ArrayType):
            return pointer
        if pointer.kind is Kind.ADDRESS:
            addressed: Node = pointer.children[0]
            return addressed
        if pointer.kind is Kind.CONVERT and isinstance(pointer.children[0].type, ArrayType | Pointer):
            pointer = pointer.children[0]
        elif pointer.kind is Kind.BINARY and isinstance(pointer.type, Pointer) and pointer.op in ("+", "-"):
            pointer = _pointer_operand(pointer)
        else:
            return None


def _pointer_operand(node: Node) -> Node:
    """The operand of a subscript, `*`, `->`, `+` or `-` that is a pointer or an array."""
    first: Node = node.children[0]
    return node.children[1] if isinstance(first.type, Integer) and len(node.children) > 1 else first


def indexed_array(node: Node) -> Node | None:
    """The array that a subscript or `*` picks an element of, if it is one and no pointer."""
    if node.kind not in (Kind.SUBSCRIPT, Kind.DEREFERENCE):
        return None
    base = _pointer_operand(node)
    if base.kind is Kind.CONVERT and isinstance(base.children[0].type, ArrayType):
        base = base.children[0]
    return base if isinstance(base.type, ArrayType) else None


def value_positions(node: Node) -> tuple[bool, ...]:
    """For each child, whether its value is asked for; else only where it stands."""
    kind = node.kind
    if kind in (Kind.ASSIGN, Kind.COMPOUND_ASSIGN):
        return (False, True)
    if kind in (Kind.STEP, Kind.ADDRESS, Kind.VA_ARG):
        return (False,)
    if kind is Kind.MEMBER and node.op == ".":
        return (node.children[0].kind not in LVALUES,)
    return (True,) * len(node.children)


def _closure(place: Place) -> list[Place]:
    """The place, its parts, and all that pointers lead to from there."""
    return reached(place, lambda part: (*part.fields.values(), *([] if part.pointee is None else [part.pointee])))


def _unknown() -> Touched:
    """A function of which nothing is known."""
    return Touched(Spots(everything=True), Spots(everything=True), ends=True)
