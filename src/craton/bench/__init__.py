"""Measuring: tasks, configurations, a runner that contains what it runs, and what its results are shown as.

A *task* is a program with a property and perhaps the expected verdict. A *configuration* is a line of options of
`craton verify`. A *run* is one task under one configuration, in a process of its own. A *campaign* is a directory with
all runs of some tasks under some configurations: `results.jsonl` with a line per run, and `logs/`.

Reading order: `results` (what a campaign is on disk), `tasks`, `configurations`, `runner`, `progress`,
then `presentation` and what it calls. Each run is contained by `craton.processes.keeper`.
"""
