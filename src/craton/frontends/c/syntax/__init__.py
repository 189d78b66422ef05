"""Our picture of a C program: types with their layout, nodes with resolved names, initialiser lists in order.

Reading order: `types`, `nodes`, `program` (what readers of files promise), `initializers`, `expressions` (what can be
seen in an expression without evaluating it).
"""
