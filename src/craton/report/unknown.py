"""UNKNOWN in few sentences: what stood in the way, how far it came, what is open, what to try. Whoever has no command
line before him (`options=False`: notebooks, the playground) is told nothing of its options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from craton.words import DOES_NOT_FIT, INTERRUPTED, OUT_OF_TIME, counted

_MOST_REASONS = 2
_MOST_PLACES = 3
_LONGEST = 150  # characters of a reason
_LOCATION = re.compile(r"\bL\d+ \(([^()]*)\)")  # of an automaton, and what it is in the text
_NAMES_A_CAUSE = ("evidence incomplete", "not confirmed", "not modelled", "counterexample", "disagree", OUT_OF_TIME)
# Of ways that are not meant for such a program, or that only look for errors.
_SAYS_LITTLE = (DOES_NOT_FIT, "nothing to prove", "too coarse", "no test failed")
OTHER_MEMORY = "other memory was not looked at"  # of a function that takes pointers


def in_the_way(reason: str, *, options: bool = True) -> str:
    """The reasons that say most, each with one of those who gave it. Where one names a cause, it is told alone: that a
    way which was not the hope has failed, too, is of no use.
    """
    parts = [part for part in reason.split("; ") if part]
    if len(parts) <= 1:
        return _LOCATION.sub(r"\1", reason)
    told = list(dict.fromkeys(map(_shortened, parts)))
    told.sort(key=_worth)
    causes = sum(_worth(one) < len(_NAMES_A_CAUSE) for one in told)
    kept = min(causes or 1, _MOST_REASONS)
    more = len(told) - kept
    others = f"; and {counted(more, 'other reason')}{' (--json)' if options else ''}" if more > 0 else ""
    return "; ".join(told[:kept]) + others


def _shortened(reason: str) -> str:
    names, colon, why = reason.partition(": ")
    first = _first(names)
    if colon and first != names:
        reason = f"{first} and others: {why}"
    reason = _LOCATION.sub(r"\1", reason)
    return reason if len(reason) <= _LONGEST else reason[:_LONGEST] + " …"


def _first(names: str) -> str:
    """Of names that may have commas in brackets: `newton(it, sp), horn`."""
    depth = 0
    for place, sign in enumerate(names):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            return names[:place]
    return names


def _worth(reason: str) -> int:
    """What names a cause comes first, then what says that nothing was found; last that a way does not fit."""
    found = (place for place, word in enumerate(_NAMES_A_CAUSE) if word in reason)
    return next(found, len(_NAMES_A_CAUSE) + any(word in reason for word in _SAYS_LITTLE))


def without_invariant(loops: Sequence[str]) -> str:
    """For which loops nothing was found in time."""
    if not loops:
        return ""
    named = list(loops[:_MOST_PLACES])
    if len(loops) > _MOST_PLACES:
        named.append(counted(len(loops) - _MOST_PLACES, "other"))
    listed = ", ".join(named[:-1]) + (" and " if len(named) > 1 else "") + named[-1]
    return f"no invariant that is enough was found for the loop{'s' if len(loops) > 1 else ''} at {listed}"


def how_far(statistics: Mapping[str, Any], checks: int) -> str:
    """What was done until then, and for which of so many checks; "" if nobody counted."""
    refuted = sum(statistics.get("refutations", {}).values()) or statistics.get("iterations", 0)
    if not refuted:
        return ""
    longest = statistics.get("trace length", {}).get("longest")
    length = f", the longest of {counted(longest, 'step')}" if longest else ""
    predicates = statistics.get("predicates", 0)
    learned = f"; {counted(predicates, 'predicate')} learned" if predicates else ""
    where = _where(statistics.get("traces to", {})) if checks > 1 else ""
    return f"{counted(refuted, 'error path')} shown impossible{where}{length}{learned}"


def _where(ends: Mapping[str, int]) -> str:
    """The places that were hardest, in the order of how often they were looked at."""
    if not ends:
        return ""
    files = {place.rpartition(":")[0] for place in ends}
    named = [
        f"{number} to {place if len(files) > 1 else 'line ' + place.rpartition(':')[2]}"
        for place, number in list(ends.items())[:_MOST_PLACES]
    ]
    rest = sum(list(ends.values())[_MOST_PLACES:])
    return f" ({', '.join([*named, f'{rest} to others'] if rest else named)})"


def went_alone(statistics: Mapping[str, Any]) -> bool:
    """Whether one engine was chosen, so that no other was tried; not known of runs that were ended from outside."""
    return len(statistics.get("seconds of stages", {})) == 1


def to_try(
    reason: str,
    limit: str | None,
    checks: int,
    undefined: Sequence[str] = (),
    *,
    alone: bool = False,
    options: bool = True,
) -> str:
    """`undefined` are the functions that nobody defines; `alone`: no other engine was tried."""
    return "; ".join(_ideas(reason, limit, checks, undefined, alone, options))


def _ideas(
    reason: str, limit: str | None, checks: int, undefined: Sequence[str], alone: bool, options: bool
) -> Iterator[str]:
    if reason == INTERRUPTED:
        return
    if "not modelled" in reason or "not supported" in reason:
        yield "write that place in another way, or put what it needs into a function without a body"
        return
    if undefined and "without an error" in reason:
        named = ", ".join(f"{name}()" for name in undefined[:_MOST_PLACES])
        yield f"a body for {named}, which may do anything here" + (", or --unknown-functions pure" if options else "")
    elif OTHER_MEMORY in reason:
        yield "a main of your own that calls it with the memory that it is meant for"
    elif limit == "memory":
        yield "more memory" + (" (--memory-limit)" if options else "")
    elif limit == "cpu":
        yield "more processor time" + (" (--cpu-limit)" if options else "")
    elif alone:
        yield f"no {'--engine' if options else 'engine of your own choice'}, so that several ways take turns"
        yield "or more time" + (" (--time-limit)" if options else "")
    else:
        yield "more time (--time-limit), or several ways at once (--jobs 2)" if options else "more time"
    if checks > 1:
        yield (
            "--each, which tells the checks that hold from those that are hard"
            if options
            else "one check at a time, which tells those that hold from those that are hard"
        )
