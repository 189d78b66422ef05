"""Constrained Horn clauses, solved by z3's Spacer.

A clause is `body ⇒ head`, where applications of unknown predicates may stand in the body and as the head. A solution
says for every predicate which of its arguments it holds for. Slicing and inlining must be off, since they would
dissolve the very predicates that are asked for. So must be what throws clauses away: a contradictory body makes its
clause vanish, after which z3 reports `true` for a predicate that must be false.

Spacer's solutions are wrong now and then, all the same: no solution is handed on unless it satisfies every clause.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from craton.errors import NotExpressible
from craton.logic import ops
from craton.logic.arithmetic import add, le, lt, mul
from craton.logic.build import rebuild
from craton.logic.core import and_, apply, eq, forall, implies
from craton.logic.sorts import BOOL, INT, Function
from craton.logic.terms import FALSE, TRUE, Term, int_, var
from craton.logic.walk import fold, free_variables, is_quantified, substitute
from craton.processes.running_time import asked, counts_work, running_time
from craton.smt.contract import Undecided
from craton.smt.z3 import api
from craton.smt.z3.api import Handle, consts
from craton.smt.z3.interrupt import Interrupt
from craton.smt.z3.solver import Shared, Z3Solver, limited

_OFF = ("slice", "inline_linear", "inline_eager", "subsumption_checker", "tail_simplifier_pve")


@dataclass(frozen=True, slots=True)
class Predicate:
    """An unknown: its symbol, and the variables in which to express its solution (at least one)."""

    function: Function
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Solution:
    meanings: Mapping[Predicate, Term]


@dataclass(frozen=True, slots=True)
class Derived:
    """A fact that follows from others by one of the clauses. `function` is None for `failure`."""

    function: Function | None
    arguments: tuple[Term, ...]
    premises: tuple[int, ...]  # earlier facts, by number, in no particular order


@dataclass(frozen=True, slots=True)
class NoSolution:
    """The clauses are contradictory: `failure` can be derived; from which facts, if that was asked for and z3 tells."""

    facts: tuple[Derived, ...] = ()


def failure() -> Term:
    """The head of clauses whose bodies must not hold."""
    return apply(_FAILURE.function, TRUE)


_FAILURE = Predicate(Function("failure", (BOOL,), BOOL), (TRUE,))


def solve(
    predicates: Sequence[Predicate],
    clauses: Sequence[Term],
    time_limit: float | None,
    *,
    guided: bool = False,
    derive: bool = False,
) -> Solution | NoSolution | Undecided:
    """With `derive`, what has no solution comes with the facts that show it. `guided`: look at all lemmas at once now
    and then (Spacer's global guidance); without it, loops are unrolled for ever where an invariant relates several
    variables. A solution satisfies all clauses: that was checked.
    """
    deadline = None if time_limit is None else running_time() + time_limit
    found = asked(
        lambda left: _spacer(predicates, clauses, left, guided=guided, derive=derive),
        time_limit,
        lambda answer: not isinstance(answer, Undecided),
    )
    if not isinstance(found, Solution):
        return found
    left = None if deadline is None else max(_LEAST_CHECK, deadline - running_time())
    problem = objection(found, clauses, left)
    return Undecided(f"z3: {problem}") if problem else found


def objection(found: Solution, clauses: Sequence[Term], time_limit: float | None) -> str:
    """Why the solution is none of the clauses, or is not known to be one; "" if it is."""
    deadline = None if time_limit is None else running_time() + time_limit
    solver = Z3Solver()
    for number, clause in enumerate(clauses, 1):
        left = None if deadline is None else max(0.001, deadline - running_time())
        valid = solver.is_valid(_told(clause, found), left)
        if valid is None:
            return "there was no time to check its solution of the Horn clauses"
        if not valid:
            return f"its solution of the Horn clauses is wrong: it does not satisfy clause {number}"
    return ""


def _told(clause: Term, found: Solution) -> Term:
    """The clause with the solution in the place of the unknowns; failure never holds."""
    known = {predicate.function: (predicate.arguments, meaning) for predicate, meaning in found.meanings.items()}

    def visit(node: Term, args: list[Term]) -> Term:
        if node.op is ops.APPLY and node.payload == _FAILURE.function:
            return FALSE
        if node.op is ops.APPLY and node.payload in known:
            parameters, meaning = known[node.payload]
            return substitute(meaning, {p: a for p, a in zip(parameters, args, strict=True) if p.is_variable})
        return rebuild(node, args) if args else node

    return fold(clause, visit)


_LEAST_CHECK = 0.5  # seconds for checking a solution, whatever is left


def _spacer(
    predicates: Sequence[Predicate], clauses: Sequence[Term], time_limit: float | None, *, guided: bool, derive: bool
) -> Solution | NoSolution | Undecided:
    z3 = Shared.get()
    context, writer = z3.context, z3.writer
    ref = context.ref
    horn = api.mk_fixedpoint(ref)
    api.fixedpoint_inc_ref(ref, horn)
    try:
        # Spacer's default is the old arithmetic solver, in which z3 sometimes crashes on large integer constants.
        settings: dict[str, bool | int | str] = {"engine": "spacer", "spacer__arith__solver": 6}
        settings |= {f"xform__{name}": False for name in _OFF}
        settings["spacer__global"] = guided
        if time_limit is not None:
            settings |= limited(time_limit)
        params = context.params(**settings)
        api.fixedpoint_set_params(ref, horn, params)
        api.params_dec_ref(ref, params)
        for predicate in (*predicates, _FAILURE):
            api.fixedpoint_register_relation(ref, horn, writer.function(predicate.function))
        for i, clause in enumerate(map(without_division, clauses)):
            if clause is TRUE:  # its body is contradictory; z3 takes it for no rule at all, and gives up
                continue
            variables = sorted(free_variables(clause), key=lambda v: v.serial)
            rule = writer.write(forall(variables, clause) if variables else clause)
            api.fixedpoint_add_rule(ref, horn, rule, context.symbol(f"clause{i + 1}"))
        context.check_error()
        start = running_time()
        answer = _query(ref, horn, writer.write(failure()), time_limit)
        if answer == consts.Z3_L_TRUE:
            return NoSolution(_facts(z3, api.fixedpoint_get_answer(ref, horn), predicates) if derive else ())
        if answer != consts.Z3_L_FALSE:
            reason = (api.fixedpoint_get_reason_unknown(ref, horn) or b"ok").decode(errors="replace")
            if reason == "ok":  # z3 gives no reason after a timeout, nor for clauses it cannot handle
                late = time_limit is not None and running_time() - start > 0.9 * time_limit
                reason = "timeout" if late else "the Horn clauses are beyond it"
            return Undecided(f"z3: {reason}")
        meanings = {}
        for predicate in predicates:
            cover = api.fixedpoint_get_cover_delta(ref, horn, -1, writer.function(predicate.function))
            meanings[predicate] = z3.reader.read_open(context.keep(cover), predicate.arguments)
        return Solution(meanings)
    except (api.Z3Error, NotExpressible) as error:
        return Undecided(f"z3: {error}")
    finally:
        api.fixedpoint_dec_ref(ref, horn)


def _facts(z3: Shared, proof: Handle, predicates: Sequence[Predicate]) -> tuple[Derived, ...]:
    """The facts of a proof by hyper-resolution, premises first; none if it is of another kind."""
    context, ref = z3.context, z3.context.ref
    known = {predicate.function: predicate for predicate in predicates}
    numbers: dict[Handle, int] = {}
    found: list[Derived] = []
    stack = [context.keep(proof)]
    while stack:
        node = stack[-1]
        if node in numbers:
            stack.pop()
            continue
        arguments = [api.get_app_arg(ref, node, i) for i in range(api.get_app_num_args(ref, node))]
        steps = [a for a in arguments if _is_resolution(ref, a)]
        missing = [step for step in steps if step not in numbers]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        if not _is_resolution(ref, node):  # the last one: failure leads to false
            break
        try:
            conclusion = z3.reader.read(arguments[-1])
        except NotExpressible:
            return ()
        function = conclusion.payload if conclusion.op is ops.APPLY else None
        if function is not None and function not in known and function != _FAILURE.function:
            return ()
        numbers[node] = len(found)
        told = () if function is None or function == _FAILURE.function else conclusion.args
        premises = tuple(numbers[step] for step in steps)
        found.append(Derived(function if function in known else None, told, premises))
    while found and found[-1].function is None and len(found[-1].premises) == 1 and _is_failure(found, found[-1]):
        found.pop()  # z3's own query, which follows from failure
    return tuple(found)


def _is_failure(found: Sequence[Derived], last: Derived) -> bool:
    return found[last.premises[0]].function is None


def _is_resolution(ref: object, node: Handle) -> bool:
    if api.get_ast_kind(ref, node) != consts.Z3_APP_AST:
        return False
    return bool(api.get_decl_kind(ref, api.get_app_decl(ref, node)) == consts.Z3_OP_PR_HYPER_RESOLVE)


def without_division(clause: Term) -> Term:
    """The clause with quotients and remainders by constants replaced by fresh variables that the body defines.

    Spacer's projection is known to crash on `mod`, and handles linear constraints better anyway.
    """
    definitions: dict[Term, tuple[Term, Term]] = {}  # by dividend and divisor: quotient and remainder

    def visit(node: Term, args: list[Term]) -> Term:
        if node.op in (ops.MOD, ops.DIV) and args[1].op is ops.VALUE and args[1].payload > 0:
            key = apply(_DIVISION, *args)
            if key not in definitions:
                number = len(definitions)
                definitions[key] = var(f"quotient!{number}", INT), var(f"remainder!{number}", INT)
            return definitions[key][node.op is ops.MOD]
        return rebuild(node, args) if args else node

    if is_quantified(clause):
        return clause
    changed = fold(clause, visit)
    facts = [
        and_(eq(key.args[0], add(mul(key.args[1], q), r)), le(int_(0), r), lt(r, key.args[1]))
        for key, (q, r) in definitions.items()
    ]
    return implies(and_(*facts), changed)


_DIVISION = Function("division", (INT, INT), BOOL)


def _query(ref: Handle, horn: Handle, goal: Handle, time_limit: float | None) -> int:
    """The query, interrupted if z3 does not respect the limit by itself."""
    if time_limit is None or counts_work():
        return int(api.fixedpoint_query(ref, horn, goal))
    with Interrupt(ref, 1.1 * time_limit + 0.1):
        return int(api.fixedpoint_query(ref, horn, goal))
