"""The Solver contract over a process that speaks SMT-LIB.

The process keeps the assertions, as an in-process solver would. If it crashes, hangs or prints nonsense, the answer is
Undecided, and the next query goes to a new process that is sent everything again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count

from craton.errors import CratonError, UnknownSolver
from craton.logic.definitions import expand
from craton.logic.smtlib import Symbols, declarations, defined, quoted
from craton.logic.terms import Term
from craton.processes.conversation import Conversation, Trouble
from craton.processes.running_time import time_for_others
from craton.smt import sexpr
from craton.smt.contract import Answer, Capability, Core, Solver, Undecided
from craton.smt.process.models import read_model
from craton.smt.process.presets import Preset
from craton.smt.querylog import QueryLog
from craton.smt.reading import parse_formula


class ProcessSolver(Solver):
    def __init__(self, preset: Preset, *, time_limit: float | None = None, log: QueryLog | None = None) -> None:
        self.preset = preset
        self.name = preset.name
        self.can = preset.can
        self.fragment = preset.fragment
        super().__init__(time_limit=time_limit, log=log)
        command = preset.find()
        if command is None:
            raise UnknownSolver(f"{preset.name} is not installed: {preset.how_to_get}")
        self._command = command
        self._process: Conversation | None = None
        self._symbols = PlainSymbols()
        self._numbers = count(1)
        self._labels: dict[str, str] = {}  # label in the script → name of the assertion
        self._script = [_Section()]  # one for each open scope
        self._unsent: list[str] = []
        self._assuming: _Section | None = None  # an extra scope in the process: the assumptions of the last check

    def close(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None

    # Commands are collected and sent with the next query. They are kept as long as their scope is open, so that a
    # replacement process can be sent all of them again.

    def _assert(self, formula: Term, name: str | None) -> None:
        self._retract_assumptions()
        label = ""
        if name is not None:
            label = self._fresh("assertion!")
            self._labels[label] = name
        self._tell(self._assertion(formula, label, self._script))

    def _push(self) -> None:
        self._retract_assumptions()
        self._script.append(_Section())
        self._tell(["(push 1)"])

    def _pop(self) -> None:
        self._retract_assumptions()
        self._script.pop()
        self._unsent.append("(pop 1)")

    def _tell(self, lines: list[str]) -> None:
        self._script[-1].lines += lines
        self._unsent += lines

    def _retract_assumptions(self) -> None:
        if self._assuming is not None:
            self._assuming = None
            self._unsent.append("(pop 1)")

    def _check(self, assumptions: Sequence[Term], limit: float | None) -> Answer:
        deadline = _deadline(limit)
        self._retract_assumptions()
        labels: dict[str, Term] = {}
        try:
            self._start(deadline)
            if assumptions:
                self._assuming = _Section()
                self._unsent.append("(push 1)")
                for assumption in assumptions:
                    label = self._fresh("assumption!")
                    labels[label] = assumption
                    self._unsent += self._assertion(assumption, label, [*self._script, self._assuming])
            word = _verdict(self._ask("(check-sat)", deadline))
        except Trouble as trouble:
            self.close()
            return Undecided(f"{self.name}: {trouble}")
        if word == "sat":
            formulas = [*(f for _, f in self.assertions), *assumptions]
            return self._sat(lambda: read_model(formulas, self._get_values(limit), self.preset.dialect, self._symbols))
        if word == "unsat":
            return self._unsat(lambda: self._core(labels, limit))
        return Undecided(f"{self.name}: unknown")

    def simplified(self, formula: Term, limit: float | None) -> Term:
        """What the solver makes of a formula by `(simplify …)`: with Princess, one without quantifiers if it can."""
        self.need(Capability.ELIMINATION)
        self.fragment.require(self.name, formula, set())
        deadline = _deadline(limit)
        self._retract_assumptions()
        try:
            self._start(deadline)
        except Trouble as trouble:
            self.close()
            raise CratonError(f"{self.name}: {trouble}") from trouble
        *lines, assertion = self._assertion(formula, "", [*self._script, _Section()])
        text = assertion.removeprefix("(assert ").removesuffix(")")
        self._unsent += ["(push 1)", *lines]
        reply = self._later(f"(simplify {text})", deadline)
        self._unsent.append("(pop 1)")
        return parse_formula(sexpr.write(reply), symbols=self._symbols)

    # --- the script ---

    def _start(self, deadline: float) -> None:
        """Starts a process if none is running; the assertions are queued for it."""
        if self._process is not None:
            return
        try:
            self._process = Conversation(self._command)
        except OSError as error:
            raise Trouble(f"cannot start {self._command[0]}: {error}") from error
        logic = [f"(set-logic {self.preset.logic})"] if self.preset.logic else []
        self._unsent = ["(set-option :print-success false)", *self._options(), *logic]
        complain(self._ask("", deadline))
        self._unsent = [line for section in self._script for line in section.lines]

    def _options(self) -> list[str]:
        options = {Capability.MODELS: "models", Capability.CORES: "unsat-cores"}
        return [f"(set-option :produce-{word} true)" for capability, word in options.items() if capability in self.can]

    def _assertion(self, formula: Term, label: str, script: Sequence[_Section]) -> list[str]:
        """An assertion with the declarations and definitions it needs at the end of a script."""
        dialect = self.preset.dialect
        formula = expand(formula, dialect.missing)
        lines = []
        for line in declarations([formula], self._symbols):
            if not any(line in section.declared for section in script):
                script[-1].declared.add(line)
                lines.append(line)
        definitions, text = defined(formula, self._definition_names(), dialect, self._symbols)
        return [*lines, *definitions, f"(assert {self._labelled(text, label)})"]

    def _labelled(self, text: str, label: str) -> str:
        return f"(! {text} :named {quoted(label)})" if label and Capability.CORES in self.can else text

    def _definition_names(self) -> Iterator[str]:
        while True:
            yield self._fresh("$")

    def _fresh(self, stem: str) -> str:
        return self._symbols.reserve(f"{stem}{next(self._numbers)}")

    # --- questions ---

    def _ask(self, question: str, deadline: float) -> str:
        assert self._process is not None
        text = "\n".join([*self._unsent, question])
        self._unsent = []
        try:
            return self._process.ask(text, deadline)
        except BaseException:  # an interrupt, too, leaves the process busy with an abandoned query
            self.close()
            raise

    def _later(self, question: str, deadline: float) -> sexpr.Sexpr:
        """A query about the last answer. Trouble here is an error for the caller, who already has a verdict."""
        command = question[1:].split(maxsplit=1)[0].rstrip(")")
        if self._process is None:
            raise CratonError(f"{self.name} cannot be asked to {command} any more: its process is gone")
        try:
            reply = self._ask(question, deadline)
            complain(reply)
            return sexpr.parse(reply)
        except (Trouble, ValueError) as trouble:
            self.close()
            raise CratonError(f"{self.name} was asked to {command}: {trouble}") from trouble

    def _get_values(self, limit: float | None) -> Callable[[Sequence[str]], list[str]]:
        deadline = _deadline(limit)

        def get_values(texts: Sequence[str]) -> list[str]:
            reply = self._later(f"(get-value ({' '.join(texts)}))", deadline)
            values = [pair[-1] for pair in reply if isinstance(pair, list) and pair]
            if len(values) != len(texts) or len(reply) != len(texts):
                raise CratonError(f"{self.name} was asked for {len(texts)} value(s) and gave {len(values)}")
            return [sexpr.write(value) for value in values]

        return get_values

    def _core(self, assumptions: dict[str, Term], limit: float | None) -> Core:
        reply = self._later("(get-unsat-core)", _deadline(limit))
        chosen = {sexpr.unquoted(word) for word in reply if isinstance(word, str)}
        return Core(
            names=tuple(name for label, name in self._labels.items() if label in chosen and name in self._names),
            assumptions=tuple(term for label, term in assumptions.items() if label in chosen),
        )


class _Section:
    """What a scope adds to the script. Closing the scope removes its declarations."""

    __slots__ = ("declared", "lines")

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.declared: set[str] = set()


class PlainSymbols(Symbols):
    """Symbols that need no quotes and clash with no solver's built-ins: `exp` becomes `_exp`, `a|b` becomes `_a?b`."""

    def spelling(self, name: str) -> str:
        return "_" + _NOT_PLAIN.sub("?", name)


_NOT_PLAIN = re.compile(r"[^A-Za-z0-9~!@$%^&*_\-+=<>.?/]")


def _deadline(limit: float | None) -> float:
    return float("inf") if limit is None else time_for_others() + limit


# --- replies ----------------------------------------------------------------------------------------------------------


def complain(reply: str) -> None:
    """Raises the first error in a reply. (Princess replies with a bare `error`.)"""
    found = re.search(r'^\s*\(\s*error\s+"?(.*)|^\s*(error)\s*$', reply, re.MULTILINE | re.DOTALL)
    if found:
        raise Trouble(shortened((found[1] or "error").strip().removesuffix(")").removesuffix('"')))


def _verdict(reply: str) -> str:
    """The reply's sat, unsat or unknown, which must occur once; warnings around it are ignored."""
    complain(reply)
    lines = [line.strip() for line in reply.splitlines()]
    # If a command was not understood (a `push`, say), the verdict would be about a different problem.
    if "unsupported" in lines:
        raise Trouble("a command is unsupported")
    verdicts = [line for line in lines if line in ("sat", "unsat", "unknown")]
    if len(verdicts) != 1:
        raise Trouble(f"it answered {shortened(reply)!r}, which is no answer")
    return verdicts[0]


def shortened(text: str) -> str:
    """The text on one line, truncated if long."""
    text = " ".join(text.split())
    return text if len(text) <= 200 else f"{text[:200]} …"
