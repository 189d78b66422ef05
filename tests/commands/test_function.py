"""`--function`: a function on arbitrary arguments and global state; what cannot be chosen is refused by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from craton.frontends.own_memory import OWN_FUNCTION, OWN_MEMORY
from support.commands import command

PROGRAM = """\
#include <assert.h>
enum mode { SLOW, FAST };
static int limit = 10;
static int marks[2];
const int table[3] = {1, 2, 3};
const int *where;
struct pair { int a; };
static int scale(int x, enum mode scale, unsigned char c) {
  if (x < 0 || x > limit) return 0;
  assert(x <= 10);
  return x;
}
int fine(short a, _Bool b, double d) {
  int r = a;
  if (b) r++;
  assert(r <= 32768 && table[0] == 1);
  return r;
}
int sum(void) { assert(marks[0] == 0 || marks[1] != 7); return 0; }
int through(int *p) { return *p; }
int of_pair(struct pair p) { return p.a; }
int from_global(void) { return *where; }
int counting(void) { static int calls; calls++; assert(calls < 5); return calls; }
int any(int n, ...) { return n; }
struct node { int value; struct node *next; };
int length(const struct node *head) {
  int n = 0;
  for (; head; head = head->next) n++;
  assert(n < 2);
  return n;
}
int text(const char *s) { assert(!s || s[7] != 'x'); return 0; }
int same(const char *s) { assert(!s || *s == s[0]); return 0; }
int unknown(const void *p) { assert(!p || *(const int *)p != 513); return 0; }
int calling(int (*f)(int)) { int r = f ? f(3) : 0; assert(r < 100); return r; }
typedef struct { int x; struct { short a; } in[2]; } point;
int typedefs(point p, point *q) { assert(!q || q->in[1].a + p.x != 5); return 0; }
union word { int i; unsigned char b[4]; };
int bytes(union word w) { assert(w.i != 258 || w.b[0] != 2); return 0; }
int texts(const char **v) { assert(!v || !*v || **v != 'q'); return 0; }
int rows(int m[3][2]) { assert(!m || m[1][1] != 9); return 0; }
union reference { int i; int *p; };
int either(union reference r) { return r.i; }
int printing(int (*print)(const char *, ...)) { return print != 0; }
struct loose { char c; int i; } loose, many[2];
int gap(void) { assert(((unsigned char *)&loose)[1] == 0); return 0; }
int gaps(void) { assert(((unsigned char *)many)[9] == 0); return 0; }
int main(void) { return scale(3, FAST, 1); }
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "lib.c"
    file.write_text(PROGRAM)
    return file


def test_global_state_is_arbitrary(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify", program, "--engine", "bounded") == 0  # main itself is fine
    capsys.readouterr()
    assert command("verify", program, "--function", "scale", "--engine", "bounded", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["violated"]["file"], told["violated"]["line"]) == (str(program), 10)
    assert "compiled program" in told["evidence"]
    values = {name: value for step in told["way"] for name, value in step.get("changes", {}).items()}
    assert int(values["limit"]) >= int(values["x"]) > 10


def test_arrays_are_arbitrary_and_constants_are_not(program: Path) -> None:
    assert command("verify", program, "--function", "sum", "--engine", "bounded", "--quiet") == 1
    assert command("verify", program, "--function", "fine", "--engine", "bounded", "--quiet") == 0


@pytest.mark.parametrize("function", ["gap", "gaps"])
def test_what_lies_between_members_is_arbitrary(function: str, program: Path) -> None:
    assert command("verify", program, "--function", function, "--engine", "bounded", "--quiet") != 0


def test_headers_are_those_of_the_file(tmp_path: Path) -> None:
    """A header beside the file counts before one of the same name that -I leads to, and ../ means what it meant."""
    beside, others = tmp_path / "beside", tmp_path / "others"
    beside.mkdir()
    others.mkdir()
    (beside / "limit.h").write_text("#define LIMIT 10\n")
    (others / "limit.h").write_text("#define LIMIT 5\n")
    (tmp_path / "above.h").write_text("#define MOST 6\n")
    text = '#include <assert.h>\n#include "limit.h"\n#include "../above.h"\n'
    (beside / "lib.c").write_text(text + "int f(unsigned x) { if (x <= LIMIT) assert(x <= MOST); return 0; }\n")
    called = ("--function", "f", "-I", others, "--engine", "bounded", "--quiet")
    assert command("verify", beside / "lib.c", *called) == 1


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("either", "an arbitrary argument `r` of either, a union with more than numbers in it, is not supported"),
        ("printing", "an arbitrary argument `print` of printing, a pointer to int (char *, ...), is not supported"),
        ("counting", "an arbitrary value of `calls`, a static local variable of counting, is not supported"),
        ("any", "any number of them, is not supported"),
    ],
)
def test_what_cannot_be_chosen_is_refused(
    function: str, why: str, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("verify", program, "--function", function) == 3
    assert why in capsys.readouterr().err


@pytest.mark.parametrize(
    ("function", "changed"),
    [
        ("length", {"head": OWN_MEMORY, "head->next": OWN_MEMORY}),
        ("text", {"s": OWN_MEMORY, "s[7]": "'x'"}),
        ("unknown", {"p": OWN_MEMORY, "p[0]": "1", "p[1]": "2", "p[2]": "0"}),
        ("calling", {"f": OWN_FUNCTION}),
        ("typedefs", {"q": OWN_MEMORY}),
        ("bytes", {"w.i": "258"}),
        ("texts", {"v": OWN_MEMORY, "*v": OWN_MEMORY, "(*v)[0]": "'q'"}),
        ("rows", {"m": OWN_MEMORY, "m[1][1]": "9"}),
    ],
)
def test_what_pointers_point_to_is_arbitrary(
    function: str, changed: dict[str, str], program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("verify", program, "--function", function, "--engine", "bounded", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert "compiled program" in told["evidence"]
    first, then = told["way"][:2]
    assert changed.items() <= first["changes"].items() and changed.keys() <= set(first["inputs"])
    assert f"int {function}(" in first["text"] and then["depth"] == 1
    assert "craton_" not in json.dumps([told["way"], told["violated"]])


def test_there_is_more_memory_than_was_looked_at(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify", program, "--function", "same", "--engine", "bounded") == 3
    told = capsys.readouterr().out
    assert "no violation where `s` is NULL or points to 8 char of its own, but other memory was not looked at" in told
    assert "try: a main of your own" in told


@pytest.mark.parametrize("function", ["of_pair", "from_global", "through"])
def test_structs_and_pointers_are_called(function: str, program: Path) -> None:
    assert command("verify", program, "--function", function, "--show-properties") == 0


# What kept an argument or a variable from being arbitrary, each in one file: `f` fails for some value.
NOT_ARBITRARY = {
    "a macro of its name": "int f(int x) { assert(x != 7); return x; }\n#define f(x) 0",
    "a macro of a type": "int f(long x) { assert(x != 1L << 40); return 0; }\n#define long int",
    "const of another": "int *const p = 0, b;\nint f(void) { assert(b != 7); return 0; }",
    "a wide enumeration": "enum e { A = 0x100000000, B }; int f(enum e x) { assert(x != A); return 0; }",
    "a narrow one": "enum __attribute__((packed)) e { A = 255 }; int f(enum e x) { assert(x != A); return 0; }",
}


@pytest.mark.parametrize("text", NOT_ARBITRARY.values(), ids=NOT_ARBITRARY)
def test_everything_is_arbitrary(text: str, tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text(f"#include <assert.h>\n{text}\n")
    assert command("verify", file, "--function", "f", "--engine", "bounded", "--quiet") == 1


def test_main_may_be_called_as_a_function(tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text("#include <assert.h>\nint g;\nint main(void) { assert(g != 7); return 0; }\n")
    assert command("verify", file, "--function", "main", "--engine", "bounded", "--quiet") == 1


def test_inputs_of_the_program_itself_are_not_arbitrary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.c"
    file.write_text("static int __VERIFIER_nondet_int(void) { return 1; }\nint f(int x) { return x; }\n")
    assert command("verify", file, "--function", "f") == 3
    assert "defines __VERIFIER_nondet_int itself" in capsys.readouterr().err


def test_variables_of_other_files_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another variable of the name may be what the function's file means by it."""
    one, other = tmp_path / "one.c", tmp_path / "other.c"
    one.write_text("static int g;\nint h(void);\nint f(void) { g = 1; return h(); }\n")
    other.write_text("#include <assert.h>\nint g;\nint h(void) { assert(g != 7); return g; }\n")
    assert command("verify", one, other, "--function", "f") == 3
    assert "`g`, which the file of the function does not define" in capsys.readouterr().err


def test_pointers_in_an_array_are_not_all_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.c"
    file.write_text("#include <assert.h>\nint *where[3];\nint f(void) { assert(!where[1]); return 0; }\n")
    assert command("verify", file, "--function", "f", "--engine", "bounded") == 3
    assert "no violation where `where` is NULL" in capsys.readouterr().out


def test_a_function_that_is_not_there(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify", program, "--function", "nowhere") == 2
    assert "no function nowhere" in capsys.readouterr().err


def test_the_list_has_the_users_names(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify", program, "--function", "scale", "--show-properties") == 0
    assert f"scale.reach.1  {program}:10" in capsys.readouterr().out
    assert command("verify", program, "--function", "scale", "--proof", program.parent / "p.json") == 2


def test_memory_of_its_own_is_called_by_its_pointer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "end.c"
    file.write_text("int end(const int *p) {\n  return p ? p[8] : 0;\n}\n")
    assert command("verify", file, "--function", "end", "--property", "memsafety", "--engine", "bounded", "--json") == 1
    violated = json.loads(capsys.readouterr().out)["violated"]
    assert violated["there"] == {"p": OWN_MEMORY}
    expected = "4 bytes lie at offset 32, beyond the end of what p points to (8 elements, 32 bytes)"
    assert violated["because"] == expected
