"""Programs as text, as graphs and in numbers."""

from __future__ import annotations

import re
from dataclasses import replace

from craton.logic import INT, TRUE, BitVec, add, eq, int_, lt, var
from craton.program.cfa import Location, Program
from craton.program.statements import Assign, Assume, Havoc, Input
from craton.program.text import statistics, to_dot, to_text
from support.automata import automaton

X, B = var('x "quoted"', INT), var("b", BitVec(8))


def some_program() -> Program:
    made = automaton(
        (0, Havoc((B,), Input("__VERIFIER_nondet_uchar", "unsigned char")), 1),
        (1, Assume(lt(X, int_(9))), 2),
        (2, Assign(X, add(X, int_(1))), 1),
        (1, Assume(eq(X, int_(3))), 3),
        (3, Assume(TRUE), 4),
        errors=[4],
    )
    return replace(made, loop_heads={Location(1): None}, assumptions=("no signals",))


def test_numbers() -> None:
    told = statistics(some_program())
    expected = {"procedures": 1, "locations": 6, "edges": 5, "loops": 1, "errors": 1, "inputs": 1, "calls": 0}
    expected |= {"variables": 2, "bit-vectors": 1, "arrays": 0, "assumptions": 1}
    assert told | expected == told


def test_text_has_every_edge() -> None:
    program = some_program()
    lines = to_text(program).splitlines()
    assert lines[0] == "procedure main() returns () (entry)"
    for edge in program.main.edges:
        assert f"  {edge.source} -> {edge.target}: {edge.statement}" in lines
    assert lines[-3:] == ["error L4: unreach-call", "loop L1", "assumed: no signals"]


def test_the_graph_has_every_location_and_edge_and_its_labels_are_quoted() -> None:
    program = some_program()
    dot = to_dot(program)
    assert dot.count("{") == dot.count("}") == 2
    assert re.findall(r"(\d+) -> (\d+) ", dot) == [(str(e.source.id), str(e.target.id)) for e in program.main.edges]
    assert re.findall(r"^    (\d+) \[label", dot, re.MULTILINE) == [str(loc.id) for loc in program.main.locations]
    assert '4 [label="L4", style=filled, fillcolor=salmon, xlabel="unreach-call"]' in dot
    labels = re.findall(r'label="((?:[^"\\]|\\.)*)"\];', dot)
    assert any(r"\"quoted\"" in label for label in labels)
    assert labels[-1] == "", "an assumption of true says nothing"
