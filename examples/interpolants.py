"""What should a verifier learn from an infeasible trace? Ask three solvers.

The trace is `x = 0; y = 0; (x++; y++) three times; assume x != y`, which nobody can execute. Each solver explains why,
by one formula for each point of the trace; another solver checks the explanation.
"""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from craton.logic import BitVec, Term, and_, bv, bvadd, eq, not_, substitute, var
from craton.smt import law_violation, make_solver, sequence_interpolants

STEPS = 3
X, Y = (tuple(var(f"{name}{i}", BitVec(32)) for i in range(STEPS + 1)) for name in "xy")


def trace() -> list[tuple[str, Term]]:
    """The statements with their formulas; variables are numbered by how often they were assigned."""
    one = bv(1, 32)
    statements = [("x = 0; y = 0;", and_(eq(X[0], bv(0, 32)), eq(Y[0], bv(0, 32))))]
    statements += [
        ("x++; y++;", and_(eq(X[i + 1], bvadd(X[i], one)), eq(Y[i + 1], bvadd(Y[i], one)))) for i in range(STEPS)
    ]
    return [*statements, ("assume x != y", not_(eq(X[-1], Y[-1])))]


def without_indices(formula: Term) -> Term:
    """Back to the program's variables."""
    return substitute(formula, {v: var(v.name[0], v.sort) for v in (*X, *Y)})


def brief(text: str, width: int = 34) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def main() -> None:
    statements = trace()
    formulas = [formula for _, formula in statements]
    table = Table(title="One infeasible trace, three explanations", box=None, header_style="bold", padding=(0, 2))
    table.add_column("statement")
    columns = []
    for source, checker in (("z3", "cvc5"), ("bitwuzla", "z3"), ("cvc5", "bitwuzla")):
        found = sequence_interpolants(formulas, source)
        assert isinstance(found, tuple), found
        problem = law_violation(formulas, found, make_solver(checker))
        assert not problem, problem
        table.add_column(f"{source} (checked by {checker})")
        columns.append([brief(str(without_indices(formula))) for formula in found])
    for i, row in enumerate(zip(*columns, strict=True)):
        table.add_row("", *(f"[cyan]{cell}[/]" for cell in row))
        if i < len(statements):
            table.add_row(statements[i][0])
    Console(width=130).print(table)
    print("z3's x = y is a loop invariant too; the others explain this one trace. That difference is Craton's subject.")


if __name__ == "__main__":
    main()
