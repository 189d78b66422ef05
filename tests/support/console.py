"""Command lines in pages, with what they print: run them, compare, or write down what they print now.

    python tests/support/console.py                  writes the outputs of all pages anew
    python tests/support/console.py tutorial.md      of one; ../README.md is one, too

A block is fenced as `console`; a line that begins with `$ ` is run by the shell in a folder that all commands of a page
share, and the lines below it are what it prints (both streams). A line `…` stands for any lines. Times, and what
depends on them, are not compared.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = (
    "../README.md",
    "index.md",
    "tutorial.md",
    "cookbook.md",
    "engines.md",
    "properties.md",
    "pipelines.md",
    "benchmarks.md",
    "schedules.md",
    "templates.md",
)
ELLIPSIS = "…"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROGRESS = re.compile(r" *\d+\.\d s .*iteration")  # on a machine that is busy
_MOST_SECONDS = 120.0

_FILES = {
    "sum.c": "extern int __VERIFIER_nondet_int(void);\n\nint main(void) {\n"
    "  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();\n  return a + b;\n}\n",
    "no-overflow.prp": "CHECK( init(main()), LTL(G ! overflow) )\n",
    "half.c": "int half(int n, int parts) {\n  int more = n + 1;\n  return more / (parts | 1);\n}\n"
    "int main(void) { return half(4, 2); }\n",
    "build/compile_commands.json": '[{ "directory": ".", "file": "half.c", '
    '"arguments": ["cc", "-Iinclude", "-DNDEBUG", "-c", "half.c"] }]\n',
}

# What differs from run to run and from machine to machine.
_UNSTEADY = (
    (r"\d+(\.\d+)? (s|ms|MiB)\b", r"N \2"),
    (r"(re-checked|shown) by .+? in ", r"\1 by S in "),  # one solver or another, or two
    (r"\b\d+ conditions? for \d+ cut-points?", "N conditions for N cut-points"),  # one proof or another
    (r"\((cc|gcc|clang)\)", "(cc)"),
    (r"after 1 input: -?\d+", "after 1 input: N"),
    (r" = -?\d+", " = N"),
    (r"\b\d+ more rounds?", "N more rounds"),
    (r"\b\d+\.\d+$", "N"),  # the last column of a table
    (r"[0-9a-f]{12}…", "H"),
)


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, and what the page says that it prints."""

    line: str
    printed: tuple[str, ...]


def unrun(page: Path) -> list[str]:
    """The command lines of a page that no test runs: campaigns of hours, servers, clusters, others' tasks."""
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    lines = re.findall(r"^(?: {4})?(?:\.venv/bin/)?(craton (?:[^\n\\]|\\\n)*)", text, re.MULTILINE)
    return [line.replace("\\\n", " ") for line in lines]


def commands(page: Path) -> list[Command]:
    return [one for block in _BLOCK.findall(page.read_text(encoding="utf-8")) for one in _of_block(block)]


def _of_block(block: str) -> Iterator[Command]:
    line, printed = "", []  # type: tuple[str, list[str]]
    for each in [*block.splitlines(), "$ "]:
        if each.startswith("$ "):
            if line:
                yield Command(line, tuple(printed))
            line, printed = each.removeprefix("$ "), []
        else:
            printed.append(each)


@contextmanager
def folder() -> Iterator[Path]:
    """Where the commands of a page run: with the examples, and a `craton` that is this one."""
    with tempfile.TemporaryDirectory(prefix="craton-docs-") as name:
        path = Path(name)
        for kind in ("c", "bench", "boogie"):
            shutil.copytree(ROOT / "examples" / kind, path / "examples" / kind)
        for file, text in _FILES.items():
            (path / file).parent.mkdir(exist_ok=True)
            (path / file).write_text(text)
        programs = path / ".bin"
        programs.mkdir()
        (programs / "craton").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m craton "$@"\n')
        (programs / "craton").chmod(0o755)
        yield path


def output(command: Command, inside: Path) -> list[str]:
    environment = {
        **os.environ,
        "PATH": f"{inside / '.bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "COLUMNS": "160",
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        ["sh", "-c", command.line],
        cwd=inside,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_MOST_SECONDS,
        check=False,
    )
    told = done.stdout.replace(f"{inside.resolve()}/", "")
    lines = [line.rstrip() for line in told.rstrip("\n").splitlines()]
    return [line for line in lines if not _PROGRESS.match(line)]


def same(expected: Sequence[str], found: Sequence[str]) -> bool:
    """Whether lines agree, up to what is not steady."""
    parts = [ELLIPSIS if line.strip() == ELLIPSIS else re.escape(steady(line.rstrip())) + "\n" for line in expected]
    pattern = "".join(r"(?:[^\n]*\n)*?" if part == ELLIPSIS else part for part in parts)
    return re.fullmatch(pattern, "".join(steady(line) + "\n" for line in found)) is not None


def steady(line: str) -> str:
    for pattern, instead in _UNSTEADY:
        line = re.sub(pattern, instead, line)
    return re.sub(r" +", " ", line)


def rewritten(page: Path) -> str:
    """The page with what its commands print now; what agrees, or has a `…`, stays as it is written."""
    with folder() as inside:

        def block(match: re.Match[str]) -> str:
            lines = []
            for one in _of_block(match.group(1)):
                found = output(one, inside)
                keeps = ELLIPSIS in one.printed or same(one.printed, found)
                lines += [f"$ {one.line}", *(one.printed if keeps else found)]
            return "```console\n" + "".join(f"{line}\n" for line in lines) + "```"

        return _BLOCK.sub(block, page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    if shutil.which("sh") is None:
        sys.exit("needs a shell")
    for name in sys.argv[1:] or PAGES:
        (DOCS / name).write_text(rewritten(DOCS / name), encoding="utf-8")
        print(f"wrote {DOCS / name}")
