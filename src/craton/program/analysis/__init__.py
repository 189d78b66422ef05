"""Static analyses of programs, written once for passes, views, engines and front ends.

Reading order: `graphs` and `union_find` (algorithms on any nodes), `control_flow` (locations, loops, errors and calls),
`liveness` (variables whose value still matters), `domain_types` (what variables are used for). None of them changes a
program or uses a solver.
"""
