"""Finds tasks by names: task definitions, .set files, directories, C and Boogie programs, Horn clauses.

A task definition with several properties is several tasks. A task that is found twice counts once, in the category
where it was found first.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from craton.errors import CratonError
from craton.frontends.task_definitions import TaskDefinition, TaskError, TaskProperty, read_task_definition

DEFINITIONS = (".yml", ".yaml")
CLAUSES = ".smt2"
PROGRAMS = (".c", ".i", ".bpl", CLAUSES)
USUAL_PROPERTY = "unreach-call"  # the property of programs without a property file
SATISFIABILITY = "satisfiability"  # what is asked of Horn clauses

_BOOGIE_EXPECTED = re.compile(r"#(Safe|Unsafe)\b")
_HORN_STATUS = re.compile(r"\(\s*set-info\s+:status\s+(sat|unsat)\s*\)")
_OF_STATUS = {"sat": "true", "unsat": "false"}


class NoTasks(CratonError):
    """A name that is not a task and does not lead to tasks."""


@dataclass(frozen=True, slots=True)
class BenchTask:
    """A program and a property, and the arguments for `craton verify`."""

    name: str  # as shown to the user
    category: str
    property: str
    expected: str | None
    file: Path  # what is verified: a task definition or a program
    property_file: Path | None
    inputs: tuple[Path, ...]  # all files that the verdict depends on

    def arguments(self) -> list[str]:
        """For `craton verify`."""
        chosen = [] if self.property_file is None else ["--property", str(self.property_file)]
        return [str(self.file), *chosen]


def find_tasks(
    names: Sequence[str], only: str | None = None, every: int = 1, sample: int | None = None
) -> list[BenchTask]:
    """The tasks for the names, in a fixed order; only those of a property, every n-th of each category, or a sample."""
    found: dict[tuple[Path, str], BenchTask] = {}
    for name in names:
        before = len(found)
        for task in _named(Path(name)):
            found.setdefault((task.file.resolve(), task.property), task)
        if len(found) == before and not any(True for _ in _named(Path(name))):
            raise NoTasks(f"{name}: no tasks here; known are .yml, .set, {', '.join(PROGRAMS)} and directories of them")
    chosen = [task for task in found.values() if only in (None, task.property)]
    if not chosen:
        properties = ", ".join(sorted({task.property for task in found.values()}))
        raise NoTasks(f"no task has the property {only!r}; there are: {properties}")
    kept = _sampled(chosen, every)
    return kept if sample is None else in_fair_order(kept)[:sample]


def _sampled(tasks: Sequence[BenchTask], every: int) -> list[BenchTask]:
    seen: dict[str, int] = {}
    kept = []
    for task in tasks:
        number = seen.get(task.category, 0)
        seen[task.category] = number + 1
        if number % every == 0:
            kept.append(task)
    return kept


def in_fair_order(tasks: Sequence[BenchTask]) -> list[BenchTask]:
    """A fixed order in which every beginning is a fair sample: categories in turn, each in an order by chance.

    Chance is a digest of the file's name, so the order is the same on every machine and in every directory.
    """
    by_category: dict[str, list[BenchTask]] = {}
    for task in tasks:
        by_category.setdefault(task.category, []).append(task)
    ranked = []
    for category, members in by_category.items():
        for turn, task in enumerate(sorted(members, key=_by_chance)):
            ranked.append((turn, category, task))
    return [task for _, _, task in sorted(ranked, key=lambda place: place[:2])]


def _by_chance(task: BenchTask) -> tuple[str, str]:
    return hashlib.sha256(f"{task.file.name}\0{task.property}".encode()).hexdigest(), task.name


def digest(tasks: Sequence[BenchTask]) -> str:
    """Changes when a task, its property or a program that belongs to it changes."""
    total = hashlib.sha256()
    for task in tasks:
        total.update(f"{task.name}\0{task.property}\0{task.expected}\0".encode())
        for path in (task.file, *task.inputs):
            try:
                total.update(hashlib.sha256(path.read_bytes()).digest())
            except OSError as problem:
                raise NoTasks(f"{task.name}: cannot read {path}: {problem.strerror}") from None
    return total.hexdigest()


# --- kinds of names ---------------------------------------------------------------------------------------------------


def _named(path: Path) -> Iterator[BenchTask]:
    if path.is_dir():
        yield from _directory(path)
    elif not path.exists():
        raise NoTasks(f"{path}: no such file or directory")
    elif path.suffix == ".set":
        yield from _set(path)
    else:
        yield from _file(path, path.resolve().parent.name)


def _file(path: Path, category: str) -> Iterator[BenchTask]:
    if path.suffix in DEFINITIONS:
        yield from _definition(path, category)
    elif path.suffix in PROGRAMS:
        yield _program(path, category)
    else:
        raise NoTasks(f"{path}: no task; known are .yml, .set, {', '.join(PROGRAMS)} and directories of them")


def _directory(directory: Path) -> Iterator[BenchTask]:
    """All tasks below it. Sets come first, since they define categories; inputs of tasks are not tasks themselves."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    inputs: set[Path] = set()
    for path in files:
        if path.suffix == ".set":
            for task in _set(path):
                inputs.update(file.resolve() for file in task.inputs)
                yield task
    for path in files:
        if path.suffix in DEFINITIONS:
            try:
                tasks = list(_definition(path, path.resolve().parent.name))
            except TaskError:
                continue  # YAML files are used for other things, too
            for task in tasks:
                inputs.update(file.resolve() for file in task.inputs)
                yield task
    for path in files:
        if path.suffix in PROGRAMS and path.resolve() not in inputs:
            yield _program(path, path.resolve().parent.name)


def _set(path: Path) -> Iterator[BenchTask]:
    """Lines of patterns, relative to the file. A pattern that matches nothing is an error."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise NoTasks(f"{path}: cannot be read: {problem}") from None
    for number, line in enumerate(lines, 1):
        pattern = line.partition("#")[0].strip()
        if not pattern:
            continue
        try:
            files = _fitting(path.parent, pattern)
        except (ValueError, NotImplementedError) as problem:
            raise NoTasks(f"{path}:{number}: {pattern!r} is no pattern: {problem}") from None
        if not files:
            raise NoTasks(f"{path}:{number}: no file fits {pattern!r}")
        for file in files:
            yield from _file(file, path.stem)


def _fitting(directory: Path, pattern: str) -> list[Path]:
    if not any(character in pattern for character in "*?["):
        return [path for path in (directory / pattern,) if path.exists()]
    root = Path(pattern)
    if root.is_absolute():
        return sorted(Path(root.anchor).glob(str(root.relative_to(root.anchor))))
    return sorted(directory.glob(pattern))


def _definition(path: Path, category: str) -> Iterator[BenchTask]:
    task = read_task_definition(path)
    if task.input_files[0].suffix == CLAUSES:
        yield _of_clauses(path, category, task)
        return
    if not task.properties:
        yield BenchTask(shown(path), category, USUAL_PROPERTY, None, path, None, task.input_files)
    for entry in task.properties:
        inputs = (*task.input_files, entry.file)
        yield BenchTask(shown(path), category, entry.file.stem, _expected(entry), path, entry.file, inputs)


def _of_clauses(path: Path, category: str, task: TaskDefinition) -> BenchTask:
    """Clauses say themselves what is asked; what is to be expected is said by the task, or else by them."""
    told = [said for entry in task.properties if (said := _expected(entry)) is not None]
    expected = told[0] if told else _said(task.input_files[0], _HORN_STATUS, _OF_STATUS)
    return BenchTask(shown(path), category, SATISFIABILITY, expected, path, None, task.input_files)


def _expected(entry: TaskProperty) -> str | None:
    if entry.expected is None:
        return None
    if entry.expected:
        return "true"
    return f"false({entry.subproperty})" if entry.subproperty else "false"


def _program(path: Path, category: str) -> BenchTask:
    expected: str | None = None
    property_name = USUAL_PROPERTY
    if path.suffix == ".bpl":
        expected = _said(path, _BOOGIE_EXPECTED, {"Safe": "true", "Unsafe": "false"})
    elif path.suffix == CLAUSES:
        expected = _said(path, _HORN_STATUS, _OF_STATUS)
        property_name = SATISFIABILITY
    return BenchTask(shown(path), category, property_name, expected, path, None, ())


def _said(path: Path, pattern: re.Pattern[str], meaning: dict[str, str]) -> str | None:
    """The verdict or property given in a program's first comment, or in the status of Horn clauses."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        raise NoTasks(f"{path}: cannot be read: {problem.strerror}") from None
    match = pattern.search(_first_comment(text) if path.suffix == ".bpl" else text)
    return meaning[match.group(1)] if match else None


def _first_comment(text: str) -> str:
    """Consecutive // lines are one comment."""
    text = text.lstrip()
    if text.startswith("/*"):
        return text.partition("*/")[0]
    lines = []
    for line in text.splitlines():
        if not line.strip().startswith("//"):
            break
        lines.append(line)
    return "\n".join(lines)


def shown(path: Path) -> str:
    """Relative to the current directory if below it, so that a campaign is the same wherever the tree is."""
    absolute = path if path.is_absolute() else Path.cwd() / path
    try:
        return str(Path(absolute.resolve().relative_to(Path.cwd().resolve())))
    except ValueError:
        return str(absolute.resolve())
