"""The available refiners and engines, and the stages of a run, which are data.

A new refiner is one file in `traces/` and one line of `refiners.REFINERS`; a new engine is one module in `engines/` and
one line of `engines.ENGINES`. The tables only hold names and import paths, so a run imports only what it uses.
"""
