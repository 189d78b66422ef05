"""Processes: our own workers and external programs, run within enforced limits and killed with all their children.

A *family* is a process and all its descendants. A *worker* is a forked process that runs a Python function and reports
results; a *keeper* is a process that contains a command and adopts its orphans.

Reading order: `limits` (what is limited, and what was exceeded), `family` (its members, what they use, how to end
them), `watch` (periodic checks), `supervision` (workers), `race` (several workers; the first answer wins), `programs`
(starting external programs), `sandbox` (running them in a temporary directory), `conversation` (a dialogue with a
solver), `keeper`. This package imports nothing of Craton except its errors.

We read the figures from /proc ourselves. psutil takes 22 ms to import and 1.6 ms to check six processes, where our code
takes 0.2 ms: to find children, psutil reads the parents of all processes on the machine. It would add figures on macOS,
where only wall time is watched now. Control groups (cgroups), which BenchExec uses, would miss no process, but need a
subtree delegated to the user, which few users have.
"""
