"""The papers' experiments, ready to run: `craton reproduce NAME`.

An experiment has the paper's configurations as options of `craton verify`, the paper's own figures as data, and puts
ours beside them. Another one is a module here and an entry of `EXPERIMENTS`.
"""

from __future__ import annotations

from craton.bench.experiments.contract import Experiment
from craton.bench.experiments.craig_vs_newton import CRAIG_VS_NEWTON
from craton.bench.experiments.newton_in_cpachecker import NEWTON_IN_CPACHECKER

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment for experiment in (CRAIG_VS_NEWTON, NEWTON_IN_CPACHECKER)
}
