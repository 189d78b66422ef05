"""Short names keep variables apart."""

from __future__ import annotations

from craton.logic import INT, add, eq, int_, var
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.short_names import with_short_names
from craton.program.statements import Assign, Assume

X, Y, OTHER_X, GLOBAL = (var(name, INT) for name in ("main::x", "main::y", "f::x", "count"))
L = [Location(i) for i in range(4)]


def test_functions_go_where_no_two_variables_become_one() -> None:
    edges = (
        Edge(L[0], Assign(X, add(OTHER_X, int_(1))), L[1]),
        Edge(L[1], Assign(Y, GLOBAL), L[2]),
        Edge(L[2], Assume(eq(Y, X)), L[3]),
    )
    main = Procedure("main", (), (), L[0], L[3], edges)
    found = with_short_names(Program("main", {"main": main}, (GLOBAL,), {}))
    assert [str(edge.statement) for edge in found.main.edges] == [
        "main::x := f::x + 1",
        "y := count",
        str(Assume(eq(var("y", INT), X))),
    ]
    assert [(e.source, e.target) for e in found.main.edges] == [(e.source, e.target) for e in edges]
