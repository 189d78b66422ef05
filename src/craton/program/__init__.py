"""The program model: statements, control-flow automata, passes and the interpreter.

Reading order: `origin`, `statements`, `cfa` (what a program is), `specification` and `tasks` (what must hold of it),
`variables` and `graph`, passes on `back` (`inlining`, `slicing`, `constants`, `blocks`), `interpreter` on `codegen`,
and `text`.
"""
