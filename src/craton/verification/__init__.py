"""The spine: load a program, look at it through views, run engines, confirm their answers, say the verdict.

A run is a list of *stages*, each an engine with a refiner and a view of the program, with a share of the time. The
first answer that is confirmed is the verdict: a proof whose every condition a second solver has shown on the
bit-precise program, or inputs on which the compiled program reaches the error. What is not confirmed is not said.

Reading order: `beginning` (what comes first), `run` (all the rest, top-down), `portfolio` (stages take turns),
`scheduling` (who has how much time), `stages` and `stage_programs` (what a stage runs and on what), `testing` (the
stage without an engine), `confirmation` (from an engine's answer to a verdict), `isolation` (work in processes that can
be ended), `context` (what all share).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from craton.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from craton.verification.beginning import verify
    from craton.verification.run import verify_program

__getattr__ = lazy_imports(
    globals(), {"verify": "craton.verification.beginning", "verify_program": "craton.verification.run"}
)

__all__ = ["verify", "verify_program"]
