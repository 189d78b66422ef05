"""A whole program: its analyses, the start, and a procedure for each function that may be called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar

from craton.frontends.c.automaton.builder import Builder, Names
from craton.frontends.c.automaton.context import Context
from craton.frontends.c.automaton.rounding import MODE, TO_NEAREST, rounding_by_mode
from craton.frontends.c.library.table import NAMES, pointer_effects
from craton.frontends.c.lowering.allocated import remembers
from craton.frontends.c.lowering.externals import is_unknown
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.function import FunctionLowering
from craton.frontends.c.lowering.gaps import Harm, harm_of_gaps
from craton.frontends.c.lowering.start import START, Start, layout
from craton.frontends.c.lowering.storage import storage
from craton.frontends.c.memory.effects import Gives
from craton.frontends.c.memory.facts import facts
from craton.frontends.c.memory.layout import Memory
from craton.frontends.c.memory.places import covered, find
from craton.frontends.c.memory.points_to import analyse
from craton.frontends.c.memory.scan import Scan, scan
from craton.frontends.c.memory.touches import Touches
from craton.frontends.c.syntax.nodes import Function
from craton.frontends.c.syntax.program import Program as Syntax
from craton.frontends.c.syntax.types import Integer
from craton.frontends.c.syntax.unknown_functions import UnknownFunctions
from craton.logic import Term, bv, bvslt, ite
from craton.program.analysis.control_flow import goto_loop_heads, reachable_edges
from craton.program.cfa import Edge, Location, Procedure, Program, Unmodelled
from craton.program.specification import ASSERTION_FAILURES, Specification
from craton.program.statements import Call, Return

T = TypeVar("T")
EMPTY: Mapping[str, Procedure] = MappingProxyType({})
_FREEING = frozenset("free kfree cfree realloc".split())  # functions after which memory may be given again
_ON_STACK = frozenset("alloca __builtin_alloca __builtin_alloca_with_align".split())  # this memory ends by itself


def lower(
    syntax: Syntax,
    entry: Function,
    specification: Specification,
    pointer_width: int,
    unknown: UnknownFunctions = UnknownFunctions.PURE,
) -> Program:
    """What the entry function and all that it may call do, with error locations for what the specification forbids."""
    context = _context(syntax, entry, replace(specification, entry=entry.symbol), pointer_width, unknown)
    context.unknown_functions = unknown
    start = Start(context, entry.unit)
    for function in (entry, *syntax.before_entry(), *syntax.after_entry()):
        context.called[function.symbol] = function
    start.globals()
    procedures = _procedures(context)
    start.strings()
    start.finish()
    first = Builder(context.names, START)
    layout(context, first)
    if MODE in context.globals:
        first.assign(MODE, TO_NEAREST)
    first.go(start.builder.entry)
    _connect(context, procedures, entry, first, start.builder)
    for region in context.memory.regions.values():
        context.globals[region.array] = None
    _assume_apart(context)
    program = Program(
        entry=entry.symbol if START not in procedures else START,
        procedures=procedures,
        globals=tuple(context.globals),
        errors=_live(context.names.errors, procedures),
        loop_heads=_live(context.names.loop_heads, procedures),
        symbols=context.symbols,
        assumptions=tuple(context.assumptions),
        approximated=tuple(context.approximated),
        unknown_functions=tuple(context.taken_for_unknown),
        storage=storage(context),
    )
    program = replace(program, loop_heads={**goto_loop_heads(program), **program.loop_heads})
    if MODE in context.globals:
        program = rounding_by_mode(program)
    return _with_gaps_judged(program, context)


def _with_gaps_judged(program: Program, context: Context) -> Program:
    """Says whether it matters what happens at the gaps of a program."""
    gaps = [error for error in program.errors.values() if isinstance(error, Unmodelled)]
    if not any(gap.contained for gap in gaps) or not context.specification.reachability_only:
        return program
    pointed, forbids = context.scan.address_taken, context.specification.forbids_call
    if any(forbids(f.name) or f.name in ASSERTION_FAILURES for f in pointed.values()):
        return program
    context.called |= {symbol: f for symbol, f in pointed.items() if f.body is not None}
    others = replace(program, procedures=_procedures(context, program.procedures))
    if MODE in context.globals:
        others = rounding_by_mode(others)
    whole = replace(program, procedures={**program.procedures, **others.procedures})
    harm = harm_of_gaps(whole, context)
    by_type = harm is Harm.UNLESS_TYPED
    return replace(program, gaps_are_harmless=harm is Harm.NONE, gaps_are_harmless_by_type=by_type)


def _context(
    syntax: Syntax, entry: Function, specification: Specification, pointer_width: int, unknown: UnknownFunctions
) -> Context:
    """What is known before the first edge."""
    found = scan(syntax, entry, is_unknown if unknown is UnknownFunctions.ARBITRARY else None)
    points_to = analyse(found, pointer_effects)
    names = Names()
    memory = Memory(names.variable, pointer_width, specification.memory)
    memory.make_room(_largest(found))
    memory.remembers = remembers(specification, points_to)
    memory.keeps_lengths = not specification.memory and any(
        pointer_effects(function.name).gives is Gives.RESIZED for function in found.functions.values()
    )
    known = facts(found, points_to, pointer_effects, specification, pointer_width // 8)
    external = {function.name for function in found.functions.values() if function.is_external}
    memory.loses_blocks = not external.isdisjoint(_ON_STACK)
    frees = memory.loses_blocks or not external.isdisjoint(_FREEING)
    memory.keeps_freed = frees and known.addresses.compares_blocks()
    resizing = any(pointer_effects(name).gives in (Gives.RESIZED, Gives.NEW_TEXT) for name in external)
    memory.knows_reuse = memory.keeps_freed and not memory.loses_blocks and not resizing
    return Context(
        syntax,
        known,
        names,
        memory,
        Integer(4, 4, True, "int", False, 3),
        Integer(1, 1, True, "char", False, 1),
        Touches(known, NAMES),
    )


def _procedures(context: Context, known: Mapping[str, Procedure] = EMPTY) -> dict[str, Procedure]:
    """The functions that are called, but for those that are known; lowering one finds more."""
    procedures: dict[str, Procedure] = {}
    done = set(known)
    while waiting := [f for symbol, f in context.called.items() if symbol not in done]:
        for function in waiting:
            done.add(function.symbol)
            if function.body is not None:
                procedures[function.symbol] = _procedure(context, function)
    return procedures


def _assume_apart(context: Context) -> None:
    """Pointers of which the program's text does not say where they come from have memory of their own."""
    occupied = {part for known in context.memory.objects for part in covered(known.place)} | set(
        context.facts.occupants
    )
    for place in context.memory.regions:
        if find(place).external or find(place) not in occupied:
            context.assume(
                "pointers that the program did not make do not point to its own objects, nor to each other's"
            )


def _largest(found: Scan) -> int:
    """The size of the largest variable, or of the largest block whose size is a constant."""
    variables = [*found.globals, *(v for group in found.locals.values() for v in group)]
    return max(found.largest_argument, *(variable.type.size for variable in variables), 0)


def _procedure(context: Context, function: Function) -> Procedure:
    builder = Builder(context.names, function.symbol)
    lowering = FunctionLowering(Frame(context, function, builder))
    lowering.run()
    signature = context.signature(function)
    edges = reachable_edges(builder.entry, builder.edges)
    return Procedure(
        function.symbol,
        signature.flat,
        signature.returns,
        builder.entry,
        lowering.exit.location,
        edges,
        tuple(builder.locals),
    )


def _count_arguments(builder: Builder, function: Function, arguments: tuple[Term, ...]) -> None:
    """The system does not call `main` with a negative number of arguments. Assigned and not assumed: runs on drawn
    values must not end here.
    """
    if function.name == "main" and function.parameters and isinstance(function.parameters[0].type, Integer):
        count, none = arguments[0], bv(0, 8 * function.parameters[0].type.size)
        builder.assign(count, ite(bvslt(count, none), none, count))


def _call_with_anything(builder: Builder, function: Function, procedure: Procedure) -> tuple[Term, ...]:
    """A call by the system: what it passes is arbitrary. Returns what it gets."""
    arguments = tuple(builder.temporary(term.sort) for term in procedure.parameters)
    results = tuple(builder.temporary(term.sort) for term in procedure.returns)
    _count_arguments(builder, function, arguments)
    builder.emit(Call(procedure.name, arguments, results))
    return results


def _connect(
    context: Context, procedures: dict[str, Procedure], entry: Function, first: Builder, start: Builder
) -> None:
    """Puts the first edges before the entry function; in a procedure of their own if that function is also called."""
    main = procedures[entry.symbol]
    before, after = context.program.before_entry(), context.program.after_entry()
    if context.scan.callers(entry.symbol) or entry.symbol in context.scan.address_taken or before or after:
        for function in before:
            _call_with_anything(start, function, procedures[function.symbol])
        results = _call_with_anything(start, entry, main)
        for function in after:
            _call_with_anything(start, function, procedures[function.symbol])
        exit_ = start.new()
        assert start.here is not None
        start.edges.append(Edge(start.here, Return(), exit_))
        edges = reachable_edges(first.entry, [*first.edges, *start.edges])
        locals_ = tuple({**first.locals, **start.locals})
        procedures[START] = Procedure(START, (), results, first.entry, exit_, edges, locals_)
    else:
        _count_arguments(start, entry, main.parameters)
        start.go(main.entry)
        edges = reachable_edges(first.entry, [*first.edges, *start.edges, *main.edges])
        locals_ = tuple({**first.locals, **start.locals, **dict.fromkeys(main.locals)})
        procedures[entry.symbol] = Procedure(
            main.name, main.parameters, main.returns, first.entry, main.exit, edges, locals_
        )


def _live(table: dict[Location, T], procedures: dict[str, Procedure]) -> dict[Location, T]:
    present = {location for procedure in procedures.values() for location in procedure.locations}
    return {location: value for location, value in table.items() if location in present}
