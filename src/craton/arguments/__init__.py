"""Arguments that several commands take, and what they stand for; campaigns check configurations with the same ones.

`numbers`, `sources` (which program, which property), `verifying` (all that `craton verify` takes).
"""
