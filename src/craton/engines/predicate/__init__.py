"""Predicate analysis in the manner of CPAchecker: an abstract reachability graph over Boolean functions of predicates.

Reading order: `bdd` (how abstractions are stored), `precision` (the predicates), `abstraction` (the successor of an
abstraction along an edge), `domain` (as a domain of `engines/reachability`, which has the graph and the CEGAR loop),
`engine`.
"""

from craton.engines.predicate.abstraction import Abstracting
from craton.engines.predicate.engine import PredicateAnalysis
from craton.engines.predicate.precision import Kind
from craton.engines.reachability.domain import Laziness, Search
from craton.engines.reachability.precision import Sharing

__all__ = ["Abstracting", "Kind", "Laziness", "PredicateAnalysis", "Search", "Sharing"]
