"""Places of locals that pointers may outlive: what such a pointer compares with is not known.

After a local's life its address may be that of another local, or of the same one in another call at another depth. Here
the question is asked without watching lives: may anything that holds a pointer to the local live longer? Returned
values, static and allocated memory, locals of blocks round its own, and locals of callers do.
"""

from __future__ import annotations

from craton.frontends.c.memory.facts import Facts
from craton.frontends.c.memory.places import Place, find, parts_of
from craton.frontends.c.memory.scopes import Scope, Scopes, may_run_again, read_scopes
from craton.frontends.c.syntax.nodes import Function, Storage, Variable


def outlived_places(facts: Facts) -> frozenset[Place]:
    """The places of such locals, and of their parts."""
    returned = _returned(facts)
    found: set[Place] = set()
    for symbol, variables in facts.scan.locals.items():
        function = facts.scan.functions[symbol]
        own = [variable for variable in variables if facts.scan.in_memory(variable)]
        if own and function.body is not None:
            scopes = read_scopes(function)
            left = {variable for label in scopes.labels for variable in scopes.not_yet_declared(label)}
            for variable in own:
                if variable in left or _is_outlived(facts, function, scopes, variable, returned):
                    found.update(parts_of(facts.points_to.of_variable(variable)))
    return frozenset(found)


def _returned(facts: Facts) -> dict[Place, list[str]]:
    """What functions return pointers to: the functions, by place."""
    found: dict[Place, list[str]] = {}
    for symbol, function in facts.scan.functions.items():
        for part in parts_of(facts.points_to.of_return(function)):
            for held in (part.pointee, part.words):
                if held is not None:
                    found.setdefault(find(held), []).append(symbol)
    return found


def _is_outlived(
    facts: Facts, function: Function, scopes: Scopes, variable: Variable, returned: dict[Place, list[str]]
) -> bool:
    scope = scopes.homes.get(variable)  # parameters have none: they live as long as the function's outermost block
    outermost = scope is None or scope.outer is None
    if outermost and not may_run_again(facts, function):
        return False
    if scope is not None and scope.is_value:
        return True
    for part in parts_of(facts.points_to.of_variable(variable)):
        if any(facts.may_run_inside(function.symbol, symbol) for symbol in returned.get(part, ())):
            return True
        inner = None if outermost else scope
        if any(_outlives(facts, function, scopes, inner, holder) for holder in facts.holders.get(part, ())):
            return True
    return False


def _outlives(facts: Facts, function: Function, scopes: Scopes, scope: Scope | None, holder: Variable | None) -> bool:
    """Whether what holds a pointer may live longer than a block of a function; the block is None for the outermost."""
    if holder is None or holder.storage in (Storage.GLOBAL, Storage.STATIC):
        return True
    if holder.function != function.symbol:
        return holder.function is None or facts.may_run_inside(function.symbol, holder.function)
    if function.symbol in facts.recursive and facts.scan.in_memory(holder):
        return True
    home = scopes.homes.get(holder)
    return scope is not None and (home is None or not (scope.begin <= home.begin and home.end <= scope.end))
