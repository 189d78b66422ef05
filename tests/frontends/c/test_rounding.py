"""Rounding modes: the program's own, at the time. The judge is the processor: gcc says what each operation gives."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from craton.frontends.c import COptions, load_c
from craton.program.cfa import Program
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Exited, ReachedError, ReachedUnmodelled

HEAD = """
#include <fenv.h>
#include <math.h>
#include <string.h>
extern void reach_error(void);
extern int printf(const char *, ...);
static unsigned long long bits(double x) { unsigned long long u; memcpy(&u, &x, sizeof u); return u; }
static double inner(double x, double y) { float f = x; return f * y; }
"""
MODES = ("FE_TONEAREST", "FE_DOWNWARD", "FE_UPWARD", "FE_TOWARDZERO")
NUMBERS = "0.1 -0.1 1e300 -3.5 0x1p-1070 7.25 1e-310 -1e17 0x1.fffffep127 2.5 -0.5 0.0".split()
OPERATIONS = (
    "{a} + {b}",
    "{a} - {b}",
    "{a} * {b}",
    "{a} / {b}",
    "(float){a} / (float){b}",
    "(float)({a} + {b})",
    "(float){a}",
    "(double)n * {a} + (float)n",
    "(float)(n * 77777777777LL)",
    "(double)(n * 987654321987654321ULL)",
    "sqrt(fabs({a}))",
    "(double)sqrtf((float)fabs({b}))",
    "fma({a}, {b}, {a})",
    "rint({a})",
    "nearbyint({b})",
    "(double)lrint(fmod({a}, 1000.0))",
    "(double)lround(fmod({b}, 1000.0))",
    "floor({a}) + ceil({b})",
    "fmod({a}, {b})",
    "fdim({a}, {b})",
    "(double)({a} < {b})",
    "(double)(int)fmod({a}, 99.0)",
    "inner({a}, {b})",
    "1.0 / 3.0 + (float)0.1",
    "(double)fegetround()",
    "(double)((long double){a} / 3 == (long double){a} * (1.0L / 3))",
)


def generated(seed: int) -> tuple[str, int]:
    """Statements that note results one after another, and how many."""
    rng = Random(seed)
    lines = [f"double x{i} = {number};" for i, number in enumerate(NUMBERS)]
    lines.append(f"int n = {rng.choice((3, -7, 16777217, 2147483647))};")
    count = 0
    for _ in range(12):
        lines.append(f"fesetround({rng.choice(MODES)});" if rng.random() < 0.8 else "fesetround(5);")
        for form in rng.sample(OPERATIONS, 5):
            a, b = (f"x{rng.randrange(len(NUMBERS))}" for _ in range(2))
            lines.append(f"NOTE({count}, {form.format(a=a, b=b)})")
            count += 1
    return "\n".join(lines), count


def program(body: str, note: str) -> str:
    return f"{HEAD}#define NOTE(i, e) {note}\nint main(void) {{\n{body}\nreturn 0; }}\n"


def processor(body: str, folder: Path) -> list[int]:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    (folder / "n.c").write_text(program(body, 'printf("%llu\\n", bits(e));'))
    flags = "-w -O0 -ffp-contract=off -fno-builtin".split()
    subprocess.run(["gcc", *flags, "-o", str(folder / "n"), str(folder / "n.c"), "-lm"], check=True)
    return [int(line) for line in subprocess.run([folder / "n"], capture_output=True, check=True).stdout.split()]


def loaded(folder: Path, text: str) -> Program:
    (folder / "p.c").write_text(text)
    return load_c([folder / "p.c"], options=COptions("LP64"))


@pytest.mark.parametrize("seed", range(12))
def test_results_are_those_of_the_processor(seed: int, tmp_path: Path) -> None:
    body, count = generated(seed)
    told = processor(body, tmp_path)
    assert len(told) == count
    nan = "(bits(e) & 0x7fffffffffffffffULL) > 0x7ff0000000000000ULL"
    for wrong in (None, Random(seed).randrange(count)):
        table = ", ".join(f"{number ^ (i == wrong)}ULL" for i, number in enumerate(told))
        both = f"{nan} && (told[i] & 0x7fffffffffffffffULL) > 0x7ff0000000000000ULL"
        check = f"if (bits(e) != told[i] && !({both})) reach_error();"
        text = program(f"static const unsigned long long told[] = {{{table}}};\n{body}", check)
        outcome = Interpreter(loaded(tmp_path, text)).run().outcome
        is_nan = wrong is not None and told[wrong] & (2**63 - 1) > 0x7FF0000000000000
        assert isinstance(outcome, Exited if wrong is None or is_nan else ReachedError), (wrong, outcome)


@pytest.mark.parametrize(
    "text",
    [
        "static int up(void) { fesetround(FE_UPWARD); return 1; } "
        "int main(void) { double x = 1, y = x / 3 + up(); return y > 1; }",
        "int main(void) { double x = 1, y = x / 3 + fesetround(FE_UPWARD); return y > 1; }",
        "int main(void) { double x = 2.5; fesetround(FE_UPWARD); return roundeven(x) > 2; }",
        "int main(void) { fesetround(FE_UPWARD); return main(); }",
    ],
)
def test_what_depends_on_the_order_is_refused(text: str, tmp_path: Path) -> None:
    outcome = Interpreter(loaded(tmp_path, HEAD + "extern double roundeven(double);\n" + text)).run().outcome
    assert isinstance(outcome, ReachedUnmodelled)


@pytest.mark.parametrize(
    "value",
    [
        "(x = 1.0) / 3.0",
        "(n = 1) / 3.0",
        "(float)(n = 16777217)",
        "(1 ? 1.0 : x) / 3.0",
        "((void)0, 1.0) / 3.0",
        "rint(2.5)",
        "lrint(2.5)",
        "sqrt(3.0)",
        "fma(1.0, 3.0, 0x1p-80)",
    ],
)
def test_what_compilers_may_know_is_refused(value: str, tmp_path: Path) -> None:
    """gcc computes most of them before the program runs, and some not."""
    text = f"int main(void) {{ double x; int n; fesetround(FE_UPWARD); return {value} > 1; }}"
    assert isinstance(Interpreter(loaded(tmp_path, HEAD + text)).run().outcome, ReachedUnmodelled)


@pytest.mark.parametrize(
    "value", ["(double)(n = 5)", "(d = 1.0)", "fabs(2.5)", "1.0 / 3.0", "x / 3.0", "(n = n) / 3.0"]
)
def test_what_is_known_to_all_is_not(value: str, tmp_path: Path) -> None:
    text = f"int main(void) {{ double x = 1, d; int n = 1; fesetround(FE_UPWARD); return {value} > 1; }}"
    assert isinstance(Interpreter(loaded(tmp_path, HEAD + text)).run().outcome, Exited)


def test_functions_that_only_asm_calls_round_by_the_mode(tmp_path: Path) -> None:
    text = (
        "void f(void) { double x = 1.0; if (x / 3.0 > 1.0 / 3.0) reach_error(); }"
        'int main(void) { fesetround(FE_UPWARD); __asm__("call *%0" : : "r"(f) : "memory"); return 0; }'
    )
    assert not loaded(tmp_path, HEAD + text).gaps_are_harmless
