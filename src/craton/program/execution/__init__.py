"""Programs run on given inputs, compiled to Python.

Reading order: `outcomes`, `open_values`, `codegen` (terms), `translation` (procedures), `interpreter`. Beside them,
`c_terms`: terms as C, for engines that compile.
"""
