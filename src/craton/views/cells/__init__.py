"""Programs with arrays, seen through one element of each (docs/arrays.md).

Reading order: `view` (the idea, and the program), `layout` (where cells are), `positions` (terms told by a cell's
position), `scalars` (steps over cells), `hints`.
"""

from craton.views.cells.view import CellsView, cells_view

__all__ = ["CellsView", "cells_view"]
