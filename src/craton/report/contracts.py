"""Invariants and contracts in the user's words: `q.count <= 8`, `ensures \\result >= \\old(n)`. Of C programs in C, as
far as C can say it; of Boogie programs in the notation of formulas. Both have the names of the text, where a value at
the entry is `\\old(x)` and what a function returns is `\\result`; Boogie says `old(x)`, and calls results by name.
A variable of a caller that still has the value that a parameter was given is told as `\\at(parameter, Pre)`; any other
variable of another function that is called as one of here is told as debuggers do: `main::x`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from craton.errors import NotExpressible
from craton.logic import Term, substitute, var
from craton.logic.infix import infix
from craton.program.cfa import Location, Procedure, Program, Symbol
from craton.program.elements import with_arrays
from craton.program.origin import SourceRange
from craton.program.spelling import plain
from craton.program.statements import Call
from craton.program.variables import at_entry, reads, writes
from craton.report.conjunctions import Said, in_c
from craton.report.pointers import Pointers
from craton.verdicts.proof import ShownContract

_NEAR = 20  # locations behind a loop head, in which its variables are looked for


def told_contract(contract: ShownContract, program: Program) -> list[dict[str, Any]]:
    """What is required and ensured, one entry each; as entries of a report."""
    names = _names(program.procedures[contract.procedure], program)
    return [
        told(f"{contract.procedure} {word}", _text(formula, names, program))
        for word, formula in (("requires", contract.requires), ("ensures", contract.ensures))
    ]


def told_invariant(location: Location, invariant: Term, program: Program, loaded: Program | None) -> dict[str, Any]:
    """An invariant at the head of a loop, in the same words. Names are those of the function that has the loop in the
    program that was loaded; in the one that was proved its calls may be inlined.
    """
    home = next(procedure for procedure in program.procedures.values() if location in procedure.locations)
    place = program.loop_heads.get(location)
    function = home.name if loaded is None or place is None else _function_at(place, loaded) or home.name
    scope = _Scope(function, _copy_at(location, home, program, function), place)
    names = _in_scope(_names(home, program), program, scope)
    if loaded is not None and home.name != function and program.data_model:
        names |= {v: (text, v) for v, text in _given(function, loaded).items()}
    return told(
        str(place or _beside(location, home) or location), _text(with_arrays(invariant, program), names, program)
    )


def told(location: str, said: Said) -> dict[str, Any]:
    """As an entry of a report; `partial` if C has no words for some of it."""
    return {"location": location, "invariant": said.text, **({} if said.complete else {"partial": True})}


def _beside(location: Location, home: Procedure) -> SourceRange | None:
    """The statement of a loop that the text does not have, such as that of `calloc`, which writes zeros."""
    return next((edge.origin for edge in home.outgoing(location) if edge.origin is not None), None)


def _function_at(place: SourceRange, loaded: Program) -> str:
    """Whose loop it is."""
    heads = {location for location, known in loaded.loop_heads.items() if known == place}
    return next(
        (name for name, procedure in loaded.procedures.items() if not heads.isdisjoint(procedure.locations)), ""
    )


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where something is said: in which function, in which of its inlined copies, at which place."""

    function: str
    copy: str
    place: SourceRange | None

    def nearness(self, variable: Term, symbol: Symbol) -> tuple[bool, int, int]:
        """Larger for what a name rather means: of this copy, and declared last before the place or on its line."""
        declared = symbol.declared
        if declared is None or self.place is None:
            line, column = 0, 0  # a parameter comes before all
        else:
            line, column = (declared.line, declared.column) if declared.line <= self.place.line else (-1, 0)
        return variable.name.startswith(f"{self.copy}::"), line, column


def _copy_at(location: Location, home: Procedure, program: Program, function: str) -> str:
    """Which inlined copy of the function a location belongs to: that of the variables used next; "" if none."""
    seen, waiting = {location}, [location]
    for place in waiting:
        for edge in home.outgoing(place):
            for variable in sorted(reads(edge.statement) | writes(edge.statement), key=lambda v: v.name):
                symbol = program.symbols.get(variable)
                if symbol is not None and symbol.function == function:
                    return variable.name.rpartition("::")[0]
            if edge.target not in seen and len(seen) < _NEAR:
                seen.add(edge.target)
                waiting.append(edge.target)
    return ""


def _given(function: str, loaded: Program) -> dict[Term, str]:
    """Variables of the caller that parameters were given, which it does not change as long as the function runs:
    `\\at(n, Pre)`. Only if there is but one way down to the function, as nobody says which call is meant.
    """
    calls: dict[str, list[tuple[str, Call]]] = {}
    for name, procedure in loaded.procedures.items():
        for edge in procedure.edges:
            if isinstance(edge.statement, Call):
                calls.setdefault(edge.statement.procedure, []).append((name, edge.statement))
    way = [function]
    while way[-1] != loaded.entry:
        if len(calls.get(way[-1], ())) != 1 or calls[way[-1]][0][0] in way:
            return {}
        way.append(calls[way[-1]][0][0])
    if len(way) == 1:
        return {}
    parameters, arguments = loaded.procedures[function].parameters, calls[function][0][1].arguments
    told = ((loaded.symbols.get(p), loaded.symbols.get(v), v) for p, v in zip(parameters, arguments, strict=True))
    return {
        value: f"\\at({given.name}, Pre)"
        for given, passed, value in told
        if given and passed and given.name and given.type == passed.type and passed.function == way[1]
    }


def _in_scope(names: Mapping[Term, tuple[str, Term]], program: Program, scope: _Scope) -> dict[Term, tuple[str, Term]]:
    """Where several variables have a name, it means the one that is in scope; those of other functions are told with
    their functions, and others of the function have no name there.
    """
    often = Counter(name for name, _ in names.values())
    found: dict[Term, tuple[str, Term]] = {}
    own: dict[str, dict[Term, Symbol]] = {}
    for v, (name, original) in names.items():
        symbol = program.symbols.get(original)
        found[v] = (name if often[name] == 1 else v.name, original)
        if often[name] > 1 and symbol is not None and symbol.function == scope.function and program.data_model:
            own.setdefault(name, {})[v] = symbol
    for name, candidates in own.items():
        meant, _ = max(candidates.items(), key=lambda candidate: scope.nearness(*candidate))
        found |= {v: (name if v is meant else "", names[v][1]) for v in candidates}
    return found


def _names(procedure: Procedure, program: Program) -> dict[Term, tuple[str, Term]]:
    """How the variables are called, and the variable of the program that says whether they have a sign."""
    in_c = bool(program.data_model)
    found: dict[Term, tuple[str, Term]] = {}
    for variable in (*program.globals, *procedure.parameters):
        name = _plain(variable, program)
        found[variable] = (name, variable)
        found[at_entry(variable)] = (f"\\old({name})" if in_c else f"old({name})", variable)
    for own in (*procedure.returns, *procedure.locals):
        found.setdefault(own, (_plain(own, program), own))
    return found


def _plain(variable: Term, program: Program) -> str:
    symbol = program.symbols.get(variable)
    return symbol.name if symbol is not None and symbol.name else variable.name.rpartition("::")[2]


def _text(formula: Term, names: Mapping[Term, tuple[str, Term]], program: Program) -> Said:
    formula = plain(formula)
    if not program.data_model:
        return Said(infix(substitute(formula, {v: var(name, v.sort) for v, (name, _) in names.items()})))

    def name(variable: Term) -> tuple[str, bool]:
        text, original = names.get(variable, (variable.name, variable))
        symbol = program.symbols.get(original)
        if symbol is None or not text:
            raise NotExpressible(f"{variable.name} has no name in C")
        return text, symbol.signed

    def type_of(variable: Term) -> str:
        symbol = program.symbols.get(names.get(variable, ("", variable))[1])
        return "" if symbol is None else symbol.type

    def pointee(variable: Term) -> str:
        kind = type_of(variable)
        return kind.removesuffix("*").strip() if kind.endswith("*") else ""

    old = frozenset(at_entry(memory) for memory in program.globals)
    return in_c(formula, Pointers(program.storage, name, pointee, old, type_of), program)
