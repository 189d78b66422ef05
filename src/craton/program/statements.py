"""What an edge of a control-flow automaton does.

A statement is a relation between states, where a state gives every variable a value:

- `Assume(c)` keeps the states in which `c` holds;
- `Assign(x, t)` sets `x` to the value of `t` (a store to memory is `Assign(mem, store(mem, a, v))`);
- `Havoc(xs)` sets the variables to arbitrary values;
- `Call(f, args, results)` runs a procedure: its parameters get the arguments, the results get its return values;
- `Return()` leaves the procedure; its return values are in the procedure's `returns` variables;
- `Block(edges)`, made only by large-block encoding, is a loop-free piece of program as one statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from craton.logic import Term

if TYPE_CHECKING:
    from craton.program.cfa import Edge, Location


@dataclass(frozen=True, slots=True)
class Input:
    """A value from outside: the result of a call to an external function such as `__VERIFIER_nondet_int`."""

    function: str
    type: str  # as C spells it

    def __str__(self) -> str:
        return f"{self.function}()"


@dataclass(frozen=True, slots=True)
class BitsOf:
    """The bit pattern of a float: an `Assume` after the havoc says `to_fp(bits) = value`. Concrete runs choose the
    pattern, since a NaN has many patterns and SMT-LIB has no function from floats to bits.
    """

    value: Term


@dataclass(frozen=True, slots=True)
class Fresh:
    """The address of new memory: `Assume`s after the havoc say where it may lie. Concrete runs choose addresses that
    they have not chosen before, `step` apart from `value` on.
    """

    value: Term
    step: int


Proposed = BitsOf | Fresh  # what concrete runs choose is made of a term


@dataclass(frozen=True, slots=True)
class Doubt:
    """Whether, and how, something is otherwise than the model has it, where its results depend on what C does not say,
    such as where objects lie. Zero is the model itself, and a run that needs anything else has mostly no equal in the
    compiled program; so those who look for errors may look for such with zeros first.
    """


@dataclass(frozen=True, slots=True)
class Assume:
    condition: Term

    def __str__(self) -> str:
        return f"assume {self.condition}"


@dataclass(frozen=True, slots=True)
class Assign:
    variable: Term
    value: Term

    def __str__(self) -> str:
        return f"{self.variable} := {self.value}"


@dataclass(frozen=True, slots=True)
class Havoc:
    """`source` is None if C leaves the value open (an uninitialised local, an unknown function's effect)."""

    variables: tuple[Term, ...]
    source: Input | Proposed | Doubt | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing says which value it is."""
        return self.source is None or isinstance(self.source, Doubt)

    def __str__(self) -> str:
        names = ", ".join(map(str, self.variables))
        if isinstance(self.source, BitsOf):
            return f"{names} := bits of {self.source.value}"
        return f"{names} := {self.source}" if isinstance(self.source, Input) else f"havoc {names}"


@dataclass(frozen=True, slots=True)
class Call:
    procedure: str
    arguments: tuple[Term, ...]
    results: tuple[Term, ...]

    def __str__(self) -> str:
        results = ", ".join(map(str, self.results))
        call = f"{self.procedure}({', '.join(map(str, self.arguments))})"
        return f"{results} := {call}" if results else call


@dataclass(frozen=True, slots=True)
class Return:
    def __str__(self) -> str:
        return "return"


@dataclass(frozen=True, slots=True)
class Block:
    """A loop-free piece of program as one statement.

    `edges` are in topological order; the block begins at the first one's source and ends at the last one's target, and
    every edge lies on a path between the two. Executing a block means executing some path through it: engines build one
    formula for all paths, refiners may look inside.

    What is chosen on an edge is named by the edge's number. Blocks that begin at the same place have `numbers` in
    common, so that they can be executed together; without any, edges are numbered as they stand.
    """

    edges: tuple[Edge, ...]
    numbers: tuple[int, ...] | None = None

    @property
    def numbered(self) -> Iterator[tuple[int, Edge]]:
        return zip(range(len(self.edges)) if self.numbers is None else self.numbers, self.edges, strict=True)

    @property
    def begin(self) -> Location:
        return self.edges[0].source

    @property
    def end(self) -> Location:
        return self.edges[-1].target

    def __str__(self) -> str:
        if len(self.edges) < 4:
            return "{ " + "; ".join(str(e.statement) for e in self.edges) + " }"
        return f"{{ {self.edges[0].statement}; … {len(self.edges)} edges }}"


Statement = Assume | Assign | Havoc | Call | Return | Block
