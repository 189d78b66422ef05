"""The heart of Craton: from an infeasible trace to assertions.

Reading order: `trace` (traces and their formulas), `refutation` (the contract and its law), `cores`, `live`, `newton`,
`craig`.
"""
