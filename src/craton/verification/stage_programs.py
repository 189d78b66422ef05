"""What stages run on: the prepared program through views and in blocks, each made once for all stages."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from craton.configuration.stages import Stage
from craton.engines.contract import Statistics
from craton.logic.sorts import Array
from craton.processes.garbage import nothing_collected
from craton.program.analysis.features import features_of
from craton.program.blocks import BlockSize, Cut, encode_blocks
from craton.program.cfa import Program
from craton.program.features import Features
from craton.program.histories import histories, with_histories
from craton.program.parts import narrow_places
from craton.program.preparation import Prepared
from craton.program.statements import Block
from craton.program.transformation import Transformed
from craton.program.transitions import known_together, transition

if TYPE_CHECKING:
    from craton.program.acceleration import AcceleratedProgram
    from craton.views import View
    from craton.views.cells import CellsView


class StagePrograms:
    """A prepared program as stages see it: through views, in blocks. Each is made once for all stages."""

    def __init__(self, prepared: Prepared) -> None:
        self.whole = prepared.whole
        self.small = prepared.small
        self._views: dict[tuple[str, ...], View | None] = {}
        self._blocks: dict[tuple[tuple[str, ...], BlockSize], Transformed] = {}
        self._accelerated: dict[str, AcceleratedProgram | None] = {}

    def view(self, stage: Stage) -> View | None:
        """What the stage looks at the program through; None for the bits themselves."""
        key = _seen(stage)
        if key not in self._views:
            self._views[key] = None if stage.in_bits else _view(self._in_bits(stage), stage)
        return self._views[key]

    def is_new_view(self, stage: Stage) -> bool:
        """Whether the stage looks at another program than the one in bits, and nobody has looked at that one yet."""
        return not stage.sees_program and _seen(stage) not in self._views

    @property
    def size(self) -> int:
        """How many edges the program has."""
        return len(self.small.program.main.edges)

    @cached_property
    def features(self) -> Features:
        return features_of(self.small.program)

    @cached_property
    def cells(self) -> CellsView | None:
        """The program seen through single elements of its arrays, if it can be."""
        if not any(isinstance(x.sort, Array) for x in (*self.small.program.globals, *self.small.program.main.locals)):
            return None
        from craton.views.cells import cells_view

        return cells_view(self.blocks(Stage(), None).program)

    def can_be_seen(self, stage: Stage) -> bool:
        """Whether there is something for the stage to look at."""
        if stage.arrays != "exact" and self.cells is None:
            return False
        if stage.arrays == "prefixes" and not histories(self.blocks(Stage(), None).program):
            return False
        return stage.loops == "exact" or self.accelerated(stage) is not None

    def accelerated(self, stage: Stage) -> AcceleratedProgram | None:
        """The program with accelerated loops that a stage looks at; None if no loop has a closed form."""
        from craton.program.acceleration import accelerate

        if stage.arrays not in self._accelerated:
            blocks = self.blocks(Stage(arrays=stage.arrays), None).program
            self._accelerated[stage.arrays] = accelerate(self._with_all_rounds(stage), blocks)
        return self._accelerated[stage.arrays]

    def prepared(self, stage: Stage, size: BlockSize, statistics: Statistics) -> Transformed:
        """The program for the stage's engine, which is made here, for later stages, too, and counted."""
        if not stage.in_bits:
            with statistics.spending("views"):
                self.view(stage)
        with statistics.spending("passes"), nothing_collected():
            return self.blocks(stage, size)

    def _in_bits(self, stage: Stage) -> Program:
        """What a view of numbers is a view of."""
        if stage.loops == "exact":
            return self._with_all_rounds(stage)
        accelerated = self.accelerated(stage)
        assert accelerated is not None
        return accelerated.program

    def _with_all_rounds(self, stage: Stage) -> Program:
        if stage.arrays == "exact":
            return self.small.program
        assert self.cells is not None
        if stage.arrays == "prefixes":
            return self._with_histories
        return self._suggested if stage.arrays == "all" else self.cells.program

    @cached_property
    def _suggested(self) -> Program:
        """The program with hints about all elements of its arrays, by position or by row and column."""
        from craton.views.grids import with_grid_hints

        assert self.cells is not None
        return with_grid_hints(self.cells.suggested(self.small.program), self.blocks(Stage(), None).program)

    @cached_property
    def _with_histories(self) -> Program:
        """The program with histories, and hints about them beside those of all elements."""
        from craton.views.prefixes import suggested

        assert self.cells is not None
        blocks = self.blocks(Stage(), None).program
        program = with_histories(self._suggested).program
        return suggested(program, blocks, histories(blocks))

    def blocks(self, stage: Stage, size: BlockSize) -> Transformed:
        """The program as the stage sees it, in blocks of a size."""
        key = _seen(stage), size
        if key not in self._blocks:
            view = self.view(stage)
            seen = self._in_bits(stage) if view is None else view.program
            if size is Cut.PARTS and not narrow_places(seen.main, seen):
                return self.blocks(stage, None)
            encoded = encode_blocks(seen, size)
            known_together(encoded.program.main)
            for edge in encoded.program.main.edges:
                if isinstance(edge.statement, Block):
                    transition(edge.statement)  # here, where all stages get it, and not in each of their processes
            self._blocks[key] = encoded
        return self._blocks[key]


def _seen(stage: Stage) -> tuple[str, ...]:
    """What tells the programs of stages apart."""
    return stage.encoding, stage.floats, stage.arrays, stage.loops


def _view(program: Program, stage: Stage) -> View:
    from craton.views import ideal_view, integer_view, real_view

    if stage.encoding == "bv":
        return real_view(program)
    make = ideal_view if stage.encoding == "ideal" else integer_view
    return make(program, "real" if stage.floats == "real" else "exact")
