"""The results of a campaign in BenchExec's format: one file for each configuration, for its `table-generator`.

    table-generator OUT/benchexec/*.xml

Names of tasks, logs and witnesses are relative to the file, as table-generator expects.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from craton.bench.results import CORRECT, DONE, WRONG, Campaign, RunRecord
from craton.bench.summary import configs, file_stems, in_order, iterations, perfect_sequences

# The columns that a table shows by default.
_SHOWN = ("status", "cputime", "walltime", "memory", "iterations")


def result_files(campaign: Campaign, directory: Path, logs: Path) -> dict[str, str]:
    """Names and contents of the files to write to `directory`. Logs are relative to `logs`."""
    found = {}
    for config, stem in file_stems(configs(campaign)).items():
        runs = [run for run in in_order(campaign) if run.config == config]
        found[f"craton.results.{stem}.xml"] = _result(campaign, config, runs, directory, logs)
    return found


def _result(campaign: Campaign, config: str, runs: list[RunRecord], directory: Path, logs: Path) -> str:
    header, limits = campaign.header, campaign.header.get("limits", {})
    options = header.get("configs", {}).get(config, [])
    root = ElementTree.Element("result", tool="Craton", benchmarkname="craton", name=config)
    root.set("version", str(header.get("versions", {}).get("craton", "")))
    root.set("options", " ".join(map(str, options)))
    root.set("generator", "craton bench")
    root.set("toolmodule", "craton.bench.benchexec_tool")
    for attribute, name in (("date", "started"), ("starttime", "started")):
        root.set(attribute, str(header.get(name, "")))
    seconds = limits.get("cpu") or limits.get("wall")
    if seconds is not None:
        root.set("timelimit", f"{seconds:g}s")
    if limits.get("memory") is not None:
        root.set("memlimit", f"{limits['memory']}B")
    root.append(_system(campaign))
    columns = ElementTree.SubElement(root, "columns")
    for title in _SHOWN:
        ElementTree.SubElement(columns, "column", title=title)
    for run in runs:
        root.append(_run(run, task_path(run, header, directory), directory, logs))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _system(campaign: Campaign) -> ElementTree.Element:
    machine = campaign.header.get("machine", {})
    system = ElementTree.Element("systeminfo", hostname=str(machine.get("host", "unknown")))
    ElementTree.SubElement(system, "os", name=str(machine.get("system", "")))
    ElementTree.SubElement(system, "cpu", model=str(machine.get("processor", "")), cores=str(machine.get("cores", "")))
    memory = machine.get("memory")
    ElementTree.SubElement(system, "ram", size=f"{memory}B" if isinstance(memory, int) else "")
    return system


def task_path(run: RunRecord, header: Mapping[str, Any], directory: Path) -> str:
    """The relative path from a directory to a task; task names are relative to where the campaign was started."""
    return os.path.relpath(os.path.join(str(header.get("directory", "")), run.task), directory)


def _run(run: RunRecord, name: str, directory: Path, logs: Path) -> ElementTree.Element:
    element = ElementTree.Element("run", name=name, files=f"[{name}]", properties=run.property)
    if run.expected is not None:
        element.set("expectedVerdict", run.expected)
    if run.log:
        element.set("logfile", quote(os.path.relpath(logs / run.log, directory)))
    for title, value in _columns(run):
        column = ElementTree.SubElement(element, "column", title=title, value=value)
        if title not in _SHOWN:
            column.set("hidden", "true")
    return element


def _columns(run: RunRecord) -> Iterator[tuple[str, str]]:
    yield "status", _clean(run.verdict)
    yield "category", category(run)
    yield "cputime", f"{run.cpu:.6f}s"
    yield "walltime", f"{run.wall:.6f}s"
    yield "memory", f"{run.memory}B"
    yield "score", str(run.score)
    yield "set", run.category
    if run.exit_code is not None:
        yield "returnvalue", str(run.exit_code)
    if run.reason:
        yield "reason", _clean(run.reason)
    traces = iterations(run)
    if traces is not None:
        yield "iterations", str(traces)
    perfect = perfect_sequences(run)
    if perfect is not None:
        yield "perfect sequences", str(perfect[0])
        yield "tested sequences", str(perfect[1])


_NO_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")


def _clean(text: str) -> str:
    """Removes characters that XML does not allow: a program's output may contain anything."""
    return _NO_XML.sub("�", text)


def category(run: RunRecord) -> str:
    """BenchExec's category of a verdict."""
    if run.status in CORRECT:
        return "correct"
    if run.status in WRONG:
        return "wrong"
    if run.status == "unknown":
        return "unknown"
    return "missing" if run.status in DONE else "error"
