"""Processes: work of ours and programs of others, within limits that are kept, and ended with all they have started.

A *family* is a process and all its descendants. A *worker* is a forked process that runs a function of ours and
reports; a *keeper* a process that contains a command, and adopts its orphans.

Reading order: `limits` (what is limited, and what was exceeded), `family` (who belongs to it, what it uses, how it is
ended), `watch` (a look from time to time), `supervision` (workers), `race` (several of them; the first answer wins),
`programs` (how others' are started), `sandbox` (in a directory of ours), `conversation` (a solver that is spoken to),
`keeper`. This package imports nothing of Craton but its errors.

Figures are read from /proc by ourselves. psutil takes 22 ms to import and 1.6 ms for a look at six processes, where
ours takes 0.2 ms: to find children, psutil reads the parents of all processes of the machine. It would add figures on
macOS, where only wall time is watched now. Control groups (cgroups), which BenchExec uses, would miss nobody, but need
a part of their tree that was delegated to the user, which few have.
"""
