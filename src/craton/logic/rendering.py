"""Text of a term DAG in linear size: parts that occur often, or get long, are named and written once.

The languages (`smtlib`, `infix`) define how one node is written from the texts of its arguments; this module decides
what is named and where. A part that mentions bound variables is named inside their quantifier, all others at the top.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple, Protocol

from craton.logic.sorts import Function
from craton.logic.terms import Term
from craton.logic.walk import QUANTIFIERS, free_variables, post_order


class Piece(NamedTuple):
    """Text; for languages with precedence, how tightly its outermost operator binds; its negation if that is written
    specially.
    """

    text: str
    level: int = 0
    opposite: str = ""


class Binding(NamedTuple):
    name: str
    term: Term
    text: str


class Language(Protocol):
    """How one node is written."""

    longest: int  # a longer text is given a name
    shared_from: int  # a text of at least this length that occurs twice is given a name

    def node(self, term: Term, parts: Sequence[Piece]) -> Piece: ...

    def let(self, bindings: Sequence[Binding], body: Piece) -> Piece: ...


class _Scope:
    """One quantifier body (or the whole term), and what has been written in it so far."""

    __slots__ = ("bindings", "bound", "parent", "pieces")

    def __init__(self, bound: frozenset[Term], parent: _Scope | None) -> None:
        self.bound = bound
        self.parent = parent
        self.pieces: dict[Term, Piece] = {}
        self.bindings: list[Binding] = []

    def owner(self, node: Term) -> _Scope:
        """The innermost scope on whose bound variables the node depends; the whole term if on none."""
        scope = self
        while scope.parent is not None and scope.bound.isdisjoint(free_variables(node)):
            scope = scope.parent
        return scope


def render(root: Term, language: Language, names: Iterator[str]) -> tuple[list[Binding], Piece]:
    """The named parts, each using only earlier ones, and the text of the root. `names` come from `fresh_names`."""
    uses = _uses(root)
    outermost = _Scope(frozenset(), None)
    # Nodes to write in a scope; with a third part, quantified nodes whose body is being written in that inner scope.
    stack: list[tuple[Term, _Scope, _Scope | None]] = [(root, outermost, None)]
    while stack:
        node, scope, inner = stack[-1]
        if node in scope.pieces:
            stack.pop()
            continue
        if inner is not None:
            parts = [language.let(inner.bindings, inner.owner(node.args[0]).pieces[node.args[0]])]
        elif node.op in QUANTIFIERS:
            inner = _Scope(frozenset(node.payload), scope)
            stack[-1] = (node, scope, inner)
            stack.append((node.args[0], inner.owner(node.args[0]), None))
            continue
        else:
            owners = [scope.owner(a) for a in node.args]
            missing = [(a, o, None) for a, o in zip(node.args, owners, strict=True) if a not in o.pieces]
            if missing:
                stack.extend(missing)
                continue
            parts = [o.pieces[a] for a, o in zip(node.args, owners, strict=True)]
        stack.pop()
        piece = language.node(node, parts)
        length = len(piece.text)
        if (
            node.args
            and node is not root
            and (length > language.longest or (uses[node] > 1 and length >= language.shared_from))
        ):
            binding = Binding(next(names), node, piece.text)
            scope.bindings.append(binding)
            piece = Piece(binding.name, _TIGHTEST)
        scope.pieces[node] = piece
    return outermost.bindings, outermost.pieces[root]


_TIGHTEST = 1000


def _uses(root: Term) -> dict[Term, int]:
    """How many nodes have each node as an argument."""
    uses: dict[Term, int] = {}
    for node in post_order(root):
        uses.setdefault(node, 0)
        for arg in node.args:
            uses[arg] += 1
    return uses


def fresh_names(*roots: Term) -> Iterator[str]:
    """$1, $2, … (or with more dollars, to avoid the names of all variables and functions)."""
    prefix = "$"
    for node in post_order(*roots):
        name = node.payload.name if isinstance(node.payload, Function) else node.payload
        while isinstance(name, str) and name.startswith(prefix):
            prefix += "$"
    return (f"{prefix}{number}" for number in count(1))
