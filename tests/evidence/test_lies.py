"""Engines that lie: whatever an engine says, a verdict is given only with evidence, so no lie becomes one."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import pytest

import craton.verification.stages
from craton.configuration.engines import make_engine
from craton.configuration.stages import Stage
from craton.engines.contract import Budget, Engine, EngineAnswer, Safe, Unknown, Unsafe
from craton.logic import FALSE, TRUE, Model
from craton.program.cfa import Edge, Location, Program
from craton.smt import Sat, make_solver
from craton.traces.trace import Trace
from craton.verdicts.result import Result
from craton.verification import verify
from support.programs import BY_NAME, Example

UNSAFE = ("loops/apart.c", "loops/nested_wrong.c", "arrays/same_place.c", "floats/not_itself.c", "boogie/apart.bpl")
SAFE = ("loops/together.c", "arrays/other_place.c", "floats/both_ways.c", "control/lock.c", "boogie/together.bpl")
VIEWS = (Stage(), Stage(encoding="int"), Stage(floats="real"))


@dataclass(frozen=True)
class Liar(Engine):
    """An engine that says the same about every program."""

    answer: str
    blocks: int | None = None
    name: str = "liar"

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        match self.answer:
            case "all true":
                return Safe(dict.fromkeys(program.main.locations, TRUE), ("z3",))
            case "all false":
                return Safe(dict.fromkeys(program.main.locations, FALSE), ("z3",))
            case "nothing":
                return Safe({}, ("z3",))
            case "true but at errors":
                return Safe({x: FALSE if x in program.errors else TRUE for x in program.main.locations}, ("z3",))
            case "true at the entry":
                return Safe({program.main.entry: TRUE}, ("z3",))
            case "shortest path, any values":
                return Unsafe(shortest(program), Model({}))
            case "first step, its values":
                trace = Trace(shortest(program).edges[:1])
                answer = make_solver("z3").check(*trace.formula.by_step)
                return Unsafe(trace, answer.model if isinstance(answer, Sat) else Model({}))
            case "last step":
                return Unsafe(Trace(shortest(program).edges[-1:]), Model({}))
            case "crash":
                raise RuntimeError("this engine is broken")
        raise AssertionError(self.answer)


def shortest(program: Program) -> Trace:
    """A shortest path to an error, whatever the statements on it say."""
    before: dict[Location, Edge | None] = {program.main.entry: None}
    waiting = deque([program.main.entry])
    while waiting:
        here = waiting.popleft()
        if here in program.errors:
            edges: list[Edge] = []
            while (edge := before[here]) is not None:
                edges.append(edge)
                here = edge.source
            return Trace(tuple(reversed(edges)))
        for edge in program.main.outgoing(here):
            if edge.target not in before:
                before[edge.target] = edge
                waiting.append(edge.target)
    raise AssertionError("no path to an error")


def asked(monkeypatch: pytest.MonkeyPatch, example: Example, answer: str, stage: Stage) -> Result:
    def make(stage: Stage) -> Engine:
        return Liar(answer)

    monkeypatch.setattr(craton.verification.stages, "make_engine", make)
    return verify(example.request, (stage,), 20.0)


@pytest.mark.parametrize("stage", VIEWS, ids=lambda stage: f"{stage.encoding}, {stage.floats}")
@pytest.mark.parametrize("answer", ["all true", "all false", "nothing", "true but at errors", "true at the entry"])
@pytest.mark.parametrize("name", UNSAFE)
def test_no_unsafe_program_is_called_safe(
    name: str, answer: str, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert str(asked(monkeypatch, BY_NAME[name], answer, stage).verdict) == "unknown"


@pytest.mark.parametrize("stage", VIEWS, ids=lambda stage: f"{stage.encoding}, {stage.floats}")
@pytest.mark.parametrize("answer", ["shortest path, any values", "first step, its values", "last step"])
@pytest.mark.parametrize("name", SAFE)
def test_no_safe_program_is_called_unsafe(
    name: str, answer: str, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert str(asked(monkeypatch, BY_NAME[name], answer, stage).verdict) == "unknown"


def test_a_safe_program_with_a_useless_proof_is_not_called_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    result = asked(monkeypatch, BY_NAME["loops/together.c"], "true but at errors", Stage())
    assert str(result.verdict) == "unknown"
    assert result.reason.startswith("a proof was found but not confirmed: not safe")


def test_an_engine_that_crashes_gives_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    result = asked(monkeypatch, BY_NAME["loops/together.c"], "crash", Stage())
    assert str(result.verdict) == "unknown"
    assert "this engine is broken" in result.reason


def test_later_stages_have_their_turn_after_a_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(stage: Stage) -> Engine:
        return Liar("all true") if stage.engine == "horn" else make_engine(stage)

    monkeypatch.setattr(craton.verification.stages, "make_engine", make)
    result = verify(BY_NAME["loops/apart.c"].request, (Stage("horn"), Stage("bounded")), 20.0)
    assert str(result.verdict) == "false(unreach-call)"
    assert result.stage == "bounded"


def test_unknown_stays_unknown_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(Liar):
        def run(self, program: Program, budget: Budget) -> EngineAnswer:
            return Unknown("tired")

    monkeypatch.setattr(craton.verification.stages, "make_engine", lambda stage: Silent(""))
    result = verify(BY_NAME["loops/together.c"].request, (Stage(),), 20.0)
    assert (str(result.verdict), result.reason) == ("unknown", "tired")
