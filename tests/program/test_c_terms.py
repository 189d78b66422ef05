"""Generated C means what the terms mean: one program evaluates many random terms, and says where it differs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given

from craton.logic import BitVec, Model, Term, evaluate, free_variables, functions, is_quantified, var
from craton.processes.compilers import compilers
from craton.program.execution.c_terms import HELPERS, CCode, is_small, number
from craton.program.execution.codegen import CannotRun
from support import examples
from support.terms import BITVECTORS, instances

TERMS = 300


def checking(instance: tuple[Term, Model], line: int) -> str:
    """A block that returns its number if the term is worth something else than it should be."""
    term, model = instance
    variables = sorted(free_variables(term), key=lambda v: v.serial)
    code = CCode({v: f"v{i}" for i, v in enumerate(variables)})
    result = code.expression(term)
    values = [f"bits v{i} = {number(int(model[v]))};" for i, v in enumerate(variables) if is_small(v)]
    expected = number(int(evaluate(term, model)))
    return "{" + " ".join([*values, *code.lines]) + f" if (({result}) != {expected}) return {line}; }}"


@pytest.mark.skipif(not compilers(), reason="there is no C compiler")
@pytest.mark.parametrize("optimised", ["-O0", "-O1"])
def test_c_has_the_values_of_the_terms(tmp_path: Path, optimised: str) -> None:
    blocks: list[str] = []
    instances_: list[tuple[Term, Model]] = []

    @examples(TERMS)
    @given(instances(universe=BITVECTORS))
    def collect(instance: tuple[Term, Model]) -> None:
        if not is_quantified(instance[0]) and not functions(instance[0]):
            try:
                blocks.append(checking(instance, len(blocks) + 1))
                instances_.append(instance)
            except CannotRun:
                pass

    collect()
    assert len(blocks) >= TERMS / 2
    source = tmp_path / "terms.c"
    main = '#include <stdio.h>\nint main(void) { printf("%d", wrong()); return 0; }'
    source.write_text(
        f"#include <stdint.h>\n{HELPERS}\nstatic int wrong(void) {{\n{chr(10).join(blocks)}\nreturn 0; }}\n{main}\n"
    )
    program = str(tmp_path / "terms")
    command = (compilers()[0], "-w", optimised, "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
    subprocess.run([*command, str(source), "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "0"), instances_[int(done.stdout or 1) - 1]


def test_wide_numbers_are_refused() -> None:
    with pytest.raises(CannotRun):
        CCode({}).expression(var("x", BitVec(65)))
