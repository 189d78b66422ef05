"""Symbols of several files, as a linker joins them."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest

from cfuzz import oracle
from craton.errors import CratonError
from craton.frontends.c import COptions, load_c
from craton.program.cfa import Unmodelled
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Exited, ReachedUnmodelled

MODELS = oracle.models()


def written(texts: tuple[str, ...], folder: Path) -> list[Path]:
    paths = [folder / f"unit{i}.c" for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


LINKED = {
    "static names": (
        "static int k = 5; static int f(void) { static int n; return k + n++; } extern int g(void);\n"
        "int main(void) { f(); return f() * 10 + g(); }",
        "static int k = 7; static int f(void) { static int n = 1; return k + n++; } int g(void) { return f(); }",
    ),
    "static against extern": (
        "extern int x; extern int f(void); int main(void) { return 10 * x + f(); }",
        "static int x = 3; static int h(void) { return x; } int f(void) { return h(); }",
        "int x = 4; int h(void) { return 9; }",
    ),
    "extern in a block": (
        "static int x = 3; int y(void) { extern int x; return x; } int z(void);\n"
        "int main(void) { int x = 1; { extern int w; return 100 * x + 10 * y() + z() + w; } }",
        "int w = 2; int z(void) { extern int w; return w; }",
    ),
    "weak against strong": (
        "__attribute__((weak)) int f(void) { return 1; } __attribute__((weak)) int v = 2; int g(void);\n"
        "int main(void) { return 10 * f() + v + g(); }",
        "int f(void) { return 5; } int v = 7; int g(void) { return v; }",
    ),
    "weak alone": (
        "__attribute__((weak)) int f(void) { return 1; } __attribute__((weak)) int v = 2;\n"
        "int main(void) { return 10 * f() + v; }",
        "__attribute__((weak)) int f(void) { return 4; } int unused;",
    ),
    "tentative definitions": (
        "int x; int x; extern int x; int a[]; int a[3]; int f(void); int main(void) { f(); return x + a[2]; }",
        "extern int x, a[]; int f(void) { x = 3; a[2] = 4; return 0; }",
    ),
    "common variables": (
        "int x; int f(void); int main(void) { return f() + x; }",
        "int x; int f(void) { x = 3; return 0; }",
    ),
    "inline functions of a header": (
        "inline int twice(int x) { return 2 * x; } extern inline int twice(int); int g(void);\n"
        "int main(void) { return twice(g()); }",
        "inline int twice(int x) { return 2 * x; } static inline int one(void) { return 1; }\n"
        "int g(void) { return twice(4) + one(); }",
    ),
    "constructors of several files": (
        "int g; __attribute__((constructor)) void a(void) { g = 2 * g + 1; } int main(void) { return g; }",
        "extern int g; __attribute__((constructor)) static void a(void) { g = 3 * g; }\n"
        "__attribute__((constructor(200))) void b(void) { g = 5; }",
    ),
    "an alias for other files": (
        "extern int h(void); extern int b; int main(void) { b = 4; return h(); }",
        'static int a; static int f(void) { return a + 1; } int h(void) __attribute__((alias("f")));\n'
        'extern int b __attribute__((alias("a")));',
    ),
}


@pytest.mark.skipif(not MODELS, reason="no C compiler")
@pytest.mark.parametrize("name", LINKED)
def test_what_is_linked_is_what_gcc_links(name: str, tmp_path: Path) -> None:
    paths = written(LINKED[name], tmp_path)
    binary = tmp_path / "native"
    subprocess.run(["gcc", "-O0", "-fcommon", "-w", *map(str, paths), "-o", str(binary)], check=True, timeout=60)
    expected = subprocess.run([str(binary)], timeout=20).returncode
    run = Interpreter(load_c(paths, options=COptions("LP64"))).run(seed=0)
    assert isinstance(run.outcome, Exited) and run.outcome.values is not None, run.outcome
    (value,) = run.outcome.values
    assert isinstance(value, int) and value & 255 == expected


@pytest.mark.parametrize(
    "pair",
    [
        ("int f(void) { return 1; } int main(void) { return f(); }", "int f(void) { return 2; }"),
        ("int x = 1; int main(void) { return x; }", "int x = 1;"),
        ("int x = 1; int main(void) { return x; }", "void x(void) {}"),
    ],
)
def test_two_definitions_are_refused(pair: tuple[str, str], tmp_path: Path) -> None:
    for texts in itertools.permutations(pair):
        with pytest.raises(CratonError, match="multiple definition of"):
            load_c(written(texts, tmp_path))


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (("extern int f(int); int main(void) {\n return f(1); }", "double f(double x) { return x; }"), "f"),
        (("extern int f(int); int main(void) {\n return f(1); }", "int f(int x, int y) { return x; }"), "f"),
        (("extern long x; int main(void) {\n return x; }", "char x = 1;"), "x"),
        (("extern int *a; int main(void) {\n return a[0]; }", "int a[3];"), "a"),
        (("extern int f; int main(void) {\n return f; }", "int f(void) { return 0; }"), "f"),
        (
            ("extern struct { int a; float b; } s; int main(void) {\n return s.a; }", "struct { float a; int b; } s;"),
            "s",
        ),
    ],
)
def test_declarations_of_other_types_are_not_modelled(texts: tuple[str, str], name: str, tmp_path: Path) -> None:
    program = load_c(written(texts, tmp_path), options=COptions("LP64"))
    run = Interpreter(program).run(seed=0).outcome
    assert isinstance(run, ReachedUnmodelled), run
    (found,) = (each for each in program.errors.values() if isinstance(each, Unmodelled))
    assert found.description.startswith(f"{name}, declared with another type") and found.where is not None


def test_declarations_that_say_less_are_fine(tmp_path: Path) -> None:
    texts = (
        "extern int f(); extern int a[]; struct S; extern int g(struct S *, const char *);\n"
        "int main(void) { return f(1) + a[1] + g(0, 0); }",
        "int f(int x) { return x; } int a[2] = { 1, 2 }; struct S { int i; };\n"
        "int g(struct S *s, char *t) { return s == 0 && t == 0; }",
    )
    run = Interpreter(load_c(written(texts, tmp_path), options=COptions("LP64"))).run(seed=0).outcome
    assert isinstance(run, Exited) and run.values == (4,)
