"""The small programs of `engines/programs`, with what their first lines say about them.

// expect: false(no-overflow)     the verdict, in the words of result files
// property: no-overflow          the property file, if it is not the default
// inputs: 2147483647             what an unsafe C program reads on its way to the error
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from craton.frontends.programs import Request, load_program
from craton.program.cfa import Program
from support.entries import TESTS
from support.headers import header_of

FOLDER = TESTS / "engines" / "programs"


@dataclass(frozen=True)
class Example:
    path: Path
    expected: str
    property_file: Path | None
    inputs: tuple[int | float, ...] | None

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}"

    @property
    def safe(self) -> bool:
        return self.expected == "true"

    @property
    def theme(self) -> str:
        return self.path.parent.name

    @property
    def request(self) -> Request:
        return Request((str(self.path),), None if self.property_file is None else str(self.property_file), "ILP32")

    @cached_property
    def program(self) -> Program:
        return load_program(self.request)


def _read(path: Path) -> Example:
    said = header_of(path, ("expect",), ("property", "inputs"))
    named = said.get("property")
    inputs = said.get("inputs")
    return Example(
        path,
        said["expect"],
        None if named is None else FOLDER / f"{named}.prp",
        None if inputs is None else tuple(_number(text) for text in inputs.split(",") if text.strip()),
    )


def _number(text: str) -> int | float:
    text = text.strip()
    return int(text) if text.lstrip("-").isdecimal() else float(text)


EXAMPLES = tuple(_read(path) for path in sorted(FOLDER.glob("*/*.*")))
BY_NAME = {str(example): example for example in EXAMPLES}
