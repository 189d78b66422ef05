"""`craton refiners`: what can be written in a refinement expression."""

from __future__ import annotations

import argparse
import json


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "refiners",
        help="list the refiners and what composes them",
        description="Lists what a refinement expression (--refine) is made of. Any refiner stands wherever R stands,"
        " for example: until-perfect(newton(it, sp, lv), craig(z3)).",
    )
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.config import PRESETS, REFINERS

    if args.json:
        entries = {name: {"usage": entry.usage, "summary": entry.summary} for name, entry in REFINERS.items()}
        print(json.dumps({"refiners": entries, "presets": PRESETS}, indent=2))
        return 0
    width = max(map(len, [*REFINERS, *PRESETS]))
    print("refiners:")
    for name, entry in REFINERS.items():
        print(f"  {name:{width}}  {entry.summary}")
    print("\nwritten as:")
    for entry in REFINERS.values():
        print(f"  {entry.usage}")
    print("\npresets:")
    for name, expression in PRESETS.items():
        print(f"  {name:{width}}  {expression}")
    return 0
