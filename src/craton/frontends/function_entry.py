"""`--function f`: a program that calls f with arbitrary arguments, in arbitrary global state.

The program is a copy of the file that defines f with another `main` behind its text, so that everything else (proofs,
counterexamples, compiled replays) is as for any program: FALSE is f, compiled, on the values that were read. Pointers
are NULL or point to objects of their own; there is more memory than that, so a proof for such pointers is no proof of
the function (`looked_at`). What cannot be chosen from outside is refused by name: functions with variable arguments,
static locals, variables of other files, unions with pointers in them (`arbitrary_values`). No macro of the file changes
what `main` says, and nobody but us defines what gives it inputs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from craton.frontends.arbitrary_values import COUNTER, Choices, Wanted, passed
from craton.frontends.c.clang.parsing import parsed
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.library.linking import LinkedLibrary
from craton.frontends.c.load import with_large_stack
from craton.frontends.c.memory.scan import scan
from craton.frontends.c.syntax.nodes import Function, Storage, Variable
from craton.frontends.c.syntax.program import Program
from craton.frontends.own_memory import told_by_pointers, violated_by_pointers
from craton.frontends.programs import Request, c_source

_RENAMED = "craton_original_main"


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

    def with_one_call(
        self, way: list[dict[str, Any]], violated: dict[str, Any] | None
    ) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        """The steps of a run, where all that chooses values before the call is one step; and what fails. What globals
        begin with in the text is not told: they have any values.
        """
        first_added = next((n for n, step in enumerate(way) if self._is_added(step)), 0)
        way = way[first_added:]
        added = next((n for n, step in enumerate(way) if "line" in step and not self._is_added(step)), len(way))
        steps = [step for step in way[:added] if "line" in step]
        if not steps:
            return way, violated
        changed = [(name, value) for step in steps for name, value in step["changes"].items()]
        changes = {name: value for name, value in changed if not name.startswith(COUNTER)}
        inputs = sorted({name for step in steps for name in step["inputs"]})
        first = {**steps[-1], "changes": changes, "inputs": inputs, "unspecified": [], "calls": {}}
        return told_by_pointers([first, *way[added:]]), violated and violated_by_pointers(changes, violated)

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
    # As deep as the original, so that no ../ of its text leads out of the folder.
    copy = folder.joinpath(*original.absolute().parts[1:])
    copy.parent.mkdir(parents=True)
    copy.write_bytes(text + added.text.encode())
    files = tuple(str(copy) if number == unit else path for number, path in enumerate(paths))
    changed = replace(
        request,
        files=files,
        quoted=(str(original.absolute().parent), *request.quoted),
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
    chosen = Choices()
    for variable in scan(program, entry).globals:
        _choose_global(variable, file, chosen)
    names = [_argument(number, parameter, entry) for number, parameter in enumerate(entry.parameters, 1)]
    for name, parameter in zip(names, entry.parameters, strict=True):
        wanted = Wanted(name, f"an arbitrary argument `{name}` of {entry.name}", parameter.range)
        chosen.argument(name, parameter.type, wanted)
    for function in chosen.read:
        if program.function(function) is not None or program.units[entry.unit].defined(function) is not None:
            raise Unsupported(f"arbitrary values of a program that defines {function} itself", entry.range)
    given = ", ".join(passed(name, parameter.type) for name, parameter in zip(names, entry.parameters, strict=True))
    chosen.add(f"{_RENAMED if entry.name == 'main' else entry.name}({given});")
    declared = "".join(f"extern {kind} {function}(void);\n" for function, kind in chosen.read.items())
    declared += "".join(f"{function}\n" for function in chosen.functions)
    body = "".join(f"  {line}\n" for line in chosen.statements)
    text = f"{declared}int main(void) {{\n{body}  return 0;\n}}\n"
    plain = "".join(f"#undef {name}\n" for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text)))
    return _Main(f"\n{plain}{text}", ", ".join(dict.fromkeys(chosen.memory)))


def _argument(number: int, parameter: Variable, entry: Function) -> str:
    """What the variable is called that holds an argument: as the parameter, if that hides nothing that is needed."""
    free = parameter.name and parameter.name != entry.name and not parameter.name.startswith("__VERIFIER")
    return parameter.name if free else f"argument_{number}"


def _choose_global(variable: Variable, file: str, chosen: Choices) -> None:
    """Any value of a global variable, but of a constant its own."""
    if variable.constant:
        return
    wanted = Wanted(variable.name, f"an arbitrary value of `{variable.name}`", variable.range)
    if variable.storage is Storage.STATIC:
        raise wanted.refused(f"a static local variable of {variable.function}")
    if not variable.defined or variable.range is None or variable.range.file != file:
        raise wanted.refused("which the file of the function does not define")
    chosen.fill(variable.name, variable.type, wanted)
    chosen.forget_padding(variable.name, variable.type)
