"""Refinement expressions: `until-perfect(newton(it, sp), craig(bitwuzla))`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from craton.registry import Entry, Group, Registry

if TYPE_CHECKING:
    from craton.traces.refutation import Refiner

_ENTRIES = (
    Entry("newton", "craton.traces.newton:Newton"),
    Entry("craig", "craton.traces.craig:Craig"),
    Entry("values", "craton.traces.values:ExplicitValues"),
    Entry("lean", "craton.traces.lean:Lean"),
    Entry("simplified", "craton.traces.simplified:Simplified"),
    Entry("sliced", "craton.traces.prefixes:Sliced"),
    Entry("lattice", "craton.traces.lattice:Lattice"),
    Entry("fallback", "craton.traces.compose:Fallback"),
    Entry("until-perfect", "craton.traces.compose:UntilPerfect"),
    Entry("until-proving", "craton.traces.compose:UntilProving"),
    Entry("until-inductive", "craton.traces.compose:UntilInductive"),
    Entry("race", "craton.traces.compose:Race"),
    Entry("memo", "craton.traces.compose:Memo"),
    Entry("checked", "craton.traces.checked:Checked"),
)

# Ours, not the papers': cores of conjuncts or halves of equations, made smaller.
_SP = "newton(core=conjunct, minimise=1, sp, lv)"
_WP = "newton(core=conjunct, minimise=1, wp, lv)"
_LATE = "newton(core=conjunct, minimise=1, wp, lv, late)"
_HALF = "newton(core=half, minimise=1, {}, lv)"
_QUICK = "newton(core=half, minimise=0.03, wp, lv, late)"
_FARKAS = "craig(farkas, core=half, minimise=1)"
_CRAIG = "craig(z3, core=conjunct, minimise=1, time=2)"

PRESETS: dict[str, str] = {
    # What is quick comes first: the solver's own core costs nothing, and sequences over it prove as many path programs
    # as others (`python -m bench traces`). Equations before halves of them, which know less: x = 0 is even, x ≤ 0 need
    # not be. Spacer takes a second or two, often has no answer, and is inductive where others are: it is asked when all
    # others have given up.
    "default": f"fallback(until-inductive(newton(it, sp, lv), {_QUICK}), {_FARKAS}, {_CRAIG})",
    "perfect": f"until-perfect({_SP}, {_WP}, {_HALF.format('sp')}, {_CRAIG})",
    "it-sp-lv": "newton(it, sp, lv)",
    "it-wp-lv": "newton(it, wp, lv)",
    "newton-or-craig": "fallback(newton(it, sp, lv), craig(z3))",
    "bits": f"until-proving({_SP}, {_CRAIG}, craig(bitwuzla, core=conjunct, minimise=1, time=2))",
}

REFINERS: Registry[Refiner] = Registry(
    "refiner",
    {entry.name: entry for entry in _ENTRIES},
    PRESETS,
    Group("craton.refiners", "craton.traces.refutation:Refiner"),
)


def refiner(expression: str) -> Refiner:
    """The refiner for an expression or the name of a preset."""
    return REFINERS.read(expression)
