"""`craton bench`: tasks under configurations, measured; results that survive whatever happens meanwhile."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from craton.arguments.numbers import positive_number, whole_number
from craton.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from craton.bench.runner import Ended, Pool
    from craton.processes.limits import Limits

_DESCRIPTION = """\
Runs `craton verify` on tasks under configurations, each run in a process of its own and within limits that hold for
all it starts, and compares the verdicts with the expected ones.

TASKS are task definitions (.yml), .set files, directories that are searched for all of these, C programs (nothing is
expected), Boogie programs (#Safe or #Unsafe in the first comment) and Horn clauses (.smt2).

A CONFIG is a line of options of `craton verify`, with a name before it or not, or comes from a TOML file with a table
[configurations]; see craton verify --help for the options.

Results are appended to DIR/results.jsonl as they come. A campaign that was interrupted or killed goes on when its
command is given again. Logs are in DIR/logs; tables, figures and a page are written at the end.
"""

_EPILOG = """\
examples:
  craton bench examples/c
  craton bench loops.set --config 'newton=--refine "newton(it, sp, lv)"' --config 'craig=--refine "craig(z3)"' --jobs 4
  craton bench tasks/ --config refiners.toml --memory-limit 8000 --out results/refiners
  craton bench tasks/ --config refiners.toml:craig --cluster tcp://head:8786

exit codes:
  0    all runs are done, and no verdict is wrong
  1    at least one verdict is WRONG: it contradicts the expected one; or a proof was NOT ACCEPTED (--proofs)
  2    bad input: the message says what, where, and what to do
  130  interrupted: what is known is on disk, and the same command goes on from there
"""

INTERRUPTED = 130


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "bench",
        help="run many tasks under several configurations, and compare",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    parser.add_argument("tasks", nargs="+", metavar="TASKS", help="task definitions, sets, directories, programs")
    parser.add_argument(
        "--config", action="append", default=[], metavar="CONFIG", help="options, NAME=options, FILE.toml[:NAME]"
    )
    add_campaign_arguments(parser, 300.0, 4000.0)
    parser.add_argument("--reports", action="store_true", help="a page about each run, to which the results link")
    parser.add_argument(
        "--proofs", action="store_true", help="keep the proof of each TRUE, and check it again in a process of its own"
    )
    parser.add_argument("--no-witnesses", action="store_true", help="do not ask for witnesses")
    parser.set_defaults(run=run)


def add_campaign_arguments(parser: argparse.ArgumentParser, seconds: float | None, memory: float | None) -> None:
    """What `bench` and `reproduce` have in common; without limits of their own, those of a paper hold."""
    parser.add_argument("--property", metavar="NAME", help="only tasks of this property, like unreach-call")
    parser.add_argument(
        "--every", type=whole_number(1), default=1, metavar="N", help="only every N-th task of each category"
    )
    parser.add_argument(
        "--sample", type=whole_number(1), metavar="N", help="only N tasks: categories in turn, a fixed choice"
    )
    limits = parser.add_argument_group("limits of each run, as in craton verify")
    usual_time, usual_memory = ("the paper's" if usual is None else f"{usual:g}" for usual in (seconds, memory))
    limits.add_argument(
        "--time-limit", type=positive_number, default=seconds, metavar="SECONDS", help=f"wall time ({usual_time})"
    )
    limits.add_argument("--cpu-limit", type=positive_number, metavar="SECONDS", help="processor time of all processes")
    limits.add_argument(
        "--memory-limit",
        type=positive_number,
        default=memory,
        metavar="MIB",
        help=f"memory of all processes ({usual_memory})",
    )
    where = parser.add_argument_group("where")
    where.add_argument("--jobs", type=whole_number(1), default=1, metavar="N", help="so many runs at once (1)")
    where.add_argument("--cluster", metavar="tcp://HOST:PORT", help="run on this Dask cluster; needs craton[cluster]")
    where.add_argument("--out", type=Path, default=Path("results"), metavar="DIR", help="where results go (results)")
    where.add_argument("--quiet", action="store_true", help="no progress; wrong verdicts are shown all the same")


def run(args: argparse.Namespace) -> int:
    from craton.bench.configurations import configurations, with_witnesses
    from craton.bench.presentation import show, write_all
    from craton.bench.runner import Plan, run_campaign
    from craton.bench.tasks import find_tasks

    chosen = configurations(args.config)
    if not args.no_witnesses:
        chosen = with_witnesses(chosen)
    tasks = find_tasks(args.tasks, args.property, args.every, args.sample)
    plan = Plan(tuple(tasks), tuple(chosen), limits_of(args), args.out, reports=args.reports, proofs=args.proofs)
    ended = run_campaign(plan, pool_of(args), silent=args.quiet)
    show(ended.campaign)
    tell_written(write_all(ended.campaign, args.out), args.out)
    return conclusion(ended, args.out)


def tell_written(paths: Sequence[Path], out: Path) -> None:
    """Files of the campaign's directory by name, those below it by their number."""
    below = Counter(path.parent for path in paths if path.parent != out)
    for path in paths:
        if path.parent == out:
            print(f"written: {path}")
    for directory, count in below.items():
        print(f"written: {directory} ({count} files)")


def limits_of(args: argparse.Namespace) -> Limits:
    from craton.processes.limits import Limits

    return Limits(args.time_limit, args.cpu_limit, int(args.memory_limit * 2**20))


def pool_of(args: argparse.Namespace) -> Pool:
    from craton.bench.runner import LocalPool

    if args.cluster is None:
        return LocalPool(args.jobs)
    from craton.bench.cluster import ClusterPool

    return ClusterPool.at(args.cluster)


def conclusion(ended: Ended, out: Path) -> int:
    """What nobody must overlook, last, and as the exit code."""
    from craton.bench.proofs import complaint, is_not_accepted
    from craton.bench.results import WRONG

    wrong = [record for record in ended.campaign.runs if record.status in WRONG]
    for record in wrong:
        print(
            f"WRONG: {record.task} ({record.property}) under {record.config}: said {record.verdict},"
            f" expected {record.expected}; log: {out / record.log}",
            file=sys.stderr,
        )
    refused = [record for record in ended.campaign.runs if is_not_accepted(record)]
    for record in refused:
        print(f"{complaint(record)}; log: {out / record.log}", file=sys.stderr)
    if ended.interrupted:
        missing = counted(ended.missing, "run")
        print(f"craton: interrupted; not done yet: {missing}; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    return 1 if wrong or refused else 0
