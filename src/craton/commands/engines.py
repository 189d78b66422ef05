"""`craton engines`: what can stand behind --engine, and what is tried without it."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "engines",
        help="list the engines",
        description="Lists the engines of `craton verify --engine`, with their options, and the stages that take"
        " turns when no engine is chosen.",
    )
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.configuration.engines import ENGINES, TESTING, TESTING_SUMMARY
    from craton.configuration.stages import DEFAULT, described

    entries = ENGINES.entries
    if args.json:
        engines = {name: {"usage": entry.usage, "summary": entry.summary} for name, entry in entries.items()}
        default = [{"name": stage.name, **asdict(stage)} for stage in DEFAULT]
        print(json.dumps({"engines": engines, "default": default}, indent=2))
        return 0
    width = max(map(len, entries))
    print("engines:")
    for name, entry in entries.items():
        print(f"  {name:{width}}  {entry.summary}")
    print(f"  {TESTING:{width}}  {TESTING_SUMMARY}")
    print("\nwritten as:")
    for entry in entries.values():
        print(f"  {entry.usage}")
    print(
        "\nwithout --engine, in turns until an answer is confirmed (--stages FILE: others; --jobs N: so many at once):"
    )
    stages = described(DEFAULT)
    width = max(len(name) for name, _ in stages)
    for name, time in stages:
        print(f"  {name:{width}}  {time}")
    return 0
