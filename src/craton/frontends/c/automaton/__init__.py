"""What lowering works with: terms for C's arithmetic, edges and names of automata, and the state that all functions of
a program share.

Reading order: `arithmetic`, `builder`, `lvalue` (where a value stands), `context`.
"""
