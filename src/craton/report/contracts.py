"""Invariants and contracts in the user's words: `q.count <= 8`, `ensures \\result >= \\old(n)`. Of C programs in C, as
far as C can say it; of Boogie programs in the notation of formulas. Both have the names of the text, where a value at
the entry is `\\old(x)` and what a function returns is `\\result`; Boogie says `old(x)`, and calls results by name.
A variable of another function that is called as one of here is told as debuggers do: `main::x`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from craton.errors import NotExpressible
from craton.logic import Term, substitute, var
from craton.logic.infix import infix
from craton.program.cfa import Location, Procedure, Program, Symbol
from craton.program.origin import SourceRange
from craton.program.spelling import plain
from craton.program.variables import at_entry
from craton.report.conjunctions import Said, in_c
from craton.report.pointers import Pointers
from craton.verdicts.proof import ShownContract


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
    names = _in_scope(_names(home, program), program, function, place)
    return told(str(place or location), _text(invariant, names, program))


def told(location: str, said: Said) -> dict[str, Any]:
    """As an entry of a report; `partial` if C has no words for some of it."""
    return {"location": location, "invariant": said.text, **({} if said.complete else {"partial": True})}


def _function_at(place: SourceRange, loaded: Program) -> str:
    """Whose loop it is."""
    heads = {location for location, known in loaded.loop_heads.items() if known == place}
    return next(
        (name for name, procedure in loaded.procedures.items() if not heads.isdisjoint(procedure.locations)), ""
    )


def _in_scope(
    names: Mapping[Term, tuple[str, Term]], program: Program, function: str, place: SourceRange | None
) -> dict[Term, tuple[str, Term]]:
    """Where several variables have a name, it means the one of the function that was declared last before the place;
    those of other functions are told with their functions, and others of the function have no name there.
    """
    often = Counter(name for name, _ in names.values())
    found: dict[Term, tuple[str, Term]] = {}
    meant: dict[str, Term] = {}
    for v, (name, original) in names.items():
        symbol = program.symbols.get(original)
        if often[name] == 1 or symbol is None or not program.data_model:
            found[v] = (v.name if often[name] > 1 else name, original)
        elif symbol.function != function:
            found[v] = (v.name, original)
        else:
            found[v] = ("", original)
            if _declared_before(symbol, place) >= _declared_before(
                None if name not in meant else program.symbols.get(names[meant[name]][1]), place
            ):
                meant[name] = v
    for name, v in meant.items():
        found[v] = (name, names[v][1])
    return found


def _declared_before(symbol: Symbol | None, place: SourceRange | None) -> tuple[int, int]:
    """Where, if that is before the place or on its line; a parameter comes before all."""
    declared = None if symbol is None else symbol.declared
    if declared is None or place is None:
        return (0, 0) if symbol is not None else (-1, 0)
    return (declared.line, declared.column) if declared.line <= place.line else (-1, 0)


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

    def pointee(variable: Term) -> str:
        symbol = program.symbols.get(names.get(variable, ("", variable))[1])
        return symbol.type.removesuffix("*").strip() if symbol is not None and symbol.type.endswith("*") else ""

    old = frozenset(at_entry(memory) for memory in program.globals)
    return in_c(formula, Pointers(program.storage, name, pointee, old), program)
