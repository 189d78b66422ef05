"""`craton reproduce`: the experiments of the papers on any tasks, with the papers' own figures beside ours."""

from __future__ import annotations

import argparse
import shlex
import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from craton.commands.bench import add_campaign_arguments, conclusion, pool_of, tell_written
from craton.errors import CratonError
from craton.words import counted

if TYPE_CHECKING:
    from craton.bench.configurations import Configuration
    from craton.bench.experiments.contract import Experiment
    from craton.bench.runner import Plan

_PATIENCE = 5.0  # with --quick, so many seconds of wall time for each of processor time: the machine may be loaded

NAMES = ("craig-vs-newton", "newton-in-cpachecker", "exploring-interpolants", "refinement-selection")

_DESCRIPTION = """\
Runs an experiment of a paper on tasks of yours, and prints the paper's tables with our figures in them. The limits are
the paper's, unless you give others.

  craig-vs-newton         Craig vs. Newton in Software Model Checking (ESEC/FSE 2017): Table 1, Figs. 4–6
  newton-in-cpachecker    Newton refinement in CPAchecker (a thesis): Tables 5.1–5.3, Figs. 5.1–5.6
  exploring-interpolants  Exploring Interpolants (FMCAD 2013): Table I, on Horn clauses (.smt2)
  refinement-selection    Refinement Selection (SPIN 2015): Tables 1–3, Fig. 2

Configurations whose solvers are not installed are left out, and said to be. As with craton bench, the same command goes
on with what was interrupted.

--quick shows the shape of the result in five minutes on two cores: some of the rows, a few seconds of processor time
for each run, and as many of the tasks as there is time for (a fixed choice, categories in turn).
"""

_EPILOG = """\
examples:
  craton reproduce craig-vs-newton loops.set floats.set --time-limit 10 --every 3 --out results/craig-vs-newton
  craton reproduce craig-vs-newton tasks/ --only 'Automizer bv *'
  craton reproduce craig-vs-newton tasks/ --quick
  craton reproduce newton-in-cpachecker tasks/ --only 'Z3-*' --only 'LBE-Interpolation'
  craton reproduce exploring-interpolants clauses/*.smt2 --time-limit 60

exit codes:
  0    all runs are done, and no verdict is wrong
  1    at least one verdict is WRONG: it contradicts the expected one
  2    bad input: the message says what, where, and what to do
  130  interrupted: what is known is on disk, and the same command goes on from there
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "reproduce",
        help="run an experiment of a paper, with the paper's figures beside ours",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    parser.add_argument("experiment", choices=NAMES, metavar="EXPERIMENT", help=" or ".join(NAMES))
    parser.add_argument("tasks", nargs="*", metavar="TASKS", help="task definitions, sets, directories, programs")
    parser.add_argument(
        "--only", action="append", default=[], metavar="PATTERN", help="only configurations whose name fits, like 'Z3*'"
    )
    parser.add_argument("--list", action="store_true", help="show the configurations, and run nothing")
    parser.add_argument("--quick", action="store_true", help="the shape of the result in five minutes on two cores")
    add_campaign_arguments(parser, None, None)
    parser.set_defaults(run=run, jobs=None)


def run(args: argparse.Namespace) -> int:
    from craton.bench.experiments import EXPERIMENTS
    from craton.bench.experiments.page import write_reproduction
    from craton.bench.runner import run_campaign

    experiment = EXPERIMENTS[args.experiment]
    chosen = _chosen(experiment, args)
    if args.list:
        for configuration in chosen:
            print(f"{configuration.name:32}  {shlex.join(configuration.options)}")
        return 0
    if not args.tasks:
        raise CratonError("name the tasks to run it on: task definitions, .set files, directories or programs")
    args.jobs = args.jobs or (2 if args.quick else 1)
    ended = run_campaign(_plan(experiment, chosen, args), pool_of(args), silent=args.quiet)
    print(experiment.title)
    for table in experiment.tables(ended.campaign):
        print(f"\n{table.text()}")
    print()
    tell_written(write_reproduction(experiment, ended.campaign, args.out), args.out)
    return conclusion(ended, args.out)


def _plan(experiment: Experiment, chosen: list[Configuration], args: argparse.Namespace) -> Plan:
    """What is run: the paper's limits unless others are given, or with --quick a few tasks for a few seconds."""
    from craton.bench.runner import Plan
    from craton.bench.tasks import find_tasks, in_fair_order
    from craton.processes.limits import Limits

    tasks = [
        task
        for task in find_tasks(args.tasks, args.property, args.every, args.sample)
        if any(experiment.applies(task, configuration) for configuration in chosen)
    ]
    if not tasks:
        raise CratonError(f"none of these tasks is of the kind that {experiment.name} is about")
    seconds, processor = args.time_limit or experiment.time_limit, args.cpu_limit
    if args.quick:
        processor = processor or experiment.quick.seconds
        seconds = args.time_limit or _PATIENCE * processor
        tasks = in_fair_order(tasks)
        runs = [sum(experiment.applies(task, configuration) for configuration in chosen) for task in tasks]
        fitting = experiment.quick.fitting(runs, processor)
        print(f"craton: {fitting} of {counted(len(tasks), 'task')}, {sum(runs[:fitting])} runs", file=sys.stderr)
        tasks = tasks[:fitting]
    limits = Limits(seconds, processor, int((args.memory_limit or experiment.memory_limit) * 2**20))
    return Plan(tuple(tasks), tuple(chosen), limits, args.out, experiment.applies)


def _chosen(experiment: Experiment, args: argparse.Namespace) -> list[Configuration]:
    everything, patterns = experiment.configurations(), args.only
    if args.quick and not patterns:
        everything = experiment.quick.chosen(everything)
    for pattern in patterns:
        if not any(fnmatchcase(configuration.name, pattern) for configuration in everything):
            names = ", ".join(configuration.name for configuration in everything)
            raise CratonError(f"no configuration is called {pattern!r}; there are: {names}")
    absent = experiment.missing()
    if absent and not patterns:
        print(f"craton: left out, since not installed here: {', '.join(absent)}", file=sys.stderr)
    return [c for c in everything if not patterns or any(fnmatchcase(c.name, pattern) for pattern in patterns)]
