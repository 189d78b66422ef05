"""Stands in for `craton verify` and `craton check`: quick, and does what its program asks for. The program is a text of
words, perhaps after a comment.

    true | false | false(valid-deref) | unknown | bad-input | crash | no-answer     say so, and end
    sleep=S | loop | allocate=MIB | fork=N | deaf | log=MIB | daemon=S              do so first
    proof=accepted | proof=refused | proof=unknown | proof=crash | proof=none       what a check of the proof will say
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path


def main(arguments: list[str]) -> int:
    what, *arguments = arguments
    if what == "check":
        return _check(Path(arguments[0]).read_text().strip())
    if "--witness" in arguments:
        Path(arguments[arguments.index("--witness") + 1]).write_text("a witness\n")
    lines = Path(arguments[0]).read_text().splitlines()
    words = [word for line in lines if not line.startswith("//") for word in line.split()]
    for word in words[:-1]:
        _do(*word.partition("=")[::2])
    proof = next((word.removeprefix("proof=") for word in words if word.startswith("proof=")), "accepted")
    if "--proof" in arguments and words[-1] == "true" and proof != "none":
        Path(arguments[arguments.index("--proof") + 1]).write_text(proof)
    return _say(words[-1])


def _check(proof: str) -> int:
    if proof == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    print(json.dumps({"answer": proof, "reason": f"it is {proof}", "seconds": 0.5}))
    return {"accepted": 0, "refused": 1, "unknown": 3}[proof]


def _do(what: str, number: str) -> None:
    if what == "sleep":
        time.sleep(float(number))
    elif what == "loop":
        while True:
            pass
    elif what == "allocate":
        held = [bytearray(b"x" * 2**20) for _ in range(int(number))]
        time.sleep(60 if held else 0)
    elif what == "fork":  # a tree of processes, of 2^N at most: a bomb that goes off by itself is of no use in a test
        for _ in range(int(number)):
            os.fork()
        own = bytearray(b"x" * 2**20)  # what they share with each other counts only once
        time.sleep(60 if own else 0)
    elif what == "deaf":
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(name, signal.SIG_IGN)
        time.sleep(60)
    elif what == "log":
        for _ in range(int(number)):
            os.write(2, b"x" * 2**20)
    elif what == "daemon" and os.fork() == 0:
        os.setsid()
        if os.fork() == 0:  # cut all ties, and stay
            os.setsid()
            with contextlib.suppress(OSError):
                os.close(1)
                os.close(2)
            time.sleep(float(number))
        os._exit(0)


def _say(word: str) -> int:
    if word == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if word == "bad-input":
        print("craton: program.c:1: what is this?", file=sys.stderr)
        return 2
    if word == "no-answer":
        return 0
    reason = "it is not known" if word == "unknown" else ""
    print(json.dumps({"verdict": word, "reason": reason, "statistics": {"iterations": 7}}, indent=2))
    return 0 if word == "true" else 3 if word == "unknown" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
