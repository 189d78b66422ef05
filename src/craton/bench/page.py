"""The results of a campaign as one self-contained page: it contains the data and a small script, and loads nothing.

`assets/` holds the page, its style and its script; this module combines them with the data. The page's security policy
forbids loading anything from elsewhere.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from craton.bench.results import Campaign, RunRecord
from craton.bench.summary import categories, configs, in_order, iterations, kind_of_reason, perfect_share
from craton.words import counted

# Must be in the same order as `STATUSES` in the script.
_STATUSES = (
    "correct-true correct-false wrong-true wrong-false done-true done-false timeout memory error unknown"
).split()


def results_page(campaign: Campaign, campaign_from_page: str = "") -> str:
    """The page. `campaign_from_page` is the relative path from the page to the campaign's directory, for links."""
    title = _title(campaign)
    parts = {
        "@TITLE@": escape(title),
        "@STYLE@": asset("page.css"),
        # No text in the results can close the element that contains it.
        "@DATA@": json.dumps(_data(campaign, campaign_from_page), ensure_ascii=False, separators=(",", ":")).replace(
            "<", "\\u003c"
        ),
        "@SCRIPT@": asset("page.js"),
    }
    return filled("page.html", parts)


def filled(name: str, parts: Mapping[str, str]) -> str:
    """A page of `assets/` with parts in the places that bear their names.

    In one pass from left to right, so that inserted text is not searched for places.
    """
    places = re.compile("|".join(map(re.escape, parts)))
    return places.sub(lambda place: parts[place.group()], asset(name))


def asset(name: str) -> str:
    return files("craton.bench").joinpath("assets", name).read_text(encoding="utf-8")


def _title(campaign: Campaign) -> str:
    tasks = len({(run.task, run.property) for run in campaign.runs})
    count = len(configs(campaign))
    return f"Craton: {counted(tasks, 'task')} × {counted(count, 'configuration')}"


def _data(campaign: Campaign, base: str) -> dict[str, Any]:
    """The script's input: tables of numbers and texts in which repeated values are indices."""
    runs = in_order(campaign)
    category_of = {name: index for index, name in enumerate(categories(campaign))}
    config_of = {name: index for index, name in enumerate(configs(campaign))}
    task_of: dict[tuple[str, str], int] = {}
    tasks: list[tuple[str, int, str, str | None]] = []
    rows: list[list[Any]] = []
    reasons: dict[int, dict[int, str]] = {}
    folder = common_folder(runs)
    for run in runs:
        key = run.task, run.property
        if key not in task_of:
            task_of[key] = len(tasks)
            tasks.append((run.task.removeprefix(folder), category_of[run.category], run.property, run.expected))
        if run.status == "unknown":
            reasons.setdefault(task_of[key], {})[config_of[run.config]] = kind_of_reason(run.reason)
        rows.append(_row(run, task_of[key], config_of[run.config], base))
    options = campaign.header.get("configs", {})
    return {
        "about": about(campaign),
        "details": list(_details(campaign, folder)),
        "categories": list(category_of),
        "configs": [{"name": name, "options": " ".join(map(str, options.get(name, [])))} for name in config_of],
        "tasks": tasks,
        "runs": rows,
        "reasons": reasons,
    }


def common_folder(runs: Sequence[RunRecord]) -> str:
    """The common prefix of all task names, up to a slash: shown once instead of on each line."""
    shared = os.path.commonprefix([run.task for run in runs])  # noqa: RUF071 (cut at a slash below)
    return shared[: shared.rfind("/") + 1]


def _row(run: RunRecord, task: int, config: int, base: str) -> list[Any]:
    share = perfect_share(run)
    return [
        task,
        config,
        _STATUSES.index(run.status),
        run.verdict,
        run.reason,
        run.score,
        round(run.cpu, 3),
        round(run.wall, 3),
        run.memory,
        iterations(run),
        None if share is None else round(share, 1),
        _link(run.log, base),
        _link(run.evidence, base),
        _link(run.report, base),
        run.by,
        run.by_seconds,
        _link(run.proof, base),
        run.check,
    ]


def _link(path: str, base: str) -> str:
    return quote(f"{base}/{path}" if base else path) if path else ""


def about(campaign: Campaign) -> str:
    """When, within which limits, how many runs at a time; in one line."""
    limits = campaign.header.get("limits", {})
    told = [f"started {str(campaign.header.get('started', '')).replace('T', ' ')[:16]}"]
    told += [
        f"{limits[name]:g} s {word}" for name, word in (("cpu", "CPU time"), ("wall", "wall time")) if limits.get(name)
    ]
    if limits.get("memory"):
        told.append(f"{limits['memory'] / 2**20:.0f} MiB")
    if campaign.header.get("jobs"):
        told.append(f"{campaign.header['jobs']} at a time")
    return " · ".join(told)


def _details(campaign: Campaign, folder: str) -> Iterator[tuple[str, str]]:
    if folder:
        yield "tasks are in", folder
    for name, options in campaign.header.get("configs", {}).items():
        yield name, " ".join(map(str, options)) or "(nothing: the defaults)"
    for part in ("machine", "versions"):
        for name, value in campaign.header.get(part, {}).items():
            yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
