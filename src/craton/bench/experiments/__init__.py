"""The papers' experiments, ready to run: `craton reproduce NAME`.

An experiment has the paper's configurations as options of `craton verify` and the paper's own figures as data, and
shows ours next to them. To add one, write a module here and add an entry to `EXPERIMENTS`.
"""

from __future__ import annotations

from craton.bench.experiments.contract import Experiment
from craton.bench.experiments.craig_vs_newton import CRAIG_VS_NEWTON
from craton.bench.experiments.exploring_interpolants import EXPLORING_INTERPOLANTS
from craton.bench.experiments.newton_in_cpachecker import NEWTON_IN_CPACHECKER
from craton.bench.experiments.refinement_selection import REFINEMENT_SELECTION

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (CRAIG_VS_NEWTON, NEWTON_IN_CPACHECKER, EXPLORING_INTERPOLANTS, REFINEMENT_SELECTION)
}
