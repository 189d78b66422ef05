"""Solvers as processes that speak SMT-LIB: presets for the known ones, and any other by its command line.

The process keeps the assertions, as an in-process solver would. It may crash, hang or babble: then the answer is
Undecided, and the next question goes to a new process that has been told everything again.
"""

from __future__ import annotations

import os
import selectors
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from craton.errors import CratonError, NotExpressible, UnknownSolver
from craton.logic import ops
from craton.logic.definitions import expand
from craton.logic.evaluation import Model, evaluate
from craton.logic.ops import Theory
from craton.logic.rendering import fresh_names
from craton.logic.semantics import Value
from craton.logic.smtlib import Dialect, Symbols, declarations, defined, quoted
from craton.logic.terms import Term
from craton.logic.walk import post_order
from craton.smt import sexpr
from craton.smt.contract import IEEE_FORMATS, Answer, Capability, Core, Fragment, Solver, Undecided
from craton.smt.interpolation import Interpolants, Satisfiable
from craton.smt.querylog import QueryLog
from craton.smt.reading import parse_formula, parse_term
from craton.smt.translation import model_by_values

_OVERFLOWS = frozenset(
    (ops.BVNEGO, ops.BVUADDO, ops.BVSADDO, ops.BVUMULO, ops.BVSMULO, ops.BVUSUBO, ops.BVSSUBO, ops.BVSDIVO)
)
# What was common before SMT-LIB 2.7.
_OLDER = Dialect({ops.UBV_TO_INT: "bv2nat", ops.INT_TO_BV: "int2bv"}, _OVERFLOWS | {ops.SBV_TO_INT})
_WITHOUT_CONVERSIONS = Dialect({}, _OVERFLOWS | {ops.SBV_TO_INT, ops.UBV_TO_INT, ops.INT_TO_BV})

_LINEAR = frozenset((Theory.CORE, Theory.UF, Theory.ARITHMETIC, Theory.ARRAYS))
_BITS = frozenset((Theory.CORE, Theory.UF, Theory.BITVECTORS, Theory.ARRAYS))
_ANSWERS = frozenset((Capability.MODELS, Capability.CORES))


@dataclass(frozen=True, slots=True)
class Preset:
    """How to run one solver, and what it can do."""

    name: str
    command: tuple[str, ...]
    how_to_get: str
    fragment: Fragment
    can: frozenset[Capability] = _ANSWERS
    dialect: Dialect = _OLDER
    logic: str = "ALL"  # with {} where the theories decide: see `logic_for`
    options: tuple[str, ...] = ()
    interpolation: str = ""  # "get-interpolants" (named assertions) or "interpolation-group" (MathSAT)
    version_flag: str = "--version"
    jar: str = ""  # environment variable that names the .jar, for solvers in Java

    @classmethod
    def from_command(cls, line: str) -> Preset:
        """Any solver that reads SMT-LIB from its standard input; it is trusted to know every theory."""
        words = tuple(shlex.split(line))
        if not words or shutil.which(words[0]) is None:
            raise UnknownSolver(f"cannot run the solver {line!r}: {words[0] if words else 'nothing'} is not found")
        return cls(words[0].rsplit("/", 1)[-1], words, "", Fragment(frozenset(Theory), IEEE_FORMATS))

    def find(self) -> tuple[str, ...] | None:
        """The command with its full path; None if it is not installed."""
        path = shutil.which(self.command[0])
        if path is not None and not self.jar:
            return (path, *self.command[1:])
        if self.jar and shutil.which(self.name):
            return (shutil.which(self.name) or "", *self.command[3:])
        jar = os.environ.get(self.jar, "") if self.jar else ""
        if path is not None and jar and os.path.exists(jar):
            return tuple(path if w == "java" else w.replace("{jar}", jar) for w in self.command)
        return None

    def version(self) -> str | None:
        """What the solver says of itself in its first line; None if it is not installed."""
        command = self.find()
        if command is None:
            return None
        try:
            done = subprocess.run(
                [*command[: 3 if self.jar else 1], self.version_flag],
                capture_output=True,
                text=True,
                timeout=10,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return "found, but does not answer"
        lines = (done.stdout or done.stderr).strip().splitlines()
        return lines[0].strip() if lines else "found"

    def logic_for(self, theories: frozenset[Theory]) -> str:
        """Some solvers want one logic for bits and another for numbers."""
        return self.logic.replace("{}", "AUFBV" if Theory.BITVECTORS in theories else "AUFLIRA")


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "mathsat",
            ("mathsat", "-input=smt2"),
            "free for research: put the program `mathsat` on your PATH",
            Fragment(frozenset(Theory) - {Theory.QUANTIFIERS}, IEEE_FORMATS),
            _ANSWERS | {Capability.INTERPOLANTS},
            options=("(set-option :produce-interpolants true)",),
            interpolation="interpolation-group",
            version_flag="-version",
        ),
        Preset(
            "smtinterpol",
            ("java", "-jar", "{jar}", "-q", "-smt2"),
            "set SMTINTERPOL_JAR to its .jar (Maven Central has it), or put a script `smtinterpol` on your PATH",
            Fragment(_LINEAR | _BITS),
            _ANSWERS | {Capability.INTERPOLANTS},
            options=("(set-option :produce-interpolants true)",),
            interpolation="get-interpolants",
            version_flag="-version",
            jar="SMTINTERPOL_JAR",
        ),
        Preset(
            "princess",
            ("princess", "+stdin", "+incremental", "+quiet"),
            "put the program `princess` on your PATH",
            Fragment(_LINEAR | _BITS | {Theory.QUANTIFIERS}),
            _ANSWERS | {Capability.INTERPOLANTS},
            options=("(set-option :produce-interpolants true)",),
            interpolation="get-interpolants",
            version_flag="+version",
        ),
        Preset(
            "opensmt",
            ("opensmt",),
            "put the program `opensmt` on your PATH",
            Fragment(_LINEAR),
            frozenset((Capability.MODELS, Capability.INTERPOLANTS)),
            logic="QF_{}",
            options=("(set-option :produce-interpolants true)",),
            interpolation="get-interpolants",
        ),
        Preset(
            "yices",
            ("yices-smt2", "--incremental"),
            "put the program `yices-smt2` on your PATH (Debian: apt-get install yices2)",
            Fragment(_LINEAR | _BITS),
            dialect=_WITHOUT_CONVERSIONS,
            logic="QF_{}",
        ),
    )
}


# --- the process ------------------------------------------------------------------------------------------------------


class Trouble(Exception):
    """The process crashed, hung or said something that is not an answer."""


class Process:
    """A child that is written commands to and read replies from, both under a deadline; it never outlives `kill`."""

    def __init__(self, command: Sequence[str]) -> None:
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        assert self._child.stdin is not None and self._child.stdout is not None
        self._in, self._out = self._child.stdin.fileno(), self._child.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._buffer = ""

    def send(self, text: str, deadline: float) -> None:
        data = memoryview(text.encode())
        with selectors.DefaultSelector() as selector:
            selector.register(self._in, selectors.EVENT_WRITE)
            while data:
                if not selector.select(_left(deadline)):
                    raise Trouble("timeout")
                try:
                    data = data[os.write(self._in, data) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise Trouble(self._death()) from error

    def reply(self, deadline: float) -> str:
        """The next s-expression."""
        balance = sexpr.Balance()
        pieces: list[str] = []
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            while True:
                end = balance.end(self._buffer)
                if end is not None:
                    pieces.append(self._buffer[:end])
                    self._buffer = self._buffer[end:]
                    return "".join(pieces).strip()
                pieces.append(self._buffer)
                self._buffer = ""
                if not selector.select(_left(deadline)):
                    raise Trouble("timeout")
                data = os.read(self._out, 1 << 16)
                if not data:
                    raise Trouble(self._death())
                self._buffer = data.decode(errors="replace")

    def _death(self) -> str:
        try:
            code = self._child.wait(1)
        except subprocess.TimeoutExpired:
            return "the process closed its output"
        return f"the process ended with signal {-code}" if code < 0 else f"the process ended with exit code {code}"

    def kill(self) -> None:
        """Ends the child with all of its own children."""
        try:
            os.killpg(self._child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        for stream in (self._child.stdin, self._child.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass
        self._child.wait()


def _left(deadline: float) -> float | None:
    return None if deadline == float("inf") else max(0.0, deadline - time.monotonic())


# --- the solver -------------------------------------------------------------------------------------------------------


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
        return Undecided(f"{self.name}: {_complaint(word)}")

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
            raise CratonError(f"{self.name}: {_complaint(reply)}")
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


def _complaint(reply: str) -> str:
    """What an error reply says, in one line."""
    text = " ".join(reply.split())
    if text.startswith("(error"):
        return text.removeprefix("(error").removesuffix(")").strip().strip('"')
    return f"it answered {text[:80]!r}, which is no answer"


# --- interpolants -----------------------------------------------------------------------------------------------------


def process_interpolants(preset: Preset, formulas: Sequence[Term], time_limit: float | None) -> Interpolants:
    """By `get-interpolants` over named assertions, or MathSAT's interpolation groups."""
    deadline = float("inf") if time_limit is None else time.monotonic() + time_limit
    groups = [f"part{i + 1}" for i in range(len(formulas))]
    solver = _InterpolatingProcess(replace(preset, can=preset.can - _ANSWERS), groups)
    try:
        for formula in formulas:
            solver.add(formula)
        answer = solver.check(time_limit=time_limit)
        if isinstance(answer, Undecided):
            return answer
        if type(answer).__name__ == "Sat":
            return Satisfiable()
        if len(formulas) == 1:
            return ()
        return tuple(parse_formula(text, symbols=solver.symbols) for text in solver.ask_interpolants(deadline))
    except (Trouble, CratonError, ValueError) as error:
        return Undecided(f"{preset.name}: {error}")
    finally:
        solver.close()


class _InterpolatingProcess(ProcessSolver):
    """Labels assertions as the solver's interpolation command wants them."""

    def __init__(self, preset: Preset, groups: Sequence[str]) -> None:
        super().__init__(preset)
        self._groups = groups

    @property
    def symbols(self) -> Symbols:
        return self._symbols

    def _prepare(self, assumptions: Sequence[Term]) -> None:
        super()._prepare(assumptions)
        position = next(i for i, line in enumerate(self._unsent) if line.startswith("(set-logic"))
        self._unsent[position:position] = self.preset.options
        keyword = ":interpolation-group" if self.preset.interpolation == "interpolation-group" else ":named"
        groups = iter(self._groups)
        self._unsent = [
            f"(assert (! {line[len('(assert ') : -1]} {keyword} {next(groups)}))"
            if line.startswith("(assert ")
            else line
            for line in self._unsent
        ]

    def ask_interpolants(self, deadline: float) -> list[str]:
        if self.preset.interpolation == "interpolation-group":
            prefixes = [self._groups[: i + 1] for i in range(len(self._groups) - 1)]
            return [self._checked(self._ask(f"(get-interpolant ({' '.join(p)}))", deadline)) for p in prefixes]
        reply = sexpr.parse(self._checked(self._ask(f"(get-interpolants {' '.join(self._groups)})", deadline)))
        if not isinstance(reply, list) or len(reply) != len(self._groups) - 1:
            raise Trouble("it did not answer with one interpolant for each cut")
        return [sexpr.write(part) for part in reply]

    @staticmethod
    def _checked(reply: str) -> str:
        if reply.startswith("(error"):
            raise Trouble(_complaint(reply))
        return reply
