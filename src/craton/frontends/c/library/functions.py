"""The records of library functions, read from `functions.txt`: what C and POSIX say of each, as data."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_LINE = re.compile(r"(?P<prototype>.*?\)+) : (?P<effects>.*)")
_SIMPLE = re.compile(r"(?P<result>.*?[ *])(?P<name>\w+)\((?P<parameters>.*)\)")
_RETURNS_FUNCTION = re.compile(r"(?P<before>.*\(\*)(?P<name>\w+)\((?P<parameters>.*)\)\)(?P<after>\(.*\))")
_FLOATING = re.compile(r"(?:const )?(float|(?:long )?double)\b(?!.*[*\[(])")
# The name that parentheses follow; of a function that returns a pointer to one, the inner name.
_NAME = re.compile(r"(\w+)\((?!\*\w+\()")
_INPUT = re.compile(r"[:;] input(?:;|$)")
_REAL = (("double", ""), ("float", "f"), ("long double", "l"))


class Model(enum.Enum):
    """Who says what a call does."""

    HANDLER = "code in Python"
    BODY = "C text"
    CONTRACT = "the record itself: what it writes and returns is arbitrary within its bounds"
    UNMODELLED = "nobody"


@dataclass(frozen=True, slots=True)
class Write:
    """What a function writes or reads through an argument: so many bytes, or one object."""

    through: str
    size: str | None  # C over the parameters; None: one object of the pointer's type


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one library function; bounds and results are C over its parameters."""

    header: str
    prototype: str
    name: str
    parameters: tuple[str, ...]  # as they are declared
    model: Model
    body: str = ""  # the stem of the file that has its C text
    least: str | None = None
    most: str | None = None
    points: tuple[tuple[str, str], ...] = ()  # conditions under which the result is known, and what it is then
    results: tuple[str, ...] = ()  # one of these; `fresh` is memory of the library
    writes: tuple[Write, ...] = ()
    reads: tuple[Write, ...] = ()  # the same of what it reads
    nullable: tuple[str, ...] = ()  # parameters that may be null
    is_input: bool = False
    stops: bool = False
    sets_errno: bool = False
    own_declaration: bool = False  # the system's declaration cannot be spelled in words that need no header

    @property
    def is_variadic(self) -> bool:
        return "..." in self.parameters

    @property
    def result(self) -> str:
        """The type of the result; "" where a function pointer is returned."""
        found = _SIMPLE.fullmatch(self.prototype)
        return found["result"].strip() if found and not _RETURNS_FUNCTION.fullmatch(self.prototype) else ""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters' names."""
        return tuple(_name_in(parameter) for parameter in self.parameters if parameter != "...")


class Records(Mapping[str, Record]):
    """All records, by name. A line is read when somebody asks for its function: most programs call few."""

    def __init__(self, text: str) -> None:
        self._lines: dict[str, tuple[str, str]] = {}  # with the header
        self._read: dict[str, Record] = {}
        header = ""
        for line in text.splitlines():
            if line.startswith("["):
                header = line.strip("[]")
            elif line and not line.startswith("#"):
                for each in _expanded(line):
                    self._lines[_named(each)] = header, each

    def __getitem__(self, name: str) -> Record:
        known = self._read.get(name)
        if known is None:
            known = self._read[name] = _record(*self._lines[name])
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def inputs(self) -> frozenset[str]:
        """The functions whose results are inputs of a program."""
        return frozenset(name for name, (_, line) in self._lines.items() if _INPUT.search(line))


@cache
def records() -> Records:
    return Records((Path(__file__).parent / "functions.txt").read_text(encoding="utf-8"))


def _named(line: str) -> str:
    found = _NAME.search(line)
    assert found, line
    return found[1]


def floating_type(parameter: str) -> str:
    """The type of a parameter that is a floating-point number; "" for others."""
    found = _FLOATING.match(parameter)
    return found[1] if found else ""


def _expanded(line: str) -> list[str]:
    """A line, or those of its three kinds of floats."""
    if not line.startswith("real "):
        return [line]
    lines = []
    for kind, suffix in _REAL:
        named = re.sub(r"^real (\w+)\(", rf"real \1{suffix}(", line)
        lines.append(re.sub(r"\breal\b", kind, named))
    return lines


def _record(header: str, line: str) -> Record:
    parsed = _LINE.fullmatch(line)
    assert parsed, line
    prototype = parsed["prototype"]
    found = _RETURNS_FUNCTION.fullmatch(prototype) or _SIMPLE.fullmatch(prototype)
    assert found, line
    parameters = () if found["parameters"] == "void" else tuple(_split(found["parameters"]))
    fields: dict[str, object] = {"model": Model.CONTRACT}
    writes: list[Write] = []
    points: list[tuple[str, str]] = []
    reads: list[Write] = []
    nullable: list[str] = []
    for effect in parsed["effects"].split("; "):
        word, _, rest = effect.partition(" ")
        match word:
            case "handler":
                fields["model"] = Model.HANDLER
            case "exact":
                fields.update(model=Model.BODY, body=rest or header.removesuffix(".h"))
            case "unmodelled":
                fields.update(model=Model.UNMODELLED, own_declaration=bool(rest))
            case "is":
                fields.update(_results(rest))
            case "at":
                condition, _, value = rest.partition(" is ")
                points.append((condition, value))
            case "writes":
                writes.append(_write(rest))
            case "reads":
                reads.append(_write(rest))
            case "nullable":
                nullable.append(rest)
            case "input":
                fields["is_input"] = True
            case "stops":
                fields["stops"] = True
            case "errno":
                fields["sets_errno"] = True
            case _:
                assert word == "nothing", line
    told = {"points": tuple(points), "writes": tuple(writes), "reads": tuple(reads), "nullable": tuple(nullable)}
    return Record(header, prototype, found["name"], parameters, **told, **fields)  # type: ignore[arg-type]


def _results(text: str) -> dict[str, object]:
    if text == "any":
        return {}
    if " .. " in text:
        least, most = text.split(" .. ")
        return {"least": least, "most": most}
    return {"results": tuple(text.split(" | "))}


def _write(text: str) -> Write:
    if text.startswith("*"):
        return Write(text[1:], None)
    through, size = text.split("[", 1)
    return Write(through, size.removesuffix("]"))


def _split(parameters: str) -> list[str]:
    """At the commas that are in no parentheses."""
    found, depth, begin = [], 0, 0
    for i, character in enumerate(parameters):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            found.append(parameters[begin:i].strip())
            begin = i + 1
    return [*found, parameters[begin:].strip()]


def _name_in(parameter: str) -> str:
    function = re.search(r"\(\*(\w+)\)", parameter)
    found = function or re.search(r"(\w+)(\[\w*\])?$", parameter)
    assert found, parameter
    return found[1]
