"""Terms and solvers: building, memory, translation, start-up, and what the layer adds to an incremental check."""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import count

from bench.measure import Figure, best_seconds
from craton.logic import (
    BOOL,
    INT,
    BitVec,
    Term,
    add,
    and_,
    bv,
    bvadd,
    bvmul,
    bvult,
    bvxor,
    eq,
    implies,
    int_,
    ite,
    lt,
    size,
    sub,
    table_size,
    var,
)

_fresh = count()
_WORD = BitVec(32)


def figures() -> Iterator[Figure]:
    yield Figure("building terms, integers", _building(_integers), "nodes/s", 400_000)
    yield Figure("building terms, bit-vectors", _building(_bits), "nodes/s", 400_000)
    yield Figure("memory of a node", _bytes_per_node(), "bytes", 500, more_is_better=False)
    for solver, goal in (("z3", 200_000), ("bitwuzla", 300_000), ("cvc5", None)):
        yield Figure(f"translation into {solver}, bit-vectors", _translation(solver), "nodes/s", goal)
    yield Figure("import craton with z3", _import_seconds(), "s", 0.25, more_is_better=False)
    for solver in ("z3", "bitwuzla", "cvc5"):
        layer, bare = _checks(solver)
        yield Figure(f"assumption check, {solver}, bare", bare * 1e6, "µs")
        yield Figure(f"assumption check, {solver}, layer / bare", layer / bare, "×", 2, more_is_better=False)


def _integers(steps: int) -> Term:
    """A chain like those that symbolic execution builds; new in every round."""
    start = next(_fresh) * 1_000_000
    term, limit = var(f"i{start}", INT), var("n", INT)
    for i in range(start, start + steps):
        term = ite(lt(term, limit), add(term, int_(i)), sub(limit, term))
    return term


def _bits(steps: int) -> Term:
    start = next(_fresh) * 1_000_000
    term, key = var(f"b{start}", _WORD), var("key", _WORD)
    for i in range(start, start + steps):
        term = bvxor(bvadd(bvmul(term, key), bv(i, 32)), key)
    return term


def _building(make: Callable[[int], Term], steps: int = 30_000) -> float:
    before = table_size()
    make(steps)
    nodes = table_size() - before
    return nodes / best_seconds(lambda: make(steps))


def _bytes_per_node(steps: int = 20_000) -> float:
    tracemalloc.start()
    before, terms = tracemalloc.get_traced_memory()[0], table_size()
    kept = _integers(steps), _bits(steps)
    used = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert kept
    return used / (table_size() - terms)


def _translation(solver: str, steps: int = 20_000) -> float:
    write = _writer(solver)
    best = 0.0
    for _ in range(5):
        term = eq(_bits(steps), bv(0, 32))
        nodes = size(term)
        start = time.process_time()
        write(term)
        best = max(best, nodes / (time.process_time() - start))
    return best


def _writer(solver: str) -> Callable[[Term], object]:
    if solver == "z3":
        from craton.smt.z3.solver import Shared as Z3

        return Z3.get().writer.write
    if solver == "bitwuzla":
        from craton.smt.bitwuzla.solver import Shared as Bitwuzla

        return Bitwuzla.get().writer.write
    from craton.smt.cvc5.solver import Shared as Cvc5

    return Cvc5.get().writer.write


def _import_seconds() -> float:
    """From a fresh interpreter to a solver that has answered, without the interpreter's own start."""
    program = """
import time
start = time.process_time()
import craton
from craton.smt.z3.solver import Z3Solver
Z3Solver().check()
print(time.process_time() - start)
"""
    runs = (subprocess.run([sys.executable, "-c", program], capture_output=True, check=True) for _ in range(7))
    return min(float(run.stdout) for run in runs)


def _checks(solver: str, repeats: int = 3_000) -> tuple[float, float]:
    """Seconds for one check under two assumption literals: through the layer, and by the solver's own call."""
    from craton.smt import make_solver

    p, q = var("p", BOOL), var("q", BOOL)
    x, y = var("x", _WORD), var("y", _WORD)
    made = make_solver(solver)
    made.add(implies(p, bvult(x, y)), implies(q, and_(bvult(y, x), eq(bvadd(x, y), bv(7, 32)))))
    made.check(p, q)
    bare = _bare_check(made, p, q)

    def layer() -> None:
        for _ in range(repeats):
            made.check(p, q)

    def direct() -> None:
        for _ in range(repeats):
            bare()

    return best_seconds(layer) / repeats, best_seconds(direct) / repeats


def _bare_check(solver: object, p: Term, q: Term) -> Callable[[], object]:
    from craton.smt.bitwuzla.solver import BitwuzlaSolver
    from craton.smt.cvc5.solver import Cvc5Solver
    from craton.smt.z3 import api
    from craton.smt.z3.solver import Z3Solver

    if isinstance(solver, Z3Solver):
        nodes = [solver._writer.write(t) for t in (p, q)]
        return lambda: api.solver_check_assumptions(solver._ref, solver._solver, 2, api.handles(nodes))
    if isinstance(solver, BitwuzlaSolver):
        literals = [solver._writer.write(t) for t in (p, q)]
        return lambda: solver._solver.check_sat(*literals)
    assert isinstance(solver, Cvc5Solver)
    terms = [solver._writer.write(t) for t in (p, q)]
    return lambda: solver._solver.checkSatAssuming(*terms)
