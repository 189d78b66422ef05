"""How quickly the command answers where there is hardly anything to do. The goals are of an idle machine with two
cores; processor time says more on a busy one.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measure import Figure

ROUNDS = 7

LOOP = """\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  int i = 0, s = 0;
  if (n < 0 || n > 1000) return 0;
  while (i < n) { i++; s++; }
  if (s != n) reach_error();
  return 0;
}
"""
NO_ERROR = """\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static void unused(void) { reach_error(); }
int main(void) {
  int n = __VERIFIER_nondet_int();
  while (n > 0) n--;
  return 0;
}
"""


@dataclass(frozen=True, slots=True)
class Run:
    """The best of several: milliseconds of the wall's clock and of processors, and what the last one printed."""

    wall: float
    cpu: float
    output: str


def figures() -> Iterator[Figure]:
    yield _figure("python itself, CPU", _run(sys.executable, "-c", "pass").cpu)
    yield _figure("craton --version", _craton("--version").wall, 100)
    with tempfile.TemporaryDirectory() as folder:
        loop, no_error = Path(folder, "loop.c"), Path(folder, "no_error.c")
        loop.write_text(LOOP)
        no_error.write_text(NO_ERROR)
        proved = _craton("verify", "--json", str(loop))
        yield _figure("a loop of ten lines to its proof", proved.wall, 350)
        yield _figure("… CPU of all processes", proved.cpu)
        yield _figure("… confirmation", 1000 * _seconds_of_check(json.loads(proved.output)), 50)
        at_once = _craton("verify", str(no_error))
        yield _figure("errors that control flow does not reach", at_once.wall, 250)
        yield _figure("… CPU of all processes", at_once.cpu)


def _figure(what: str, milliseconds: float, goal: float | None = None) -> Figure:
    return Figure(what, milliseconds, "ms", goal, more_is_better=False)


def _craton(*arguments: str) -> Run:
    return _run(sys.executable, "-m", "craton", *arguments)


def _run(*command: str) -> Run:
    walls, processors = [], []
    for _ in range(ROUNDS):
        before, begun = _used(), time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=_environment())
        walls.append(time.perf_counter() - begun)
        processors.append(_used() - before)
    return Run(1000 * min(walls), 1000 * min(processors), done.stdout)


def _environment() -> dict[str, str]:
    """In which byte code is kept, as it is wherever a package is installed."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _used() -> float:
    """Processor seconds of processes that were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _seconds_of_check(told: dict[str, Any]) -> float:
    seconds: float = told["statistics"]["time (s)"]["checking the proof"]["seconds"]
    return seconds
