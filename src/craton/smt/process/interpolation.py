"""Interpolants from processes, using each solver's own commands (`presets.Interpolation`)."""

from __future__ import annotations

from collections.abc import Sequence

from craton.errors import CratonError, SmtLibError
from craton.logic import ops
from craton.logic.arrays import select
from craton.logic.build import rebuild
from craton.logic.core import eq, forall, implies, not_, or_
from craton.logic.smtlib import Symbols, quoted
from craton.logic.sorts import Array, Function
from craton.logic.terms import Term, var
from craton.logic.walk import fold, post_order
from craton.processes.running_time import time_for_others
from craton.smt import sexpr
from craton.smt.contract import Sat, Undecided
from craton.smt.interpolation import Interpolants, Satisfiable
from craton.smt.process.presets import Interpolation, Preset
from craton.smt.process.solver import ProcessSolver
from craton.smt.reading import declared, parse_formula, parse_script


def interpolants(preset: Preset, formulas: Sequence[Term], time_limit: float | None) -> Interpolants:
    """I[1] … I[n-1] for F[1] … F[n]."""
    deadline = float("inf") if time_limit is None else time_for_others() + time_limit
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
            return read_with_differences(text, self._symbols)
        except SmtLibError as error:
            raise SmtLibError(f"{self.name} gave an interpolant that cannot be read: {error}") from error


# --- SMTInterpol's @diff ----------------------------------------------------------------------------------------------

_DIFF = "@diff"


def read_with_differences(text: str, symbols: Symbols) -> Term:
    """A formula in which `(@diff a b)` is an index at which the arrays a and b differ, if they do.

    Our formulas have no such function: I(@diff(a, b)) becomes ∀d. (a = b ∨ a[d] ≠ b[d]) ⇒ I(d). This keeps the law of
    sequences: an interpolation procedure knows nothing else of the index, so what it says holds for any.
    """
    if _DIFF not in text:
        return parse_formula(text, symbols=symbols)
    problem: SmtLibError | None = None
    for sort in _array_sorts(symbols):
        diff = Function(_DIFF, (sort, sort), sort.index)
        lines = [*declared(symbols), f"(declare-fun {_DIFF} ({sort} {sort}) {sort.index})", f"(assert {text})"]
        try:
            (parsed,) = parse_script("\n".join(lines), {**symbols.meaning, _DIFF: diff})
            return _without_differences(parsed)
        except SmtLibError as error:
            problem = error
    raise problem or SmtLibError("it speaks of arrays, and there are none")


def _array_sorts(symbols: Symbols) -> list[Array]:
    found: dict[Array, None] = {}
    for item in symbols.meaning.values():
        sort = item.sort if isinstance(item, Term) else item.result
        while isinstance(sort, Array):
            found[sort] = None
            sort = sort.element
    return list(found)


def _without_differences(formula: Term) -> Term:
    """The outermost come first, so that an index is quantified inside of those that it depends on."""
    while True:
        differences = [t for t in post_order(formula) if t.op is ops.APPLY and t.payload.name == _DIFF]
        if not differences:
            return formula
        found = differences[-1]
        index = var(f"{_DIFF} {found.serial}", found.sort)
        a, b = found.args
        differ = or_(eq(a, b), not_(eq(select(a, index), select(b, index))))
        formula = forall([index], implies(differ, _replaced(formula, found, index)))


def _replaced(formula: Term, part: Term, by: Term) -> Term:
    def visit(node: Term, args: list[Term]) -> Term:
        if node is part:
            return by
        return rebuild(node, args) if args else node

    return fold(formula, visit)
