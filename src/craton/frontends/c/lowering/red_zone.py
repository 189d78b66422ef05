"""What stands below the stack pointer: locals of functions that call nothing, as gcc sees them (x86-64's red zone).

An asm that pushes something, or calls, writes there, and gcc does not know it. It matters if a local of the function is
needed afterwards. Which functions call something is said only of those that gcc surely thinks so of: it leaves out what
constants make unreachable, and may put the text of a function where it is called.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from craton.frontends.c.syntax.expressions import constant_number, direct_callee
from craton.frontends.c.syntax.nodes import Function, Kind, Node, Storage, Variable

_COMING_BACK = (Kind.WHILE, Kind.DO, Kind.FOR, Kind.GOTO, Kind.COMPUTED_GOTO)
_LOOPS = (Kind.WHILE, Kind.DO, Kind.FOR)
_ENDS = (Kind.RETURN, Kind.GOTO, Kind.COMPUTED_GOTO, Kind.BREAK, Kind.CONTINUE)
_CHOOSING = (Kind.CONDITIONAL, Kind.ELVIS, Kind.BINARY)


def may_change(node: Node, function: Function, outputs: Collection[Variable | None], library: Collection[str]) -> bool:
    """Whether locals may have other values behind a statement that pushes something, and are mentioned there; its own
    outputs are not asked for. Calls of `library` functions may be instructions. What is put where it is called uses the
    stack of its caller.
    """
    assert function.body is not None
    if _calls(function, library, {function}):
        return False
    return function.inlined or not _variables_after(node, function.body) <= set(outputs)


def _calls(function: Function, library: Collection[str], seen: set[Function]) -> bool:
    """Whether gcc surely sees a call in a function."""
    assert function.body is not None
    for call in _Executed(function.body).calls:
        callee = direct_callee(call)
        if callee is None:
            return True
        if callee.is_external:
            if callee.name not in library and not callee.name.startswith("__"):
                return True
        elif not callee.inlined:
            return True
        elif callee not in seen:
            seen.add(callee)
            if _calls(callee, library, seen):
                return True
    return False


class _Executed:
    """The calls that nothing makes unreachable of what a compiler may see: constant conditions, and jumps before them.
    What it may see is taken for seen, so that these are not all that there are.
    """

    def __init__(self, body: Node) -> None:
        self.calls: list[Node] = []
        self._labels: set[str] = set()  # that a jump was found to
        known = -1
        while known != len(self._labels):
            known = len(self._labels)
            self.calls.clear()
            self._statement(body, True)

    def _statement(self, node: Node, live: bool) -> bool:
        """Whether control surely may come to what follows."""
        children = [child for child in node.children if isinstance(child, Node)]
        if node.kind is Kind.LABEL:
            live |= node.value in self._labels
        if node.kind in (Kind.COMPOUND, Kind.LABEL, Kind.DECLARATIONS, Kind.STATEMENT_EXPRESSION):
            for child in children:
                live = self._statement(child, live)
            return live
        if node.kind is Kind.IF:
            return self._if(children, live)
        if node.kind in _LOOPS or node.kind is Kind.SWITCH:
            decided = any(child is None or constant_number(child) is not None for child in node.children)
            decided |= node.kind is Kind.SWITCH
            after = [self._statement(child, live and not decided) for child in children]
            return live and not decided and after[0]
        if node.kind is Kind.GOTO and live:
            self._labels.add(node.value)
        return self._expression(node, live) and node.kind not in _ENDS

    def _if(self, children: list[Node], live: bool) -> bool:
        condition, *branches = children
        live = self._expression(condition, live) and constant_number(condition) is None
        after = [self._statement(branch, live) for branch in branches]
        return any(after) or (live and len(branches) == 1)

    def _expression(self, node: Node, live: bool) -> bool:
        if not live:
            return False
        waiting = [node]
        while waiting:
            each = waiting.pop()
            children = [child for child in each.children if isinstance(child, Node)]
            if each.kind in _CHOOSING and any(constant_number(child) is not None for child in children):
                continue
            if each.kind is Kind.CALL:
                callee = direct_callee(each)
                if callee is not None and (callee.stops or callee.name.startswith("__builtin")):
                    return False
                self.calls.append(each)
            waiting += children
        return True


def _variables_after(node: Node, body: Node) -> set[Variable]:
    """The locals that are mentioned behind a statement, or anywhere if control may come back to it."""
    text = list(_in_order(body))
    position = next(number for number, each in enumerate(text) if each is node)
    comes_back = any(each.kind in _COMING_BACK for each in text)
    own = set(_in_order(node))
    after = text if comes_back else [each for each in text[position:] if each not in own]
    variables = {each.value for each in after if each.kind is Kind.VARIABLE}
    return {variable for variable in variables if variable.storage in (Storage.LOCAL, Storage.PARAMETER)}


def _in_order(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in reversed(node.children) if isinstance(child, Node)]
