"""Many generated programs: our interpreter against the compiled program. `make fuzz N=10000`, or

    PYTHONPATH=tests python -m cfuzz.differential COUNT [--first SEED] [--jobs N] [--size N]

Every mismatch is printed with its seed (`python -m cfuzz.generate SEED` shows the program); the exit code is 1 if there
is one. Programs that the front end refuses, or whose calls it approximates, are counted by what stands in the way: they
are no mismatches, but they compare nothing.
"""

from __future__ import annotations

import argparse
import functools
import gc
import itertools
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cfuzz import oracle
from cfuzz.batch import outcomes, tagged
from cfuzz.features import ALL, Features
from cfuzz.generate import generate
from craton.errors import CratonError
from craton.frontends.c import COptions, load_c
from craton.frontends.c.errors import Unsupported
from craton.program.cfa import Program
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Exited, ReachedUnmodelled, Run

CRASH = "the compiler fails"
SIZE = 10
MORE_INPUTS = 1000  # zeros, as the harness gives them
BATCH = 25  # programs that are compiled together


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of one seed: nothing to say, a mismatch, or what stood in the way of a comparison."""

    mismatch: str = ""
    obstacle: str = ""
    seed: int | None = None


def compare(seed: int, features: Features = ALL, size: int = SIZE) -> Compared:
    """The front end and the interpreter against the compiled program. The data models take turns."""
    source, values = generate(seed, size=size, features=features), oracle.inputs(seed)
    try:
        expected = oracle.run(source, values, model_of(seed))
    except oracle.CompilerCrash:
        return Compared(obstacle=CRASH)
    return examine(seed, source, values, expected)


def compare_all(seeds: Sequence[int], features: Features = ALL, size: int = SIZE) -> list[Compared]:
    """The same for many programs, compiled together; those that differ are compared again, each alone."""
    found: dict[int, Compared] = {}
    for model in oracle.models():
        chosen = [seed for seed in seeds if model_of(seed) is model]
        sources = [tagged(generate(s, size=size, features=features), tag) for tag, s in enumerate(chosen)]
        values = [oracle.inputs(seed) for seed in chosen]
        try:
            expected = outcomes(sources, values, model)
        except oracle.CompileError:
            found.update({seed: compare(seed, features, size) for seed in chosen})
            continue
        for seed, source, line, outcome in zip(chosen, sources, values, expected, strict=True):
            found[seed] = examine(seed, source, line, outcome)
    return [replace(confirmed(found[seed], seed, features, size), seed=seed) for seed in seeds]


def confirmed(result: Compared, seed: int, features: Features, size: int) -> Compared:
    """A mismatch as it shows without other programs and tags of names."""
    if not result.mismatch:
        return result
    alone = compare(seed, features, size)
    return alone if alone.mismatch else Compared(f"{result.mismatch} (only among other programs)")


def model_of(seed: int) -> oracle.Model:
    return oracle.models()[seed % len(oracle.models())]


def examine(seed: int, source: str, values: Sequence[oracle.Value], expected: oracle.Outcome) -> Compared:
    """Whether our run of the program ends as the compiled one did."""
    model = model_of(seed)
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = load_c(oracle.written(source, Path(folder)), options=COptions(model.name))
            run = Interpreter(program).run(values)
        except Unsupported as problem:
            return Compared(obstacle=problem.construct)
        except Exception as problem:
            return Compared(
                f"seed {seed} {model.name}: {problem if isinstance(problem, CratonError) else repr(problem)}"
            )
    found = checksum(run)
    if isinstance(run.outcome, ReachedUnmodelled):
        return Compared(obstacle=run.outcome.construct.description)
    if isinstance(run.outcome, Exited):
        if isinstance(expected, oracle.Exit) or (isinstance(found, int) and expected == oracle.Checksum(found)):
            return Compared()
        if program.approximated and not is_settled(program, values, run):
            return Compared(obstacle=f"an approximation of {', '.join(program.approximated)}")
    return Compared(f"seed {seed} {model.name}: compiled {expected}, interpreted {run.outcome} with checksum {found}")


def is_settled(program: Program, values: Sequence[oracle.Value], run: Run) -> bool:
    """Whether the run ends in the same way whatever is chosen for what the model leaves open."""
    inputs = (*values, *([0] * MORE_INPUTS))
    others = (Interpreter(program).run(inputs, seed=seed) for seed in range(3))
    return all(other.outcome == run.outcome and checksum(other) == checksum(run) for other in others)


def checksum(run: Run) -> object:
    return next((value for variable, value in run.values.items() if variable.name == "__checksum"), None)


def disagreement(seed: int, features: Features = ALL) -> str:
    """What is wrong with the front end or the interpreter on this seed; "" if nothing."""
    return compare(seed, features).mismatch


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="cfuzz.differential", description="compare the front end with gcc")
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--size", type=int, default=SIZE, help="roughly the number of statements of main")
    parser.add_argument("--without", action="append", default=[], metavar="FEATURE")
    args = parser.parse_args(words)
    if not oracle.models():
        print("there is no C compiler to compare with")
        return 2
    start, bad = time.monotonic(), 0
    obstacles: Counter[str] = Counter()
    seeds = range(args.first, args.first + args.count)
    batches = [seeds[at : at + BATCH] for at in range(0, len(seeds), BATCH)]
    task = functools.partial(compare_all, features=ALL.without(*args.without), size=args.size)
    # Terms live as long as their process, so processes are renewed now and then; cycles may wait until then, too.
    with multiprocessing.get_context("spawn").Pool(args.jobs, gc.disable, maxtasksperchild=8) as pool:
        results = itertools.chain.from_iterable(pool.imap_unordered(task, batches))
        for done, result in enumerate(results, 1):
            if result.obstacle:
                obstacles[result.obstacle] += 1
                print(f"    not compared: seed {result.seed}: {result.obstacle}", flush=True)
            elif result.mismatch:
                bad += 1
                print(result.mismatch, flush=True)
            if done % 250 == 0 or done == args.count:
                seconds = time.monotonic() - start
                beside = f", {obstacles.total()} not compared" if obstacles else ""
                print(f"{done} of {args.count} programs, {bad} mismatches{beside}, {seconds:.0f} s", flush=True)
    for obstacle, count in obstacles.most_common():
        print(f"    not compared, {count}: {obstacle}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
