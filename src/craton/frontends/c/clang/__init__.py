"""From C text to `syntax`: libclang's tree, read function by function as it is asked for.

Reading order: `bindings` (the library's C functions), `positions`, `types`, `lexing`, then the readers `expressions`,
`declarations`, `references`, `statements`, and `unit`, which puts them together for one file.
"""
