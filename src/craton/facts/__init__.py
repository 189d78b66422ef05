"""What holds of single variables at locations, found in milliseconds and without a solver: intervals and congruences.

An abstract interpretation in bits (Cousot and Cousot; congruences: Granger), with widening to constants of the program.
Its facts are inductive by construction. Nobody has to believe that: a proof that uses facts carries them, and the
checker shows them with the rest.

Reading order: `ranges` (the domain), `operations` (what operations do to ranges), `states` (terms, assumptions and
statements), `analysis` (the fixed point), `formulas` (facts as formulas); `gauges` and `counting` (bounds that grow
with the rounds of loops), `conditions` (what was assumed and still holds).
"""

from craton.facts.analysis import analyse
from craton.facts.formulas import facts

__all__ = ["analyse", "facts"]
