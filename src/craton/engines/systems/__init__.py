"""Engines on systems of Horn clauses: `run(system, budget) -> Solved | Contradicted | Unknown`.

They are the engines of programs by name and options (`of`), for systems whose clauses have more than one atom in their
bodies. Linear systems are programs (`craton.horn.programs`), and every engine runs on those.
"""
