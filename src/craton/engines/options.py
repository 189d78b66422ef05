"""Options shared by several engines."""

from __future__ import annotations

from craton.program.blocks import CHAINS, BlockSize, Cut
from craton.registry import word_choice

_SIZES: dict[str, BlockSize] = {"lbe": None, "cases": Cut.CASES, "chains": CHAINS, "sbe": 1}


def block_size(default: BlockSize = None) -> BlockSize:
    """`lbe` (between loop heads), `cases` (the same, but straight lines if a loop branches often), `chains` (straight
    lines), `sbe` (single statements), `blocks=N` ([NR] 5.1)
    """
    return word_choice(default, _SIZES, number="blocks")
