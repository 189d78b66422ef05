"""The outcome of a run: the verdict with its evidence, as values shared by all code above the engines.

Reading order: `text` (the words of result files), `proof` with its `provenance`, and `counterexample` (what a verdict
is based on), `verdict` (proved, violated, unknown), `result` (the verdict of one run, and what else is reported).
Nothing here decides anything: `craton.verification` does, using `craton.evidence`.
"""
