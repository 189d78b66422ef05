"""Which bit-vector variables are signed numbers in the integer view, and which arrays hold signed ones.

Variables declared in C have their declared signedness. Others (temporaries, memory) are signed if they are used so more
often than not: compared, divided, extended or converted with their sign. Any decision is sound; a good one avoids
wrap-around.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Protocol

from craton.logic import Array, BitVec, Sort, Term, ops, post_order
from craton.logic.ops import Op
from craton.program.analysis.union_find import UnionFind
from craton.program.cfa import Program, Symbol
from craton.program.statements import Assign, Assume, BitsOf, Call, Fresh, Havoc, Input, Statement

_SIGNED = frozenset(
    map(
        Op.table.__getitem__,
        "bvslt bvsle bvsdiv bvsrem bvsmod bvashr sign_extend sbv_to_int bvsaddo bvssubo bvsmulo bvsdivo bvnego "
        "to_fp.signed".split(),
    )
)
_UNSIGNED = frozenset(
    map(
        Op.table.__getitem__,
        "bvult bvule bvudiv bvurem bvlshr zero_extend ubv_to_int concat bvuaddo bvusubo bvumulo bvand bvor bvxor "
        "to_fp_unsigned to_fp.bits".split(),
    )
)
_PASSING = frozenset((ops.BVADD, ops.BVSUB, ops.BVMUL, ops.BVNEG, ops.BVNOT, ops.BVSHL))


def is_bits_array(sort: Sort) -> bool:
    """Does the array hold bit-vectors, possibly in nested arrays?"""
    while isinstance(sort, Array):
        sort = sort.element
    return isinstance(sort, BitVec)


class Signedness(Protocol):
    def signed(self, term: Term) -> bool:
        """Whether a variable, or the elements of an array, are signed."""
        ...


class Signs:
    """The decisions. Arrays that may be equal or assigned to each other form classes with a common decision."""

    def __init__(self, program: Program) -> None:
        statements = [edge.statement for edge in program.edges()]
        self._decide(statements, list(_assigned(program, statements)), program.symbols)

    @classmethod
    def of_statements(cls, statements: list[Statement]) -> Signs:
        """Where there is no program around them: statements that call nothing."""
        found = cls.__new__(cls)
        pairs = [(one.variable, one.value) for one in statements if isinstance(one, Assign)]
        found._decide(statements, pairs, {})
        return found

    def _decide(
        self, statements: list[Statement], pairs: list[tuple[Term, Term]], symbols: Mapping[Term, Symbol]
    ) -> None:
        self._alike = UnionFind[Term]()
        self._bases: dict[Term, Term] = {}
        self._signed: dict[Term, bool] = {}
        for root in _roots(statements):
            self._unite_within(root)
        for a, b in pairs:
            if not _sign_free(b):
                self._unite(a, b)
        for variable, symbol in symbols.items():
            if isinstance(variable.sort, BitVec):
                self._signed[variable] = symbol.signed
        declared = frozenset(self._signed)
        # An assignment to a decided variable counts as a use, so a second pass knows more.
        for _ in range(2):
            votes = self._votes(statements, pairs)
            for subject, vote in votes.items():
                if subject not in declared:
                    self._signed[subject] = vote > 0

    def signed(self, term: Term) -> bool:
        """Whether a variable, or the elements of an array, are signed."""
        return self._signed.get(self._subject(term), False)

    # --- classes of arrays --------------------------------------------------------------------------------------------

    def _subject(self, term: Term) -> Term:
        """The term that votes are counted for: the term itself or, for an array, the representative of its class."""
        if not isinstance(term.sort, Array):
            return term
        return self._alike.find(self._base(term))

    def _base(self, array: Term) -> Term:
        """The underlying array of writes, choices and nested reads. Chains of writes can be long."""
        chain: list[Term] = []
        while array.op in (ops.STORE, ops.SELECT, ops.ITE) and array not in self._bases:
            chain.append(array)
            array = array.args[1] if array.op is ops.ITE else array.args[0]
        base = self._bases.get(array, array)
        self._bases.update(dict.fromkeys(chain, base))
        return base

    def _unite(self, a: Term, b: Term) -> None:
        if is_bits_array(a.sort):
            older, younger = sorted((self._subject(a), self._subject(b)), key=lambda t: t.serial)
            self._alike.join(older, younger)

    def _unite_within(self, root: Term) -> None:
        for node in post_order(root):
            if node.op is ops.ITE or node.op is ops.EQ:
                self._unite(node.args[-2], node.args[-1])
            elif node.op is ops.STORE and isinstance(node.args[2].sort, Array):
                self._unite(node.args[0], node.args[2])
            elif node.op is ops.CONST_ARRAY and isinstance(node.args[0].sort, Array):
                self._unite(node, node.args[0])

    # --- votes --------------------------------------------------------------------------------------------------------

    def _votes(self, statements: list[Statement], pairs: list[tuple[Term, Term]]) -> Counter[Term]:
        votes: Counter[Term] = Counter()
        for root in _roots(statements):
            self._vote_within(root, 0, votes)
        for variable, value in pairs:
            if isinstance(value.sort, BitVec):
                self._vote_within(value, self._opinion(variable), votes)
                votes[self._subject(variable)] += self._opinion(value)
        for statement in statements:
            if isinstance(statement, Havoc) and isinstance(statement.source, Input):
                for variable in statement.variables:
                    votes[self._subject(variable)] += _opinion_of_type(statement.source.type)
        return votes

    def _opinion(self, term: Term) -> int:
        subject = term if term.op is ops.VARIABLE else term.args[0] if term.op is ops.SELECT else None
        decision = None if subject is None else self._signed.get(self._subject(subject))
        return 0 if decision is None else 1 if decision else -1

    def _vote_within(self, root: Term, initial: int, votes: Counter[Term]) -> None:
        wishes: Counter[Term] = Counter({root: initial})
        for node in reversed(list(post_order(root))):
            wish = wishes[node]
            if node.op is ops.VARIABLE or node.op is ops.SELECT:
                if isinstance(node.sort, BitVec) and wish:
                    votes[self._subject(node.args[0] if node.args else node)] += wish
            for position, arg in enumerate(node.args):
                if isinstance(arg.sort, BitVec):
                    passed = _wish(node.op, position, wish)
                    wishes[arg] += passed
                    if node.op is ops.STORE and position == 2:
                        wishes[arg] += self._opinion_of_elements(node)
                        votes[self._subject(node)] += self._opinion(arg)

    def _opinion_of_elements(self, array: Term) -> int:
        decision = self._signed.get(self._subject(array))
        return 0 if decision is None else 1 if decision else -1


def _wish(op: Op, position: int, wish: int) -> int:
    if op in _SIGNED:
        return 1
    if op in _UNSIGNED or (op in (ops.SELECT, ops.STORE) and position == 1):
        return -1
    if op in _PASSING or op is ops.ITE:
        return max(-1, min(1, wish))
    return 0


def _opinion_of_type(name: str) -> int:
    """The vote of an input's type, as C spells it."""
    words = name.split()
    if "unsigned" in words or "_Bool" in words or name.endswith("*"):
        return -1
    return 1 if any(word in ("int", "char", "short", "long", "signed") for word in words) else 0


def _sign_free(array: Term) -> bool:
    """A constant array of a number that is the same signed and unsigned is neutral: it may be assigned to both."""
    value = array
    while value.op is ops.CONST_ARRAY:
        value = value.args[0]
    if value is array or value.op is not ops.VALUE or not isinstance(value.sort, BitVec):
        return False
    return not value.payload >> (value.sort.width - 1)


def _roots(statements: list[Statement]) -> Iterator[Term]:
    for statement in statements:
        match statement:
            case Assume(condition):
                yield condition
            case Assign(_, value):
                yield value
            case Call(_, arguments, _):
                yield from arguments
            case Havoc(_, BitsOf(value) | Fresh(value)):
                yield value


def _assigned(program: Program, statements: list[Statement]) -> Iterator[tuple[Term, Term]]:
    """Pairs of variables and values they may get."""
    for statement in statements:
        if isinstance(statement, Assign):
            yield statement.variable, statement.value
        elif isinstance(statement, Call) and statement.procedure in program.procedures:
            callee = program.procedures[statement.procedure]
            yield from zip(callee.parameters, statement.arguments, strict=True)
            yield from zip(statement.results, callee.returns, strict=True)
