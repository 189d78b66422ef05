"""A system of bit-vectors as one over integers that never overflow, and models back to bits.

As of programs (`views.IdealView`) it promises nothing: a model found there counts if it is one in bits, which is
checked, and so does a derivation. But it is where Horn clauses are solved most easily.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from craton.errors import NotExpressible
from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.horn.derivations import Fact
from craton.horn.grounding import Inference
from craton.horn.models import Model
from craton.logic import Array, BitVec, Float, Sort, Term, Value, and_, post_order, substitute
from craton.program.cfa import Location, Procedure, Program, Symbol
from craton.views.arithmetic import Overflow
from craton.views.signs import Signs
from craton.views.terms import Translator
from craton.views.to_bits import weaker_bit_formula

_SIGNED = ("bvslt", "bvsle", "bvsdiv", "bvsrem", "bvsmod", "bvashr", "sign_extend")
_UNSIGNED = ("bvult", "bvule", "bvudiv", "bvurem", "bvlshr", "zero_extend")


@dataclass(frozen=True)
class IdealSystem:
    """The system over integers, and the way back."""

    system: System
    _translator: Translator
    _originals: Mapping[Predicate, Predicate]

    def model(self, found: Model) -> Model:
        """The meanings in bits, without the parts that bits cannot express."""
        meanings: dict[Predicate, Term] = {}
        for ideal, meaning in found.meanings.items():
            original = self._originals[ideal]
            viewed = (self._translator.variables(p)[0] for p in original.parameters)
            named = substitute(meaning, dict(zip(ideal.parameters, viewed, strict=True)))
            meanings[original] = weaker_bit_formula(named, self._translator)
        return Model(meanings)

    def inferences(self, found: Sequence[Inference]) -> tuple[Inference, ...]:
        """The same facts in bits; clauses have the same numbers."""
        return tuple(Inference(None if i.fact is None else self._fact(i.fact), i.premises, i.clause) for i in found)

    def _fact(self, fact: Fact) -> Fact:
        original = self._originals[fact.predicate]
        values = tuple(_in_bits(v, sort) for v, sort in zip(fact.values, original.sorts, strict=True))
        return Fact(original, values)


def _in_bits(value: Value, sort: Sort) -> Value:
    return value % (1 << sort.width) if isinstance(sort, BitVec) else value


def has_bits(system: System) -> bool:
    return any(isinstance(sort, BitVec) for predicate in system.predicates for sort in predicate.sorts)


def ideal_system(system: System) -> IdealSystem | None:
    """The view; None if it has nothing to offer, or cannot be made."""
    sorts = [sort for predicate in system.predicates for sort in predicate.sorts]
    if not has_bits(system) or any(isinstance(sort, Array | Float) for sort in sorts):
        return None
    try:
        return _viewed(system)
    except NotExpressible:
        return None


def _viewed(system: System) -> IdealSystem:
    own = [clause.renamed(f"~{number}") for number, clause in enumerate(system.clauses)]
    translator = Translator(_signs(system, own), "exact", Overflow.NEVER)
    ideals = {p: _ideal_predicate(p, translator) for p in system.predicates}

    def atom(one: Atom) -> Atom:
        parameters = one.predicate.parameters
        pairs = zip(one.arguments, parameters, strict=True)
        return Atom(ideals[one.predicate], tuple(translator.parts(a, p)[0] for a, p in pairs))

    clauses = []
    for clause in own:
        terms = [clause.constraint, *(a for one in clause.atoms for a in one.arguments)]
        needs = translator.needs(*terms)
        ranges = (translator.range(v) for v in clause.variables)
        constraint = and_(translator.formula(clause.constraint), *needs.facts, *ranges)
        head = None if clause.head is None else atom(clause.head)
        clauses.append(Clause(head, tuple(map(atom, clause.body)), constraint, clause.line))
    return IdealSystem(System(tuple(clauses), system.file), translator, {i: p for p, i in ideals.items()})


def _ideal_predicate(predicate: Predicate, translator: Translator) -> Predicate:
    return Predicate(predicate.name, tuple(translator.variables(p)[0].sort for p in predicate.parameters))


def _signs(system: System, clauses: Sequence[Clause]) -> Signs:
    """All numbers are signed if more operations treat them so than not."""
    uses = Counter(node.op.name for clause in clauses for node in post_order(clause.constraint))
    signed = sum(uses[name] for name in _SIGNED) >= sum(uses[name] for name in _UNSIGNED)
    variables = [v for clause in clauses for v in clause.variables]
    variables += [p for predicate in system.predicates for p in predicate.parameters]
    symbols = {v: Symbol(v.name, "", None, signed=signed) for v in variables if isinstance(v.sort, BitVec)}
    nothing = Procedure("system", (), (), Location(0), Location(1), ())
    return Signs(Program("system", {"system": nothing}, (), {}, symbols=symbols))
