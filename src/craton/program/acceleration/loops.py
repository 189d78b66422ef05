"""The program in which loops have their rounds as single steps.

Each way around a loop becomes an edge of its own: n rounds in closed form where the way has one, the way itself where
it has none. A head L becomes several locations: one where control arrives from elsewhere, one behind each way, and L
itself, where control has been around any number of times and leaves from. So what holds at L holds at L in the program
itself, however often the loop was gone around.

    arrive ── way 1 ──► behind 1 ── way 2 ──► behind 2 …       after way i comes another way, or i again where two
      └────────►  L  ◄────┴─────────────────────┘              steps of way i are not one
                  └──► exits

Ways of nested loops: around the outer loop, the inner one taken as often as its guard allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, product

from craton.logic import FALSE, TRUE, Term, and_, not_, substitute
from craton.program.acceleration.bodies import Body, accelerated
from craton.program.acceleration.closed_forms import NotAccelerated
from craton.program.acceleration.counters import counter_name
from craton.program.cfa import Edge, Location, Program
from craton.program.simultaneous import one_by_one
from craton.program.statements import Assign, Assume, Block, Call, Havoc, Return, Statement
from craton.program.transformation import Transformed
from craton.program.transitions import Transition, paths, transition
from craton.program.variables import writes

MOST_WAYS = 8  # around one loop
_MOST_NESTED = 64  # ways through inner loops that are tried
_MOST_PHASES = 3  # of an inner loop


@dataclass(frozen=True)
class AcceleratedProgram:
    """The program with accelerated loops, and the way back: edges that stand for rounds have no originals."""

    transformed: Transformed
    _no_rounds: Mapping[Term, Term]  # counters of rounds are zero but in the middle of a step

    @property
    def program(self) -> Program:
        return self.transformed.program

    def lifted(self, invariants: Mapping[Location, Term]) -> dict[Location, Term]:
        """What invariants say of the program itself. Every state of it is there with counters that are zero."""
        return {location: substitute(invariant, self._no_rounds) for location, invariant in invariants.items()}


def accelerate(program: Program, blocks: Program) -> AcceleratedProgram | None:
    """The program, without calls, with rounds as single steps; None if no loop of it has a closed form. `blocks` is the
    same program in large blocks.
    """
    if any(isinstance(edge.statement, Call | Return) for edge in program.main.edges):
        return None
    making = _Making(program, blocks)
    return making.program() if making.loops else None


@dataclass(frozen=True, slots=True)
class _Way:
    """A way around a loop: rounds in closed form, or edges of the program."""

    edges: tuple[Edge, ...] = ()
    body: Body | None = None


@dataclass(frozen=True, slots=True)
class _Loop:
    """All ways around a loop that come through no other loop (`ways`), and shortcuts that these do not need."""

    ways: Sequence[_Way]
    shortcuts: Sequence[_Way]
    arrival: Location


class _Making:
    def __init__(self, program: Program, blocks: Program) -> None:
        self.original = program
        self.main = blocks.main
        self.next = program.next_location()
        self.counters: dict[Term, Term] = {}  # of rounds, with their zeros
        self.edges: list[Edge] = []
        self.back: dict[Edge, tuple[Edge, ...]] = {}
        self.wholes: dict[Location, list[Transition]] = {}
        self.loops: dict[Location, _Loop] = {}
        self._find_loops()

    def program(self) -> AcceleratedProgram:
        for edge in self.main.edges:
            if edge.source != edge.target or edge.source not in self.loops:
                self._copied(edge)
        for head, loop in self.loops.items():
            self._connect(head, loop)
        changed = [x for edge in self.edges for x in writes(edge.statement)]
        new = dict.fromkeys((*self.original.main.locals, *self.counters))
        new |= dict.fromkeys(x for x in changed if x not in self.original.globals)
        main = replace(self.original.main, edges=tuple(self.edges), locals=tuple(new))
        heads = self.original.loop_heads
        made = replace(self.original, procedures={main.name: main}, loop_heads={**dict.fromkeys(self.loops), **heads})
        return AcceleratedProgram(Transformed(made, self.back), self.counters)

    # --- ways around loops ---

    def _find_loops(self) -> None:
        """Inner ones first: where an inner loop has closed forms, the one around it may have some, too."""
        waiting = [x for x in self.main.locations if x != self.main.entry and x not in self.original.errors]
        found = True
        while found:
            loops = {head: loop for head in waiting if (loop := self._loop(head)) is not None}
            found = bool(loops)
            self.loops |= loops
            waiting = [head for head in waiting if head not in loops]

    def _loop(self, head: Location) -> _Loop | None:
        around = [way for edge in self._self_loops(head) for way in islice(_paths(edge), MOST_WAYS + 1)]
        if len(around) > MOST_WAYS:
            return None
        steps = {way: step for way in around if (step := _transition(way)).guard is not FALSE}
        ways = [_Way(way, self._body(step)) for way, step in steps.items()]
        slow = [steps[way.edges] for way in ways if way.body is None]
        pairs = [_composed((a, b)) for a in steps.values() for b in steps.values() if a in slow or b in slow]
        longer = (*pairs[:MOST_WAYS], *islice(self._through_inner(head), _MOST_NESTED))
        bodies = [self._body(step) for step in longer if step is not None and step.guard is not FALSE]
        shortcuts = [_Way(body=body) for body in bodies if body is not None][:MOST_WAYS]
        if not shortcuts and all(way.body is None for way in ways):
            return None
        wholes = [way.body.whole for way in (*ways, *shortcuts) if way.body is not None]
        self.wholes[head] = [whole for whole in wholes if whole is not None]
        return _Loop(ways, shortcuts, self._location())

    def _body(self, step: Transition) -> Body | None:
        try:
            body = accelerated(step, counter_name(len(self.counters) + 1))
        except NotAccelerated:
            return None
        self.counters[body.rounds] = body.zero
        return body

    def _self_loops(self, head: Location) -> list[Edge]:
        return [edge for edge in self.main.outgoing(head) if edge.target == head]

    def _through_inner(self, head: Location) -> Iterator[Transition | None]:
        """Ways around a loop on which an inner one is gone around until its guards are false."""
        for into in self.main.outgoing(head):
            inner = into.target
            if inner == head or inner not in self.wholes:
                continue
            for out in self.main.outgoing(inner):
                if out.target == head:
                    for first, last in product(_paths(into), _paths(out)):
                        for phases in _phases(self.wholes[inner]):
                            yield _composed((_transition(first), *phases, _transition(last)))

    # --- the program ---

    def _connect(self, head: Location, loop: _Loop) -> None:
        ways = (*loop.ways, *loop.shortcuts)
        if len(ways) == 1 and ways[0].body is not None and ways[0].body.exact is TRUE:
            self._rounds(loop.arrival, ways[0].body.or_none, ways[0].body, head)
            return
        behind = [self._location() for _ in ways]
        self._add(loop.arrival, Assume(TRUE), head)
        for here, came_by in ((loop.arrival, None), *zip(behind, ways, strict=True)):
            if came_by is not None:
                self._add(here, Assume(TRUE), head)
            for way, there in zip(ways, behind, strict=True):
                if way.body is None:
                    self._copied_path(way.edges, here, there)
                    continue
                repeats = not_(way.body.exact) if way is came_by else TRUE
                if repeats is not FALSE:
                    step = replace(way.body.step, guard=and_(repeats, way.body.step.guard))
                    self._rounds(here, step, way.body, there)

    def _rounds(self, source: Location, step: Transition, body: Body, target: Location) -> None:
        statements: list[Statement] = [Havoc((body.rounds,)), Assume(step.guard), *one_by_one(step.updates)]
        self._chain(source, [*statements, Assign(body.rounds, body.zero)], target)

    def _chain(self, source: Location, statements: Sequence[Statement], target: Location) -> None:
        for number, statement in enumerate(statements, 1):
            there = target if number == len(statements) else self._location()
            self._add(source, statement, there)
            source = there

    def _add(self, source: Location, statement: Statement, target: Location) -> None:
        edge = Edge(source, statement, target)
        self.edges.append(edge)
        self.back[edge] = ()

    def _copied(self, edge: Edge) -> None:
        """A block's edges are copied, so that blocks that share some can lead elsewhere."""
        target = self.loops[edge.target].arrival if edge.target in self.loops else edge.target
        inner = edge.statement.edges if isinstance(edge.statement, Block) else (edge,)
        places = {edge.source: edge.source}
        for one in inner:
            there = target if one.target == edge.target else places.setdefault(one.target, self._location())
            self._copy(one, places[one.source], there)

    def _copied_path(self, path: Sequence[Edge], source: Location, target: Location) -> None:
        for number, edge in enumerate(path, 1):
            there = target if number == len(path) else self._location()
            self._copy(edge, source, there)
            source = there

    def _copy(self, edge: Edge, source: Location, target: Location) -> None:
        copy = replace(edge, source=source, target=target)
        self.edges.append(copy)
        self.back[copy] = (edge,)

    def _location(self) -> Location:
        self.next += 1
        return Location(self.next - 1)


def _paths(edge: Edge) -> Iterator[tuple[Edge, ...]]:
    if isinstance(edge.statement, Block):
        yield from paths(edge.statement)
    else:
        yield (edge,)


def _transition(path: Sequence[Edge]) -> Transition:
    return transition(Block(tuple(path)) if len(path) > 1 else path[0].statement)


def _composed(steps: Sequence[Transition]) -> Transition | None:
    """One step after the other; None if one has inputs."""
    guard, values = TRUE, dict[Term, Term]()
    for step in steps:
        if step.inputs:
            return None
        guard = and_(guard, substitute(step.guard, values))
        values |= {x: substitute(t, values) for x, t in step.updates.items()}
    return Transition(guard, values)


def _phases(wholes: Sequence[Transition]) -> Iterator[tuple[Transition, ...]]:
    """Some of them in a row, none twice in a row."""
    for length in range(1, _MOST_PHASES + 1):
        for phases in product(wholes, repeat=length):
            if all(a is not b for a, b in pairwise(phases)):
                yield phases
