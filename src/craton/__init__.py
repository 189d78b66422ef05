"""Craton: a software model checker built around the refinement step.

    import craton

    result = craton.verify("loop.c", time_limit=60)
    match result.verdict:
        case craton.Proved(proof): ...
        case craton.Violated(property, place, replay): ...
        case craton.Unknown(reason, limit): ...

    craton.verify("loop.c", engine=craton.TraceAbstraction(craton.refiner("newton(it, sp, lv)")))
    craton.explain("loop.c", refine=[craton.Newton(), craton.Craig()])
    craton.load("loop.c").main.edges

The promise: what `craton.__all__` names is stable. It keeps its names, parameters and meaning from one minor version to
the next; new parameters have defaults, and what is to go is deprecated for one minor version before. Everything else,
all modules of the package included, is internal and may change at any time; so may the texts of reasons.

- `verify`, `load`, `explain`: from files to a `Result`, a `Program`, an `Explanation` or,
  where calls recur and for Horn clauses, a `TreeExplanation`
- `Result` (`trace`, `inputs`, `invariants`, `explain()`, `report()`, `to_json()`; shown in notebooks), and its verdict:
  `Proved`, `Violated`, `Unknown`; what they rest on: `Proof`, `Replay`, `Reached`, `NotReached`, `NotCompiled`;
  `Limit`: which one was reached; `CratonError`: what is wrong with the input
- engines, as values: `TraceAbstraction`, `PredicateAnalysis`, `Splitting`, `ValueAnalysis`, `ValuePredicateAnalysis`,
  `Bounded`, `KInduction`, `Conjectures`, `Horn`
- refiners, as values: `Newton`, `Craig`, `ExplicitValues`, `Lean`, `Simplified`, `Sliced`, `Lattice`, and what composes
  them: `Fallback`, `UntilPerfect`, `UntilProving`, `UntilInductive`, `Race`, `Memo`, `Checked`; their choices:
  `Direction`, `Granularity`, `Quantifiers`, `Level`; `refiner`: the value of an expression
- the contracts, for those who write their own: `Refiner`, which is asked about a `Trace` and answers with a
  `Refutation`, `Feasible` or `GaveUp`; `Engine`

Reading order of the inside: `logic` (formulas), `program` (automata), `frontends` (C, Boogie), `smt` (solvers),
`traces` (the heart: from infeasible traces to assertions), `views`, `engines`, `verdicts` (what a run says), `evidence`
(what makes it count), `verification` (the spine). `docs/architecture.md` is the map.

Glossary:

- *term*: a node of the formula DAG; a *formula* is a term of sort Bool; an *atom* a formula without connectives.
- *value*: the Python object that stands for an element of a sort; a *model* gives values to variables.
- *solver*: answers whether assertions are satisfiable; *Undecided* is an answer too.
- *core*: a part of the assertions that is unsatisfiable already.
- *interpolants* of F[1] … F[n]: I[0] = true … I[n] = false with I[i] ∧ F[i+1] ⇒ I[i+1] over shared symbols.
- *elimination*: an equivalent of ∃x. φ without the quantifier.
- *program*: procedures with automata; an *edge* leads from *location* to location by a *statement*.
- *transition*: a statement as a guarded update. A *block* is a loop-free piece of program as one statement.
- *trace*: a path of edges. It is *feasible* if it can be executed; an infeasible error trace is *spurious*.
- *refutation*: assertions along a trace from true to false, each implied by the one before and the step between.
- *refiner*: what finds refutations; *Newton* and *Craig* are the two schools.
- *perfect*: a refutation that proves the whole *path program* (the edges of the trace with all their loops) with one
  assertion for each location, so with loop invariants; *proving*: with several.
- *engine*: a CEGAR loop around a refiner; its *answer* is not yet confirmed.
- *stage*: an engine with a refiner that looks at a *view* of the program for a share of the time.
- *verdict*: what a run says, with evidence: *proved*, *violated*, *unknown*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from craton.lazy_imports import lazy_imports
from craton.version import __version__

if TYPE_CHECKING:
    from craton.api import explain, load, verify
    from craton.configuration.refiners import refiner
    from craton.engines.bounded import Bounded
    from craton.engines.conjectures import Conjectures
    from craton.engines.contract import Engine
    from craton.engines.horn import Horn
    from craton.engines.kinduction import KInduction
    from craton.engines.predicate import PredicateAnalysis
    from craton.engines.splitting import Splitting
    from craton.engines.trace_abstraction import TraceAbstraction
    from craton.engines.value import ValueAnalysis
    from craton.engines.value_predicate import ValuePredicateAnalysis
    from craton.errors import CratonError
    from craton.library.result import Result
    from craton.program.cfa import Program
    from craton.traces.checked import Checked
    from craton.traces.compose import Fallback, Memo, Race, UntilInductive, UntilPerfect, UntilProving
    from craton.traces.cores import Granularity
    from craton.traces.craig import Craig
    from craton.traces.explanation import Explanation
    from craton.traces.lattice import Lattice
    from craton.traces.lean import Lean
    from craton.traces.levels import Level
    from craton.traces.newton import Direction, Newton, Quantifiers
    from craton.traces.prefixes import Sliced
    from craton.traces.refutation import Feasible, GaveUp, Refiner, Refutation
    from craton.traces.simplified import Simplified
    from craton.traces.trace import Trace
    from craton.traces.values import ExplicitValues
    from craton.trees.explanation import TreeExplanation
    from craton.verdicts.counterexample import NotCompiled, NotReached, Reached, Replay
    from craton.verdicts.proof import Proof
    from craton.verdicts.text import Limit
    from craton.verdicts.verdict import Proved, Unknown, Violated

_HOMES = {
    "craton.api": ("verify", "load", "explain"),
    "craton.library.result": ("Result",),
    "craton.verdicts.verdict": ("Proved", "Violated", "Unknown"),
    "craton.verdicts.text": ("Limit",),
    "craton.verdicts.proof": ("Proof",),
    "craton.verdicts.counterexample": ("Replay", "Reached", "NotReached", "NotCompiled"),
    "craton.errors": ("CratonError",),
    "craton.program.cfa": ("Program",),
    "craton.traces.explanation": ("Explanation",),
    "craton.trees.explanation": ("TreeExplanation",),
    "craton.engines.contract": ("Engine",),
    "craton.engines.trace_abstraction": ("TraceAbstraction",),
    "craton.engines.predicate": ("PredicateAnalysis",),
    "craton.engines.splitting": ("Splitting",),
    "craton.engines.value": ("ValueAnalysis",),
    "craton.engines.value_predicate": ("ValuePredicateAnalysis",),
    "craton.engines.bounded": ("Bounded",),
    "craton.engines.kinduction": ("KInduction",),
    "craton.engines.conjectures": ("Conjectures",),
    "craton.engines.horn": ("Horn",),
    "craton.configuration.refiners": ("refiner",),
    "craton.traces.refutation": ("Refiner", "Refutation", "Feasible", "GaveUp"),
    "craton.traces.trace": ("Trace",),
    "craton.traces.newton": ("Newton", "Direction", "Quantifiers"),
    "craton.traces.cores": ("Granularity",),
    "craton.traces.craig": ("Craig",),
    "craton.traces.values": ("ExplicitValues",),
    "craton.traces.lean": ("Lean",),
    "craton.traces.prefixes": ("Sliced",),
    "craton.traces.simplified": ("Simplified",),
    "craton.traces.lattice": ("Lattice",),
    "craton.traces.levels": ("Level",),
    "craton.traces.compose": ("Fallback", "UntilPerfect", "UntilProving", "UntilInductive", "Race", "Memo"),
    "craton.traces.checked": ("Checked",),
}
__getattr__ = lazy_imports(globals(), {name: home for home, names in _HOMES.items() for name in names})

__all__ = [
    "__version__",
    "verify",
    "load",
    "explain",
    "Result",
    "Proved",
    "Violated",
    "Unknown",
    "Limit",
    "Proof",
    "Replay",
    "Reached",
    "NotReached",
    "NotCompiled",
    "CratonError",
    "Program",
    "Explanation",
    "TreeExplanation",
    "Engine",
    "TraceAbstraction",
    "PredicateAnalysis",
    "Splitting",
    "ValueAnalysis",
    "ValuePredicateAnalysis",
    "Bounded",
    "KInduction",
    "Conjectures",
    "Horn",
    "Trace",
    "Refutation",
    "Feasible",
    "GaveUp",
    "Refiner",
    "refiner",
    "Newton",
    "Direction",
    "Quantifiers",
    "Granularity",
    "Craig",
    "ExplicitValues",
    "Lean",
    "Simplified",
    "Sliced",
    "Lattice",
    "Level",
    "Fallback",
    "UntilPerfect",
    "UntilProving",
    "UntilInductive",
    "Race",
    "Memo",
    "Checked",
]


def __dir__() -> list[str]:
    return sorted(__all__)
