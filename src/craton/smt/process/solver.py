"""The Solver contract over a process that speaks SMT-LIB.

The process keeps the assertions, as an in-process solver would. It may crash, hang or babble: then the answer is
Undecided, and the next question goes to a new process that has been told everything again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import count

from craton.errors import CratonError, NotExpressible, UnknownSolver
from craton.logic.definitions import expand
from craton.logic.evaluation import Model, evaluate
from craton.logic.rendering import fresh_names
from craton.logic.semantics import Value
from craton.logic.smtlib import Symbols, declarations, defined, quoted
from craton.logic.terms import Term
from craton.logic.walk import post_order
from craton.smt import sexpr
from craton.smt.contract import Answer, Capability, Core, Solver, Undecided
from craton.smt.process.presets import Preset
from craton.smt.process.transport import Process, Trouble
from craton.smt.querylog import QueryLog
from craton.smt.reading import parse_term
from craton.smt.translation import model_by_values


class ProcessSolver(Solver):
    def __init__(self, preset: Preset, *, time_limit: float | None = None, log: QueryLog | None = None) -> None:
        super().__init__(time_limit=time_limit, log=log)
        self.preset = preset
        self.name = preset.name
        self.can = preset.can
        self.fragment = preset.fragment
        command = preset.find()
        if command is None:
            raise UnknownSolver(f"{preset.name} is not installed: {preset.how_to_get}")
        self._command = command
        self._process: Process | None = None
        self._unsent: list[str] = []
        self._symbols = Symbols()
        self._declared: list[set[str]] = [set()]  # per scope: declarations go when their scope is closed
        self._logic = ""
        self._assuming = False  # an extra scope holds the assumptions of the last check
        self._numbers = count(1)
        self._labels: dict[str, str] = {}  # label in the script → name of the assertion

    def close(self) -> None:
        self._stop()

    def __del__(self) -> None:
        if getattr(self, "_process", None) is not None:
            self._stop()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None

    # Commands are collected and sent with the next question, so that a process that has to be replaced just gets all
    # again.

    def _assert(self, formula: Term, name: str | None) -> None:
        if self._process is not None:
            self._retract_assumptions()
            self._unsent += self._assertion_lines(formula, name)

    def _push(self) -> None:
        if self._process is not None:
            self._retract_assumptions()
            self._unsent.append("(push 1)")
            self._declared.append(set())

    def _pop(self) -> None:
        if self._process is not None:
            self._retract_assumptions()
            self._unsent.append("(pop 1)")
            self._declared.pop()

    def _retract_assumptions(self) -> None:
        if self._assuming:
            self._assuming = False
            self._unsent.append("(pop 1)")
            self._declared.pop()

    def _check(self, assumptions: Sequence[Term], limit: float | None) -> Answer:
        deadline = float("inf") if limit is None else time.monotonic() + limit
        try:
            self._prepare(assumptions)
            self._retract_assumptions()
            labels: dict[str, Term] = {}
            if assumptions:
                self._unsent.append("(push 1)")
                self._declared.append(set())
                self._assuming = True
                for assumption in assumptions:
                    label = f"assumption!{next(self._numbers)}"
                    labels[label] = assumption
                    self._unsent += self._labelled(assumption, label)
            word = self._ask("(check-sat)", deadline)
        except Trouble as trouble:
            self._stop()
            return Undecided(f"{self.name}: {trouble}")
        if word == "sat":
            return self._sat(lambda: self._model([*(f for _, f in self.assertions), *assumptions], limit))
        if word == "unsat":
            return self._unsat(lambda: self._core(labels, limit))
        if word == "unknown":
            return Undecided(f"{self.name}: unknown")
        self._stop()
        return Undecided(f"{self.name}: {complaint(word)}")

    def _prepare(self, assumptions: Sequence[Term]) -> None:
        """A process that runs, has the right logic, and knows the assertions."""
        theories = frozenset(
            node.op.theory for node in post_order(*(formula for _, formula in self.assertions), *assumptions)
        )
        logic = self.preset.logic_for(theories)
        if self._process is not None and logic == self._logic:
            return
        self._stop()
        try:
            self._process = Process(self._command)
        except OSError as error:
            raise Trouble(f"cannot start {self._command[0]}: {error}") from error
        self._logic = logic
        self._symbols, self._declared, self._labels = Symbols(), [set()], {}
        self._assuming = False
        self._unsent = ["(set-option :print-success false)"]
        if Capability.MODELS in self.can:
            self._unsent.append("(set-option :produce-models true)")
        if Capability.CORES in self.can:
            self._unsent.append("(set-option :produce-unsat-cores true)")
        self._unsent.append(f"(set-logic {logic})")
        for depth, scope in enumerate(self._scopes):
            if depth:
                self._unsent.append("(push 1)")
                self._declared.append(set())
            for name, formula in scope:
                self._unsent += self._assertion_lines(formula, name or None)

    def _assertion_lines(self, formula: Term, name: str | None) -> list[str]:
        if name is None:
            return self._labelled(formula, "")
        label = f"assertion!{next(self._numbers)}"
        self._labels[label] = name
        return self._labelled(formula, label)

    def _labelled(self, formula: Term, label: str) -> list[str]:
        dialect = self.preset.dialect
        formula = expand(formula, dialect.missing)
        lines = []
        for line in declarations([formula], self._symbols):
            if not any(line in scope for scope in self._declared):
                self._declared[-1].add(line)
                lines.append(line)
        # Names of shared parts go on from one assertion to the next.
        prefix = next(fresh_names(formula))[:-1]
        names = (f"{prefix}{number}" for number in self._numbers)
        definitions, text = defined(formula, names, dialect, self._symbols)
        lines += definitions
        tracked = label and Capability.CORES in self.can
        lines.append(f"(assert (! {text} :named {quoted(label)}))" if tracked else f"(assert {text})")
        return lines

    def _ask(self, question: str, deadline: float) -> str:
        assert self._process is not None
        text = "\n".join([*self._unsent, question, ""])
        self._unsent = []
        self._process.send(text, deadline)
        return self._process.reply(deadline)

    def _later(self, question: str, limit: float | None) -> sexpr.Sexpr:
        """A question about the last answer. Trouble here is an error for the caller, who has a verdict already."""
        deadline = float("inf") if limit is None else time.monotonic() + limit
        try:
            reply = self._ask(question, deadline)
            parsed = sexpr.parse(reply)
        except (Trouble, ValueError) as trouble:
            self._stop()
            raise CratonError(f"{self.name} did not answer {question.split()[0]}): {trouble}") from trouble
        if isinstance(parsed, list) and parsed and parsed[0] == "error":
            raise CratonError(f"{self.name}: {complaint(reply)}")
        return parsed

    def _model(self, formulas: Sequence[Term], limit: float | None) -> Model:
        values: dict[Term, Value] = {}

        def value_of(term: Term) -> Value:
            if term not in values:
                expanded = expand(term, self.preset.dialect.missing)
                definitions, text = defined(expanded, fresh_names(expanded), self.preset.dialect, self._symbols)
                if definitions:
                    raise NotExpressible(f"{self.name}: the value of a large term cannot be asked for")
                reply = self._later(f"(get-value ({text}))", limit)
                assert isinstance(reply, list) and isinstance(reply[0], list)
                values[term] = evaluate(parse_term(sexpr.write(reply[0][-1]), term.sort), {})
            return values[term]

        return model_by_values(formulas, value_of)

    def _core(self, assumptions: dict[str, Term], limit: float | None) -> Core:
        reply = self._later("(get-unsat-core)", limit)
        chosen = {word.strip("|") for word in reply if isinstance(word, str)}
        return Core(
            names=tuple(name for label, name in self._labels.items() if label in chosen and name in self._names),
            assumptions=tuple(term for label, term in assumptions.items() if label in chosen),
        )


def complaint(reply: str) -> str:
    """What an error reply says, in one line."""
    text = " ".join(reply.split())
    if text.startswith("(error"):
        return text.removeprefix("(error").removesuffix(")").strip().strip('"')
    return f"it answered {text[:80]!r}, which is no answer"
