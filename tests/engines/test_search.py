"""The compiled search: what it finds are runs, it goes as deep as they are, and it sees what the interpreter sees."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from craton.engines.contract import Budget, EngineAnswer, Unknown, Unsafe
from craton.engines.search import Search
from craton.engines.search.candidates import candidates
from craton.frontends.programs import Request, load_program
from craton.logic import and_, satisfies
from craton.processes.compilers import compilers
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.execution.interpreter import Interpreter
from craton.program.preparation import prepare
from craton.words import DOES_NOT_FIT
from support.programs import BY_NAME

pytestmark = pytest.mark.skipif(not compilers(), reason="there is no C compiler")

LOCK = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int at = 0, noise = 7;
int main(void) {{
  while (1) {{
    int digit = __VERIFIER_nondet_int();
    if (digit < 0 || digit > 9) return 0;
    noise = noise * 31 + digit;
    if ({keys}) at = at + 1; else at = 0;
    if (at > {length} && noise % 2 == 1) reach_error();
  }}
}}
"""


def lock(folder: Path, digits: str) -> Program:
    """An error after these digits, and one more; besides, something of the whole past is remembered."""
    keys = " || ".join(f"(at == {i} && digit == {digit})" for i, digit in enumerate(digits))
    source = folder / "lock.c"
    source.write_text(LOCK.format(keys=keys + f" || at == {len(digits)}", length=len(digits)), encoding="utf-8")
    return seen(load_program(Request((str(source),))))


def seen(program: Program) -> Program:
    return encode_blocks(prepare(program).small.program).program


def search(program: Program) -> EngineAnswer:
    return Search().run(program, Budget(20.0))


def test_deep_errors_are_found_and_are_runs(tmp_path: Path) -> None:
    """Of 10^20 ways one leads there; and states with different pasts are of one kind, so each kind has its turn."""
    program = lock(tmp_path, "31415926535897932384")
    found = search(program)
    assert isinstance(found, Unsafe), found
    assert found.trace.locations[-1] in program.errors
    assert satisfies(found.model, and_(*found.trace.formula.by_step))


@pytest.mark.parametrize("name", ["control/press_wrong.c", "control/machine_wrong.c", "control/lock_twice.c"])
def test_errors(name: str) -> None:
    found = search(seen(BY_NAME[name].program))
    assert isinstance(found, Unsafe), found
    assert satisfies(found.model, and_(*found.trace.formula.by_step))


@pytest.mark.parametrize("name", ["control/press.c", "control/machine.c"])
def test_where_there_is_none_nothing_is_shown(name: str) -> None:
    found = search(seen(BY_NAME[name].program))
    assert isinstance(found, Unknown) and "no error among" in found.reason


@pytest.mark.parametrize("name", ["arrays/copy.c", "floats/not_itself.c"])
def test_what_is_not_a_number_of_few_bits_does_not_fit(name: str) -> None:
    found = search(seen(BY_NAME[name].program))
    assert isinstance(found, Unknown) and found.reason.startswith(DOES_NOT_FIT)


def test_all_states_are_seen_that_runs_come_to() -> None:
    """Compared with the interpreter on long sequences of inputs."""
    program = seen(BY_NAME["control/press.c"].program)
    states: set[tuple[object, ...]] = set()
    (head,) = (x for x in program.main.locations if any(e.target == x for e in program.main.outgoing(x)))
    variables = tuple(v for v in program.globals if v.name in ("state", "armed", "load"))
    runner = Interpreter(program, watched={head: variables}, seen=lambda location, values: states.add(values))
    drawn = Random(1)
    for _ in range(150):
        runner.run([drawn.randint(1, 5) for _ in range(150)])
    budget = Budget(20.0)
    Search().run(program, budget)
    assert budget.statistics.states == len(states) + 1  # and the one at the entry


def test_what_inputs_are_compared_with() -> None:
    program = BY_NAME["control/press.c"].program
    ((_, values),) = candidates(prepare(program).small.program.main.edges).items()
    assert set(range(1, 6)) < set(values)
