"""One job, in a process of its own: `python -m craton.serve.job FOLDER`.

The folder has the order; progress, the answer and the report are written there. Before anything of the order is looked
at, the process gives up all files but this folder, Craton with its interpreter, and the tools of the system.
"""

from __future__ import annotations

import json
import os
import site
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from craton.engines.contract import Progress, Statistics
    from craton.library.result import Result

ORDER, PROGRESS, ANSWER, REPORT = "order.json", "progress.json", "answer.json", "report.html"
UNCONFINED = "--unconfined"
_SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc/ld.so.cache /etc/alternatives /proc".split()
_DEVICES = "/dev/null /dev/zero /dev/urandom".split()
_EVERY = 0.3  # seconds between two words about progress


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0])
    if UNCONFINED not in arguments:
        _give_up_files(folder)
    os.chdir(folder)
    told = json.loads((folder / ORDER).read_text(encoding="utf-8"))
    _write(folder / ANSWER, json.dumps(_answer(told, folder)))
    return 0


def _give_up_files(folder: Path) -> None:
    from craton.processes.confinement import confine

    places = [*_SYSTEM, sys.prefix, sys.base_prefix, *site.getsitepackages(), site.getusersitepackages()]
    confine([*map(Path, places), Path(__file__).parents[2]], [folder, *map(Path, _DEVICES)])


def _answer(told: dict[str, Any], folder: Path) -> dict[str, Any]:
    from craton.errors import CratonError

    try:
        result = _verified(told, folder)
    except CratonError as problem:
        return {"error": str(problem)}
    _write(folder / REPORT, result.report())
    return {"result": json.loads(result.to_json())}


def _verified(told: dict[str, Any], folder: Path) -> Result:
    from craton.api import verify

    last = 0.0

    def watch(progress: Progress, statistics: Statistics) -> None:
        nonlocal last
        if time.monotonic() - last > _EVERY:
            last = time.monotonic()
            shown = {"iteration": progress.iteration, "trace": progress.trace_length, "by": progress.by}
            shown |= {"predicates": progress.predicates, "states": progress.states}
            _write(folder / PROGRESS, json.dumps(shown))

    return verify(
        source=told["source"],
        language=told["language"],
        property=told["property"],
        engine=told["engine"] or None,
        refine=told["refine"] or None,
        encoding=told["encoding"] or None,
        data_model=told["data_model"] or None,
        time_limit=told["time_limit"],
        watch=watch,
    )


def _write(path: Path, text: str) -> None:
    """Whoever reads it sees all of it or what was there before."""
    temporary = path.with_suffix(".new")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
