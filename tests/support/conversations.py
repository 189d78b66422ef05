"""Conversations with solver programs, recorded and played again.

A file has the lines that the solver was told (`> `) and its replies (`< `), without the echoes that mark the end of a
reply. As a program:

    conversations.py record FILE COMMAND…    runs the solver, passes everything on, and writes the file
    conversations.py play FILE               stands in for the solver: the same questions, the same replies
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def record(file: Path, command: list[str]) -> None:
    solver = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    assert solver.stdin is not None
    assert solver.stdout is not None
    with file.open("a", buffering=1) as kept:
        for line in sys.stdin:
            solver.stdin.write(line)
            solver.stdin.flush()
            if not line.startswith("(echo "):
                kept.write(f"> {line}" if line.strip() else "")
                continue
            word = line[len('(echo "') : -len('")\n')]
            for reply in solver.stdout:
                sys.stdout.write(reply)
                sys.stdout.flush()
                if word in reply:
                    break
                kept.write(f"< {reply}")


def _move_declaration(script: list[str], position: int, told: str) -> None:
    """Declarations come in the order in which variables were made, which other tests may have done: any will do."""
    end = position
    while end < len(script) and script[end].startswith("> (declare-"):
        end += 1
    if told in script[position:end]:
        script.remove(told)
        script.insert(position, told)


def play(file: Path) -> None:
    script = [line for line in file.read_text().splitlines() if line.startswith(("> ", "< "))]
    position = 0
    for line in sys.stdin:
        if line.startswith("(echo "):
            while position < len(script) and script[position].startswith("< "):
                print(script[position][2:], flush=True)
                position += 1
            print(line[len("(echo ") : -2].strip('"'), flush=True)
        elif line.strip():
            _move_declaration(script, position, f"> {line.rstrip()}")
            expected = script[position] if position < len(script) else "the end"
            if f"> {line.rstrip()}" != expected:
                print(f'(error "told {line.strip()}, not as recorded: {expected}")', flush=True)
                return
            position += 1


if __name__ == "__main__":
    mode, path, *rest = sys.argv[1:]
    if mode == "record":
        record(Path(path), rest)
    else:
        play(Path(path))
