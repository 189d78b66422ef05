"""Options shared by several engines."""

from __future__ import annotations

from craton.program.blocks import CHAINS
from craton.registry import word_choice

_SIZES = {"lbe": None, "chains": CHAINS, "sbe": 1}


def block_size(default: int | None = None) -> int | None:
    """`lbe` (between loop heads), `chains` (straight lines), `sbe` (single statements), `blocks=N` ([NR] 5.1)"""
    return word_choice(default, _SIZES, number="blocks")
