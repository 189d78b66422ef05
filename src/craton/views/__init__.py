"""Views: a bit-precise program translated to integers and reals for engines to run on, and the translation back.

Reading order: `bits` and `arithmetic` (bit-vectors as integers), `operations` (the arithmetic of each operation),
`reals` and `conversions` (floats), `signs` (which variables are signed), `terms` (translation of terms), `program` (the
pass); `to_bits` based on `wide_numbers` and `scaled_floats` (invariants as formulas over bits); `view` (the results and
their laws).
"""

from craton.views.program import ideal_view, integer_view, real_view
from craton.views.view import IdealView, SoundView, View

__all__ = ["IdealView", "SoundView", "View", "ideal_view", "integer_view", "real_view"]
