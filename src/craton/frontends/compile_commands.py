"""`compile_commands.json`: how a build system compiles files. Directories of headers, macros, the standard and the
machine are taken from it. Any other option has to be one that is known to change nothing of what a text means, or it
is refused; and all files that make a program have to be read in the same way, since Craton reads them so.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from craton.frontends.c.errors import BadInput
from craton.frontends.programs import Request

NAME = "compile_commands.json"
_FOLDERS = ("-iquote", "-I", "-isystem")  # in the order in which they are searched
_WITH_VALUE = (*_FOLDERS, "-D", "-o", "-MF", "-MT", "-MQ", "-MJ", "-x", "-Xlinker", "-Xassembler", "--param")
_VERSIONS = {"99": "199901L", "9x": "199901L", "11": "201112L", "1x": "201112L", "17": "201710L", "18": "201710L"}
_STANDARD = re.compile(rf"-std=(?:gnu|c)({'|'.join(_VERSIONS)})")
# Of the language: how wide and signed types are, how numbers are computed, what is a word of it.
_DIALECT = re.compile(
    r"-f(?:no-)?(?:(?:un)?signed-(?:char|bitfields)|short-|pack-struct|single-precision|fast-math|unsafe-math|finite-math"
    r"|associative-math|reciprocal-math|signed-zeros|signaling-nans|rounding-math|excess-precision|fp-(?!contract)"
    r"|sso-struct|exec-charset|wide-exec-charset|input-charset|ms-|plan9"
    r"|gnu89-inline|open(?:mp|acc)|freestanding|hosted|trapv|blocks|asm|char8|cx-|permitted-flt|instrument-functions|plugin)"
)
_HARMLESS = re.compile(
    r"-(?:[cSv]|pipe|pthread|pg?|w|W(?!p,).*|Wp,-MM?D,[^,]*|g.*|O(?!fast).*|M.*|f.*|[lLo].*|save-temps.*|Xlinker|Xassembler|pedantic.*"
    r"|static|shared|rdynamic|(?:no-)?pie|m(?:32|64|tune=.*|arch=x86-64|cmodel=.*|no-red-zone)"
    r"|-param.*|-coverage)"
)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A file, and the options that matter; folders in the order in which they are searched."""

    file: Path
    include: tuple[str, ...]
    define: tuple[str, ...]
    data_model: str | None


def read_compile_commands(place: Path) -> tuple[Compiled, ...]:
    """Of the file, or of the one in the directory; C files only, each once."""
    path = place / NAME if place.is_dir() else place
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise BadInput(f"cannot read {path}: {problem.strerror}") from None
    except ValueError as problem:
        raise BadInput(f"cannot read {path}: {problem}") from None
    if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
        raise BadInput(f"{path}: expected a list of commands")
    found = tuple(dict.fromkeys(one for entry in content for one in _compiled(entry, path)))
    if not found:
        raise BadInput(f"{path}: it compiles no C file")
    return found


def _compiled(entry: dict[str, Any], path: Path) -> Iterator[Compiled]:
    directory, file = str(entry.get("directory", path.parent)), entry.get("file")
    if not isinstance(file, str):
        raise BadInput(f"{path}: a command without a file")
    if not file.endswith((".c", ".i")):
        return
    words = entry.get("arguments") or shlex.split(str(entry.get("command", "")))
    options = list(_options(words))
    for word, value in options:
        if not _is_known(word, value):
            raise BadInput(f"{path}: {file} is compiled with {word}, which Craton does not know: preprocess it first")
    include = [str(Path(directory, value)) for kind in _FOLDERS for word, value in options if word == kind]
    for word, value in options:
        if word == "-iquote":  # which is searched for "…" only, and here for <…>, too
            _check_folders((str(Path(directory, value)), "/usr/include"))
    define = [value for word, value in options if word == "-D"]
    standards = [found[1] for word, _ in options if (found := _STANDARD.fullmatch(word))]
    if standards:
        define.append(f"__STDC_VERSION__={_VERSIONS[standards[-1]]}")
        if any(word.startswith("-std=c") for word, _ in options):
            define.append("__STRICT_ANSI__=1")
    models = [word for word, _ in options if word in ("-m32", "-m64")]
    model = ("ILP32" if models[-1] == "-m32" else "LP64") if models else None
    yield Compiled(Path(directory, file), tuple(include), tuple(define), model)


def _is_known(word: str, value: str) -> bool:
    """Whether the option is taken over, or changes nothing of what a text means."""
    if word in (*_FOLDERS, "-D") or not word.startswith(("-", "@")):
        return True
    if word == "-x":
        return value == "c"
    if word == "-fsigned-char" or _STANDARD.fullmatch(word):  # as it is anyway, or taken over
        return True
    return bool(_HARMLESS.fullmatch(word)) and not _DIALECT.match(word)


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options with their values, written together or apart."""
    waiting = iter(words[1:])
    for word in waiting:
        option = next((one for one in _WITH_VALUE if word.startswith(one)), None)
        if option is None:
            yield word, ""
        else:
            yield option, word[len(option) :].removeprefix("=") or next(waiting, "")


def with_compile_commands(request: Request, commands: Sequence[Compiled]) -> Request:
    """The request with the options of its files, or of all files if it names none. All files are read with the same
    options, so they have to be compiled with the same macros, and no header may be found in two folders.
    """
    named = {Path(name).resolve() for name in request.files}
    meant = [one for one in commands if not named or one.file.resolve() in named]
    missing = named - {one.file.resolve() for one in meant}
    if missing:
        raise BadInput(f"{sorted(map(str, missing))[0]}: no command compiles it")
    first = meant[0]
    for one in meant:
        for macro in sorted(set(one.define) ^ set(first.define)):
            with_it, without = (one, first) if macro in one.define else (first, one)
            raise BadInput(f"{with_it.file} is compiled with -D{macro}, and {without.file} is not: verify them apart")
    include = tuple(dict.fromkeys(folder for one in meant for folder in one.include))
    if any(one.include != first.include for one in meant):
        _check_folders(include)
    models = {one.data_model for one in meant if one.data_model is not None}
    if len(models) > 1:
        raise BadInput("some files are compiled with -m32 and others with -m64")
    return replace(
        request,
        files=request.files or tuple(dict.fromkeys(str(one.file) for one in meant)),
        include=(*request.include, *include),
        define=(*request.define, *first.define),
        data_model=request.data_model or next(iter(models), None),
    )


def _check_folders(folders: Sequence[str]) -> None:
    """Refuses those in which it matters who comes first."""
    found: dict[str, str] = {}
    for folder in folders:
        for name in sorted(one.name for one in Path(folder).glob("*")):
            if name.endswith(".h") or Path(folder, name).is_dir():
                if name in found:
                    raise BadInput(f"{name} is in {found[name]} and in {folder}, and not all files look for it there")
                found[name] = folder
