"""Formulas in C as people write them, part by part: sums in numbers, what lies behind pointers by its names, what holds
of all elements with `\\forall`. What C has no words for is left out, which makes a conjunction weaker, never wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from craton.errors import NotExpressible
from craton.logic import TRUE, BitVec, Term, bv, bvule, conjuncts, disjuncts, free_variables, not_, ops
from craton.logic.semantics import to_signed
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
    without_signs = _without_signs(parts, pointers)
    exact: list[Comparison | str] = []
    weaker: list[Said] = []
    for part in without_signs:
        try:
            exact.append(_exact(part, pointers, program))
        except NotExpressible:
            weaker.append(_weaker(part, pointers, program))
    texts = [*_joined(exact, pointers), *(_bracketed(said.text) for said in weaker if not said.is_nothing)]
    complete = all(said.complete for said in weaker)
    return Said(" && ".join(dict.fromkeys(texts)) or _NOTHING, complete)


def _exact(part: Term, pointers: Pointers, program: Program) -> Comparison | str:
    """Law: the text means what the part means."""
    named = pointers.named(part)
    try:
        found = comparison(named, pointers.name)
    except NotExpressible:
        found = None
    return found or _bracketed(spelled(pointers.with_words(named), program, pointers.name))


@dataclass(frozen=True, slots=True)
class _Bound:
    """constant ≤ number, or number ≤ constant, both read with a sign."""

    number: Term
    constant: int
    is_least: bool

    @staticmethod
    def of(part: Term) -> _Bound | None:
        if part.op not in (ops.BVSLE, ops.BVSLT):
            return None
        left, right = part.args
        strict = part.op is ops.BVSLT
        for number, constant, is_least in ((right, left, True), (left, right, False)):
            if constant.op is ops.VALUE and isinstance(number.sort, BitVec):
                value = to_signed(number.sort.width, constant.payload)
                return _Bound(number, value + (strict if is_least else -strict), is_least)
        return None

    @property
    def without_sign(self) -> Term:
        assert isinstance(self.number.sort, BitVec)
        constant = bv(self.constant, self.number.sort.width)
        return bvule(constant, self.number) if self.is_least else bvule(self.number, constant)


def _without_signs(parts: Sequence[Term], pointers: Pointers) -> list[Term]:
    """`3 <= x <= 9` with a sign is the same without one, where 0 <= 3: so it is said of what has none in the text."""
    bounds = {part: bound for part in parts if (bound := _Bound.of(part)) is not None and bound.constant >= 0}
    sides = Counter(number for number, _ in {(bound.number, bound.is_least) for bound in bounds.values()})
    told = {
        part: bound.without_sign
        for part, bound in bounds.items()
        if sides[bound.number] == 2 and pointers.has_no_sign(bound.number)
    }
    return [one for one in (told.get(part, part) for part in parts) if one is not TRUE]


def _joined(parts: Iterable[Comparison | str], pointers: Pointers) -> list[str]:
    parts = list(parts)
    sums = merged(part for part in parts if isinstance(part, Comparison))
    told = [f"{one.left} {one.operator} {_number_or_word(one, pointers)}" for one in sums]
    return [*told, *(part for part in parts if isinstance(part, str))]


def _number_or_word(one: Comparison, pointers: Pointers) -> str:
    """`state == DONE`, where it is of an enumeration."""
    is_number = one.right.removeprefix("-").isdecimal()
    return (pointers.word(one.left, int(one.right)) if is_number else "") or one.right


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
    given = f"{' && '.join(_joined(premises, inner))} ==> " if premises else ""
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
