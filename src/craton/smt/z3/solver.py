"""z3 in process."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import ClassVar

from craton.errors import MissingCapability
from craton.logic import ops
from craton.logic.core import not_
from craton.logic.evaluation import FunctionTable, Model, evaluate, zero
from craton.logic.ops import Op, Theory
from craton.logic.semantics import ArrayValue, Value
from craton.logic.sorts import BOOL, Array, BitVec, Function, Sort
from craton.logic.terms import Term
from craton.logic.walk import free_variables
from craton.logic.walk import functions as applied_functions
from craton.processes.running_time import counts_work
from craton.smt.contract import Answer, Capability, Core, Fragment, Solver, Undecided, Unsat
from craton.smt.querylog import QueryLog
from craton.smt.z3 import api
from craton.smt.z3.api import Context, Handle, consts, handles
from craton.smt.z3.reading import Reader
from craton.smt.z3.writing import Writer


class Shared:
    """The one context of this process, and the terms translated so far, for solvers and tactics alike."""

    _instance: ClassVar[Shared | None] = None

    def __init__(self) -> None:
        self.context = Context()
        self.writer = Writer(self.context)
        self.reader = Reader(self.context)
        self.dropped: list[Handle] = []  # solvers that are no longer referenced

    def free_dropped(self) -> None:
        while self.dropped:
            api.solver_dec_ref(self.context.ref, self.dropped.pop())

    @classmethod
    def get(cls) -> Shared:
        if cls._instance is None:
            cls._instance = Shared()
        return cls._instance


# z3's reasons for a query that was stopped.
_MOST = 0xFFFFFFFF
_RESOURCES_A_SECOND = 2_000_000  # of z3's units, about
_STOPPED = ("cancel", "timeout", "interrupt", "resource", "memory")


def limited(seconds: float | None) -> dict[str, bool | int | str]:
    """z3's settings for a limit. It takes milliseconds, whose largest number means no limit; or counts what it does, if
    work is counted.
    """
    if counts_work():
        return {"rlimit": 0 if seconds is None else max(1, min(int(seconds * _RESOURCES_A_SECOND), _MOST))}
    return {"timeout": _MOST if seconds is None else max(1, min(int(seconds * 1000), _MOST - 1))}


class Z3Solver(Solver):
    name = "z3"
    can = frozenset(Capability)
    fragment = Fragment(frozenset(Theory), wrong_in_tiny_formats=frozenset((ops.FP_FMA, ops.FP_ROUND)))

    def __init__(
        self, *, time_limit: float | None = None, log: QueryLog | None = None, logic: str | None = None, seed: int = 0
    ) -> None:
        """`logic` selects one of z3's specialised solvers (for example QF_BV) instead of the general one."""
        super().__init__(time_limit=time_limit, log=log)
        shared = Shared.get()
        shared.free_dropped()
        self._dropped = shared.dropped
        self._context, self._writer, self._reader = shared.context, shared.writer, shared.reader
        self._ref = self._context.ref
        self._logic = logic
        self._seed = seed
        self._numbers = itertools.count()
        self._begin()

    def _begin(self) -> None:
        """Makes a new, empty z3 solver."""
        ref = self._ref
        if self._logic is None:
            self._solver: Handle = api.mk_solver(ref)
        else:
            self._solver = api.mk_solver_for_logic(ref, self._context.symbol(self._logic))
        if not self._solver:
            self._context.fail()
        api.solver_inc_ref(ref, self._solver)
        self._limit: float | None = None
        if self._seed:
            self._set_limit(None)
        self._trackers: dict[Handle, str] = {}  # the Boolean constants that stand for named assertions

    def _begin_again(self) -> None:
        """z3 may leave a solver in a broken state if time runs out while a formula is being asserted: the next pop
        crashes, or freeing it does. So it is never touched again, and a new solver gets the assertions.
        """
        self._begin()
        for depth, scope in enumerate(self._scopes):
            if depth:
                self._push()
            for name, formula in scope:
                self._assert(formula, name or None)

    def close(self) -> None:
        if self._solver:
            api.solver_dec_ref(self._ref, self._solver)
            self._solver = 0

    def __del__(self) -> None:
        """Frees nothing yet: Python may collect garbage while z3 works in another thread, or may be shutting down."""
        if getattr(self, "_solver", 0):
            self._dropped.append(self._solver)

    def _assert(self, formula: Term, name: str | None) -> None:
        try:
            node = self._writer.write(formula)
        except api.Z3Error as error:
            raise MissingCapability(f"z3 cannot take this formula: {error}") from error
        if name is None:
            api.solver_assert(self._ref, self._solver, node)
        else:
            symbol = api.mk_int_symbol(self._ref, next(self._numbers))  # clashes with no variable's name
            tracker = self._context.keep(api.mk_const(self._ref, symbol, api.mk_bool_sort(self._ref)))
            self._trackers[tracker] = name
            api.solver_assert_and_track(self._ref, self._solver, node, tracker)
        self._context.check_error()

    def _push(self) -> None:
        api.solver_push(self._ref, self._solver)

    def _pop(self) -> None:
        api.solver_pop(self._ref, self._solver, 1)

    def _check(self, assumptions: Sequence[Term], limit: float | None) -> Answer:
        if limit != self._limit:
            self._set_limit(limit)
        if assumptions:
            write = self._writer.write
            try:
                nodes = [write(a) for a in assumptions]
            except api.Z3Error as error:
                raise MissingCapability(f"z3 cannot take this formula: {error}") from error
            answer = api.solver_check_assumptions(self._ref, self._solver, len(nodes), handles(nodes))
        else:
            nodes = []
            answer = api.solver_check_assumptions(self._ref, self._solver, 0, None)
        if answer == consts.Z3_L_TRUE:
            return self._sat(lambda: self._model(assumptions), self._value)
        if answer == consts.Z3_L_FALSE:
            return self._unsat(lambda: self._core(dict(zip(nodes, assumptions, strict=True))))
        reason = api.solver_get_reason_unknown(self._ref, self._solver).decode(errors="replace")
        if any(word in reason for word in _STOPPED):
            self._begin_again()
        return Undecided(f"z3: {reason}")

    def is_valid(self, formula: Term, time_limit: float | None = None) -> bool | None:
        """Asserted in a scope: z3 takes two to four times as long if what it assumes is more than a literal."""
        with self.scope():
            self.add(not_(formula))
            answer = self.check(time_limit=time_limit)
        return None if isinstance(answer, Undecided) else isinstance(answer, Unsat)

    def _set_limit(self, limit: float | None) -> None:
        self._limit = limit
        params = self._context.params(**limited(limit), random_seed=self._seed)
        api.solver_set_params(self._ref, self._solver, params)
        api.params_dec_ref(self._ref, params)

    def _core(self, assumptions: dict[Handle, Term]) -> Core:
        ref = self._ref
        vector = api.solver_get_unsat_core(ref, self._solver)
        api.ast_vector_inc_ref(ref, vector)
        members = [api.ast_vector_get(ref, vector, i) for i in range(api.ast_vector_size(ref, vector))]
        api.ast_vector_dec_ref(ref, vector)
        chosen = set(members)
        return Core(
            names=tuple(name for tracker, name in self._trackers.items() if tracker in chosen and name in self._names),
            assumptions=tuple(term for node, term in assumptions.items() if node in chosen),
        )

    def _model(self, assumptions: Sequence[Term]) -> Model:
        formulas = [*(formula for _, formula in self.assertions), *assumptions]
        model = api.solver_get_model(self._ref, self._solver)
        if not model:
            self._context.fail()
        api.model_inc_ref(self._ref, model)
        try:
            return ModelReader(self._reader, model).read(formulas)
        finally:
            api.model_dec_ref(self._ref, model)

    def _value(self, variable: Term) -> Value:
        model = api.solver_get_model(self._ref, self._solver)
        if not model:
            self._context.fail()
        api.model_inc_ref(self._ref, model)
        try:
            return ModelReader(self._reader, model).value(variable, self._writer.write(variable))
        finally:
            api.model_dec_ref(self._ref, model)


class ModelReader:
    """Translates a z3 model to ours."""

    def __init__(self, reader: Reader, model: Handle) -> None:
        self._reader = reader
        self._ref = reader.context.ref
        self._model = model

    def read(self, formulas: Sequence[Term]) -> Model:
        """The part of the model that these formulas use: z3's own auxiliary symbols may not even have values, and what
        any script has ever defined in this context is in every model, under names that our variables may have, too.
        """
        ref, model = self._ref, self._model
        asked = frozenset[Term]().union(*map(free_variables, formulas))
        values: dict[Term, Value] = {}
        for i in range(api.model_get_num_consts(ref, model)):
            declaration = api.model_get_const_decl(ref, model, i)
            declared = api.get_decl_kind(ref, declaration) == consts.Z3_OP_UNINTERPRETED
            if declared and not self._reader.is_numbered(declaration):
                variable = self._reader.symbol_of(declaration)
                assert isinstance(variable, Term)
                if variable in asked:
                    meaning = api.model_get_const_interp(ref, model, declaration)
                    values[variable] = self._value(meaning, variable.sort)
        functions: dict[Function, FunctionTable] = {}
        applied = frozenset(applied_functions(*formulas)) if api.model_get_num_funcs(ref, model) else frozenset()
        choices: dict[Op, FunctionTable] = {}
        for i in range(api.model_get_num_funcs(ref, model)):
            declaration = api.model_get_func_decl(ref, model, i)
            if api.get_decl_kind(ref, declaration) == consts.Z3_OP_UNINTERPRETED:
                symbol = self._reader.symbol_of(declaration)
                assert isinstance(symbol, Function)
                if symbol in applied:
                    functions[symbol] = self._table(declaration)
            else:
                op = _CHOSEN.get(self._reader.name_of(declaration))
                if op is not None and self._has_constant_default(declaration):
                    choices[op] = self._table(declaration)
        return Model(values, functions, choices)

    def value(self, variable: Term, node: Handle) -> Value:
        """The value of one variable, whose translation is `node`."""
        declaration = api.get_app_decl(self._ref, node)
        meaning = api.model_get_const_interp(self._ref, self._model, declaration)
        return self._value(meaning, variable.sort) if meaning else zero(variable.sort)

    def _value(self, node: Handle, sort: Sort | None = None) -> Value:
        """Of a constant; of Booleans and bit-vectors, which most are, without making a term of it first."""
        ref = self._ref
        if sort is BOOL:
            truth = api.get_bool_value(ref, node)
            if truth != consts.Z3_L_UNDEF:
                return bool(truth == consts.Z3_L_TRUE)
        elif isinstance(sort, BitVec) and api.get_ast_kind(ref, node) == consts.Z3_NUMERAL_AST:
            return int(api.get_numeral_string(ref, node))
        self._reader.context.keep(node)
        if api.get_ast_kind(ref, node) == consts.Z3_APP_AST:
            declaration = api.get_app_decl(ref, node)
            if isinstance(self._reader.sort(api.get_sort(ref, node)), Array):
                return self._array(node, declaration)
        return evaluate(self._reader.read(node), {})

    def _array(self, node: Handle, declaration: Handle) -> Value:
        """Writes on top of a constant array or of a function's table, without recursion: the chains can be long."""
        ref = self._ref
        writes = []
        while api.get_decl_kind(ref, declaration) == consts.Z3_OP_STORE:
            writes.append((self._value(api.get_app_arg(ref, node, 1)), self._value(api.get_app_arg(ref, node, 2))))
            node = api.get_app_arg(ref, node, 0)
            declaration = api.get_app_decl(ref, node)
        kind = api.get_decl_kind(ref, declaration)
        if kind == consts.Z3_OP_CONST_ARRAY:
            base = ArrayValue(self._value(api.get_app_arg(ref, node, 0)), {})
        elif kind == consts.Z3_OP_AS_ARRAY:
            table = self._table(api.get_decl_func_decl_parameter(ref, declaration, 0))
            base = ArrayValue(table.default, {key[0]: element for key, element in table.entries.items()})
        else:
            base = evaluate(self._reader.read(node), {})
        return ArrayValue(base.default, {**base.entries, **dict(reversed(writes))})

    def _table(self, declaration: Handle) -> FunctionTable:
        ref = self._ref
        interpretation = api.model_get_func_interp(ref, self._model, declaration)
        api.func_interp_inc_ref(ref, interpretation)
        entries = {}
        for i in range(api.func_interp_get_num_entries(ref, interpretation)):
            entry = api.func_interp_get_entry(ref, interpretation, i)
            api.func_entry_inc_ref(ref, entry)
            count = api.func_entry_get_num_args(ref, entry)
            key = tuple(self._value(api.func_entry_get_arg(ref, entry, j)) for j in range(count))
            entries[key] = self._value(api.func_entry_get_value(ref, entry))
        return FunctionTable(self._value(api.func_interp_get_else(ref, interpretation)), entries)

    def _has_constant_default(self, declaration: Handle) -> bool:
        """z3 sometimes describes a partial operation as "otherwise what it always does"."""
        interpretation = api.model_get_func_interp(self._ref, self._model, declaration)
        api.func_interp_inc_ref(self._ref, interpretation)
        default = api.func_interp_get_else(self._ref, interpretation)
        return bool(default) and not self._reader.has_loose_variables(default)


# z3's names for results that SMT-LIB leaves open.
_CHOSEN = {"div0": ops.DIV, "mod0": ops.MOD, "/0": ops.DIVIDE}
