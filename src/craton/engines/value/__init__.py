"""Value analysis (Beyer, Löwe 2013; [RS] 3): explicit values of the variables that matter.

Reading order: `domain` (states that know values, as a domain of `engines/reachability`), `engine`.
"""

from craton.engines.value.engine import Refining, ValueAnalysis

__all__ = ["Refining", "ValueAnalysis"]
