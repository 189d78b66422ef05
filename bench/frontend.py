"""How much of a task collection the C front end reads, and how fast: `python bench/frontend.py DIRECTORY [WORD ...]`.
`python bench/frontend.py --large` reads one generated program of 200,000 lines instead.

DIRECTORY holds `.set` files that list task definitions. Prints a table by set, then each task that failed with the
reason; words restrict the tasks to those whose path contains one of them.
"""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

from craton.errors import CratonError
from craton.frontends.programs import Request, load_program


def main(root: Path, words: list[str]) -> None:
    times: list[float] = []
    failures: list[str] = []
    print(f"{'set':44} {'lowered':>9} {'median s':>9} {'most s':>7}")
    for listing in sorted(root.glob("*.set")):
        tasks = [line for line in listing.read_text().split() if not words or any(word in line for word in words)]
        spent: list[float] = []
        lowered = 0
        for name in tasks:
            start = time.process_time()
            try:
                load_program(Request((str(root / name),)))
                lowered += 1
            except CratonError as problem:
                failures.append(f"{name}: {problem}")
            spent.append(time.process_time() - start)
        if spent:
            times += spent
            median = statistics.median(spent)
            print(f"{listing.stem:44} {lowered:4}/{len(tasks):4} {median:9.3f} {max(spent):7.2f}", flush=True)
    if times:
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        done = len(times) - len(failures)
        print(f"{'all':44} {done:4}/{len(times):4} {statistics.median(times):9.3f} {max(times):7.2f}")
        print(f"CPU times; {memory:.0f} MiB at most")
    for failure in failures:
        print(failure)


LINES = 200_000
DEPTH = 5_000  # of an expression
CASES = 10_000  # of a switch


def large_program() -> str:
    """Functions that all are called, one of them with a deep expression, one with a large switch."""
    sum_ = ["int deep(int x) {", "    return", *("    (x +" for _ in range(DEPTH)), "    1" + ")" * DEPTH + ";", "}"]
    switch = ["int choose(int x) {", "    switch (x) {"]
    switch += [f"        case {i}: x += {i * 7 % 1000}; break;" for i in range(CASES)]
    switch += ["    }", "    return x;", "}"]
    lines = ["extern int __VERIFIER_nondet_int(void);", "int total, table[64];", *sum_, *switch]
    calls: list[str] = []
    while len(lines) + len(calls) < LINES:
        name = f"step{len(calls)}"
        lines += [f"int {name}(int a, int b) {{", "    int i = 0;", "    while (i < a) {"]
        for i in range(10):
            lines += [
                f"        if (a > {i}) {{",
                f"            table[(unsigned)(b + {i}) % 64] += a - i;",
                "        } else {",
            ]
            lines += [f"            b = (b ^ {i}) * 3;", "            total += b;", "        }"]
        lines += ["        i++;", "    }", "    return b;", "}"]
        calls.append(f"    x = {name}(x, y);")
    main_ = ["int main(void) {", "    int x = __VERIFIER_nondet_int(), y = 0;", *calls]
    return "\n".join([*lines, *main_, "    return deep(x) + choose(y);", "}", ""])


def read_large_program() -> None:
    source = large_program()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.c"
        path.write_text(source)
        start = time.process_time()
        program = load_program(Request((str(path),)))
        spent = time.process_time() - start
    edges = sum(len(procedure.edges) for procedure in program.procedures.values())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{source.count(chr(10)):,} lines, {edges:,} edges: {spent:.1f} s of CPU time, {memory:.0f} MiB")


if __name__ == "__main__":
    if sys.argv[1:] == ["--large"]:
        read_large_program()
    else:
        main(Path(sys.argv[1]), sys.argv[2:])
