"""Refiners and engines of other packages: installed beside Craton, they are written like its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from craton.registry import BadPlugin, Entry, Group, Registry
from craton.registry.plugins import _installed
from support.programs import BY_NAME

SAFE = BY_NAME["loops/together.c"].path

MODULE = """
from dataclasses import dataclass
from typing import ClassVar

import craton
from craton.engines.contract import Unknown
from craton.registry import flag, one_part
from craton.traces.memory import NO_MEMORY


@dataclass(frozen=True)
class Twice(craton.Refiner):
    \"\"\"Asks another refiner again if it gave up.\"\"\"

    word: ClassVar[str] = "twice"
    refiner: craton.Refiner = one_part()
    loud: bool = flag("loud")

    def refute(self, trace, memory=NO_MEMORY):
        answer = self.refiner.refute(trace, memory)
        return self.refiner.refute(trace, memory) if type(answer).__name__ == "GaveUp" else answer


@dataclass(frozen=True)
class Lazy(craton.Engine):
    \"\"\"Says nothing.\"\"\"

    word: ClassVar[str] = "lazy"
    blocks: ClassVar[int | None] = None

    def run(self, program, budget):
        return Unknown("too lazy")


class NoRefiner:
    word = "none"


@dataclass(frozen=True)
class Unfinished(craton.Refiner):
    word: ClassVar[str] = "unfinished"


@dataclass(frozen=True)
class Misnamed(Twice):
    word: ClassVar[str] = "other"
"""

ENTRY_POINTS = """\
[craton.refiners]
twice = research:Twice
none = research:NoRefiner
unfinished = research:Unfinished
misnamed = research:Misnamed
absent = nowhere:Refiner
newton = research:Twice
[craton.engines]
lazy = research:Lazy
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with a package as an installer leaves it."""
    (tmp_path / "research.py").write_text(MODULE)
    about = tmp_path / "research-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: research\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    return tmp_path


def craton_with(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), *sys.path])
    return subprocess.run(
        [sys.executable, "-m", "craton", *map(str, words)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_refiner_of_another_package_composes_with_ours(installed: Path) -> None:
    done = craton_with(installed, "explain", SAFE, "--refine", "fallback(twice(newton(it, wp), loud), craig(z3))")
    assert done.returncode == 0, done.stderr
    assert "fallback(twice(newton(it,wp), loud), craig" in done.stdout


def test_an_engine_of_another_package_is_asked(installed: Path) -> None:
    done = craton_with(installed, "verify", SAFE, "--engine", "lazy", "--time-limit", "20")
    assert done.returncode == 3
    assert "too lazy" in done.stdout


# --- in this process --------------------------------------------------------------------------------------------------


@pytest.fixture
def group(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Group]:
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.delitem(sys.modules, "research", raising=False)
    _installed.cache_clear()
    yield Group("craton.refiners", "craton.traces.refutation:Refiner")
    _installed.cache_clear()


def registry(group: Group) -> Registry[object]:
    return Registry("refiner", {"newton": Entry("newton", "craton.traces.newton:Newton")}, group=group)


def test_our_names_keep_their_meaning(group: Group) -> None:
    found = registry(group)
    assert type(found.read("newton(it, sp)")).__name__ == "Newton"
    assert found.names[:1] == ["newton"] and "twice" in found.names and found.names.count("newton") == 1


def test_what_others_add_is_read_printed_and_described(group: Group) -> None:
    found = registry(group)
    value = found.read("twice(newton(it, sp), loud)")
    assert found.read(value.name) == value  # type: ignore[attr-defined]
    assert found.entries["twice"].usage == "twice(R, loud)"
    assert found.entries["twice"].summary == "asks another refiner again if it gave up (of the package research)"
    assert "cannot be used" in found.entries["absent"].summary and found.entries["absent"].usage == "absent"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("none", "not a dataclass that extends craton.Refiner"),
        ("unfinished", "does not define refute"),
        ("misnamed(newton)", "its `word` is 'other'"),
        ("absent", "No module named 'nowhere'"),
    ],
)
def test_what_cannot_be_used_says_why_and_whose_it_is(group: Group, name: str, why: str) -> None:
    with pytest.raises(BadPlugin, match=rf"{name.partition('(')[0]} cannot be used: .*{why}.*the package research"):
        registry(group).read(name)


def test_two_packages_with_one_name(group: Group, installed: Path) -> None:
    other = installed / "rival-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: rival\nVersion: 1.0\n")
    (other / "entry_points.txt").write_text("[craton.refiners]\ntwice = rival:Twice\n")
    with pytest.raises(BadPlugin, match="twice is claimed by the packages"):
        registry(group).read("twice(newton)")
