"""Engines × refiners × views × programs: the verdict is the right one or unknown, with evidence that others accept.

The whole product has some hundred thousand runs. An ordinary test run takes one of them for every program (which one,
says `stages.txt`), so that every setting of every engine and every refiner has its turn; CRATON_FUZZ=N draws N times
2,000 at random. What keeps "unknown" from being an answer to everything: runs that end for lack of time are counted
(`support.patience`), and at the end easy programs must be solved by each engine, and most of all programs by what
`craton verify` does by default.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from craton.configuration.engines import ENGINES, make_engine
from craton.configuration.refiners import PRESETS, REFINERS, refiner
from craton.configuration.stages import DEFAULT, Stage
from craton.engines.contract import Budget, EngineAnswer, Safe, Unsafe
from craton.errors import MissingCapability
from craton.logic import FALSE, Float, Term, and_, satisfies
from craton.logic.ieee import to_python
from craton.logic.terms import format_of
from craton.processes.limits import Limits
from craton.processes.supervision import Done, Report, supervise
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.program.preparation import prepare
from craton.program.transitions import transition
from craton.registry.expressions import Word, parse
from craton.smt import Unsat, make_solver
from craton.smt.contract import Answer
from craton.traces.refutation import hoare_triple
from craton.traces.trace import Trace
from craton.verdicts.result import Result
from craton.verification import verify
from craton.views import integer_view
from support import FUZZ
from support.patience import Group, record
from support.programs import BY_NAME, EXAMPLES, Example
from support.stages import FILE, read_stages

CEGAR = (
    "trace-abstraction",
    "trace-abstraction(sbe)",
    "trace-abstraction(lbe)",
    "trace-abstraction(chains)",
    "trace-abstraction(cases)",
    "trace-abstraction(blocks=2)",
    "trace-abstraction(facts)",
    "predicate",
    "predicate(lbe, boolean, location, lazy, atoms, bfs, level=block)",
    "predicate(sbe)",
    "predicate(sbe, cartesian, dfs)",
    "predicate(cartesian)",
    "predicate(restart, whole)",
    "predicate(global, weighted)",
    "predicate(function, dfs)",
    "predicate(blocks=2, restart)",
    "predicate(chains, single)",
    "predicate(cases, mixed)",
    "splitting",
    "splitting(lbe)",
    "splitting(sbe)",
    "splitting(chains)",
    "splitting(cases)",
    "splitting(blocks=3)",
    "value",
    "value(sbe, global, restart)",
    "value(lbe, location)",
    "value(chains, function, lazy)",
    "value(cases)",
    "value(blocks=2, eager)",
    "value-predicate",
    "value-predicate(sbe, restart, global, cartesian, whole, dfs)",
    "value-predicate(lbe, boolean, location, lazy, atoms, bfs)",
    "value-predicate(chains, function, single, weighted)",
    "value-predicate(cases, mixed)",
    "value-predicate(blocks=2)",
    "explicit",
)
OTHERS = (
    "bounded",
    "bounded(loops)",
    "bounded(depth=12)",
    "kinduction",
    "kinduction(plain, k=6)",
    "conjectures",
    "conjectures(landmarks)",
    "conjectures(gauges)",
    "elements",
    "shapes",
    "rounds",
    "search",
    "horn",
    "horn(lbe)",
    "horn(sbe)",
    "horn(cases)",
    "horn(chains)",
    "horn(blocks=2)",
    "horn(unguided)",
    "horn(facts)",
)
ENCODINGS = ("bv", "int")
REFINEMENTS = (
    *(f"newton({core}{way}{live})" for core in ("", "it, ") for way in ("sp", "wp") for live in ("", ", lv")),
    "newton(it, sp, lv, level=edge)",
    "newton(core=statement, wp, lv, drop)",
    "newton(core=half, minimise=1, wp, lv, late)",
    "newton(core=conjunct, sp, late)",
    "newton(it, sp, lv, solver=bitwuzla, quantifiers=full)",
    "newton(it, wp, lv, solver=cvc5, quantifiers=none)",
    "craig(z3)",
    "craig(z3, it)",
    "craig(bitwuzla)",
    "craig(bitwuzla, it)",
    "craig(cvc5)",
    "craig(cvc5, core=statement)",
    "craig(farkas)",
    "craig(farkas, it)",
    "lean(simplified(newton(it, sp, lv)))",
    "lean(craig(z3))",
    "memo(craig(z3))",
    "sliced(newton(it, sp, lv), craig(z3), good, narrow, level=edge)",
    "lattice(newton(it, sp, lv))",
    "fallback(values, newton(it, sp, lv))",
    "checked(newton(it, wp, lv))",
    "fallback(newton(it, wp), craig(z3))",
    "until-perfect(newton(it, sp), craig(bitwuzla), craig(z3))",
    "until-inductive(newton(core=half, minimise=1, wp, lv, late), until-proving(craig(bitwuzla, it)))",
    "race(newton(it, sp, lv), craig(z3), time=2)",
    *PRESETS,
)
SECONDS = 1.5


STAGES = read_stages(FILE, BY_NAME)
SAMPLE = [(example, STAGES[str(example)]) for example in EXAMPLES]


# --- coverage ---------------------------------------------------------------------------------------------------------


def test_every_option_of_every_engine_has_its_turn() -> None:
    seen = {(word.name, argument.name) for word in _engines_of_the_sample() for argument in word.arguments or ()}
    assert {stage.engine for stage in STAGES.values()} == {*CEGAR, *OTHERS}
    assert {word.name for word in _engines_of_the_sample()} == set(ENGINES.entries)
    for name, entry in ENGINES.entries.items():
        assert {option for engine, option in seen if engine == name} == set(entry.words), name


def _engines_of_the_sample() -> list[Word]:
    return [parse(stage.engine) for _, stage in SAMPLE]


def test_every_refiner_has_its_turn_with_an_engine_that_refines() -> None:
    used = {stage.refine for _, stage in SAMPLE if stage.engine.split("(")[0] not in ("bounded", "horn")}
    assert used == set(REFINEMENTS)
    for expression in REFINEMENTS:
        refiner(expression)
    words = {name for expression in used for name in _names(parse(expression))}
    assert words >= set(REFINERS.names)
    assert {stage.encoding for _, stage in SAMPLE} == set(ENCODINGS)


def _names(word: Word) -> list[str]:
    return [word.name, *(name for argument in word.arguments or () for name in _names(argument))]


# --- no verdict is wrong ----------------------------------------------------------------------------------------------


def judge(example: Example, stages: Sequence[Stage], seconds: float) -> Result:
    """The result, if it is the right one or none."""
    result = verify(example.request, stages, cpu=seconds)
    assert str(result.verdict) in (example.expected, "unknown"), f"{example} with {stages}"
    record(Group.VERDICTS, f"{example} by {' or '.join(stage.name for stage in stages)}", result.reason)
    if result.is_true:
        assert result.proof is not None
    if result.is_false:
        check_replay(example, result)
    return result


def check_replay(example: Example, result: Result) -> None:
    """The edges are a feasible path to the error; in C, which leaves nothing else open, the inputs suffice."""
    assert result.replay is not None
    if result.replay.edges:  # none where a run of the program has shown it
        trace = Trace(result.replay.edges)
        assert trace.locations[-1] == result.replay.location
        answer = _checked(and_(*trace.formula.by_step))
        record(Group.JUDGEMENTS, f"the path of a counterexample in {example}", answer)
        assert not isinstance(answer, Unsat)
    if example.path.suffix == ".c":
        inputs = [
            to_python(format_of(read.sort), read.value) if isinstance(read.sort, Float) else read.value
            for read in result.replay.inputs
        ]
        outcome = Interpreter(example.program).run(inputs).outcome
        assert isinstance(outcome, ReachedError), f"{example}: {outcome} on {inputs}"
        assert f"false({outcome.violated})" == example.expected


def _checked(formula: Term) -> Answer:
    try:
        return make_solver("bitwuzla", time_limit=10).check(formula)
    except MissingCapability:  # integers, reals, functions
        return make_solver("z3", time_limit=10).check(formula)


@pytest.mark.parametrize(("example", "stage"), SAMPLE, ids=str)
def test_no_verdict_is_wrong(example: Example, stage: Stage) -> None:
    judge(example, (stage,), SECONDS)


@pytest.mark.skipif(not FUZZ, reason="a long run: CRATON_FUZZ=1")
@pytest.mark.parametrize("part", range(40 * FUZZ))
def test_no_verdict_is_wrong_at_random(part: int) -> None:
    for _ in range(50):
        stage = Stage(
            random.choice((*CEGAR, *OTHERS)),
            random.choice(REFINEMENTS),
            random.choice(ENCODINGS),
            random.choice(("exact", "exact", "real")),
            random.choice(("z3", "z3", "cvc5")),
        )
        judge(random.choice(EXAMPLES), (stage,), 4.0)


# --- what engines say themselves --------------------------------------------------------------------------------------

# Solved by each of the three engines in a fraction of a second.
EASY = (
    "loops/together.c",
    "loops/even.c",
    "loops/apart.c",
    "loops/modulo_wrong.c",
    "arrays/exchange.c",
    "arrays/same_place.c",
    "pointers/exchange.c",
    "pointers/either.c",
    "floats/both_ways.c",
    "floats/not_itself.c",
    "bits/sign_fill.c",
    "bits/mixed_signs.c",
    "control/lock.c",
    "control/machine_wrong.c",
    "overflow/guarded.c",
    "memory/twice.c",
    "boogie/together.bpl",
    "boogie/two_indices_wrong.bpl",
)
THREE = ("trace-abstraction", "predicate", "splitting")


@pytest.mark.parametrize("engine", THREE)
@pytest.mark.parametrize("name", EASY)
def test_easy_programs_are_solved_with_evidence(name: str, engine: str) -> None:
    """By the engine alone: nobody has looked at its answer but the solvers of this test."""
    program = prepare(BY_NAME[name].program).small.program
    verdict, seen = _answer(program, Stage(engine))
    assert isinstance(verdict, Safe if BY_NAME[name].safe else Unsafe), verdict
    check_answer(seen, verdict)


@pytest.mark.parametrize("engine", [*THREE, "horn"])
@pytest.mark.parametrize("name", ["loops/together.c", "loops/changing_places.c", "control/lock.c", "loops/leaving.c"])
def test_proofs_in_the_integer_view_are_proofs_there(name: str, engine: str) -> None:
    program = integer_view(prepare(BY_NAME[name].program).small.program).program
    verdict, seen = _answer(program, Stage(engine))
    assert isinstance(verdict, Safe), verdict
    check_answer(seen, verdict)


def _answer(program: Program, stage: Stage) -> tuple[EngineAnswer, Program]:
    engine = make_engine(stage)
    seen = encode_blocks(program, engine.blocks).program

    def work(report: Report) -> EngineAnswer:
        return engine.run(seen, Budget(20.0))

    ending = supervise(work, Limits(30.0), lambda content: None)
    assert isinstance(ending, Done), ending
    return ending.value, seen


def check_answer(program: Program, verdict: EngineAnswer) -> None:
    if isinstance(verdict, Unsafe):
        assert verdict.trace.edges[0].source == program.main.entry
        assert verdict.trace.locations[-1] in program.errors
        assert satisfies(verdict.model, and_(*verdict.trace.formula.by_step))
    elif isinstance(verdict, Safe):
        _check_proof(program, verdict)


def _check_proof(program: Program, verdict: Safe) -> None:
    """Every Hoare triple, by a solver that no engine uses by itself."""
    conditions = [verdict.invariants[program.main.entry]]
    for edge in program.main.edges:
        before = verdict.invariants.get(edge.source, FALSE)
        after = FALSE if edge.target in program.errors else verdict.invariants.get(edge.target, FALSE)
        conditions.append(hoare_triple(before, transition(edge.statement), after))
    for condition in conditions:
        try:
            valid = make_solver("bitwuzla", time_limit=20).is_valid(condition)
        except MissingCapability:  # integers, reals
            valid = make_solver("cvc5", time_limit=20).is_valid(condition)
        assert valid, str(condition)


# --- strength ---------------------------------------------------------------------------------------------------------

LEAST = 0.8  # measured: 121 of 140, on a machine with other work to do


@pytest.mark.skipif(not FUZZ, reason="a long run: CRATON_FUZZ=1")
def test_the_default_solves_most_programs() -> None:
    unsolved = [str(example) for example in EXAMPLES if judge(example, DEFAULT, 10.0).is_unknown]
    assert len(unsolved) <= (1 - LEAST) * len(EXAMPLES), unsolved
