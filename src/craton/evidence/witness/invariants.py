"""From a proof to invariants in C.

A proof has invariants of the loop heads of the program with its calls inlined. In the text each loop stands once, so
what can be said of it is the disjunction over its copies. What C cannot say there (memory, variables that are out of
scope or have no name) is left out, which makes an invariant weaker, never wrong. Whether the text that remains means
what it should is not left to this file: the front end reads it back in its place, and a solver compares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from craton.errors import MissingCapability, NotExpressible
from craton.evidence.checker import make_checker
from craton.evidence.witness.model import Invariant, InvariantKind, Place
from craton.evidence.witness.scope import NotInScope, Snippet, refused, terms_in_scope
from craton.evidence.witness.source import LOOPS, Source
from craton.frontends.programs import CSource
from craton.logic import FALSE, TRUE, Term, and_, conjuncts, free_variables, not_, ops, or_, substitute
from craton.program.cfa import Location, Program, Symbol
from craton.program.elements import with_arrays
from craton.program.inlining import Inlining, Instance, inline_with_instances
from craton.program.origin import SourceRange
from craton.program.spelling import plain
from craton.program.spelling import spelled as in_c
from craton.smt import Unsat

_COMPARING_SECONDS = 1.0
_COMPARERS = ("bitwuzla", "z3")
MOST_CONJUNCTS = 60  # of one loop; more help nobody
_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def c_invariants(
    source: CSource,
    program: Program,
    proved: Program,
    invariants: Mapping[Location, Term],
    inlining: Inlining = Inlining.ALL,
) -> tuple[Invariant, ...]:
    """Of the loops of `program`, where `invariants` prove `proved`, which is the same program prepared."""
    if all(invariants.get(head, FALSE) is TRUE for head in proved.loop_heads):
        return ()  # of large programs it takes long to find out by which loops nothing is said
    invariants = {location: with_arrays(formula, proved) for location, formula in invariants.items()}
    texts = {str(path): Source(path) for path in source.files}
    wanted: list[_Wanted] = []
    for loop in _loops(program, proved, inlining):
        text = texts.get(loop.range.file)
        if text is not None:
            wanted += _wanted(loop, text, loop.combined(invariants, program), program)
    paths = {str(path): path for path in source.files}
    snippets = [Snippet(paths[w.file], w.offset, w.text, at_head=w.at_head) for w in wanted]
    kept: dict[tuple[InvariantKind, Place], list[Term]] = {}
    said: set[tuple[SourceRange, Term]] = set()
    for want, meaning in zip(wanted, terms_in_scope(snippets, source, program), strict=True):
        if isinstance(meaning, NotInScope) or (want.loop, want.term) in said:
            continue
        if implies(want.term, meaning):
            said.add((want.loop, want.term))
            kept.setdefault((want.kind, want.place(texts[want.file])), []).append(want.term)
    return tuple(Invariant(kind, place, spelled(and_(*parts), program)) for (kind, place), parts in kept.items())


# --- loops and their copies -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop of the text: where it stands, its head in the automaton of its procedure, and the heads of its copies.

    `complete` if the proof speaks of every copy: slicing may have left one out that is executed all the same.
    """

    range: SourceRange
    procedure: str
    head: Location
    copies: Mapping[Location, Instance]
    complete: bool

    def combined(self, invariants: Mapping[Location, Term], program: Program) -> Term:
        """Over the variables of the procedure as they are named in `program`."""
        if not self.complete:
            return TRUE
        locals_ = program.procedures[self.procedure].locals
        parts = []
        for location, copy in self.copies.items():
            back = {copy.variables.get(v, v): v for v in locals_}
            allowed = frozenset(back) | frozenset(program.globals)
            said = _weakened(invariants.get(location, FALSE), lambda t, known=allowed: _sayable(t, known))  # type: ignore[misc]
            own = plain(substitute(said, back))
            parts.append(_weakened(own, lambda t: _speakable(t, program)))
        return or_(*parts)


def _loops(program: Program, proved: Program, inlining: Inlining) -> Iterator[_Loop]:
    inlined, known = inline_with_instances(program, inlining)
    present = frozenset(x for procedure in proved.procedures.values() for x in procedure.locations)
    # What is no copy is in the entry procedure, or in one whose calls are not inlined.
    home = {x: name for name, procedure in inlined.program.procedures.items() for x in procedure.locations}
    copies: dict[tuple[str, Location], dict[Location, Instance]] = {}
    for location in inlined.program.loop_heads:
        copy = known.get(location, Instance(home.get(location, program.entry), location, {}))
        copies.setdefault((copy.procedure, copy.location), {})[location] = copy
    for (procedure, head), found in copies.items():
        place = program.loop_heads.get(head)
        if place is not None:
            yield _Loop(place, procedure, head, found, all(location in present for location in found))


# --- what can be said -------------------------------------------------------------------------------------------------


def _weakened(term: Term, sayable: Callable[[Term], bool]) -> Term:
    """Without the parts that cannot be said: implied by the term."""
    if sayable(term):
        return term
    if term.op is ops.AND:
        return and_(*(_weakened(part, sayable) for part in term.args))
    if term.op is ops.OR:
        return or_(*(_weakened(part, sayable) for part in term.args))
    if term.op is ops.NOT and term.args[0].op in (ops.AND, ops.OR):
        inner = term.args[0]
        parts = [_weakened(not_(part), sayable) for part in inner.args]
        return or_(*parts) if inner.op is ops.AND else and_(*parts)
    return TRUE


def _sayable(term: Term, known: frozenset[Term]) -> bool:
    """Whether it is about variables of this copy of the procedure only, and not of another."""
    return free_variables(term) <= known


def _speakable(term: Term, program: Program) -> bool:
    try:
        text = spelled(term, program)
    except NotExpressible:
        return False
    return term in (TRUE, FALSE) or refused(text) is None


def spelled(term: Term, program: Program) -> str:
    """As C, with the names of the text; NotExpressible if some variable has none or is an address."""

    def name(variable: Term) -> tuple[str, bool]:
        symbol = program.symbols.get(variable)
        if symbol is None or not _has_words(symbol):
            raise NotExpressible(f"{variable.name} has no name in C")
        return symbol.name, symbol.signed

    return in_c(term, program, name)


def _has_words(symbol: Symbol) -> bool:
    """Addresses are numbers to us, but not the numbers that a machine would use."""
    return _NAME.fullmatch(symbol.name) is not None and "*" not in symbol.type and "[" not in symbol.type


# --- where to say it --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A formula to be said at an offset, if it is in scope there."""

    kind: InvariantKind
    loop: SourceRange
    offset: int
    function: str
    term: Term
    text: str
    at_head: bool

    @property
    def file(self) -> str:
        return self.loop.file

    def place(self, source: Source) -> Place:
        line, column = source.position(self.offset)
        return Place(self.file, line, column, self.function)


def _wanted(loop: _Loop, source: Source, combined: Term, program: Program) -> Iterator[_Wanted]:
    if combined is TRUE:
        return
    function = loop.procedure.partition("@")[0]
    for kind, offset, at_head in _places(loop, source, program):
        for term in conjuncts(combined)[:MOST_CONJUNCTS]:
            yield _Wanted(kind, loop.range, offset, function, term, spelled(term, program), at_head)


def _places(loop: _Loop, source: Source, program: Program) -> Iterator[tuple[InvariantKind, int, bool]]:
    """Where the head of a loop is in the text, and whether loops come back to just there. What is no place for an
    invariant after all, as in a macro or in the midst of a statement, is found out when it is read back.
    """
    keyword = source.offset(loop.range.line, loop.range.column)
    word = "" if keyword is None else source.word_at(keyword)
    if keyword is None or word not in LOOPS:
        statement = _first_statement(loop, program)
        offset = None if statement is None else source.offset(statement.line, statement.column)
        if offset is not None:
            yield InvariantKind.LOCATION, offset, True
        return
    if word != "do":
        yield InvariantKind.LOOP, keyword, False
    body = source.body_of(keyword)
    # The head of a `do` is where its body begins; what a `for` declares is in scope in its body only.
    if body is not None and (word == "do" or (word == "for" and _leads_straight_into_body(loop, program))):
        yield InvariantKind.LOCATION, body, word == "do"


def _first_statement(loop: _Loop, program: Program) -> SourceRange | None:
    """Of a loop that `goto` makes: what is executed where it comes back to."""
    spans = {edge.branching or edge.origin for edge in program.procedures[loop.procedure].outgoing(loop.head)}
    return spans.pop() if len(spans) == 1 else None


def _leads_straight_into_body(loop: _Loop, program: Program) -> bool:
    """Whether nothing but the test of its condition lies between the head of a loop and its body."""
    edges: Sequence[object] = [
        edge
        for edge in program.procedures[loop.procedure].outgoing(loop.head)
        if edge.branching == loop.range and edge.branch
    ]
    return len(edges) == 1


def implies(a: Term, b: Term) -> bool:
    """Surely; asked of solvers."""
    doubt = and_(a, not_(b))
    if doubt is FALSE:
        return True
    for name in _COMPARERS:
        solver = make_checker(name, _COMPARING_SECONDS)
        try:
            solver.add(doubt)
        except MissingCapability:
            continue
        if isinstance(solver.check(), Unsat):
            return True
    return False
