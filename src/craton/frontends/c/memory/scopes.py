"""Blocks in which the life of a local has to be watched.

A local lives from the entry into its block, by a jump too, to the block's end (C11 6.2.4). Mostly a declaration gives
it a value and nobody asks afterwards, so that nothing has to be done. Two things can be told from outside: where memory
safety is checked, a pointer may outlive the local it points to; and a jump may pass by the declaration, so that the
local has no value of this life, and must not keep that of an earlier one.

A local that a pointer may outlive gets new memory in each of its lives, so that old pointers do not become valid again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from craton.frontends.c.memory.facts import Facts
from craton.frontends.c.memory.places import parts_of
from craton.frontends.c.syntax.expressions import constant_number, without_conversions
from craton.frontends.c.syntax.nodes import Function, Kind, Node, Storage, Variable
from craton.frontends.c.syntax.types import has_variable_length

_BODIES = {Kind.IF: slice(1, None), Kind.WHILE: slice(1, 2), Kind.DO: slice(0, 1), Kind.FOR: slice(3, 4)}
_BODIES |= {Kind.SWITCH: slice(1, 2), Kind.STATEMENT_EXPRESSION: slice(0, 1)}


@dataclass(eq=False, slots=True)
class Scope:
    """A block: a compound statement, a `for`, or what an `if`, a loop or a `switch` controls."""

    outer: Scope | None
    is_value: bool  # the block of a statement expression
    begin: int = 0  # positions in the text, as the walk counts them
    end: int = 0
    declared: list[Variable] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)  # of `declared`
    literals: list[Variable] = field(default_factory=list)  # compound literals
    mortal: list[Variable] = field(default_factory=list)  # pointers to these may outlive them
    passed: dict[Variable, None] = field(default_factory=dict)  # whose declarations a jump may pass by

    @property
    def chain(self) -> list[Scope]:
        """This scope and those round it, the outermost first."""
        found: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            found.append(scope)
            scope = scope.outer
        return found[::-1]

    @property
    def watched(self) -> bool:
        return bool(self.mortal or self.passed)


@dataclass(frozen=True, slots=True)
class _Target:
    """Something to jump to."""

    position: int
    scope: Scope


@dataclass(eq=False)
class Scopes:
    """The scopes of a function."""

    blocks: dict[Node, Scope] = field(default_factory=dict)
    labels: dict[str, _Target] = field(default_factory=dict)
    cases: dict[Node, _Target] = field(default_factory=dict)
    homes: dict[Variable, Scope] = field(default_factory=dict)
    renewed: set[Variable] = field(default_factory=set)  # each life has memory of its own
    jumps: list[tuple[int, _Target]] = field(default_factory=list)

    def at_label(self, name: str) -> tuple[Scope, ...]:
        """The watched scopes that hold a label."""
        target = self.labels.get(name)
        return () if target is None else _watched(target.scope)

    def not_yet_declared(self, label: str) -> list[Variable]:
        """The arrays of variable length whose declarations stand behind a label in a block that holds it: whoever comes
        back to the label has left their scopes, and so ended their lives (C11 6.2.4p7).
        """
        target = self.labels[label]
        behind = [
            v for scope in target.scope.chain for v in scope.declared[bisect_left(scope.positions, target.position) :]
        ]
        return [variable for variable in behind if has_variable_length(variable.type)]

    def at_case(self, case: Node) -> tuple[Scope, ...]:
        return _watched(self.cases[case].scope)


def _watched(scope: Scope) -> tuple[Scope, ...]:
    return tuple(each for each in scope.chain if each.watched)


def scopes(facts: Facts, function: Function) -> Scopes:
    """The function's scopes; only watched ones stay in `blocks`."""
    found = read_scopes(function)
    for source, target in found.jumps:
        _pass_declarations(source, target)
    if facts.specification.memory:
        _find_mortal(facts, function, found)
    found.blocks = {node: scope for node, scope in found.blocks.items() if scope.watched}
    return found


def read_scopes(function: Function) -> Scopes:
    """All scopes of a function, by one walk in textual order."""
    found = Scopes()
    gotos: list[tuple[int, str]] = []
    computed: list[int] = []
    addressed: dict[str, None] = {}
    if function.body is None:  # what happens before the entry function begins
        return found
    outermost = Scope(None, False)
    position = 0
    # A scope instead of a node marks its end; beside a node stand its scope and the position of its switch.
    stack: list[tuple[Node | Scope, Scope, int]] = [(function.body, outermost, 0)]
    found.blocks[function.body] = outermost
    while stack:
        node, scope, switch = stack.pop()
        position += 1
        if isinstance(node, Scope):
            node.end = position
            continue
        if node in found.blocks:
            scope = found.blocks[node]
            scope.begin = position
        match node.kind:
            case Kind.DECLARE if node.value.storage is Storage.LOCAL:
                scope.declared.append(node.value)
                scope.positions.append(position)
                found.homes[node.value] = scope
            case Kind.DECLARE if node.value.initializer is not None:  # a static table of labels
                addressed.update(_addressed_labels(node.value.initializer))
            case Kind.COMPOUND_LITERAL if node.value.storage is Storage.LOCAL:
                scope.literals.append(node.value)
                found.homes[node.value] = scope
            case Kind.LABEL:
                found.labels[node.value] = _Target(position, scope)
            case Kind.GOTO:
                gotos.append((position, node.value))
            case Kind.COMPUTED_GOTO:
                computed.append(position)
            case Kind.LABEL_ADDRESS:
                addressed[node.value] = None
            case Kind.SWITCH:
                switch = position
            case Kind.CASE | Kind.DEFAULT:
                target = found.cases[node] = _Target(position, scope)
                found.jumps.append((switch, target))
        children = [child for child in _children(node) if child is not None]
        bodies = node.children[_BODIES[node.kind]] if node.kind in _BODIES else ()
        for child in reversed(children):
            if child in bodies or child.kind in (Kind.COMPOUND, Kind.FOR):
                inner = Scope(scope, node.kind is Kind.STATEMENT_EXPRESSION)
                found.blocks[child] = inner
                stack.append((inner, inner, switch))
            stack.append((child, scope, switch))
    outermost.end = position + 1
    gotos += [(source, name) for source in computed for name in addressed]
    found.jumps += [(source, found.labels[name]) for source, name in gotos if name in found.labels]
    return found


def _children(node: Node) -> tuple[Node | None, ...]:
    """Of a declaration its lengths and its initialiser, which are no children of the node."""
    match node.kind:
        case Kind.DECLARE:
            variable: Variable = node.value
            if variable.storage is not Storage.LOCAL:
                return ()
            return (*(length for _, length in variable.dimensions), variable.initializer)
        case Kind.DECLARE_TYPE:
            return tuple(length for _, length in node.value)
        case _:
            return node.children


def _addressed_labels(root: Node) -> dict[str, None]:
    found: dict[str, None] = {}
    stack: list[Node | None] = [root]
    while stack:
        node = stack.pop()
        if node is not None:
            if node.kind is Kind.LABEL_ADDRESS:
                found[node.value] = None
            stack.extend(node.children)
    return found


def _pass_declarations(source: int, target: _Target) -> None:
    """Notes the declarations before the target that control has not reached in this life of their scopes."""
    for scope in target.scope.chain:
        first = bisect_right(scope.positions, source) if scope.begin < source < scope.end else 0
        for at in range(first, bisect_left(scope.positions, target.position)):
            scope.passed[scope.declared[at]] = None


# --- pointers that outlive -------------------------------------------------------------------------------------------


def _find_mortal(facts: Facts, function: Function, found: Scopes) -> None:
    for scope in found.blocks.values():
        outermost = scope.outer is None
        if outermost and not may_run_again(facts, function):
            continue
        for variable in (*scope.declared, *scope.literals, *(function.parameters if outermost else ())):
            if facts.scan.in_memory(variable) and (
                scope.is_value or _outlived(facts, function, found, variable, scope)
            ):
                found.renewed.add(variable)
                if not outermost:  # the end of the function is the end of its locals anyway
                    scope.mortal.append(variable)


def may_run_again(facts: Facts, function: Function) -> bool:
    """Whether anything of the program runs after the function has returned: not after an entry function that nobody
    calls, nor after a function that such a one calls in its last statement, and nobody else; unless destructors do.
    """
    scan, symbol = facts.scan, function.symbol
    if symbol in scan.address_taken:
        return True
    callers = scan.callers(symbol)
    if symbol == facts.specification.entry:
        return bool(callers) or scan.goes_on
    entry = scan.functions.get(facts.specification.entry)
    if entry is None or callers != [entry.symbol] or may_run_again(facts, entry):
        return True
    return not _calls_last(entry, symbol)


def _calls_last(function: Function, symbol: str) -> bool:
    """Whether the last statement of a function, but for the return of a constant, is its only call of another one."""
    assert function.body is not None
    statements = list(function.body.children)
    if statements and statements[-1].kind is Kind.RETURN:
        held = statements[-1].children
        if not held or constant_number(held[0]) is not None:
            statements.pop()
    if not statements or statements[-1].kind not in (Kind.EXPRESSION, Kind.RETURN) or not statements[-1].children:
        return False
    last = without_conversions(statements[-1].children[0])
    if last.kind is not Kind.CALL:
        return False
    return _names(last.children[0], symbol) == 1 == _names(function.body, symbol)


def _names(node: Node, symbol: str) -> int:
    """How often a function is named in a piece of text."""
    found, waiting = 0, [node]
    while waiting:
        each = waiting.pop()
        found += each.kind is Kind.FUNCTION and each.value.symbol == symbol
        waiting += [child for child in each.children if child is not None]
    return found


def _outlived(facts: Facts, function: Function, found: Scopes, variable: Variable, scope: Scope) -> bool:
    """Whether something that holds a pointer to the variable may live longer.

    Variables of other functions that are not in memory do not: those of callees end first, and those of callers can get
    the pointer only when the function returns.
    """
    for part in parts_of(facts.points_to.of_variable(variable)):
        for holder in facts.holders.get(part, ()):
            if holder is None or holder.storage in (Storage.GLOBAL, Storage.STATIC):
                return True
            if holder.function != function.symbol:
                if facts.scan.in_memory(holder):
                    return True
                continue
            home = found.homes.get(holder)  # parameters have none
            if scope.outer is not None and (home is None or not (scope.begin <= home.begin and home.end <= scope.end)):
                return True
    return False
