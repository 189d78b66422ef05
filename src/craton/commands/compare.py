"""`craton compare`: what changed between two campaigns, for people and for scripts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from craton.arguments.numbers import positive_number
from craton.errors import CratonError

if TYPE_CHECKING:
    from craton.bench.results import Campaign

_DESCRIPTION = """\
Compares the runs of two campaigns of `craton bench`, task by task: what is newly solved, lost, flipped to the opposite
verdict, wrong, mended, faster and slower. Runs belong together if task, property and configuration are the same; if
each campaign has only one configuration, those two are compared, whatever their names.

A regression is a verdict that is wrong now and was not, one that was lost, or one that flipped where nobody knows the
right one; with --slower-is-regression also what got slower.
"""

_EPILOG = """\
examples:
  craton compare results/before results/after
  craton compare results results --configs craig 'newton(it, sp, lv)'
  craton compare old new --factor 1.5 --slower-is-regression --json

exit codes:
  0  no regression
  1  at least one regression
  2  bad input: the message says what, where, and what to do
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "compare",
        help="show what changed between two campaigns; fails on a regression",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    parser.add_argument("before", type=Path, metavar="R1", help="a campaign's directory, or its results.jsonl")
    parser.add_argument("now", type=Path, metavar="R2", help="another one")
    parser.add_argument("--configs", nargs=2, metavar=("A", "B"), help="compare A of R1 with B of R2 only")
    parser.add_argument(
        "--factor", type=_factor, default=2.0, metavar="F", help="slower and faster: by this factor of CPU time (2)"
    )
    parser.add_argument(
        "--least", type=positive_number, default=1.0, metavar="SECONDS", help="… and by this many seconds (1)"
    )
    parser.add_argument("--slower-is-regression", action="store_true", help="fail on what got slower, too")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")
    parser.set_defaults(run=run)


def _factor(text: str) -> float:
    number = positive_number(text)
    if number <= 1:
        raise argparse.ArgumentTypeError(f"expected a number above 1, found {text!r}")
    return number


def run(args: argparse.Namespace) -> int:
    import json

    from craton.bench.compare import as_data, as_text, compare
    from craton.bench.results import read_campaign

    before, now = read_campaign(args.before), read_campaign(args.now)
    pairs = None
    if args.configs is not None:
        _check(args.configs[0], before, args.before)
        _check(args.configs[1], now, args.now)
        pairs = {args.configs[0]: args.configs[1]}
    found = compare(before, now, pairs, args.factor, args.least)
    strict = args.slower_is_regression
    if args.json:
        print(json.dumps(as_data(found, slower_too=strict), indent=2, ensure_ascii=False))
    else:
        print(as_text(found, slower_too=strict), end="")
    return 1 if found.regressions(slower_too=strict) else 0


def _check(config: str, campaign: Campaign, path: Path) -> None:
    from craton.bench.summary import configs

    if config not in configs(campaign):
        raise CratonError(f"{path} has no configuration {config!r}; it has {', '.join(configs(campaign)) or 'none'}")
