"""How much processor time goes by until the first engine begins, on a program of 20,000 lines that is made like a
driver: devices with locks and tables of functions, called through pointers from a loop that an environment drives.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Figure
from craton.frontends.programs import Request, load_program
from craton.program.cfa import Program
from craton.program.inlining import Inlining
from craton.program.preparation import prepare
from craton.verification.stage_programs import StagePrograms
from craton.verification.stages import Stage

LINES = 20_000
_HEAD = """\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
struct device;
struct operations { int (*open)(struct device *); int (*control)(struct device *, int); void (*close)(struct device *); };
struct device { struct operations const *operations; int state; int users; unsigned char registers[16]; struct device *next; };
static int held;
static void lock(void) { if (held) reach_error(); held = 1; }
static void unlock(void) { if (!held) reach_error(); held = 0; }
"""  # noqa: E501
_DEVICE = """\
static int open_N(struct device *d)
{
  lock();
  if (d->users > 3) {
    unlock();
    return -1;
  }
  d->users++;
  unlock();
  return 0;
}
static int control_N(struct device *d, int command)
{
  int result = 0;
  lock();
  switch (command) {
CASES
  default:
    result = -1;
  }
  unlock();
  return result;
}
static void close_N(struct device *d)
{
  lock();
  d->users--;
  unlock();
}
static struct operations const operations_N = { open_N, control_N, close_N };
static struct device device_N = { &operations_N };
"""
_CASE = """\
  case N:
    d->registers[N % 16] = d->state + N;
    if (d->registers[N % 8] > N) {
      d->state = N;
    } else {
      result = d->state * N;
    }
    break;"""
_CASES = 8  # of each device


def program(lines: int = LINES) -> str:
    cases = "\n".join(_CASE.replace("N", str(i)) for i in range(_CASES))
    device = _DEVICE.replace("CASES", cases)
    count = lines // device.count("\n")
    devices = "".join(device.replace("_N", f"_{i}") for i in range(count))
    choices = "\n".join(f"    case {i}: d = &device_{i}; break;" for i in range(count))
    return (
        f"{_HEAD}{devices}int main(void)\n{{\n  struct device *d = &device_0;\n  while (__VERIFIER_nondet_int()) {{\n"
        f"    switch (__VERIFIER_nondet_int()) {{\n{choices}\n    }}\n    if (d->operations->open(d) == 0) {{\n"
        "      d->operations->control(d, __VERIFIER_nondet_int());\n      d->operations->close(d);\n    }\n  }\n"
        "  return 0;\n}\n"
    )


def figures() -> Iterator[Figure]:
    text = program()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "driver.c")
        path.write_text(text)
        begun = time.process_time()
        loaded = load_program(Request((str(path),)))
        after_loading = time.process_time()
    yield Figure(f"{text.count(chr(10)):,} lines loaded", after_loading - begun, "s", more_is_better=False)
    _made_ready(loaded)
    ready = time.process_time()
    yield Figure("… made smaller and put into blocks", ready - after_loading, "s", more_is_better=False)
    yield Figure("… until the first engine begins", ready - begun, "s", 3.0, more_is_better=False)


def _made_ready(loaded: Program) -> None:
    programs = StagePrograms(prepare(loaded, inlining=Inlining.PAYING))
    if programs.small.program.errors and len(programs.small.program.procedures) == 1:
        assert programs.features
        programs.blocks(Stage(), None)
