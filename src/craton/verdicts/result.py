"""The result of a run: its verdict, and further details."""

from __future__ import annotations

from dataclasses import dataclass, field

from craton.engines.contract import Statistics
from craton.program.cfa import Program
from craton.program.passes import ALL, Passes
from craton.verdicts.counterexample import Replay
from craton.verdicts.proof import Proof
from craton.verdicts.verdict import Proved, Unknown, Verdict, Violated


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a run. `str(result.verdict)` is as in result files: true, false(unreach-call), unknown."""

    verdict: Verdict
    stage: str = ""  # that found the verdict
    program: Program | None = field(default=None, repr=False)  # that the verdict is about
    assumptions: tuple[str, ...] = ()
    passes: Passes = ALL  # which made the program smaller before engines saw it
    statistics: Statistics = field(default_factory=Statistics)
    seconds: float = 0.0

    @property
    def is_true(self) -> bool:
        return isinstance(self.verdict, Proved)

    @property
    def is_false(self) -> bool:
        return isinstance(self.verdict, Violated)

    @property
    def is_unknown(self) -> bool:
        return isinstance(self.verdict, Unknown)

    @property
    def reason(self) -> str:
        """Why the verdict is unknown; "" if it is not."""
        return self.verdict.reason if isinstance(self.verdict, Unknown) else ""

    @property
    def proof(self) -> Proof | None:
        return self.verdict.proof if isinstance(self.verdict, Proved) else None

    @property
    def replay(self) -> Replay | None:
        return self.verdict.replay if isinstance(self.verdict, Violated) else None

    @property
    def confirmed(self) -> bool:
        """Whether there is evidence beyond the engine's claim; an unknown needs no confirmation."""
        return isinstance(self.verdict, Unknown) or self.verdict.confirmed
