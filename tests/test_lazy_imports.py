"""Names are found when they are first used, once, and only those that a package has."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest

from craton.lazy_imports import lazy_imports


def test_a_name_is_imported_when_it_is_used_and_then_there_for_good() -> None:
    package: dict[str, Any] = {"__name__": "some.package"}
    find = lazy_imports(package, {"Fraction": "fractions"})
    assert "Fraction" not in package
    assert find("Fraction") is Fraction
    assert package["Fraction"] is Fraction


def test_another_name_is_an_attribute_error_as_everywhere() -> None:
    find = lazy_imports({"__name__": "some.package"}, {"Fraction": "fractions"})
    with pytest.raises(AttributeError, match=r"module 'some.package' has no attribute 'other'"):
        find("other")


def test_the_solvers_are_not_imported_before_they_are_needed() -> None:
    """Starting quickly depends on it."""
    script = "import sys, craton.smt; print(sorted({'z3', 'cvc5', 'bitwuzla'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
