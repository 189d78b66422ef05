"""Craton: a software model checker built around the refinement step.

Reading order: `logic` (formulas), `program` (automata), `frontends` (C, Boogie), `smt` (solvers), `traces` (the heart:
from infeasible traces to assertions), `engines`. `docs/architecture.md` is the map.

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
- *perfect*: a refutation that proves the whole *path program* (the edges of the trace with all their loops).
- *engine*: a CEGAR loop around a refiner.
"""

__version__ = "0.1.0.dev0"
