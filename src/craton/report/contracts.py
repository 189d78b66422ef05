"""Contracts in the user's words: `requires n >= 0`, `ensures \\result >= \\old(n)`. C where C can say it, else the
notation of formulas; both with the names of the text, where a value at the entry is `\\old(x)` and what a function
returns is `\\result`. Boogie says `old(x)`, and calls results by their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from craton.errors import NotExpressible
from craton.logic import Term, conjuncts, substitute, var
from craton.logic.infix import infix
from craton.program.cfa import Location, Procedure, Program
from craton.program.spelling import Name, plain, spelled
from craton.program.variables import at_entry
from craton.report.linear import Comparison, comparison, merged
from craton.verdicts.proof import ShownContract


def told_contract(contract: ShownContract, program: Program) -> list[dict[str, str]]:
    """What is required and ensured, one entry each; as entries of a report."""
    names = _names(program.procedures[contract.procedure], program)
    return [
        {"location": f"{contract.procedure} {word}", "invariant": _text(formula, names, program)}
        for word, formula in (("requires", contract.requires), ("ensures", contract.ensures))
    ]


def told_invariant(location: Location, invariant: Term, program: Program) -> str:
    """An invariant at a location, in the same words."""
    home = next(procedure for procedure in program.procedures.values() if location in procedure.locations)
    return _text(invariant, _distinct(_names(home, program)), program)


def _distinct(names: Mapping[Term, tuple[str, Term]]) -> dict[Term, tuple[str, Term]]:
    """Where several variables have a name, since calls were inlined, they are told with their functions."""
    often = Counter(name for name, _ in names.values())
    return {v: (v.name if often[name] > 1 else name, original) for v, (name, original) in names.items()}


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


def _text(formula: Term, names: Mapping[Term, tuple[str, Term]], program: Program) -> str:
    formula = plain(formula)

    def name(variable: Term) -> tuple[str, bool]:
        text, original = names.get(variable, (variable.name, variable))
        symbol = program.symbols.get(original)
        if symbol is None or not text:
            raise NotExpressible(f"{variable.name} has no name in C")
        return text, symbol.signed

    if program.data_model:
        try:
            return " && ".join(_sentences(formula, program, name)) or "1"
        except NotExpressible:
            pass
    return infix(substitute(formula, {v: var(name, v.sort) for v, (name, _) in names.items()}))


def _sentences(formula: Term, program: Program, name: Name) -> Iterator[str]:
    """The parts of a conjunction: sums as people write them, the rest in exact C."""
    parts = conjuncts(formula)
    sums = [_comparison(part, name) for part in parts]
    yield from map(str, merged(one for one in sums if one is not None))
    for part, said in zip(parts, sums, strict=True):
        if said is None:
            yield _bracketed(spelled(part, program, name))


def _comparison(part: Term, name: Name) -> Comparison | None:
    try:
        return comparison(part, name)
    except NotExpressible:
        return None


def _bracketed(text: str) -> str:
    return f"({text})" if "||" in text or "?" in text else text
