"""The program model: statements, control-flow automata, passes and the interpreter.

Reading order: `origin`, `statements`, `cfa` (what a program is), `specification` (what must hold), `variables` and
`transitions`, `analysis` (static analyses), the passes based on `transformation` (`inlining`, `slicing`, `constants`,
`tables`, `elements`, `blocks`, `preparation`), `execution` (the interpreter), and `text`.
"""
