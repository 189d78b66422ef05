"""Procedures find their edges by their ends, whatever they were made from."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

from craton.logic import TRUE
from craton.program.cfa import Edge, Location, Procedure
from craton.program.statements import Assume

START, MIDDLE, END = map(Location, range(3))
FIRST, SECOND = Edge(START, Assume(TRUE), MIDDLE), Edge(MIDDLE, Assume(TRUE), END)
SHORT = Edge(START, Assume(TRUE), END)
PROCEDURE = Procedure("f", (), (), START, END, (FIRST, SECOND))


def test_the_first_location_is_a_location() -> None:
    assert START, "zero is no other number than others"
    assert pickle.loads(pickle.dumps(MIDDLE)) == MIDDLE and str(MIDDLE) == f"{MIDDLE}" == "L1"


def assert_consistent(procedure: Procedure) -> None:
    for location in (START, MIDDLE, END):
        outgoing = tuple(edge for edge in procedure.edges if edge.source == location)
        incoming = tuple(edge for edge in procedure.edges if edge.target == location)
        assert procedure.outgoing(location) == outgoing
        assert procedure.incoming(location) == incoming
        assert tuple(procedure.successors(location)) == tuple(edge.target for edge in outgoing)
        assert tuple(procedure.predecessors(location)) == tuple(edge.source for edge in incoming)


def test_replaced_edges_leave_the_old_procedure_as_it_was() -> None:
    shorter = replace(PROCEDURE, edges=(SHORT,))
    assert_consistent(shorter)
    assert_consistent(PROCEDURE)
    assert shorter.locations == (START, END)
    assert PROCEDURE.locations == (START, MIDDLE, END)
    assert_consistent(PROCEDURE.with_edges((SHORT, SECOND)))
    assert_consistent(PROCEDURE)


def test_other_fields_may_be_replaced_alone() -> None:
    assert_consistent(replace(PROCEDURE, name="g"))
    assert replace(PROCEDURE, name="g").edges is PROCEDURE.edges


def test_copies_are_equal_and_consistent() -> None:
    for other in (copy.deepcopy(PROCEDURE), pickle.loads(pickle.dumps(PROCEDURE))):
        assert other == PROCEDURE
        assert_consistent(other)
