"""Processes: work of ours and programs of others, within limits that are kept, and ended with all they have started.

A *family* is a process and all its descendants. A *worker* is a forked process that runs a function of ours and
reports; a *keeper* a process that contains a command, and adopts its orphans.

Reading order: `limits` (what is limited, and what was exceeded), `family` (who belongs to it, what it uses, how it is
ended), `watch` (a look from time to time), `supervision` (workers), `race` (several of them; the first answer wins),
`sandbox` (others' programs in a directory), `conversation` (a solver that is spoken to), `keeper`. This package imports
nothing of Craton but its errors.
"""
