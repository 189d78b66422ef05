"""Engines on a program that knows its facts: every edge ends with the assumption of what intervals and congruences say
of the location it leads to, or others that work beside it.

Facts are inductive by themselves. So what an engine shows of the strengthened program, conjoined with the facts, is a
proof of the program as it is; and the checker sees just that. Assumptions stand at the end of blocks: in front they
would change the numbers by which inputs inside of blocks are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from craton.engines.contract import Budget, EngineAnswer, Safe, Unsafe
from craton.facts import facts
from craton.logic import TRUE, Term, and_, free_variables
from craton.program.analysis.liveness import live_variables
from craton.program.cfa import Edge, Location, Program
from craton.program.statements import Assume, Block
from craton.program.transitions import transition
from craton.traces.trace import Trace

SHARE = 0.2  # of the time that is left: for facts

Facts = Mapping[Location, Sequence[Term]]


def with_facts(program: Program, budget: Budget, run: Callable[[Program], EngineAnswer]) -> EngineAnswer:
    """What an engine says of the strengthened program, as an answer about the program itself."""
    with budget.statistics.spending("facts"):
        known = facts(program, None if budget.left is None else SHARE * budget.left)
    if not any(location in known for location in program.errors):
        return Safe({location: and_(*parts) for location, parts in known.items()}, ())
    return _with_known(program, known, run)


def with_news(program: Program, budget: Budget, run: Callable[[Program], EngineAnswer]) -> EngineAnswer:
    """The same with what engines beside this one have told so far, if anything."""
    told = budget.news()
    if not told:
        return run(program)
    claims = [lemma.invariants for lemma in told]
    answer = _with_known(program, {x: [each[x] for each in claims if x in each] for x in program.main.locations}, run)
    if isinstance(answer, Safe):
        return replace(answer, by=tuple(dict.fromkeys((*answer.by, *(who for lemma in told for who in lemma.by)))))
    return answer


def _with_known(program: Program, known: Facts, run: Callable[[Program], EngineAnswer]) -> EngineAnswer:
    stronger, back = strengthened(program, known)
    answer = run(stronger)
    if isinstance(answer, Safe):
        invariants = answer.invariants.items()
        return replace(answer, invariants={x: and_(claim, *known[x]) for x, claim in invariants if x in known})
    if isinstance(answer, Unsafe):
        return Unsafe(Trace(tuple(back[edge] for edge in answer.trace.edges), program.main.edges), answer.model)
    return answer


def strengthened(program: Program, known: Facts) -> tuple[Program, dict[Edge, Edge]]:
    """The program whose edges assume facts of live variables when they end, and the way back. Edges from and to
    locations without facts are never taken.
    """
    main = program.main
    live = live_variables(program, {edge: transition(edge.statement) for edge in main.edges})
    middle = Location(1 + max(max(inner.source.id, inner.target.id) for edge in main.edges for inner in _inside(edge)))
    back: dict[Edge, Edge] = {}
    for edge in main.edges:
        if edge.source in known and edge.target in known:
            assumed = and_(*(fact for fact in known[edge.target] if free_variables(fact) <= live[edge.target]))
            back[edge if assumed is TRUE else _assuming(edge, assumed, middle)] = edge
    procedures = {**program.procedures, program.entry: main.with_edges(tuple(back))}
    return program.with_procedures(procedures), back


def _assuming(edge: Edge, fact: Term, middle: Location) -> Edge:
    """The same edge with an assumption behind it; no block has the location in the middle yet. What is chosen on the
    way has the names that it had.
    """
    inside = _inside(edge)
    numbers = [number for number, _ in edge.statement.numbered] if isinstance(edge.statement, Block) else [0]
    end = inside[-1].target
    moved = (replace(inner, target=middle) if inner.target == end else inner for inner in inside)
    return replace(edge, statement=Block((*moved, Edge(middle, Assume(fact), end)), (*numbers, 1 + max(numbers))))


def _inside(edge: Edge) -> Sequence[Edge]:
    return edge.statement.edges if isinstance(edge.statement, Block) else (edge,)
