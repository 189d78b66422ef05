"""Templates that users write speak of variables that there are ([EI] V). It is said before anything runs: refiners see
single traces, which need not have them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from craton.configuration.stages import Stage
from craton.horn.clauses import System
from craton.program.cfa import Program
from craton.program.variables import reads, writes
from craton.traces.lattice import templates_in
from craton.traces.own_templates import check_names
from craton.traces.refutation import Refiner
from craton.verification.stages import engine_of, has_templates


def check_stages(stages: Sequence[Stage], problem: Program | System) -> None:
    """Raises an error if a template of a stage's refiner has a name that nothing has."""
    for stage in stages:
        if has_templates(stage):
            refiner = getattr(engine_of(stage), "refiner", None)
            check_refiners([refiner] if isinstance(refiner, Refiner) else [], problem)


def check_refiners(refiners: Iterable[Refiner], problem: Program | System) -> None:
    templates = [template for refiner in refiners for template in templates_in(refiner)]
    if templates:
        check_names(templates, set(_of_program(problem) if isinstance(problem, Program) else _of_system(problem)))


def _of_program(program: Program) -> Iterator[str]:
    for edge in program.edges():
        for variable in reads(edge.statement) | writes(edge.statement):
            yield variable.name


def _of_system(system: System) -> Iterator[str]:
    """Arguments by their places, and variables of clauses."""
    for clause in system.clauses:
        for variable in clause.variables:
            yield variable.name
        for atom in clause.atoms:
            for place, parameter in enumerate(atom.predicate.parameters):
                yield f"x{place}"
                yield parameter.name
