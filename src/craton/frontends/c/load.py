"""From C files to a program."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from craton.frontends.c.builder import Builder, Names
from craton.frontends.c.clang import Unit
from craton.frontends.c.context import Context
from craton.frontends.c.control import Control
from craton.frontends.c.ctype import Integer
from craton.frontends.c.declaration_reader import Program as Syntax
from craton.frontends.c.errors import BadInput, SyntaxErrorInC
from craton.frontends.c.lifetimes import lifetimes
from craton.frontends.c.memory import Memory
from craton.frontends.c.places import covered, find
from craton.frontends.c.points_to import PointsTo
from craton.frontends.c.reader import UnitReader
from craton.frontends.c.scan import Scan, scan
from craton.frontends.c.scopes import pointer_holders
from craton.frontends.c.start import START, Start, layout
from craton.frontends.c.syntax import Function
from craton.logic import Term
from craton.program.analysis.control_flow import goto_loop_heads, reachable_edges
from craton.program.analysis.graphs import components
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.specification import DEFAULT, Specification
from craton.program.statements import Call, Return

R = TypeVar("R")
_STACK = 512 * 1024 * 1024
_TARGETS = {"ILP32": "i386-linux-gnu", "LP64": "x86_64-linux-gnu"}
_REALLOC = frozenset({"realloc", "__builtin_realloc"})
# Behind our own headers: for what those do not declare.
_SYSTEM = ("/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include")
_FLAGS = (
    "-std=gnu11 -w -fbracket-depth=1000000 -ftemplate-depth=1000000 -ferror-limit=20 -Wno-error "
    "-Wno-error=int-conversion -Wno-error=incompatible-function-pointer-types -Wno-error=implicit-function-declaration "
    "-Wno-error=implicit-int -Wno-error=return-type -Wno-error=incompatible-pointer-types -fno-builtin-printf"
).split()


@dataclass(frozen=True, slots=True)
class COptions:
    """How C text is to be read."""

    data_model: str = "ILP32"
    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()


def load_c(
    paths: Sequence[str | Path], specification: Specification = DEFAULT, options: COptions | None = None
) -> Program:
    """The program in these files, linked, with error locations for what the specification forbids."""
    chosen = options or COptions()
    return with_large_stack(lambda: _load(list(map(str, paths)), specification, chosen))


def with_large_stack(action: Callable[[], R]) -> R:
    """Runs on a thread with a large stack: expressions nest thousands deep in generated programs."""
    outcome: list[R] = []
    problem: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(action())
        except BaseException as error:  # handed to the caller's thread
            problem.append(error)

    before, limit = threading.stack_size(), sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 1_000_000))
    try:
        for size in (_STACK, _STACK // 8, before):
            threading.stack_size(size)
            thread = threading.Thread(target=run)
            try:
                thread.start()
                break
            except RuntimeError:  # the address space is limited
                if size == before:
                    raise
        thread.join()
    finally:
        threading.stack_size(before)
        sys.setrecursionlimit(limit)
    if problem:
        raise problem[0]
    return outcome[0]


def _contents(path: str) -> bytes:
    try:
        contents = Path(path).read_bytes()
    except OSError as problem:
        raise BadInput(f"cannot read {path}: {problem.strerror}") from None
    if not contents.strip():
        raise BadInput(f"{path} is empty")
    if b"\0" in contents[:65536]:
        raise BadInput(f"{path} is not a C text: it contains zero bytes")
    return contents


def _parse(path: str, options: COptions) -> Unit:
    target = _TARGETS.get(options.data_model)
    if target is None:
        raise BadInput(f"unknown data model {options.data_model}; known are {', '.join(_TARGETS)}")
    arguments = ["-x", "c", "-target", target, *_FLAGS]
    arguments += [f"-I{folder}" for folder in options.include]
    arguments += [f"-D{definition}" for definition in options.define]
    headers = Path(__file__).parent / "headers"
    arguments += ["-nostdinc", f"-isystem{headers}"]
    arguments += [f"-isystem{folder}" for folder in _SYSTEM if Path(folder).is_dir()]
    unit = Unit(path, arguments, _contents(path))
    if not unit.parsed:
        raise SyntaxErrorInC(f"{path}: clang cannot parse this file")
    errors = [d.text for d in unit.diagnostics() if d.severity >= 3]
    if errors:
        # A file that includes itself has every other error many times over.
        cyclic = [text for text in errors if "#include nested too deeply" in text][:1]
        shown = "\n".join(cyclic or errors[:20])
        unit.close()
        raise SyntaxErrorInC(shown)
    return unit


def _load(paths: list[str], specification: Specification, options: COptions) -> Program:
    with parsed(paths, specification.entry, options) as (syntax, entry):
        return _lower(syntax, entry, specification, options, paths)


@contextmanager
def parsed(paths: list[str], start: str, options: COptions) -> Iterator[tuple[Syntax, Function]]:
    """The files as clang reads them, and the function to start from; as long as the context lasts."""
    if not paths:
        raise BadInput("no input file")
    syntax = Syntax()
    units = [_parse(path, options) for path in paths]
    try:
        for unit in units:
            UnitReader(unit, syntax, _width(options) // 8)
        entry = syntax.function(start)
        if entry is None:
            entry = next(filter(None, (reader.defined(start) for reader in syntax.units)), None)
        if entry is None or syntax.body(entry) is None:
            raise BadInput(f"{', '.join(paths)}: no function {start} to start from")
        yield syntax, entry
    finally:
        for unit in units:
            unit.close()


def _lower(
    syntax: Syntax, entry: Function, specification: Specification, options: COptions, paths: list[str]
) -> Program:
    found = scan(syntax, entry)
    points_to = PointsTo(found)
    points_to.run()
    names = Names()
    memory = Memory(names, _width(options), specification.memory)
    memory.make_room(_largest(found))
    memory.keeps_lengths = not specification.memory and any(f.name in _REALLOC for f in found.functions.values())
    context = Context(
        syntax,
        found,
        points_to,
        names,
        memory,
        replace(specification, entry=entry.symbol),
        Integer(4, 4, True, "int", False, 3),
        Integer(1, 1, True, "char", False, 1),
    )
    context.recursive = _recursive(found, points_to)
    _count_occupants(context)
    context.lifetimes = lifetimes(context)
    if memory.safety:
        context.holders = pointer_holders(context)
    procedures: dict[str, Procedure] = {}
    start = Start(context, entry.unit)
    context.called[entry.symbol] = entry
    start.globals()
    done: set[str] = set()
    while len(done) < len(context.called):  # lowering a function finds more
        for function in [f for symbol, f in context.called.items() if symbol not in done]:
            done.add(function.symbol)
            if function.body is not None:
                procedures[function.symbol] = _procedure(context, function)
    start.strings()
    start.finish()
    first = Builder(names, START)
    layout(context, first)
    first.go(start.builder.entry)
    _connect(context, procedures, entry, first, start.builder)
    for region in memory.regions.values():
        context.globals[region.array] = None
    _assume_apart(context)
    program = Program(
        entry=entry.symbol if START not in procedures else START,
        procedures=procedures,
        globals=tuple(context.globals),
        errors=_live(names.errors, procedures),
        loop_heads=_live(names.loop_heads, procedures),
        symbols=context.symbols,
        assumptions=tuple(context.assumptions),
        approximated=tuple(context.approximated),
        files=tuple(paths),
        data_model=options.data_model,
    )
    return replace(program, loop_heads={**goto_loop_heads(program), **program.loop_heads})


def _assume_apart(context: Context) -> None:
    """Pointers of which the program's text does not say where they come from have memory of their own."""
    occupied = {part for known in context.memory.objects for part in covered(known.place)} | set(context.occupants)
    for place in context.memory.regions:
        if find(place).external or find(place) not in occupied:
            context.assume("pointers that the program did not make do not point to its own objects")


def _width(options: COptions) -> int:
    return 64 if options.data_model == "LP64" else 32


def _largest(found: Scan) -> int:
    """The size of the largest variable."""
    variables = [*found.globals, *(v for group in found.locals.values() for v in group)]
    return max((variable.type.size for variable in variables), default=0)


def _procedure(context: Context, function: Function) -> Procedure:
    builder = Builder(context.names, function.symbol)
    lowering = Control(context, function, builder)
    lowering.run()
    signature = context.signature(function)
    return _close(builder, function.symbol, lowering.exit, signature.flat, signature.returns)


def _close(
    builder: Builder, name: str, exit_: Location, parameters: tuple[Term, ...], returns: tuple[Term, ...]
) -> Procedure:
    edges = reachable_edges(builder.entry, builder.edges)
    return Procedure(name, parameters, returns, builder.entry, exit_, edges, tuple(builder.locals))


def _connect(
    context: Context, procedures: dict[str, Procedure], entry: Function, first: Builder, start: Builder
) -> None:
    """Puts the first edges before the entry function; in a procedure of their own if that function is also called."""
    called = any(entry.symbol in callees for callees in context.scan.calls.values())
    main = procedures[entry.symbol]
    if called or entry.symbol in context.scan.address_taken:
        arguments = tuple(start.temporary(term.sort) for term in main.parameters)
        results = tuple(start.temporary(term.sort) for term in main.returns)
        start.emit(Call(entry.symbol, arguments, results))
        exit_ = start.new()
        assert start.here is not None
        start.edges.append(Edge(start.here, Return(), exit_))
        edges = reachable_edges(first.entry, [*first.edges, *start.edges])
        locals_ = tuple({**first.locals, **start.locals})
        procedures[START] = Procedure(START, (), (), first.entry, exit_, edges, locals_)
    else:
        start.go(main.entry)
        edges = reachable_edges(first.entry, [*first.edges, *start.edges, *main.edges])
        locals_ = tuple({**first.locals, **start.locals, **dict.fromkeys(main.locals)})
        procedures[entry.symbol] = Procedure(
            main.name, main.parameters, main.returns, first.entry, main.exit, edges, locals_
        )


def _live(table: dict[Location, R], procedures: dict[str, Procedure]) -> dict[Location, R]:
    present = {location for procedure in procedures.values() for location in procedure.locations}
    return {location: value for location, value in table.items() if location in present}


def _recursive(found: Scan, points_to: PointsTo) -> set[str]:
    """Functions that may call themselves, through pointers too."""
    pointed: dict[str, None] = {}
    for place in points_to.places.roots():
        if find(place).calls:
            pointed.update(dict.fromkeys(find(place).functions))
    graph = {}
    for symbol in found.functions:
        callees = dict(found.calls.get(symbol, {}))
        if symbol in found.indirect:
            callees |= pointed
        graph[symbol] = list(callees)
    return {symbol for group in components(graph) for symbol in group if len(group) > 1 or symbol in graph[symbol]}


def _count_occupants(context: Context) -> None:
    """How many objects may lie in each place, and which places hold locals."""
    objects = list(context.scan.globals)
    for symbol, variables in context.scan.locals.items():
        for variable in variables:
            if context.scan.in_memory(variable):
                objects.append(variable)
                parts = covered(context.points_to.of_variable(variable))
                context.local_places.update(parts)
                if symbol in context.recursive:
                    for part in parts:
                        context.occupants[part] = 2
    for variable in context.scan.globals:
        if not variable.defined:  # arbitrary, so its memory does not start as zeros either
            context.local_places.update(covered(context.points_to.of_variable(variable)))
    for variable in objects:
        for part in covered(context.points_to.of_variable(variable)):
            context.occupants[part] = context.occupants.get(part, 0) + 1
    for place in context.points_to.places.roots():
        if place.allocated or place.external:
            for part in covered(place):
                context.occupants[part] = 2
