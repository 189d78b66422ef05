"""Programs of csmith (Yang et al., PLDI 2011), where it is installed: our interpreter against gcc.

    PYTHONPATH=tests python -m cfuzz.csmith COUNT [--first SEED]

A csmith program folds all its globals into a CRC in `crc32_context` and prints it. Programs that do not end within the
limits on either side are counted, not compared. The exit code is 1 if there is a mismatch.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cfuzz import oracle
from craton.errors import CratonError
from craton.frontends.c import COptions, load_c
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import Exited, ReachedUnmodelled, StepLimit

HEADERS = Path("/usr/include/csmith")
# Smaller than what csmith makes by itself, so that more programs fit into the time.
OPTIONS = ("--no-argc", "--max-funcs", "5", "--max-block-depth", "3", "--max-array-len-per-dim", "6", "--float")
STEPS = 3_000_000
SECONDS = 3.0
NOT_COMPARED = "not compared"


def missing() -> str:
    """What is not installed; "" if all is there."""
    if shutil.which("csmith") is None or not (HEADERS / "csmith.h").is_file():
        return "csmith is not installed (Debian: csmith and libcsmith-dev)"
    return "" if oracle.models() else "there is no C compiler to compare with"


def disagreement(seed: int, folder: Path) -> str:
    """What is wrong on this seed; "" if nothing, NOT_COMPARED if it cannot be compared. The data models take turns."""
    models = oracle.models()
    model = models[seed % len(models)]
    path, binary = folder / "program.c", folder / "program"
    subprocess.run(["csmith", *OPTIONS, "--seed", str(seed), "-o", str(path)], check=True, timeout=60, cwd=folder)
    command = [oracle.default_compiler(), *oracle.FLAGS, *oracle.MODEL_FLAGS[model], *oracle.PLAIN, f"-I{HEADERS}"]
    subprocess.run([*command, str(path), "-o", str(binary), "-lm"], check=True, timeout=60)
    try:
        text = subprocess.run([binary], capture_output=True, text=True, timeout=SECONDS).stdout
    except subprocess.TimeoutExpired:
        return NOT_COMPARED
    expected = re.search(r"checksum = ([0-9A-F]+)", text)
    if expected is None:
        return f"seed {seed} {model.name}: the compiled program says {text[:200]!r}"
    try:
        program = load_c([path], options=COptions(model.name, include=(str(HEADERS),)))
        run = Interpreter(program).run(step_limit=STEPS)
    except CratonError as problem:
        return f"seed {seed} {model.name}: {problem}"
    except Exception as problem:
        return f"seed {seed} {model.name}: {problem!r}"
    if isinstance(run.outcome, StepLimit | ReachedUnmodelled):  # the latter where an order of evaluation is left open
        return NOT_COMPARED
    found = next(value for variable, value in run.values.items() if variable.name == "crc32_context") ^ 0xFFFFFFFF
    if isinstance(run.outcome, Exited) and found == int(expected[1], 16):
        return ""
    return f"seed {seed} {model.name}: compiled {expected[1]}, interpreted {run.outcome} with {found:X}"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="cfuzz.csmith", description="compare the front end with gcc on csmith's work")
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    args = parser.parse_args(words)
    if missing():
        print(f"{missing()}: skipped")
        return 0
    start, bad, unknown = time.monotonic(), 0, 0
    for done, seed in enumerate(range(args.first, args.first + args.count), 1):
        with tempfile.TemporaryDirectory(prefix="cfuzz") as folder:
            problem = disagreement(seed, Path(folder))
        if problem == NOT_COMPARED:
            unknown += 1
        elif problem:
            bad += 1
            print(problem, flush=True)
        if done % 25 == 0 or done == args.count:
            seconds = time.monotonic() - start
            print(f"{done} csmith programs, {bad} mismatches, {unknown} not compared, {seconds:.0f} s", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
