"""Schedules: how the time is shared among stages, by what the program is like.

A schedule changes weights only: every stage keeps a share, so what one alone would find in t seconds is found after
a multiple of t under any of them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import overload

from craton.configuration.stage import Stage, StagesError
from craton.program.features import FEATURES, Features

_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
_CONDITION = re.compile(r"\s*(\w+)\s*(<=|>=|<|>|=)\s*(\d+)\s*")


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a feature with a number: `loops > 0`. It does not hold of a feature that is not known."""

    feature: str
    comparison: str
    number: int

    def holds(self, features: Features) -> bool:
        value: int | None = getattr(features, self.feature)
        return value is not None and _COMPARISONS[self.comparison](value, self.number)

    def __str__(self) -> str:
        return f"{self.feature} {self.comparison} {self.number}"


def read_condition(text: str) -> Condition:
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise StagesError(f"{text!r} compares no feature with a number: write 'loops > 0' (<, <=, =, >=, >)")
    feature, comparison, number = found.groups()
    if feature not in FEATURES:
        raise StagesError(f"{text!r} is about no feature; known: {', '.join(FEATURES)}")
    return Condition(feature, comparison, int(number))


@dataclass(frozen=True, slots=True)
class Schedule:
    """For programs of which all conditions hold: shares of some stages, by their names or those of engines with views,
    instead of their own; and which stages come first.
    """

    name: str
    when: tuple[Condition, ...]
    shares: tuple[tuple[str, float], ...] = ()
    first: tuple[str, ...] = ()

    def fits(self, features: Features) -> bool:
        return all(condition.holds(features) for condition in self.when)

    def arranged(self, stages: Sequence[Stage]) -> tuple[Stage, ...]:
        """All stages, with the shares that they have here, in their order here. A later name counts more."""
        told = tuple(_with_share(stage, self.shares) for stage in stages)
        places = {key: place for place, key in reversed(tuple(enumerate(self.first)))}
        return tuple(sorted(told, key=lambda stage: min(_places(stage, places), default=len(places))))


def is_meant(key: str, stage: Stage) -> bool:
    """Whether a schedule means a stage by a name: its whole one, or that of its engine with the view."""
    return key in (stage.name, stage.seen_through(stage.engine))


def _is_called(name: str, stage: Stage) -> bool:
    """Whether somebody who leaves out `name` means the stage, too: all of an engine, or all that use a view."""
    return is_meant(name, stage) or name == _bare(stage.engine) or name in stage.views


def _bare(engine: str) -> str:
    """The engine without its options."""
    return engine.partition("(")[0]


def _places(stage: Stage, places: Mapping[str, int]) -> Iterator[int]:
    return (place for key, place in places.items() if is_meant(key, stage))


def _with_share(stage: Stage, shares: Sequence[tuple[str, float]]) -> Stage:
    own = [share for key, share in shares if is_meant(key, stage)]
    return replace(stage, share=own[-1]) if own else stage


@dataclass(frozen=True, slots=True)
class Plan(Sequence[Stage]):
    """Stages, and schedules for them, of which the first counts that fits a program. As a sequence it is that of its
    stages, with the shares that they have where none fits.
    """

    stages: tuple[Stage, ...]
    schedules: tuple[Schedule, ...] = ()

    def chosen(self, features: Features) -> Schedule | None:
        return next((schedule for schedule in self.schedules if schedule.fits(features)), None)

    def without(self, names: Sequence[str]) -> Plan:
        """What is left when stages are left out, by name, by engine or by a view through which they look."""
        for name in names:
            if not any(_is_called(name, stage) for stage in self.stages):
                from difflib import get_close_matches

                known = dict.fromkeys(word for stage in self.stages for word in (_bare(stage.engine), *stage.views))
                close = get_close_matches(name, known, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}"
                raise StagesError(f"no stage is called {name!r}: {hint}")
        left = tuple(stage for stage in self.stages if not any(_is_called(name, stage) for name in names))
        if not left:
            raise StagesError(f"nothing is left to try without {', '.join(names)}")
        return Plan(left, self.schedules)

    def __len__(self) -> int:
        return len(self.stages)

    def __iter__(self) -> Iterator[Stage]:
        return iter(self.stages)

    @overload
    def __getitem__(self, index: int) -> Stage: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Stage, ...]: ...

    def __getitem__(self, index: int | slice) -> Stage | tuple[Stage, ...]:
        return self.stages[index]


def schedule_for(stages: Sequence[Stage], features: Features) -> Schedule | None:
    """The one that is chosen for a program; None if there is none, or the stages are just stages."""
    return stages.chosen(features) if isinstance(stages, Plan) else None
