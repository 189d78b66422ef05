"""`compile_commands.json`: how a build system compiles files. Directories of headers, macros and the machine are taken
from it; options that change what a text means and that Craton does not know are refused.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from craton.frontends.c.errors import BadInput
from craton.frontends.programs import Request

NAME = "compile_commands.json"
_REFUSED = ("-include", "-imacros", "-U", "-funsigned-char", "-fshort-enums", "-fpack-struct", "-x", "-fshort-wchar")
_SEPARATE = ("-I", "-D", "-isystem", "-iquote")


@dataclass(frozen=True, slots=True)
class Compiled:
    """A file, and the options that matter."""

    file: Path
    include: tuple[str, ...]
    define: tuple[str, ...]
    data_model: str | None


def read_compile_commands(place: Path) -> tuple[Compiled, ...]:
    """Of the file, or of the one in the directory; C files only, each once."""
    path = place / NAME if place.is_dir() else place
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise BadInput(f"cannot read {path}: {problem}") from None
    if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
        raise BadInput(f"{path}: expected a list of commands")
    found = {one.file: one for entry in content for one in _compiled(entry, path)}
    if not found:
        raise BadInput(f"{path}: it compiles no C file")
    return tuple(found.values())


def _compiled(entry: dict[str, Any], path: Path) -> Iterator[Compiled]:
    directory, file = str(entry.get("directory", path.parent)), entry.get("file")
    if not isinstance(file, str):
        raise BadInput(f"{path}: a command without a file")
    if not file.endswith((".c", ".i")):
        return
    words = entry.get("arguments") or shlex.split(str(entry.get("command", "")))
    include: list[str] = []
    define: list[str] = []
    model = None
    for word, value in _options(words):
        if word.startswith(_REFUSED):
            raise BadInput(f"{path}: {file} is compiled with {word}, which Craton does not know: preprocess it first")
        if word in ("-I", "-isystem", "-iquote"):
            include.append(str(Path(directory, value)))
        elif word == "-D":
            define.append(value)
        elif word in ("-m32", "-m64"):
            model = "ILP32" if word == "-m32" else "LP64"
    yield Compiled(Path(directory, file), tuple(include), tuple(define), model)


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options with their values, written together or apart."""
    waiting = iter(words[1:])
    for word in waiting:
        option = next((one for one in _SEPARATE if word.startswith(one)), None)
        if option is None:
            yield word, ""
        else:
            yield option, word[len(option) :] or next(waiting, "")


def with_compile_commands(request: Request, commands: Sequence[Compiled]) -> Request:
    """The request with the options of its files, or of all files if it names none. All files are read with the same
    options, so macros must not contradict each other.
    """
    named = {Path(name).resolve() for name in request.files}
    meant = [one for one in commands if not named or one.file.resolve() in named]
    missing = named - {one.file.resolve() for one in meant}
    if missing:
        raise BadInput(f"{sorted(map(str, missing))[0]}: no command compiles it")
    define: dict[str, str] = {}
    for one in meant:
        for macro in one.define:
            name = macro.partition("=")[0]
            if define.setdefault(name, macro) != macro:
                raise BadInput(f"{one.file}: the macro {name} is defined as {macro}, and as {define[name]} for others")
    models = {one.data_model for one in meant if one.data_model is not None}
    if len(models) > 1:
        raise BadInput("some files are compiled with -m32 and others with -m64")
    include = dict.fromkeys(folder for one in meant for folder in one.include)
    return replace(
        request,
        files=request.files or tuple(str(one.file) for one in meant),
        include=(*request.include, *include),
        define=(*request.define, *define.values()),
        data_model=request.data_model or next(iter(models), None),
    )
