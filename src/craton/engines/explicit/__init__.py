"""Explicit states: values of variables, or classes of values (docs/reactive.md).

Reading order: `partition` (classes), `ways` (through a step), `steps` (where a state leads), `engine`.
"""

from craton.engines.explicit.engine import Explicit

__all__ = ["Explicit"]
