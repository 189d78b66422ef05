"""From `syntax` to automata: one collaborator for each concern, one set of them for each function.

`function` says who lowers which kind of expression and statement, and who may ask whom: start there. What
`a[i++] = f(x)` becomes: an assignment (`assignments`) of a call (`calls`) to an element (`lvalues`), whose index is a
step (`assignments` again); the value is stored through `access` into `cells`.

Reading order, each asking only those before it (and `Expressions` and `Statements`, which dispatch):

- one function: `frame` (what all share), `purity`, `results`;
- memory: `safety`, `cells`, `access`, `bulk`, `heap`, `unknowns`, `variables`, `ending`;
- expressions: `expressions`, `initialization`, `locals`, `lvalues`, `conditions`, `operators`, `operands`,
  `assignments`, `variadic`, `externals`, `calls`;
- statements: `exit`, `blocks`, `statements`, `simple_statements`, `jumps`, `branches`, `loops`;
- the whole: `function`, `start` (what happens before the entry function), `program`.
"""
