"""SMT-LIB text as terms, by z3's parser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from craton.errors import SmtLibError
from craton.logic.smtlib import Symbols, quoted
from craton.logic.sorts import BOOL, Function, Sort
from craton.logic.terms import Term
from craton.smt.z3 import api
from craton.smt.z3.reading import Reader
from craton.smt.z3.solver import Shared


def parse_script(text: str, names: Mapping[str, Term | Function] | None = None) -> list[Term]:
    """The assertions of a script. `names` maps symbols to what they mean, unless that is their own name."""
    context = Shared.get().context
    ref = context.ref
    vector = api.parse_smtlib2_string(ref, text.encode(), 0, None, None, 0, None, None)
    if not vector or api.get_error_code(ref):
        message = api.get_error_msg(ref, api.get_error_code(ref)).decode(errors="replace")
        raise SmtLibError(f"cannot read SMT-LIB: {_plain(message)}")
    api.ast_vector_inc_ref(ref, vector)
    try:
        reader = Reader(context, names)
        return [reader.read(api.ast_vector_get(ref, vector, i)) for i in range(api.ast_vector_size(ref, vector))]
    finally:
        api.ast_vector_dec_ref(ref, vector)


def parse_formula(text: str, variables: Sequence[Term | Function] = (), symbols: Symbols | None = None) -> Term:
    """One formula over the given variables and functions, or over those with a name in `symbols`."""
    symbols = symbols or Symbols()
    for item in variables:
        symbols.of(item)
    lines = [*declared(symbols), f"(assert {text})"]
    parsed = parse_script("\n".join(lines), symbols.meaning)
    if len(parsed) != 1:
        raise SmtLibError(f"expected one formula, found {len(parsed)}: {text[:80]}")
    return parsed[0]


def parse_term(
    text: str, sort: Sort, variables: Sequence[Term | Function] = (), symbols: Symbols | None = None
) -> Term:
    """One term of a known sort: a model's value, for example."""
    if sort is BOOL:
        return parse_formula(text, variables, symbols)
    symbols = symbols or Symbols()
    for item in variables:
        symbols.of(item)
    # The parser only reads assertions, so the term is wrapped in a fresh function and unwrapped afterwards.
    name = "the-term"
    while name in symbols.meaning:
        name += "'"
    holder = Function(name, (sort,), BOOL)
    lines = [*declared(symbols), f"(declare-fun {quoted(name)} ({sort}) Bool)", f"(assert ({quoted(name)} {text}))"]
    (wrapped,) = parse_script("\n".join(lines), {**symbols.meaning, name: holder})
    return wrapped.args[0]


def declared(symbols: Symbols) -> list[str]:
    """Declarations of everything that has a symbol."""
    lines = []
    for item in symbols.meaning.values():
        if isinstance(item, Term):
            lines.append(f"(declare-fun {symbols.of(item)} () {item.sort})")
        else:
            lines.append(f"(declare-fun {symbols.of(item)} ({' '.join(map(str, item.params))}) {item.result})")
    return lines


def _plain(message: str) -> str:
    """z3 wraps its messages as (error "line 1 column 2: …")."""
    return message.strip().removeprefix('(error "').removesuffix('")').strip()
