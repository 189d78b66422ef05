"""Programs that would grow too much if all their calls were inlined: procedures have summaries, and are verified by
contracts; errors in them are runs.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.evidence.certificates.checking import Accepted, check_certificate
from craton.evidence.certificates.writing import make_certificate
from craton.frontends.programs import Request, load_program
from craton.program import inlining
from craton.program.cfa import Program
from craton.program.execution.interpreter import Interpreter
from craton.program.inlining import Inlining, inline, inlining_pays
from craton.program.preparation import prepare
from craton.program.statements import Call
from craton.verdicts.counterexample import Reached
from craton.verdicts.verdict import Proved, Unknown, Violated
from craton.verification.context import Context
from craton.verification.contracts import by_contracts
from craton.verification.run import verify
from craton.verification.scheduling import Clock
from craton.verification.stage_programs import StagePrograms
from craton.verification.stages import DEFAULT, Stage
from support.programs import BY_NAME


def levels(count: int, second: str = "a + 1") -> str:
    """Each level calls the next one twice: 2^count copies, if they are inlined. `second` is the argument of the second
    call of the first level.
    """
    text = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n"
    text += f"int f{count}(int x) {{ if (x < 0) reach_error(); return x > 100 ? 100 : x; }}\n"
    for level in reversed(range(count)):
        again = second if level == 0 else "a + 1"
        text += f"int f{level}(int x) {{ int a = f{level + 1}(x), b = f{level + 1}({again}); return a > b ? a : b; }}\n"
    return text + "int main(void) { int x = __VERIFIER_nondet_int(); if (x >= 0) f0(x); return 0; }\n"


def written(folder: Path, text: str) -> Request:
    path = folder / "levels.c"
    path.write_text(text)
    return Request((str(path),))


def test_a_program_too_large_to_inline_is_proved_by_summaries(tmp_path: Path) -> None:
    request = written(tmp_path, levels(12))
    result = verify(request, DEFAULT, 900.0, cpu=90.0)
    assert result.is_true, result.reason
    assert result.proof is not None and len(result.proof.contracts) > 3
    assert isinstance(check_certificate(make_certificate(request, result), request), Accepted)


def test_an_error_in_a_program_too_large_to_inline(tmp_path: Path) -> None:
    result = verify(written(tmp_path, levels(12, second="a - 200")), DEFAULT, 600.0, cpu=240.0)
    assert isinstance(result.verdict, Violated), result.reason
    assert isinstance(result.verdict.compiled, Reached)


def calls(program: Program) -> int:
    return sum(isinstance(edge.statement, Call) for edge in program.edges())


@pytest.mark.parametrize("count", [2, 5, 12, 40])
def test_what_pays_is_inlined(count: int, tmp_path: Path) -> None:
    """Small programs as a whole; others grow by little, and mean the same."""
    program = load_program(written(tmp_path, levels(count)))
    paying = inline(program, Inlining.PAYING).program
    size = sum(len(procedure.edges) for procedure in program.procedures.values())
    assert inlining_pays(program) is (count < 8)
    assert (calls(paying) == 0) is (count < 8)
    assert sum(1 for _ in paying.edges()) <= max(3_000, 3 * size)
    if count <= 12:
        outcomes = [Interpreter(p).run([7]).outcome for p in (program, paying)]
        assert outcomes[0] == outcomes[1]


_FUNCTIONS = [name for name, example in BY_NAME.items() if name.startswith("functions/") and name.endswith(".c")]


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_summaries_agree_with_inlining(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no call is worth to be inlined, contracts say what is so, or nothing."""
    for limit in ("PAYING_EDGES", "PAYING_GROWTH", "SMALL"):
        monkeypatch.setattr(inlining, limit, 0)
    example = BY_NAME[name]
    programs = StagePrograms(prepare(example.program, inlining=Inlining.PAYING))
    answer, _ = by_contracts(programs, Context(Clock.lasting(5.0), None), (Stage("horn(unguided)"),))
    if isinstance(answer, Proved):
        assert example.safe
    elif not isinstance(answer, Unknown):
        assert not example.safe
