"""Contracts in the user's words: `requires n >= 0`, `ensures \\result >= \\old(n)`. C where C can say it, else the
notation of formulas; both with the names of the text, where a value at the entry is `\\old(x)` and what a function
returns is `\\result`. Boogie says `old(x)`, and calls results by their names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from craton.errors import NotExpressible
from craton.logic import BitVec, Term, bv, bvsle, bvslt, conjuncts, free_variables, ops, substitute, var
from craton.logic.build import rebuild
from craton.logic.cexpr import to_c
from craton.logic.infix import infix
from craton.logic.walk import fold
from craton.program.cfa import Location, Procedure, Program
from craton.program.variables import at_entry
from craton.verdicts.proof import ShownContract


def told_contract(contract: ShownContract, program: Program) -> list[dict[str, str]]:
    """What is required and ensured, one entry each; as entries of a report."""
    names = _names(program.procedures[contract.procedure], program)
    return [
        {"location": f"{contract.procedure} {word}", "invariant": _text(formula, names, program)}
        for word, formula in (("requires", contract.requires), ("ensures", contract.ensures))
    ]


def told_invariant(location: Location, invariant: Term, program: Program) -> str:
    """An invariant inside of a procedure that has a contract, in the same words."""
    home = next(procedure for procedure in program.procedures.values() if location in procedure.locations)
    return _text(invariant, _names(home, program), program)


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
    formula = fold(formula, _with_signs)
    if program.data_model:
        try:
            return " && ".join(_bracketed(_in_c(part, names, program)) for part in conjuncts(formula)) or "1"
        except NotExpressible:
            pass
    return infix(substitute(formula, {v: var(name, v.sort) for v, (name, _) in names.items()}))


def _in_c(term: Term, names: Mapping[Term, tuple[str, Term]], program: Program) -> str:
    spellings: dict[str, str] = {}
    stand_ins: dict[Term, Term] = {}
    signed: dict[Term, bool] = {}
    for number, variable in enumerate(sorted(free_variables(term), key=lambda v: v.serial)):
        name, original = names.get(variable, (variable.name, variable))
        symbol = program.symbols.get(original)
        if symbol is None:
            raise NotExpressible(f"{variable.name} has no name in C")
        stand_in = stand_ins[variable] = var(f"craton_{number}_", variable.sort)
        spellings[stand_in.name] = name
        signed[stand_in] = symbol.signed
    text = to_c(substitute(term, stand_ins), lambda variable: signed[variable])
    return re.sub(r"\bcraton_[0-9]+_\b", lambda match: spellings[match.group()], text)


def _bracketed(text: str) -> str:
    return f"({text})" if "||" in text or "?" in text else text


def _with_signs(node: Term, args: list[Term]) -> Term:
    """Comparisons of a number's first bit say that it is negative, or not."""
    again = rebuild(node, args) if args else node
    if again.op is not ops.EQ or again.args[0].op is not ops.EXTRACT:
        return again
    number, bit = again.args[0].args[0], again.args[1]
    assert isinstance(number.sort, BitVec)
    top = number.sort.width - 1
    if again.args[0].payload != (top, top) or bit.op is not ops.VALUE:
        return again
    zero = bv(0, number.sort.width)
    return bvslt(number, zero) if bit.payload else bvsle(zero, number)
