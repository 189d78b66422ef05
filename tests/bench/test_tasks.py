"""What users name becomes tasks with expected verdicts; configurations are what `craton verify` would take."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from craton.bench.configurations import BadConfiguration, Configuration, configurations, with_witnesses
from craton.bench.tasks import NoTasks, digest, find_tasks
from craton.frontends.task_definitions import TaskError

PROPERTIES = {
    "unreach-call": "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
    "valid-memsafety": "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n",
    "no-overflow": "CHECK( init(main()), LTL(G ! overflow) )\n",
}

ONE = """\
format_version: '1.0'
input_files: one.c
properties:
  - property_file: properties/unreach-call.prp
    expected_verdict: true
"""
TWO = """\
format_version: '2.0'
input_files: [two.c, two_more.c]
properties:
  - property_file: properties/unreach-call.prp
    expected_verdict: false
  - property_file: properties/valid-memsafety.prp
    expected_verdict: false
    subproperty: valid-deref
  - property_file: properties/no-overflow.prp
options: {language: C, data_model: LP64}
"""
THREE = """\
format_version: '2.1'
input_files: 'three.c'
options: {language: C}
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small collection, with things in it that are no tasks."""
    texts = {f"c/properties/{name}.prp": text for name, text in PROPERTIES.items()}
    texts |= {"c/one.yml": ONE, "c/two.yml": TWO, "c/three.yml": THREE, "c/settings.yml": "colour: red\n"}
    texts |= {f"c/{name}.c": "int main(void) { return 0; }\n" for name in ("one", "two", "two_more", "three", "alone")}
    texts |= {
        "boogie/safe.bpl": "// A program.\n//#Safe\nprocedure main() {}\n",
        "boogie/unsafe.bpl": "/* #Unsafe\n*/ procedure main() { assert false; }\n",
        "boogie/late.bpl": "procedure main() {} // #Safe: not in the first comment\n",
        "horn/sat.smt2": "(set-logic HORN)\n(set-info :status sat)\n(check-sat)\n",
        "horn/open.smt2": "(set-logic HORN)\n(check-sat)\n",
        "Some-Tasks.set": "# the first one\nc/on*.yml\n\nc/two.yml # and another\n",
        "notes.txt": "nothing\n",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(*names: str) -> list[tuple[str, str, str, str | None]]:
    return [(task.name, task.category, task.property, task.expected) for task in find_tasks(names)]


def test_task_definitions_of_all_formats(tree: Path) -> None:
    assert found("c/one.yml", "c/two.yml", "c/three.yml") == [
        ("c/one.yml", "c", "unreach-call", "true"),
        ("c/two.yml", "c", "unreach-call", "false"),
        ("c/two.yml", "c", "valid-memsafety", "false(valid-deref)"),
        ("c/two.yml", "c", "no-overflow", None),
        ("c/three.yml", "c", "unreach-call", None),
    ]
    memory = find_tasks(["c/two.yml"], only="valid-memsafety")
    assert [task.arguments() for task in memory] == [["c/two.yml", "--property", "c/properties/valid-memsafety.prp"]]


def test_sets_have_patterns_and_comments(tree: Path) -> None:
    assert found("Some-Tasks.set")[:2] == [
        ("c/one.yml", "Some-Tasks", "unreach-call", "true"),
        ("c/two.yml", "Some-Tasks", "unreach-call", "false"),
    ]


def test_programs_say_what_is_expected(tree: Path) -> None:
    assert found("boogie") == [
        ("boogie/late.bpl", "boogie", "unreach-call", None),
        ("boogie/safe.bpl", "boogie", "unreach-call", "true"),
        ("boogie/unsafe.bpl", "boogie", "unreach-call", "false"),
    ]
    assert found("horn") == [
        ("horn/open.smt2", "horn", "satisfiability", None),
        ("horn/sat.smt2", "horn", "satisfiability", "true"),
    ]
    assert found("c/alone.c") == [("c/alone.c", "c", "unreach-call", None)]


def test_task_definitions_of_clauses(tree: Path) -> None:
    """The task says what is expected, and else the script; there is no property file to hand on."""
    definition = "format_version: '2.0'\ninput_files: sat.smt2\n"
    wanted = "properties:\n  - property_file: check-sat.prp\n    expected_verdict: false\n"
    (tree / "horn" / "said.yml").write_text(definition + wanted)
    (tree / "horn" / "unsaid.yml").write_text(definition)
    assert found("horn/said.yml") == [("horn/said.yml", "horn", "satisfiability", "false")]
    assert found("horn/unsaid.yml") == [("horn/unsaid.yml", "horn", "satisfiability", "true")]
    assert [task.arguments() for task in find_tasks(["horn/said.yml"])] == [["horn/said.yml"]]


def test_a_directory_is_searched_for_everything(tree: Path) -> None:
    """Sets give the category; programs that belong to a task are no tasks; other YAML is none; nothing comes twice."""
    everything = found(".")
    assert {name for name, *_ in everything} == {
        "c/one.yml", "c/two.yml", "c/three.yml", "c/alone.c",
        "boogie/safe.bpl", "boogie/unsafe.bpl", "boogie/late.bpl", "horn/sat.smt2", "horn/open.smt2",
    }  # fmt: skip
    assert {category for name, category, *_ in everything if name == "c/two.yml"} == {"Some-Tasks"}
    assert len(everything) == len({(name, prop) for name, _, prop, _ in everything}) == 11
    assert found(".", "c", "c/one.yml") == everything


def test_every_third_of_each_category(tree: Path) -> None:
    assert [task.name for task in find_tasks(["boogie", "horn"], every=2)] == [
        "boogie/late.bpl",
        "boogie/unsafe.bpl",
        "horn/open.smt2",
    ]


def test_a_sample_takes_categories_in_turn_and_grows_by_appending(tree: Path) -> None:
    everything = find_tasks(["boogie", "horn", "c/two.yml"])
    samples = [find_tasks(["boogie", "horn", "c/two.yml"], sample=count) for count in range(1, len(everything) + 1)]
    assert len({task.category for task in samples[2]}) == 3
    assert all(longer[:-1] == shorter for shorter, longer in pairwise(samples))
    assert set(samples[-1]) == set(everything)


def test_paths_elsewhere_are_absolute(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree / "boogie")
    assert found("../c/one.yml")[0][0] == str(tree / "c/one.yml")


def test_a_changed_program_changes_the_digest(tree: Path) -> None:
    before = digest(find_tasks(["c"]))
    assert digest(find_tasks(["c"])) == before
    (tree / "c/two_more.c").write_text("int x;\n")
    assert digest(find_tasks(["c"])) != before


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("nowhere", "no such file"),
        ("notes.txt", "no task"),
        ("c/properties", "no tasks here"),
        ("bad.set", r"bad.set:2: no file fits 'x/\*.yml'"),
    ],
)
def test_what_leads_to_no_tasks_is_said(tree: Path, name: str, problem: str) -> None:
    (tree / "bad.set").write_text("c/one.yml\nx/*.yml\n")
    with pytest.raises(NoTasks, match=problem):
        find_tasks([name])


def test_other_mistakes(tree: Path) -> None:
    with pytest.raises(NoTasks, match="no task has the property 'termination'; there are: unreach-call"):
        find_tasks(["boogie"], only="termination")
    with pytest.raises(TaskError, match="no input_files"):
        find_tasks(["c/settings.yml"])
    (tree / "c/two_more.c").unlink()
    with pytest.raises(NoTasks, match=r"cannot read c/two_more.c"):
        digest(find_tasks(["c/two.yml"]))


# --- configurations ---------------------------------------------------------------------------------------------------


def test_configurations_are_lines_or_come_from_files(tmp_path: Path) -> None:
    file = tmp_path / "refiners.toml"
    file.write_text(
        "[configurations]\ncraig = \"--refine 'craig(z3)'\"\nlist = ['--engine', 'predicate', '--seed', '3']\n"
    )
    craig, as_list = (
        Configuration("craig", ("--refine", "craig(z3)")),
        Configuration("list", ("--engine", "predicate", "--seed", "3")),
    )
    line = "--engine predicate --refine 'newton(it, sp)'"
    assert configurations([]) == configurations(["default"]) == [Configuration("default", ())]
    assert configurations([line]) == [Configuration(line, ("--engine", "predicate", "--refine", "newton(it, sp)"))]
    assert configurations(["fast = --engine bounded"]) == [Configuration("fast", ("--engine", "bounded"))]
    assert configurations([str(file)]) == [craig, as_list]
    assert configurations([f"{file}:list", "default"]) == [as_list, Configuration("default", ())]
    assert configurations([f"{file}:list", str(file)]) == [as_list, craig]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("--engine predicat", "configuration '--engine predicat': .*predicat"),
        ("--refine newton(it", "configuration"),
        ("--no-such-option", "unrecognized arguments: --no-such-option"),
        ("--encoding hex", "invalid choice: 'hex'"),
        ("--time-limit 5", "give it to `craton bench`"),
        ("--memory-limit=5", "give it to `craton bench`"),
        ("a=--seed 1 other.c", "unrecognized arguments: other.c"),
        ("fast", "is no configuration"),
        ("--refine 'x", "No closing quotation"),
        ("nowhere.toml", "cannot be read"),
        ("nowhere.toml:x", "cannot be read"),
    ],
)
def test_mistakes_in_configurations_are_told_before_anything_runs(text: str, problem: str) -> None:
    with pytest.raises(BadConfiguration, match=problem):
        configurations([text])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[configurations\n", "not TOML"),
        ("craig = 'x'\n", r"no table \[configurations\]"),
        ("[configurations]\nx = 3\n", "x must be a line of options"),
        ("[configurations]\nx = 'other.c --seed 1'\n", "'other.c' is no option"),
        ("[configurations]\ny = ''\n", "has no configuration 'x'; it has: y"),
    ],
)
def test_mistakes_in_files_are_told(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "c.toml").write_text(content)
    with pytest.raises(BadConfiguration, match=problem):
        configurations([f"{tmp_path}/c.toml:x"])


def test_two_of_a_name_are_refused() -> None:
    with pytest.raises(BadConfiguration, match="two configurations are called 'a'"):
        configurations(["a=--seed 1", "a=--seed 2"])


def test_witnesses_are_asked_for_unless_they_are_already() -> None:
    """The placeholder becomes the path of a file that the run hands on."""
    plain, asking = Configuration("a", ("--seed", "1")), Configuration("b", ("--witness", "{witness}"))
    assert with_witnesses([plain, asking]) == [
        Configuration("a", ("--seed", "1", "--witness", "{witness}")),
        asking,
    ]
    assert asking.arguments() == ["--witness", "{file:witness}"]
