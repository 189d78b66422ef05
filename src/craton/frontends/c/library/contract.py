"""What the lowering of a function offers to those who model library functions: the questions that handlers may ask.

`lowering` knows the library, and the library knows only this; `lowering.function.FunctionLowering` is one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.automaton.context import Context
from craton.frontends.c.automaton.lvalue import Lvalue, Value
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.memory.layout import Memory, Object
from craton.frontends.c.syntax.nodes import Function, Node, Variable
from craton.frontends.c.syntax.types import CType
from craton.logic import Term


class Expressions(Protocol):
    def value(self, node: Node) -> Value:
        """The value of an expression: a term, the leaves of a struct, or `()` for void."""

    def scalar(self, node: Node) -> Term:
        """The value of an expression that is no struct."""

    def effect(self, node: Node) -> None:
        """Evaluates for side effects only."""


class Conditions(Protocol):
    def condition(self, node: Node) -> Term:
        """The truth of a scalar expression as a Bool."""


class Access(Protocol):
    def load(self, lvalue: Lvalue) -> Value: ...

    def store(self, lvalue: Lvalue, value: Value) -> None: ...


class Bulk(Protocol):
    def fill(self, target: Lvalue, t: CType, size: Term, byte: int) -> None:
        """`size` bytes of `byte` in elements of type `t`."""

    def fill_variable(self, target: Lvalue, size: Term, byte: Term) -> None:
        """`size` bytes of a byte that is not constant, in a region of bytes."""

    def copy_elements(self, target: Lvalue, source: Lvalue, t: CType, size: Term) -> None:
        """`size` bytes in elements of type `t`, where target and source do not overlap."""

    def move_elements(self, target: Lvalue, source: Lvalue, t: CType, size: Term) -> None:
        """The same where they may."""

    def byte_at(self, lvalue: Lvalue, offset: Term) -> Term: ...

    def ends_within(self, text: Lvalue, count: int) -> Term:
        """Whether a text ends within so many readable bytes, without a loop."""

    def set_byte(self, lvalue: Lvalue, offset: Term, value: Term) -> None: ...


class Heap(Protocol):
    def allocate(self, size: Term, *, counted: bool) -> Term:
        """The address of `size` new bytes; `counted` if they must be freed, else they live on the stack."""

    def allocate_many(self, count: Term, each: Term, fill: Callable[[Term, Term], None]) -> Term:
        """`calloc`: null where the product is no size; `fill` gets the address and the size of the block."""

    def allocated_size(self, address: Term) -> Term:
        """The size of the block that begins there."""

    def may_give_again(self) -> None:
        """From now on memory may lie where other memory has lain."""

    def free(self, address: Term) -> None:
        """Ends an object's life; freeing null does nothing."""


class Safety(Protocol):
    def check_block(self, address: Term, size: Term) -> None:
        """`size` bytes are accessed; none is fine wherever the address points."""

    def check_write(self, lvalue: Lvalue) -> None:
        """What lies there is written, so it is no string literal."""


class Unknowns(Protocol):
    def arbitrary(self, t: CType) -> Value:
        """A value of which nothing is known."""

    def input(self, name: str, t: CType) -> Value:
        """What a function that the program lacks returned: an input of the program."""


class Variables(Protocol):
    def variable(self, variable: Variable) -> Lvalue:
        """Where a variable stands."""

    def object_behind(self, pointer: Node) -> Object | None:
        """The array that is handed over as a whole, if that is what the pointer expression shows."""


class VariableArguments(Protocol):
    def cursor(self, node: Node) -> Lvalue:
        """The pointer inside a va_list."""


class Ending(Protocol):
    def at_exit(self) -> None:
        """The program ends by a call of `exit`."""


class Lowering(Protocol):
    """The lowering of the function that calls."""

    @property
    def context(self) -> Context: ...

    @property
    def function(self) -> Function: ...

    @property
    def builder(self) -> Builder: ...

    @property
    def memory(self) -> Memory: ...

    @property
    def expressions(self) -> Expressions: ...

    @property
    def conditions(self) -> Conditions: ...

    @property
    def access(self) -> Access: ...

    @property
    def bulk(self) -> Bulk: ...

    @property
    def heap(self) -> Heap: ...

    @property
    def safety(self) -> Safety: ...

    @property
    def unknowns(self) -> Unknowns: ...

    @property
    def variables(self) -> Variables: ...

    @property
    def variadic(self) -> VariableArguments: ...

    @property
    def ending(self) -> Ending: ...

    def unsupported(self, construct: str, node: Node) -> Unsupported:
        """To be raised where a construct has no translation."""
