"""Random, well-defined C programs, and what a real compiler makes of them.

Glossary: a *program* is C text that reads inputs through `__VERIFIER_nondet_*` and reports one checksum of everything
it computed; a *place* is an expression that denotes an object; *effects* are the objects an expression reads and
writes; an *idiom* is a statement pattern that C programs use as a whole (a heap buffer, a string, a linked list).

Reading order: `features` (what may occur), `ctype` (the types), `effects` (why evaluation order never matters),
`context` (what is in scope), `places`, `expressions`, `pointers`, `initialisers`, `calls`, `statements`, `control`,
`idioms`, `callables`, `generate`; then `oracle` (compile and run), `validate` (all compilers agree on many seeds),
`reduce` (shrink what differs).
"""
