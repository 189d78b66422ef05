"""Splitting (Ultimate Kojak): lazy abstraction by splitting the nodes of a graph (Ermis, Hoenicke, Podelski 2012;
[CN] 7).

slicing   which edges between nodes can be taken: by data flow, known conflicts, the solver
graph     nodes, splits, the search for an error path, pruning, the proof
engine    the loop
"""

from craton.engines.splitting.engine import Splitting

__all__ = ["Splitting"]
