"""Engines on every fourth of the small programs of the tests: a campaign of `craton bench`, in `results/engines`."""

from __future__ import annotations

import sys
from pathlib import Path

from craton.bench.configurations import configurations
from craton.bench.presentation import show, write_all
from craton.bench.runner import Plan, run_campaign
from craton.bench.tasks import USUAL_PROPERTY, BenchTask, shown
from craton.commands.bench import conclusion
from craton.processes.limits import Limits

OUT = Path("results/engines")
LIMITS = Limits(wall=10.0, memory=4 * 2**30)
CONFIGS = (
    "default",
    "trace abstraction=--engine trace-abstraction",
    "predicate=--engine predicate",
    "splitting=--engine splitting",
    "bounded=--engine bounded",
    "horn=--engine horn",
)


def measure() -> int:
    """Prints the table. What is there from an earlier time is not measured again: remove the directory for that."""
    ended = run_campaign(Plan(tuple(_tasks()), tuple(configurations(CONFIGS)), LIMITS, OUT))
    show(ended.campaign)
    write_all(ended.campaign, OUT)
    return conclusion(ended, OUT)


def _tasks() -> list[BenchTask]:
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from support.programs import EXAMPLES

    tasks = []
    for example in EXAMPLES[::4]:
        file = example.property_file
        name = USUAL_PROPERTY if file is None else file.stem
        inputs = () if file is None else (file,)
        category = example.path.parent.name
        tasks.append(BenchTask(shown(example.path), category, name, example.expected, example.path, file, inputs))
    return tasks
