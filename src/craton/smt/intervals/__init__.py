"""A solver that shows contradictions by intervals: exact bounds of floats, in every format and rounding mode.

It splits values into cases and computes, operation by operation, between which bounds results lie (Moore; interval
constraint propagation). It never says *satisfiable*: what it cannot show is undecided. Where bits are blasted, a
product of doubles is a formula of 10^5 gates; here it is four products. docs/floats.md argues why it is sound.

Reading order: `spans` (the domain), `operations` (results of operations, from bounds), `propagation` (a case: what is
known of all parts of a formula), `search` (cases), `solver` (the contract). Beside it, `narrowing`: operations in as
few bits as the bounds of their arguments leave, for other solvers.
"""
