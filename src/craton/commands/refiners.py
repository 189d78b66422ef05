"""`craton refiners`: what can be written in a refinement expression."""

from __future__ import annotations

import argparse
import json

from craton.commands.columns import print_list, print_texts

_EPILOG = """\
examples:
  craton refiners
  craton verify prog.c --refine 'until-perfect(newton(it, sp, lv), craig(z3))'
  craton explain prog.c --refine 'newton(it, sp)' --refine 'sliced(craig(z3))'
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "refiners",
        help="list the refiners and what composes them",
        description="Lists what a refinement expression (--refine) is made of. Any refiner stands wherever R stands.",
        epilog=_EPILOG,
    )
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.configuration.refiners import PRESETS, REFINERS

    entries = REFINERS.entries
    if args.json:
        described = {name: {"usage": entry.usage, "summary": entry.summary} for name, entry in entries.items()}
        print(json.dumps({"refiners": described, "presets": PRESETS}, indent=2))
        return 0
    print("refiners:")
    print_list((name, entry.summary) for name, entry in entries.items())
    print("\nwritten as:")
    print_texts(entry.usage for entry in entries.values())
    print("\npresets:")
    print_list(PRESETS.items())
    return 0
