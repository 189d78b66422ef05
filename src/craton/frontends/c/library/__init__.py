"""Functions without a body that Craton knows: a table of records, one for each name.

Reading order: `contract` (what a handler may ask of the lowering), `records`, `fidelity` and `pointers` (what is known
besides handlers), the handlers by topic (`control`, `allocation`, `blocks`, `integers`, `variadic`, `math`, `strings`,
`text`, with `arguments` for all), and `table`, which puts the records together.
"""
