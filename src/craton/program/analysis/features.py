"""What a program is like, told in milliseconds: the numbers by which schedules are chosen (`configuration/schedules`).

Nothing depends on a feature but how the time is shared, so each is a look at the automaton and no analysis: a loop that
is called counted may go on for ever, and a number of rounds may be wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from craton.logic import INT, Array, BitVec, Term, free_variables, not_, ops
from craton.logic.walk import post_order
from craton.program.analysis.control_flow import recursive_procedures
from craton.program.analysis.nesting import Nest, nests
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.features import Features
from craton.program.statements import Assign, Assume, Call, Fresh, Havoc, Input
from craton.program.variables import terms

MOST_ROUNDS = 10**9  # more are told as so many

_BITS = frozenset((ops.BVAND, ops.BVOR, ops.BVXOR, ops.BVNOT, ops.BVSHL, ops.BVLSHR, ops.BVASHR))
_PRODUCTS = frozenset((ops.MUL, ops.BVMUL))
_QUOTIENTS = frozenset((ops.DIVIDE, ops.DIV, ops.MOD, ops.BVUDIV, ops.BVUREM, ops.BVSDIV, ops.BVSREM, ops.BVSMOD))
_NEUTRAL = frozenset((ops.ZERO_EXTEND, ops.SIGN_EXTEND, ops.EXTRACT))
_FLOATS = (ops.Theory.FLOATS, ops.Theory.FLOATS_REALS)


def features_of(program: Program) -> Features:
    """Features of a program that may have calls, before its edges are blocks."""
    edges = list(program.edges())
    havocs = [e.statement for e in edges if isinstance(e.statement, Havoc)]
    operations = _operations(edges)
    nested = {name: nests(procedure) for name, procedure in program.procedures.items()}
    loops = [loop for name, procedure in program.procedures.items() for loop in _loops(procedure, nested[name])]
    variables = {*program.globals, *(x for procedure in program.procedures.values() for x in procedure.locals)}
    mentioned = frozenset[Term]().union(*(free_variables(term) for edge in edges for term in terms(edge.statement)))
    return Features(
        edges=len(edges),
        branches=sum(map(_branches, program.procedures.values())),
        depth=_depth(program.main, nested[program.entry]),
        loops=len(loops),
        nesting=max((loop.nesting for loop in loops), default=0),
        uncounted=sum(not loop.counts for loop in loops),
        rounds=_all_rounds(loops),
        reacting=max((loop.branches for loop in loops if not loop.counts), default=0),
        inputs=sum(isinstance(havoc.source, Input) for havoc in havocs),
        unspecified=sum(havoc.is_open for havoc in havocs),
        arrays=sum(isinstance(x.sort, Array) and x in mentioned for x in variables),
        heap=sum(_allocates(edge, program.storage.heap) for edge in _again_and_again(program, nested)),
        floats=operations["floats"],
        bits=operations["bits"],
        nonlinear=operations["nonlinear"],
        recursive=len(recursive_procedures(program)),
    )


# --- terms ------------------------------------------------------------------------------------------------------------


def _again_and_again(program: Program, nested: Mapping[str, Mapping[Location, Nest]]) -> Iterator[Edge]:
    """The edges in loops, and those of procedures that are called."""
    for name, procedure in program.procedures.items():
        for edge in procedure.edges:
            ends = (nested[name].get(edge.source), nested[name].get(edge.target))
            if name != program.entry or all(nest is not None and nest.loops for nest in ends):
                yield edge


def _allocates(edge: Edge, top: Term | None) -> bool:
    """Whether it allocates memory whose place is not known."""
    match edge.statement:
        case Havoc(_, source):
            return isinstance(source, Fresh)
        case Assign(variable, _):
            return variable is top
    return False


def _operations(edges: Iterable[Edge]) -> Counter[str]:
    """How many different terms of each kind there are."""
    return Counter(
        kind
        for term in post_order(*(term for edge in edges for term in terms(edge.statement)))
        if (kind := _kind(term))
    )


def _kind(term: Term) -> str:
    op = term.op
    if op in _BITS:
        return "bits"
    if op.theory in _FLOATS:
        return "floats"
    if op in _PRODUCTS and sum(not argument.is_value for argument in term.args) > 1:
        return "nonlinear"
    return "nonlinear" if op in _QUOTIENTS and not term.args[1].is_value else ""


# --- control ----------------------------------------------------------------------------------------------------------


def _branches(procedure: Procedure) -> int:
    return sum(len(procedure.outgoing(location)) > 1 for location in procedure.locations)


def _depth(procedure: Procedure, nested: Mapping[Location, Nest]) -> int:
    """The longest way through the outermost loops and what is in none, a loop being as long as it has locations."""
    parts: dict[int, list[Location]] = {}
    for location, nest in nested.items():
        parts.setdefault(nest.order[0], []).append(location)
    behind: dict[Location, int] = {}
    for position in sorted(parts, reverse=True):  # each after those that it leads to
        part = parts[position]
        ways = (behind[y] for x in part for y in procedure.successors(x) if nested[y].order[0] != position)
        behind.update(dict.fromkeys(part, max((1 + way for way in ways), default=0) + len(part) - 1))
    return behind[procedure.entry]


@dataclass(frozen=True, slots=True)
class _Loop:
    head: Location
    around: tuple[Location, ...]  # heads of the loops that it is in, with its own
    branches: int
    counts: bool
    rounds: int | None  # if it counts from and to constants

    @property
    def nesting(self) -> int:
        return len(self.around)


def _all_rounds(loops: Iterable[_Loop]) -> int | None:
    """How often the body that is run most often is run."""
    rounds = {loop.head: loop.rounds for loop in loops}
    most = 0
    for loop in loops:
        product = 1
        for head in loop.around:
            own = rounds[head]
            if own is None:
                return None
            product = min(product * own, MOST_ROUNDS)
        most = max(most, product)
    return most


def _loops(procedure: Procedure, nested: Mapping[Location, Nest]) -> Iterator[_Loop]:
    inside: dict[tuple[Location, ...], set[Location]] = {}
    for location, nest in nested.items():
        for length in range(1, len(nest.loops) + 1):
            inside.setdefault(nest.loops[:length], set()).add(location)
    assigned: dict[Term, list[Edge]] = {}
    for edge in procedure.edges:
        if isinstance(edge.statement, Assign):
            assigned.setdefault(edge.statement.variable, []).append(edge)
    reach: dict[Term, int] = {}
    for around, locations in inside.items():  # loops before those inside of them
        yield _loop(procedure, around, locations, assigned, reach)


def _loop(
    procedure: Procedure,
    around: tuple[Location, ...],
    locations: set[Location],
    assigned: Mapping[Term, Sequence[Edge]],
    reach: dict[Term, int],
) -> _Loop:
    """`reach` says how far from zero counters of loops before this one get, and is told of the counters of this one."""
    edges = [edge for location in locations for edge in procedure.outgoing(location)]
    changed = _changes(edge for edge in edges if edge.target in locations)
    counts, rounds = False, list[int]()
    for edge in edges:
        leaving = _leaving(procedure, edge, locations)
        if leaving is not None:
            for part in _disjuncts(leaving):
                counting = [x for x in free_variables(part) if x in changed]
                counter = changed[counting[0]] if len(counting) == 1 else None
                if counter is not None:
                    counts = True
                    before = [e for e in assigned[counter.variable] if e.source not in locations]
                    way = _way(before, part, {**reach, counting[0]: 0})
                    if way is not None:
                        reach[counter.variable] = max(way, reach.get(counter.variable, 0))
                        rounds.append(min(-(-way // counter.step), MOST_ROUNDS))
    several = sum(len(procedure.outgoing(location)) > 1 for location in locations)
    return _Loop(around[-1], around, several, counts, min(rounds, default=None))


def _leaving(procedure: Procedure, edge: Edge, locations: set[Location]) -> Term | None:
    """The condition under which a loop is left: that of an edge out of it; or where the only edge goes on, that this
    one cannot be taken. What comes behind a loop is gone if it leads to no error.
    """
    if not isinstance(edge.statement, Assume):
        return None
    condition = edge.statement.condition
    if edge.target not in locations:
        return condition
    return not_(condition) if len(procedure.outgoing(edge.source)) == 1 else None


@dataclass(frozen=True, slots=True)
class _Counter:
    variable: Term
    step: int  # by how much it changes at a time, at least; never 0


def _changes(edges: Iterable[Edge]) -> Mapping[Term, _Counter | None]:
    """The variables that are changed, with the counter that they are, or are copies of; None if of none."""
    values: dict[Term, list[Term] | None] = {}
    for edge in edges:
        match edge.statement:
            case Assign(variable, value):
                known = values.setdefault(variable, [])
                if known is not None:
                    known.append(_unwrapped(value))
            case Havoc(variables) | Call(_, _, variables):
                values.update(dict.fromkeys(variables))
    copied = {x: assigned[0] for x, assigned in values.items() if assigned and len(assigned) == 1}
    counters = {x: _counter(x, assigned, copied) for x, assigned in values.items()}
    return {x: counter or counters.get(copied.get(x, x)) for x, counter in counters.items()}


def _counter(variable: Term, assigned: Sequence[Term] | None, copied: Mapping[Term, Term]) -> _Counter | None:
    steps = [_step(variable, value, copied) for value in assigned or ()]
    goes_one_way = bool(steps) and (min(steps) > 0 or max(steps) < 0)
    return _Counter(variable, min(map(abs, steps))) if goes_one_way else None


def _step(variable: Term, value: Term, copied: Mapping[Term, Term]) -> int:
    """By how much a value is away from the variable, or from a copy of it; 0 if not by a constant other than 0."""
    if value.op in (ops.ADD, ops.BVADD, ops.SUB, ops.BVSUB) and len(value.args) == 2:
        constants = [argument for argument in value.args if _is_number(argument)]
        others = [_unwrapped(argument) for argument in value.args if not _is_number(argument)]
        if constants and others and variable in (others[0], copied.get(others[0])):
            down = (value.op in (ops.SUB, ops.BVSUB)) != _is_negative(constants[0])
            return -_number(constants[0]) if down else _number(constants[0])
    return 0


def _unwrapped(term: Term) -> Term:
    """Without conversions: numbers that count are small."""
    while term.op in _NEUTRAL:
        term = term.args[0]
    return term


def _is_number(term: Term) -> bool:
    return term.is_value and (term.sort is INT or isinstance(term.sort, BitVec))


def _number(constant: Term) -> int:
    """How far a constant is from zero; bits are those of a number with a sign."""
    value = int(constant.payload)
    return min(value, (1 << constant.sort.width) - value) if isinstance(constant.sort, BitVec) else abs(value)


def _is_negative(constant: Term) -> bool:
    value = int(constant.payload)
    return bool(value >> (constant.sort.width - 1)) if isinstance(constant.sort, BitVec) else value < 0


def _disjuncts(condition: Term) -> tuple[Term, ...]:
    if condition.op is ops.OR:
        return condition.args
    if condition.op is ops.NOT and condition.args[0].op is ops.AND:
        return condition.args[0].args
    return (condition,)


def _way(before: Sequence[Edge], exit_: Term, reach: Mapping[Term, int]) -> int | None:
    """How far a counter goes, from what it is set to before the loop to what it is compared with where it is left."""
    begins = [_far(edge.statement.value, reach) for edge in before if isinstance(edge.statement, Assign)]
    end, known = _far(exit_, reach), [begin for begin in begins if begin is not None]
    if end is None or not known or len(known) < len(begins):
        return None
    return max(abs(end - begin) if _is_plain(exit_) else end + begin for begin in known)


def _far(term: Term, reach: Mapping[Term, int]) -> int | None:
    """How far from zero a sum may be, about; None if variables occur of which nobody knows."""
    if not free_variables(term) <= reach.keys():
        return None
    parts = list(post_order(term))
    return sum(_number(part) for part in parts if _is_number(part)) + sum(reach[x] for x in free_variables(term))


def _is_plain(exit_: Term) -> bool:
    """Whether a counter is compared with a constant."""
    return len(free_variables(exit_)) == 1
