"""Interpolants from processes: by `get-interpolants` over named assertions, or by MathSAT's interpolation groups."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from craton.errors import CratonError
from craton.logic.smtlib import Symbols
from craton.logic.terms import Term
from craton.smt import sexpr
from craton.smt.contract import Capability, Sat, Undecided
from craton.smt.interpolation import Interpolants, Satisfiable
from craton.smt.process.presets import Preset
from craton.smt.process.solver import ProcessSolver, complaint
from craton.smt.process.transport import Trouble
from craton.smt.reading import parse_formula


def interpolants(preset: Preset, formulas: Sequence[Term], time_limit: float | None) -> Interpolants:
    """By `get-interpolants` over named assertions, or MathSAT's interpolation groups."""
    deadline = float("inf") if time_limit is None else time.monotonic() + time_limit
    groups = [f"part{i + 1}" for i in range(len(formulas))]
    solver = _InterpolatingProcess(replace(preset, can=preset.can - {Capability.MODELS, Capability.CORES}), groups)
    try:
        for formula in formulas:
            solver.add(formula)
        answer = solver.check(time_limit=time_limit)
        if isinstance(answer, Undecided):
            return answer
        if isinstance(answer, Sat):
            return Satisfiable()
        if len(formulas) == 1:
            return ()
        return tuple(parse_formula(text, symbols=solver.symbols) for text in solver.ask_interpolants(deadline))
    except (Trouble, CratonError, ValueError) as error:
        return Undecided(f"{preset.name}: {error}")
    finally:
        solver.close()


class _InterpolatingProcess(ProcessSolver):
    """Labels assertions as the solver's interpolation command wants them."""

    def __init__(self, preset: Preset, groups: Sequence[str]) -> None:
        super().__init__(preset)
        self._groups = groups

    @property
    def symbols(self) -> Symbols:
        return self._symbols

    def _prepare(self, assumptions: Sequence[Term]) -> None:
        super()._prepare(assumptions)
        position = next(i for i, line in enumerate(self._unsent) if line.startswith("(set-logic"))
        self._unsent[position:position] = self.preset.options
        keyword = ":interpolation-group" if self.preset.interpolation == "interpolation-group" else ":named"
        groups = iter(self._groups)
        self._unsent = [
            f"(assert (! {line[len('(assert ') : -1]} {keyword} {next(groups)}))"
            if line.startswith("(assert ")
            else line
            for line in self._unsent
        ]

    def ask_interpolants(self, deadline: float) -> list[str]:
        if self.preset.interpolation == "interpolation-group":
            prefixes = [self._groups[: i + 1] for i in range(len(self._groups) - 1)]
            return [self._checked(self._ask(f"(get-interpolant ({' '.join(p)}))", deadline)) for p in prefixes]
        reply = sexpr.parse(self._checked(self._ask(f"(get-interpolants {' '.join(self._groups)})", deadline)))
        if not isinstance(reply, list) or len(reply) != len(self._groups) - 1:
            raise Trouble("it did not answer with one interpolant for each cut")
        return [sexpr.write(part) for part in reply]

    @staticmethod
    def _checked(reply: str) -> str:
        if reply.startswith("(error"):
            raise Trouble(complaint(reply))
        return reply
