"""How to run the known SMT-LIB solvers, and what each of them can do."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass

from craton.errors import UnknownSolver
from craton.logic import ops
from craton.logic.ops import Theory
from craton.logic.smtlib import Dialect
from craton.smt.contract import IEEE_FORMATS, Capability, Fragment

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
            "put the program `yices-smt2` on your PATH",
            Fragment(_LINEAR | _BITS),
            dialect=_WITHOUT_CONVERSIONS,
            logic="QF_{}",
        ),
    )
}
