"""How much of a task collection the C front end reads, and how fast: `python bench/frontend.py DIRECTORY [WORD ...]`.

DIRECTORY holds `.set` files that list task definitions. Prints a table by set, then each task that failed with the
reason; words restrict the tasks to those whose path contains one of them.
"""

from __future__ import annotations

import resource
import statistics
import sys
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


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
