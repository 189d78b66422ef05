"""Rounds without inputs: states as terms over what no round changes (docs/reactive.md).

Reading order: `terms` (small, one for each function), `beginning` (what is fixed, and what is known of it), `counters`
(what is counted without end), `engine`.
"""

from craton.engines.rounds.engine import Rounds

__all__ = ["Rounds"]
