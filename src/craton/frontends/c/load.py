"""From C files to a program."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from craton.frontends.c.clang.parsing import parsed
from craton.frontends.c.library.linking import LinkedLibrary
from craton.frontends.c.lowering.program import lower
from craton.frontends.c.options import COptions
from craton.program.cfa import Program
from craton.program.checks import with_named_checks
from craton.program.specification import DEFAULT, Specification

R = TypeVar("R")
_STACK = 512 * 1024 * 1024


def load_c(
    paths: Sequence[str | Path], specification: Specification = DEFAULT, options: COptions | None = None
) -> Program:
    """The program in these files, linked, with error locations for what the specification forbids."""
    chosen = options or COptions()
    return with_large_stack(lambda: _load(list(map(str, paths)), specification, chosen))


def with_large_stack(action: Callable[[], R]) -> R:
    """Runs on a thread with a large stack: expressions nest thousands deep in generated programs."""
    outcome: list[R] = []
    problem: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(action())
        except BaseException as error:  # handed to the caller's thread
            problem.append(error)

    before, limit = threading.stack_size(), sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 1_000_000))
    try:
        for size in (_STACK, _STACK // 8, before):
            threading.stack_size(size)
            thread = threading.Thread(target=run)
            try:
                thread.start()
                break
            except RuntimeError:  # the address space is limited
                if size == before:
                    raise
        thread.join()
    finally:
        threading.stack_size(before)
        sys.setrecursionlimit(limit)
    if problem:
        raise problem[0]
    return outcome[0]


def _load(paths: list[str], specification: Specification, options: COptions) -> Program:
    with parsed(paths, specification.entry, options, LinkedLibrary()) as (syntax, entry):
        program = lower(syntax, entry, specification, options.pointer_width, options.unknown_functions)
        program = replace(
            program, files=tuple(paths), data_model=options.data_model, properties=specification.properties
        )
        return with_named_checks(program)
