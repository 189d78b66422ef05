"""The program model: statements, control-flow automata, passes and the interpreter.

Reading order: `origin`, `statements`, `cfa` (what a program is), `specification` (what must hold of it), `variables`
and `transitions`, `analysis` (what can be said by looking), passes on `transformation` (`inlining`, `slicing`,
`constants`, `blocks`, `preparation`), `interpreter` on `codegen`, and `text`.
"""
