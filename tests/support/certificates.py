"""Certificates of the small programs, and a judge of them that shares nothing with the checker but the program: it
walks through single statements path by path, names every value anew (the checker substitutes, and merges paths), and
asks another solver.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from craton.configuration.engines import make_engine
from craton.configuration.stages import Stage
from craton.engines.contract import Budget, Safe
from craton.evidence.certificate import make_certificate
from craton.logic import FALSE, TRUE, Function, Term, eq, free_variables, functions, not_, substitute, var
from craton.program.blocks import encode_blocks
from craton.program.cfa import Edge, Location, Program
from craton.program.preparation import prepare
from craton.program.statements import Assign, Assume, Havoc, Return
from craton.smt import Undecided, Unsat, make_solver, parse_script
from craton.smt.sexpr import unquoted
from craton.verify import Proof, Result
from support.programs import BY_NAME, Example

SINGLE, HORN = "trace-abstraction(sbe)", "horn"
_QUICK = {
    SINGLE: """arrays/exchange.c arrays/other_place.c bits/average.c bits/exchange.c bits/mask.c bits/one_bit.c
        bits/quarter.c bits/rotate.c bits/sign_fill.c bits/thrice.c boogie/annotated.bpl boogie/bits.bpl
        boogie/bound.bpl boogie/function.bpl boogie/havoc.bpl boogie/jumps.bpl boogie/together.bpl
        boogie/two_indices.bpl control/assertion_holds.c control/jumping.c control/lock.c control/short_circuit.c
        floats/both_ways.c floats/truncated.c functions/larger.c loops/at_least_once.c loops/bound.c
        loops/changing_places.c loops/countdown.c loops/even.c loops/leaving.c loops/modulo.c loops/together.c
        memory/freed.c memory/inside.c overflow/guarded.c overflow/promoted.c pointers/bytes.c pointers/copies.c
        pointers/exchange.c pointers/members.c pointers/to_pointer.c""",
    HORN: """bits/mask.c bits/one_bit.c boogie/bits.bpl boogie/bound.bpl boogie/defined.bpl boogie/map_fill.bpl
        boogie/together.bpl control/falling.c control/jumping.c control/lock.c control/machine.c functions/results.c
        loops/bound.c loops/changing_places.c loops/countdown.c loops/even.c loops/leads.c loops/modulo.c
        loops/together.c""",
}
PROVED = tuple((name, engine) for engine, names in _QUICK.items() for name in names.split())


@cache
def _certificate(name: str, engine: str) -> str:
    example = BY_NAME[name]
    maker = make_engine(Stage(engine))
    program = in_blocks(example.program, maker.blocks)
    verdict = maker.run(program, Budget(60.0))
    assert isinstance(verdict, Safe), (name, engine, verdict)
    proof = Proof(program, maker.blocks, verdict.invariants, verdict.by, "", 0.0)
    return json.dumps(make_certificate(example.request, Result("true", stage=engine, proof=proof)))


def certificate(name: str, engine: str = HORN) -> dict[str, Any]:
    """A certificate by an engine, made once; as data, to be changed at will."""
    made: dict[str, Any] = json.loads(_certificate(name, engine))
    return made


def in_blocks(program: Program, blocks: int | None) -> Program:
    return encode_blocks(prepare(program).small.program, blocks).program


def written(certificate: Mapping[str, Any], path: Path) -> Path:
    path.write_text(json.dumps(certificate), encoding="utf-8")
    return path


# --- the judge --------------------------------------------------------------------------------------------------------


def failing(certificate: Mapping[str, Any], example: Example, program: Program | None = None) -> set[str]:
    """Which conditions do not hold: "L3" for the start, "L3 → L7" for paths from one cut-point to another."""
    loaded = example.program if program is None else program
    single = prepare(loaded).small.program
    cuts = frozenset(in_blocks(loaded, certificate["blocks"]).main.locations)
    claims = _claims(certificate, single)
    found = {f"{location}" for location in claims if location not in cuts}
    entry = single.main.entry
    if not _contradictory((not_(claims.get(entry, FALSE)),)):
        found.add(f"{entry}")
    for location in single.errors:
        if not _contradictory((claims.get(location, FALSE),)):
            found.add(f"{location}")
    for source in single.main.locations:
        if source in cuts and source not in single.errors:
            for path in _paths(single, source, cuts):
                target = path[-1].target
                after = FALSE if target in single.errors else claims.get(target, FALSE)
                if not _contradictory(_unfolded(claims.get(source, FALSE), path, after)):
                    found.add(f"{source} → {target}")
    return found


def _claims(certificate: Mapping[str, Any], program: Program) -> dict[Location, Term]:
    known: dict[tuple[str, str], Term | Function] = {
        (v.name, str(v.sort)): v for v in (*program.globals, *program.main.locals)
    }
    for edge in program.main.edges:
        for term in _terms(edge):
            known.update({(v.name, str(v.sort)): v for v in free_variables(term)})
            known.update({(f.name, str(f.result)): f for f in functions(term)})
    names = {}
    lines = []
    for entry in certificate["symbols"]:
        parameters = " ".join(entry["parameters"])
        lines.append(f"(declare-fun {entry['symbol']} ({parameters}) {entry['sort']})")
        names[unquoted(entry["symbol"])] = known[entry["name"], entry["sort"]]
    claims = {}
    for entry in certificate["invariants"]:
        (term,) = parse_script("\n".join([*lines, f"(assert {entry['formula']})"]), names)
        claims[Location(entry["location"])] = term
    return claims


def _terms(edge: Edge) -> tuple[Term, ...]:
    match edge.statement:
        case Assume(condition):
            return (condition,)
        case Assign(variable, value):
            return (variable, value)
        case Havoc(variables):
            return variables
    return ()


def _paths(program: Program, source: Location, cuts: frozenset[Location]) -> Iterator[tuple[Edge, ...]]:
    waiting: list[tuple[Edge, ...]] = [(edge,) for edge in program.main.outgoing(source)]
    while waiting:
        path = waiting.pop()
        if path[-1].target in cuts:
            yield path
        else:
            waiting.extend((*path, edge) for edge in program.main.outgoing(path[-1].target))


def _unfolded(before: Term, path: tuple[Edge, ...], after: Term) -> tuple[Term, ...]:
    """The formulas of a path, each value with a name of its own."""
    now: dict[Term, Term] = {}
    parts = [before]
    for number, edge in enumerate(path):
        match edge.statement:
            case Assume(condition):
                parts.append(substitute(condition, now))
            case Assign(variable, value):
                named = _named(variable, number)
                parts.append(eq(named, substitute(value, now)))
                now = {**now, variable: named}
            case Havoc(variables):
                now = {**now, **{v: _named(v, number) for v in variables}}
            case Return():
                pass
            case other:
                raise AssertionError(other)
    return (*parts, not_(substitute(after, now)))


def _named(variable: Term, number: int) -> Term:
    return var(f"{variable.name} after step {number}", variable.sort)


@cache
def _contradictory(formulas: tuple[Term, ...]) -> bool:
    if all(formula is TRUE for formula in formulas):
        return False
    solver = make_solver("z3", time_limit=20.0)
    solver.add(*formulas)
    answer = solver.check()
    assert not isinstance(answer, Undecided), answer.reason
    return isinstance(answer, Unsat)
