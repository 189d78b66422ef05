"""SMT-LIB scripts as systems of Horn clauses.

Read are scripts of logic `HORN` (assertions of any shape that is Horn, see `normal_form`) and those of z3's fixed-point
format: `declare-rel`, `declare-var`, `rule`, `query`. A query asks whether its relation can be derived; the system says
that it cannot, so it is unsatisfiable iff z3 answers `sat` there.

Terms are read by z3's parser, which knows commands that read and write files: it is shown declarations, definitions and
assertions only, on the lines where they stand in the script.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from craton.errors import CratonError, NotExpressible, SmtLibError
from craton.horn.clauses import Clause, Predicate, System
from craton.horn.errors import BadScript, NotSupported
from craton.horn.normal_form import clauses_of
from craton.horn.script import Command, commands, listed
from craton.logic import BOOL, Function, Term, functions, var
from craton.smt.reading import parse_script
from craton.smt.sexpr import unquoted

_IGNORED = frozenset(
    "set-info set-option get-model get-info get-option get-proof get-unsat-core echo set-logic".split()
)
_REFUSED = {
    "declare-datatypes": "a data type",
    "declare-datatype": "a data type",
    "declare-sort": "an uninterpreted sort",
    "define-fun-rec": "a recursive function",
    "define-funs-rec": "recursive functions",
    "push": "more than one problem in a script (push)",
    "pop": "more than one problem in a script (pop)",
    "reset": "more than one problem in a script (reset)",
    "reset-assertions": "more than one problem in a script (reset-assertions)",
    "check-sat-assuming": "check-sat-assuming",
}
_POSITION = re.compile(r"line (\d+) column (\d+): ?")


def read_system(path: Path) -> System:
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors mark it
    except OSError as problem:
        raise BadScript(f"cannot read {path}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise BadScript(f"{path} is not a text in UTF-8") from None
    return parse_system(text, str(path))


def parse_system(text: str, file: str = "script") -> System:
    """The system of a script; `file` is its name in messages."""
    script = _Script(file)
    for command in commands(text, file):
        if command.name == "exit":
            break
        script.take(command)
    return script.system()


class _Script:
    """What was read so far."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.status = ""
        self.shown: list[str] = []  # to the parser
        self.at = 1  # the line on which the next text would stand
        self.lines: list[int] = []  # of the assertions
        self.relations: dict[str, tuple[str, ...]] = {}  # declared predicates with the texts of their sorts
        self.closed = 0  # the line of check-sat

    def take(self, command: Command) -> None:
        if command.name in _REFUSED:
            raise self._refused(_REFUSED[command.name] + _named(command), command.line)
        reader = _READERS.get(command.name)
        if reader is not None:
            if self.closed:
                raise self._refused(f"{command.name} after the check-sat in line {self.closed}", command.line)
            reader(self, command)
        elif command.name == "check-sat":
            self.closed = command.line
        elif command.name == "set-info" and command.parts[:1] == (":status",):
            self.status = command.parts[1] if len(command.parts) > 1 else ""
        elif command.name not in _IGNORED:
            raise self._refused(f"the command {command.name or '()'}", command.line)

    # --- commands ---

    def declare(self, command: Command) -> None:
        """`declare-fun name (sorts) Bool`, `declare-rel name (sorts)`."""
        name, sorts, *result = self._parts(command, 3 if command.name == "declare-fun" else 2, 3)
        if not sorts.startswith("("):
            raise BadScript(f"{self.file}:{command.line}: {command.name} needs a list of sorts, not {sorts}")
        parameters = listed(sorts)
        if result and result[0] != "Bool":
            what = "an uninterpreted function" if parameters else "a constant that is not a predicate"
            raise self._refused(f"{what} ({unquoted(name)})", command.line)
        if unquoted(name) in self.relations:
            raise self._refused(f"a second declaration of {unquoted(name)}", command.line)
        self._show(f"(declare-fun {name} {sorts} Bool)", command.line)
        self.relations[unquoted(name)] = parameters

    def declare_const(self, command: Command) -> None:
        name, sort = self._parts(command, 2, 2)
        self.declare(Command("declare-const", (name, "()", sort), command.line))

    def declare_var(self, command: Command) -> None:
        name, sort = self._parts(command, 2, 2)
        self._show(f"(declare-fun {name} () {sort})", command.line)

    def define(self, command: Command) -> None:
        name, parameters, sort, body = self._parts(command, 4, 4)
        self._show(f"(define-fun {name} {parameters} {sort} {body})", command.line)

    def define_constant(self, command: Command) -> None:
        name, sort, body = self._parts(command, 3, 3)
        self._show(f"(define-fun {name} () {sort} {body})", command.line)

    def define_sort(self, command: Command) -> None:
        self._show(f"(define-sort {' '.join(command.parts)})", command.line)

    def claim(self, command: Command) -> None:
        formula, *_ = self._parts(command, 1, 1 if command.name == "assert" else None)  # rules may have a name
        self.lines.append(command.line)
        self._show(f"(assert {formula})", command.line)

    def query(self, command: Command) -> None:
        (formula, *_) = self._parts(command, 1)
        self.lines.append(command.line)
        sorts = self.relations.get(unquoted(formula), ())
        if sorts:  # a relation without arguments asks whether it holds of any
            names = [f"query!{i}" for i in range(len(sorts))]
            bound = " ".join(f"({name} {sort})" for name, sort in zip(names, sorts, strict=True))
            formula = f"(exists ({bound}) ({formula} {' '.join(names)}))"
        self._show(f"(assert (not {formula}))", command.line)

    # --- what comes of it ---

    def system(self) -> System:
        made: list[Clause] = []
        nullary: dict[Function | Term, Predicate] = {
            var(name, BOOL): Predicate(name) for name, sorts in self.relations.items() if not sorts
        }
        for formula, line in zip(self._parsed(), self.lines, strict=True):
            unknowns = dict(nullary)
            for function in functions(formula):
                if function.name not in self.relations:
                    raise self._refused(f"an uninterpreted function ({function.name})", line)
                unknowns[function] = Predicate(function.name, function.params)
            try:
                made += clauses_of(formula, unknowns, line)
            except NotSupported as problem:
                raise NotSupported(f"{self.file}:{problem}") from None
        return System(tuple(made), self.file, self.status)

    def _parsed(self) -> list[Term]:
        try:
            return parse_script("".join(self.shown))
        except NotExpressible as problem:
            raise NotSupported(f"{self.file}: {problem} is not supported") from None
        except SmtLibError as problem:
            message = str(problem).removeprefix("cannot read SMT-LIB: ").partition("\n")[0].removesuffix('")')
            place = _POSITION.match(message)
            where = f"{self.file}:{place[1]}" if place else self.file
            raise BadScript(f"{where}: {_POSITION.sub('', message, count=1)}") from None

    def _parts(self, command: Command, least: int, most: int | None = None) -> Sequence[str]:
        if len(command.parts) < least:
            raise BadScript(f"{self.file}:{command.line}: {command.name} is incomplete")
        if most is not None and len(command.parts) > most:
            raise BadScript(f"{self.file}:{command.line}: {command.name} takes {most} arguments at most")
        return command.parts

    def _show(self, text: str, line: int) -> None:
        self.shown.append("\n" * (line - self.at) + text)
        self.at = line + text.count("\n")

    def _refused(self, what: str, line: int) -> CratonError:
        return NotSupported(f"{self.file}:{line}: {what} is not supported")


def _named(command: Command) -> str:
    """The name of what a command declares, for messages."""
    name = command.parts[0] if command.parts else ""
    if name.startswith("("):  # ((name arity) …) or (name …)
        first = listed(name)[0] if listed(name) else ""
        name = listed(first)[0] if first.startswith("(") else first
    return f" ({unquoted(name)})" if name and command.name.startswith(("declare", "define")) else ""


_READERS: dict[str, Callable[[_Script, Command], None]] = {
    "declare-fun": _Script.declare,
    "declare-rel": _Script.declare,
    "declare-const": _Script.declare_const,
    "declare-var": _Script.declare_var,
    "define-fun": _Script.define,
    "define-const": _Script.define_constant,
    "define-sort": _Script.define_sort,
    "assert": _Script.claim,
    "rule": _Script.claim,
    "query": _Script.query,
}
