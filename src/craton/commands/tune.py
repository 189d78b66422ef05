"""`craton tune`: a file of stages, with schedules, learned from campaigns."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from craton.arguments.numbers import positive_number, whole_number
from craton.errors import CratonError

if TYPE_CHECKING:
    from craton.bench.configurations import Configuration
    from craton.bench.results import Campaign
    from craton.bench.tuning import Records, Tuner
    from craton.configuration.schedules import Plan, Schedule
    from craton.configuration.stages import Stage
    from craton.program.features import Features

_DESCRIPTION = """\
Learns how stages should share the time from what they found in campaigns of `craton bench`, and writes a file for
`craton verify --stages`: shares with which most tasks are solved within a limit, and rules (`[[schedule]]`) that choose
other shares by what a program is like.

A campaign tells most if each stage ran alone on the tasks (a configuration with --engine for each). Runs of several
stages that took turns tell only who was first. Configurations of one engine that is not among the stages add a stage.

The method is plain: with its part of the limit a stage is taken to solve what it has solved before in so many
seconds. Shares are changed one at a time as long as that solves more, or as many in less time. A rule compares one
feature with a number; it is kept if it fires for at least ten tasks and solves two more than there would be without
it; there are at most five. With --keep-rules the rules are those of the given stages, and only their shares are
learned, each from the tasks for which it is chosen. No stage loses its share altogether. What is learned from half of
the tasks is tried on the other half, and that figure is printed, too: believe that one.
"""

_EPILOG = """\
examples:
  craton bench tasks/ --config default --cpu-limit 30 --time-limit 300 --out results/default
  craton tune results/default --out stages.toml
  craton tune results/alone results/default --seconds 30 --out stages.toml
  craton tune results/default --keep-rules --out stages.toml
  craton verify program.c --stages stages.toml

exit codes:
  0  the stages were written
  2  bad input: the message says what, where, and what to do
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "tune",
        help="learn from campaigns how stages should share the time",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    parser.add_argument(
        "results", type=Path, nargs="+", metavar="RESULTS", help="a campaign's directory, or its results.jsonl"
    )
    parser.add_argument("--stages", type=Path, metavar="FILE", help="the stages to begin with (those of craton verify)")
    parser.add_argument(
        "--seconds", type=positive_number, metavar="SECONDS", help="the limit to tune for (that of the first campaign)"
    )
    parser.add_argument(
        "--least-tasks",
        type=whole_number(1),
        default=10,
        metavar="N",
        help="a rule fires for at least so many tasks (10)",
    )
    parser.add_argument(
        "--keep-rules", action="store_true", help="keep the rules of the given stages, and learn their shares"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the stages there (standard output)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.bench.results import read_campaign
    from craton.bench.tuning import Tuner, records
    from craton.configuration.stages import DEFAULT, read_stages, stages_text

    given = DEFAULT if args.stages is None else read_stages(args.stages)
    campaigns = [read_campaign(path) for path in args.results]
    found = records(campaigns)
    _check(found)
    seconds = args.seconds or _limit(campaigns[0])
    rules = given.schedules if args.keep_rules else ()
    tuner = Tuner((*given, *_more_stages(campaigns, given, found)), seconds, args.least_tasks, rules)
    plan = tuner.learned(found.known)
    told = _told(tuner, given, plan, found)
    text = "".join(f"# {line}\n" for line in told) + "\n" + stages_text(plan)
    if args.out is None:
        print(text, end="")
        return 0
    from craton.files import write_atomically

    write_atomically(args.out, text)
    print("\n".join([*told, f"written: {args.out}"]))
    return 0


def _check(found: Records) -> None:
    if not found.known:
        raise CratonError("these campaigns have no features of programs: run them again with this version of Craton")
    if not any(task.needs for task in found.known):
        raise CratonError(
            "no run says which stage found its verdict: run the campaigns again with this version of Craton"
        )


def _limit(campaign: Campaign) -> float:
    limits = campaign.header.get("limits", {})
    seconds = limits.get("cpu") or limits.get("wall")
    if not seconds:
        raise CratonError("the first campaign has no limit of time; say one with --seconds")
    return float(seconds)


def _more_stages(campaigns: Sequence[Campaign], given: Plan, found: Records) -> list[Stage]:
    """Of configurations that are one stage, which solved something and is not among the given ones."""
    from craton.bench.configurations import Configuration

    names, solvers = {stage.name for stage in given}, {name for task in found.known for name in task.needs}
    more: dict[str, Stage] = {}
    for campaign in campaigns:
        for name, options in campaign.header.get("configs", {}).items():
            stages = _stages(Configuration(name, tuple(options)))
            if len(stages) == 1 and stages[0].name not in names and stages[0].name in solvers:
                more.setdefault(stages[0].name, stages[0])
    return list(more.values())


def _stages(configuration: Configuration) -> Sequence[Stage]:
    """None if nobody understands its options any more: files of stages may be gone."""
    from craton.bench.configurations import stages_of

    try:
        return stages_of(configuration)
    except CratonError:
        return ()


def _told(tuner: Tuner, given: Plan, plan: Plan, found: Records) -> list[str]:
    from craton.configuration.schedules import Plan
    from craton.words import counted

    tasks = found.known
    ever = sum(bool(task.needs) for task in tasks)
    told_plans = {
        "with the given shares alone": tuner.times_by(tasks, Plan(tuner.stages)),
        "with the given schedules": tuner.times_by(tasks, Plan(tuner.stages, given.schedules)),
        "with what was learned": tuner.times_by(tasks, plan),
        "with what was learned from others": tuner.on_others(tasks),
    }
    lines = [f"{counted(len(tasks), 'task')}, {tuner.seconds:g} s; {ever} solved by a stage"]
    lines += [f"solved {whose}: {len(times)}, in {sum(times):.0f} s" for whose, times in told_plans.items()]
    left = [
        (found.without_stage, "solved run", " in which no stage's turns found it"),
        (found.without_features, "task", " without features"),
        (found.wrong, "wrong verdict", ""),
    ]
    told = [counted(number, word) + more for number, word, more in left if number]
    if told:
        lines.append(f"left out: {', '.join(told)}")
    return [*lines, *_told_rules(plan, [task.features for task in tasks])]


def _told_rules(plan: Plan, programs: Sequence[Features]) -> list[str]:
    """Each rule with the number of programs for which it is chosen."""
    if not plan.schedules:
        return ["no rule: none solves two tasks more"]
    chosen = [plan.chosen(features) for features in programs]
    return [_told_rule(rule, sum(one is rule for one in chosen)) for rule in plan.schedules]


def _told_rule(rule: Schedule, fires: int) -> str:
    from craton.words import counted

    shares = ", ".join(f"{key} {share:g}" for key, share in rule.shares)
    return f"rule: {rule.name} (for {counted(fires, 'task')}): {shares}"
