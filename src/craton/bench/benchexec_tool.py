"""BenchExec's view of Craton: `<benchmark tool="craton.bench.benchexec_tool">`. Only this module needs BenchExec.

It requests text instead of JSON, so that logs are readable in BenchExec's tables.
"""

from __future__ import annotations

import re
from typing import Any

import benchexec.result as result
from benchexec.tools.template import BaseTool2, UnsupportedFeatureException

from craton.verdicts.text import VerdictKind, VerdictText

_REASON = re.compile(r"\s+reason: (.*)")
_FIGURE = re.compile(r"\s+(\S.*?)\s{2,}(\S.*)")
_OUT_OF_TIME = ("time limit", "processor time limit", "out of time")

# Exit codes that fit a verdict. BenchExec's check of tool-info modules passes all kinds of outputs with exit code 0.
_CODES = {kind: {0, kind.exit_code} for kind in VerdictKind}


class Tool(BaseTool2):  # type: ignore[misc]  # BenchExec says nothing about types
    """Tool-info module for Craton."""

    def name(self) -> str:
        return "Craton"

    def executable(self, tool_locator: Any) -> str:
        found: str = tool_locator.find_executable("craton")
        return found

    def version(self, executable: str) -> str:
        text: str = self._version_from_tool(executable, line_prefix="craton")
        return text

    def cmdline(self, executable: str, options: list[str], task: Any, rlimits: Any) -> list[str]:
        limits = []
        if rlimits.walltime:
            limits += ["--time-limit", str(rlimits.walltime)]
        elif rlimits.cputime:
            limits += ["--time-limit", str(rlimits.cputime_hard or rlimits.cputime)]
        if rlimits.cputime:
            limits += ["--cpu-limit", str(rlimits.cputime)]
        if rlimits.memory:
            limits += ["--memory-limit", str(rlimits.memory // 2**20)]
        chosen = ["--property", str(task.property_file)] if task.property_file else []
        return [executable, "verify", "--no-config", *options, *limits, *chosen, *_data_model(task), *task.input_files]

    def determine_result(self, run: Any) -> str:
        """The verdict and the exit code must agree; a run that was terminated has no verdict."""
        verdict, reason = _verdict(run.output), _reason(run.output)
        if run.was_timeout or run.was_terminated:
            return str(result.RESULT_ERROR)  # BenchExec knows better why
        if verdict is None:
            return str(result.RESULT_ERROR)
        if run.exit_code.value not in _CODES[verdict.kind]:
            return str(result.RESULT_ERROR)
        if verdict.kind is VerdictKind.TRUE:
            return str(result.RESULT_TRUE_PROP)
        if verdict.kind is VerdictKind.FALSE:
            named = "" if verdict.violated is None else f"({verdict.violated})"
            return f"{result.RESULT_FALSE_PROP}{named}"
        return "TIMEOUT" if reason.startswith(_OUT_OF_TIME) else str(result.RESULT_UNKNOWN)

    def get_value_from_output(self, output: Any, identifier: str) -> str | None:
        """A line of `--stats`, by its name: <column title="iterations">iterations</column>."""
        for line in output:
            figure = _FIGURE.fullmatch(line.rstrip())
            if figure and figure.group(1) == identifier:
                return figure.group(2)
        return None


def _data_model(task: Any) -> list[str]:
    options = task.options if isinstance(task.options, dict) else {}
    language, model = options.get("language", "C"), options.get("data_model")
    if language != "C":
        raise UnsupportedFeatureException(f"Craton does not verify {language}")
    return ["--data-model", model] if model else []


def _verdict(output: Any) -> VerdictText | None:
    for line in output:
        headline = line.strip().partition(": ")[0]  # what fails, and where, comes behind it
        found = VerdictText.parse(headline)
        if found is not None and headline == found.headline:
            return found
    return None


def _reason(output: Any) -> str:
    for line in output:
        found = _REASON.fullmatch(line.rstrip())
        if found:
            return found.group(1)
    return ""
