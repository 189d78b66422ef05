"""The Solver contract: what every backend does, in process or not.

A solver holds assertions in scopes and answers `check` with Sat (and a model), Unsat (and a core) or Undecided (and a
reason). It never raises because a query is hard, a limit is reached or a process died: that is Undecided. It raises
`MissingCapability` if asked for something it cannot do, which is the caller's mistake. Solvers are not thread-safe.
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
from craton.processes.running_time import asked, differs_from_wall

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
    """The formulas a backend accepts: theories, the float formats it is trusted with (None: all), and whether it is
    trusted with constant arrays of arrays.
    """

    theories: frozenset[Theory]
    formats: frozenset[tuple[int, int]] | None = None
    nested_constant_arrays: bool = True
    wrong_in_tiny_formats: frozenset[ops.Op] = frozenset()  # operations with bugs for two-bit exponents

    def require(self, solver: str, formula: Term, seen: set[Term]) -> None:
        """Raises MissingCapability if the formula is outside. `seen` caches nodes that are known to be inside."""
        if formula.sort is not BOOL:
            raise ill_sorted("assert", "a Bool", (formula,))
        if formula in seen:
            return
        new: set[Term] = set()  # not yet in `seen`: a node is inside only if everything below it is
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
            # Leaves, applications and constant arrays may have sorts that do not occur below them.
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


# What is known to be inside a fragment, for all solvers of this process: many are made, for formulas that share much.
_inside: dict[Fragment, set[Term]] = {}


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


# Formats that solvers built on SymFPU handle correctly; some smaller ones are known to be buggy (docs/solvers.md).
IEEE_FORMATS = frozenset(((5, 11), (8, 24), (11, 53), (15, 113)))


def _refusal(solver: str, theory: Theory, what: object) -> str:
    from craton.smt.registry import solvers_for

    return f"{solver} does not know {theory.value} ({what}); solvers that do: {', '.join(solvers_for(theory))}"


# --- answers ----------------------------------------------------------------------------------------------------------


class StaleAnswer(CratonError):
    """A model or core was requested after the solver had been used for something else."""


class Sat:
    """Satisfiable.

    The model is read from the solver on first access, which must come before any other use of that solver.
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
        """The value of one variable; does not read the whole model if the backend can avoid it."""
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
    """Unsatisfiable. The core is read on first access, like a model."""

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

    Each backend declares `can` and `fragment`; formulas that need more are refused when they are added.
    """

    name: str
    can: frozenset[Capability]
    fragment: Fragment

    def __init__(self, *, time_limit: float | None = None, log: QueryLog | None = None) -> None:
        self.time_limit = time_limit  # seconds per query, unless `check` sets another limit
        self.log = log
        self._scopes: list[list[tuple[str, Term]]] = [[]]
        self._names: dict[str, Term] = {}
        self._stamp = 0  # counts everything that makes earlier answers stale
        self._understood = _inside.setdefault(self.fragment, set())

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
        for formula in formulas:  # a refused formula has no effect
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
        """`with solver.scope(): …` – assertions made inside are retracted afterwards."""
        return Scope(self)

    @property
    def assertions(self) -> list[tuple[str, Term]]:
        """The current assertions, as (name or "", formula)."""
        return [assertion for scope in self._scopes for assertion in scope]

    # --- questions ---

    def check(self, *assumptions: Term, time_limit: float | None = None) -> Answer:
        """Are the assertions satisfiable together with the assumptions, which count for this query only?"""
        self._stamp += 1
        for assumption in assumptions:
            if assumption not in self._understood or assumption.sort is not BOOL:
                self.fragment.require(self.name, assumption, self._understood)
        limit = self.time_limit if time_limit is None else time_limit
        if self.log is None:
            return self._asked(assumptions, limit)
        start = time.perf_counter()
        answer = self._asked(assumptions, limit)
        self.log.record(self, assumptions, answer, time.perf_counter() - start)
        return answer

    def _asked(self, assumptions: Sequence[Term], limit: float | None) -> Answer:
        if not differs_from_wall():
            return self._check(assumptions, limit)
        return asked(lambda left: self._check(assumptions, left), limit, lambda found: not isinstance(found, Undecided))

    def is_valid(self, formula: Term, time_limit: float | None = None) -> bool | None:
        """Does the formula follow from the assertions? None if undecided."""
        from craton.logic.core import not_

        answer = self.check(not_(formula), time_limit=time_limit)
        return None if isinstance(answer, Undecided) else isinstance(answer, Unsat)

    def need(self, capability: Capability) -> None:
        """Raises unless the backend has the capability; the message names solvers that do."""
        if capability not in self.can:
            from craton.smt.registry import solvers_that_can

            others = ", ".join(solvers_that_can(capability)) or "none"
            raise MissingCapability(f"{self.name} has no {capability.value}; solvers that do: {others}")

    def close(self) -> None:  # noqa: B027 – most backends hold nothing
        """Frees the backend's resources. The solver must not be used afterwards."""

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
        """A Sat whose model can be read until the solver is used again."""
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
    """Closes the scope it opened, also after an exception."""

    __slots__ = ("_solver",)

    def __init__(self, solver: Solver) -> None:
        self._solver = solver

    def __enter__(self) -> None:
        self._solver.push()

    def __exit__(self, *_: object) -> None:
        self._solver.pop()


def conjunction_is_unsat(solver: Solver, formulas: Iterable[Term], time_limit: float | None = None) -> bool | None:
    """Is this set of formulas contradictory by itself? None if undecided.

    The solver must be empty, and is empty afterwards.
    """
    with solver.scope():
        solver.add(*formulas)
        answer = solver.check(time_limit=time_limit)
    return None if isinstance(answer, Undecided) else isinstance(answer, Unsat)
