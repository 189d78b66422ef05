"""What is true of all nodes of lists and trees, the address being the index (docs/lists.md).

Reading order: `nodes` (what a node is), `states` and `columns` (what runs show), `facts` (what may be true of one;
`modes`, `order`), `engine`.
"""

from craton.engines.shapes.engine import Shapes

__all__ = ["Shapes"]
