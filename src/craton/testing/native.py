"""The user's program as a compiler reads it, run on inputs drawn from seeds: what happens there happens, whatever
Craton makes of the text.

Nothing here asks the front end. The text is compiled as it stands; error functions that the program lacks are the
harness's, and those it defines, static ones as well, are diverted in the machine code, which the linker's table of
symbols says the place of. Inputs are known by their names.

A run counts if nothing undefined came before the violation: the same run is repeated under sanitizers, where there are
some.
"""

from __future__ import annotations

import random
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from craton.evidence.building import (
    ADDRESS,
    GUARDS,
    GUARDS_TEXT,
    MODELS,
    UNDEFINED,
    Failed,
    Job,
    build,
    limits,
)
from craton.evidence.drawn_harness import drawn_functions, drawn_harness_text
from craton.evidence.elf import Elf
from craton.evidence.harness_frame import REACHED, SANITIZED, is_fault
from craton.frontends.programs import CSource
from craton.logic import FLOAT32, FLOAT64, BitVec, Sort
from craton.processes.compilers import compilers
from craton.processes.running_time import running_time
from craton.processes.sandbox import run_replay
from craton.program.cfa import DEREF, DIVISION, FREE, MEMCLEANUP, MEMTRACK, OVERFLOW, UNREACH
from craton.program.specification import Specification
from craton.program.statements import Input
from craton.testing.native_violation import NativeViolation, News, Propriety
from craton.verdicts.counterexample import NOTHING_AROUND, ReadValue, Surroundings

MEMORY = 256 << 20  # bytes that a run may use
MOST_INPUTS = 300_000  # of one run
FIRST_RUNS, MOST_RUNS = 25, 100  # of programs with inputs, for each kind of property
RUNS_WITHOUT_INPUTS = 3  # arguments and the standard input may still matter
_MOST_CONSTANTS = 200
_OF_THE_TEXT, _EXTREME = 0.6, 0.3  # words of its text among all, extreme numbers among other numbers
_FEW, _MOSTLY = (1, 5), 0.7  # words that a run has again and again, and how often they and what stands between come
_BETWEEN = (" ", "\n", "")
_LAST = (-(1 << 31), (1 << 31) - 1)
_LONGEST_IF_NEEDED, _LONGEST = 0.5, 0.1  # shares of the time for one run …
_SHORTEST = 0.2  # … but seconds at least
_AT_FIRST = 0.5  # seconds for the first runs together …
_SHORTEST_AT_FIRST, _CUT_SHORT_AT_FIRST = 0.025, 2  # … for one of them, and how many may be cut short
LONGEST_BUILD = 3.0  # seconds for a compiler, if the time does not give it more
_CLOSER_LOOK = 1.5  # seconds for each step of finding out whether a violation counts
_HARNESS, _REPLAY = "harness.c", "replay"
_NUMBER = re.compile(r"\b(0[xX][0-9a-fA-F]+|[1-9]\d*)(?=[uUlL]*\b)")
_WORD = re.compile(r"""'([^'\\\n])'|"([^"\\\n\0]{1,20})\"""")
_READS_ARGUMENTS = re.compile(r"\bmain\s*\([^)]*\w+\s+[^)]*\)")
_READS_ENVIRONMENT = re.compile(r"getenv\b|\benviron\b|\bmain\s*\([^)]*,[^)]*,[^)]*\)")
_READS_INPUT = re.compile(r"scanf\b|\bf?getc(?:har)?(?:_unlocked)?\b|\bf?gets\b|\bgetline\b|\bgetdelim\b|\bf?read\b")
# How a process ends that did something undefined: by a trap of the compiler's checks, or by the machine.
_FAULTY = frozenset(-number for number in (signal.SIGILL, signal.SIGTRAP, signal.SIGFPE, signal.SIGSEGV, signal.SIGBUS))
# Calls that a compiler must not replace by the body: an error function would be gone.
_CALLS = ("-Dalways_inline=noinline", "-D__always_inline__=__noinline__", "-falign-functions=16")


Tell = Callable[[NativeViolation | News], None]


class DrawnSurroundings:
    """What a program finds besides the functions that give inputs: arguments, an environment, a standard input; of
    words and numbers in its text, and other numbers.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        words: dict[str, None] = dict.fromkeys(("0", "1", "-1", "7", "a", "-h", "test", "100", "", "x y"))
        for text in texts:
            words.update(dict.fromkeys(first or second for first, second in _WORD.findall(text)))
            words.update(dict.fromkeys(match.group(1) for match in _NUMBER.finditer(text)))
        self._words = list(words)[:_MOST_CONSTANTS]
        self._arguments, self._environment, self._input = (
            any(pattern.search(text) for text in texts)
            for pattern in (_READS_ARGUMENTS, _READS_ENVIRONMENT, _READS_INPUT)
        )

    @property
    def are_read(self) -> bool:
        """Whether the program's text looks as if it did."""
        return self._arguments or self._environment or self._input

    def __call__(self, seed: int) -> tuple[list[str], dict[str, str], bytes]:
        """Nothing for the seed 0."""
        if seed == 0:
            return [], {}, b""
        draw = random.Random(seed)
        few = draw.sample(self._words, min(len(self._words), draw.randint(*_FEW)))
        mostly = draw.choice(_BETWEEN)
        arguments = [self._word(draw, few) for _ in range(draw.randrange(5))]
        environment = {
            name: draw.choice(self._words) for name in ("HOME", "LANG", "USER", "PATH") if draw.random() < 0.5
        }
        words = [
            self._word(draw, few) + (mostly if draw.random() < _MOSTLY else draw.choice(_BETWEEN))
            for _ in range(draw.randrange(1, 20))
        ]
        return arguments, environment, "".join(words).encode("latin-1", "replace")[:4000]

    def _word(self, draw: random.Random, few: Sequence[str]) -> str:
        """Of the few that come again and again in this run, of all, or a number: a small one, or the last of int."""
        if draw.random() < _OF_THE_TEXT:
            return draw.choice(few if draw.random() < _MOSTLY else self._words)
        return str(draw.choice(_LAST) if draw.random() < _EXTREME else draw.randint(-8, 24))

    def found(self, seed: int) -> Surroundings:
        """What a run with this seed is likely to have looked at; its own name comes first among the arguments."""
        arguments, environment, standard_input = self(seed)
        texts = tuple(word.encode("latin-1", "replace") for word in arguments)
        variables = tuple((name.encode(), value.encode("latin-1", "replace")) for name, value in environment.items())
        return Surroundings(
            (b"replay", *texts) if self._arguments else (),
            variables if self._environment else (),
            (),
            standard_input if self._input else b"",
        )


class _OutOfTime(Exception):
    """No time is left."""


def native_violation(source: CSource, directory: Path, seconds: float, tell: Tell) -> NativeViolation | None:
    """The first that is found, by each kind of property in turn; tells when a few runs of each have shown none, and of
    violations that it is about to look at more closely.

    None also where the program cannot be compiled or confined here. The directory is for what is built.
    """
    found = compilers()
    begun = running_time()
    if not found or source.options.data_model not in MODELS:
        return None
    try:
        texts = tuple(path.read_bytes().decode("latin-1") for path in source.files)
        runs = [
            _Runs(source, texts, kinds, found[0], directory / str(number), begun, begun + seconds, tell)
            for number, kinds in enumerate(_kinds(source.specification))
        ]
        for search in (_Runs.at_first, _Runs.thoroughly):
            for kind in runs:
                shown = search(kind)
                if shown is not None:
                    return shown
            tell(News.ENOUGH)
    except (_OutOfTime, OSError):
        pass
    return None


def _kinds(specification: Specification) -> Iterator[tuple[str, ...]]:
    """The properties that one compiled program watches over together, one after the other."""
    if specification.reachability:
        yield (UNREACH.name,)
    if specification.overflow:
        yield (OVERFLOW.name,)
    if specification.division:
        yield (DIVISION.name,)
    memory = [DEREF.name] * specification.deref + [FREE.name] * specification.free
    if memory:
        yield tuple(memory)
    if specification.memtrack:
        yield (MEMTRACK.name,)
    if specification.memcleanup:
        yield (MEMCLEANUP.name,)


@dataclass(slots=True)
class _Runs:
    """Runs of the program, compiled for some properties."""

    source: CSource
    texts: tuple[str, ...]
    kinds: tuple[str, ...]
    compiler: str
    directory: Path
    begun: float
    deadline: float
    tell: Tell
    binary: Path | None = None
    watched: Path | None = None  # over by sanitizers
    next: int = 0  # the first seed that was not tried
    was_cut_short: bool = False  # the run on zeros
    needs_time: bool = False  # the last run was cut short
    functions: dict[str, str] = field(init=False)
    surroundings: DrawnSurroundings = field(init=False)

    def __post_init__(self) -> None:
        self.functions = drawn_functions(self.texts)
        self.surroundings = DrawnSurroundings(self.texts)

    @property
    def reports(self) -> bool:
        """Whether violations are reported by the compiler's own checks."""
        return OVERFLOW.name in self.kinds or DIVISION.name in self.kinds

    @property
    def reads(self) -> bool:
        """Whether runs may differ."""
        return bool(self.functions) or self.surroundings.are_read

    def at_first(self) -> NativeViolation | None:
        """By a few short runs, for which a proof waits however long compilers take; long ones get their time later."""
        self.binary = self._built(self.directory)
        until, cut_short = running_time() + _AT_FIRST, 0
        for seed in range(min(FIRST_RUNS, self.most)):
            left = until - running_time()
            if self.binary is None or left <= 0 or cut_short == _CUT_SHORT_AT_FIRST:
                break
            self.next = seed + 1
            found = self._violation(self.binary, seed, left if seed == 0 else min(left, _SHORTEST_AT_FIRST))
            if found is not None:
                return found
            cut_short += self.needs_time
        return None

    def thoroughly(self) -> NativeViolation | None:
        """By more runs, while there is time; the one on zeros comes again if it was cut short. A run that is cut short
        shows nothing: the next one gets more time.
        """
        seeds = [*([0] if self.was_cut_short else []), *range(self.next, self.most)]
        for seed in seeds:
            left = self.deadline - running_time()
            if left <= 0:
                raise _OutOfTime
            share = left * (_LONGEST_IF_NEEDED if seed == 0 or self.needs_time else _LONGEST)
            found = None if self.binary is None else self._violation(self.binary, seed, max(_SHORTEST, share))
            if found is not None:
                return found
        return None

    @property
    def most(self) -> int:
        return MOST_RUNS if self.reads else RUNS_WITHOUT_INPUTS

    def _violation(self, binary: Path, seed: int, seconds: float) -> NativeViolation | None:
        """That a run with this seed shows, if it counts."""
        ending, said = run_replay(binary, seconds, MEMORY, seed, *self.surroundings(seed))
        self.needs_time = ending.code is None
        if seed == 0:
            self.was_cut_short = self.needs_time
        if any(line[:1] == "S" for line in said):
            self.binary = None
            return None
        told = next((line[1:] for line in said if line[:1] == "R"), None)
        if told is None:
            return None
        inputs = tuple(_read(said, self.functions))
        used = running_time() - self.begun
        violated, around = _violated(told, self.kinds), self._needed(binary, seed, seconds, said)
        suspected = NativeViolation(violated, inputs, self.compiler, Propriety.UNCHECKED, used, around)
        self.tell(suspected)
        propriety = self._propriety(seed)
        if propriety is not None:
            return replace(suspected, propriety=propriety)
        self.tell(News.WITHDRAWN)
        return None

    def _needed(self, binary: Path, seed: int, seconds: float, said: Sequence[str]) -> Surroundings:
        """What the run has to find: nothing if it is the same without."""
        around = self.surroundings.found(seed)
        without = run_replay(binary, seconds, MEMORY, seed)[1] if around else ()
        return NOTHING_AROUND if list(without) == list(said) else around

    def _propriety(self, seed: int) -> Propriety | None:
        """None if something undefined came first."""
        if self.kinds[0] != UNREACH.name and not self.reports:
            return Propriety.PROPER  # what is watched over is the first fault
        if self.watched is None:
            # Traps would take the place of those reports.
            self.watched = self._built(self.directory / "watched", ADDRESS if self.reports else UNDEFINED)
        if self.watched is None:
            return Propriety.UNCHECKED
        # The violation is known; whether it counts is worth a little more time.
        limit = max(_CLOSER_LOOK, self.deadline - running_time())
        ending, said = run_replay(self.watched, limit, 4 * MEMORY, seed, *self.surroundings(seed))
        if any(line[:1] == "R" for line in said):
            return Propriety.PROPER
        return None if ending.code in _FAULTY or any(map(is_fault, said)) else Propriety.UNCHECKED

    def _built(self, directory: Path, sanitizers: tuple[str, ...] = ()) -> Path | None:
        """The program in which every error function leads to the harness."""
        directory.mkdir(exist_ok=True)
        job = self._job(directory, sanitizers)
        patience = _CLOSER_LOOK if sanitizers else LONGEST_BUILD
        binary = build(job, self.compiler, max(self.deadline, running_time() + patience))
        if isinstance(binary, Failed):
            return None
        functions = self.source.specification.error_functions
        binary.write_bytes(Elf.read(binary).diverted(functions, REACHED))
        return binary

    def _job(self, directory: Path, sanitizers: tuple[str, ...]) -> Job:
        source, specification = self.source, self.source.specification
        names = [f"{number}.c" for number in range(len(source.files))]
        for name, text in zip(names, self.texts, strict=True):
            (directory / name).write_bytes(_with_marked_labels(text, specification.labels).encode("latin-1"))
        own_main = specification.entry != "main" or MEMTRACK.name in self.kinds
        text = drawn_harness_text(specification, self.kinds, self.functions, own_main, watched=bool(sanitizers))
        (directory / _HARNESS).write_text(text, encoding="utf-8")
        included: tuple[str, ...] = ()
        if self.kinds[0] in SANITIZED:
            (directory / GUARDS).write_text(GUARDS_TEXT)
            included = (GUARDS,)
        options = [*(f"-iquote{path.parent.resolve()}" for path in source.files)]
        options += [f"-iquote{Path(folder).resolve()}" for folder in source.options.quoted]
        options += [f"-I{Path(folder).resolve()}" for folder in source.options.include]
        options += [f"-D{definition}" for definition in source.options.define]
        job = Job(directory, tuple(names), _HARNESS, source.options.data_model, self.kinds[0], (*options, *_CALLS),
                  own_main, own_main, included, sanitizers=sanitizers)  # fmt: skip
        known = ",".join(map(str, _constants(self.texts)))
        drawn = (f"-DCRATON_DRAWN={MOST_INPUTS}", f"-DCRATON_KNOWN={known}")
        return replace(job, defines=("-DCRATON_SUPERVISED", *limits(job.data_model), *drawn))


def _violated(told: str, kinds: Sequence[str]) -> str:
    return next((kind for kind in kinds if told.startswith(kind)), kinds[0])


def _constants(texts: Sequence[str]) -> list[int]:
    """Numbers in the text: inputs like these decide more than others."""
    found = dict.fromkeys((0, (1 << 31) - 1, 1 - (1 << 31)))
    for text in texts:
        for match in _NUMBER.finditer(text):
            number = int(match.group(1), 0)
            if number < 1 << 31:
                found[number] = None
                found[-number] = None
    return list(found)[:_MOST_CONSTANTS]


def _with_marked_labels(text: str, labels: Sequence[str]) -> str:
    """Where a label of these names begins a statement, the error is reported first. What only looks like a label does
    not compile with it, and there is no run then.
    """
    mark = f" if (({{ extern void {REACHED}(void); {REACHED}(); 1; }})) ; else "
    for label in labels:
        text = re.sub(rf"(?m)((?:^|[;{{}}])[ \t]*{re.escape(label)}[ \t]*:)(?!:)", lambda m: m.group(1) + mark, text)
    return text


def _read(said: Sequence[str], functions: dict[str, str]) -> Iterator[ReadValue]:
    """The inputs that a harness told of: "function value function value …" in lines."""
    names = list(functions)
    for line in said:
        if line[:1] == "I":
            words = line[1:].split()
            for function, digits in zip(words[::2], words[1::2], strict=True):
                name = names[int(function, 16)]
                contents = bytes.fromhex(digits)
                number = int.from_bytes(contents, "little", signed=True)
                sort: Sort = {"float": FLOAT32, "double": FLOAT64}.get(functions[name], BitVec(8 * len(contents)))
                value = number % (1 << 8 * len(contents))
                yield ReadValue(Input(name, functions[name]), value, sort)
