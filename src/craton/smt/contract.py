"""The Solver contract: what every backend does, in process or not.

A solver holds assertions in scopes and answers `check` with Sat (and a model), Unsat (and a core) or Undecided (and a
reason). It never raises because a question is hard, a limit is reached or a process died: that is Undecided. It does
raise when asked for what it cannot do (`MissingCapability`), which is a mistake of the caller. Solvers are not
thread-safe.
"""

from __future__ import annotations

import enum
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from craton.errors import CratonError, MissingCapability
from craton.logic import ops
from craton.logic.evaluation import Model
from craton.logic.ops import Theory
from craton.logic.semantics import Value
from craton.logic.sorts import BOOL, INT, REAL, Array, BitVec, Float, Sort
from craton.logic.terms import Term, ill_sorted

if TYPE_CHECKING:
    from craton.smt.querylog import QueryLog


class Capability(enum.Enum):
    """What a backend can do besides answering sat or unsat."""

    MODELS = "models"
    CORES = "cores"
    INTERPOLANTS = "interpolants"
    ELIMINATION = "elimination"


@dataclass(frozen=True, slots=True)
class Fragment:
    """The formulas a backend takes: theories, the float formats it is trusted with (None: all), and whether it may have
    constant arrays of arrays.
    """

    theories: frozenset[Theory]
    formats: frozenset[tuple[int, int]] | None = None
    nested_constant_arrays: bool = True
    wrong_in_tiny_formats: frozenset[ops.Op] = frozenset()  # operations that go wrong where exponents have two bits

    def require(self, solver: str, formula: Term, seen: set[Term]) -> None:
        """Raises MissingCapability for what is outside. `seen` remembers nodes that were found inside."""
        if formula.sort is not BOOL:
            raise ill_sorted("assert", "a Bool", (formula,))
        new: set[Term] = set()  # not yet in `seen`: an operation is inside only if all below it is
        stack = [formula]
        while stack:
            node = stack.pop()
            if node in seen or node in new:
                continue
            if node.op.theory not in self.theories:
                raise MissingCapability(_refusal(solver, node.op.theory, node.op.name))
            if node.op is ops.CONST_ARRAY and isinstance(node.args[0].sort, Array) and not self.nested_constant_arrays:
                raise MissingCapability(f"{solver} is not trusted with constant arrays of arrays; z3 is")
            if node.op in self.wrong_in_tiny_formats and any(_is_tiny(a.sort) for a in node.args):
                raise MissingCapability(f"{solver} is not trusted with {node.op.name} of floats of two exponent bits")
            # Leaves, applications and constant arrays bring sorts that no operation below them would show.
            if not node.args or node.op is ops.APPLY or node.op is ops.CONST_ARRAY or isinstance(node.sort, Float):
                self._require_sort(solver, node.sort)
            new.add(node)
            stack.extend(a for a in node.args if a not in seen)
        seen |= new

    def _require_sort(self, solver: str, sort: Sort) -> None:
        stack = [sort]
        while stack:
            part = stack.pop()
            if isinstance(part, Array):
                stack += (part.index, part.element)
            theory = _theory_of(part)
            if theory not in self.theories:
                raise MissingCapability(_refusal(solver, theory, part))
            if isinstance(part, Float) and self.formats is not None:
                if (part.exponent_bits, part.significand_bits) not in self.formats:
                    raise MissingCapability(f"{solver} is not trusted with floats of format {part}; z3 is")


def _is_tiny(sort: Sort) -> bool:
    return isinstance(sort, Float) and sort.exponent_bits == 2


def _theory_of(sort: Sort) -> Theory:
    if sort is BOOL:
        return Theory.CORE
    if isinstance(sort, BitVec):
        return Theory.BITVECTORS
    if isinstance(sort, Array):
        return Theory.ARRAYS
    return Theory.ARITHMETIC if sort in (INT, REAL) else Theory.FLOATS


# Formats that solvers built on SymFPU get right; some smaller ones are known to go wrong there (docs/solvers.md).
IEEE_FORMATS = frozenset(((5, 11), (8, 24), (11, 53), (15, 113)))


def _refusal(solver: str, theory: Theory, what: object) -> str:
    from craton.smt.registry import solvers_for

    return f"{solver} does not know {theory.value} ({what}); solvers that do: {', '.join(solvers_for(theory))}"


# --- answers ----------------------------------------------------------------------------------------------------------


class StaleAnswer(CratonError):
    """A model or core was asked for after the solver had gone on to something else."""


class Sat:
    """Satisfiable.

    The model is read from the solver when first asked for: before anything else is done with that solver.
    """

    __slots__ = ("_model", "_read", "_value")

    def __init__(self, read: Callable[[], Model], value: Callable[[Term], Value] | None = None) -> None:
        self._read = read
        self._value = value
        self._model: Model | None = None

    @property
    def model(self) -> Model:
        if self._model is None:
            self._model = self._read()
        return self._model

    def value(self, variable: Term) -> Value:
        """The value of one variable, without reading the whole model where the backend can do so."""
        if self._model is None and self._value is not None:
            return self._value(variable)
        return self.model[variable]

    def __repr__(self) -> str:
        return "Sat"


@dataclass(frozen=True, slots=True)
class Core:
    """Assertions (by name) and assumptions that are unsatisfiable together with the unnamed assertions."""

    names: tuple[str, ...]
    assumptions: tuple[Term, ...] = ()


class Unsat:
    """Unsatisfiable. The core is read when first asked for, like a model."""

    __slots__ = ("_core", "_read")

    def __init__(self, read: Callable[[], Core]) -> None:
        self._read = read
        self._core: Core | None = None

    @property
    def core(self) -> Core:
        if self._core is None:
            self._core = self._read()
        return self._core

    def __repr__(self) -> str:
        return "Unsat"


@dataclass(frozen=True, slots=True)
class Undecided:
    """No answer: the time ran out, the theory is incomplete, the process died."""

    reason: str


Answer = Sat | Unsat | Undecided


# --- the contract -----------------------------------------------------------------------------------------------------


class Solver(ABC):
    """Base of all backends. Backends implement the methods with an underscore; users call the others.

    `can` and `fragment` are declared by each backend; what a formula needs beyond them is refused when it is added.
    """

    name: str
    can: frozenset[Capability]
    fragment: Fragment

    def __init__(self, *, time_limit: float | None = None, log: QueryLog | None = None) -> None:
        self.time_limit = time_limit  # seconds a query, unless `check` says otherwise
        self.log = log
        self._scopes: list[list[tuple[str, Term]]] = [[]]
        self._names: dict[str, Term] = {}
        self._stamp = 0  # counts everything that makes earlier answers stale
        self._understood: set[Term] = set()

    # --- assertions ---

    def add(self, *formulas: Term, name: str | None = None) -> None:
        """Asserts formulas in the current scope.

        A name makes one formula part of unsat cores; it must be new in this solver.
        """
        self._stamp += 1
        if name is not None:
            self.need(Capability.CORES)
            if len(formulas) != 1:
                raise CratonError(f"one name, one assertion: {name!r} was given to {len(formulas)}")
            if name in self._names:
                raise CratonError(f"an assertion named {name!r} is there already")
        for formula in formulas:  # a refused formula leaves no trace
            self.fragment.require(self.name, formula, self._understood)
        for formula in formulas:
            self._assert(formula, name)
            self._scopes[-1].append((name or "", formula))
            if name is not None:
                self._names[name] = formula

    def push(self) -> None:
        """Opens a scope; prefer `with solver.scope():`."""
        self._stamp += 1
        self._scopes.append([])
        self._push()

    def pop(self) -> None:
        if len(self._scopes) == 1:
            raise CratonError("there is no scope to close")
        self._stamp += 1
        for name, _ in self._scopes.pop():
            self._names.pop(name, None)
        self._pop()

    def scope(self) -> Scope:
        """`with solver.scope(): …` – what is asserted inside is gone afterwards."""
        return Scope(self)

    @property
    def assertions(self) -> list[tuple[str, Term]]:
        """What is asserted now, as (name or "", formula)."""
        return [assertion for scope in self._scopes for assertion in scope]

    # --- questions ---

    def check(self, *assumptions: Term, time_limit: float | None = None) -> Answer:
        """Are the assertions, and the assumptions for this question only, satisfiable together?"""
        self._stamp += 1
        for assumption in assumptions:
            if assumption not in self._understood:
                self.fragment.require(self.name, assumption, self._understood)
        limit = self.time_limit if time_limit is None else time_limit
        if self.log is None:
            return self._check(assumptions, limit)
        start = time.perf_counter()
        answer = self._check(assumptions, limit)
        self.log.record(self, assumptions, answer, time.perf_counter() - start)
        return answer

    def is_valid(self, formula: Term, time_limit: float | None = None) -> bool | None:
        """Does the formula follow from the assertions? None if undecided."""
        from craton.logic.core import not_

        answer = self.check(not_(formula), time_limit=time_limit)
        return None if isinstance(answer, Undecided) else isinstance(answer, Unsat)

    def need(self, capability: Capability) -> None:
        """Raises unless the backend has the capability, and says who has it."""
        if capability not in self.can:
            from craton.smt.registry import solvers_that_can

            others = ", ".join(solvers_that_can(capability)) or "none"
            raise MissingCapability(f"{self.name} has no {capability.value}; solvers that do: {others}")

    def close(self) -> None:  # noqa: B027 – most backends hold nothing
        """Frees what the backend holds. The solver is not used afterwards."""

    def __enter__(self) -> Solver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{self.name} with {len(self.assertions)} assertions>"

    # --- for backends ---

    @abstractmethod
    def _assert(self, formula: Term, name: str | None) -> None: ...

    @abstractmethod
    def _push(self) -> None: ...

    @abstractmethod
    def _pop(self) -> None: ...

    @abstractmethod
    def _check(self, assumptions: Sequence[Term], limit: float | None) -> Answer: ...

    def _sat(self, read: Callable[[], Model], value: Callable[[Term], Value] | None = None) -> Sat:
        """A Sat whose model can be read as long as nothing else happened."""
        self_stamp = self._stamp

        def fetch_value(variable: Term) -> Value:
            self._still(self_stamp, "model")
            assert value is not None
            return value(variable)

        def fetch() -> Model:
            self.need(Capability.MODELS)
            self._still(self_stamp, "model")
            return read()

        return Sat(fetch, None if value is None else fetch_value)

    def _unsat(self, read: Callable[[], Core]) -> Unsat:
        self_stamp = self._stamp

        def fetch() -> Core:
            self.need(Capability.CORES)
            self._still(self_stamp, "core")
            return read()

        return Unsat(fetch)

    def _still(self, stamp: int, what: str) -> None:
        if stamp != self._stamp:
            raise StaleAnswer(f"the {what} belongs to an earlier check: read it before using the solver again")


class Scope:
    """Closes the scope it opened, also when an error passes through."""

    __slots__ = ("_solver",)

    def __init__(self, solver: Solver) -> None:
        self._solver = solver

    def __enter__(self) -> None:
        self._solver.push()

    def __exit__(self, *_: object) -> None:
        self._solver.pop()


def conjunction_is_unsat(solver: Solver, formulas: Iterable[Term], time_limit: float | None = None) -> bool | None:
    """Is this set of formulas contradictory by itself? None if undecided.

    The solver must be empty, and is so afterwards.
    """
    with solver.scope():
        solver.add(*formulas)
        answer = solver.check(time_limit=time_limit)
    return None if isinstance(answer, Undecided) else isinstance(answer, Unsat)
