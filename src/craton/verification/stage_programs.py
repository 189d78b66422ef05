"""What stages run on: the prepared program through views and in blocks, each made once for all stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from craton.configuration.stages import Stage
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.preparation import Prepared
from craton.program.statements import Block
from craton.program.transformation import Transformed
from craton.program.transitions import transition

if TYPE_CHECKING:
    from craton.views import View


class StagePrograms:
    """A prepared program as stages see it: through views, in blocks. Each is made once for all stages."""

    def __init__(self, prepared: Prepared) -> None:
        self.whole = prepared.whole
        self.small = prepared.small
        self._views: dict[tuple[str, str], View | None] = {}
        self._blocks: dict[tuple[str, str, int | None], Transformed] = {}

    def view(self, stage: Stage) -> View | None:
        """What the stage looks at the program through; None for the bits themselves."""
        key = stage.encoding, stage.floats
        if key not in self._views:
            self._views[key] = None if stage.in_bits else _view(self.small.program, stage)
        return self._views[key]

    def blocks(self, stage: Stage, size: int | None) -> Transformed:
        """The program as the stage sees it, in blocks of a size."""
        key = stage.encoding, stage.floats, size
        if key not in self._blocks:
            view = self.view(stage)
            encoded = encode_blocks(self.small.program if view is None else view.program, size)
            for edge in encoded.program.main.edges:
                if isinstance(edge.statement, Block):
                    transition(edge.statement)  # here, where all stages get it, and not in each of their processes
            self._blocks[key] = encoded
        return self._blocks[key]


def _view(program: Program, stage: Stage) -> View:
    from craton.views import ideal_view, integer_view, real_view

    if stage.encoding == "bv":
        return real_view(program)
    make = ideal_view if stage.encoding == "ideal" else integer_view
    return make(program, "real" if stage.floats == "real" else "exact")
