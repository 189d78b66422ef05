"""What is wrong in a file of examples is said with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import entries
from support.catalogue import read_cores, read_eliminations, read_sequences
from support.entries import BadExample, read_entries
from support.headers import header_of
from support.trace_reader import read_trace
from support.traces import read_examples


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "TESTS", tmp_path)
    monkeypatch.setattr("support.headers.TESTS", tmp_path)


def written(folder: Path, text: str, name: str = "some.trace") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_an_entry_has_a_title_fields_and_content(tmp_path: Path) -> None:
    text = "# about\n\nint: one\n    var x: Int\n    by DER\n\n    (> x 1)\n      (< x 0)\nint: two\n    true\n"
    one, two = read_entries(written(tmp_path, text), ("var", "by"))
    assert one.title.text == "int: one"
    assert {name: line.text for name, line in one.fields.items()} == {"var": "x: Int", "by": "DER"}
    assert [(line.text, line.place) for line in one.lines] == [("(> x 1)", "some.trace:7"), ("(< x 0)", "some.trace:8")]
    assert (two.title.place, two.content, dict(two.fields)) == ("some.trace:9", "true", {})


BAD_FILES = {
    "nothing": ("# only a comment\n", "some.trace: no example in it"),
    "no title": ("    (> x 1)\n", r"some.trace:1: '\(> x 1\)' belongs to no example"),
    "no content": ("int: empty\n    var x: Int\n", "some.trace:1: 'int: empty' has no content"),
    "no declarations": ("int: bare\n    true\n", "some.trace:1: 'int: bare' has no line `var …`"),
    "declared twice": ("int: t\n    var x: Int\n    var y: Int\n    true\n", "some.trace:3: .* a second line `var …`"),
    "declared late": ("int: t\n    true\n    var x: Int\n", "some.trace:3: `var` stands after the content"),
    "no theory": ("title\n    var x: Int\n    true\n", "some.trace:1: 'title' is not of the form `theory: name`"),
    "no sort": ("int: t\n    var x: Integer\n    true\n", "some.trace:2: no sort is called 'Integer'"),
    "one name twice": (
        "int: t\n    var x: Int\n    true\n\nbits: t\n    var x: B8\n    true\n",
        "some.trace:5: the name 't' is taken: some.trace:1",
    ),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_of_traces(case: str, tmp_path: Path) -> None:
    text, problem = BAD_FILES[case]
    with pytest.raises(BadExample, match=problem):
        read_examples([written(tmp_path, text)])


def test_a_term_that_cannot_be_read_is_named_when_it_is_needed(tmp_path: Path) -> None:
    text = "int: t\n    var x: Int\n    x := 1\n    (> x z)\n"
    example = read_examples([written(tmp_path, text)])["t"]
    with pytest.raises(BadExample, match=r"some.trace:4: \(> x z\): cannot read SMT-LIB"):
        _ = example.trace
    (problem,) = read_sequences(written(tmp_path, "Int: t\n    var x: Int\n    (> x 1)\n    (> y 1)\n"))
    with pytest.raises(BadExample, match=r"some.trace:4: \(> y 1\): cannot read"):
        _ = problem.formulas


BAD_TRACES = {
    "an unknown variable": ("y := 1", "text:1: no variable is called 'y': x"),
    "an unknown choice": ("x := 1\nhavoc x z", "text:2: no variable is called 'z'"),
    "never closed": ("2 times {\nx := 1", "text:1: `2 times {` is never closed"),
    "nothing to close": ("x := 1\n}", "text:2: `}` closes nothing"),
    "again without a loop": ("2 times {\nx := 1\n} again {\nx := 2\n}", "text:3: `} again {` goes with `loop { …`"),
    "or without either": ("block {\nx := 1\n} or {\nx := 2\n}", "text:3: `} or {` goes with `either { …`"),
    "branches outside": ("either {\nx := 1\n} or {\n}", "text:1: `either { …` has no place outside of a block"),
    "a loop inside": ("block {\nloop {\nx := 1\n}\n}", "text:2: `loop { …` has no place inside of a block"),
    "a loop without body": ("loop {\n}", "text:1: the last line of a loop's body must be a statement"),
    "a loop that ends in a loop": (
        "loop {\nx := 1\n2 times {\nx := 2\n}\n}",
        "text:5: the last line of a loop's body must be a statement",
    ),
    "other braces": ("while {\n}", "text:1: braces as in `while {` mean nothing"),
    "another sort": ("x := true", "text:1: .*cannot read SMT-LIB"),
}


@pytest.mark.parametrize("case", BAD_TRACES)
def test_a_bad_trace(case: str) -> None:
    text, problem = BAD_TRACES[case]
    with pytest.raises(BadExample, match=problem):
        read_trace("x: Int", text)


def test_the_rounds_of_a_loop_go_through_the_same_edges() -> None:
    trace = read_trace("x: Int", "x := 0\n2 times {\n(< x 5)\nx := (+ x 1)\n}\n(= x 2)")
    assert [str(edge.statement) for edge in trace.edges[1:3]] == ["assume x < 5", "x := x + 1"]
    assert trace.edges[1:3] == trace.edges[3:5]
    assert len(set(trace.locations)) == 4


def test_a_bad_problem(tmp_path: Path) -> None:
    core = "two\n    var x: Int\n    cores 0 and 1\n    (> x 1)\n    (< x 1)\n"
    with pytest.raises(BadExample, match=r"some.trace:3: expected positions as in `0 2 \| 1 2`, not 0 and 1"):
        read_cores(written(tmp_path, core))
    elimination = "Int: one\n    var x: Int\n    exists y\n    (> x 1)\n"
    with pytest.raises(BadExample, match=r"some.trace:3: y is not declared"):
        read_eliminations(written(tmp_path, elimination))


def test_headers_of_programs(tmp_path: Path) -> None:
    good = written(tmp_path, "// expect: true\n// inputs: 1, 2\nint main(void);\n// expect: false\n", "good.c")
    assert header_of(good, ("expect",), ("inputs",)) == {"expect": "true", "inputs": "1, 2"}
    with pytest.raises(BadExample, match=r"good.c:2: nobody reads 'inputs'; known are expect"):
        header_of(good, ("expect",))
    with pytest.raises(BadExample, match=r"good.c:1: no first line `// title: …`"):
        header_of(good, ("expect", "title"), ("inputs",))
    twice = written(tmp_path, "// expect: true\n// expect: true\n", "twice.c")
    with pytest.raises(BadExample, match=r"twice.c:2: 'expect' is said twice"):
        header_of(twice, ("expect",))
