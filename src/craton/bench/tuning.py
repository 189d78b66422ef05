"""Schedules learned from campaigns: shares with which most tasks are solved within a limit, and rules that choose them.

What is known of a task is who solved it, alone or among others, and in how many seconds of its own turns. The model is
plain: of T seconds a stage has its share, and solves what it has solved within so many seconds before; what it was not
seen to solve it does not solve. So records of stages that ran alone tell more than those of stages that took turns,
where only the first to answer is known.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from craton.bench.results import Campaign
from craton.bench.summary import is_solved
from craton.configuration.schedules import Condition, Plan, Schedule, schedule_for
from craton.configuration.stage import Stage
from craton.program.features import FEATURES, Features

MOST_RULES = 5
LEAST_GAIN = 2  # tasks that a rule must solve beyond those that are solved without it
_FACTORS = (0.5, 2.0, 4.0, 8.0, 16.0)  # by which a share is changed at a time
_LESS_TIME = 0.98  # of the time before: a change that solves no more is worth it if it makes this of it, or less
_LEAST_PART, _MOST_SHARE = 0.01, 32.0  # of all shares each stage keeps; the largest share
_THRESHOLDS = (0.25, 0.5, 0.75, 0.9)  # of tasks

Shares = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """A task: what it is like, and the seconds that stages need for it, by their names."""

    task: str
    features: Features
    needs: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Records:
    known: tuple[Known, ...]  # tasks of which features are known, solved or not
    without_stage: int  # solved runs that do not say by which stage, or it was before or beside the turns of stages
    without_features: int  # tasks of which none are known
    wrong: int  # runs, which count for nothing


def records(campaigns: Iterable[Campaign]) -> Records:
    """What is known of the tasks of several campaigns together."""
    features: dict[tuple[str, str], Features] = {}
    needs: dict[tuple[str, str], dict[str, float]] = {}
    without = wrong = 0
    for campaign in campaigns:
        for run in campaign.runs:
            key = run.task, run.property
            own = needs.setdefault(key, {})
            if run.features:
                features.setdefault(key, Features.of(run.features))
            wrong += run.status.startswith("wrong")
            if not is_solved(run):
                continue
            if not run.by or run.by_seconds is None:
                without += 1
            else:
                own[run.by] = min(run.by_seconds, own.get(run.by, run.by_seconds))
    known = tuple(Known(f"{key[0]} {key[1]}", told, needs[key]) for key, told in sorted(features.items()))
    return Records(known, without, len(needs) - len(features), wrong)


@dataclass(frozen=True)
class Tuner:
    """Learns schedules for stages, of which each has its part of so many seconds."""

    stages: tuple[Stage, ...]
    seconds: float
    least_tasks: int = 10  # for which a rule fires
    rules: tuple[Schedule, ...] = ()  # to be kept, each with shares that are learned; none: rules are learned, too

    @cached_property
    def places(self) -> Mapping[str, tuple[int, ...]]:
        """Where stages of a name are: several if only their solvers differ, and then they have one share."""
        found: dict[str, tuple[int, ...]] = {}
        for place, stage in enumerate(self.stages):
            found[stage.name] = (*found.get(stage.name, ()), place)
        return found

    @property
    def given(self) -> Shares:
        return tuple(stage.share for stage in self.stages)

    # --- the model ----------------------------------------------------------------------------------------------------

    def time_to_solve(self, task: Known, shares: Shares) -> float | None:
        """How long it takes until the first stage has had what it needs; None if that is too long."""
        together = sum(shares)
        times = [
            seconds * together / shares[place]
            for name, seconds in task.needs.items()
            for place in self.places.get(name, ())[:1]
        ]
        return min((time for time in times if time <= self.seconds), default=None)

    def value(self, tasks: Sequence[Known], shares: Shares) -> tuple[int, float]:
        """How many are solved, and minus the time that they take together: more is better."""
        times = [time for task in tasks if (time := self.time_to_solve(task, shares)) is not None]
        return len(times), -sum(times)

    def solved(self, tasks: Sequence[Known], shares: Shares) -> int:
        return self.value(tasks, shares)[0]

    def solved_by(self, tasks: Iterable[Known], plan: Plan) -> int:
        """By a plan with these stages, with its schedules."""
        return len(self.times_by(tasks, plan))

    def times_by(self, tasks: Iterable[Known], plan: Plan) -> list[float]:
        """How long each takes that is solved by a plan with these stages, with its schedules."""
        chosen = ((task, self._shares(schedule_for(plan, task.features), plan)) for task in tasks)
        return [time for task, shares in chosen if (time := self.time_to_solve(task, shares)) is not None]

    def _shares(self, schedule: Schedule | None, plan: Plan) -> Shares:
        """In the order of the stages, under a schedule of the plan or none."""
        told = {stage.name: stage.share for stage in (schedule.arranged(plan) if schedule else plan)}
        return tuple(told[stage.name] for stage in self.stages)

    # --- learning -----------------------------------------------------------------------------------------------------

    def best_shares(self, tasks: Sequence[Known], start: Shares) -> Shares:
        """The best that single changes lead to, as long as each solves more than before, or as many in less time."""
        tasks = [task for task in tasks if task.needs]
        best, value = start, self.value(tasks, start)
        while True:
            tried = [(self.value(tasks, shares), shares) for shares in self._changed(best)]
            found, shares = max(tried, key=lambda one: one[0], default=(value, best))
            as_many_sooner = found[0] == value[0] and -found[1] < -value[1] * _LESS_TIME
            if not (found[0] > value[0] or as_many_sooner):
                return best
            best, value = shares, found

    def _changed(self, shares: Shares) -> Iterator[Shares]:
        for places in self.places.values():
            for factor in _FACTORS:
                new = tuple(min(s * factor, _MOST_SHARE) if i in places else s for i, s in enumerate(shares))
                if new != shares and min(new) >= _LEAST_PART * sum(new):
                    yield new

    def learned(self, tasks: Sequence[Known]) -> Plan:
        """Shares for all, and rules for those tasks for which others solve more."""
        if self.rules:
            return self._with_rules_kept(tasks)
        usual = self.best_shares(tasks, self.given)
        stages = tuple(replace(stage, share=share) for stage, share in zip(self.stages, usual, strict=True))
        rules: list[Schedule] = []
        rest = list(tasks)
        while len(rules) < MOST_RULES and (rule := self._best_rule(rest, usual)) is not None:
            rules.append(rule)
            rest = [task for task in rest if not rule.fits(task.features)]
        return Plan(stages, tuple(rules))

    def _with_rules_kept(self, tasks: Sequence[Known]) -> Plan:
        """Each rule with the shares that are best for the tasks for which it is chosen. A rule that is chosen for too
        few keeps its own: these tasks say nothing of it.
        """
        given = Plan(self.stages, self.rules)
        shares = {}
        for rule in (None, *self.rules):
            meant = [task for task in tasks if given.chosen(task.features) is rule]
            start = self._shares(rule, given)
            shares[rule] = self.best_shares(meant, start) if len(meant) >= self.least_tasks else start
        usual = shares[None]
        stages = tuple(replace(stage, share=share) for stage, share in zip(self.stages, usual, strict=True))
        return Plan(stages, tuple(replace(rule, shares=self._changes(usual, shares[rule])) for rule in self.rules))

    def _changes(self, usual: Shares, shares: Shares) -> tuple[tuple[str, float], ...]:
        """The shares that are not the usual ones, by the names of stages."""
        changed = {
            self.stages[i].name: new for i, (new, old) in enumerate(zip(shares, usual, strict=True)) if new != old
        }
        return tuple(changed.items())

    def _best_rule(self, tasks: Sequence[Known], usual: Shares) -> Schedule | None:
        best: tuple[int, Condition, Shares] | None = None
        for condition in _conditions(tasks):
            meant = [task for task in tasks if condition.holds(task.features)]
            if len(meant) < self.least_tasks:
                continue
            before = self.solved(meant, usual)
            possible = sum(any(name in self.places and s < self.seconds for name, s in t.needs.items()) for t in meant)
            if possible - before < max(LEAST_GAIN, best[0] + 1 if best else 0):
                continue
            starts = dict.fromkeys((usual, self.given))  # what is good for most may be far from what is good for these
            shares = max((self.best_shares(meant, one) for one in starts), key=lambda one: self.value(meant, one))
            gain = self.solved(meant, shares) - before
            if gain >= LEAST_GAIN and (best is None or gain > best[0]):
                best = gain, condition, shares
        if best is None:
            return None
        _, condition, shares = best
        return Schedule(str(condition), (condition,), self._changes(usual, shares))

    def on_others(self, tasks: Sequence[Known]) -> list[float]:
        """How long those take that are solved with what is learned from one half of the tasks on the other half, and
        the other way round: how much of it holds of tasks that nobody has seen.
        """
        halves = [[task for task in tasks if _half(task) == half] for half in (0, 1)]
        half_a_tuner = replace(self, least_tasks=(self.least_tasks + 1) // 2)
        plans = [half_a_tuner.learned(half) for half in halves]
        return [*self.times_by(halves[1], plans[0]), *self.times_by(halves[0], plans[1])]


def _half(task: Known) -> int:
    """By chance that is the same everywhere."""
    return hashlib.sha256(task.task.encode()).digest()[0] & 1


def _conditions(tasks: Sequence[Known]) -> Iterator[Condition]:
    """Comparisons that split the tasks: with what there is none of, and with what some part of them has at most."""
    for feature in FEATURES:
        values = sorted(value for task in tasks if (value := getattr(task.features, feature)) is not None)
        if not values:
            continue
        cuts = {0, *(values[int(part * (len(values) - 1))] for part in _THRESHOLDS)}
        for cut in sorted(cuts):
            yield Condition(feature, "<=" if cut else "=", cut)
            yield Condition(feature, ">", cut)
