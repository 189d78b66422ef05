"""Our headers say what gcc's say: the values, widths and signs of what they define, for both data models."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from craton.frontends.c import COptions, load_c
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Exited

WIDTHS = (8, 16, 32, 64)
KINDS = ("", "_LEAST", "_FAST")
NAMES = [
    *(f"{sign}INT{kind}{width}_MAX" for sign in ("", "U") for kind in KINDS for width in WIDTHS),
    *(f"INT{kind}{width}_MIN" for kind in KINDS for width in WIDTHS),
    *(f"{sign}INT{width}_C(1)" for sign in ("", "U") for width in WIDTHS),
    *"INTMAX_MAX INTMAX_MIN UINTMAX_MAX INTPTR_MAX INTPTR_MIN UINTPTR_MAX SIZE_MAX PTRDIFF_MAX PTRDIFF_MIN".split(),
    *"WCHAR_MAX WCHAR_MIN WINT_MAX WINT_MIN SIG_ATOMIC_MAX SIG_ATOMIC_MIN INTMAX_C(1) UINTMAX_C(1)".split(),
    *(f"({sign}int{kind.lower()}{width}_t)1" for sign in ("", "u") for kind in KINDS for width in WIDTHS),
    *(f"sizeof(atomic_{u}int{kind.lower()}{width}_t)" for u in ("", "u") for kind in KINDS[1:] for width in WIDTHS),
    *(f"sizeof(atomic_{name}_t)" for name in "char16 char32 wchar intptr uintptr size ptrdiff intmax uintmax".split()),
    *(f"{kind}_{name}" for kind in ("FLT", "DBL", "LDBL") for name in
      "DIG DECIMAL_DIG MIN_10_EXP MAX_10_EXP MIN_EXP MAX_EXP MANT_DIG HAS_SUBNORM".split()),
    *"DECIMAL_DIG FLT_RADIX SEEK_SET SEEK_CUR SEEK_END EOF CHAR_BIT CHAR_MIN CHAR_MAX LLONG_MIN ULLONG_MAX".split(),
]  # fmt: skip
HEADERS = "float inttypes limits stdatomic stdint stdio wchar".split()
INCLUDES = "".join(f"#include <{name}.h>\n" for name in HEADERS)
FLAGS = {"LP64": "-m64", "ILP32": "-m32"}


def told_by_gcc(model: str, folder: Path) -> list[tuple[int, int, bool]]:
    """The value as a number of 64 bits, the size, and whether there are numbers below zero, of each name."""
    shows = "".join(
        f'  printf("%llu %d ", (unsigned long long)({name}), (int)sizeof({name}));\n'
        f'  printf("%d\\n", (__typeof__(+({name})))-1 < 0);\n'
        for name in NAMES
    )
    source, program = folder / "names.c", folder / "names"
    source.write_text(f"{INCLUDES}int main(void) {{\n{shows}  return 0; }}\n")
    made = ["gcc", FLAGS[model], "-std=gnu17", "-w", "-o", str(program), str(source)]
    done = subprocess.run(made, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"gcc does not compile for {model}: {done.stderr[:100]}")
    lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    return [(int(value), int(size), below == "1") for value, size, below in map(str.split, lines)]


@pytest.mark.parametrize("model", ["LP64", pytest.param("ILP32", marks=pytest.mark.ilp32)])
def test_what_headers_define_is_as_gcc_has_it(model: str, tmp_path: Path) -> None:
    """The program ends with the number of the first name that differs, or with zero."""
    expected = zip(NAMES, told_by_gcc(model, tmp_path), strict=True)
    checks = "".join(
        f"  if ((unsigned long long)({name}) != {value}ULL || sizeof({name}) != {size}"
        f" || ((__typeof__(+({name})))-1 < 0) != {below:d}) return {number};\n"
        for number, (name, (value, size, below)) in enumerate(expected, 1)
    )
    source = tmp_path / "same.c"
    source.write_text(f"{INCLUDES}int main(void) {{\n{checks}  return 0; }}\n")
    outcome = Interpreter(load_c([source], options=COptions(model))).run().outcome
    assert isinstance(outcome, Exited) and outcome.values is not None
    assert outcome.values == (0,), NAMES[outcome.values[0] - 1]


_ASKED = "__GLIBC__ __WORDSIZE __TIMESIZE _DEFAULT_SOURCE _POSIX_C_SOURCE __BYTE_ORDER BYTE_ORDER __GCC_IEC_559".split()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@pytest.mark.parametrize("defined", ["", "#define _GNU_SOURCE\n", "#define _XOPEN_SOURCE 600\n"])
@pytest.mark.parametrize("header", ["stdio.h", "stdlib.h", "ctype.h", "time.h", "stddef.h"])
def test_if_asks_the_names_that_headers_define(header: str, defined: str, tmp_path: Path) -> None:
    """What is not defined counts as zero: `__BYTE_ORDER == __BIG_ENDIAN` held once where none of them was."""
    asked = "".join(f"#if {name} + 0\nlong a{name} = {name};\n#else\nlong a{name};\n#endif\n" for name in _ASKED)
    text = f"{defined}#include <{header}>\n{asked}"
    compiled = subprocess.run(["gcc", "-E", "-P", "-xc", "-"], input=text, capture_output=True, text=True, check=True)
    answers = dict(re.findall(r"^long a(\w+)(?: = (\w+))?;$", compiled.stdout, re.MULTILINE))
    checks = " ".join(f"if (a{name} != {answers[name] or 0}) return {n};" for n, name in enumerate(_ASKED, 1))
    source = tmp_path / "program.c"
    source.write_text(f"{text}int main(void) {{ {checks} return 0; }}")
    assert str(Interpreter(load_c([source], options=COptions("LP64"))).run([]).outcome) == "exit with 0"
