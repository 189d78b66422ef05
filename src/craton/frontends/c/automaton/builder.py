"""Growing a control-flow automaton edge by edge."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from craton.logic import FALSE, TRUE, BitVec, Sort, Term, bv, bvadd, bvult, eq, not_, var
from craton.program.cfa import Edge, Location, Property, Reach, Touched, Unmodelled
from craton.program.origin import SourceRange
from craton.program.statements import Assign, Assume, Doubt, Havoc, Input, Statement


class Names:
    """What all procedures of a program share: location ids, variable names, error locations."""

    def __init__(self) -> None:
        self._locations = itertools.count()
        self._used: dict[str, int] = {}
        self._taken: set[str] = set()
        self.errors: dict[Location, Property] = {}
        self.gaps: dict[Location, Reach] = {}  # where control comes to a contained gap, or goes on beside it
        self.loop_heads: dict[Location, SourceRange | None] = {}

    def location(self) -> Location:
        return Location(next(self._locations))

    def variable(self, stem: str, sort: Sort) -> Term:
        """A variable of a name that is not used yet, whatever the stems of others are."""
        name, count = stem, self._used.get(stem, 0)
        if count:
            name = f"{stem}#{count + 1}"
        while name in self._taken:
            count += 1
            name = f"{stem}#{count + 1}"
        self._used[stem] = count + 1
        self._taken.add(name)
        return var(name, sort)


@dataclass(frozen=True, slots=True)
class Mark:
    """How far an automaton has grown."""

    edges: int
    here: Location | None
    origin: SourceRange | None


class Builder:
    """The automaton of one procedure. `here` is where the next edge begins; None where control cannot be."""

    def __init__(self, names: Names, procedure: str) -> None:
        self.names = names
        self.procedure = procedure
        self.edges: list[Edge] = []
        self.locals: dict[Term, None] = {}
        self.entry = names.location()
        self.here: Location | None = self.entry
        self.origin: SourceRange | None = None
        self._targets: set[Location] = {self.entry}

    # --- edges --------------------------------------------------------------------------------------------------------

    def emit(self, statement: Statement) -> None:
        if self.here is not None:
            target = self.names.location()
            self._add(Edge(self.here, statement, target, self.origin))
            self.here = target

    def _add(self, edge: Edge) -> None:
        self.edges.append(edge)
        self._targets.add(edge.target)

    def enter(self, location: Location) -> None:
        """Goes on at a location; nowhere if no edge leads there (a constant condition left it out)."""
        self.here = location if location in self._targets else None

    def assume(self, condition: Term) -> None:
        if condition is FALSE:
            self.emit(Assume(FALSE))
            self.here = None
        elif condition is not TRUE:
            self.emit(Assume(condition))

    def assign(self, variable: Term, value: Term) -> None:
        if variable is not value:
            self.emit(Assign(variable, value))

    def havoc(self, *variables: Term, source: Input | Doubt | None = None) -> None:
        if variables:
            self.emit(Havoc(variables, source))

    def go(self, target: Location) -> None:
        """An edge that does nothing, to a location that may have other edges coming in."""
        if self.here is not None:
            self._add(Edge(self.here, Assume(TRUE), target, self.origin))
            self.here = None

    def meet(self, *others: Location) -> None:
        """Goes on where control from here and from the other locations comes together."""
        after = self.new()
        self.go(after)
        for other in others:
            self.enter(other)
            self.go(after)
        self.enter(after)

    def fork(self, condition: Term, then: Location, otherwise: Location) -> None:
        """Two edges; what can never be taken is left out."""
        if self.here is None:
            return
        if condition is not FALSE:
            self._add(Edge(self.here, Assume(condition), then, self.origin, True))
        if condition is not TRUE:
            self._add(Edge(self.here, Assume(not_(condition)), otherwise, self.origin, False))
        self.here = None

    def choose(self, alternatives: list[tuple[Term, Location]]) -> None:
        if self.here is not None:
            for condition, target in alternatives:
                if condition is not FALSE:
                    self._add(Edge(self.here, Assume(condition), target, self.origin))
            self.here = None

    def check(self, good: Term, violated: Property, touched: Touched | None = None) -> None:
        """Leads to an error location where `good` does not hold, which is about the memory that is touched."""
        if self.here is None or good is TRUE:
            return
        error = self.names.location()
        self.names.errors[error] = violated if touched is None else replace(violated, touched=touched)
        fine = self.names.location()
        self.fork(good, fine, error)
        self.enter(fine)

    def error(self, violated: Property) -> None:
        if self.here is not None:
            target = self.names.location()
            self.names.errors[target] = violated
            self.go(target)

    def unmodelled(self, construct: str, where: SourceRange | None = None) -> None:
        """Control that comes here is about to do what Craton does not model. Fail closed: TRUE must show that none
        does, FALSE may not pass, and otherwise the verdict is UNKNOWN that names the construct and its place.
        """
        self.error(Unmodelled("unmodelled", construct, where=where or self.origin))

    def unmodelled_if(self, condition: Term, construct: str, *, reach: Reach) -> None:
        """The same where the condition holds; control goes on where it does not. A gap that is contained is left by
        what control does where it goes on.
        """
        if self.here is not None:
            if reach is not Reach.ANYTHING:
                self.names.gaps[self.here] = reach
            gap, on = self.new(), self.new()
            self.fork(condition, gap, on)
            self.enter(gap)
            self.error(Unmodelled("unmodelled", construct, where=self.origin, reach=reach))
            self.enter(on)

    def perhaps_unmodelled(self, construct: str, *, reach: Reach) -> None:
        """A gap that control may also pass, as if nothing had been done: runs end here, but for one choice in many, and
        the caller says in `approximated` that an error behind it counts only if the compiled program reaches it.
        """
        choice = self.temporary(BitVec(32))
        self.havoc(choice)
        self.unmodelled_if(not_(eq(choice, bv(1, 32))), construct, reach=reach)

    def mark(self) -> Mark:
        """A point to go back to."""
        return Mark(len(self.edges), self.here, self.origin)

    def back_to(self, mark: Mark) -> None:
        """As if nothing had been emitted since then. Jumps to locations from before are forgotten, too, so nobody may
        rely on having been jumped to from what is forgotten.
        """
        del self.edges[mark.edges :]
        self.here, self.origin = mark.here, mark.origin

    def stop(self) -> None:
        """The program ends here: a location that nothing leaves."""
        self.go(self.names.location())

    def new(self) -> Location:
        return self.names.location()

    # --- variables ----------------------------------------------------------------------------------------------------

    def local(self, stem: str, sort: Sort) -> Term:
        variable = self.names.variable(f"{self.procedure}::{stem}", sort)
        self.locals[variable] = None
        return variable

    def temporary(self, sort: Sort) -> Term:
        return self.local("$", sort)

    def save(self, value: Term) -> Term:
        """A variable that keeps the value whatever happens next; constants need none."""
        if value.is_value or self.here is None:
            return value
        variable = self.temporary(value.sort)
        self.assign(variable, value)
        return variable

    # --- loops --------------------------------------------------------------------------------------------------------

    def counted(self, count: Term, step: int = 1) -> Iterator[Term]:
        """Code repeated for a counter 0, step, 2·step … < count: `for i in builder.counted(n): …` emits one loop."""
        width = count.sort.width  # type: ignore[attr-defined]
        limit = self.save(count)
        counter = self.temporary(count.sort)
        self.assign(counter, bv(0, width))
        head, body, after = self.new(), self.new(), self.new()
        self.names.loop_heads[head] = None
        self.go(head)
        self.here = head
        self.fork(bvult(counter, limit), body, after)
        self.enter(body)
        yield counter
        self.assign(counter, bvadd(counter, bv(step, width)))
        self.go(head)
        self.enter(after)
