"""A verdict as a page that stands for itself: the source with invariants, the counterexample to step through, the
automaton, what was learned on the way, and how to do it again. No network; without scripts it is still readable.

`report` is the whole page. Its style is in `assets/page.css`, which explanations share.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from craton.markup import Html, code, element
from craton.report.changes import told_changes
from craton.report.checks import in_words
from craton.report.document import asset, card, document, folded, highlighted, rows, source_lines
from craton.report.unknown import in_the_way
from craton.report.verdict import Outcome, done_and_open, held_there, invariant_text
from craton.verdicts.text import VerdictKind
from craton.version import __version__
from craton.words import counted

_MOST_LINES = 1500  # of a file that is shown whole; of a longer one what is spoken of, and lines around it
_AROUND = 6
_MOST_STEPS = 2000
_NOTHING_VIOLATES = "No run of the program does what the property forbids."
_ON_A_SCREEN, _MOST_LINKS = 20, 12  # lines
_NOTHING: tuple[Any, ...] = ({}, [], 0, "0 of 0")  # in statistics
_JOINTS = re.compile(r"( (?:&&|\|\||∧|∨) )")  # of the parts of a formula


@dataclass(frozen=True, slots=True)
class About:
    """What a page says besides the outcome: a picture of the automaton (SVG), how the run was configured, and a command
    that does it again; "" where nobody has a command line.
    """

    picture: str = ""
    configuration: Mapping[str, str] = field(default_factory=dict)
    command: str = ""


def report(told: Outcome, about: About | None = None) -> str:
    """The page."""
    about = about or About()
    way = _steps(told)
    body = [
        _head(told, options=bool(about.command)),
        _source_and_way(told, way),
        _automaton(about.picture),
        _refinements(told.refinements),
        _more(told, about),
        Html(f'<script type="application/json" id="way">{_data(way)}</script>'),
        Html(f"<script>{asset('report.js')}</script>") if way else Html(),
    ]
    return document(f"{told.verdict.headline}: {_title(told)}", *body)


def _data(content: Any) -> str:
    """JSON that ends no script."""
    return json.dumps(content).replace("<", "\\u003c")


# --- the verdict ------------------------------------------------------------------------------------------------------


def _title(told: Outcome) -> str:
    return ", ".join(told.sources) or "craton"


def _head(told: Outcome, *, options: bool) -> Html:
    badge = element("span", told.answer.upper() or told.verdict.headline, kind=f"badge {told.verdict.kind.value}")
    sentences = [_NOTHING_VIOLATES] if told.verdict.kind is VerdictKind.TRUE and not told.answer else []
    sentences += [f"warning: {one}" for one in told.warnings]
    if told.violated is not None and told.violated.get("what"):
        place = "" if told.violated["file"] is None else f" at {told.violated['file']}:{told.violated['line']}"
        because = f", because {told.violated['because']}" if told.violated.get("because") else ""
        sentences.append(f"{told.violated['what']}{place}{because}")
        if told.violated.get("there"):
            sentences.append(f"There, {held_there(told.violated)}.")
    sentences += [in_the_way(told.reason, options=options)] if told.reason else []
    if told.verdict.kind is VerdictKind.UNKNOWN:
        sentences += [f"{word.capitalize()}: {sentence}" for word, sentence in done_and_open(told, options=options)]
    sentences += [told.evidence] if told.evidence else []
    sentences += [] if told.confirmed else ["This verdict is not confirmed."]
    facts = {
        "checked": in_words(told.checked),
        "data model": told.data_model,
        "found by": told.found_by,
        "time": _seconds(told.statistics.get("wall time (s)")),
    }
    meta = [element("li", element("span", f"{name}: ", kind="dim"), value) for name, value in facts.items() if value]
    return element(
        "section",
        element("h1", badge, _title(told)),
        *(element("p", *_prose(sentence)) for sentence in sentences),
        element("ul", *meta, kind="meta"),
        kind="card",
    )


def _prose(sentence: str) -> list[str]:
    """What stands between backquotes is code."""
    parts = sentence.split("`")
    return [code(part) if number % 2 else part for number, part in enumerate(parts)] if len(parts) % 2 else [sentence]


def _seconds(number: Any) -> str:
    return "" if number is None else f"{number:.2f} s"


# --- the source and the way -------------------------------------------------------------------------------------------


def _steps(told: Outcome) -> list[dict[str, Any]]:
    numbers = {file: number for number, file in enumerate(told.sources)}
    found = []
    for step in told.way[:_MOST_STEPS]:
        place = (
            {"source": numbers.get(step["file"], -1), "at": f"{step['file']}:{step['line']}"} if "file" in step else {}
        )
        found.append({**step, **place})
    return found


def _source_and_way(told: Outcome, way: Sequence[Mapping[str, Any]]) -> Html:
    notes = _notes(told)
    sources = [_source(number, file, text, told, notes) for number, (file, text) in enumerate(told.sources.items())]
    contracts = [entry for entry in told.invariants if entry["location"].endswith((" requires", " ensures"))]
    if contracts:
        table = rows(
            ("contract", "formula"),
            [(entry["location"], invariant_text(entry) or entry["invariant"]) for entry in contracts],
        )
        sources.insert(0, card("Contracts", table))
    if not way:
        return element("div", element("div", *sources), kind="both single")
    return element("div", element("div", *sources), element("div", _way(way, told), kind="aside"), kind="both")


def _notes(told: Outcome) -> dict[tuple[str, int], list[str]]:
    """Invariants by the lines that they stand at."""
    found: dict[tuple[str, int], list[str]] = {}
    for entry in told.invariants:
        file, _, rest = entry["location"].rpartition(":")[0].rpartition(":")
        if rest.isdecimal() and (text := invariant_text(entry)):
            found.setdefault((file, int(rest)), []).append(text)
    return found


def _source(number: int, file: str, text: str, told: Outcome, notes: Mapping[tuple[str, int], list[str]]) -> Html:
    lines = highlighted(text)
    passed = {step["line"] for step in told.way if step.get("file") == file}
    failing = told.violated["line"] if told.violated is not None and told.violated["file"] == file else None
    spoken = passed | {line for name, line in notes if name == file} | ({failing} if failing else set())
    shown: list[Html] = []
    before = 0
    for line in _worth_showing(len(lines), spoken):
        if line != before + 1:
            shown.append(element("div", "⋯", kind="gap"))
        before = line
        kind = "row" + (" passed" if line in passed else "") + (" fails" if line == failing else "")
        shown.append(
            Html(
                f'<div class="{kind}" id="L{number}-{line}"><span class="no mono">{line}</span>'
                f'<span class="code">{lines[line - 1]}</span></div>'
            )
        )
        shown += [element("div", "invariant: ", *_atoms(one), kind="note mono") for one in notes.get((file, line), ())]
        if line == failing and told.violated is not None and (wrong := _what_is_wrong(told.violated)):
            shown.append(element("div", wrong, kind="note wrong"))
    return card(
        file,
        _links(number, sorted(line for name, line in notes if name == file)),
        source_lines(shown),
    )


def _atoms(formula: str) -> list[str]:
    """The parts of a formula, which are best not broken over lines, and what joins them."""
    parts = enumerate(_JOINTS.split(formula))  # every other one joins
    return [part if number % 2 else element("span", part, kind="atom") for number, part in parts]


def _what_is_wrong(violated: Mapping[str, Any]) -> str:
    return "; ".join(filter(None, (violated.get("because"), held_there(violated))))


def _links(number: int, lines: Sequence[int]) -> Html:
    """To the invariants of a text that does not fit on a screen."""
    if not lines or lines[0] <= _ON_A_SCREEN:
        return Html()
    shown = [Html(f'<a href="#L{number}-{line}">{line}</a> ') for line in lines[:_MOST_LINKS]]
    return element("p", "invariants at line ", *shown, kind="dim")


def _worth_showing(count: int, spoken: set[int]) -> Sequence[int]:
    if count <= _MOST_LINES:
        return range(1, count + 1)
    near = {line for one in spoken for line in range(one - _AROUND, one + _AROUND + 1) if 1 <= line <= count}
    return sorted(near or range(1, min(count, _AROUND * 5)))


def _way(way: Sequence[Mapping[str, Any]], told: Outcome) -> Html:
    controls = Html(
        '<div class="controls"><button id="first" aria-label="first step">|◀</button>'
        '<button id="back" aria-label="step back">◀</button>'
        f'<input id="at" type="range" min="0" max="{len(way) - 1}" value="0" aria-label="step">'
        '<button id="on" aria-label="next step">▶</button><button id="last" aria-label="last step">▶|</button>'
        f'<span id="counter" class="dim">{len(way)} steps</span></div>'
        '<p class="dim hint">Click a line, or use the arrow keys: the values so far stand below.</p>'
    )
    values = Html('<div class="values"><table><tbody id="values"></tbody></table></div>')
    steps = element("div", *(_step(step, last=step is way[-1]) for step in way), kind="steps")
    inputs = [(entry["function"], entry["value"]) for entry in told.inputs]
    given = folded("Inputs", rows(("read by", "value"), inputs)) if inputs else Html()
    return Html(card("The way there", controls, values, steps) + given)


def _step(step: Mapping[str, Any], *, last: bool) -> Html:
    if "rounds" in step:
        return element("button", f"… {counted(step['rounds'], 'more round')}", kind="step mono dim")
    changes = list(told_changes(step))
    commas = [", "] * (len(changes) - 1) + [""]
    whole = [element("span", f"{one}{comma}") for one, comma in zip(changes, commas, strict=False)]
    indent = "\u00a0" * (2 * step["depth"])
    return element(
        "button",
        element("span", f"{step['line']:>4} ".replace(" ", "\u00a0"), kind="dim"),
        f"{indent}{step['text']} ",
        element("span", *whole, kind="what"),
        kind="step mono" + (" fails" if last else ""),
    )


# --- how it was found -------------------------------------------------------------------------------------------------


def _automaton(picture: str) -> Html:
    return folded("Control-flow automaton", Html(f'<div class="scroll">{picture}</div>')) if picture else Html()


def _refinements(log: Sequence[Mapping[str, Any]]) -> Html:
    if not log:
        return Html()
    content = [
        (
            str(number),
            entry["stage"],
            f"{entry['steps']} steps" + (f", core of {entry['core']}" if entry["core"] is not None else ""),
            ", ".join(map(str, entry["lines"])),
            entry["by"],
            Html("".join(element("div", one) for one in entry["learned"])),
            f"{entry['seconds'] * 1000:.0f} ms",
        )
        for number, entry in enumerate(log, 1)
    ]
    heads = ("#", "way", "trace", "lines", "refuted by", "learned", "time")
    return folded(f"Refinements ({len(log)})", element("div", rows(heads, content), kind="log"))


def _more(told: Outcome, about: About) -> Html:
    parts = []
    if told.assumptions:
        parts.append(
            card("Assumptions", element("ul", *(element("li", one) for one in told.assumptions), kind="plain"))
        )
    figures = [(name, _figure(value)) for name, value in told.statistics.items() if value not in _NOTHING]
    if figures:
        parts.append(folded("Statistics", rows(("", ""), figures)))
    known = {"version": f"Craton {__version__}", **about.configuration}
    parts.append(folded("Configuration", rows(("", ""), list(known.items()))))
    if about.command:
        parts.append(card("Do it again", element("pre", about.command)))
    return Html("".join(parts))


def _figure(value: Any) -> str:
    if isinstance(value, dict):
        if value.keys() == {"calls", "seconds"}:
            return f"{value['seconds']:g} s"
        return ", ".join(f"{name}: {_figure(one)}" for name, one in value.items() if one is not None)
    return str(value)
