"""A first look over the program: which functions and globals are reachable, which variables need memory, whether
integers become pointers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from craton.frontends.c.syntax.expressions import direct_callee, root_variable
from craton.frontends.c.syntax.nodes import Function, Kind, Node, Storage, Variable
from craton.frontends.c.syntax.program import Program
from craton.frontends.c.syntax.types import ArrayType, CType, Integer, Pointer, Record


@dataclass
class Scan:
    functions: dict[str, Function] = field(default_factory=dict)  # reachable, by symbol
    globals: dict[Variable, None] = field(default_factory=dict)  # reachable, static locals included
    locals: dict[str, list[Variable]] = field(default_factory=dict)  # by function
    addressed: dict[Variable, None] = field(default_factory=dict)
    address_taken: dict[str, Function] = field(default_factory=dict)
    calls: dict[str, dict[str, None]] = field(default_factory=dict)  # direct calls, by symbol
    indirect: dict[str, None] = field(default_factory=dict)  # functions that call through pointers
    integers_become_pointers: bool = False

    def in_memory(self, variable: Variable) -> bool:
        return variable in self.addressed or needs_memory(variable.type)


def needs_memory(t: CType) -> bool:
    """Arrays live in memory, and so does what contains one."""
    if isinstance(t, ArrayType):
        return True
    if isinstance(t, Record):
        if t.is_union and t.size > 64:
            return True
        return any(needs_memory(f.type) for f in t.fields)
    return False


def scan(program: Program, entry: Function) -> Scan:
    result = Scan()
    waiting = [entry]
    result.functions[entry.symbol] = entry
    current = ""

    def need(function: Function) -> None:
        if function.symbol not in result.functions:
            result.functions[function.symbol] = function
            waiting.append(function)

    def mention(variable: Variable) -> None:
        if variable.storage in (Storage.GLOBAL, Storage.STATIC):
            if variable not in result.globals:
                result.globals[variable] = None
                if variable.initializer is not None:
                    walk(variable.initializer)
        else:
            known = result.locals.setdefault(current, [])
            if variable not in seen_locals:
                seen_locals.add(variable)
                known.append(variable)
                for _, length in variable.dimensions:
                    walk(length)
                if variable.initializer is not None:
                    walk(variable.initializer)

    seen_locals: set[Variable] = set()

    def walk(root: Node) -> None:
        stack: list[Node] = [root]
        while stack:
            node = stack.pop()
            kind = node.kind
            if kind is Kind.VARIABLE or kind is Kind.DECLARE:
                mention(node.value)
            elif kind is Kind.COMPOUND_LITERAL:
                mention(node.value)
                continue
            elif kind is Kind.FUNCTION:
                need(node.value)
                result.address_taken[node.value.symbol] = node.value
            elif kind is Kind.CALL:
                callee = direct_callee(node)
                if callee is not None:
                    need(callee)
                    result.calls.setdefault(current, {})[callee.symbol] = None
                    stack.extend(node.children[1:])
                    continue
                result.indirect[current] = None
            elif kind is Kind.ADDRESS:
                root_of = root_variable(node.children[0])
                if root_of is not None:
                    result.addressed[root_of] = None
            elif kind is Kind.ASM:
                pass
            elif kind is Kind.DECLARE_TYPE:
                for _, length in node.value:
                    walk(length)
            elif kind is Kind.CONVERT:
                child = node.children[0]
                if isinstance(node.type, Pointer) and isinstance(child.type, Integer) and child.kind is not Kind.NUMBER:
                    result.integers_become_pointers = True
                elif isinstance(child.type, Record) and isinstance(node.type, Record):
                    pass
            stack.extend(child for child in node.children if child is not None)

    while waiting:
        function = waiting.pop(0)
        current = function.symbol
        body = program.body(function)
        result.calls.setdefault(current, {})
        for parameter in function.parameters:
            mention(parameter)
        if body is not None:
            walk(body)
    return result
