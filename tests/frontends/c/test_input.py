"""Reading files: errors, several files, macros and headers, deep nesting, what the program remembers of its text."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.errors import CratonError
from craton.frontends.c import COptions, load_c
from craton.frontends.c.syntax.unknown_functions import UnknownFunctions
from craton.program.cfa import Program, Unmodelled
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Exited, ReachedError, ReachedUnmodelled
from craton.program.statements import Havoc, Input


def write(folder: Path, text: str, name: str = "program.c") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def loaded(folder: Path, text: str, **options: object) -> Program:
    return load_c([write(folder, text)], options=COptions(**options))  # type: ignore[arg-type]


def exit_value(program: Program, *inputs: int) -> int:
    outcome = Interpreter(program).run(inputs).outcome
    assert isinstance(outcome, Exited) and outcome.values is not None, outcome
    return int(outcome.values[0])


def exit_value_of(program: Program, seed: int) -> int:
    """Of a run on drawn values."""
    outcome = Interpreter(program).run(seed=seed).outcome
    assert isinstance(outcome, Exited) and outcome.values is not None, outcome
    return int(outcome.values[0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("  \n", "is empty"),
        ("int main\0(void);", "zero bytes"),
        ("int f(void) { return 0; }", "no function main"),
        ("int main(void) { return 0 }", "expected ';'"),
        ('#include "program.c"\nint main(void) { return 0; }', "nested too deeply"),
        ('#include "nowhere.h"\n', "file not found"),
    ],
)
def test_bad_input_is_one_clear_error(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(CratonError, match=message):
        loaded(tmp_path, text)


def test_a_cyclic_include_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(CratonError) as caught:
        loaded(tmp_path, '#include "program.c"\nint main(void) { return 0; }')
    assert str(caught.value).count("\n") == 0


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CratonError, match=r"nowhere\.c: No such file"):
        load_c([tmp_path / "nowhere.c"])


@pytest.mark.parametrize(
    ("text", "construct", "line"),
    [
        ("int main(void) {\n _Complex double z = 0; return 0; }", "_Complex", 2),
        ("typedef int v4 __attribute__((vector_size(16)));\nint main(void) { v4 x; return 0; }", "vector", 2),
    ],
)
def test_unsupported_constructs_are_named_with_their_place(
    text: str, construct: str, line: int, tmp_path: Path
) -> None:
    (unmodelled,) = loaded(tmp_path, text).errors.values()
    assert isinstance(unmodelled, Unmodelled) and construct in unmodelled.description
    assert unmodelled.where is not None and unmodelled.where.line == line


def test_what_is_not_modelled_is_named_with_its_place(tmp_path: Path) -> None:
    program = loaded(tmp_path, "extern int setjmp(int *);\nint main(void) {\n  int b[9]; return setjmp(b); }")
    (found,) = [error for error in program.errors.values() if isinstance(error, Unmodelled)]
    assert "setjmp" in found.description
    assert found.where is not None and found.where.line == 3


def test_several_files_are_linked(tmp_path: Path) -> None:
    first = write(tmp_path, "extern int twice(int); extern int shared; int main(void) { return twice(shared); }", "a.c")
    second = write(tmp_path, "int shared = 21; static int k = 2; int twice(int x) { return k * x; }", "b.c")
    assert exit_value(load_c([first, second])) == 42


def test_static_names_of_several_files_stay_apart(tmp_path: Path) -> None:
    first = write(tmp_path, "static int k = 5; static int f(void) { return k; } extern int g(void);\n"
                  "int main(void) { return f() * 10 + g(); }", "a.c")  # fmt: skip
    second = write(tmp_path, "static int k = 7; static int f(void) { return k; } int g(void) { return f(); }", "b.c")
    assert exit_value(load_c([first, second])) == 57


def test_headers_macros_and_definitions(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    write(tmp_path / "own", "#define STEP(x) ((x) + K)\n", "own.h")
    text = """
#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include "own.h"
#define each(i, n) for (int i = 0; i < (n); i++)
static int sum(int n, ...) { va_list a; va_start(a, n); int s = 0; each(i, n) s += va_arg(a, int); return s; }
int main(void) { assert(sum(2, 3, 4) == 7); assert(strlen("abc") == 3 && isnan(NAN)); return STEP(sum(2, 1, 1)); }
"""
    assert exit_value(loaded(tmp_path, text, include=(str(tmp_path / "own"),), define=("K=40",))) == 42


def test_assert_of_the_header_fails(tmp_path: Path) -> None:
    program = loaded(tmp_path, "#include <assert.h>\nint main(void) { int x = 3;\n assert(x == 4); return 0; }")
    assert isinstance(Interpreter(program).run().outcome, ReachedError)


def test_what_an_assertion_says_is_nowhere_in_memory(tmp_path: Path) -> None:
    """Explanations would show the bytes of its texts before the first statement of the program."""
    text = '#include <assert.h>\nint main(int c, char **v) { assert(c > 0 && "a message"); return !"" + !!"x"; }'
    program = loaded(tmp_path, text)
    assert not any("string" in variable.name for variable in program.globals)
    assert exit_value(loaded(tmp_path, text.replace("c > 0 && ", ""))) == 1


def test_data_models_differ(tmp_path: Path) -> None:
    text = "int main(void) { return sizeof(long) * 10 + sizeof(void *); }"
    assert exit_value(loaded(tmp_path, text, data_model="ILP32")) == 44
    assert exit_value(loaded(tmp_path, text, data_model="LP64")) == 88


def test_edges_know_their_text_and_loops_their_keyword(tmp_path: Path) -> None:
    program = loaded(tmp_path, "int main(void) {\n  int i = 0;\n  while (i < 3)\n    i++;\n  return i;\n}\n")
    ((head, keyword),) = program.loop_heads.items()
    assert keyword is not None and (keyword.line, keyword.column) == (3, 3)
    lines = {edge.origin.line for edge in program.main.edges if edge.origin is not None}
    assert {2, 3, 4, 5} <= lines
    assert all(edge.branch is not None for edge in program.main.outgoing(head))


def test_inputs_are_named_and_typed_by_their_declaration(tmp_path: Path) -> None:
    text = "typedef unsigned short u16; extern u16 __VERIFIER_nondet_u16(void);"
    text += "extern float __VERIFIER_nondet_float(void);"
    program = loaded(
        tmp_path, text + "int main(void) { return __VERIFIER_nondet_u16() + (__VERIFIER_nondet_float() > 1); }"
    )
    sources = [e.statement.source for e in program.edges() if isinstance(e.statement, Havoc)]
    assert [s for s in sources if isinstance(s, Input)] == [
        Input("__VERIFIER_nondet_u16", "unsigned short"),
        Input("__VERIFIER_nondet_float", "float"),
    ]
    run = Interpreter(program).run([70000, 2.5])
    assert [value for _, value in run.inputs] == [70000 - 65536, 0x40200000]


@pytest.mark.parametrize(
    "text",
    [
        "static int g; int *p = &g;",
        "static int g; struct { long n; int *q; } p = {3, &g};",
        "static int g; static void set(void) { g = 1; } void (*p)(void) = set;",
    ],
)
def test_unknown_functions_have_variables_that_nobody_else_names(text: str, tmp_path: Path) -> None:
    """What these begin with leads on to others."""
    text += " void unknown(void); int main(void) { unknown(); return g; }"
    (tmp_path / "shared.c").write_text(text)
    found = load_c([tmp_path / "shared.c"], options=COptions("LP64", unknown_functions=UnknownFunctions.ARBITRARY))
    run = Interpreter(found).run(seed=0).outcome
    assert isinstance(run, ReachedUnmodelled), run


def test_unknown_functions_come_from_a_member_to_its_struct(tmp_path: Path) -> None:
    text = "void unknown(int *); static struct { int a, b; } s; int main(void) { unknown(&s.b); return s.a; }"
    (tmp_path / "member.c").write_text(text)
    found = load_c([tmp_path / "member.c"], options=COptions("LP64", unknown_functions=UnknownFunctions.ARBITRARY))
    assert {exit_value_of(found, seed) for seed in range(9)} != {0}


@pytest.mark.parametrize("name", ["void __VERIFIER_nondet_memory(void *", "int nondet_fill(int *"])
def test_inputs_that_are_given_memory_are_not_modelled(name: str, tmp_path: Path) -> None:
    call = name.split("(")[0].split()[-1]
    (tmp_path / "given.c").write_text(f"extern {name}); int main(void) {{ int x = 0; {call}(&x); return x; }}")
    run = Interpreter(load_c([tmp_path / "given.c"])).run(seed=0).outcome
    assert isinstance(run, ReachedUnmodelled), run


def test_unknown_functions_are_assumptions(tmp_path: Path) -> None:
    program = loaded(tmp_path, "extern int mystery(int); int main(void) { return mystery(3); }")
    assert program.assumptions == ("unknown function mystery returns an arbitrary value and changes nothing",)


def test_only_reachable_functions_are_lowered(tmp_path: Path) -> None:
    text = "int used(void) { return 1; } _Complex double unused(void) { return 1i; } int main(void) { return used(); }"
    assert set(loaded(tmp_path, text).procedures) == {"main", "used"}


def test_loading_is_deterministic(tmp_path: Path) -> None:
    from craton.program.text import to_text

    text = "struct S { int a; struct S *n; } s, *p = &s; int f(int x) { return x ? f(x - 1) : s.a; }"
    text += "int main(void) { p->n = p; return f(p->n->a); }"
    assert to_text(loaded(tmp_path, text)) == to_text(loaded(tmp_path, text))


HEAD = "extern int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int(), y = 0; "
DEEP = {
    "parentheses": ("y = " + "(" * 5000 + "x" + ")" * 5000, 7),
    "nested sums": ("y = " + "(1 + " * 5000 + "x" + ")" * 5000, 5007),
    "long sum": ("y = x" + " + 1" * 5000, 5007),
    "conjunction": ("y = x" + " && x" * 5000, 1),
    "conditionals": ("y = " + "x == 1 ? 2 : " * 2000 + "x", 7),
    "negations": ("y = " + "!" * 5000 + "x", 1),
    "blocks": ("{" * 1000 + "y = x;" + "}" * 1000, 7),
    "ifs": ("if (x) {" * 500 + "y = x;" + "}" * 500, 7),
    "cases": ("switch (x) {" + "".join(f"case {i}: y = {i}; break;" for i in range(10_000)) + "}", 7),
    "labels of one case": ("switch (x) {" + "".join(f"case {i}:" for i in range(2000)) + "y = 3; }", 3),
}


@pytest.mark.parametrize("name", DEEP)
@pytest.mark.large
def test_deep_nesting_does_not_overflow_a_stack(name: str, tmp_path: Path) -> None:
    body, expected = DEEP[name]
    assert exit_value(loaded(tmp_path, f"{HEAD} {body}; return y; }}"), 7) == expected


def test_a_large_table_of_bit_fields_in_shared_memory(tmp_path: Path) -> None:
    """Each field is read and written by initialisers; a csmith program of this kind once took all memory."""
    text = "struct B { unsigned a : 3, b : 7, c : 20; } table[2000] = {"
    text += ",".join(f"{{{i % 8}, {i % 128}, {i}}}" for i in range(2000)) + "};"
    text += "int main(void) { struct B one, *p = &one; p->c = 5; if (p->c == 5) p = &table[1999]; return p->c + p->a; }"
    assert exit_value(loaded(tmp_path, text)) == 1999 + 1999 % 8
