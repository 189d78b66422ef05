"""The state of one generation: random choices, what has been declared, what is in scope, and the work done so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from cfuzz.ctype import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    KINDS,
    LONG_DOUBLE,
    Float,
    FunctionPointer,
    Int,
    Record,
    Scalar,
    Type,
    declare,
)
from cfuzz.effects import Effects, Expr, Place, conflict
from cfuzz.features import Features

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Var:
    """A variable. A loop counter has a `bound`: its value is in [0, bound) wherever it can be seen."""

    name: str
    type: Type
    root: str
    depth: int
    writable: bool = True
    bound: int | None = None
    volatile: bool = False

    @property
    def addressable(self) -> bool:
        return self.root.startswith("m:") and not self.volatile

    def place(self) -> Place:
        return Place(
            self.name,
            self.type,
            self.root,
            writable=self.writable,
            addressable=self.addressable,
            depth=self.depth,
            holds=self.depth,
            accepts=self.depth,
        )


@dataclass(frozen=True, slots=True)
class Enum:
    type: Int
    members: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A callable function: `cost` bounds the statements that one call executes; `limits` bounds int arguments."""

    name: str
    result: Type | None
    parameters: tuple[Type, ...]
    cost: int
    effects: Effects
    limits: tuple[int | None, ...] = ()

    @property
    def pointer(self) -> FunctionPointer:
        return FunctionPointer(self.result, self.parameters)


@dataclass(slots=True)
class Frame:
    """The function being generated."""

    result: Type | None
    budget: int
    scopes: list[dict[str, Var]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    indent: int = 1
    repetitions: int = 1
    cost: int = 0
    loops: list[str] = field(default_factory=list)
    calls: Effects = field(default_factory=Effects)
    main: bool = False


@dataclass(slots=True)
class Context:
    """One generation. `serial` keeps names apart; `calm` > 0 asks for expressions without side effects."""

    rng: Random
    features: Features
    frame: Frame
    globals: dict[str, Var] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    enums: list[Enum] = field(default_factory=list)
    aliases: list[Int] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    tables: list[tuple[str, tuple[Function, ...]]] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)  # globals never shadowed: some pointer member can always point here
    variadics: list[str] = field(default_factory=list)
    top: list[str] = field(default_factory=list)
    second: list[str] = field(default_factory=list)  # of another translation unit
    serial: int = 0
    calm: int = 0

    # choices

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, options: Sequence[T]) -> T:
        return self.rng.choice(options)

    def number(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def has(self, name: str) -> bool:
        return self.features.has(name)

    def fresh(self, stem: str) -> str:
        self.serial += 1
        return f"{stem}{self.serial}"

    # types

    def integer_type(self) -> Int:
        if not self.has("mixed_integers"):
            return INT
        roll = self.rng.random()
        if roll < 0.2:
            return INT
        if roll < 0.27 and self.enums:
            return self.pick(self.enums).type
        if roll < 0.42 and self.aliases:
            return self.pick(self.aliases)
        return self.basic_integer_type()

    def basic_integer_type(self) -> Int:
        barred = {"bool"} if not self.has("bools") else set()
        barred |= set() if self.has("long_longs") else {"llong", "ullong"}
        kind = self.pick([k for k in KINDS if k not in barred])
        return Int(kind, self.pick(KINDS[kind].spellings))

    def float_type(self) -> Float:
        if self.has("long_double") and self.chance(0.1):
            return LONG_DOUBLE
        return self.pick([FLOAT, DOUBLE])

    def scalar_type(self) -> Scalar:
        if self.has("floats") and self.chance(0.18):
            return self.float_type()
        return self.integer_type()

    def plain_integer_type(self) -> Int:
        """Any integer type whose every bit pattern is a value."""
        return self.type_where(lambda t: t.kind != "bool")

    def type_where(self, accepts: Callable[[Int], bool]) -> Int:
        for _ in range(8):
            t = self.integer_type()
            if accepts(t):
                return t
        return INT

    # scope

    @property
    def depth(self) -> int:
        return len(self.frame.scopes)

    def visible(self) -> list[Var]:
        """The variables whose names mean them here, inner ones last; a shadowed name is not among them."""
        names: dict[str, Var] = dict(self.globals)
        for scope in self.frame.scopes:
            for name, var in scope.items():
                names.pop(name, None)
                names[name] = var
        return [var for var in names.values() if var is not HIDDEN]

    def add_local(
        self, t: Type, name: str, *, addressable: bool, writable: bool = True, bound: int | None = None
    ) -> Var:
        """Bring a local variable into scope. Its root is unique even if its name shadows another."""
        self.serial += 1
        root = f"{'m' if addressable else 'l'}:{name}#{self.serial}"
        var = Var(name, t, root, self.depth, writable, bound)
        self.frame.scopes[-1][name] = var
        return var

    def hide(self, name: str) -> None:
        """Take a name out of reach before its declaration's initialiser is written."""
        self.frame.scopes[-1][name] = HIDDEN

    @contextmanager
    def scope(self) -> Iterator[None]:
        self.frame.scopes.append({})
        yield
        self.frame.scopes.pop()

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Expressions written inside have no side effects."""
        self.calm += 1
        yield
        self.calm -= 1

    @contextmanager
    def repeated(self, times: int) -> Iterator[None]:
        """Work written inside is done up to `times` times."""
        before = self.frame.repetitions
        self.frame.repetitions *= times
        yield
        self.frame.repetitions = before

    # text

    def emit(self, text: str) -> None:
        self.frame.lines.append("    " * self.frame.indent + text)

    def label(self, name: str) -> None:
        self.frame.lines.append("    " * (self.frame.indent - 1) + f"{name}:;")

    @contextmanager
    def block(self, head: str = "", tail: str = "") -> Iterator[None]:
        """A compound statement with a scope of its own."""
        self.emit(f"{head} {{".strip())
        self.frame.indent += 1
        with self.scope():
            yield
        self.frame.indent -= 1
        self.emit(f"}} {tail}".rstrip())

    def declare_local(self, t: Type, name: str, initialiser: str = "", prefix: str = "") -> None:
        """Write a declaration (the caller brings the name into scope)."""
        self.emit(f"{prefix}{declare(t, name)}{' = ' + initialiser if initialiser else ''};")

    # work

    def spend(self, statements: int) -> None:
        self.frame.cost += statements * self.frame.repetitions

    def affords(self, statements: int) -> bool:
        return self.frame.cost + statements * self.frame.repetitions <= self.frame.budget

    # evaluation order

    def beside(self, others: Effects, make: Callable[[], Expr], fallback: Callable[[], Expr]) -> Expr:
        """An operand that may stand unsequenced beside `others`."""
        for attempt in range(3):
            if attempt:
                with self.quiet():
                    operand = make()
            else:
                operand = make()
            if not conflict(operand.effects, others):
                return operand
        return fallback()


HIDDEN = Var("", BOOL, "", 0, writable=False)
