"""Which programs of a compiler's collection are left out, as the compiler tells it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from bench.collections import Outcome, _ended
from bench.features import Feature, features

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")


@needs_gcc
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int main(void) { return 0x1i; }", {Feature.COMPLEX}),
        ("#define C __complex__\nC double z; int main(void) { return 0; }", {Feature.COMPLEX}),
        ("struct complex { int i; }; int main(void) { return 07 + 0xai; }", {Feature.COMPLEX}),
        ("typedef int v __attribute__((vector_size(16))); int main(void) { return 0; }", {Feature.VECTORS}),
        ("int main(int n, char **a) { int f(int x) { return x + n; } return f(1); }", {Feature.NESTED}),
        ("int main(int n, char **a) { struct { int x[n]; } s; return 0; }", {Feature.VARIABLE_STRUCTS}),
        ("#include <setjmp.h>\njmp_buf b; int main(void) { return setjmp(b); }", {Feature.SETJMP}),
        ("#include <setjmp.h>\n/* setjmp( */ int main(int n, char **a) { int x[n]; return 0; }", set()),
        ('int main(void) { const char *s = "_Complex setjmp("; if (s) { s++; } return 0; }', set()),
    ],
)
def test_features(text: str, expected: set[Feature], tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(text)
    assert set(features(source, ("-std=gnu17",))) == expected


@pytest.mark.parametrize(
    ("exit_code", "said", "expected"),
    [
        (0, "exit", Outcome.RIGHT),
        (0, "exit with 0", Outcome.RIGHT),
        (0, "exit with 3", Outcome.WRONG),
        (0, "stopped by an assumption at x.c:3", Outcome.WRONG),
        (1, "error reached: unreach-call", Outcome.WRONG),
        (2, "x.c:1:1: error: no", Outcome.REFUSED),
        (3, "x.c:1:1: setjmp is not modelled", Outcome.REFUSED),
        (None, "more than 30 s", Outcome.UNKNOWN),
    ],
)
def test_what_a_run_is_worth(exit_code: int | None, said: str, expected: Outcome) -> None:
    assert _ended(exit_code, said) is expected
