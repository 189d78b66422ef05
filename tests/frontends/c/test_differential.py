"""Generated programs: our interpreter, also after every pass, against the compiled program on the same inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfuzz import oracle
from cfuzz.generate import generate
from craton.frontends.c import COptions, load_c
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.constants import propagate_constants
from craton.program.inlining import inline
from craton.program.interpreter import Exited, Interpreter
from craton.program.slicing import remove_dead_code

pytestmark = pytest.mark.skipif(not oracle.models(), reason="no C compiler")

SEEDS = range(12)
# Seeds that once found a mistake of the front end: anonymous members, array parameters, va_list parameters, assignments
# of unions, unions with arrays, offsetof in initialisers, temporaries with arrays.
ONCE_WRONG = (20, 26, 29, 53, 1018, 1380)


def checksum(program: Program, values: tuple[oracle.Value, ...]) -> int | str:
    run = Interpreter(program).run(values)
    if not isinstance(run.outcome, Exited):
        return str(run.outcome)
    (found,) = (value for variable, value in run.values.items() if variable.name == "__checksum")
    assert isinstance(found, int)
    return found


@pytest.mark.parametrize("seed", [*SEEDS, *ONCE_WRONG])
def test_generated_programs_compute_what_gcc_computes(seed: int, tmp_path: Path) -> None:
    model = oracle.models()[seed % len(oracle.models())]
    source, values = generate(seed), oracle.inputs(seed)
    expected = oracle.run(source, values, model)
    path = tmp_path / "program.c"
    path.write_text(source)
    program = load_c([path], options=COptions(model.name))
    found = checksum(program, values)
    if isinstance(expected, oracle.Checksum):
        assert found == expected.value
    for transform in (inline, remove_dead_code, propagate_constants, encode_blocks):
        program = transform(program).program
        assert checksum(program, values) == found, transform.__name__
