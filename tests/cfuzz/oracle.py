"""What a C compiler makes of a program: compile it for a data model, run it on inputs, report its checksum.

Inputs are one list of Python numbers, taken in call order whatever `__VERIFIER_nondet_*` asks; when they are used up,
zeros follow. `converted` states the conversion to each type; the harness in C does the same.
"""

from __future__ import annotations

import enum
import functools
import math
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

Value = int | float


class Model(enum.Enum):
    """A data model: the width of long and of pointers."""

    ILP32 = 32
    LP64 = 64


@dataclass(frozen=True, slots=True)
class Checksum:
    value: int


@dataclass(frozen=True, slots=True)
class Exit:
    """The program left without reporting a checksum."""

    code: int


@dataclass(frozen=True, slots=True)
class Crash:
    """A signal ended the program, or a sanitizer's report did."""

    reason: str


@dataclass(frozen=True, slots=True)
class Timeout:
    pass


Outcome = Checksum | Exit | Crash | Timeout


class CompileError(Exception):
    """The compiler rejects the program: a mistake of the generator."""


class CompilerCrash(CompileError):
    """The compiler itself fails: a mistake of the compiler."""


# -frounding-math: without it gcc 12 folds `0.0 - (double)i` to `-(double)i` even at -O0, which is -0.0 for i = 0.
FLAGS = ("-fwrapv", "-fno-strict-aliasing", "-std=gnu11", "-ffp-contract=off", "-frounding-math")
PLAIN = ("-O0", "-w")
OPTIMISED = ("-O2", "-w")
SANITIZED = (
    "-O0",
    "-w",
    "-fsanitize=undefined,address,float-cast-overflow",
    "-fno-sanitize=signed-integer-overflow,shift-base",
    "-fno-sanitize-recover=all",
)
MODEL_FLAGS = {Model.LP64: ("-m64",), Model.ILP32: ("-m32", "-msse2", "-mfpmath=sse")}

UNIT = "/* another translation unit */"  # between the units of a program

# The inputs, by `next_input`, which says whether there is one.
NONDETS = r"""
static int read_input(long long *i, double *d) {
    char kind;
    unsigned long long bits;
    if (!next_input(&kind, &bits)) { *i = 0; *d = 0; return 0; }
    if (kind == 'i') { *i = (long long)bits; return 0; }
    memcpy(d, &bits, sizeof *d);
    return 1;
}
static long long integer(void) {
    long long i; double d;
    if (!read_input(&i, &d)) return i;
    return d > -9e18 && d < 9e18 ? (long long)d : 0;
}
#define NONDET(name, type) type __VERIFIER_nondet_##name(void) { return (type)integer(); }
NONDET(char, char) NONDET(uchar, unsigned char) NONDET(short, short) NONDET(ushort, unsigned short)
NONDET(int, int) NONDET(uint, unsigned) NONDET(long, long) NONDET(ulong, unsigned long)
_Bool __VERIFIER_nondet_bool(void) { long long i; double d; return read_input(&i, &d) ? d != 0 : i != 0; }
double __VERIFIER_nondet_double(void) { long long i; double d; return read_input(&i, &d) ? d : (double)i; }
float __VERIFIER_nondet_float(void) { long long i; double d; return read_input(&i, &d) ? (float)d : (float)i; }
"""
HARNESS = f"""
#include <stdio.h>
#include <string.h>
static int next_input(char *kind, unsigned long long *bits) {{ return scanf(" %c%llx", kind, bits) == 2; }}
{NONDETS}
void __VERIFIER_checksum(unsigned long long value) {{ printf("checksum %016llx\\n", value); fflush(stdout); }}
"""


def run(source: str, values: Sequence[Value], model: Model, timeout: float = 5.0) -> Outcome:
    """Compile the program without optimisation and run it once; optimised if the compiler fails otherwise."""
    with tempfile.TemporaryDirectory(prefix="cfuzz") as folder:
        binary = Path(folder) / "program"
        try:
            compiled(source, model, binary)
        except CompilerCrash:
            compiled(source, model, binary, options=OPTIMISED)
        return execute(binary, values, timeout)


def compiled(
    source: str, model: Model, binary: Path, *, compiler: str | None = None, options: Sequence[str] = PLAIN
) -> Path:
    """The program, linked with the harness; raises CompileError with the compiler's words."""
    command = [compiler or default_compiler(), *FLAGS, *MODEL_FLAGS[model], *options, "-x", "c", "-o", str(binary)]
    linked = harness(command[0], model)
    with tempfile.TemporaryDirectory(prefix="cfuzz") as folder:
        files = map(str, written(source, Path(folder)))
        result = subprocess.run([*command, *files, "-x", "none", str(linked), "-lm"], capture_output=True, text=True)
    if result.returncode:
        crashed = "internal compiler error" in result.stderr or result.returncode < 0
        raise (CompilerCrash if crashed else CompileError)(result.stderr)
    return binary


def written(source: str, folder: Path) -> list[Path]:
    """The units of a program as files."""
    files = []
    for number, text in enumerate(source.split(UNIT)):
        files.append(folder / f"program{number or ''}.c")
        files[-1].write_text(text)
    return files


def execute(binary: Path, values: Sequence[Value], timeout: float = 5.0) -> Outcome:
    """Run a compiled program on these inputs."""
    environment = {
        **os.environ,
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    text = " ".join(map(token, values))
    try:
        result = subprocess.run([binary], input=text, capture_output=True, text=True, timeout=timeout, env=environment)
    except subprocess.TimeoutExpired:
        return Timeout()
    if "runtime error" in result.stderr or "AddressSanitizer" in result.stderr:
        return Crash(
            next(line for line in result.stderr.splitlines() if "runtime error" in line or "AddressSan" in line)
        )
    if result.returncode < 0:
        return Crash(f"signal {-result.returncode}")
    if result.stdout.startswith("checksum "):
        return Checksum(int(result.stdout.split()[1], 16))
    return Exit(result.returncode)


def token(value: Value) -> str:
    """An input as the harness reads it: an integer modulo 2^64, or the bits of a double."""
    if isinstance(value, float):
        return f"d{struct.unpack('<Q', struct.pack('<d', value))[0]:x}"
    return f"i{value % (1 << 64):x}"


def converted(value: Value, kind: str, model: Model) -> Value:
    """The input as `__VERIFIER_nondet_<kind>` returns it.

    Integers count modulo 2^64 as signed values and wrap to the type; a float becomes an integer by truncation, or 0 if
    it is out of the range of long long; a bool is whether the value is not 0; floats round once to the type.
    """
    if isinstance(value, int):
        value = wrapped(value, 64, signed=True)
    if kind == "bool":
        return int(value != 0)
    if kind == "double":
        return float(value)
    if kind == "float":
        return single(value)
    if isinstance(value, float):
        value = int(value) if -9e18 < value < 9e18 else 0
    long = model.value
    bits = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": long, "ulong": long}[kind]
    return wrapped(value, bits, signed=not kind.startswith("u"))


def wrapped(value: int, bits: int, *, signed: bool) -> int:
    value %= 1 << bits
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def single(value: Value) -> float:
    """The value rounded once to a float of 32 bits."""
    if isinstance(value, int) and abs(value) > 1 << 53:
        # Round to odd in 54 bits first, so that the second rounding is the only one that counts.
        shift = abs(value).bit_length() - 54
        kept = abs(value) >> shift
        kept |= 1 if abs(value) & ((1 << shift) - 1) else 0
        value = math.copysign(math.ldexp(kept >> 1 | kept & 1, shift + 1), value)
    number = float(value)
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


BOUNDARIES: tuple[Value, ...] = (
    *(0, 1, -1, 2, 7, 127, 128, 255, 256, -128, -129, 32767, 32768, 65535, 65536, -32768, -32769),
    *(2**31 - 1, -(2**31), 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, -(2**63), 0x5555555555555555),
    *(0.5, -0.0, 1.5, -2.75, 1e10, -1e300, 1e-310, math.inf, -math.inf, math.nan, 0.1, 16777217.0),
)


def inputs(seed: int, count: int = 40) -> tuple[Value, ...]:
    """Interesting inputs: small, at a boundary, or any."""
    rng = Random(f"cfuzz inputs {seed}")
    values: list[Value] = []
    for _ in range(count):
        roll = rng.random()
        if roll < 0.5:
            values.append(rng.randint(-8, 20))
        elif roll < 0.8:
            values.append(rng.choice(BOUNDARIES))
        elif roll < 0.95:
            values.append(rng.randint(-(1 << 63), (1 << 63) - 1))
        else:
            values.append(rng.uniform(-1e6, 1e6))
    return tuple(values)


# the machine


@functools.cache
def compilers() -> tuple[str, ...]:
    """The C compilers of this machine, the one to trust first."""
    return tuple(
        name for name in ("gcc", "clang", "cc") if shutil.which(name) and (name != "cc" or not shutil.which("gcc"))
    )


def default_compiler() -> str:
    if not compilers():
        raise FileNotFoundError("no C compiler: install gcc or clang")
    return compilers()[0]


@functools.cache
def models(compiler: str | None = None) -> tuple[Model, ...]:
    """The data models this compiler can compile and link for, here."""
    return tuple(m for m in (Model.LP64, Model.ILP32) if supports(compiler or default_compiler(), m, PLAIN))


@functools.cache
def supports(compiler: str, model: Model, options: tuple[str, ...]) -> bool:
    """Whether a probe compiles and runs."""
    probe = (
        "void __VERIFIER_checksum(unsigned long long); int main(void) { __VERIFIER_checksum(sizeof(long)); return 0; }"
    )
    with tempfile.TemporaryDirectory(prefix="cfuzz") as folder:
        try:
            binary = compiled(probe, model, Path(folder) / "probe", compiler=compiler, options=options)
        except CompileError:
            return False
        return execute(binary, ()) == Checksum(model.value // 8)


@functools.cache
def harness(compiler: str, model: Model, text: str = HARNESS) -> Path:
    """A harness compiled once per model; it is never sanitized itself, only linked."""
    binary = Path(workshop().name) / f"harness-{Path(compiler).name}-{model.name}-{abs(hash(text))}.o"
    command = [compiler, *FLAGS, *MODEL_FLAGS[model], "-O1", "-w", "-x", "c", "-c", "-", "-o", str(binary)]
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode:
        raise CompileError(result.stderr)
    return binary


@functools.cache
def workshop() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="cfuzz-harness", ignore_cleanup_errors=True)
