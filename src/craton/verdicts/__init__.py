"""What a run says: the verdict with its evidence, as values that everybody above engines speaks of.

Reading order: `text` (the words of result files), `proof` with its `provenance`, and `counterexample` (what a verdict
rests on), `verdict` (proved, violated, unknown), `result` (the verdict of one run, and what else is told of it).
Nothing here decides anything: `craton.verification` does, with the means of `craton.evidence`.
"""
