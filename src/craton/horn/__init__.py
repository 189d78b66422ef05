"""Systems of constrained Horn clauses: what they are, how they are read, made small, and what shows their answer.

    clause      head(t) ← body1(t1) ∧ … ∧ bodyk(tk) ∧ constraint        no head: false

A system is satisfiable iff false cannot be derived. Reading order: `clauses` (the data), `script` and `reading` with
`normal_form` (SMT-LIB text → a system), `preprocessing` (a smaller system and the way back), `models` and
`derivations` (what shows `sat` and `unsat`).
"""
