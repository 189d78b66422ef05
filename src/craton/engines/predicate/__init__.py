"""Predicate analysis in the manner of CPAchecker: an abstract reachability graph over Boolean functions of predicates.

Reading order: `bdd` (how abstractions are stored), `precision` (which predicates are tracked where), `abstraction` (the
successor of an abstraction along an edge), `arg` (the graph, covering, cutting), `engine` (the CEGAR loop).
"""

from craton.engines.predicate.abstraction import Abstracting
from craton.engines.predicate.arg import Search
from craton.engines.predicate.engine import Laziness, PredicateAnalysis
from craton.engines.predicate.precision import Kind, Sharing

__all__ = ["Abstracting", "Kind", "Laziness", "PredicateAnalysis", "Search", "Sharing"]
