"""From what a user names on the command line to a program."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from craton.frontends.c import COptions
from craton.frontends.c.errors import BadInput, Unsupported
from craton.frontends.c.syntax.unknown_functions import UnknownFunctions
from craton.program.cfa import UNREACH, Program
from craton.program.checks import only_checks, with_named_checks
from craton.program.named_properties import NAMES, named_checks
from craton.program.passes import ALL, Passes
from craton.program.specification import DEFAULT, Check, Specification, conjunction, read_checks, read_specification

if TYPE_CHECKING:
    from craton.horn.clauses import System

CLAUSES = ".smt2"
_CPP = (".cc", ".cpp", ".cxx", ".c++", ".hpp")
HOST_DATA_MODEL = "LP64" if sys.maxsize > 1 << 32 else "ILP32"  # of files that no task says anything of


@dataclass(frozen=True, slots=True)
class Request:
    """Files (C, one Boogie program or one task), and what overrides the task's own property and data model. The
    property file may be names of properties instead (`overflow,memsafety`).
    """

    files: tuple[str, ...]
    property_file: str | None = None
    data_model: str | None = None
    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    unknown_functions: str | None = None  # pure, arbitrary or refuse; None: as the rules of tasks and plain files say
    checks: tuple[str, ...] | None = None  # the names of those that count; None for all
    formula: str | None = None  # of the one property of the property file that is meant; None for all at once
    quoted: tuple[str, ...] = ()  # where headers in quotes are looked for first, behind the folder of a file
    passes: Passes = ALL  # what makes the program smaller before it is verified


@dataclass(frozen=True, slots=True)
class Asked:
    """One of the properties that a request asks for: a request of its own, and the names users read."""

    request: Request
    formula: str = ""  # "" if the request says nothing of properties
    file: str = ""
    unsupported: str = ""  # why nothing is known of it, if Craton does not check such properties


@dataclass(frozen=True, slots=True)
class CSource:
    """A request for a C program, with everything that a task or a property file says looked up."""

    files: tuple[Path, ...]
    specification: Specification
    options: COptions
    property_file: Path | None = None  # what the specification was read from, if it was from a file


def is_boogie(request: Request) -> bool:
    """Whether the program is one that nobody can compile."""
    return any(name.endswith(".bpl") for name in request.files)


def is_horn(request: Request) -> bool:
    """Whether it is not a program but a system of Horn clauses."""
    return any(name.endswith(CLAUSES) for name in input_files(request))


def input_files(request: Request) -> tuple[str, ...]:
    """The files, or those that the task definition names."""
    if not _is_task(request):
        return request.files
    from craton.frontends.task_definitions import read_task_definition

    return tuple(map(str, read_task_definition(Path(request.files[0])).input_files))


def _is_task(request: Request) -> bool:
    return len(request.files) == 1 and request.files[0].endswith((".yml", ".yaml"))


def load_system(request: Request) -> System:
    from craton.horn.reading import read_system

    files = input_files(request)
    if len(files) > 1:
        raise BadInput("a system of Horn clauses stands alone: name one .smt2 file")
    if request.property_file is not None:
        raise BadInput("a system of Horn clauses says itself what is asked: it takes no property file")
    return read_system(Path(files[0]))


def load_program(request: Request) -> Program:
    """The program, with the checks that are asked for as its errors."""
    program = _loaded(request)
    return program if request.checks is None else only_checks(program, request.checks)


def _loaded(request: Request) -> Program:
    files = _paths(request)
    if is_horn(request):
        raise Unsupported(f"{files[0]}: a system of Horn clauses where a program is expected", None)
    if is_boogie(request):
        if len(files) > 1:
            raise BadInput("a Boogie program stands alone: name one .bpl file")
        from craton.frontends.boogie import load_boogie

        if request.property_file is not None:
            _check_property_of_boogie(request)
        loaded = load_boogie(files[0])
        strange = loaded.overapproximated
        program = replace(loaded.program, hints=loaded.hints, over_approximated=strange, properties=(UNREACH,))
        return with_named_checks(program)
    from craton.frontends.c.load import load_c

    source = c_source(request)
    if source.specification.termination:
        raise Unsupported("the property that every run ends (`F end`)", None)
    return load_c(source.files, source.specification, source.options)


def _paths(request: Request) -> list[Path]:
    """The files; what clang would take for an option has its whole path."""
    for name in request.files:
        if any("\udc80" <= character <= "\udcff" for character in name):
            told = os.fsencode(name).decode("utf-8", "backslashreplace")
            raise BadInput(f"{told}: the name of this file is no UTF-8; rename it")
        if Path(name).suffix in _CPP:
            raise BadInput(f"{name} is C++ by its name, and Craton reads C")
    return [path.absolute() if str(path).startswith("-") else path for path in map(Path, request.files)]


def _check_property_of_boogie(request: Request) -> None:
    """A Boogie program says itself what is to hold; other properties are not checked, and not passed over either."""
    wanted = _specification(request.property_file or "", request.formula)
    if not wanted.reachability:
        raise Unsupported(
            f"{request.property_file}: a property that is not of its assertions, for a Boogie program", None
        )


def properties_asked(request: Request) -> tuple[Asked, ...]:
    """Each property that a request asks for, to be verified apart from the others.

    Law: of a single one the request is the request itself.
    """
    found: list[Asked] = []
    named = _named(request.property_file)
    if named is not None:
        found = [Asked(replace(request, property_file=one.formula), one.formula) for one in named]
        return tuple(found) if len(found) > 1 else (Asked(request),)
    files = _property_files(request)
    for file in files:
        checks = read_checks(file)
        for check in checks:
            alone = replace(request, property_file=str(file), formula=check.formula if len(checks) > 1 else None)
            why = "" if check.is_supported else f"the property `{check.formula}` is not supported"
            found.append(Asked(alone, check.formula, str(file), why))
    return tuple(found) if len(found) > 1 else (Asked(request),)


def _named(said: str | None) -> tuple[Check, ...] | None:
    """The properties that are said by name; None if a file is named. A file that exists is meant first."""
    return None if not said or Path(said).exists() else named_checks(said)


def _specification(said: str, formula: str | None = None) -> Specification:
    named = _named(said)
    if named is not None:
        return conjunction([one.specification for one in named if one.specification is not None])
    return read_specification(_existing(said), formula)


def _existing(said: str) -> Path:
    path = Path(said)
    if not said or (not path.exists() and not path.suffix):
        raise BadInput(f"--property {shlex.quote(said)}: neither a file nor names of properties, of {', '.join(NAMES)}")
    return path


def _property_files(request: Request) -> list[Path]:
    if request.property_file is not None:
        return [_existing(request.property_file)]
    if not _is_task(request) or is_horn(request):  # clauses say themselves what is asked
        return []
    from craton.frontends.task_definitions import read_task_definition

    return list(dict.fromkeys(entry.file for entry in read_task_definition(Path(request.files[0])).properties))


def c_source(request: Request) -> CSource:
    files = _paths(request)
    said = request.property_file
    data_model = HOST_DATA_MODEL
    unknown = UnknownFunctions.ARBITRARY
    if any(path.suffix in (".yml", ".yaml") for path in files):
        if len(files) > 1:
            raise BadInput("a task definition stands alone: it names its input files itself")
        from craton.frontends.task_definitions import read_task_definition

        task = read_task_definition(files[0])
        unknown = UnknownFunctions.PURE
        if task.language.upper() not in ("C", ""):
            raise BadInput(f"{files[0]}: language {task.language} is not supported")
        files = list(task.input_files)
        missing = [file for file in files if not file.exists()]
        if missing:
            raise BadInput(f"{request.files[0]} names {missing[0]}, which does not exist")
        data_model = task.data_model
        if task.properties and said is None:
            said = str(task.properties[0].file)
    specification = DEFAULT if said is None else _specification(said, request.formula)
    property_file = None if said is None or _named(said) is not None else Path(said)
    if request.unknown_functions is not None:
        unknown = UnknownFunctions(request.unknown_functions)
    options = COptions(request.data_model or data_model, request.include, request.define, unknown, request.quoted)
    return CSource(tuple(files), specification, options, property_file)
