"""The way to an error, as a reader sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from craton import load
from craton.cli import main
from craton.report.way import Rounds, Step, folded, way
from craton.verdicts.counterexample import Replay

LOOP = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
unsigned char u;
int twice(int a) {
  a += a;
  return a;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  int s = 0;
  if (n < 5 || n > 9)
    return 0;
  for (int i = 0; i < n; i++) {
    s = s + 2;
    u += 100;
  }
  s = twice(s);
  if (s == 28)
    reach_error();
  return 0;
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "loop.c"
    path.write_text(LOOP)
    return path


def test_lines_values_inputs_and_rounds(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(file), "--engine", "bounded"]) == 1
    told = capsys.readouterr().out
    assert f"at {file}:19: reach_error();" in told
    assert "int n = __VERIFIER_nondet_int();          n = 7 (input)" in told
    assert "s = s + 2;                                s = 2" in told
    assert "… 5 more rounds" in told
    assert "u += 100;                                 u = 188" in told  # 700 modulo 256
    assert "  a += a;                                 a = 28" in told
    assert "return 0;" not in told


def test_as_data(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(file), "--engine", "bounded", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["violated"]["text"] == "reach_error();"
    read = next(step for step in told["way"] if step.get("line") == 9)
    assert read == {
        "file": str(file),
        "line": 9,
        "text": "int n = __VERIFIER_nondet_int();",
        "changes": {"n": "7"},
        "inputs": ["n"],
        "depth": 0,
        "unspecified": [],
        "calls": {},
    }
    assert {"rounds": 5} in told["way"]
    assert told["way"][-1]["line"] == 19


def steps(*lines: int) -> list[Step]:
    return [Step("p.c", line) for line in lines]


def lines(found: list[Step | Rounds]) -> list[int | str]:
    return [one.line if isinstance(one, Step) else f"{one.number} rounds" for one in found]


@pytest.mark.parametrize(
    ("passed", "expected"),
    [
        ((), []),
        ((1, 2, 3), [1, 2, 3]),
        ((1, 2, 1, 2), [1, 2, 1, 2]),
        ((7, 1, 2, 1, 2, 1, 2, 1, 8), [7, 1, 2, "1 rounds", 1, 2, 1, 8]),
        ((5,) * 9, [5, "7 rounds", 5]),
        ((1, 2, 3) * 4 + (1, 9), [1, 2, 3, "2 rounds", 1, 2, 3, 1, 9]),
        ((1, *(2, 3) * 5) * 2, [1, 2, 3, "3 rounds", 2, 3, 1, 2, 3, "3 rounds", 2, 3]),
        ((1, *(2, 3) * 5) * 4, [1, 2, 3, "3 rounds", 2, 3, "2 rounds", 1, 2, 3, "3 rounds", 2, 3]),
    ],
)
def test_rounds_are_folded(passed: tuple[int, ...], expected: list[int | str]) -> None:
    assert lines(folded(steps(*passed))) == expected


def test_a_run_may_read_more_than_it_was_given() -> None:
    """The compiled program asks its environment, and nobody wrote down what it found."""
    text = '#include <assert.h>\n#include <stdlib.h>\nint main(void) { char *s = getenv("A"); assert(s); return 0; }\n'
    program = load(source=text)
    ((location, violated),) = program.errors.items()
    steps = way(Replay(location, (), ()), program, violated).steps
    assert [step.line for step in steps if isinstance(step, Step)][-1] == 3


def test_a_call_of_the_library_is_told_with_its_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And nothing of what is inside; a stream has its name."""
    file = tmp_path / "line.c"
    file.write_text(
        "#include <assert.h>\n#include <stdio.h>\nint main(void) {\n  char line[4];\n"
        "  if (!fgets(line, sizeof line, stdin)) return 0;\n  assert(line[0] != 7 || line[1] != 3);\n}\n"
    )
    assert main(["verify", str(file), "--engine", "bounded", "--json"]) == 1
    (calls,) = [step["calls"] for step in json.loads(capsys.readouterr().out)["way"] if step.get("calls")]
    assert calls == {"fgets": {"s": "line", "n": "4", "f": "stdin"}}


def test_rows_behind_a_pointer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """
extern void reach_error(void);
void put(int m[2][3]) { m[0][2] = 7; m[1][0] = 8; }
int main(void) {
  int m[2][3];
  put(m);
  if (m[0][2] == 7 && m[1][0] == 8)
    reach_error();
  return 0;
}
"""
    (tmp_path / "rows.c").write_text(text)
    main(["verify", str(tmp_path / "rows.c"), "--json"])
    changes = [step.get("changes", {}) for step in json.loads(capsys.readouterr().out)["way"]]
    assert {"m[0][2]": "7"} in [{name: one[name] for name in one if "2]" in name} for one in changes]
    assert not any("m[2]" in one for one in changes)


@pytest.mark.parametrize(
    ("property_", "body", "there"),
    [
        ("memsafety", "int *p = 0; if (n == 4) n = *p;", {"p": "NULL"}),
        ("memsafety", "int a[3], i = 0; while (i < n && i < 9) { a[i] = n; i++; }", {"i": "3"}),
        ("reach", "int y = 3; n = n & 7; assert(y + n != 8); y = 9;", {"y": "3", "n": "5"}),
        ("div-by-zero", "n = over(8, n);", {"a": "8", "b": "0"}),
    ],
    ids=["a pointer", "an index", "an assertion", "parameters of the function that runs"],
)
def test_what_the_failing_statement_speaks_of(
    property_: str, body: str, there: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "there.c"
    file.write_text(
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint over(int a, int b) { return a / b; }\n"
        f"int main(void) {{ int n = __VERIFIER_nondet_int();\n{body}\nreturn 0; }}\n"
    )
    assert main(["verify", str(file), "--property", property_, "--engine", "bounded", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["violated"]["there"]
    assert {name: found[name] for name in there} == there


def test_what_the_model_writes_down_is_no_memory() -> None:
    """A block's size stands in a table by the block's number, which is no address behind NULL."""
    text = """#include <stdlib.h>
struct node { struct node *next; int v; };
int main(void) {
  struct node *head = NULL, *n = malloc(sizeof *n);
  n->next = head;
  free(n);
  return n->v;
}
"""
    program = load(source=text, property="memsafety")
    ways = [way(Replay(location, (), ()), program, violated) for location, violated in program.errors.items()]
    (passed,) = [one.steps for one in ways if one.steps]
    changes = {step.line: step.changes for step in passed if isinstance(step, Step)}
    assert changes == {4: {"head": "NULL", "n": "block 1"}, 5: {"n->next": "NULL"}, 6: {}, 7: {}}


def test_what_the_failing_statement_read_from_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """
    #include <assert.h>
    struct point { int x, y; };
    int main(void) {
      int a[2][2] = {{1, 2}, {3, 4}}, i = 1;
      struct point p, *q = &p;
      p.x = 7; p.y = 4;
      assert(a[i][0] == 3 && q->x != 7);
    }
    """
    file = tmp_path / "reads.c"
    file.write_text(text)
    assert main(["verify", str(file), "--engine", "bounded", "--json"]) == 1
    there = json.loads(capsys.readouterr().out)["violated"]["there"]
    assert list(there.items())[:3] == [("i", "1"), ("q", "&p"), ("a[1][0]", "3")] and "7" in there.values()
