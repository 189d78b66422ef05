"""A search for errors among states of values, by the step function as compiled C (docs/reactive.md).

Reading order: `candidates` (values of inputs), `step_text` (C of a program), `search.c` (what is around it), `engine`.
"""

from craton.engines.search.engine import Search

__all__ = ["Search"]
