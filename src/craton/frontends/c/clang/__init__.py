"""From C text to `syntax`: libclang's tree, read function by function as it is asked for.

Reading order: `bindings` (the library's C functions), `positions`, `types`, `literals`, `normal_form`, then the readers
`expressions`, `declarations`, `references`, `statements`, and `unit`, which puts them together for one file.
"""
