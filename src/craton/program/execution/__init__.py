"""Programs run on given inputs, compiled to Python.

Reading order: `outcomes`, `open_values`, `codegen` (terms), `translation` (procedures), `interpreter`.
"""
