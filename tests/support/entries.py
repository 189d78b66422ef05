"""Files of examples that tests share: one format for all of them, made for reading.

    # a comment: whole lines only
    int: counter pair, one round        a title begins in the first column
        var i j n: Int                  fields: what begins with a word that this kind of file knows
        i := 0                          all else is content, line by line; its indentation is for the eye

What cannot be read is a `BadExample`, which names the file and the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).parent.parent


class BadExample(Exception):
    """An example that cannot be read: where, and what is wrong."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")


@dataclass(frozen=True)
class Line:
    """A line without its indentation, and where it stands, in a way that editors understand."""

    text: str
    place: str


@dataclass(frozen=True)
class Entry:
    """An example as it stands in its file."""

    title: Line
    fields: Mapping[str, Line] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()

    def required(self, name: str) -> str:
        if name not in self.fields:
            raise BadExample(self.title.place, f"{self.title.text!r} has no line `{name} …`")
        return self.fields[name].text

    @property
    def content(self) -> str:
        return "\n".join(line.text for line in self.lines)


def lines_of(text: str, source: str) -> list[Line]:
    """The lines of a text that say something."""
    numbered = ((number, line.strip()) for number, line in enumerate(text.splitlines(), start=1))
    return [Line(line, f"{source}:{number}") for number, line in numbered if line and not line.startswith("#")]


def read_entries(path: Path, fields: Sequence[str]) -> list[Entry]:
    """The entries of a file in their order. Each kind of file says which fields its entries may have."""
    text = path.read_text(encoding="utf-8")
    raw = text.splitlines()
    found: list[list[Line]] = []
    for line in lines_of(text, str(path.relative_to(TESTS))):
        if not raw[int(line.place.rpartition(":")[2]) - 1][0].isspace():
            found.append([])
        elif not found:
            raise BadExample(line.place, f"{line.text!r} belongs to no example: a title comes first, unindented")
        found[-1].append(line)
    entries = [_entry(lines, fields) for lines in found]
    if not entries:
        raise BadExample(str(path), "no example in it")
    return entries


def _entry(lines: Sequence[Line], fields: Sequence[str]) -> Entry:
    title, *rest = lines
    known: dict[str, Line] = {}
    content: list[Line] = []
    for line in rest:
        word, _, value = line.text.partition(" ")
        if word not in fields:
            content.append(line)
            continue
        if content:
            raise BadExample(line.place, f"`{word}` stands after the content of {title.text!r}")
        if word in known:
            raise BadExample(line.place, f"{title.text!r} has a second line `{word} …`")
        known[word] = Line(value.strip(), line.place)
    if not content:
        raise BadExample(title.place, f"{title.text!r} has no content")
    return Entry(title, known, tuple(content))


def theory_and_name(entry: Entry) -> tuple[str, str]:
    """From a title such as `int: counter pair`."""
    theory, colon, name = entry.title.text.partition(": ")
    if not colon or " " in theory:
        raise BadExample(entry.title.place, f"{entry.title.text!r} is not of the form `theory: name`")
    return theory, name


def check_names(titles: Iterable[Line]) -> None:
    """No two examples of a catalogue have one name."""
    seen: dict[str, str] = {}
    for title in titles:
        if title.text in seen:
            raise BadExample(title.place, f"the name {title.text!r} is taken: {seen[title.text]}")
        seen[title.text] = title.place
