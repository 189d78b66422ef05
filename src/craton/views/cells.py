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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from craton.logic import (
    TRUE,
    BitVec,
    Sort,
    Term,
    and_,
    bv,
    bvsle,
    bvurem,
    conjuncts,
    eq,
    fold,
    forall,
    free_variables,
    implies,
    int_,
    ite,
    le,
    mod,
    not_,
    ops,
    post_order,
    rebuild,
    select,
    sign_extend,
    substitute,
    var,
)
from craton.logic.affine import Affine, affine, extended
from craton.logic.core import fresh
from craton.logic.sorts import INT, Array
from craton.logic.walk import atoms
from craton.program.cfa import Edge, Location, Program
from craton.program.statements import Assign, Assume, Block, Havoc, Statement
from craton.program.transitions import Transition, paths, transition

MOST_CELLS = 2
_MOST_PATHS = 64  # into an error that are looked at one by one


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
    so.
    """
    arrays = _arrays(program)
    if not arrays:
        return None
    try:
        return _Making(program, arrays).view()
    except _NotSeen:
        return None


class _NotSeen(Exception):
    """There is something that cells cannot tell."""


def _arrays(program: Program) -> tuple[Term, ...]:
    steps = [transition(edge.statement) for edge in program.main.edges]
    seen = dict.fromkeys(x for step in steps for x in (*step.updates, *sorted(step.read, key=lambda v: v.serial)))
    return tuple(x for x in seen if isinstance(x.sort, Array))


# --- where cells are --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Layout:
    """The cell of an array at position k has the index base + size · k."""

    base: int
    size: int
    index: Sort

    def address(self, position: Term) -> Term:
        if not isinstance(self.index, BitVec):
            return Affine({position: self.size}, self.base, INT).term
        width = self.index.width
        assert isinstance(position.sort, BitVec)
        wide = position if position.sort.width == width else sign_extend(width - position.sort.width, position)
        return Affine({wide: self.size}, self.base, self.index).term


def same_index(a: Term, b: Term) -> Term:
    """That two indices are the same; without factors and extensions where these make no difference."""
    difference = affine(a).minus(affine(b))
    if not difference.factors and difference.constant == 0:
        return TRUE
    if isinstance(difference.sort, BitVec) and len(difference.factors) == 2:
        (one, factor), (other, opposite) = difference.factors.items()
        inner, outer = extended(one), extended(other)
        alike = inner is not None and outer is not None and one.op is other.op and inner.sort is outer.sort
        if alike and factor == -opposite and difference.constant == 0 and _cannot_wrap(inner, factor, difference.sort):
            assert inner is not None and outer is not None
            return eq(inner, outer)
    return eq(a, b)


def _cannot_wrap(inner: Term | None, factor: int, sort: BitVec) -> bool:
    """Whether factor · (extended difference) is zero only if the difference is."""
    assert inner is not None and isinstance(inner.sort, BitVec)
    return abs(factor) << (inner.sort.width + 1) < 1 << sort.width


class _Layouts:
    """Guesses where arrays begin: at the least constant of their indices, or where pointers to them may point."""

    def __init__(self, arrays: Sequence[Term], steps: Sequence[Transition]) -> None:
        self._constants = _assigned_constants(steps)
        self.indices: dict[Term, dict[Term, None]] = {array: {} for array in arrays}
        for step in steps:
            for node in post_order(step.guard, *step.updates.values()):
                if node.op in (ops.SELECT, ops.STORE):
                    for root in _roots(node.args[0]):
                        if root in self.indices:
                            self.indices[root][node.args[1]] = None

    def of(self, array: Term) -> _Layout:
        sort = array.sort
        assert isinstance(sort, Array)
        if not isinstance(sort.index, BitVec) and sort.index is not INT:
            raise _NotSeen
        if isinstance(sort.element, Array):
            raise _NotSeen
        if sort.index is INT:
            return _Layout(0, 1, INT)
        bases = [base for index in self.indices[array] for base in self._bases(affine(index))]
        size = sort.element.width // 8 if isinstance(sort.element, BitVec) else _float_size(sort.element)
        return _Layout(min(bases, default=0), max(1, size), sort.index)

    def _bases(self, index: Affine) -> Iterator[int]:
        pointers = [part for part, factor in index.factors.items() if factor == 1 and part in self._constants]
        if not pointers:
            yield index.constant
        for pointer in pointers[:1]:
            yield from self._constants[pointer]

    def pointers(self) -> dict[Term, Term]:
        """Variables that point to one place, or nowhere, and that place."""
        found = {}
        for variable, constants in self._constants.items():
            if len(constants) == 1 and isinstance(variable.sort, BitVec):
                found[variable] = bv(next(iter(constants)), variable.sort.width)
        return found

    def narrow(self) -> int | None:
        """The width of what all indices are extended from with their signs; None if they are not."""
        widths: set[int | None] = set()
        for indices in self.indices.values():
            for index in indices:
                for part in affine(index).factors:
                    inner = extended(part)
                    signed = inner is not None and part.op is ops.SIGN_EXTEND and isinstance(inner.sort, BitVec)
                    if part not in self._constants:
                        widths.add(inner.sort.width if signed and inner is not None else None)  # type: ignore[attr-defined]
        return widths.pop() if len(widths) == 1 else None


def _float_size(sort: Sort) -> int:
    width = getattr(sort, "exponent", 0) + getattr(sort, "significand", 0)
    return int(width) // 8


def _roots(array: Term) -> Iterator[Term]:
    """The variables that an array is made of."""
    waiting, seen = [array], set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op is ops.VARIABLE:
            yield node
        elif node.op is ops.STORE:
            waiting.append(node.args[0])
        elif node.op is ops.ITE:
            waiting += node.args[1:]


def _assigned_constants(steps: Sequence[Transition]) -> dict[Term, frozenset[int]]:
    """The constants other than zero that variables may get, also from each other, if they get nothing else."""
    sources: dict[Term, set[Term]] = {}
    for step in steps:
        for variable, value in step.updates.items():
            sources.setdefault(variable, set()).update(_leaves(value))
    found: dict[Term, frozenset[int]] = {}
    for variable in sources:
        reached, waiting, constants, open_ = {variable}, [variable], set(), False
        while waiting and not open_:
            for value in sources.get(waiting.pop(), ()):
                if value.op is ops.VALUE and isinstance(value.sort, BitVec):
                    constants.add(value.payload)
                elif value in sources and value not in reached:
                    reached.add(value)
                    waiting.append(value)
                elif value not in reached:
                    open_ = True
        if not open_ and constants - {0}:
            found[variable] = frozenset(constants - {0})
    return found


def _leaves(value: Term) -> Iterator[Term]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if node.op is ops.ITE:
            waiting += node.args[1:]
        else:
            yield node


# --- the program ------------------------------------------------------------------------------------------------------

Reader = Callable[[Term], Term]  # an array, as a function of the index


@dataclass(slots=True)
class _Scalars:
    """A step in which arrays are read and written cell by cell. What is read elsewhere is chosen: the same for the same
    array and index.
    """

    cells: Mapping[Term, Mapping[Term, Term]]  # of each array, by their addresses
    chosen: dict[tuple[Term, Term], Term] = field(default_factory=dict)
    _memo: dict[Term, Term | Reader] = field(default_factory=dict)

    def scalar(self, term: Term) -> Term:
        found = fold(term, self._visit, self._memo)
        if not isinstance(found, Term):
            raise _NotSeen
        return found

    def reader(self, array: Term) -> Reader:
        found = fold(array, self._visit, self._memo)
        assert not isinstance(found, Term)
        return found

    def _visit(self, node: Term, args: list[Term | Reader]) -> Term | Reader:
        if node.op is ops.SELECT:
            array, index = args
            assert isinstance(index, Term) and not isinstance(array, Term)
            return array(index)
        if isinstance(node.sort, Array):
            return self._array(node, args)
        scalars = [arg for arg in args if isinstance(arg, Term)]
        if len(scalars) != len(args) or node.op in (ops.FORALL, ops.EXISTS):
            raise _NotSeen  # arrays compared with each other, or handed to a function
        return rebuild(node, scalars) if scalars else node

    def _array(self, node: Term, args: list[Term | Reader]) -> Reader:
        if node.op is ops.VARIABLE:
            return lambda index: self._read(node, index)
        if node.op is ops.STORE:
            array, at, new = args
            assert isinstance(at, Term) and isinstance(new, Term) and not isinstance(array, Term)
            return lambda index: ite(same_index(at, index), new, array(index))
        if node.op is ops.ITE:
            condition, then, otherwise = args
            assert isinstance(condition, Term) and not isinstance(then, Term) and not isinstance(otherwise, Term)
            return lambda index: ite(condition, then(index), otherwise(index))
        if node.op is ops.CONST_ARRAY and isinstance(args[0], Term):
            element = args[0]
            return lambda index: element
        raise _NotSeen

    def _read(self, array: Term, index: Term) -> Term:
        known = self.cells.get(array, {})
        if index in known:
            return known[index]
        sort = array.sort
        assert isinstance(sort, Array)
        key = array, index
        if key not in self.chosen:
            self.chosen[key] = var(f"{array.name} elsewhere {len(self.chosen)}", sort.element)
        value = self.chosen[key]
        for address, cell in reversed(tuple(known.items())):
            value = ite(same_index(index, address), cell, value)
        return value


class _Hints:
    """What may be true of a cell, gathered step by step."""

    def __init__(self, positions: Sequence[Term], pointers: Mapping[Term, Term]) -> None:
        self._position, *self._others = positions
        self._pointers = pointers
        self._conditions: dict[Term, None] = {}  # of the program, that speak of no cell
        self._constants: dict[Term, dict[Term, None]] = {}  # that variables are set to
        self._wanted: dict[Term, None] = {}  # that errors cannot be reached
        self._facts: dict[Term, None] = {}
        self._indices: dict[Term, None] = {}
        self._limits: dict[Term, None] = {}  # that positions may be below of or above

    def look_at(
        self, guard: Term, updates: Mapping[Term, Term], indices: Iterable[Term], chosen: frozenset[Term]
    ) -> None:
        """At a step, which reads or writes elements at some indices."""
        for variable, value in updates.items():
            if value.op is ops.VALUE:
                self._constants.setdefault(variable, {})[value] = None
        compared = [atom for atom in atoms(guard) if atom.op in _COMPARISONS]
        kept = [{}, *({value: variable} for variable, value in updates.items() if value in chosen)]
        conditions = (substitute(atom, names) for names in kept for atom in atoms(guard))
        self._conditions |= dict.fromkeys(atom for atom in conditions if self._is_open(atom, chosen))
        for index in dict.fromkeys(indices):
            if free_variables(index) & chosen:
                continue
            self._indices[index] = None
            for atom in compared:
                if free_variables(index) & free_variables(atom):
                    self._limits |= dict.fromkeys(t for t in atom.args if self._can_limit(t, chosen))
            for cell, value in updates.items():
                here = _replaced(substitute(value, self._pointers), index, self._position)
                if _is_cell(cell) and cell not in free_variables(here):
                    self._note(eq(cell, here), index, chosen, self._facts)
            for atom in atoms(guard):
                self._note(atom, index, chosen, self._facts)
                self._note(not_(atom), index, chosen, self._facts)

    def _can_limit(self, term: Term, chosen: frozenset[Term]) -> bool:
        return term.sort is self._position.sort and self._is_open(term, chosen)

    def _is_open(self, term: Term, chosen: frozenset[Term]) -> bool:
        """Whether it speaks neither of cells and their position nor of what a step chooses."""
        free = free_variables(term)
        closed = chosen.union((self._position, *self._others))
        return not free & closed and not any(map(_is_cell, free))

    def must_not(self, question: Term, indices: Iterable[Term], chosen: frozenset[Term]) -> None:
        """What leads into an error."""
        for index in dict.fromkeys(indices):
            self._note(not_(question), index, chosen, self._wanted)

    def must_not_both(self, question: Term, indices: tuple[Term, Term], chosen: frozenset[Term]) -> None:
        """What leads into an error, and depends on two elements: a fact of two cells whose positions are related."""
        first, second = indices
        related = eq(self._others[0], _replaced(second, first, self._position))
        fact = not_(_replaced(substitute(question, self._pointers), second, self._others[0]))
        self._note(implies(related, fact), first, chosen, self._wanted)

    def _note(self, fact: Term, index: Term, chosen: frozenset[Term], facts: dict[Term, None]) -> None:
        """The fact with the position in the place of an index."""
        fact = _replaced(substitute(fact, self._pointers), index, self._position)
        free = free_variables(fact)
        if any(map(_is_cell, free)) and not free & chosen and fact is not TRUE:
            facts[fact] = None

    def formulas(self) -> tuple[Term, ...]:
        facts = list(self._wanted | self._facts)[:_MOST_FACTS]
        constant = {limit for limit in self._limits if limit.op is ops.VALUE}
        terms = self._indices | dict.fromkeys(self._first_and_last()) | self._limits
        limits = [limit for limit in terms if limit not in constant] + sorted(constant, key=lambda t: -t.payload)
        limits = limits[:_MOST_LIMITS]
        variables = [index for index in self._indices if index.is_variable]
        bounds = [self._at_most(self._zero, index) for index in variables]
        bounds += [self._at_most(*pair) for i in variables for t in limits if i is not t for pair in ((i, t), (t, i))]
        ranges = [TRUE, *self._ranges(variables[:_MOST_BEGINNINGS], limits), *self._every_so_often()]
        return (*self._conditions, *bounds, *(implies(part, fact) for fact in facts for part in ranges))

    def _first_and_last(self) -> Iterator[Term]:
        """Indices of two variables, where one of them is a constant that it is set to."""
        for index in self._indices:
            free = free_variables(index)
            for variable in sorted(free, key=lambda v: v.serial) if len(free) > 1 else ():
                for constant in self._constants.get(variable, ()):
                    yield substitute(index, {variable: constant})

    def _ranges(self, beginnings: Sequence[Term], limits: Sequence[Term]) -> Iterator[Term]:
        k = self._position
        for limit in limits:
            below = not_(self._at_most(limit, k))
            yield and_(self._at_most(self._zero, k), below)
            for other in self._others:
                both = and_(self._at_most(self._zero, k), self._at_most(self._zero, other))
                yield and_(both, below, not_(self._at_most(limit, other)))
            for index in beginnings:
                if index is not limit:
                    yield and_(self._at_most(index, k), below)
                    yield and_(not_(self._at_most(k, index)), below)

    def _every_so_often(self) -> Iterator[Term]:
        """Positions below m·i + c that are c modulo m, for indices of this form."""
        k = self._position
        for index in self._indices:
            sum_ = affine(index)
            factors = {abs(factor) for factor in sum_.factors.values()}
            if len(factors) == 1 and (step := factors.pop()) > 1:
                below = and_(self._at_most(self._zero, k), not_(self._at_most(index, k)))
                rest = sum_.constant % step
                if isinstance(k.sort, BitVec):
                    yield and_(below, eq(bvurem(k, bv(step, k.sort.width)), bv(rest, k.sort.width)))
                else:
                    yield and_(below, eq(mod(k, int_(step)), int_(rest)))

    @property
    def _zero(self) -> Term:
        sort = self._position.sort
        return bv(0, sort.width) if isinstance(sort, BitVec) else int_(0)

    def _at_most(self, a: Term, b: Term) -> Term:
        return bvsle(a, b) if isinstance(a.sort, BitVec) else le(a, b)


_COMPARISONS = (ops.BVSLT, ops.BVSLE, ops.BVULT, ops.BVULE, ops.LT, ops.LE, ops.EQ)
_MOST_FACTS, _MOST_LIMITS, _MOST_BEGINNINGS = 24, 10, 3


def _replaced(term: Term, part: Term, by: Term) -> Term:
    """The term with another one in the place of a part that need not be a variable."""
    return fold(term, lambda node, args: by if node is part else rebuild(node, args) if args else node)


def _is_cell(variable: Term) -> bool:
    return " cell " in variable.name


class _Making:
    def __init__(self, program: Program, arrays: Sequence[Term]) -> None:
        self.program = program
        self.steps = [(edge, transition(edge.statement)) for edge in program.main.edges]
        layouts = _Layouts(arrays, [step for _, step in self.steps])
        self.layouts = {array: layouts.of(array) for array in arrays}
        self.pointers = layouts.pointers()
        self.errors = [(edge, list(self._ways(edge))) for edge, _ in self.steps if edge.target in program.errors]
        self.sort = self._position_sort(layouts.narrow())
        wanted = max((len(self._indices(last)) for _, ways in self.errors for _, last in ways), default=1)
        self.positions = self._positions(max(1, min(MOST_CELLS, wanted)))
        self.cells = {array: self._cells(array) for array in arrays}
        self.edges: list[Edge] = []
        self.hints = _Hints(self.positions, self.pointers)
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
            raise _NotSeen
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
        hints = dict.fromkeys(heads, (*places, *self.hints.formulas()))
        program = replace(self.program.restricted_to({main.name: changed}), globals=globals_, hints=hints)
        meanings = {c: select(a, address) for a, cells in self.cells.items() for address, c in cells.items()}
        known = frozenset((*main.locals, *self.program.globals, *self.layouts, *self.positions))
        known = known.union(*(step.written | step.read for _, step in self.steps))
        return CellsView(program, self.positions, meanings, known)

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
                for root in _roots(node.args[0]):
                    if root in self.layouts:
                        place = affine(substitute(node.args[1], self.pointers))
                        relative = place.minus(Affine({}, self.layouts[root].base, node.args[1].sort))
                        by_size = relative.divided(self.layouts[root].size) or relative
                        found.setdefault(by_size.term, (root, node.args[1]))
        return list(found.values())

    # --- edges ---

    def _step(self, edge: Edge, step: Transition, last: Term) -> None:
        """`last` is what leads into an error and depends on elements; true for other steps."""
        pinned = self._indices(last)[:MOST_CELLS]
        scalars = _Scalars(self.cells)
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
        inputs = [i for i in step.inputs if not isinstance(i.sort, Array)] + list(scalars.chosen.values())
        self.hints.look_at(guard, updates, self._element_indices(step), frozenset(inputs))
        if edge.target in self.program.errors and pinned:
            asked = scalars.scalar(last)
            self.hints.must_not(asked, self._element_indices(step), frozenset(inputs))
            both = [e for array, index in pinned for e in self._element_index(index, self.layouts[array])]
            if len(pinned) == len(both) == len(self.positions) == MOST_CELLS:
                self.hints.must_not_both(asked, (both[0], both[1]), frozenset(inputs))
        self.variables |= dict.fromkeys(inputs)
        statements: list[Statement] = [Havoc(tuple(inputs))] if inputs else []
        statements += [Assume(guard), *self._at_once(updates)]
        here = edge.source
        for number, statement in enumerate(statements, 1):
            there = edge.target if number == len(statements) else self._between()
            self.edges.append(Edge(here, statement, there, edge.origin))
            here = there

    def _element_indices(self, step: Transition) -> Iterator[Term]:
        """The positions of the elements that a step reads or writes, as far as they have the sort of positions."""
        for node in post_order(step.guard, *step.updates.values()):
            if node.op in (ops.SELECT, ops.STORE):
                for root in _roots(node.args[0]):
                    if root in self.layouts:
                        yield from self._element_index(node.args[1], self.layouts[root])

    def _element_index(self, index: Term, layout: _Layout) -> Iterator[Term]:
        base = Affine({}, layout.base, index.sort)
        relative = affine(substitute(index, self.pointers)).minus(base).divided(layout.size)
        if relative is None:
            return
        if list(relative.factors.values()) == [1] and not relative.constant:
            inner = extended(next(iter(relative.factors)))
            if inner is not None and inner.sort is self.sort:
                yield inner
                return
        if index.sort is self.sort:
            yield relative.term

    def _between(self) -> Location:
        self.next += 1
        return Location(self.next - 1)

    def _at_once(self, updates: Mapping[Term, Term]) -> Iterator[Assign]:
        """One assignment after the other: who is read by others comes after them, or is kept for a while."""
        waiting = {x: t for x, t in updates.items() if x is not t}
        while waiting:
            for variable, value in waiting.items():
                if not any(variable in free_variables(t) for x, t in waiting.items() if x is not variable):
                    yield Assign(variable, value)
                    del waiting[variable]
                    break
            else:
                variable = next(iter(waiting))
                old = var(f"{variable.name} before", variable.sort)
                self.variables[old] = None
                yield Assign(old, variable)
                waiting = {x: t if x is variable else substitute(t, {variable: old}) for x, t in waiting.items()}
