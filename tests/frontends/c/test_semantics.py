"""Every rule of C in `snippets`, against gcc."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

import pytest

from cfuzz import oracle
from craton.frontends.c import COptions, load_c
from craton.program.blocks import encode_blocks
from craton.program.constants import propagate_constants
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Exited
from craton.program.inlining import inline
from craton.program.slicing import remove_dead_code
from frontends.c.snippets import SNIPPETS, program

MODELS = oracle.models()
NAMES = list(SNIPPETS)


@functools.cache
def expected(model: oracle.Model, folder: Path) -> tuple[int, ...]:
    """What gcc computes."""
    main = """
extern int printf(const char *, ...);
int main(void) { everything(); for (unsigned i = 0; i < sizeof results / 8; i++) printf("%llx\\n", results[i]); }
"""
    binary = oracle.compiled(program() + main, model, folder / f"snippets{model.value}")
    output = subprocess.run([binary], capture_output=True, text=True, timeout=20, check=True).stdout
    return tuple(int(line, 16) for line in output.split())


@functools.cache
def computed(model: oracle.Model, folder: Path, passes: tuple[str, ...]) -> tuple[int, ...]:
    """What our interpreter computes."""
    source = folder / "snippets.c"
    source.write_text(program() + "\nint main(void) { everything(); return 0; }\n")
    loaded = load_c([source], options=COptions(model.name))
    table = {"inline": inline, "dead": remove_dead_code, "constants": propagate_constants, "blocks": encode_blocks}
    for name in passes:
        loaded = table[name](loaded).program
    run = Interpreter(loaded).run()
    assert isinstance(run.outcome, Exited), run.outcome
    (memory,) = (cells for variable, cells in run.values.items() if variable.name.startswith("mem results"))
    first = min(memory)
    return tuple(memory[first + 8 * i] for i in range(len(NAMES)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("snippets")


@pytest.mark.skipif(not MODELS, reason="no C compiler")
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.name)
@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_a_rule_of_c_means_what_gcc_makes_of_it(number: int, model: oracle.Model, folder: Path) -> None:
    assert hex(computed(model, folder, ())[number]) == hex(expected(model, folder)[number])


@pytest.mark.parametrize("passes", [("inline",), ("inline", "dead", "constants"), ("inline", "dead", "blocks")])
def test_passes_keep_the_results(passes: tuple[str, ...], folder: Path) -> None:
    assert computed(oracle.Model.LP64, folder, passes) == computed(oracle.Model.LP64, folder, ())
