"""Cells: a program with arrays seen as one without, through one element of each array, the same one for all of them.

The position k of the cells is an arbitrary number that never changes. A write to a[i] changes the cell of a if i = k; a
read of a[i] gives the cell if i = k and anything otherwise. What is true of the view for every k is true of all
elements: an invariant φ(k, c, x) of the view, c being the cell of a, comes back as ∀k. φ(k, a[k], x).

Where an error depends on an element, it suffices to look at the runs in which k is the position of that element: the
view reaches an error only if what was read last before it was read from the cell. Two cells are looked at if an error
depends on two elements.

The view's program has hints: what a loop writes or asks of a[i], said of the cell, for positions below i, or on the
other side of it, or below what i is compared with.

Nothing here is trusted: which positions correspond to each other in different arrays is guessed from the program's
text, and what comes back is checked on the program itself. Counterexamples of the view are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from craton.logic import (
    TRUE,
    BitVec,
    Sort,
    Term,
    and_,
    bv,
    bvult,
    conjuncts,
    eq,
    forall,
    free_variables,
    implies,
    ops,
    post_order,
    select,
    substitute,
    var,
)
from craton.logic.affine import affine, extended, normal_sum
from craton.logic.core import fresh
from craton.logic.sorts import Array
from craton.logic.walk import replaced
from craton.program.cfa import Edge, Location, Program, Symbol
from craton.program.simultaneous import one_by_one
from craton.program.statements import Assign, Assume, Block, Havoc, Statement
from craton.program.transitions import Transition, paths, transition
from craton.views.cells.hints import Hints
from craton.views.cells.layout import Layout, Layouts, NotSeen, roots, same_index
from craton.views.cells.scalars import Scalars

MOST_CELLS = 2
_MOST_PATHS = 64  # into an error that are looked at one by one
# Nodes of steps times what they update. Programs about arrays have some thousands; drivers, whose structures are arrays
# by the hundred, have millions, and nobody could wait for their view.
_MOST_WORK = 100_000


@dataclass(frozen=True)
class CellsView:
    """The program of the view, and what its invariants say of the program with arrays. Its loop heads, entry and errors
    are those of that program.
    """

    program: Program
    _positions: tuple[Term, ...]
    _meanings: Mapping[Term, Term]  # of the cells: elements at the positions
    _known: frozenset[Term]

    def lifted(self, invariants: Mapping[Location, Term]) -> dict[Location, Term]:
        """Of all elements what the invariants say of the cells."""
        return {location: self._of_all(invariant) for location, invariant in invariants.items()}

    def suggested(self, program: Program) -> Program:
        """The program with arrays, with what the view's hints say of all their elements as hints."""
        lifted = {x: tuple(self._of_all(hint) for hint in hints) for x, hints in self.program.hints.items()}
        hints = {x: tuple(dict.fromkeys(hint for hint in found if hint is not TRUE)) for x, found in lifted.items()}
        return replace(program, hints=hints)

    def _of_all(self, invariant: Term) -> Term:
        found = []
        for part in conjuncts(substitute(invariant, self._meanings)):
            free = free_variables(part)
            if free <= self._known:  # it may speak of what was chosen on the way, which is nobody's business
                positions = [k for k in self._positions if k in free]
                found.append(forall(positions, part) if positions else part)
        return and_(*found)


def cells_view(program: Program) -> CellsView | None:
    """The view of a program in large blocks and without calls; None if it has no arrays, or some that cannot be seen
    so, or too many.
    """
    arrays = _arrays(program)
    if not arrays or _is_too_much(program):
        return None
    try:
        return _Making(program, arrays).view()
    except NotSeen:
        return None


def _arrays(program: Program) -> tuple[Term, ...]:
    steps = [transition(edge.statement) for edge in program.main.edges]
    seen = dict.fromkeys(x for step in steps for x in (*step.updates, *sorted(step.read, key=lambda v: v.serial)))
    return tuple(x for x in seen if isinstance(x.sort, Array))


def _is_too_much(program: Program) -> bool:
    """Whether the view takes too long to make. Of large programs that is known after a few steps."""
    work = 0
    for step in (transition(edge.statement) for edge in program.main.edges):
        work += len(step.updates) * sum(1 for _ in post_order(step.guard, *step.updates.values()))
        if work > _MOST_WORK:
            return True
    return False


class _Making:
    def __init__(self, program: Program, arrays: Sequence[Term]) -> None:
        self.program = program
        self.steps = [(edge, transition(edge.statement)) for edge in program.main.edges]
        layouts = Layouts(arrays, [step for _, step in self.steps], program.storage)
        self.layouts = {array: layouts.of(array) for array in arrays}
        self.pointers = layouts.pointers()
        self.errors = [(edge, list(self._ways(edge))) for edge, _ in self.steps if edge.target in program.errors]
        self.sort = self._position_sort(layouts.narrow())
        wanted = max((len(self._indices(last)) for _, ways in self.errors for _, last in ways), default=1)
        self.positions = self._positions(max(1, min(MOST_CELLS, wanted)))
        self.cells = {array: self._cells(array) for array in arrays}
        self.edges: list[Edge] = []
        self.hints = Hints(self.positions, self.pointers)
        self.variables: dict[Term, None] = dict.fromkeys(self.positions)
        self.next = 1 + max(location.id for location in program.main.locations)

    def _positions(self, number: int) -> tuple[Term, ...]:
        taken = {*self.program.globals, *self.program.main.locals}
        found: list[Term] = []
        for _ in range(number):
            found.append(fresh("k", self.sort, taken))
            taken.add(found[-1])
        return tuple(found)

    def _cells(self, array: Term) -> dict[Term, Term]:
        assert isinstance(array.sort, Array)
        element, layout = array.sort.element, self.layouts[array]
        return {layout.address(k): var(f"{array.name} cell {i}", element) for i, k in enumerate(self.positions)}

    @property
    def _index_sorts(self) -> set[Sort]:
        return {layout.index for layout in self.layouts.values()}

    def _position_sort(self, narrow: int | None) -> Sort:
        if len(self._index_sorts) > 1:
            raise NotSeen
        (index,) = self._index_sorts
        return BitVec(narrow) if narrow is not None and isinstance(index, BitVec) and narrow < index.width else index

    def view(self) -> CellsView:
        for edge, step in self.steps:
            if edge.target not in self.program.errors:
                self._step(edge, step, TRUE)
        for edge, ways in self.errors:
            for step, last in ways:
                self._step(edge, step, last)
        for cells in self.cells.values():
            self.variables |= dict.fromkeys(cells.values())
        main = self.program.main
        scalars = tuple(x for x in main.locals if not isinstance(x.sort, Array))
        changed = replace(main, edges=tuple(self.edges), locals=(*scalars, *self.variables))
        globals_ = tuple(x for x in self.program.globals if not isinstance(x.sort, Array))
        heads = [x for x in main.locations if x != main.entry and x not in self.program.errors]
        places = tuple(eq(*pointer) for pointer in self.pointers.items() if pointer[0].sort in self._index_sorts)
        low = tuple(self._low(layout.pointer) for layout in self.layouts.values() if layout.pointer is not None)
        hints = dict.fromkeys(heads, (*places, *low, *self.hints.formulas()))
        symbols = {**self.program.symbols, **dict.fromkeys(self.positions, Symbol("", "", None, signed=True))}
        program = replace(
            self.program.restricted_to({main.name: changed}), globals=globals_, hints=hints, symbols=symbols
        )
        meanings = {c: select(a, address) for a, cells in self.cells.items() for address, c in cells.items()}
        known = frozenset((*main.locals, *self.program.globals, *self.layouts, *self.positions))
        known = known.union(*(step.written | step.read for _, step in self.steps))
        return CellsView(program, self.positions, meanings, known)

    def _low(self, pointer: Term) -> Term:
        """That what lies behind a pointer does not go on at the beginning of memory."""
        assert isinstance(pointer.sort, BitVec)
        return bvult(pointer, bv(1 << (pointer.sort.width - 2), pointer.sort.width))

    # --- errors ---

    def _ways(self, edge: Edge) -> Iterator[tuple[Transition, Term]]:
        """The steps into an error, one for each way, and what was asked last on it that depends on an element."""
        if not isinstance(edge.statement, Block):
            step = transition(edge.statement)
            yield step, step.guard
            return
        ways = list(islice(paths(edge.statement), _MOST_PATHS + 1))
        if len(ways) > _MOST_PATHS:
            yield transition(edge.statement), TRUE
            return
        for way in ways:
            yield transition(Block(way)), self._last_question(way)

    def _last_question(self, way: Sequence[Edge]) -> Term:
        for number in reversed(range(len(way))):
            statement = way[number].statement
            if isinstance(statement, Assume):
                before = transition(Block(tuple(way[:number]))).updates if number else {}
                asked = substitute(statement.condition, before)
                if any(node.op is ops.SELECT for node in post_order(asked)):
                    return asked
        return TRUE

    def _indices(self, question: Term) -> list[tuple[Term, Term]]:
        """The elements that it depends on, as arrays and indices; those at the same position of several arrays once."""
        found: dict[Term, tuple[Term, Term]] = {}
        for node in post_order(question):
            if node.op is ops.SELECT:
                for root in roots(node.args[0]):
                    if root in self.layouts:
                        found.setdefault(self._place(root, node.args[1]), (root, node.args[1]))
        return list(found.values())

    def _place(self, array: Term, index: Term) -> Term:
        """The position of an element; or how far its address is from the array's beginning."""
        layout = self.layouts[array]
        relative = affine(substitute(index, self.pointers)).minus(layout.start)
        return (relative.divided(layout.size) or relative).term

    def _at_cells(self, question: Term, pinned: Sequence[tuple[Term, Term]]) -> Term:
        """The question, asked of the cells at whose positions its elements are."""
        positions = {self._place(*element): k for element, k in zip(pinned, self.positions, strict=False)}
        cells = {}
        for node in post_order(question):
            if node.op is ops.SELECT and node.args[0] in self.layouts:
                k = positions.get(self._place(*node.args))
                if k is not None:
                    cells[node] = self.cells[node.args[0]][self.layouts[node.args[0]].address(k)]
        return replaced((question,), cells)[0]

    # --- edges ---

    def _step(self, edge: Edge, step: Transition, last: Term) -> None:
        """`last` is what leads into an error and depends on elements; true for other steps."""
        pinned = self._indices(last)[:MOST_CELLS]
        scalars = Scalars(self.cells)
        guard = scalars.scalar(step.guard)
        for (array, index), k in zip(pinned, self.positions, strict=False):
            positions = [scalars.scalar(e) for e in self._element_index(index, self.layouts[array])]
            same = same_index(scalars.scalar(index), self.layouts[array].address(k))
            # The position itself, where it is known: several positions may have the same address if numbers wrap.
            guard = and_(guard, same, *(eq(e, k) for e in positions))
        updates: dict[Term, Term] = {}
        for variable, value in step.updates.items():
            if variable in self.cells:
                read = scalars.reader(value)
                updates |= {cell: read(address) for address, cell in self.cells[variable].items()}
            elif not isinstance(variable.sort, Array):
                updates[variable] = scalars.scalar(value)
        for array, cells in self.cells.items():
            if self.layouts[array].pointer in step.updates:  # other elements than before
                read = scalars.reader(step.updates.get(array, array))
                new = {address: substitute(address, dict(step.updates)) for address in cells}
                updates |= {cell: read(scalars.scalar(new[address])) for address, cell in cells.items()}
        inputs = [i for i in step.inputs if not isinstance(i.sort, Array)] + list(scalars.chosen.values())
        self.hints.look_at(guard, updates, self._element_indices(step), frozenset(inputs))
        if edge.target in self.program.errors and pinned:
            asked = scalars.scalar(self._at_cells(last, pinned))
            both = self._both(pinned)
            if both:
                self.hints.must_not_both(asked, both, frozenset(inputs))
            else:
                self.hints.must_not(asked, self._element_indices(step), frozenset(inputs))
        for fact, both in self._written_from(step, scalars):
            self.hints.written_from(fact, both, frozenset(inputs))
        self.variables |= dict.fromkeys(inputs)
        statements: list[Statement] = [Havoc(tuple(inputs))] if inputs else []
        statements += [Assume(and_(guard, *self._same_cells(edge.source))), *one_by_one(updates)]
        self.variables |= dict.fromkeys(
            x.variable for x in statements if isinstance(x, Assign) and x.variable not in updates
        )
        here = edge.source
        for number, statement in enumerate(statements, 1):
            there = edge.target if number == len(statements) else self._between()
            self.edges.append(Edge(here, statement, there, edge.origin))
            here = there

    def _same_cells(self, location: Location) -> Iterator[Term]:
        """That cells are the same if their positions are."""
        if len(self.positions) == MOST_CELLS and location != self.program.main.entry:
            for cells in self.cells.values():
                yield implies(eq(*self.positions), eq(*cells.values()))

    def _both(self, elements: Sequence[tuple[Term, Term]]) -> list[Term]:
        """The positions of two elements, if there are two; none otherwise."""
        found = [e for array, index in elements for e in self._element_index(index, self.layouts[array])]
        return found if len(elements) == len(found) == len(self.positions) == MOST_CELLS else []

    def _written_from(self, step: Transition, scalars: Scalars) -> Iterator[tuple[Term, list[Term]]]:
        """What the step makes of an element that it writes and of one elsewhere that it reads: `b[n - 1 - i] = a[i]`.
        In both orders, as an error may look at either first.
        """
        for node in post_order(*step.updates.values()):
            if node.op is ops.STORE and len(self.positions) == MOST_CELLS:
                into, at, new = node.args
                for array in (root for root in roots(into) if root in self.layouts):
                    read = [e for e in self._indices(new) if self._place(*e) is not self._place(array, at)]
                    for elements in ([(array, at), *read], [*read, (array, at)]) if len(read) == 1 else ():
                        fact = self._at_cells(eq(select(array, at), new), elements)
                        if both := self._both(elements):
                            yield scalars.scalar(fact), both

    def _element_indices(self, step: Transition) -> Iterator[Term]:
        """The positions of the elements that a step reads or writes, as far as they have the sort of positions."""
        for node in post_order(step.guard, *step.updates.values()):
            if node.op in (ops.SELECT, ops.STORE):
                for root in roots(node.args[0]):
                    if root in self.layouts:
                        yield from self._element_index(node.args[1], self.layouts[root])

    def _element_index(self, index: Term, layout: Layout) -> Iterator[Term]:
        relative = affine(substitute(index, self.pointers)).minus(layout.start).divided(layout.size)
        if relative is None:
            return
        if index.sort is self.sort:
            yield relative.term
            return
        narrow = {extended(part): factor for part, factor in relative.factors.items()}
        found = {part: factor for part, factor in narrow.items() if part is not None and part.sort is self.sort}
        if len(found) == len(relative.factors):
            yield normal_sum(found, relative.constant, self.sort).term

    def _between(self) -> Location:
        self.next += 1
        return Location(self.next - 1)
