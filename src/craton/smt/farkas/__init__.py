"""Interpolation by Farkas's lemma: linear constraints that contradict each other have a combination that says so, and
the parts of its sum along a sequence are the interpolants.

Reading order: `forms` (linear forms over atoms), `contents` (formulas as constraints and choices), `equations` and
`simplex` (an exact rational solver that answers with multipliers), `interpolation` (sums, and the cases of choices).
"""

from craton.smt.farkas.interpolation import interpolants

__all__ = ["interpolants"]
