"""`craton engines`: what can stand behind --engine, what is tried without it, and how the time is shared."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from craton.commands.columns import print_list, print_texts

if TYPE_CHECKING:
    from craton.configuration.schedules import Plan, Schedule
    from craton.configuration.stages import Stage
    from craton.program.features import Features


_EPILOG = """\
examples:
  craton engines
  craton engines --for prog.c
  craton verify prog.c --engine 'predicate(sbe, cartesian)'
  craton verify prog.c --engine kinduction --time-limit 60
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "engines",
        help="list the engines",
        description="Lists the engines of `craton verify --engine`, with their options, the stages that take"
        " turns when no engine is chosen,\nand the schedules that share the time by what a program is like.",
        epilog=_EPILOG,
    )
    parser.add_argument("--stages", type=Path, metavar="FILE", help="the stages and schedules of a file")
    parser.add_argument(
        "--for", dest="program", metavar="PROGRAM", help="what this program is like, and its schedule, and nothing else"
    )
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.configuration.stages import DEFAULT, read_stages

    plan = DEFAULT if args.stages is None else read_stages(args.stages)
    if args.program is not None:
        return _for_program(args.program, plan, as_json=args.json)
    if args.json:
        from craton.configuration.engines import ENGINES

        entries = ENGINES.entries.items()
        engines = {name: {"usage": entry.usage, "summary": entry.summary} for name, entry in entries}
        schedules = [_schedule_data(schedule) for schedule in plan.schedules]
        print(json.dumps({"engines": engines, "default": _stages_data(plan), "schedules": schedules}, indent=2))
        return 0
    _print_engines()
    print(
        "\nwithout --engine, in turns until an answer is confirmed (--stages FILE: others; --jobs N: so many at once):"
    )
    _print_stages(plan)
    for schedule in plan.schedules:
        print(f"\n{schedule.name}, if {' and '.join(map(str, schedule.when))}:")
        if schedule.first:
            print_texts([f"first: {', '.join(schedule.first)}"])
        print_texts([f"shares: {', '.join(f'{key} {share:g}' for key, share in schedule.shares)}"])
    return 0


def _print_engines() -> None:
    from craton.configuration.engines import ENGINES, TESTING, TESTING_SUMMARY

    entries = ENGINES.entries
    print("engines:")
    print_list([*((name, entry.summary) for name, entry in entries.items()), (TESTING, TESTING_SUMMARY)])
    print("\nwritten as:")
    print_texts(entry.usage for entry in entries.values())


def _print_stages(stages: Sequence[Stage]) -> None:
    from craton.configuration.stages import described

    print_list(described(stages))


def _stages_data(stages: Sequence[Stage]) -> list[dict[str, Any]]:
    return [{"name": stage.name, **asdict(stage)} for stage in stages]


def _schedule_data(schedule: Schedule) -> dict[str, Any]:
    when, shares = list(map(str, schedule.when)), dict(schedule.shares)
    return {"name": schedule.name, "when": when, "first": list(schedule.first), "shares": shares}


def _for_program(name: str, plan: Plan, *, as_json: bool) -> int:
    features = _features(name)
    schedule = plan.chosen(features)
    stages = plan if schedule is None else schedule.arranged(plan)
    chosen = "default" if schedule is None else schedule.name
    if as_json:
        told = {"features": features.data(), "schedule": chosen, "stages": _stages_data(stages)}
        print(json.dumps(told, indent=2))
        return 0
    print("features:")
    for feature, value in features.data().items():
        print(f"  {feature:12} {'not known' if value is None else value}")
    print(f"\nschedule: {chosen}")
    _print_stages(stages)
    return 0


def _features(name: str) -> Features:
    """Of the program as engines see it, if that is one program: with recursion it is one of several."""
    from craton.frontends.programs import Request, load_program
    from craton.program.analysis.control_flow import recursive_procedures
    from craton.program.analysis.features import features_of
    from craton.program.inlining import Inlining, inlining_pays
    from craton.program.preparation import prepare

    program = load_program(Request((name,)))
    together = not recursive_procedures(program) and inlining_pays(program)
    return features_of(prepare(program, inlining=Inlining.ALL if together else Inlining.PAYING).small.program)
