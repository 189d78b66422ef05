"""`craton engines`: what can stand behind --engine, and what is tried without it."""

from __future__ import annotations

import argparse
import json


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "engines",
        help="list the engines",
        description="Lists the engines of `craton verify --engine`, with their options, and the stages that are tried"
        " one after the other when no engine is chosen.",
    )
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.engines.configuration import DEFAULT, ENGINES

    if args.json:
        entries = {name: {"usage": entry.usage, "summary": entry.summary} for name, entry in ENGINES.items()}
        print(json.dumps({"engines": entries, "default": [stage.name for stage in DEFAULT]}, indent=2))
        return 0
    width = max(map(len, ENGINES))
    print("engines:")
    for name, entry in ENGINES.items():
        print(f"  {name:{width}}  {entry.summary}")
    print(f"  {'testing':{width}}  runs on inputs drawn from seeds; finds errors only")
    print("\nwritten as:")
    for entry in ENGINES.values():
        print(f"  {entry.usage}")
    print("\nwithout --engine, one after the other, each for a share of the time:")
    total = sum(stage.share for stage in DEFAULT)
    for stage in DEFAULT:
        print(f"  {stage.name}  ({100 * stage.share / total:.0f} %)")
    return 0
