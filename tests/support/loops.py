"""Random programs of loops over three numbers of few bits, and all states that they reach, one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from hypothesis import strategies as st

from craton.logic import TRUE, BitVec, Term, and_, bv, bvadd, bvsle, bvslt, bvule, bvurem, eq, not_, var
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.execution.codegen import SUPPORT, Code
from craton.program.statements import Assign, Assume, Havoc, Statement

WIDTH = 3
X, Y, Z = VARIABLES = tuple(var(name, BitVec(WIDTH)) for name in "xyz")
ENTRY, HEAD, INNER, EXIT, ERROR = map(Location, range(5))
State = tuple[int, ...]

numbers = st.integers(-4, 3).map(lambda value: bv(value, WIDTH))
sides = st.one_of(st.sampled_from(VARIABLES), numbers)
atoms = st.one_of(
    st.builds(lambda order, a, b: order(a, b), st.sampled_from((bvslt, bvsle, bvule)), sides, sides),
    st.builds(lambda a, b: not_(eq(a, b)), sides, sides),
    st.sampled_from(VARIABLES).map(lambda x: eq(bvurem(x, bv(2, WIDTH)), bv(0, WIDTH))),
    st.just(TRUE),
)
assignments = st.one_of(
    st.builds(lambda x, c: Assign(x, bvadd(x, c)), st.sampled_from(VARIABLES), numbers),
    st.builds(Assign, st.sampled_from(VARIABLES), sides),
    st.builds(lambda x, y: Assign(x, bvadd(x, y)), st.sampled_from(VARIABLES), st.sampled_from(VARIABLES)),
)
bodies = st.lists(assignments, min_size=1, max_size=2)


class Making:
    """Edges of a program, in chains."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.next = 10

    def chain(self, source: Location, statements: Sequence[Statement], target: Location) -> None:
        for number, statement in enumerate(statements, 1):
            there = target if number == len(statements) else Location(self.next)
            self.next += 1
            self.edges.append(Edge(source, statement, there))
            source = there


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A loop with one or two ways around it, or one around an inner loop."""
    made = Making()
    made.chain(ENTRY, [Assign(X, draw(numbers)), Assign(Y, draw(numbers)), Havoc((Z,))], HEAD)
    going_on, more = draw(atoms), draw(atoms)
    if draw(st.booleans()):
        made.chain(HEAD, [Assume(going_on), *draw(bodies)], INNER)
        made.chain(INNER, [Assume(more), *draw(bodies)], INNER)
        made.chain(INNER, [Assume(not_(more)), *draw(bodies)], HEAD)
    else:
        made.chain(HEAD, [Assume(and_(going_on, more)), *draw(bodies)], HEAD)
        made.chain(HEAD, [Assume(and_(going_on, not_(more))), *draw(bodies)], HEAD)
    made.chain(HEAD, [Assume(not_(going_on))], EXIT)
    made.chain(EXIT, [Assume(draw(atoms))], ERROR)
    main = Procedure("main", (), (), ENTRY, EXIT, tuple(made.edges), VARIABLES)
    return Program("main", {"main": main}, (), {ERROR: UNREACH}, {HEAD: None, INNER: None})


def stepping(statement: Statement, variables: Sequence[Term]) -> Callable[[State], list[State]]:
    """The states after a statement."""
    place = {x: i for i, x in enumerate(variables)}
    if isinstance(statement, Havoc):
        ways = [numbers_of(x) if x in statement.variables else None for x in variables]
        return lambda state: list(product(*([own] if w is None else w for own, w in zip(state, ways, strict=True))))
    assert isinstance(statement, Assume | Assign)
    term = statement.condition if isinstance(statement, Assume) else statement.value
    constants: dict[str, Any] = {}
    code = Code({x: f"s[{i}]" for i, x in enumerate(variables)}, constants)
    result = code.expression(term)
    scope = {**SUPPORT, **constants}
    exec("\n".join(["def f(s):", *(f"    {line}" for line in code.lines), f"    return {result}"]), scope)
    value: Callable[[State], Any] = scope["f"]
    if isinstance(statement, Assume):
        return lambda state: [state] if value(state) else []
    written = place[statement.variable]
    return lambda state: [(*state[:written], value(state), *state[written + 1 :])]


def numbers_of(variable: Term) -> range:
    assert isinstance(variable.sort, BitVec)
    return range(1 << variable.sort.width)


def reached(program: Program, *, from_anything: bool = False) -> dict[Location, set[State]]:
    """The values of x, y, z at each location, from zeros or from any values at the entry."""
    variables = (*VARIABLES, *(x for x in program.main.locals if x not in VARIABLES))
    steps = {edge: stepping(edge.statement, variables) for edge in program.main.edges}
    starts = product(*map(numbers_of, variables)) if from_anything else [(0,) * len(variables)]
    seen = {(program.main.entry, state) for state in starts}
    waiting = list(seen)
    while waiting:
        location, state = waiting.pop()
        for edge in program.main.outgoing(location):
            for after in steps[edge](state):
                if (edge.target, after) not in seen:
                    seen.add((edge.target, after))
                    waiting.append((edge.target, after))
    found: dict[Location, set[State]] = {}
    for location, state in seen:
        found.setdefault(location, set()).add(state[: len(VARIABLES)])
    return found
