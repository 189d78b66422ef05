"""Many generated programs: our interpreter against the compiled program. `make fuzz N=10000`, or

    PYTHONPATH=tests python -m cfuzz.differential COUNT [--first SEED] [--jobs N]

Every mismatch is printed with its seed (`python -m cfuzz.generate SEED` shows the program); the exit code is 1 if there
is one.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import time
from pathlib import Path

from cfuzz import oracle
from cfuzz.generate import generate
from craton.errors import CratonError
from craton.frontends.c import COptions, load_c
from craton.program.interpreter import Exited, Interpreter

CRASH = "the compiler fails"


def disagreement(seed: int) -> str:
    """What is wrong with the front end or the interpreter on this seed; "" if nothing, CRASH if nobody
    knows. The data models take turns."""
    models = oracle.models()
    model = models[seed % len(models)]
    source, values = generate(seed), oracle.inputs(seed)
    try:
        expected = oracle.run(source, values, model)
    except oracle.CompilerCrash:
        return CRASH
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.c"
        path.write_text(source)
        try:
            run = Interpreter(load_c([path], options=COptions(model.name))).run(values)
        except CratonError as problem:
            return f"seed {seed} {model.name}: {problem}"
        except Exception as problem:
            return f"seed {seed} {model.name}: {problem!r}"
    found = next((value for variable, value in run.values.items() if variable.name == "__checksum"), None)
    if isinstance(expected, oracle.Checksum):
        if isinstance(run.outcome, Exited) and found == expected.value:
            return ""
    elif isinstance(expected, oracle.Exit) and isinstance(run.outcome, Exited):
        return ""
    return f"seed {seed} {model.name}: compiled {expected}, interpreted {run.outcome} with checksum {found}"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="cfuzz.differential", description="compare the front end with gcc")
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    args = parser.parse_args(words)
    if not oracle.models():
        print("there is no C compiler to compare with")
        return 2
    start, bad, crashes = time.monotonic(), 0, 0
    seeds = range(args.first, args.first + args.count)
    # Terms live as long as their process, so processes are renewed now and then.
    with multiprocessing.get_context("spawn").Pool(args.jobs, maxtasksperchild=4) as pool:
        for done, problem in enumerate(pool.imap_unordered(disagreement, seeds, chunksize=25), 1):
            if problem == CRASH:
                crashes += 1
            elif problem:
                bad += 1
                print(problem, flush=True)
            if done % 250 == 0 or done == args.count:
                seconds = time.monotonic() - start
                beside = f", {crashes} beyond the compiler" if crashes else ""
                print(f"{done} of {args.count} programs, {bad} mismatches{beside}, {seconds:.0f} s", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
