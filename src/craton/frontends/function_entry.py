"""`--function f`: a program that calls f with arbitrary arguments, in arbitrary global state.

The program is a copy of the file that defines f with another `main` behind its text, so that everything else (proofs,
counterexamples, compiled replays) is as for any program: FALSE is f, compiled, on the values that were read. What
cannot be chosen freely from outside is refused by name: pointers (they would need memory to point to), structs,
functions with variable arguments, static locals, variables of other files. No macro of the file changes what `main`
says, and nobody but us defines what gives it inputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

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
    """A request for a program that calls the function, and what its copied file was copied from."""

    request: Request
    copy: str
    original: str

    def renamed(self, content: object) -> object:
        """Data or text in which the copy is called by the name of the original."""
        if isinstance(content, str):
            return content.replace(self.copy, self.original)
        if isinstance(content, dict):
            return {self.renamed(key): self.renamed(value) for key, value in content.items()}
        return [self.renamed(one) for one in content] if isinstance(content, list) else content


def calling(request: Request, name: str, folder: Path) -> FunctionProgram:
    """The program that calls the function, whose files are in the folder as far as they are new."""
    source = c_source(request)
    paths = [str(path) for path in source.files]

    def read() -> tuple[int, str, bool]:
        with parsed(paths, name, source.options, LinkedLibrary()) as (program, entry):
            return entry.unit, _main(program, entry, paths[entry.unit]), _has_main(program)

    unit, text, has_main = with_large_stack(read)
    original = Path(paths[unit])
    copy = folder / original.name
    copy.write_bytes(original.read_bytes() + text.encode())
    files = tuple(str(copy) if number == unit else path for number, path in enumerate(paths))
    changed = replace(
        request,
        files=files,
        include=(*request.include, str(original.absolute().parent)),
        define=(*request.define, f"main={_RENAMED}") if has_main else request.define,
        data_model=source.options.data_model,
        unknown_functions=source.options.unknown_functions.value,
    )
    return FunctionProgram(changed, str(copy), str(original))


def _has_main(program: Program) -> bool:
    return program.function("main") is not None


def _main(program: Program, entry: Function, file: str) -> str:
    if entry.type.variadic:
        raise Unsupported(f"arbitrary arguments of {entry.name}, which takes any number of them,", entry.range)
    read: dict[str, str] = {}  # functions that give inputs, with the types that they return
    lines = []
    names = [_argument(number, parameter, entry) for number, parameter in enumerate(entry.parameters, 1)]
    for name, parameter in zip(names, entry.parameters, strict=True):
        what = f"an arbitrary argument `{name}` of {entry.name}"
        lines.append(f"{_spelled(parameter.type)} {name} = {_any(parameter.type, what, parameter.range, read)};")
    chosen = [line for variable in scan(program, entry).globals for line in _chosen(variable, file, read)]
    for function in read:
        if program.function(function) is not None or program.units[entry.unit].defined(function) is not None:
            raise Unsupported(f"arbitrary values of a program that defines {function} itself", entry.range)
    declared = "".join(f"extern {kind} {function}(void);\n" for function, kind in read.items())
    called = _RENAMED if entry.name == "main" else entry.name
    body = "".join(f"  {line}\n" for line in (*chosen, *lines, f"{called}({', '.join(names)});"))
    text = f"{declared}int main(void) {{\n{body}  return 0;\n}}\n"
    return "\n" + "".join(f"#undef {name}\n" for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text))) + text


def _argument(number: int, parameter: Variable, entry: Function) -> str:
    """What the variable is called that holds an argument: as the parameter, if that hides nothing that is needed."""
    free = parameter.name and parameter.name != entry.name and not parameter.name.startswith("__VERIFIER")
    return parameter.name if free else f"argument_{number}"


def _spelled(t: CType) -> str:
    return t.name if isinstance(t, Integer | Floating) else str(t)


def _any(t: CType, what: str, where: SourceRange | None, read: dict[str, str]) -> str:
    """An expression for any value of the type."""
    known = None
    if isinstance(t, Integer | Floating):
        plain = t.name
        if isinstance(t, Integer) and t.constants:
            signed = _PLAIN[t.size]
            plain = signed if t.signed else f"unsigned {signed.removeprefix('signed ')}"
        known = _NONDET.get(plain)
    if known is None:
        kind = "a pointer" if isinstance(t, Pointer) else "a struct" if isinstance(t, Record) else str(t)
        raise Unsupported(f"{what}, {kind},", where)
    function = f"__VERIFIER_nondet_{known}"
    read[function] = plain
    return f"({_spelled(t)}){function}()" if plain != _spelled(t) or plain == "signed char" else f"{function}()"


def _chosen(variable: Variable, file: str, read: dict[str, str]) -> Iterator[str]:
    """Statements that give a global variable any value; none for a constant."""
    if variable.constant:
        return
    what = f"an arbitrary value of `{variable.name}`"
    where = variable.range
    if variable.storage is Storage.STATIC:
        raise Unsupported(f"{what}, a static local variable of {variable.function},", where)
    if not variable.defined or where is None or where.file != file:
        raise Unsupported(f"{what}, which the file of the function does not define,", where)
    t = variable.type
    if isinstance(t, ArrayType):
        if t.count is None or t.count > _MOST_ELEMENTS:
            raise Unsupported(f"{what}, an array of more than {_MOST_ELEMENTS} elements,", where)
        value = _any(t.element, what, where, read)
        yield f"for (int craton_i = 0; craton_i < {t.count}; craton_i++) {variable.name}[craton_i] = {value};"
    else:
        yield f"{variable.name} = {_any(t, what, where, read)};"
