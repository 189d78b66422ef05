"""Craton: a software model checker built around the refinement step.

Reading order: `logic` (formulas), then `smt` (solvers). `docs/architecture.md` is the map.

Glossary:

- *term*: a node of the formula DAG; a *formula* is a term of sort Bool; an *atom* a formula without connectives.
- *value*: the Python object that stands for an element of a sort (`logic.semantics`); a *model* gives values to variables.
- *solver*: answers whether assertions are satisfiable; *Undecided* is an answer too.
- *core*: a part of the assertions that is unsatisfiable already.
- *interpolants* of F[1] … F[n]: formulas I[0] = true … I[n] = false with I[i] ∧ F[i+1] ⇒ I[i+1] over shared symbols.
- *elimination*: an equivalent of ∃x. φ without the quantifier.
"""

__version__ = "0.1.0.dev0"
