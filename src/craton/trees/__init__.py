"""Trees of clause instances that derive false, and why they do not: what `craton.traces` is for paths.

    tree   a node is an instance of a clause, its children derive the atoms of its body; the root has no head
    law    constraint ∧ A[child 1] ∧ … ∧ A[child k] ⇒ A[node], and A[root] = false

A trace is a tree without branching. Reading order: `tree` (the formula in parts), `refutation` (the law), `newton` and
`craig` (refiners), `refiners` (a refiner of traces, asked about a tree).
"""
