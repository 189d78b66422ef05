"""cvc5 in process: supports every theory; mostly used for second opinions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import cvc5

from craton.errors import MissingCapability
from craton.logic.evaluation import Model, evaluate
from craton.logic.ops import Theory
from craton.logic.semantics import Value
from craton.logic.terms import Term
from craton.processes.running_time import counts_work
from craton.smt.contract import Answer, Capability, Core, Fragment, Solver, Undecided
from craton.smt.cvc5.terms import Reader, Writer
from craton.smt.querylog import QueryLog
from craton.smt.translation import model_by_values


class Shared:
    """The one term manager of this process, and the terms translated so far."""

    _instance: ClassVar[Shared | None] = None

    def __init__(self) -> None:
        self.manager = cvc5.TermManager()
        self.writer = Writer(self.manager)
        self.reader = Reader()

    @classmethod
    def get(cls) -> Shared:
        if cls._instance is None:
            cls._instance = Shared()
        return cls._instance


def new_cvc5(**options: str) -> Any:
    solver = cvc5.Solver(Shared.get().manager)
    for name, setting in options.items():
        solver.setOption(name.replace("_", "-"), setting)
    solver.setLogic("ALL")
    return solver


RESOURCES_A_SECOND = 300_000  # of cvc5's units, about


class Cvc5Solver(Solver):
    name = "cvc5"
    can = frozenset(Capability)
    # cvc5 refuses other formats unless its experimental float solver is switched on.
    fragment = Fragment(frozenset(Theory), frozenset(((8, 24), (11, 53))), nested_constant_arrays=False)

    def __init__(
        self,
        *,
        time_limit: float | None = None,
        log: QueryLog | None = None,
        seed: int = 0,
        bits_as_integers: bool = False,
    ) -> None:
        """`bits_as_integers`: solve bit-vectors by integer arithmetic; better for sums and bounds of wide ones."""
        super().__init__(time_limit=time_limit, log=log)
        shared = Shared.get()
        self._writer, self._reader = shared.writer, shared.reader
        self._solver = new_cvc5(
            incremental="true",
            produce_models="true",
            produce_unsat_assumptions="true",
            seed=str(seed),
            # Without it cvc5 refuses constant arrays next to writes.
            arrays_exp="true",
            solve_bv_as_int="sum" if bits_as_integers else "off",
        )
        self._limit = 0
        self._trackers: dict[str, Any] = {}  # constants that imply named assertions, and are assumed in every check

    def _assert(self, formula: Term, name: str | None) -> None:
        try:
            node = self._writer.write(formula)
            if name is not None:
                manager = self._writer.manager
                tracker = self._trackers[name] = manager.mkConst(manager.getBooleanSort(), f"assertion {name}")
                node = manager.mkTerm(cvc5.Kind.IMPLIES, tracker, node)
            self._solver.assertFormula(node)
        except RuntimeError as error:
            raise MissingCapability(f"cvc5 cannot take this formula: {error}") from error

    def _push(self) -> None:
        self._solver.push()

    def _pop(self) -> None:
        self._solver.pop()
        if self._trackers:
            self._trackers = {name: tracker for name, tracker in self._trackers.items() if name in self._names}

    def _check(self, assumptions: Sequence[Term], limit: float | None) -> Answer:
        try:
            nodes = [self._writer.write(a) for a in assumptions]
        except RuntimeError as error:
            raise MissingCapability(f"cvc5 cannot take this formula: {error}") from error
        milliseconds = 0 if limit is None else max(1, int(limit * 1000))
        try:
            if milliseconds != self._limit:
                if counts_work():
                    self._solver.setOption("rlimit-per", str(milliseconds * RESOURCES_A_SECOND // 1000))
                else:
                    self._solver.setOption("tlimit-per", str(milliseconds))
                self._limit = milliseconds
            assumed = [*self._trackers.values(), *nodes]
            result = self._solver.checkSatAssuming(*assumed) if assumed else self._solver.checkSat()
        except RuntimeError as error:
            return Undecided(f"cvc5: {error}")
        if result.isSat():
            return self._sat(lambda: self._model(assumptions))
        if result.isUnsat():
            return self._unsat(lambda: self._core(nodes, assumptions))
        return Undecided(f"cvc5: {str(result.getUnknownExplanation()).removeprefix('UnknownExplanation.').lower()}")

    def _core(self, nodes: Sequence[Any], assumptions: Sequence[Term]) -> Core:
        chosen = set(self._solver.getUnsatAssumptions()) if nodes or self._trackers else set()
        return Core(
            names=tuple(name for name, tracker in self._trackers.items() if tracker in chosen),
            assumptions=tuple(a for a, node in zip(assumptions, nodes, strict=True) if node in chosen),
        )

    def _model(self, assumptions: Sequence[Term]) -> Model:
        return model_by_values([*(formula for _, formula in self.assertions), *assumptions], self._value)

    def _value(self, term: Term) -> Value:
        try:
            found = self._solver.getValue(self._writer.write(term))
        except RuntimeError as error:  # sometimes it only notices now that it cannot build a model
            raise MissingCapability(f"cvc5 has no model: {error}") from error
        return evaluate(self._reader.read(found), {})
