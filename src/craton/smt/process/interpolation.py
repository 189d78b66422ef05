"""Interpolants from processes, using each solver's own commands (`presets.Interpolation`)."""

from __future__ import annotations

from collections.abc import Sequence

from craton.errors import CratonError, SmtLibError
from craton.logic.smtlib import quoted
from craton.logic.terms import Term
from craton.processes.running_time import running_time
from craton.smt import sexpr
from craton.smt.contract import Sat, Undecided
from craton.smt.interpolation import Interpolants, Satisfiable
from craton.smt.process.presets import Interpolation, Preset
from craton.smt.process.solver import ProcessSolver
from craton.smt.reading import parse_formula


def interpolants(preset: Preset, formulas: Sequence[Term], time_limit: float | None) -> Interpolants:
    """I[1] … I[n-1] for F[1] … F[n]."""
    deadline = float("inf") if time_limit is None else running_time() + time_limit
    solver = _InterpolatingProcess(preset)
    try:
        solver.add(*formulas)
        answer = solver.check(time_limit=time_limit)
        if isinstance(answer, Undecided):
            return answer
        if isinstance(answer, Sat):
            return Satisfiable()
        return tuple(solver.interpolants(deadline))
    except CratonError as error:
        return Undecided(str(error))
    finally:
        solver.close()


class _InterpolatingProcess(ProcessSolver):
    """Labels all assertions, as the solver's interpolation command requires."""

    def __init__(self, preset: Preset) -> None:
        super().__init__(preset)
        self._parts: list[str] = []

    def _options(self) -> list[str]:
        return ["(set-option :produce-interpolants true)"]

    def _assert(self, formula: Term, name: str | None) -> None:
        self._parts.append(self._fresh("part!"))
        self._tell(self._assertion(formula, self._parts[-1], self._script))

    def _labelled(self, text: str, label: str) -> str:
        keyword = ":interpolation-group" if self.preset.interpolation is Interpolation.GROUPS else ":named"
        return f"(! {text} {keyword} {quoted(label)})"

    def interpolants(self, deadline: float) -> list[Term]:
        parts = [quoted(part) for part in self._parts]
        cuts = range(1, len(parts))
        if self.preset.interpolation is Interpolation.GROUPS:
            replies = [self._later(f"(get-interpolant ({' '.join(parts[:cut])}))", deadline) for cut in cuts]
        elif cuts:
            reply = self._later(f"(get-interpolants {' '.join(parts)})", deadline)
            if not isinstance(reply, list) or len(reply) != len(cuts):
                raise CratonError(f"{self.name} did not answer with one interpolant for each cut")
            replies = reply
        else:
            replies = []
        return [self._read(reply) for reply in replies]

    def _read(self, reply: sexpr.Sexpr) -> Term:
        text = sexpr.write(reply).replace("( _ nat2bv ", "( _ int2bv ")  # SMTInterpol's older name
        try:
            return parse_formula(text, symbols=self._symbols)
        except SmtLibError as error:
            raise SmtLibError(f"{self.name} gave an interpolant that cannot be read: {error}") from error
