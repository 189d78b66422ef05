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
from craton.evidence.certificates.writing import as_data, make_certificate
from craton.logic import FALSE, TRUE, Function, Term, eq, free_variables, functions, not_, substitute, var
from craton.program.blocks import BlockSize, encode_blocks
from craton.program.cfa import Edge, Location, Program
from craton.program.preparation import prepare
from craton.program.statements import Assign, Assume, Havoc, Return
from craton.smt import Undecided, Unsat, make_solver, parse_script
from craton.smt.sexpr import unquoted
from craton.verdicts.proof import Proof
from craton.verdicts.provenance import Provenance
from craton.verdicts.result import Result
from craton.verdicts.verdict import Proved
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
    proof = Proof(program, maker.blocks, verdict.invariants, Provenance(engine, solvers=verdict.by), "", 0.0)
    return json.dumps(as_data(make_certificate(example.request, Result(Proved(proof), stage=engine))))


def certificate(name: str, engine: str = HORN) -> dict[str, Any]:
    """A certificate by an engine, made once; as data, to be changed at will."""
    made: dict[str, Any] = json.loads(_certificate(name, engine))
    return made


def in_format_1(certificate: Mapping[str, Any]) -> dict[str, Any]:
    """The certificate as Craton wrote it before format 2."""
    proof, found_by = certificate["proof"], certificate["found_by"]
    assert proof["kind"] == "invariants" and proof["k"] == 1 and not certificate["lemmas"]
    return {
        "format": certificate["format"],
        "version": 1,
        "craton": certificate["craton"],
        "program": certificate["program"],
        "found_by": {
            "engine": found_by["engine"],
            "refiner": found_by["refine"],
            "solver": "".join(found_by["solvers"][:1]),
        },
        "assumptions": certificate["assumptions"],
        "blocks": proof["blocks"],
        "symbols": [{k: v for k, v in entry.items() if k != "at"} for entry in certificate["symbols"]],
        "invariants": proof["invariants"],
    }


def in_blocks(program: Program, blocks: BlockSize) -> Program:
    return encode_blocks(prepare(program).small.program, blocks).program


def written(certificate: Mapping[str, Any], path: Path) -> Path:
    path.write_text(json.dumps(certificate), encoding="utf-8")
    return path


# --- the judge --------------------------------------------------------------------------------------------------------


def failing(certificate: Mapping[str, Any], example: Example, program: Program | None = None) -> set[str]:
    """Which conditions do not hold: "L3" for the start, "L3 → L7" for paths from one cut-point to another."""
    loaded = example.program if program is None else program
    single = prepare(loaded).small.program
    cuts = frozenset(in_blocks(loaded, certificate["proof"]["blocks"]).main.locations)
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


def failing_by_induction(certificate: Mapping[str, Any], example: Example, program: Program | None = None) -> set[str]:
    """Which conditions do not hold, of a proof with lemmas and any k, by the definition: "lemma: L3" for the start,
    "L3 → L7 → L7" for paths of k cut-points, or of fewer from the entry. Lemmas that fail are assumed nevertheless.
    """
    loaded = example.program if program is None else program
    single = prepare(loaded).small.program
    proved: dict[str, dict[Location, Term]] = {}
    found: set[str] = set()
    for lemma in certificate["lemmas"]:
        claims = _claims(certificate, single, lemma["proof"])
        proved[lemma["name"]] = claims
        flaws = _Induction(loaded, lemma["proof"], claims, proved, TRUE).flaws()
        found |= {f"{lemma['name']}: {flaw}" for flaw in flaws}
    claims = _claims(certificate, single)
    return found | _Induction(loaded, certificate["proof"], claims, proved, FALSE).flaws()


class _Induction:
    """The judge of one lemma or proof; `missing` is what a location without an invariant claims."""

    def __init__(
        self,
        program: Program,
        proof: Mapping[str, Any],
        claims: dict[Location, Term],
        proved: Mapping[str, dict[Location, Term]],
        missing: Term,
    ) -> None:
        self.single = prepare(program).small.program
        self.cuts = frozenset(in_blocks(program, proof["blocks"]).main.locations)
        self.k: int = proof["k"]
        self.claims = claims
        self.facts = [proved[name] for name in proof["assumes"]]
        self.missing = missing

    def flaws(self) -> set[str]:
        entry = self.single.main.entry
        found = {f"{location}" for location in self.claims if location not in self.cuts}
        if not _contradictory((*self._known(entry, {}), not_(self._claimed(entry)))):
            found.add(f"{entry}")
        if self.missing is FALSE:
            for location in self.single.errors:
                if not _contradictory((self.claims.get(location, FALSE),)):
                    found.add(f"{location}")
        for start in self.single.main.locations:
            if start in self.cuts:
                found |= self._flaws_from(start, (), (), start == entry)
        return found

    def _flaws_from(self, here: Location, path: tuple[Edge, ...], passed: tuple[Location, ...], all_: bool) -> set[str]:
        """Along all paths that go on from here: of k parts, or, with `all_`, of fewer too."""
        if len(passed) == self.k:
            return set()
        found: set[str] = set()
        for part in _paths(self.single, here, self.cuts):
            whole, cuts = (*path, *part), (*passed, here)
            target = part[-1].target
            if (all_ or len(cuts) == self.k) and not _contradictory(self._formulas(whole, target)):
                found.add(" → ".join(map(str, (*cuts, target))))
            found |= self._flaws_from(target, whole, cuts, all_)
        return found

    def _formulas(self, path: tuple[Edge, ...], target: Location) -> tuple[Term, ...]:
        parts: list[Term] = []
        now: dict[Term, Term] = {}
        for number, edge in enumerate(path):
            if edge.source in self.cuts:
                parts += [substitute(self._claimed(edge.source), now), *self._known(edge.source, now)]
            now, formula = _stepped(edge, number, now)
            parts.append(formula)
        return (*parts, *self._known(target, now), not_(substitute(self._claimed(target), now)))

    def _claimed(self, location: Location) -> Term:
        if self.missing is FALSE and location in self.single.errors:
            return FALSE
        return self.claims.get(location, self.missing)

    def _known(self, location: Location, now: Mapping[Term, Term]) -> list[Term]:
        return [substitute(fact[location], now) for fact in self.facts if location in fact]


def _claims(
    certificate: Mapping[str, Any], program: Program, proof: Mapping[str, Any] | None = None
) -> dict[Location, Term]:
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
    for entry in (certificate["proof"] if proof is None else proof)["invariants"]:
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
        now, formula = _stepped(edge, number, now)
        parts.append(formula)
    return (*parts, not_(substitute(after, now)))


def _stepped(edge: Edge, number: int, now: dict[Term, Term]) -> tuple[dict[Term, Term], Term]:
    """The names of the values after an edge, and what it says of them."""
    match edge.statement:
        case Assume(condition):
            return now, substitute(condition, now)
        case Assign(variable, value):
            named = _named(variable, number)
            return {**now, variable: named}, eq(named, substitute(value, now))
        case Havoc(variables):
            return {**now, **{v: _named(v, number) for v in variables}}, TRUE
        case Return():
            return now, TRUE
        case other:
            raise AssertionError(other)


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
