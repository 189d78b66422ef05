"""A stand-in for an SMT-LIB solver, which answers from a plan and misbehaves on request.

As a module: `StandIn(folder, plan…)` makes the solver. As a program (the same file, run as a child): it takes the next
plan in the folder, so that a replaced process can behave differently from the one before. A plan is a list of moves,
one for each question (`check-sat`, `get-…`); the last is repeated. A move is a list of steps, such as
`[("say", "sat")]` or `[("say", "sa"), ("exit", 3)]`: see `Player`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

Move = list[tuple[Any, ...]]

SAT: Move = [("say", "sat")]
UNSAT: Move = [("say", "unsat")]


class StandIn:
    """The side of the test: plans for one process after the other, and what each of them was told."""

    def __init__(self, folder: Path, *plans: list[Move]) -> None:
        self.folder = folder
        (folder / "plans.json").write_text(json.dumps(plans))

    @property
    def command(self) -> str:
        return f"{sys.executable} -I -S {__file__} {self.folder}"

    @property
    def runs(self) -> int:
        return len(list(self.folder.glob("told-*")))

    def told(self, run: int) -> list[str]:
        """The commands a process has read, without options and echoes."""
        lines = (self.folder / f"told-{run}").read_text().splitlines()
        return [line for line in lines if line and not line.startswith(("(set-", "(echo"))]

    def pids(self) -> list[int]:
        """Of all processes and their children."""
        return [int(path.read_text()) for path in self.folder.glob("pid-*")]

    def all_gone(self) -> bool:
        """Zombies that are not ours (children of a child that died) are for init to collect."""
        until = time.monotonic() + 5
        while any(map(_is_running, self.pids())):
            if time.monotonic() > until:
                return False
            time.sleep(0.01)
        return True


def _is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    state, parent = stat.rpartition(")")[2].split()[:2]
    return state != "Z" or int(parent) == os.getpid()


class Player:
    """The side of the child."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        plans = json.loads((folder / "plans.json").read_text())
        self.run = len(list(folder.glob("told-*")))
        self.moves = plans[min(self.run, len(plans) - 1)]
        self.told = (folder / f"told-{self.run}").open("w", buffering=1)
        self.note_pid("")

    def note_pid(self, suffix: str) -> None:
        new = self.folder / f"new-{self.run}{suffix}"  # whoever ends us may do so in the middle of a file
        new.write_text(str(os.getpid()))
        new.rename(self.folder / f"pid-{self.run}{suffix}")

    def play(self) -> None:
        if self.moves and self.moves[0] and self.moves[0][0][0] == "first":  # before anything is read
            self.make(self.moves.pop(0)[1:])
        for line in sys.stdin:
            self.told.write(line)
            if line.startswith("(echo "):
                self.echo(line)
            elif line.startswith(("(check-sat", "(get-")):
                self.make(self.moves.pop(0) if len(self.moves) > 1 else self.moves[0])

    def make(self, move: list[list[Any]]) -> None:
        for step, *arguments in move:
            getattr(self, step.replace("-", "_"))(*arguments)

    def echo(self, line: str) -> None:
        self.say(line[len("(echo ") : -2])

    # --- steps ---

    def say(self, text: str) -> None:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()

    def mutter(self, text: str) -> None:
        """Without an end of line."""
        sys.stdout.write(text)
        sys.stdout.flush()

    def bytes(self, values: list[int]) -> None:
        os.write(1, bytes(values))

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def warn(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def exit(self, code: int) -> None:
        os._exit(code)

    def kill(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def hang(self) -> None:
        time.sleep(600)

    def flood(self, megabytes: int) -> None:
        for _ in range(megabytes << 10):
            self.say("x" * 1023)

    def babble(self) -> None:
        while True:
            self.say("blah (blah")

    def close_output(self) -> None:
        os.close(1)

    def close_input(self) -> None:
        os.close(0)

    def fork(self) -> None:
        """A grandchild that keeps the pipes open and runs on."""
        if os.fork() == 0:
            self.note_pid("-child")
            time.sleep(600)
        while not (self.folder / f"pid-{self.run}-child").exists():
            time.sleep(0.001)

    def answer_and_say(self, answer: str, later: str) -> None:
        """Says something else when all has been answered, the echo too."""
        self.say(answer)
        self.echo(sys.stdin.readline())
        self.say(later)
        (self.folder / "late").touch()

    def answer_and_hang(self, answer: str) -> None:
        """Answers and is deaf from then on: not even the end of its input ends it."""
        self.say(answer)
        self.echo(sys.stdin.readline())
        time.sleep(600)


if __name__ == "__main__":
    Player(Path(sys.argv[1])).play()
