"""Translation of z3's terms to ours: interpolants, eliminated formulas, model values and parsed SMT-LIB text.

Operations are recognised by their SMT-LIB names, which z3 uses for its declarations, including some that it has no
public number for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from craton.errors import NotExpressible
from craton.logic import core
from craton.logic.sorts import BOOL, INT, REAL, ROUNDING_MODE, Array, BitVec, Float, Function, Sort
from craton.logic.terms import Term, fp_bits, value, var
from craton.smt.vocabulary import BY_RESULT, INDEXED, PLAIN
from craton.smt.z3 import api
from craton.smt.z3.api import Context, Handle, consts

_APP, _NUMERAL, _VAR, _QUANTIFIER = (
    consts.Z3_APP_AST,
    consts.Z3_NUMERAL_AST,
    consts.Z3_VAR_AST,
    consts.Z3_QUANTIFIER_AST,
)
_UNINTERPRETED = consts.Z3_OP_UNINTERPRETED
_FLOAT_NUMERAL = "fp.numeral"


class Reader:
    """Reads nodes of one context. Free variables get their own name and sort back."""

    def __init__(self, context: Context, names: Mapping[str, Term | Function] | None = None) -> None:
        self.context = context
        self._names = names or {}  # what symbols of a script mean, unless that is their own name
        self._sorts: dict[Handle, Sort] = {}
        self._heads: dict[Handle, _Head] = {}
        self._loose_parts: dict[Handle, frozenset[int | Term]] = {}  # of the nodes below the root that is being read

    def read(self, root: Handle) -> Term:
        """The term of a node without loose bound variables."""
        return self._read(root, _Scope(None, ()))

    def read_open(self, root: Handle, arguments: Sequence[Term]) -> Term:
        """The term of a node whose loose variables 0, 1, … stand for `arguments`."""
        return self._read(root, _Scope(None, tuple(reversed(arguments))))

    def _read(self, root: Handle, outermost: _Scope) -> Term:
        ref = self.context.ref
        self._loose_parts = {}  # nodes are known by their addresses, which may be another's in the next call
        stack: list[tuple[Handle, _Scope]] = [(root, outermost)]
        while stack:
            node, scope = stack[-1]
            if node in scope.memo:
                stack.pop()
                continue
            kind = api.get_ast_kind(ref, node)
            if kind == _QUANTIFIER:
                inner = scope.entered.get(node)
                if inner is None:
                    inner = scope.entered[node] = self._enter(node, scope)
                body = api.get_quantifier_body(ref, node)
                if body not in inner.memo:
                    stack.append((body, inner))
                    continue
                stack.pop()
                quantify = core.forall if api.is_quantifier_forall(ref, node) else core.exists
                scope.memo[node] = quantify(inner.bound, inner.memo[body])
            elif kind == _VAR:
                stack.pop()
                scope.memo[node] = scope.variable(api.get_index_value(ref, node))
            elif kind in (_NUMERAL, _APP):
                args = [api.get_app_arg(ref, node, i) for i in range(api.get_app_num_args(ref, node))]
                missing = [(a, scope) for a in args if a not in scope.memo]
                if missing:
                    stack.extend(missing)
                    continue
                stack.pop()
                scope.memo[node] = self._application(node, kind, [scope.memo[a] for a in args])
            else:
                raise NotExpressible("z3 answered with something that is not a formula")
        return outermost.memo[root]

    def _enter(self, node: Handle, scope: _Scope) -> _Scope:
        ref = self.context.ref
        if not api.is_quantifier_forall(ref, node) and not api.is_quantifier_exists(ref, node):
            raise NotExpressible("z3 answered with a lambda, which has no counterpart in Craton's formulas")
        count = api.get_quantifier_num_bound(ref, node)
        taken = self._mentioned(api.get_quantifier_body(ref, node), count, scope)
        bound: list[Term] = []
        for i in range(count):
            sort = self.sort(api.get_quantifier_bound_sort(ref, node, i))
            name = self._symbol(api.get_quantifier_bound_name(ref, node, i))
            known = self._names.get(name)
            variable = known if isinstance(known, Term) and known.sort is sort else var(name, sort)
            # A variable of the same name but another sort is a different variable: nothing is captured.
            others = [*taken, *bound]
            bound.append(core.fresh(variable.name, sort, others) if variable in others else variable)
        return _Scope(scope, tuple(bound))

    def _mentioned(self, body: Handle, own: int, scope: _Scope) -> list[Term]:
        """The outer variables that occur in a quantifier's body (which binds `own` variables): it must not capture
        them.
        """
        loose = self._loose(body)
        outer = sorted(x - own for x in loose if isinstance(x, int) and x >= own)
        found = [scope.variable(index) for index in outer]
        return list(dict.fromkeys([*found, *(x for x in loose if isinstance(x, Term))]))

    def _loose(self, root: Handle) -> frozenset[int | Term]:
        """The loose variables of a node, by their numbers, and its free symbols. Each node is looked at once, however
        many quantifiers it is below.
        """
        ref, known = self.context.ref, self._loose_parts
        stack = [root]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
                continue
            kind = api.get_ast_kind(ref, node)
            if kind == _QUANTIFIER:
                parts = [api.get_quantifier_body(ref, node)]
            else:
                count = api.get_app_num_args(ref, node) if kind == _APP else 0
                parts = [api.get_app_arg(ref, node, i) for i in range(count)]
            missing = [part for part in parts if part not in known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            known[node] = self._loose_at(node, kind, [known[part] for part in parts])
        return known[root]

    def _loose_at(self, node: Handle, kind: int, parts: list[frozenset[int | Term]]) -> frozenset[int | Term]:
        ref = self.context.ref
        if kind == _VAR:
            return frozenset((api.get_index_value(ref, node),))
        if kind == _QUANTIFIER:
            own = api.get_quantifier_num_bound(ref, node)
            shifted = (x - own if isinstance(x, int) else x for x in parts[0])
            return frozenset(x for x in shifted if isinstance(x, Term) or x >= 0)
        if kind == _APP and not parts:
            declaration = api.get_app_decl(ref, node)
            if api.get_decl_kind(ref, declaration) == _UNINTERPRETED:
                symbol = self.symbol_of(declaration)
                assert isinstance(symbol, Term)
                return frozenset((symbol,))
        if not parts:
            return frozenset()
        largest = max(parts, key=len)
        rest = [part for part in parts if part is not largest and not part <= largest]
        return largest.union(*rest) if rest else largest

    def _application(self, node: Handle, kind: int, args: list[Term]) -> Term:
        ref = self.context.ref
        if kind == _NUMERAL:
            sort = self.sort(api.get_sort(ref, node))
            if sort is INT or sort is REAL or isinstance(sort, BitVec):
                text = api.get_numeral_string(ref, node).decode()
                return value(Fraction(text) if sort is REAL else int(text), sort)
            # z3 also counts `(fp …)` of constants and rounding modes among the numerals.
        head = self._head(api.get_app_decl(ref, node))
        if head.build is not None:
            return head.build(args)
        sort = self.sort(api.get_sort(ref, node))
        if head.name == _FLOAT_NUMERAL:
            assert isinstance(sort, Float)
            return self._float(node, sort)
        return BY_RESULT[head.name](sort, args)

    def _float(self, node: Handle, sort: Float) -> Term:
        ref = self.context.ref
        fields = []
        for call, flag in (
            (api.fpa_get_numeral_sign_bv, ()),
            (api.fpa_get_numeral_exponent_bv, (True,)),
            (api.fpa_get_numeral_significand_bv, ()),
        ):
            field = call(ref, node, *flag)
            if not field:  # NaN has no fields
                return fp_bits((1 << (sort.width - 1)) - 1, sort)
            fields.append(int(api.get_numeral_string(ref, self.context.keep(field))))
        sign, exponent, significand = fields
        return fp_bits(sign << (sort.width - 1) | exponent << (sort.significand_bits - 1) | significand, sort)

    def _head(self, declaration: Handle) -> _Head:
        head = self._heads.get(declaration)
        if head is None:
            self.context.keep(declaration)  # its address is a key, so it must not be reused
            head = self._heads[declaration] = self._new_head(declaration)
        return head

    def _new_head(self, declaration: Handle) -> _Head:
        ref = self.context.ref
        name = self.name_of(declaration)
        kind = api.get_decl_kind(ref, declaration)
        if kind == _UNINTERPRETED:
            return _Head(name, self._uninterpreted(declaration))
        if kind == consts.Z3_OP_RECURSIVE:
            raise NotExpressible(f"{name} is defined by recursion, which has no counterpart in Craton's formulas")
        indices = self.indices(declaration)
        if name in INDEXED:
            constructor = INDEXED[name]
            return _Head(name, lambda args: constructor(*indices, *args))
        if name in PLAIN:
            plain = PLAIN[name]
            return _Head(name, lambda args: plain(*args))
        if name in BY_RESULT or name == _FLOAT_NUMERAL:
            return _Head(name, None)
        raise NotExpressible(f"z3 answered with {name!r}, which has no counterpart in Craton's formulas")

    def _uninterpreted(self, declaration: Handle) -> Callable[[Sequence[Term]], Term]:
        symbol = self.symbol_of(declaration)
        if isinstance(symbol, Term):
            return lambda args: symbol
        return lambda args: core.apply(symbol, *args)

    def name_of(self, declaration: Handle) -> str:
        return self._symbol(api.get_decl_name(self.context.ref, declaration))

    def is_numbered(self, declaration: Handle) -> bool:
        """Is it one of the numbered symbols, which represent named assertions?"""
        ref = self.context.ref
        kind = api.get_symbol_kind(ref, api.get_decl_name(ref, declaration))
        return bool(kind == consts.Z3_INT_SYMBOL)

    def has_loose_variables(self, root: Handle) -> bool:
        """Does a quantifier-free node mention variables that an enclosing quantifier binds?"""
        ref = self.context.ref
        seen: set[Handle] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            kind = api.get_ast_kind(ref, node)
            if kind == _VAR:
                return True
            if kind == _APP:
                stack.extend(api.get_app_arg(ref, node, i) for i in range(api.get_app_num_args(ref, node)))
        return False

    def symbol_of(self, declaration: Handle) -> Term | Function:
        """The variable or function of a declaration."""
        ref = self.context.ref
        name = self.name_of(declaration)
        known = self._names.get(name)
        if known is not None:
            return known
        result = self.sort(api.get_range(ref, declaration))
        arity = api.get_arity(ref, declaration)
        if arity == 0:
            return var(name, result)
        return Function(name, tuple(self.sort(api.get_domain(ref, declaration, i)) for i in range(arity)), result)

    def indices(self, declaration: Handle) -> tuple[int, ...]:
        ref = self.context.ref
        return tuple(
            api.get_decl_int_parameter(ref, declaration, i)
            for i in range(api.get_decl_num_parameters(ref, declaration))
            if api.get_decl_parameter_kind(ref, declaration, i) == consts.Z3_PARAMETER_INT
        )

    def sort(self, handle: Handle) -> Sort:
        sort = self._sorts.get(handle)
        if sort is None:
            self.context.keep(handle)
            sort = self._sorts[handle] = self._new_sort(handle)
        return sort

    def _new_sort(self, handle: Handle) -> Sort:
        ref = self.context.ref
        kind = api.get_sort_kind(ref, handle)
        if kind == consts.Z3_BV_SORT:
            return BitVec(api.get_bv_sort_size(ref, handle))
        if kind == consts.Z3_FLOATING_POINT_SORT:
            return Float(api.fpa_get_ebits(ref, handle), api.fpa_get_sbits(ref, handle))
        if kind == consts.Z3_ARRAY_SORT:
            index = self.sort(api.get_array_sort_domain(ref, handle))
            return Array(index, self.sort(api.get_array_sort_range(ref, handle)))
        if kind not in _BASIC_SORTS:
            raise NotExpressible("a sort other than Bool, Int, Real, bit-vectors, floats and arrays")
        return _BASIC_SORTS[kind]

    def _symbol(self, symbol: Handle) -> str:
        ref = self.context.ref
        if api.get_symbol_kind(ref, symbol) == consts.Z3_INT_SYMBOL:
            return f"k!{api.get_symbol_int(ref, symbol)}"
        return api.get_symbol_string(ref, symbol).decode()  # type: ignore[no-any-return]


class _Head:
    """What an application's declaration means. `build` is None where the result's sort is needed too."""

    __slots__ = ("build", "name")

    def __init__(self, name: str, build: Callable[[Sequence[Term]], Term] | None) -> None:
        self.name = name
        self.build = build


class _Scope:
    """A quantifier's body (or the whole term) and the nodes read in it: the same node means different things in
    different scopes.
    """

    __slots__ = ("bound", "entered", "memo", "parent")

    def __init__(self, parent: _Scope | None, bound: tuple[Term, ...]) -> None:
        self.parent = parent
        self.bound = bound
        self.memo: dict[Handle, Term] = {}
        self.entered: dict[Handle, _Scope] = {}

    def variable(self, index: int) -> Term:
        """de Bruijn: the last bound variable of the innermost quantifier is 0."""
        scope: _Scope | None = self
        while scope is not None:
            if index < len(scope.bound):
                return scope.bound[len(scope.bound) - 1 - index]
            index -= len(scope.bound)
            scope = scope.parent
        raise NotExpressible("z3 answered with a loose bound variable")


_BASIC_SORTS: dict[int, Sort] = {
    consts.Z3_BOOL_SORT: BOOL,
    consts.Z3_INT_SORT: INT,
    consts.Z3_REAL_SORT: REAL,
    consts.Z3_ROUNDING_MODE_SORT: ROUNDING_MODE,
}
