"""What can be known of memory before anything is lowered, and how objects are laid out in it.

Reading order: `scan` (what is reachable, what needs memory); `places` (classes of memory cells) and `named_places`;
`points_to` (which place a pointer means) with the constraints of calls (`calls`, `library_calls`, `effects`) and of
initialisers (`initial_values`), which ask each other through `pointers`; `layout` (regions and addresses); `lifetimes`,
`facts` and `scopes` (when locals live, and who shares memory with whom).
"""
