"""From a Boogie text to a program."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from craton.frontends.boogie import syntax
from craton.frontends.boogie.bodies import Body, every
from craton.frontends.boogie.calls import Context
from craton.frontends.boogie.declarations import Contract, Declarations, collect
from craton.frontends.boogie.errors import BadBoogieInput
from craton.frontends.boogie.expressions import Expressions
from craton.frontends.boogie.frames import with_open_locals
from craton.frontends.boogie.parsing import parse
from craton.frontends.boogie.start import START, Start
from craton.frontends.boogie.types import Instances, NewInstance
from craton.logic import Term
from craton.program.analysis.control_flow import goto_loop_heads
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.inlining import inline
from craton.program.origin import SourceRange
from craton.program.statements import Assume
from craton.program.transformation import Transformed

EVERY = "*"  # as the entry: each procedure that has an implementation
_DEEPEST = 20_000


@dataclass(frozen=True)
class BoogieProgram:
    """A program with what its text says besides.

    `hints` are the invariants a loop was annotated with, by the loop's head; they are checked like assertions.
    `checks` says what fails at each error location. A counterexample that applies one of the functions in
    `overapproximated` may not be real.
    """

    program: Program
    hints: Mapping[Location, tuple[Term, ...]]
    checks: Mapping[Location, str]
    overapproximated: tuple[str, ...] = ()


def load_boogie(source: str | Path, *, entry: str | None = None, contracts: bool = False) -> BoogieProgram:
    """The program in a file (a `Path`, or a string without a line break that names one) or in a text.

    `entry` is the procedure to start from, `"*"` for each of them; the default is the first that exists of
    `ULTIMATE.start`, those marked `{:entrypoint}`, `main`, `Main`, and otherwise each procedure. From `main` alone, not
    from what tools mark as the start, it does not follow that the others are of no interest: to Boogie each procedure
    is to be verified, so those that `main` does not call are started from, too. What is not verified is named as an
    assumption. With `contracts`, calls do what the callee's specification says, and every procedure that the entry may
    call is verified too.
    """
    file, text = _text(source)
    with _deep_recursion(file):
        declarations = parse(text, file)
        instances: Instances = {}
        while True:
            try:
                return _lower(collect(declarations, instances), file, entry, contracts)
            except NewInstance as new:
                instances.setdefault(replace(new.map, instances=()), {})[new.types] = None


def _text(source: str | Path) -> tuple[str, str]:
    if isinstance(source, str) and ("\n" in source or "{" in source or ";" in source):
        return "<text>", source
    try:
        return str(source), Path(source).read_text(encoding="utf-8")
    except OSError as problem:
        raise BadBoogieInput(f"cannot read {source}: {problem.strerror}", None) from None
    except UnicodeDecodeError:
        return str(source), Path(source).read_text(encoding="latin-1")


@contextmanager
def _deep_recursion(file: str) -> Iterator[None]:
    """Expressions nest deep in generated programs."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEEPEST))
    try:
        yield
    except RecursionError:
        raise BadBoogieInput(f"{file}: an expression is nested too deep", None) from None
    finally:
        sys.setrecursionlimit(limit)


def _lower(declarations: Declarations, file: str, entry: str | None, contracts: bool) -> BoogieProgram:
    context = Context(declarations, Expressions(declarations), contracts=contracts)
    for shared in declarations.shared.values():
        context.note(shared.value, shared.name, None, shared.at)
    entries = _entries(declarations, file, entry)
    needed = _called(declarations, entries)
    procedures = {contract.name: Body(context, contract).lower() for contract in needed}
    if contracts:
        entries = needed
    start, only = Start(context, entries[0].at), entries[0]
    alone = len(entries) == 1 and only.name not in context.called
    if not alone:
        procedures = {name: with_open_locals(p, context.names) for name, p in procedures.items()}
        procedures[START] = start.choose([(contract, procedures[contract.name]) for contract in entries])
    else:
        procedures = {n: p if n == only.name else with_open_locals(p, context.names) for n, p in procedures.items()}
        procedures[only.name] = start.before(only, procedures[only.name])
    program = _program(context, procedures, only.name if alone else START, file)
    return _inlined(context, replace(program, assumptions=(*program.assumptions, *_left_out(declarations, needed))))


def _left_out(declarations: Declarations, needed: Sequence[Contract]) -> list[str]:
    """The procedures that the verdict does not speak of."""
    verified = {contract.name for contract in needed}
    rest = [name for name, contract in declarations.procedures.items() if contract.code and name not in verified]
    return [f"procedure {name} is not verified: nothing calls it from where the program starts" for name in rest]


def _program(context: Context, procedures: Mapping[str, Procedure], entry: str, file: str) -> Program:
    functions = context.expressions.functions
    shared = [shared.value for shared in context.declarations.shared.values()]
    assumptions = [
        f"values of type {name} are encoded as integers: the type has infinitely many"
        for name in context.declarations.types.encoded
    ]
    assumptions += [f"function {name} stands for any function" for name in functions.overapproximated]
    program = Program(
        entry=entry,
        procedures=procedures,
        globals=tuple(
            leaf for value in (*shared, *functions.constants.values()) for leaf in value.leaves if leaf.is_variable
        ),
        errors=context.names.errors,
        symbols=context.symbols,
        assumptions=tuple(assumptions),
        files=(file,),
    )
    return replace(program, loop_heads={**goto_loop_heads(program), **context.names.loop_heads})


def _inlined(context: Context, program: Program) -> BoogieProgram:
    """The program without calls but recursive ones; what is known about locations is known about their copies."""
    inlined = inline(program)
    known = context.names
    hints: dict[Location, tuple[Term, ...]] = {}
    checks: dict[Location, str] = {}
    for procedure in inlined.program.procedures.values():
        for location in procedure.locations:
            original = inlined.original_location(location)
            if original in known.checks and location in inlined.program.errors:
                checks[location] = known.checks[original]
            if known.invariants.get(original) and location in inlined.program.loop_heads:
                hints[location] = _invariants(inlined, procedure, location, known.invariants[original])
    return BoogieProgram(inlined.program, hints, checks, tuple(context.expressions.functions.overapproximated))


def _invariants(
    inlined: Transformed, procedure: Procedure, head: Location, invariants: Sequence[Edge]
) -> tuple[Term, ...]:
    """The invariants of a loop, found behind its head in the terms of this copy."""
    found: list[Term] = []
    here: Location | None = head
    while here is not None:
        edges, here = procedure.outgoing(here), None
        for edge in edges:
            if inlined.original_edges(edge) in [(invariant,) for invariant in invariants]:
                assert isinstance(edge.statement, Assume)
                found.append(edge.statement.condition)
                here = edge.target
    return tuple(found)


# --- where to start ---------------------------------------------------------------------------------------------------


def _entries(declarations: Declarations, file: str, entry: str | None) -> list[Contract]:
    implemented = {name: c for name, c in declarations.procedures.items() if c.code}
    if not implemented:
        raise BadBoogieInput("no procedure has an implementation: there is nothing to verify", _top(file))
    if entry is None:
        marked = [c for c in implemented.values() if any(a.name == "entrypoint" for a in c.attributes)]
        for candidates in (
            [implemented[name] for name in ("ULTIMATE.start",) if name in implemented],
            marked,
            _with_uncalled(declarations, [implemented[name] for name in ("main", "Main") if name in implemented][:1]),
        ):
            if candidates:
                return candidates
    if entry is None or entry == EVERY:
        return list(implemented.values())
    if entry in implemented:
        return [implemented[entry]]
    if entry in declarations.procedures:
        where: SourceRange | None = declarations.procedures[entry].at
        raise BadBoogieInput(f"procedure {entry} has no implementation to start from", where)
    near = difflib.get_close_matches(entry, implemented, 3) or list(implemented)[:3]
    raise BadBoogieInput(f"there is no procedure {entry}; did you mean {' or '.join(near)}?", _top(file))


def _with_uncalled(declarations: Declarations, entries: list[Contract]) -> list[Contract]:
    """The entries, if there are any, and procedures from which all others are called that the entries do not call."""
    found = list(entries)
    while entries:
        reached = {contract.name for contract in _called(declarations, found)}
        rest = [c for c in declarations.procedures.values() if c.code and c.name not in reached]
        if not rest:
            break
        called = {c.name for one in rest for c in _called(declarations, [one])[1:]}
        found.append(next((c for c in rest if c.name not in called), rest[0]))
    return found


def _top(file: str) -> SourceRange:
    return SourceRange(file, 1, 1, 1, 1)


def _called(declarations: Declarations, entries: Sequence[Contract]) -> list[Contract]:
    """The entries and all procedures with an implementation that they may call."""
    found = {contract.name: contract for contract in entries}
    waiting = list(entries)
    for contract in waiting:  # grows
        for code in contract.code:
            for statement in every(code.body.statements):
                if isinstance(statement, syntax.Call):
                    callee = declarations.procedures.get(statement.procedure)
                    if callee is not None and callee.code and callee.name not in found:
                        found[callee.name] = callee
                        waiting.append(callee)
    return list(found.values())
