"""Compiled replays: a program gets exactly the values of its counterexample, and only a real violation of the property
counts. The oracle is the C compiler: the programs compare what they got with constants of their own.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from craton.engines.bounded import Bounded
from craton.engines.contract import Budget, Unsafe
from craton.errors import CratonError
from craton.evidence import compiled
from craton.evidence.compiled import run_compiled, write_harness
from craton.evidence.replay import replay
from craton.frontends.programs import Request, load_program
from craton.logic import BitVec
from craton.processes.compilers import compilers
from craton.program.blocks import encode_blocks
from craton.program.cfa import Location, Program
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.open_values import Number
from craton.program.execution.outcomes import ReachedError
from craton.program.preparation import prepare
from craton.program.statements import Input
from craton.traces.execution import execution
from craton.verdicts.counterexample import Compiled, NotCompiled, NotReached, Reached, ReadValue, Replay
from support.machine import has_32_bits, runs_32_bits
from support.programs import EXAMPLES, Example

pytestmark = pytest.mark.skipif(not compilers(), reason="there is no C compiler")

PROPERTIES = {
    "unreach-call": "G ! call(reach_error())",
    "no-overflow": "G ! overflow",
    "valid-deref": "G valid-deref",
    "valid-free": "G valid-free",
    "valid-memtrack": "G valid-memtrack",
    "valid-memcleanup": "G valid-memcleanup",
}
PRELUDE = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void); extern void __VERIFIER_assume(int);
extern void *malloc(__SIZE_TYPE__); extern void free(void *); extern void abort(void); extern void exit(int);
"""


@pytest.fixture(autouse=True)
def _possible_here(request: pytest.FixtureRequest) -> None:
    """Examples are of 32 bits, for which the machine may have no libraries; the sanitizer needs them."""
    callspec = getattr(request.node, "callspec", None)
    given = () if callspec is None else callspec.params.values()
    wanted = any(value == "ILP32" or isinstance(value, Example) for value in given)
    if not wanted and not request.node.get_closest_marker("ilp32"):
        return
    if not runs_32_bits():
        pytest.skip("the compiler makes no programs of 32 bits")
    words = [value.expected if isinstance(value, Example) else str(value) for value in given]
    if not has_32_bits() and any(name in word for word in words for name in ("valid-deref", "valid-free")):
        pytest.skip("there is no address sanitizer for programs of 32 bits")


@pytest.fixture(autouse=True)
def _one_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are tried in vain, and cost time, wherever an error is not to be reached."""
    monkeypatch.setattr(compiled, "compilers", lambda: compilers()[:1])


def requested(folder: Path, text: str, violated: str | None = None, model: str = "LP64", name: str = "p.c") -> Request:
    (folder / name).write_text(text)
    if violated is None:
        return Request((str(folder / name),), data_model=model, unknown_functions="pure")
    specification = folder / "p.prp"
    specification.write_text(f"CHECK( init(main()), LTL({PROPERTIES[violated]}) )\n")
    return Request((str(folder / name),), str(specification), model, unknown_functions="pure")


def counterexample(program: Program, inputs: tuple[Number, ...]) -> Replay:
    """What the interpreter does on the inputs: it must reach an error."""
    run = Interpreter(program).run(inputs)
    assert isinstance(run.outcome, ReachedError), run.outcome
    return Replay(run.outcome.location, as_read(program, inputs), ())


def as_read(program: Program, inputs: tuple[Number, ...]) -> tuple[ReadValue, ...]:
    run = Interpreter(program).run(inputs)
    return tuple(ReadValue(source, value, sort) for (source, value), sort in zip(run.inputs, run.sorts, strict=True))


def compiled_run(request: Request, inputs: tuple[Number, ...], violated: str = "unreach-call") -> Compiled:
    """The compiled run on the inputs, whether they lead to an error or not."""
    program = load_program(request)
    return run_compiled(request, program, Replay(Location(0), as_read(program, inputs), ()), violated)


def made(folder: Path) -> subprocess.CompletedProcess[str]:
    """What `make run` says in a directory that was kept."""
    return subprocess.run(["make", "-C", str(folder), "run"], capture_output=True, text=True)


# --- unsafe examples --------------------------------------------------------------------------------------------------

UNSAFE = [e for e in EXAMPLES if e.path.suffix == ".c" and not e.safe and e.inputs is not None]
SOME = [e for e in UNSAFE if [other for other in UNSAFE if other.theme == e.theme].index(e) < 3]  # of each theme


@pytest.mark.parametrize("example", SOME, ids=str)
def test_unsafe_examples_reach_their_error(example: Example) -> None:
    assert example.inputs is not None
    found = counterexample(example.program, example.inputs)
    result = run_compiled(example.request, example.program, found, example.expected[6:-1])
    assert isinstance(result, Reached), result


@pytest.mark.parametrize("compiler", compilers())
def test_every_compiler_of_this_machine_will_do(compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "compilers", lambda: (compiler,))
    for violated, body, bad, good in (VIOLATIONS[0], VIOLATIONS[1], VIOLATIONS[8]):
        request = requested(tmp_path, with_body(body), violated)
        assert isinstance(compiled_run(request, (bad,), violated), Reached)
        assert isinstance(compiled_run(request, (good,), violated), NotReached)


# --- values -----------------------------------------------------------------------------------------------------------

INTEGERS = """
extern char __VERIFIER_nondet_char(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void); extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void); extern unsigned long __VERIFIER_nondet_ulong(void);
extern long long __VERIFIER_nondet_longlong(void); extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern _Bool __VERIFIER_nondet_bool(void); extern void reach_error(void);
int main(void) {
    if (__VERIFIER_nondet_char() != -128) return 1;
    if (__VERIFIER_nondet_uchar() != 254) return 2;
    if (__VERIFIER_nondet_short() != -32767) return 3;
    if (__VERIFIER_nondet_ushort() != 65533) return 4;
    if (__VERIFIER_nondet_int() != -2147483647) return 5;
    if (__VERIFIER_nondet_uint() != 4294967290u) return 6;
    if (sizeof(long) == 4 ? __VERIFIER_nondet_long() != -5 : __VERIFIER_nondet_long() != -1234567890123456789) return 7;
    if (__VERIFIER_nondet_ulong() != ~6ul) return 8;
    if (__VERIFIER_nondet_longlong() != -9223372036854775807ll) return 9;
    if (__VERIFIER_nondet_ulonglong() != 0x8123456789abcdefull) return 10;
    if (__VERIFIER_nondet_bool() != 1) return 11;
    if (__VERIFIER_nondet_char() != 0) return 12;
    reach_error();
}
"""


@pytest.mark.parametrize("model", ["ILP32", "LP64"])
def test_integers_of_every_width_arrive_as_they_are(model: str, tmp_path: Path) -> None:
    request = requested(tmp_path, INTEGERS, model=model)
    a_long = -5 if model == "ILP32" else -1234567890123456789
    values = (-128, 254, -32767, 65533, -2147483647, 4294967290, a_long, -7, -(2**63) + 1, 0x8123456789ABCDEF, 1, 0)
    result = run_compiled(request, *_with_program(request, values), "unreach-call")
    assert isinstance(result, Reached), result
    assert result.inputs == len(values)
    assert isinstance(compiled_run(request, (*values[:-2], 0, 0)), NotReached)


def _with_program(request: Request, values: tuple[Number, ...]) -> tuple[Program, Replay]:
    program = load_program(request)
    return program, counterexample(program, values)


FLOATS = """
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern void reach_error(void);
extern long double nondet_longdouble(void);
int main(void) {
    float f; double d; long double l;
    union { float f; unsigned bits; } single; union { double d; unsigned long long bits; } both;
    f = __VERIFIER_nondet_float(); if (f == f) return 1;
    d = __VERIFIER_nondet_double(); if (d == d) return 2;
    l = nondet_longdouble(); if (l == l) return 3;
    single.f = __VERIFIER_nondet_float(); if (single.bits != 0x80000000u) return 4;
    both.d = __VERIFIER_nondet_double(); if (both.bits != 0x8000000000000000ull) return 5;
    l = nondet_longdouble(); if (l != 0 || 1 / l > 0) return 6;
    single.f = __VERIFIER_nondet_float(); if (single.bits != 1) return 7;
    both.d = __VERIFIER_nondet_double(); if (both.bits != 0xffefffffffffffffull) return 8;
    f = __VERIFIER_nondet_float(); if (f != 1.0f / 0.0f) return 9;
    l = nondet_longdouble(); if (l != 0.1) return 10;
    l = nondet_longdouble(); if (l != -1.5) return 11;
    reach_error();
}
"""


@pytest.mark.parametrize("model", ["ILP32", "LP64"])
def test_floats_of_every_kind_arrive_as_they_are(model: str, tmp_path: Path) -> None:
    """Among them NaN, negative zero, the smallest and the largest number."""
    nan, inf = float("nan"), float("inf")
    values = (nan, nan, nan, -0.0, -0.0, -0.0, 2.0**-149, -1.7976931348623157e308, inf, 0.1, -1.5)
    request = requested(tmp_path, FLOATS, model=model)
    result = run_compiled(request, *_with_program(request, values), "unreach-call")
    assert isinstance(result, Reached), result
    assert isinstance(compiled_run(request, (*values[:3], 0.0, *values[4:])), NotReached)


@pytest.mark.parametrize(("model", "size"), [("ILP32", 4), ("LP64", 8)])
def test_the_data_model_is_that_of_the_verification(model: str, size: int, tmp_path: Path) -> None:
    text = f"{PRELUDE} int main(void) {{ if (sizeof(long) == {size} && sizeof(void *) == {size}) reach_error(); }}"
    assert isinstance(compiled_run(requested(tmp_path, text, model=model), ()), Reached)


def test_values_stand_in_one_sequence_for_all_functions(tmp_path: Path) -> None:
    text = (
        PRELUDE
        + """
    extern unsigned char __VERIFIER_nondet_uchar(void);
    int main(void) {
        int a = __VERIFIER_nondet_int(); int b = __VERIFIER_nondet_uchar(); int c = __VERIFIER_nondet_int();
        if (a == 1 && b == 2 && c == 3) reach_error();
    }"""
    )
    assert isinstance(compiled_run(requested(tmp_path, text), (1, 2, 3)), Reached)
    assert isinstance(compiled_run(requested(tmp_path, text), (1, 3, 2)), NotReached)


# --- properties -------------------------------------------------------------------------------------------------------

VIOLATIONS = [
    ("unreach-call", "if (x == 7) reach_error();", 7, 8),
    ("no-overflow", "x = x + 1;", 2147483647, 5),
    ("no-overflow", "x = -x;", -2147483648, 5),
    ("no-overflow", "x = x - 2;", -2147483647, 5),
    ("no-overflow", "x = x * 65536;", 65536, 5),
    ("no-overflow", "x = x / -1;", -2147483648, 5),
    ("no-overflow", "x++;", 2147483647, 5),
    ("no-overflow", "long y = x; y = y << 40; x = x << 4;", 0x10000000, -5),
    ("no-overflow", "if (x + 1 > 0) x = 7;", 2147483647, 5),
    ("no-overflow", "x = x < 0 ? -x : x;", -2147483648, 5),
    ("valid-deref", "int a[4]; a[x] = 1;", 4, 3),
    ("valid-deref", "char *p = malloc(x); p[3] = 1; free(p);", 3, 4),
    ("valid-deref", "int *p = malloc(4); *p = 0; if (x) free(p); x = *p; if (!x) return 0; free(p);", 1, 0),
    ("valid-deref", "number[x] = 1; text[x] = 1;", -1, 0),
    ("valid-deref", "text[x] = 1;", -1, 0),
    ("valid-deref", "int *p = 0; if (x) p = &x; *p = 1;", 0, 1),
    ("valid-free", "int *p = malloc(4); free(p); if (x) free(p);", 1, 0),
    ("valid-free", "char *p = malloc(4); free(p + x);", 1, 0),
    ("valid-free", "void *p = &x; if (x) free(p);", 1, 0),
    ("valid-memtrack", "void *p = malloc(4); if (x) free(p); return 0;", 0, 1),
    ("valid-memtrack", "void *p = malloc(4); kept = 0; if (x) kept = p; return 0;", 0, 1),
    ("valid-memcleanup", "kept = malloc(4); if (x) free(kept); return 0;", 0, 1),
    ("valid-memcleanup", "kept = malloc(4); if (x) free(kept); exit(0);", 0, 1),
]


def with_body(body: str) -> str:
    globals_ = "int number[1] = {1}; char text[2]; void *kept;"
    return f"{PRELUDE} {globals_} int main(void) {{ int x = __VERIFIER_nondet_int(); {body} return 0; }}"


# Both models for the first case of each property.
FIRST = {violated: body for violated, body, _, _ in reversed(VIOLATIONS)}


@pytest.mark.parametrize(
    ("violated", "body", "bad", "good", "model"),
    [
        (*case, model)
        for case in VIOLATIONS
        for model in ("LP64", "ILP32")
        if model == "LP64" or FIRST[case[0]] == case[1]
    ],
)
def test_a_violation_counts_and_nothing_else(
    violated: str, body: str, bad: int, good: int, model: str, tmp_path: Path
) -> None:
    request = requested(tmp_path, with_body(body), violated, model)
    program = load_program(request)
    result = run_compiled(request, program, counterexample(program, (bad,)), violated)
    assert isinstance(result, Reached), result
    assert isinstance(compiled_run(request, (good,), violated), NotReached)


def test_another_violation_than_that_of_the_verdict_does_not_count(tmp_path: Path) -> None:
    text = (
        PRELUDE + "int main(void) { char *p = malloc(1); p[__VERIFIER_nondet_int()] = 1; free(p); free(p); return 0; }"
    )
    request = requested(tmp_path, text, "valid-free")
    result = compiled_run(request, (9,), "valid-free")
    assert isinstance(result, NotReached)
    assert "heap-buffer-overflow" in result.reason
    assert isinstance(compiled_run(request, (0,), "valid-free"), Reached)


def test_a_program_is_not_stopped_by_what_is_no_violation_of_its_property(tmp_path: Path) -> None:
    """Memory stays where it is, overflow wraps around: as in the program that was verified."""
    text = (
        PRELUDE
        + """
    int main(void) {
        int x = __VERIFIER_nondet_int(); int *p = malloc(4); int *q;
        free(p); free(p); q = malloc(4); *p = 1; *q = 2;
        if (*p == 1 && x + 1 < x) reach_error();
    }"""
    )
    assert isinstance(compiled_run(requested(tmp_path, text, "unreach-call"), (2147483647,)), Reached)


# --- errors in the text -----------------------------------------------------------------------------------------------

BODIES = {
    "empty": "void reach_error() {}",
    "of its own": "void reach_error() { extern void abort(void); abort(); }",
    "static": "static int reach_error() { return 0; }",
    "inline": "inline void reach_error() { }",
    "with parameters": "void reach_error(const char *why, int n) { }",
    "of the old style": "reach_error(x) int x;\n{ return x; }",
    "on lines with a tab and umlauts": "/* äöü */\tvoid reach_error() /* ü */ {\n}",
    "on a line that says otherwise": '# 77 "elsewhere.c"\nvoid reach_error() { }',
    "declared only": "extern void reach_error();",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_error_functions_with_a_body_of_any_kind(body: str, tmp_path: Path) -> None:
    text = f"{body}\nextern int nondet();\nint main() {{ if (nondet() == 3) reach_error(0, 1); }}"
    request = requested(tmp_path, text, "unreach-call")
    assert isinstance(compiled_run(request, (3,)), Reached)
    assert isinstance(compiled_run(request, (4,)), NotReached)


def test_an_error_function_in_a_header_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "errors.h").write_text("static void reach_error(void) { }\n")
    text = '#include "lib/errors.h"\nint main(void) { reach_error(); return 0; }'
    assert isinstance(compiled_run(requested(tmp_path, text), ()), Reached)


def test_an_error_function_that_a_macro_makes_is_left_to_the_interpreter(tmp_path: Path) -> None:
    text = "#define MAKE(name) void name(void) { }\nMAKE(reach_error)\nint main(void) { reach_error(); return 0; }"
    result = compiled_run(requested(tmp_path, text), ())
    assert isinstance(result, NotCompiled)
    assert "macro" in result.reason


LABELS = [
    "if (x == 3) goto ERROR; return 0; ERROR: return 1;",
    "if (x == 3) ERROR: x = 0; else x = 1; return x;",
    "switch (x) { case 3: ERROR: ; } return 0;",
    "if (x != 3) return 0; ERROR: { int y = 1; goto ERROR; }",
]


@pytest.mark.parametrize("body", LABELS)
def test_labels(body: str, tmp_path: Path) -> None:
    request = requested(tmp_path, f"{PRELUDE} int main(void) {{ int x = __VERIFIER_nondet_int(); {body} }}")
    assert isinstance(compiled_run(request, (3,)), Reached)
    assert isinstance(compiled_run(request, (4,)), NotReached)


def test_assertions_count_where_the_property_says_so(tmp_path: Path) -> None:
    text = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
    text += "int main(void) { assert(__VERIFIER_nondet_int() != 3); return 0; }"
    request = requested(tmp_path, text)
    assert isinstance(compiled_run(request, (3,)), Reached)
    assert isinstance(compiled_run(request, (4,)), NotReached)
    result = compiled_run(requested(tmp_path, text, "unreach-call"), (3,))
    assert isinstance(result, NotReached)
    assert "assertion" in result.reason


@pytest.mark.parametrize(
    ("body", "inputs", "why"),
    [
        ("__VERIFIER_assume(__VERIFIER_nondet_int() == 1); reach_error();", (2,), "assumption"),
        ("__VERIFIER_nondet_int(); reach_error();", (), "more inputs"),
        ("abort(); reach_error();", (), "signal 6"),
        ("exit(3); reach_error();", (), "exit code 3"),
        ("return 0; reach_error();", (), "without an error"),
        ("*(volatile int *)0 = 1; reach_error();", (), "signal 11"),
    ],
)
def test_what_happened_instead_is_told(body: str, inputs: tuple[int, ...], why: str, tmp_path: Path) -> None:
    request = requested(tmp_path, f"{PRELUDE} int main(void) {{ {body} }}")
    program = load_program(request)
    given = as_read(program, inputs)[: len(inputs)]
    result = run_compiled(request, program, Replay(Location(0), given, ()), "unreach-call")
    assert isinstance(result, NotReached)
    assert why in result.reason


def test_values_for_another_function_are_not_taken(tmp_path: Path) -> None:
    text = (
        PRELUDE
        + "extern int other(void); int main(void) { if (__VERIFIER_nondet_int() == 1) reach_error(); return other(); }"
    )
    request = requested(tmp_path, text)
    program = load_program(request)
    (read, _) = as_read(program, (0, 1))
    false_name = ReadValue(as_read(program, (0, 1))[1].source, 1, read.sort)
    result = run_compiled(request, program, Replay(Location(0), (false_name,), ()), "unreach-call")
    assert isinstance(result, NotReached)
    assert "order" in result.reason


# --- what the program does not define ---------------------------------------------------------------------------------


@pytest.mark.ilp32
def test_missing_bodies_return_the_values_of_the_counterexample(tmp_path: Path) -> None:
    text = """
    struct pair { double first; int second; char third; };
    struct large { int parts[40]; };
    extern int random_number(void);
    extern float half(int); extern void *find(const char *); extern struct pair both(void);
    extern struct large many(int, int); extern void nothing(void); extern int (*chosen)(void); extern char *name;
    extern int numbers[3], unsized[]; extern struct large object; extern void reach_error(void);
    extern void *malloc(__SIZE_TYPE__);
    void unreachable(void) { extern void missing(void); missing(); }
    int main(void) {
        int (*pointer)(void) = random_number; char *given; struct pair p; struct large l;
        if (random_number() != 17) return 1;
        if (pointer() != 4) return 2;
        if (half(3) != 0.5f) return 3;
        if (find("x") != 0) return 4;
        given = find("y"); if (!given) return 5;
        if (find("y") != given) return 6;
        p = both(); l = many(1, 2); nothing();
        if (undeclared(1, 2) != -9) return 7;
        numbers[2] = 1; unsized[100] = 2; object.parts[39] = 3;
        if (chosen || name || numbers[1] || p.first != 0 || l.parts[39]) return 8;
        reach_error();
    }
    """
    request = requested(tmp_path, text, model="ILP32")
    values = (17, 4, 0.5, 0, 0x20000, 0x20000, -9)
    program = load_program(request)
    result = run_compiled(request, program, Replay(Location(0), as_read(program, values)[:7], ()), "unreach-call")
    assert isinstance(result, Reached), result


@pytest.mark.ilp32
def test_programs_that_print_need_no_library(tmp_path: Path) -> None:
    """For ILP32 many machines have none."""
    text = f"""{PRELUDE}
    extern int printf(const char *, ...); extern int puts(const char *); extern int sprintf(char *, const char *, ...);
    extern int fprintf(void *, const char *, ...); extern int fflush(void *); extern void *stdout;
    int main(void) {{
        char text[20];
        puts("a line"); fprintf(stdout, "%5lld|%-3c\\n", 12ll, 'x'); fflush(stdout);
        if (printf("%d %s\\n", __VERIFIER_nondet_int(), "more") != 10) return 0;
        if (sprintf(text, "%#x", 255) == 4 && text[3] == 'f') reach_error();
    }}"""
    request = requested(tmp_path, text, model="ILP32")
    assert isinstance(compiled_run(request, (1234,)), Reached)
    assert isinstance(compiled_run(request, (123,)), NotReached)


def test_several_files_and_what_they_are_told(tmp_path: Path) -> None:
    (tmp_path / "common.h").write_text("inline int twice(int x) { return 2 * x; }\nint shared;\n")
    (tmp_path / "a.c").write_text(
        '#include "common.h"\nextern int other(int); extern void reach_error(void);\n'
        "extern int __VERIFIER_nondet_int(void);\n"
        "int main(int argc, char **argv) { if (other(__VERIFIER_nondet_int()) == LIMIT + argc) reach_error(); }"
    )
    (tmp_path / "b.c").write_text('#include "common.h"\nint other(int x) { return twice(x) + shared; }')
    request = Request((str(tmp_path / "a.c"), str(tmp_path / "b.c")), data_model="LP64", define=("LIMIT=42",))
    assert isinstance(compiled_run(request, (21,)), Reached)
    assert isinstance(compiled_run(request, (20,)), NotReached)


def test_another_entry_than_main(tmp_path: Path) -> None:
    text = (
        f"{PRELUDE} int start(void) {{ if (__VERIFIER_nondet_int() == 3) reach_error(); }} int main() {{ return 1; }}"
    )
    (tmp_path / "p.c").write_text(text)
    (tmp_path / "p.prp").write_text("CHECK( init(start()), LTL(G ! call(reach_error())) )\n")
    request = Request((str(tmp_path / "p.c"),), str(tmp_path / "p.prp"), "LP64")
    assert isinstance(compiled_run(request, (3,)), Reached)
    assert isinstance(compiled_run(request, (4,)), NotReached)


# --- values that the program leaves open ------------------------------------------------------------------------------


def found_by_an_engine(program: Program) -> Replay:
    prepared = prepare(program)
    blocks = encode_blocks(prepared.small.program)
    verdict = Bounded().run(blocks.program, Budget(30.0))
    assert isinstance(verdict, Unsafe)
    run = execution(verdict.trace, verdict.model)
    assert run is not None
    again = replay(prepared.whole, run, prepared.small.then(blocks))
    assert again is not None
    return again


OPEN = {
    "a local": "int x; if (x == 77) reach_error();",
    "a local, twice": "int s = 0; for (int i = 0; i < 2; i++) { int x; s += x == 5 + i; } if (s == 2) reach_error();",
    "a float": "double x; if (x == 1.5) reach_error();",
    "several in one declaration": "unsigned char a, b, *p; if (a == 200 && b == 3) reach_error();",
    "a bool": "_Bool b; if (b) reach_error();",
    "memory": "struct { int v; short w; } *p = malloc(8), *q = malloc(8); if (q->w == 9 && p->v < 0) reach_error();",
    "memory behind a pointer in it": "struct c { int w; }; struct b { int v; struct c *c; };"
    " struct a { int x; struct b *b; } *p = malloc(16); if (!p->x && p->b->v == 7 && p->b->c->w == 8) reach_error();",
    "structs and arrays whose address is taken": "struct { int v; short w; } s, t, *p = &s; int a[4], i = s.w & 3;"
    " if (i) p = &t; if (p->v == 5 && t.w == 6 && a[i] == 7) reach_error();",
    "memory behind a pointer in a struct": "struct b { int v; }; struct { int x; struct b *b; } s, t, *p = &s;"
    " if (t.x) p = &t; if (p->b->v == 7) reach_error();",
    "a variable of others": "extern int elsewhere; if (elsewhere == 12345) reach_error();",
}


@pytest.mark.parametrize("body", OPEN.values(), ids=OPEN.keys())
def test_an_error_that_needs_an_open_value_is_given_one(body: str, tmp_path: Path) -> None:
    request = requested(tmp_path, f"{PRELUDE} int main(void) {{ {body} return 0; }}")
    program = load_program(request)
    found = found_by_an_engine(program)
    result = run_compiled(request, program, found, "unreach-call")
    assert isinstance(result, Reached), result
    assert "uninitialised" in result.reason
    # without those values nobody can reach it
    result = run_compiled(request, program, replace(found, background=None), "unreach-call")
    assert isinstance(result, NotReached)
    assert "leaves open" in result.reason


NEVER_SET = {
    "followed, of the second block": ("valid-deref", "struct n { int h; struct n *n; } *a = malloc(16), *b;"
    " a->n = b = malloc(16); for (b = a; b->n; b = b->n); return b->h;"),
    "freed": ("valid-free", "char **p = malloc(16); p[0] = 0; free(p[0]); free(p[1]); free(p);"),
    "a local": ("valid-deref", "int *p; return *p;"),
    "which decides what is lost": ("valid-memtrack", "int *p = malloc(4); if (*p != 7) free(p); p = 0;"),
}  # fmt: skip


@pytest.mark.parametrize(("violated", "body"), NEVER_SET.values(), ids=NEVER_SET.keys())
def test_memory_errors_by_what_nobody_has_set(violated: str, body: str, tmp_path: Path) -> None:
    request = requested(tmp_path, f"{PRELUDE} int main(void) {{ {body} return 0; }}", violated)
    program = load_program(request)
    found = found_by_an_engine(program)
    result = run_compiled(request, program, found, violated)
    assert isinstance(result, Reached), result
    write_harness(tmp_path / "kept", request, program, found, violated, result)
    assert "error reached" in made(tmp_path / "kept").stderr


def test_open_values_do_not_save_a_wrong_counterexample(tmp_path: Path) -> None:
    text = f"{PRELUDE} int main(void) {{ int x = __VERIFIER_nondet_int(), y; if (x == 3 && y == 4) reach_error(); }}"
    request = requested(tmp_path, text)
    program = load_program(request)
    found = found_by_an_engine(program)
    assert isinstance(run_compiled(request, program, found, "unreach-call"), Reached)
    wrong = replace(found, inputs=(replace(found.inputs[0], value=2),))
    assert not isinstance(run_compiled(request, program, wrong, "unreach-call"), Reached)


def test_memory_stands_for_a_pointer_that_nobody_cared_about(tmp_path: Path) -> None:
    text = f"{PRELUDE} extern int *given(void); int main(void) {{ int *p = given(); *p = 1; reach_error(); return 0; }}"
    request = requested(tmp_path, text)
    program = load_program(request)
    found = counterexample(program, (0,))
    result = run_compiled(request, program, found, "unreach-call")
    assert isinstance(result, Reached), result
    assert "null" in result.reason
    write_harness(tmp_path / "kept", request, program, found, "unreach-call", result)
    assert "error reached" in made(tmp_path / "kept").stderr


def test_open_values_are_zero(tmp_path: Path) -> None:
    text = f"""{PRELUDE}
    int deeper(void) {{ int a[20]; return a[7]; }}
    int dirt(void) {{ int a[40]; for (int i = 0; i < 40; i++) a[i] = 9; return a[3]; }}
    int main(void) {{ int *p = malloc(4); int y = dirt(); int x = deeper(); if (x == 0 && *p == 0) reach_error(); }}"""
    assert isinstance(compiled_run(requested(tmp_path, text), ()), Reached)


# --- where there is nothing to compile --------------------------------------------------------------------------------


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "compilers", compilers)
    request = requested(tmp_path, f"{PRELUDE} int main(void) {{ reach_error(); }}")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert compiled_run(request, ()) == NotCompiled("there is no C compiler: none of cc, gcc and clang")


def test_without_time_nothing_is_said_in_favour_of_the_counterexample(tmp_path: Path) -> None:
    request = requested(tmp_path, f"{PRELUDE} int main(void) {{ reach_error(); }}")
    program = load_program(request)
    result = run_compiled(request, program, found_by_an_engine(program), "unreach-call", seconds=0.0)
    assert isinstance(result, NotReached)
    assert "no time left" in result.reason


def test_boogie_programs_are_not_compiled(tmp_path: Path) -> None:
    request = requested(tmp_path, "procedure main() { assert false; }", name="p.bpl")
    program = load_program(request)
    result = run_compiled(request, program, Replay(Location(0), (), ()), "unreach-call")
    assert result == NotCompiled("Boogie programs are replayed by the interpreter")


def test_what_nobody_defines_is_no_access_to_memory(tmp_path: Path) -> None:
    """A call of it would be one of the null pointer."""
    text = f"{PRELUDE} extern double __sqrt(double); int main(void) {{ return __sqrt(4.0) == 2.0; }}"
    result = compiled_run(requested(tmp_path, text, "valid-deref"), (), "valid-deref")
    assert result == NotCompiled("nobody defines __sqrt")


def test_the_first_complaint_of_the_compiler_is_told(tmp_path: Path) -> None:
    text = f'{PRELUDE} int main(void) {{ __asm__("nonsense nowhere"); reach_error(); }}'
    result = compiled_run(requested(tmp_path, text), ())
    assert isinstance(result, NotCompiled)
    assert "nonsense" in result.reason
    assert "\n" not in result.reason


# --- the directory for people -----------------------------------------------------------------------------------------


def test_a_harness_that_is_kept_can_be_made_and_run(tmp_path: Path) -> None:
    text = f"{PRELUDE} int main(void) {{ if (__VERIFIER_nondet_int() == 3) reach_error(); return 0; }}"
    request = requested(tmp_path, text, name="a $program.c")
    program = load_program(request)
    for value, said in ((3, "error reached: unreach-call"), (4, "replay: ends")):
        folder = tmp_path / "kept" / str(value)
        write_harness(folder, request, program, Replay(Location(0), as_read(program, (value,)), ()), "unreach-call")
        assert (folder / "README").read_text().count("\n") == 1
        assert "/* __VERIFIER_nondet_int() = " in (folder / "harness.c").read_text()
        done = made(folder)
        assert said in done.stderr
        assert (done.returncode == 0) == (value == 4)


def test_a_harness_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    request = requested(tmp_path, f"{PRELUDE} int main(void) {{ reach_error(); }}")
    program = load_program(request)
    with pytest.raises(CratonError, match="cannot write"):
        write_harness(tmp_path / "p.c" / "inside", request, program, Replay(Location(0), (), ()), "unreach-call")


# --- the C library's own functions ------------------------------------------------------------------------------------


def test_functions_of_the_c_library_do_what_they_do(tmp_path: Path) -> None:
    """No stub returns what they cannot: `rand` keeps its sequence, whatever a counterexample says."""
    text = PRELUDE + "extern int rand(void); int main(void) { if (rand() < 0) reach_error(); return 0; }"
    request = requested(tmp_path, text)
    program = load_program(request)
    minus_one = ReadValue(Input("rand", "int"), (1 << 32) - 1, BitVec(32))
    result = run_compiled(request, program, Replay(Location(0), (minus_one,), ()), "unreach-call")
    assert isinstance(result, NotReached), result


@pytest.mark.parametrize(("typed", "expected"), [(ord("q"), Reached), (ord("p"), NotReached), (2**32 - 1, NotReached)])
def test_characters_are_typed(typed: int, expected: type, tmp_path: Path) -> None:
    text = PRELUDE + "extern int getchar(void); int main(void) { if (getchar() == 'q') reach_error(); return 0; }"
    request = requested(tmp_path, text)
    read = ReadValue(Input("getchar", "int"), typed, BitVec(32))
    result = run_compiled(request, load_program(request), Replay(Location(0), (read,), ()), "unreach-call")
    assert isinstance(result, expected), result


@pytest.mark.parametrize(
    "declared",
    [
        "extern void die(void) __attribute__((noreturn));",
        "__attribute__((__noreturn__)) extern void die(void);",
        "_Noreturn void die(void);",
    ],
)
def test_what_does_not_return_does_not_return(declared: str, tmp_path: Path) -> None:
    text = PRELUDE + declared + " int main(void) { die(); reach_error(); return 0; }"
    request = requested(tmp_path, text)
    result = run_compiled(request, load_program(request), Replay(Location(0), (), ()), "unreach-call")
    assert isinstance(result, NotReached), result
    assert "does not return" in result.reason
