"""bitwuzla in process: bit-vectors, floats, arrays and functions over them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, ClassVar

import bitwuzla
from bitwuzla import Option, Result

from craton.errors import MissingCapability
from craton.logic.evaluation import evaluate, zero
from craton.logic.ops import Theory
from craton.logic.semantics import Value
from craton.logic.terms import Term
from craton.processes.running_time import counts_work, running_time
from craton.smt.bitwuzla.terms import Reader, Writer, is_expressible
from craton.smt.contract import IEEE_FORMATS, Answer, Capability, Core, Fragment, Solver, Undecided
from craton.smt.querylog import QueryLog
from craton.smt.translation import model_by_values


class Shared:
    """The one term manager of this process, and the terms translated so far."""

    _instance: ClassVar[Shared | None] = None

    def __init__(self) -> None:
        self.manager = bitwuzla.TermManager()
        self.writer = Writer(self.manager)
        self.reader = Reader()

    @classmethod
    def get(cls) -> Shared:
        if cls._instance is None:
            cls._instance = Shared()
        return cls._instance


def new_bitwuzla(*options: tuple[Option, Any]) -> Any:
    chosen = bitwuzla.Options()
    for option, setting in options:
        chosen.set(option, setting)
    return bitwuzla.Bitwuzla(Shared.get().manager, chosen)


_POLLS_A_SECOND = 1000
_BETWEEN_LOOKS = 0.005  # seconds


class Deadline:
    """Tells bitwuzla, which polls it from time to time, when to give up. Where work is counted, polls are.

    It may poll 60,000 times a second, and our clock asks the system for more than the time: so a cheap one, which is
    never slower, says when to look at it again.
    """

    __slots__ = ("at", "looked", "polls")

    def __init__(self) -> None:
        self.at = float("inf")
        self.polls = 0
        self.looked = 0.0

    def set(self, limit: float | None) -> None:
        self.polls = 0
        self.looked = 0.0
        self.at = float("inf") if limit is None else self._now + limit

    def __call__(self) -> bool:
        self.polls += 1
        wall = time.monotonic()
        if not counts_work() and wall - self.looked < _BETWEEN_LOOKS:
            return False
        self.looked = wall
        return self.is_over

    @property
    def is_over(self) -> bool:
        return self._now > self.at

    @property
    def _now(self) -> float:
        return self.polls / _POLLS_A_SECOND if counts_work() else running_time()


class BitwuzlaSolver(Solver):
    name = "bitwuzla"
    can = frozenset((Capability.MODELS, Capability.CORES, Capability.INTERPOLANTS))
    fragment = Fragment(
        frozenset((Theory.CORE, Theory.UF, Theory.QUANTIFIERS, Theory.BITVECTORS, Theory.FLOATS, Theory.ARRAYS)),
        IEEE_FORMATS,
    )

    def __init__(self, *, time_limit: float | None = None, log: QueryLog | None = None, seed: int = 0) -> None:
        super().__init__(time_limit=time_limit, log=log)
        shared = Shared.get()
        self._writer, self._reader = shared.writer, shared.reader
        self._solver = new_bitwuzla(
            (Option.PRODUCE_MODELS, True), (Option.PRODUCE_UNSAT_ASSUMPTIONS, True), (Option.SEED, seed or 27644437)
        )
        self._deadline = Deadline()
        self._solver.configure_terminator(self._deadline)
        self._trackers: dict[str, Any] = {}  # constants that imply named assertions, and are assumed in every check

    def _assert(self, formula: Term, name: str | None) -> None:
        try:
            node = self._writer.write(formula)
            if name is not None:
                manager = self._writer.manager
                tracker = self._trackers[name] = manager.mk_const(manager.mk_bool_sort(), f"assertion {name}")
                node = manager.mk_term(bitwuzla.Kind.IMPLIES, [tracker, node])
            self._solver.assert_formula(node)
        except bitwuzla.BitwuzlaException as error:
            raise MissingCapability(f"bitwuzla cannot take this formula: {error}") from error

    def _push(self) -> None:
        self._solver.push()

    def _pop(self) -> None:
        self._solver.pop()
        if self._trackers:
            self._trackers = {name: tracker for name, tracker in self._trackers.items() if name in self._names}

    def _check(self, assumptions: Sequence[Term], limit: float | None) -> Answer:
        try:
            nodes = [self._writer.write(a) for a in assumptions]
        except bitwuzla.BitwuzlaException as error:
            raise MissingCapability(f"bitwuzla cannot take this formula: {error}") from error
        self._deadline.set(limit)
        try:
            result = self._solver.check_sat(*self._trackers.values(), *nodes)
        except bitwuzla.BitwuzlaException as error:
            return Undecided(f"bitwuzla: {error}")
        if result == Result.SAT:
            formulas = [*(f for _, f in self.assertions), *assumptions]
            return self._sat(lambda: model_by_values(formulas, self._value), self._value)
        if result == Result.UNSAT:
            return self._unsat(lambda: self._core(nodes, assumptions))
        return Undecided("bitwuzla: timeout" if self._deadline.is_over else "bitwuzla: unknown")

    def _core(self, nodes: Sequence[Any], assumptions: Sequence[Term]) -> Core:
        chosen = set(self._solver.get_unsat_assumptions())
        return Core(
            names=tuple(name for name, tracker in self._trackers.items() if tracker in chosen),
            assumptions=tuple(a for a, node in zip(assumptions, nodes, strict=True) if node in chosen),
        )

    def _value(self, term: Term) -> Value:
        if not is_expressible(term.sort):  # of numbers without bounds no assertion speaks
            return zero(term.sort)
        return evaluate(self._reader.read(self._solver.get_value(self._writer.write(term))), {})
