"""Views: a bit-precise program as one over integers and reals, which engines run on, and the way back.

Reading order: `bits` and `reals` (what operations do to numbers), `signs` (which variables are signed), `terms`
(translation of terms), `program` (the pass), `to_bits` (invariants as formulas over bits), `view` (the result and its
law).
"""

from craton.views.program import ideal_view, integer_view, real_view
from craton.views.view import View

__all__ = ["View", "ideal_view", "integer_view", "real_view"]
