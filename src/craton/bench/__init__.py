"""Benchmarking: tasks, configurations, a runner that contains what it runs, and the presentation of results.

A *task* is a program with a property and possibly the expected verdict. A *configuration* is a line of options of
`craton verify`. A *run* is one task under one configuration, in its own process. A *campaign* is a directory with all
runs of some tasks under some configurations: `results.jsonl` with a line per run, and `logs/`.

Reading order: `results` (a campaign on disk), `tasks`, `configurations`, `runner`, `progress`, then `presentation` and
what it calls. Each run is contained by `craton.processes.keeper`.
"""
