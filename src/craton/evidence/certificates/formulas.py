"""The formulas of certificates: SMT-LIB texts, and terms over the variables of the program.

Texts are read by z3's parser, which knows commands that read and write files, so it is shown nothing but single terms
made of tokens that were looked at before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from craton.errors import CratonError
from craton.evidence.certificates.fields import one_line
from craton.evidence.certificates.format import BadCertificate, Claim, Declared, Definition, Moment
from craton.evidence.certificates.values import LARGEST_INDEX, LONGEST_NUMBER
from craton.logic import Function, Term, var
from craton.logic.smtlib import Symbols
from craton.program.cfa import Location
from craton.program.variables import at_entry

Named = Mapping[str, Term | Function]  # what symbols mean


class Spelled(Symbols):
    """Symbols that SMT-LIB can write, whatever variables are called."""

    def spelling(self, name: str) -> str:
        return "".join("?" if c in "|\\" or not c.isprintable() else c for c in name)


def named_symbols(
    symbols: Sequence[Declared], known: Iterable[Term | Function], entered: Iterable[Term] = ()
) -> dict[str, Term | Function]:
    """What the symbols mean among the variables and functions of the program, which are `known`; contracts speak of
    the values of some at the entry of a procedure, too.
    """
    tables: dict[Moment, dict[tuple[str, tuple[str, ...], str], Term | Function]] = {
        Moment.NOW: {_signature(item): item for item in known},
        Moment.ENTRY: {_signature(item): at_entry(item) for item in entered},
    }
    spelled = Spelled()
    meaning: dict[str, Term | Function] = {}
    seen: set[Term | Function] = set()
    for declared in symbols:
        name = one_line(declared.name)
        if declared.at is Moment.ENTRY and not tables[Moment.ENTRY]:
            raise BadCertificate(f"{name} at the entry of a procedure: only contracts speak of that")
        item = tables[declared.at].get((declared.name, declared.parameters, declared.sort))
        if item is None:
            raise BadCertificate(f"the program has no variable {name} of sort {one_line(declared.sort)}")
        if item in seen:
            raise BadCertificate(f"the certificate declares {name} twice")
        if spelled.of(item) != declared.symbol:
            raise BadCertificate(f"the certificate calls {name} {one_line(declared.symbol)}")
        meaning[declared.symbol] = item
        seen.add(item)
    return meaning


def named_formula(text: str, meaning: Named, what: str) -> Term:
    """The formula that a text is, which messages call `what`."""
    try:
        return parsed(text, meaning)
    except CratonError as problem:
        raise BadCertificate(f"{what} cannot be read: {one_line(problem)}") from None


def named_claims(claims: Sequence[Claim], meaning: Named) -> dict[Location, Term]:
    """Invariants as formulas."""
    terms: dict[str, Term] = {}
    found: dict[Location, Term] = {}
    for claim in claims:
        if claim.formula not in terms:
            terms[claim.formula] = named_formula(claim.formula, meaning, f"the invariant of L{claim.location}")
        found[Location(claim.location)] = terms[claim.formula]
    return found


def defined(definition: Definition) -> tuple[tuple[Term, ...], Term]:
    """The parameters and the formula of a predicate in a model."""
    spelled = Spelled()
    parameters = tuple(var(parameter.name, parameter.sort) for parameter in definition.parameters)
    meaning = {spelled.of(parameter): parameter for parameter in parameters}
    return parameters, named_formula(definition.formula, meaning, f"the definition of {one_line(definition.predicate)}")


def _signature(item: Term | Function) -> tuple[str, tuple[str, ...], str]:
    if isinstance(item, Function):
        return item.name, tuple(map(str, item.params)), str(item.result)
    return item.name, (), str(item.sort)


def parsed(formula: str, meaning: Named) -> Term:
    """The formula over what its symbols mean."""
    from craton.smt.reading import parse_script
    from craton.smt.sexpr import unquoted
    from craton.smt.z3.api import Z3Error

    used = {token: meaning[token] for token in tokens(formula) if token in meaning}
    lines = []
    for symbol, item in used.items():
        _, parameters, sort = _signature(item)
        lines.append(f"(declare-fun {symbol} ({' '.join(parameters)}) {sort})")
    names = {unquoted(symbol): item for symbol, item in used.items()}
    try:
        (found,) = parse_script("\n".join([*lines, f"(assert {formula})"]), names)
    except (Z3Error, KeyError, TypeError, ValueError) as problem:  # what z3 knows, and our formulas do not
        raise BadCertificate(f"no formula of Craton's: {problem}") from None
    return found


_TOKEN = re.compile(
    r"[ \t\r\n]+|([()]|\|[^|\\\x00-\x1f\x7f]*\||[A-Za-z0-9~!@$%^&*_\-+=<>.?/#]+)|(.)", re.ASCII | re.DOTALL
)


def tokens(formula: str) -> Iterator[str]:
    """The tokens of a text that is one term, without annotations. Whatever else it is is an error."""
    depth, complete, indexed = 0, False, False
    for match in _TOKEN.finditer(formula):
        token, wrong = match.groups()
        if wrong is not None:
            raise BadCertificate(f"{wrong!r} has no place in a formula")
        if token is None:
            continue
        if complete or token == "!" or (token == ")" and depth == 0):
            raise BadCertificate("it is not one formula")
        depth += {"(": 1, ")": -1}.get(token, 0)
        complete = depth == 0
        indexed = token == "_" or (indexed and token not in ("(", ")"))
        if token[0].isdigit() or token[0] == "#":
            if len(token) > LONGEST_NUMBER or (indexed and token.isdecimal() and int(token) > LARGEST_INDEX):
                raise BadCertificate(f"the number {token[:12]}… is too large")
        yield token
    if not complete:
        raise BadCertificate("it is not one formula")
