"""Two judges for counterexamples of programs that cannot be compiled: the interpreter, and the trace formula.

Both are given the path of a replay and the values that it chose, and nothing else; they share no code for the meaning
of statements. FALSE is said only if both come to the error. What the interpreter cannot execute at all (quantifiers) is
left to the trace formula, whose quantifiers a solver decides.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from craton.logic import Model, Sort, Term, and_, eq, ite, ops
from craton.logic.build import rebuild
from craton.logic.evaluation import CannotEvaluate, FunctionTable, constant, zero
from craton.logic.terms import value as literal
from craton.logic.walk import fold, functions, is_quantified
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.execution.codegen import CannotRun
from craton.program.execution.interpreter import run
from craton.program.execution.outcomes import ReachedError
from craton.program.statements import Assign, Assume, Havoc, Input, Statement
from craton.traces.judgement import judged
from craton.traces.trace import Trace
from craton.verdicts.counterexample import Replay

MOST_STEPS = 20_000  # a run beyond it is not judged: its formula would be too large

_OPEN = (ops.DIV, ops.MOD, ops.DIVIDE)  # by zero, their results are open


def objection(replay: Replay) -> str:
    """Why the judges do not agree that the run reaches its error; "" if they do."""
    if not replay.edges:
        return "" if replay.background is not None else "the run's path is not known"
    if len(replay.edges) > MOST_STEPS:
        return f"the run is too long to be judged twice ({len(replay.edges)} steps)"
    background = replay.background
    model = Model({}) if background is None else background.model
    start = {} if background is None else background.start
    try:
        return _by_formula(replay, start, model) or _by_interpreter(replay, start, model)
    except CannotEvaluate as problem:
        return f"its trace formula cannot be evaluated: {problem}"


def _by_formula(replay: Replay, start: Mapping[Term, Any], model: Model) -> str:
    found = judged(Trace(replay.edges), start, list(_choices(replay)), model)
    if found.impossible is None:
        return ""
    edge = replay.edges[found.impossible]
    where = "" if edge.origin is None else f" at {edge.origin}"
    return f"the trace formula is false under the same values{where}"


def _choices(replay: Replay) -> Iterator[dict[Term, Any]]:
    """For each step what its havoc chose."""
    inputs = deque(read.value for read in replay.inputs)
    opened = deque(() if replay.background is None else replay.background.opened)
    for edge in replay.edges:
        statement = edge.statement
        if not isinstance(statement, Havoc):
            yield {}
            continue
        waiting = inputs if isinstance(statement.source, Input) else opened
        yield {v: waiting.popleft() if waiting else zero(v.sort) for v in statement.variables}


# --- the interpreter --------------------------------------------------------------------------------------------------


def _by_interpreter(replay: Replay, start: Mapping[Term, Any], model: Model) -> str:
    """The path as a program of its own, in which every value that was chosen is assigned."""
    statements: list[Statement] = [Assign(v, constant(held, v.sort)) for v, held in start.items()]
    for edge, chosen in zip(replay.edges, _choices(replay), strict=True):
        statement = edge.statement
        match statement:
            case Havoc():
                statements += [Assign(v, constant(held, v.sort)) for v, held in chosen.items()]
            case Assume(condition) if is_quantified(condition):
                pass  # decided by a solver, as part of the trace formula
            case Assume(condition):
                statements.append(Assume(_interpreted(condition, model)))
            case Assign(variable, new):
                statements.append(Assign(variable, _interpreted(new, model)))
    try:
        outcome = run(_chain(statements)).outcome
    except CannotRun:
        return ""  # one judge is left, and solvers for its quantifiers
    return "" if isinstance(outcome, ReachedError) else f"the interpreter says: {outcome}"


def _chain(statements: Sequence[Statement]) -> Program:
    places = [Location(number) for number in range(len(statements) + 2)]
    edges = tuple(Edge(places[i], statement, places[i + 1]) for i, statement in enumerate(statements))
    main = Procedure("main", (), (), places[0], places[-1], edges)
    return Program("main", {"main": main}, (), {places[len(statements)]: UNREACH})


def _interpreted(term: Term, model: Model) -> Term:
    """Functions, and results that the standard leaves open, as the model has them."""
    if not functions(term) and not model.choices:
        return term

    def visit(node: Term, args: list[Term]) -> Term:
        if node.op is ops.APPLY:
            return _cases(args, model.functions.get(node.payload) or FunctionTable(zero(node.sort)), node.sort)
        again = rebuild(node, args) if args else node
        if node.op not in _OPEN or node.op not in model.choices:
            return again
        by_zero = eq(args[1], literal(zero(args[1].sort), args[1].sort))
        return ite(by_zero, _cases(args, model.choices[node.op], node.sort), again)

    return fold(term, visit)


def _cases(args: Sequence[Term], table: FunctionTable, sort: Sort) -> Term:
    found = constant(table.default, sort)
    for entry, held in table.entries.items():
        here = and_(*(eq(a, constant(known, a.sort)) for a, known in zip(args, entry, strict=True)))
        found = ite(here, constant(held, sort), found)
    return found
