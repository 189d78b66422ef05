"""The generator keeps its promises on a few seeds; `cfuzz.validate` asks the same of thousands."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from cfuzz.batch import outcomes, tagged
from cfuzz.features import ALL, FIRST, NONE, Features
from cfuzz.generate import generate
from cfuzz.oracle import (
    BOUNDARIES,
    OPTIMISED,
    PLAIN,
    SANITIZED,
    Checksum,
    Crash,
    Exit,
    Model,
    Timeout,
    compiled,
    compilers,
    converted,
    execute,
    inputs,
    models,
    run,
    supports,
)
from cfuzz.validate import Way, examine

needs_compiler = pytest.mark.skipif(not compilers(), reason="no C compiler on this machine")


def some_ways(seed: int) -> list[Way]:
    """Plain in each model, and by turns optimised or sanitized, with each compiler in turn."""
    compiler = compilers()[seed // 2 % len(compilers())]
    second = Way(compiler, Model.LP64, (OPTIMISED, SANITIZED)[seed % 2])
    if seed % 4 == 0 and Model.ILP32 in models(compiler):
        second = Way(compiler, Model.ILP32, OPTIMISED)
    plain = [Way(compilers()[0], model, PLAIN) for model in models()]
    return [*plain, second] if supports(second.compiler, second.model, second.options) else plain


@needs_compiler
@pytest.mark.parametrize("seed", range(12))
def test_all_ways_to_compile_agree(seed: int) -> None:
    assert examine(seed, some_ways(seed), runs=2).faults == []


@needs_compiler
@pytest.mark.parametrize(
    "features", [NONE, NONE.plus("loops", "functions", "nondet"), ALL.without("floats", "pointers")]
)
def test_programs_of_fewer_features_are_valid(features: Features) -> None:
    for seed in range(2):
        assert examine(seed, [Way(compilers()[0], Model.LP64, PLAIN)], features, runs=1).faults == []


def test_the_same_seed_gives_the_same_program() -> None:
    assert generate(42) == generate(42)
    assert generate(42) != generate(43)


def test_a_feature_switched_off_does_not_occur() -> None:
    marks = {"floats": "double", "goto": "goto", "heap": "malloc(", "switch": "switch", "bitfields": " : 3;"}
    for name, mark in marks.items():
        assert not any(mark in generate(seed, features=FIRST.without(name)) for seed in range(20)), name


@needs_compiler
def test_programs_compiled_together_compute_what_they_compute_alone() -> None:
    sources = [tagged(generate(seed, size=4), tag) for tag, seed in enumerate(range(8))]
    values = [inputs(seed) for seed in range(8)]
    alone = [run(source, line, Model.LP64) for source, line in zip(sources, values, strict=True)]
    assert outcomes(sources, values, Model.LP64) == alone


@needs_compiler
def test_ends_of_programs_compiled_together_are_told_apart() -> None:
    bodies = ["return 0;", "__checksum = 7; exit(3);", "abort();", "for (;;) ;", "__checksum = input(); return 0;"]
    head = "extern int __VERIFIER_nondet_int(void); extern void exit(int), abort(void); unsigned long long __checksum;"
    sources = [f"{head} int main(void) {{ {body} }}".replace("input", "__VERIFIER_nondet_int") for body in bodies]
    found = outcomes(sources, [(1,), (2,), (3,), (4,), (5,)], Model.LP64, seconds=1)
    assert found == [Checksum(0), Checksum(7), Crash("signal 6"), Timeout(), Checksum(5)]


def test_tags_leave_texts_and_numbers_alone() -> None:
    text = "int g12 = 0x1.fep0; char *s3 = \"a1\", c4 = '\\x7f'; f5(g12_x, __builtin_bswap64(1e3));"
    assert tagged(text, 7) == (
        "int p7_g12 = 0x1.fep0; char *p7_s3 = \"a1\", p7_c4 = '\\x7f'; p7_f5(p7_g12_x, __builtin_bswap64(1e3));"
    )


@needs_compiler
def test_outcomes_are_told_apart() -> None:
    declare = "extern void __VERIFIER_checksum(unsigned long long); extern void abort(void);\n"

    def outcome(body: str) -> object:
        return run(declare + f"int main(void) {{ {body} }}", (), Model.LP64, timeout=0.3)

    assert outcome("__VERIFIER_checksum(sizeof(long)); return 0;") == Checksum(8)
    assert outcome("return 3;") == Exit(3)
    assert isinstance(outcome("abort();"), Crash)
    assert outcome("for (;;) ;") == Timeout()


@needs_compiler
@pytest.mark.parametrize("model", list(Model))
def test_inputs_are_converted_as_stated(model: Model, tmp_path: Path) -> None:
    """`converted`, which an interpreter may use, says what the harness does."""
    if model not in models():
        pytest.skip(f"the compiler does not link for {model.name}")
    values = [value for value in (*BOUNDARIES, *inputs(1)) if not (isinstance(value, float) and math.isnan(value))]
    checks = "".join(conversion_check(kind, [converted(value, kind, model) for value in values]) for kind in C_TYPES)
    source = f"""
        extern void __VERIFIER_checksum(unsigned long long);
        int main(void) {{
            unsigned long long wrong = 0;
            {checks}
            __VERIFIER_checksum(wrong);
            return 0;
        }}"""
    assert execute(compiled(source, model, tmp_path / "program"), values * len(C_TYPES)) == Checksum(0)


def conversion_check(kind: str, expected: list[int | float]) -> str:
    """C text that asks for as many inputs of the kind and counts the unexpected ones."""
    if kind in ("float", "double"):
        wide = "double"
        constants = [float(v).hex() if math.isfinite(v) else f"{'-' if v < 0 else ''}__builtin_inf()" for v in expected]
    else:
        wide = "long long"
        constants = [f"{int(v) % (1 << 64)}ull" for v in expected]
    return f"""{{
        extern {C_TYPES[kind]} __VERIFIER_nondet_{kind}(void);
        static const {wide} expected[] = {{ {", ".join(constants)} }};
        for (int i = 0; i < {len(expected)}; i++)
            if (({wide})__VERIFIER_nondet_{kind}() != expected[i]) wrong++;
    }}"""


C_TYPES = {
    "bool": "_Bool",
    "char": "char",
    "uchar": "unsigned char",
    "short": "short",
    "ushort": "unsigned short",
    "int": "int",
    "uint": "unsigned",
    "long": "long",
    "ulong": "unsigned long",
    "float": "float",
    "double": "double",
}
