"""The programs of the conformance suite are what their first lines say: compiler, interpreter and random runs agree."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from cfuzz import oracle
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from support import FUZZ
from support.programs import EXAMPLES, Example

_AROUND = """
void reach_error(void) { __builtin_exit(42); }
void __VERIFIER_assume(int condition) { if (!condition) __builtin_exit(0); }
"""
_PLAIN = ("-O0", "-w")
_SANITIZED = (*_PLAIN, "-fsanitize=address,undefined", "-fno-wrapv", "-fno-sanitize-recover=all")
_CAUGHT = ("no-overflow", "valid-deref", "valid-free")  # what the sanitizers see

IN_C = [example for example in EXAMPLES if example.path.suffix == ".c"]
SAFE_IN_C = [example for example in IN_C if example.safe]
UNSAFE_IN_C = [example for example in IN_C if not example.safe]


def test_the_suite_is_large_and_varied() -> None:
    assert len(EXAMPLES) >= 84
    safe = sum(example.safe for example in EXAMPLES)
    assert 0.4 * len(EXAMPLES) <= safe <= 0.65 * len(EXAMPLES)
    themes = Counter(example.theme for example in EXAMPLES)
    assert all(themes[theme] >= 8 for theme in ("loops", "arrays", "pointers", "floats", "bits", "control")), themes
    assert themes["boogie"] >= 20
    violated = {example.expected for example in EXAMPLES}
    assert violated >= {"true", *(f"false({name})" for name in ("unreach-call", "valid-memtrack", *_CAUGHT))}


@pytest.mark.parametrize("example", UNSAFE_IN_C, ids=str)
def test_unsafe_programs_fail_on_their_inputs(example: Example) -> None:
    assert example.inputs is not None
    outcome = Interpreter(example.program).run(example.inputs).outcome
    assert isinstance(outcome, ReachedError)
    assert f"false({outcome.violated})" == example.expected


@pytest.mark.parametrize("example", SAFE_IN_C, ids=str)
def test_random_runs_of_safe_programs_reach_no_error(example: Example) -> None:
    interpreter = Interpreter(example.program)
    for seed in range(50 * max(1, FUZZ)):
        run = interpreter.run(seed=seed, step_limit=1000)
        assert not isinstance(run.outcome, ReachedError), run.inputs


@pytest.mark.skipif(not oracle.compilers(), reason="no C compiler")
@pytest.mark.parametrize("example", UNSAFE_IN_C, ids=str)
def test_a_compiler_agrees_that_unsafe_programs_fail(example: Example, tmp_path: Path) -> None:
    violated = example.expected.removeprefix("false(").removesuffix(")")
    if violated not in ("unreach-call", *_CAUGHT):
        pytest.skip(f"a compiler does not see {violated}")
    options = _SANITIZED if violated in _CAUGHT else _PLAIN
    if not oracle.supports(oracle.default_compiler(), oracle.Model.LP64, options):
        pytest.skip("the compiler has no sanitizers")
    source = example.path.read_text(encoding="utf-8") + _AROUND
    binary = oracle.compiled(source, oracle.Model.LP64, tmp_path / "program", options=options)
    outcome = oracle.execute(binary, example.inputs or ())
    assert outcome == oracle.Exit(42) or isinstance(outcome, oracle.Crash), outcome
