"""Files, as clang reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from craton.frontends.c.clang.attributes import refuse_ignored
from craton.frontends.c.clang.bindings import Diagnostic, Unit
from craton.frontends.c.clang.field_types import refuse_typeof_outside
from craton.frontends.c.clang.positions import Hidden
from craton.frontends.c.clang.pragmas import refuse_pragmas
from craton.frontends.c.clang.unit import UnitReader
from craton.frontends.c.errors import BadInput, SyntaxErrorInC
from craton.frontends.c.options import COptions
from craton.frontends.c.syntax.nodes import Extent, Function, Variable
from craton.frontends.c.syntax.program import Definition, Library, Program, Strength, SymbolKind
from craton.program.origin import SourceRange

_TARGETS = {"ILP32": "i386-linux-gnu", "LP64": "x86_64-linux-gnu"}
_HEADERS = Path(__file__).parent.parent / "headers"
# Behind our own headers: for what those do not declare.
_SYSTEM = ("/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include")
# Of GNU C: today's, and the old one where a text is none of today's (a second definition after an inline one).
_DIALECTS = ("-std=gnu17", "-std=gnu89")
# The compiler that programs are read for is gcc, so its macros hold.
_FLAGS = (
    "-fgnuc-version=12.2.0 -U__clang__ -U__clang_major__ -U__clang_minor__ -U__clang_version__ -U__llvm__ "
    "-U__has_feature -U__has_extension -U__has_warning -U__is_identifier -U__building_module "
    "-U__has_declspec_attribute -U__has_constexpr_builtin "
    "-Wno-everything -Wunknown-attributes -Wignored-attributes "
    "-fbracket-depth=1000000 -ftemplate-depth=1000000 -ferror-limit=20 -Wno-error "
    "-Wno-error=int-conversion -Wno-error=incompatible-function-pointer-types -Wno-error=implicit-function-declaration "
    "-Wno-error=implicit-int -Wno-error=return-type -Wno-error=incompatible-pointer-types -fno-builtin-printf"
).split()
_ARGUMENTS, _WITHOUT_PROTOTYPE = "arguments to function call", re.compile(rb"\b([A-Za-z_]\w*)\s*\(\s*\)\s*[;,]")
_OLD = "is not supported in C99 mode"  # clang's words for what only the old dialect has
_REGISTERS, _PLACE = "unsuitable for global register variables", re.compile(r":(\d+):(\d+): error:")
# Words of programs that are given something from outside.
_INPUTS = re.compile(
    rb"nondet|\b(?:getchar\w*|f?getc\w*|gets|fgets|\w*scanf|fread|getline|getdelim|read|recv|getenv|argv|rand\w*|time|clock)\b"
)
# What the macros of glibc's headers leave behind.
_GLIBC = (b"__ctype_b_loc", b"__ctype_tolower_loc", b"__ctype_toupper_loc")


class _Linked:
    """A `syntax.program.TranslationUnit` that stands for the library: texts are read when a function is asked for."""

    def __init__(self, program: Program, library: Library, options: COptions, opened: list[Unit]) -> None:
        self._program = program
        self._library = library
        self._options = COptions(options.data_model)  # what users define is not for the library
        self._opened = opened
        self._readers: dict[str, UnitReader] = {}
        self.is_handled = library.is_handled
        self.exact = library.exact
        program.library = self
        for name in library.names():
            program.define(name, Definition(SymbolKind.FUNCTION, self, Strength.INLINE, None))

    def defined(self, name: str) -> Function | None:
        meant = self._library.spelled(name)
        return self._program.function(meant) if meant != name else self._reader(name).defined(name)

    def read_body(self, function: Function) -> None:
        reader = self._reader(function.name)
        text = reader.defined(function.name)
        assert text is not None
        function.unit, function.type = text.unit, text.type
        reader.read_body(function)

    def _reader(self, name: str) -> UnitReader:
        """The unit that defines a function."""
        file, text = self._library.text_of(name)
        if file not in self._readers:
            unit = _parse(file, self._options, text.encode())
            self._opened.append(unit)
            self._readers[file] = UnitReader(unit, self._program, self._options.pointer_width // 8, Hidden)
        return self._readers[file]

    def exported(self, name: str) -> Variable | None:
        return None

    def start_and_end(self) -> None:
        """The library has neither constructors nor destructors."""

    def source_range(self, extent: Extent) -> SourceRange | None:
        return None


@contextmanager
def parsed(
    paths: list[str], start: str, options: COptions, library: Library | None = None
) -> Iterator[tuple[Program, Function]]:
    """The files as clang reads them, linked with a library, and the function to start from; as long as the context
    lasts.
    """
    if not paths:
        raise BadInput("no input file")
    program = Program()
    contents = {path: _contents(path) for path in paths}
    program.has_inputs = any(map(_INPUTS.search, contents.values()))
    units = [_parse(path, options, contents[path]) for path in paths]
    try:
        for unit in units:
            UnitReader(unit, program, options.pointer_width // 8)
        for reader in program.units:
            reader.start_and_end()
        if library is not None:
            _Linked(program, library, options, units)
        entry = program.function(start)
        if entry is None:
            entry = next(filter(None, (reader.defined(start) for reader in program.units)), None)
        if entry is None or program.body(entry) is None:
            raise BadInput(f"{', '.join(paths)}: no function {start} to start from")
        yield program, entry
    finally:
        for unit in units:
            unit.close()


def _contents(path: str) -> bytes:
    try:
        contents = Path(path).read_bytes()
    except OSError as problem:
        hint = "; craton bench runs directories of tasks" if isinstance(problem, IsADirectoryError) else ""
        raise BadInput(f"cannot read {path}: {problem.strerror}{hint}") from None
    if not contents.strip():
        raise BadInput(f"{path} is empty")
    if b"\0" in contents[:65536]:
        raise BadInput(f"{path} is not a C text: it contains zero bytes")
    return contents


def _read(path: str, arguments: list[str], contents: bytes) -> tuple[Unit, list[Diagnostic], list[str]]:
    """The unit, what clang says of it, and what of that is errors."""
    unit = Unit(path, arguments, contents)
    if not unit.parsed:
        raise SyntaxErrorInC(f"{path}: clang cannot parse this file")
    messages = unit.diagnostics()
    return unit, messages, [d.text for d in messages if d.severity >= 3]


def _own_headers(unit: Unit) -> dict[str, bytes]:
    """The texts that a text includes, but for those of the system and ours."""
    known = (str(_HEADERS), *_SYSTEM, str(Path(__file__).parent))
    return {name: text for name, text in unit.files() if not name.startswith(known)}


def _without_registers(contents: bytes, errors: list[str]) -> bytes:
    """Global register variables as variables of other files that have the register's name; who uses one is refused."""
    lines = contents.splitlines(keepends=True)
    for text in errors:
        found = _PLACE.search(text)
        if found is not None and _REGISTERS in text:
            line, column = int(found[1]) - 1, int(found[2]) - 1
            before, behind = lines[line][:column], lines[line][column:]
            lines[line] = re.sub(rb"\bregister\b(?=[^;{}]*$)", b"extern  ", before) + behind
    return b"".join(lines)


def _parse(path: str, options: COptions, contents: bytes) -> Unit:
    """The unit in the first dialect in which the text has no errors; its errors are those in today's."""
    failed: list[str] = []
    for dialect in _DIALECTS:
        arguments = [dialect, *_arguments(options, contents)]
        unit, messages, errors = _read(path, arguments, contents)
        if any(_REGISTERS in text for text in errors):
            unit.close()
            contents = _without_registers(contents, errors)
            unit, messages, errors = _read(path, arguments, contents)
        if errors and all(_ARGUMENTS in text for text in errors):
            # clang gives what is declared without a prototype that of its builtin; gcc does so for correct calls only.
            unit.close()
            names = sorted({name.decode() for name in _WITHOUT_PROTOTYPE.findall(contents)})
            unit, messages, errors = _read(path, [*arguments, *(f"-fno-builtin-{name}" for name in names)], contents)
        if not errors:
            texts = {**_own_headers(unit), "-D": "\n".join(options.define).encode(), path: contents}
            refuse_ignored(messages, texts.values())
            refuse_pragmas(texts)
            refuse_typeof_outside(unit, texts)
            return unit
        unit.close()
        failed = failed or errors
        if not any(_OLD in text for text in errors):
            break
    # A file that includes itself has every other error many times over.
    cyclic = [text for text in failed if "#include nested too deeply" in text][:1]
    first, *others = cyclic or failed
    first += "; -I DIR says where headers are" if first.endswith("file not found") else ""
    raise SyntaxErrorInC(first + (f" (the first of {len(others) + 1} errors)" if others else ""))


def _arguments(options: COptions, contents: bytes) -> list[str]:
    target = _TARGETS.get(options.data_model)
    if target is None:
        raise BadInput(f"unknown data model {options.data_model}; known are {', '.join(_TARGETS)}")
    arguments = ["-x", "c", "-target", target, *_FLAGS]
    arguments += [f"-iquote{folder}" for folder in options.quoted]
    arguments += [f"-I{folder}" for folder in options.include]
    arguments += [f"-D{definition}" for definition in options.define]
    arguments += ["-nostdinc", f"-isystem{_HEADERS}", "-include", str(Path(__file__).with_name("gcc.h"))]
    arguments += ["-include", str(_HEADERS / "craton_atomics.h")]
    arguments += [f"-isystem{folder}" for folder in _SYSTEM if Path(folder).is_dir()]
    if any(name in contents for name in _GLIBC):
        arguments += ["-include", str(Path(__file__).with_name("glibc.h"))]
    return arguments
