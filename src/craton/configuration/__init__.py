"""What there is to choose from (refiners, engines), and the stages of a run, which are data.

A new refiner is one file in `traces/` and one line of `refiners.REFINERS`; a new engine one module in `engines/` and
one line of `engines.ENGINES`. The tables have names and addresses only: what a run does not use is not imported.
"""
