"""Formulas in C as people write them, part by part: sums in numbers, what lies behind pointers by its names, what holds
of all elements with `\\forall`. What C has no words for is left out, which makes a conjunction weaker, never wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from craton.errors import NotExpressible
from craton.logic import BitVec, Term, conjuncts, disjuncts, free_variables, not_, ops
from craton.logic.walk import post_order
from craton.program.cfa import Program
from craton.program.spelling import spelled
from craton.report.linear import Comparison, comparison, merged
from craton.report.pointers import Pointers

_NOTHING = "1"  # true, in C
_SIGNED = (ops.SIGN_EXTEND, ops.BVSLE, ops.BVSLT)
_NUMBERS = {8: "char", 16: "short", 32: "int", 64: "long long"}


@dataclass(frozen=True, slots=True)
class Said:
    """What can be said, and whether that is all."""

    text: str
    complete: bool = True

    @property
    def is_nothing(self) -> bool:
        return self.text == _NOTHING


def in_c(formula: Term, pointers: Pointers, program: Program) -> Said:
    """A conjunction; `pointers` has the names."""
    parts = conjuncts(formula)
    pointers = pointers.knowing(parts)
    exact: list[Comparison | str] = []
    weaker: list[Said] = []
    for part in parts:
        try:
            exact.append(_exact(part, pointers, program))
        except NotExpressible:
            weaker.append(_weaker(part, pointers, program))
    texts = [*_joined(exact), *(_bracketed(said.text) for said in weaker if not said.is_nothing)]
    complete = all(said.complete for said in weaker)
    return Said(" && ".join(dict.fromkeys(texts)) or _NOTHING, complete)


def _exact(part: Term, pointers: Pointers, program: Program) -> Comparison | str:
    """Law: the text means what the part means."""
    named = pointers.named(part)
    try:
        found = comparison(named, pointers.name)
    except NotExpressible:
        found = None
    return found or _bracketed(spelled(named, program, pointers.name))


def _joined(parts: Iterable[Comparison | str]) -> list[str]:
    parts = list(parts)
    sums = merged(part for part in parts if isinstance(part, Comparison))
    return [*map(str, sums), *(part for part in parts if isinstance(part, str))]


def _weaker(part: Term, pointers: Pointers, program: Program) -> Said:
    """What follows from a part that cannot be said as it is."""
    if part.op is ops.FORALL:
        return _of_all(part, pointers, program)
    if part.op is ops.NOT:
        cases = [not_(one) for one in conjuncts(part.args[0])]
    elif part.op is ops.IMPLIES:
        cases = [not_(part.args[0]), part.args[1]]
    else:
        cases = list(disjuncts(part))
    if len(cases) < 2:
        return Said(_NOTHING, complete=False)
    said = [in_c(case, pointers, program) for case in cases]
    if any(one.is_nothing for one in said):
        return Said(_NOTHING, complete=False)
    texts = dict.fromkeys(f"({one.text})" if " && " in one.text else one.text for one in said)
    return Said(" || ".join(texts), all(one.complete for one in said))


def _of_all(part: Term, pointers: Pointers, program: Program) -> Said:
    """`\\forall int k; 0 <= k && k < n ==> a[k] == 0`: the premise exactly, the rest as far as C can say it."""
    (body,) = part.args
    bound = {v: _number(v, body, {name.name for name in free_variables(part)}) for v in part.payload}
    if any(number is None for number in bound.values()):
        return Said(_NOTHING, complete=False)
    inner = pointers.binding({v: number[:2] for v, number in bound.items() if number is not None})
    declared = ", ".join(f"{number[2]} {number[0]}" for number in bound.values() if number is not None)
    premise, conclusion = body.args if body.op is ops.IMPLIES else (None, body)
    try:
        premises = [] if premise is None else [_exact(one, inner, program) for one in conjuncts(premise)]
    except NotExpressible:
        return Said(_NOTHING, complete=False)
    said = in_c(conclusion, inner, program)
    if said.is_nothing:
        return said
    given = f"{' && '.join(_joined(premises))} ==> " if premises else ""
    return Said(f"(\\forall {declared}; {given}{said.text})", said.complete)


def _number(variable: Term, body: Term, taken: set[str]) -> tuple[str, bool, str] | None:
    """Name, sign and type of a bound variable."""
    if not isinstance(variable.sort, BitVec) or variable.sort.width not in _NUMBERS:
        return None
    signed = any(node.op in _SIGNED and variable in node.args for node in post_order(body))
    name = variable.name
    while any(one.rpartition("::")[2] == name for one in taken):
        name += "_"
    return name, signed, ("" if signed else "unsigned ") + _NUMBERS[variable.sort.width]


def _bracketed(text: str) -> str:
    whole = text.startswith("(\\forall")
    return f"({text})" if not whole and ("||" in text or "?" in text) else text
