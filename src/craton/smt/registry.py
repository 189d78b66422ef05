"""Every solver Craton knows: found or not, what it can do, and how to get it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


def solvers_that_can(capability):
    return []


def solvers_for(theory):
    return []
