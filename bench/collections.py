"""Programs that try to trip a verifier: `python -m bench tricky DIR` and `python -m bench torture DIR`.

Both print how many are right, unknown, refused and wrong, and the names of the wrong ones; the exit code is 1 if there
is one.

- *tricky*: small C and Boogie programs whose first lines say what is expected (`// expect:`), the data model
  (`// model:`) and the property (`// prop:`); each is verified.
- *torture*: a compiler's own test programs. Each that ends normally when it is compiled and run here must do so in
  `craton run`: a run that reaches `abort`, ends otherwise or stops at an assumption is wrong. Programs with features
  that nobody asks for (`features`) are run, too, but not counted among those whose share is printed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from bench.features import Feature, features
from craton.processes.keeper import PYTHON, Order, contain
from craton.processes.limits import Limits

MEMORY = 4 * 2**30
NATIVE_SECONDS = 10.0
DIALECTS = ("gnu17", "gnu89")  # the first in which a program can be compiled and ends normally

PROPERTIES = {
    "overflow": ("G ! overflow",),
    "deref": ("G valid-deref",),
    "free": ("G valid-free",),
    "memtrack": ("G valid-memtrack",),
    "memcleanup": ("G valid-memcleanup",),
    "memsafety": ("G valid-free", "G valid-deref", "G valid-memtrack"),
    "termination": ("F end",),
    "abort": ("G ! call(abort())",),
}


_PLACE = re.compile(r"\S*\.[chi](?::\d+)*:? ?")


class Outcome(Enum):
    RIGHT = "right"
    UNKNOWN = "unknown"
    REFUSED = "refused"
    WRONG = "wrong"
    SKIPPED = "not run natively"


@dataclass(frozen=True, slots=True)
class Judged:
    name: str
    outcome: Outcome
    said: str
    left_out_for: tuple[Feature, ...] = ()


# --- tricky -----------------------------------------------------------------------------------------------------------


def tricky(directory: Path, seconds: float, jobs: int, words: Sequence[str]) -> list[Judged]:
    files = [f for f in _files(directory, words) if f.suffix in (".c", ".i", ".bpl")]
    with tempfile.TemporaryDirectory() as folder:
        return _pooled(files, lambda file: _verified(file, Path(folder), seconds), jobs)


def _verified(file: Path, folder: Path, seconds: float) -> Judged:
    header = _header(file)
    words = [PYTHON, "-m", "craton", "verify", str(file), "--json", "--time-limit", f"{seconds:g}"]
    if "model" in header:
        words += ["--data-model", header["model"]]
    if header.get("prop", "reach") != "reach":
        words += ["--property", str(_property_file(folder, header["prop"]))]
    what = contain(Order(tuple(words), Limits(wall=seconds + 10, memory=MEMORY)))
    try:
        answer = json.loads(what.output)
    except json.JSONDecodeError:
        return Judged(file.name, Outcome.REFUSED, _last_line(what.log) or what.reason or "no answer")
    said = str(answer.get("verdict", ""))
    reason = " ".join(str(answer.get("reason") or answer.get("error") or "").split())
    return Judged(file.name, _compared(said, header["expect"], reason, what.exit_code), f"{said} {reason}".strip())


def _compared(said: str, expected: str, reason: str, exit_code: int | None) -> Outcome:
    verdict = said.partition("(")[0].upper()
    if verdict == expected:
        return Outcome.RIGHT
    if verdict in ("TRUE", "FALSE"):
        return Outcome.WRONG
    return (
        Outcome.REFUSED if exit_code == 2 or "not supported" in reason or "not modelled" in reason else Outcome.UNKNOWN
    )


def _header(file: Path) -> dict[str, str]:
    found = {}
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines()[:6]:
        if line.startswith("//") and ":" in line:
            key, _, value = line[2:].partition(":")
            found[key.strip()] = value.split()[0] if value.split() else ""
    return found


def _property_file(folder: Path, name: str) -> Path:
    file = folder / f"{name}.prp"
    file.write_text("".join(f"CHECK( init(main()), LTL({formula}) )\n" for formula in PROPERTIES[name]))
    return file


# --- torture ----------------------------------------------------------------------------------------------------------


def torture(directory: Path, seconds: float, jobs: int, words: Sequence[str]) -> list[Judged]:
    files = [f for f in _files(directory, words) if f.suffix == ".c"]
    with tempfile.TemporaryDirectory() as folder:
        forbidden = _property_file(Path(folder), "abort")
        return _pooled(files, lambda file: _tortured(file, Path(folder), forbidden, seconds), jobs)


def _tortured(file: Path, folder: Path, forbidden: Path, seconds: float) -> Judged:
    problems = []
    for dialect in DIALECTS:
        try:
            problem = _native_problem(file, folder / file.stem, dialect)
            if not problem:
                left_out_for = features(file, (f"-std={dialect}",))
                break
        except subprocess.TimeoutExpired:
            problem = "takes too long"
        problems.append(problem)
    else:
        return Judged(file.name, Outcome.SKIPPED, ", ".join(dict.fromkeys(problems)))
    words = (PYTHON, "-m", "craton", "run", str(file), "--data-model", "LP64", "--property", str(forbidden))
    what = contain(Order(words, Limits(wall=seconds, memory=MEMORY)))
    said = _last_line(what.output) or _last_line(what.log) or what.reason
    return Judged(file.name, _ended(what.exit_code, said), said, left_out_for)


def _native_problem(file: Path, binary: Path, dialect: str) -> str:
    """Why the compiled program is no judge; nothing if it ends normally."""
    compiled = ("gcc", "-O0", "-fwrapv", "-w", f"-std={dialect}", str(file), "-o", str(binary), "-lm")
    try:
        if subprocess.run(compiled, capture_output=True, timeout=NATIVE_SECONDS).returncode != 0:
            return "does not compile"
        if subprocess.run([str(binary)], capture_output=True, timeout=NATIVE_SECONDS).returncode != 0:
            return "does not end normally"
        return ""
    finally:
        binary.unlink(missing_ok=True)


def _ended(exit_code: int | None, said: str) -> Outcome:
    """What a run of a program that ends normally, compiled, is worth."""
    match exit_code:
        case 0:
            return Outcome.RIGHT if said in ("exit", "exit with 0", "exit with nothing") else Outcome.WRONG
        case 1:
            return Outcome.WRONG
        case 2:
            return Outcome.REFUSED
    return Outcome.REFUSED if "not supported" in said or "not modelled" in said else Outcome.UNKNOWN


# --- both -------------------------------------------------------------------------------------------------------------


def _files(directory: Path, words: Sequence[str]) -> list[Path]:
    found = sorted(path for path in directory.rglob("*") if path.is_file())
    return [path for path in found if not words or any(word in str(path) for word in words)]


def _pooled(files: Sequence[Path], judge: Callable[[Path], Judged], jobs: int) -> list[Judged]:
    with ThreadPoolExecutor(jobs) as pool:
        return list(_told(pool.map(judge, files), len(files)))


def _told(judged: Iterator[Judged], total: int) -> Iterator[Judged]:
    for number, one in enumerate(judged, 1):
        if one.outcome is Outcome.WRONG:
            print(f"WRONG {one.name}: {one.said}", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print(f"\r{number} of {total}", end="", file=sys.stderr, flush=True)
        yield one


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def report(judged: Sequence[Judged], details: bool) -> int:
    counted = [one for one in judged if not one.left_out_for and one.outcome is not Outcome.SKIPPED]
    left_out = [one for one in judged if one.left_out_for]
    columns = [("counted", counted), ("left out", left_out)] if left_out else [("programs", counted)]
    print(f"{'':34}" + "".join(f"{heading:>10}" for heading, _ in columns))
    for outcome in (Outcome.RIGHT, Outcome.UNKNOWN, Outcome.REFUSED, Outcome.WRONG):
        _line(outcome.value, [sum(one.outcome is outcome for one in group) for _, group in columns])
    _line("all", [len(group) for _, group in columns])
    for feature in Feature if left_out else ():
        _line(f"  {feature.value}", [0, sum(feature in one.left_out_for for one in left_out)])
    skipped = sum(one.outcome is Outcome.SKIPPED for one in judged)
    if skipped:
        _line(Outcome.SKIPPED.value, [skipped])
    right = sum(one.outcome is Outcome.RIGHT for one in counted)
    print(f"right: {right} of {len(counted)}, {100 * right / max(len(counted), 1):.2f} %")
    _causes(counted)
    wrong = [one for one in judged if one.outcome is Outcome.WRONG]
    for one in judged if details else wrong:
        if one.outcome is not Outcome.RIGHT:
            note = f" ({', '.join(feature.value for feature in one.left_out_for)})" if one.left_out_for else ""
            print(f"  {one.outcome.value:8} {one.name}: {one.said}{note}")
    return 1 if wrong else 0


def _line(heading: str, numbers: Sequence[int]) -> None:
    print(f"{heading:34}" + "".join(f"{number:10}" for number in numbers))


def _causes(judged: Sequence[Judged]) -> None:
    """What is refused, by construct, the most frequent first: the sentences without their places."""
    said = Counter(_PLACE.sub("", one.said)[:100] for one in judged if one.outcome is Outcome.REFUSED)
    for construct, number in said.most_common():
        print(f"  refused {number:4} times: {construct}")


def main(name: str, arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog=f"python -m bench {name}", description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("words", nargs="*", help="only programs whose path contains one of them")
    parser.add_argument("--time-limit", type=float, default=30.0, metavar="SECONDS", help="for one program (30)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument(
        "--details", action="store_true", help="also those that are unknown or refused, with the reason"
    )
    args = parser.parse_args(arguments)
    if not args.directory.is_dir():
        parser.error(f"{args.directory} is not a directory")
    run = {"tricky": tricky, "torture": torture}[name]
    return report(run(args.directory, args.time_limit, args.jobs, args.words), args.details)
