"""`--function f`: a program that calls f with arbitrary arguments, in arbitrary global state.

The program is a copy of the file that defines f with another `main` behind its text, so that everything else (proofs,
counterexamples, compiled replays) is as for any program: FALSE is f, compiled, on the values that were read. Pointers
are NULL or point to objects of their own; there is more memory than that, so a proof for such pointers is no proof of
the function (`looked_at`). What cannot be chosen from outside is refused by name: functions with variable arguments,
static locals, variables of other files, unions, pointers to functions. No macro of the file changes what `main` says,
and nobody but us defines what gives it inputs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from craton.frontends.c.clang.parsing import parsed
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.library.linking import LinkedLibrary
from craton.frontends.c.load import with_large_stack
from craton.frontends.c.memory.scan import scan
from craton.frontends.c.syntax.nodes import Function, Storage, Variable
from craton.frontends.c.syntax.program import Program
from craton.frontends.c.syntax.types import ArrayType, CType, Floating, Integer, Pointer, Record
from craton.frontends.programs import Request, c_source
from craton.program.origin import SourceRange

_RENAMED = "craton_original_main"
_MOST_ELEMENTS = 256
_PLAIN = {1: "signed char", 2: "short", 4: "int", 8: "long long"}  # types that hold what an enumeration does, by size
_COUNTER = "craton_i"
_ELEMENTS = 8  # behind a pointer to numbers
_DEEPEST = 2  # pointers behind pointers; those that are deeper are NULL
_NONDET = {
    "_Bool": "bool",
    "char": "char",
    "signed char": "char",
    "unsigned char": "uchar",
    "short": "short",
    "unsigned short": "ushort",
    "int": "int",
    "unsigned int": "uint",
    "long": "long",
    "unsigned long": "ulong",
    "long long": "longlong",
    "unsigned long long": "ulonglong",
    "float": "float",
    "double": "double",
}


@dataclass(frozen=True, slots=True)
class FunctionProgram:
    """A request for a program that calls the function, and what its copied file was copied from. `head` is the line
    where the function is defined; `looked_at` says which memory there may be behind pointers, "" if there are none.
    """

    request: Request
    copy: str
    original: str
    lines: tuple[str, ...]
    head: int
    looked_at: str = ""

    def renamed(self, content: object) -> object:
        """Data or text in which the copy is called by the name of the original, and the call that is added to it is
        where the function begins.
        """
        if isinstance(content, str):
            return content.replace(self.copy, self.original)
        if isinstance(content, dict):
            if self._is_added(content):
                content = {**content, "line": self.head, "text": self.lines[self.head - 1].strip()}
            return {self.renamed(key): self.renamed(value) for key, value in content.items()}
        return [self.renamed(one) for one in content] if isinstance(content, list) else content

    def with_one_call(self, way: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The steps of a run, where all that chooses values before the call is one step."""
        added = next((n for n, step in enumerate(way) if "line" in step and not self._is_added(step)), len(way))
        steps = [step for step in way[:added] if "line" in step]
        if not steps:
            return way
        changes = {name: value for step in steps for name, value in step["changes"].items() if name != _COUNTER}
        inputs = sorted({name for step in steps for name in step["inputs"]})
        return [{**steps[-1], "changes": changes, "inputs": inputs, "unspecified": [], "calls": {}}, *way[added:]]

    def _is_added(self, place: Mapping[Any, Any]) -> bool:
        return place.get("file") == self.copy and (place.get("line") or 0) > len(self.lines)


def calling(request: Request, name: str, folder: Path) -> FunctionProgram:
    """The program that calls the function, whose files are in the folder as far as they are new."""
    source = c_source(request)
    paths = [str(path) for path in source.files]

    def read() -> tuple[int, _Main, bool, int]:
        with parsed(paths, name, source.options, LinkedLibrary()) as (program, entry):
            line = 1 if entry.range is None else entry.range.line
            return entry.unit, _main(program, entry, paths[entry.unit]), _has_main(program), line

    unit, added, has_main, head = with_large_stack(read)
    original = Path(paths[unit])
    text = original.read_bytes()
    copy = folder / original.name
    copy.write_bytes(text + added.text.encode())
    files = tuple(str(copy) if number == unit else path for number, path in enumerate(paths))
    changed = replace(
        request,
        files=files,
        include=(*request.include, str(original.absolute().parent)),
        define=(*request.define, f"main={_RENAMED}") if has_main else request.define,
        data_model=source.options.data_model,
        unknown_functions=source.options.unknown_functions.value,
    )
    lines = tuple(text.decode(errors="replace").splitlines())
    return FunctionProgram(changed, str(copy), str(original), lines, head, added.looked_at)


def _has_main(program: Program) -> bool:
    return program.function("main") is not None


@dataclass(frozen=True, slots=True)
class _Main:
    """The text of another `main`, and which memory it makes for pointers to point to."""

    text: str
    looked_at: str


def _main(program: Program, entry: Function, file: str) -> _Main:
    if entry.type.variadic:
        raise Unsupported(f"arbitrary arguments of {entry.name}, which takes any number of them,", entry.range)
    chosen = _Choices()
    for variable in scan(program, entry).globals:
        _choose_global(variable, file, chosen)
    names = [_argument(number, parameter, entry) for number, parameter in enumerate(entry.parameters, 1)]
    for name, parameter in zip(names, entry.parameters, strict=True):
        wanted = _Wanted(name, f"an arbitrary argument `{name}` of {entry.name}", parameter.range)
        if isinstance(parameter.type, Record):
            chosen.add(f"{parameter.type} {name};")
            chosen.fill(name, parameter.type, wanted)
        else:
            value = chosen.scalar(parameter.type, wanted)
            chosen.add(f"{_spelled(parameter.type)} {name} = {value};")
    for function in chosen.read:
        if program.function(function) is not None or program.units[entry.unit].defined(function) is not None:
            raise Unsupported(f"arbitrary values of a program that defines {function} itself", entry.range)
    chosen.add(f"{_RENAMED if entry.name == 'main' else entry.name}({', '.join(names)});")
    declared = "".join(f"extern {kind} {function}(void);\n" for function, kind in chosen.read.items())
    body = "".join(f"  {line}\n" for line in chosen.statements)
    text = f"{declared}int main(void) {{\n{body}  return 0;\n}}\n"
    plain = "".join(f"#undef {name}\n" for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text)))
    return _Main(f"\n{plain}{text}", ", ".join(dict.fromkeys(chosen.memory)))


def _argument(number: int, parameter: Variable, entry: Function) -> str:
    """What the variable is called that holds an argument: as the parameter, if that hides nothing that is needed."""
    free = parameter.name and parameter.name != entry.name and not parameter.name.startswith("__VERIFIER")
    return parameter.name if free else f"argument_{number}"


def _spelled(t: CType) -> str:
    return t.name if isinstance(t, Integer | Floating) else str(t)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to be chosen: its name, how a refusal calls it, and where it is declared."""

    name: str
    what: str
    where: SourceRange | None

    def refused(self, kind: str) -> Unsupported:
        return Unsupported(f"{self.what}, {kind},", self.where)


class _Choices:
    """Statements that choose values, and what they need: functions that give inputs, with the types they return, and
    objects of their own for pointers, which may also be NULL.
    """

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.read: dict[str, str] = {}
        self.memory: list[str] = []

    def add(self, statement: str) -> None:
        self.statements.append(statement)

    def scalar(self, t: CType, wanted: _Wanted, depth: int = 0) -> str:
        """An expression for any value of the type."""
        if isinstance(t, Pointer):
            return self._pointer(t.target, wanted, depth)
        known, plain = None, ""
        if isinstance(t, Integer | Floating):
            plain = t.name
            if isinstance(t, Integer) and t.constants:
                signed = _PLAIN[t.size]
                plain = signed if t.signed else f"unsigned {signed.removeprefix('signed ')}"
            known = _NONDET.get(plain)
        if known is None:
            raise wanted.refused("a struct" if isinstance(t, Record) else str(t))
        function = f"__VERIFIER_nondet_{known}"
        self.read[function] = plain
        return f"({_spelled(t)}){function}()" if plain != _spelled(t) or plain == "signed char" else f"{function}()"

    def fill(self, place: str, t: CType, wanted: _Wanted, depth: int = 0) -> None:
        """Any value for all parts of an object."""
        if isinstance(t, Record):
            if t.is_union or not t.complete or not t.tag.isidentifier() or not all(one.name for one in t.fields):
                raise wanted.refused(f"a {'union' if t.is_union else 'struct'} that has parts without names")
            for member in t.fields:
                inner = replace(wanted, name=_member(wanted.name, member.name))
                self.fill(f"{place}.{member.name}", member.type, inner, depth)
        elif isinstance(t, ArrayType):
            if t.count is None or t.count > _MOST_ELEMENTS:
                raise wanted.refused(f"an array of more than {_MOST_ELEMENTS} elements")
            value = self.scalar(t.element, wanted, _DEEPEST)
            self.add(f"for (int {_COUNTER} = 0; {_COUNTER} < {t.count}; {_COUNTER}++) {place}[{_COUNTER}] = {value};")
        else:
            self.add(f"{place} = {self.scalar(t, wanted, depth)};")

    def _pointer(self, target: CType, wanted: _Wanted, depth: int) -> str:
        """NULL, or an object that nobody else points to."""
        if not isinstance(target, Integer | Floating | Record):
            raise wanted.refused("a pointer to " + ("nothing known" if str(target) == "void" else str(target)))
        if depth >= _DEEPEST:
            self.memory.append(f"`{wanted.name}` is NULL")
            return "0"
        self.read["__VERIFIER_nondet_bool"] = "_Bool"
        name = "craton_" + re.sub(r"\W+", "_", wanted.name)
        one = isinstance(target, Record)
        self.add(f"{_spelled(target)} {name}{'' if one else f'[{_ELEMENTS}]'};")
        self.memory.append(f"`{wanted.name}` is NULL or points to {'one' if one else _ELEMENTS} {target} of its own")
        object_ = target if one else ArrayType(target, _ELEMENTS)
        self.fill(name, object_, replace(wanted, name=f"(*{wanted.name})"), depth + 1)
        return f"__VERIFIER_nondet_bool() ? {'&' if one else ''}{name} : 0"


def _member(name: str, member: str) -> str:
    """`(*p).x` is written as `p->x`."""
    behind = re.fullmatch(r"\(\*(.*)\)", name)
    return f"{name}.{member}" if behind is None else f"{behind[1]}->{member}"


def _choose_global(variable: Variable, file: str, chosen: _Choices) -> None:
    """Any value of a global variable, but of a constant its own."""
    if variable.constant:
        return
    wanted = _Wanted(variable.name, f"an arbitrary value of `{variable.name}`", variable.range)
    if variable.storage is Storage.STATIC:
        raise wanted.refused(f"a static local variable of {variable.function}")
    if not variable.defined or variable.range is None or variable.range.file != file:
        raise wanted.refused("which the file of the function does not define")
    chosen.fill(variable.name, variable.type, wanted)
