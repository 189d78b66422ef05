"""Elimination by solvers: z3's light and full tactics, cvc5's procedure, and programs with a command for it ([NR] 4.2).

None means that there was no result in time.
"""

from __future__ import annotations

from collections.abc import Sequence

from craton.errors import CratonError, NotExpressible
from craton.logic.core import and_, exists, or_
from craton.logic.terms import Term
from craton.processes.running_time import counts_work
from craton.smt.contract import Capability, Solver


def by_z3(variables: Sequence[Term], body: Term, tactic: str, time_limit: float | None) -> Term | None:
    """The formula after one of z3's tactics: `qe-light`, `qe` or `qe2`. It may still be quantified."""
    from craton.smt.z3 import api
    from craton.smt.z3.solver import Shared

    if counts_work() and tactic != "qe-light":  # it has no limit but time
        return None
    z3 = Shared.get()
    ref = z3.context.ref
    tactics: list[int] = []

    def kept(handle: int) -> int:
        """Takes a reference at once: the next call may make z3 free unreferenced nodes."""
        if not handle:
            z3.context.fail()
        api.tactic_inc_ref(ref, handle)
        tactics.append(handle)
        return handle

    first, last = kept(api.mk_tactic(ref, tactic.encode())), kept(api.mk_tactic(ref, b"simplify"))
    chain = kept(api.tactic_and_then(ref, first, last))
    if time_limit is not None and not counts_work():
        chain = kept(api.tactic_try_for(ref, chain, max(1, int(time_limit * 1000))))
    goal = api.mk_goal(ref, False, False, False)
    api.goal_inc_ref(ref, goal)
    result = 0
    try:
        api.goal_assert(ref, goal, z3.writer.write(exists(variables, body)))
        result = api.tactic_apply(ref, chain, goal)
        if not result:
            return None
        api.apply_result_inc_ref(ref, result)
        cases = []
        for i in range(api.apply_result_get_num_subgoals(ref, result)):
            subgoal = api.apply_result_get_subgoal(ref, result, i)
            parts = [api.goal_formula(ref, subgoal, j) for j in range(api.goal_size(ref, subgoal))]
            cases.append(and_(*(z3.reader.read(part) for part in parts)))
        return or_(*cases)
    except (api.Z3Error, NotExpressible):
        return None
    finally:
        if result:
            api.apply_result_dec_ref(ref, result)
        api.goal_dec_ref(ref, goal)
        for handle in tactics:
            api.tactic_dec_ref(ref, handle)


def by_cvc5(variables: Sequence[Term], body: Term, time_limit: float | None) -> Term | None:
    from craton.smt.cvc5.solver import Shared, new_cvc5

    shared = Shared.get()
    solver = new_cvc5(incremental="true")
    if time_limit is not None:
        solver.setOption("tlimit-per", str(max(1, int(time_limit * 1000))))
    try:
        question = shared.writer.write(exists(variables, body))
        return shared.reader.read(solver.getQuantifierElimination(question))
    except (RuntimeError, NotExpressible):
        return None


def by_command() -> list[str]:
    """The solver programs that have a command for it."""
    from craton.smt.process.presets import PRESETS

    return [name for name, preset in PRESETS.items() if Capability.ELIMINATION in preset.can]


def by_process(solver: Solver, variables: Sequence[Term], body: Term, time_limit: float | None) -> Term | None:
    from craton.smt.process.solver import ProcessSolver

    assert isinstance(solver, ProcessSolver)
    try:
        return solver.simplified(exists(variables, body), time_limit)
    except CratonError:  # outside of its fragment, no reply in time, or one that cannot be read
        return None
