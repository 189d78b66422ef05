"""Loops in closed form: programs in which n rounds of a loop are one step (docs/acceleration.md).

Reading order: `closed_forms` (what n rounds do), `guards` (for how many rounds a condition goes on to hold), `bodies`
(both together), `loops` (the program).
"""

from craton.program.acceleration.loops import AcceleratedProgram, accelerate

__all__ = ["AcceleratedProgram", "accelerate"]
