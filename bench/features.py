"""What a program of a compiler's test collection uses that nobody asks Craton to run.

The compiler itself tells: its own diagnostics of the program, and the tokens of the preprocessed text without what
headers of the system bring in. Never the name of a file.
"""

from __future__ import annotations

import re
import subprocess
from enum import Enum
from pathlib import Path

SECONDS = 10.0


class Feature(Enum):
    """What a figure leaves out."""

    COMPLEX = "complex numbers"
    VECTORS = "vectors"
    NESTED = "nested functions"
    VARIABLE_STRUCTS = "variable-length arrays in structs"
    SETJMP = "setjmp"


_WORDS = {
    Feature.COMPLEX: re.compile(
        r"\b(?:_Complex|__complex__|__complex)\b|(?<![\w.])(?:\d[\w.]*|\.\d\w*)(?<![xX])[ij][fFlLuU]*\b"
    ),
    Feature.VECTORS: re.compile(r"\b(?:vector_size|__vector_size__|__m(?:64|128|256|512)[di]?)\b"),
    Feature.SETJMP: re.compile(r"\b(?:_setjmp|setjmp|sigsetjmp|__sigsetjmp|__builtin_setjmp)\s*\("),
}
_MESSAGES = {
    Feature.COMPLEX: "does not support complex types",
    Feature.NESTED: "ISO C forbids nested functions",
    Feature.VARIABLE_STRUCTS: "a member of a structure or union cannot have a variably modified type",
}
_LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'")
_MARKER = re.compile(r'^# \d+ "(?P<file>[^"]*)"(?P<flags>[ \d]*)$')
_SYSTEM = "3"  # the flag of line markers for text from headers of the system


def features(file: Path, options: tuple[str, ...]) -> tuple[Feature, ...]:
    """Those that the program has when it is compiled with these options."""
    text = _LITERAL.sub('""', _own_text(_said(("gcc", "-E", *options, str(file))).stdout, str(file)))
    messages = _said(("gcc", "-fsyntax-only", "-pedantic", *options, str(file))).stderr
    found = {feature for feature, words in _WORDS.items() if words.search(text)}
    found |= {feature for feature, message in _MESSAGES.items() if message in messages}
    return tuple(feature for feature in Feature if feature in found)


def _said(command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)


def _own_text(preprocessed: str, file: str) -> str:
    """Without what headers of the system declare, but with what their macros become in the file."""
    lines, own = [], True
    for line in preprocessed.splitlines():
        marker = _MARKER.match(line)
        if marker is not None:
            foreign = _SYSTEM in marker["flags"].split() or marker["file"].startswith("<")
            own = marker["file"] == file or not foreign
        elif own:
            lines.append(line)
    return "\n".join(lines)
