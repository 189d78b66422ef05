"""Truth tables behind the contract of solvers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from craton.logic import BOOL, BitVec, Term, ops, post_order
from craton.logic.ops import Theory
from craton.logic.walk import is_quantified
from craton.processes.running_time import running_time
from craton.smt.contract import Fragment
from craton.smt.contradictions import ContradictionSolver
from craton.smt.tables.cases import Cases, bits_of
from craton.smt.tables.gates import Bits, Gates

NAME = "truth-tables"
MOST_PARTS = 8_000  # of formulas: each is computed in Python
MOST_BITS = 22  # of all inputs: four million cases
_AT_ONCE = 14  # bits: of so many cases a column fits into the processor's nearest memory


class TableSolver(ContradictionSolver):
    """Shows that formulas whose variables have few values contradict each other, or does not know."""

    name = NAME
    means = "truth tables"
    most_parts = MOST_PARTS
    fragment = Fragment(frozenset((Theory.CORE, Theory.BITVECTORS)))

    def _problem(self, formulas: Sequence[Term], parts: Sequence[Term], limit: float | None) -> str | None:
        if any(map(is_quantified, formulas)):
            return "truth tables know no quantifiers"
        cases = Cases.of(formulas)
        if cases.bits > MOST_BITS:
            return f"there are more than 2^{MOST_BITS} cases"
        table = _Table(cases, None if limit is None else running_time() + limit)
        return None if table.is_false() else table.problem


class _Table:
    def __init__(self, cases: Cases, deadline: float | None) -> None:
        self.cases = cases
        self.deadline = deadline
        self.problem = ""
        self.nodes = list(post_order(*cases.formulas))
        self.uses = Counter(arg for node in self.nodes for arg in node.args) + Counter(cases.formulas)
        self.columns = min(cases.bits, _AT_ONCE)
        self.gates = Gates(1 << self.columns)

    def is_false(self) -> bool:
        """In all cases; some at once, one lot after the other."""
        unknown = [node.op.name for node in self.nodes if not self._is_known(node)]
        if unknown:
            self.problem = f"truth tables do not know {unknown[0]}"
            return False
        alternating = [self._alternating(place) for place in range(self.columns)]
        for lot in range(1 << (self.cases.bits - self.columns)):
            fixed = self.gates.constant(lot, self.cases.bits - self.columns)
            holds = self._where(self._inputs([*alternating, *fixed]))
            if holds is None:
                self.problem = "out of time"
                return False
            if holds:
                self.problem = "not false in all cases that were looked at"
                return False
        return True

    def _is_known(self, node: Term) -> bool:
        is_plain = node.sort is BOOL or isinstance(node.sort, BitVec)
        return is_plain and (node.op in (ops.VALUE, ops.VARIABLE) or self.gates.knows(node.op))

    def _alternating(self, place: int) -> int:
        """Which of the cases have a one at that place of their number."""
        period = 1 << place
        rows = ((1 << period) - 1) << period
        while 2 * period < 1 << self.columns:
            period *= 2
            rows |= rows << period
        return rows

    def _inputs(self, bits: Sequence[int]) -> dict[Term, Bits]:
        found: dict[Term, Bits] = {}
        for one in self.cases.inputs:
            own, bits = tuple(bits[: one.bits]), bits[one.bits :]
            width = bits_of(one.variable)
            above = own + (0,) * (width - one.bits)
            low = self.gates.constant(one.low, width)
            found[one.variable] = self.gates.computed(ops.BVADD, (), (above, low)) if one.low else above
        return found

    def _where(self, inputs: Mapping[Term, Bits]) -> int | None:
        """In which cases all formulas hold; None if there is no time."""
        uses, values = Counter(self.uses), dict[Term, Bits]()
        for node in self.nodes:
            if self.deadline is not None and running_time() > self.deadline:
                return None
            if node.op is ops.VARIABLE:
                values[node] = inputs[node]
            elif node.op is ops.VALUE:
                values[node] = self.gates.constant(int(node.payload), bits_of(node))
            else:
                args = [values[arg] for arg in node.args]
                values[node] = self.gates.computed(node.op, node.payload, args)
            for arg in node.args:  # columns are long: each is dropped when no longer needed
                uses[arg] -= 1
                if not uses[arg]:
                    del values[arg]
        holds = self.gates.every
        for formula in self.cases.formulas:
            holds &= values[formula][0]
        return holds
