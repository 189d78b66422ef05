"""Programs with accelerated loops reach what the programs themselves reach: both are explored, state by state."""

from __future__ import annotations

from hypothesis import given

from craton.logic import and_, bv, bvadd, bvsle, bvslt, eq, not_
from craton.program.acceleration import accelerate
from craton.program.acceleration.counters import is_counter
from craton.program.blocks import encode_blocks
from craton.program.cfa import UNREACH, Procedure, Program
from craton.program.statements import Assign, Assume, Havoc
from support import examples
from support.loops import ENTRY, ERROR, EXIT, HEAD, INNER, VARIABLES, WIDTH, Making, X, Y, programs, reached


def test_the_same_states_are_reached() -> None:
    seen = 0

    @examples(80)
    @given(programs())
    def check(program: Program) -> None:
        nonlocal seen
        accelerated = accelerate(program, encode_blocks(program).program)
        if accelerated is None:
            return
        seen += 1
        before, after = reached(program), reached(accelerated.program)
        for location in (HEAD, INNER, EXIT, ERROR):
            assert after.get(location, set()) == before.get(location, set()), location

    check()
    assert seen >= 20


def test_edges_that_are_not_rounds_lead_back() -> None:
    made = Making()
    made.chain(ENTRY, [Assign(X, bv(0, WIDTH)), Havoc((Y,))], HEAD)
    made.chain(HEAD, [Assume(bvslt(X, Y)), Assign(X, bvadd(X, bv(1, WIDTH)))], HEAD)
    made.chain(HEAD, [Assume(not_(bvslt(X, Y)))], EXIT)
    made.chain(EXIT, [Assume(eq(X, bv(3, WIDTH)))], ERROR)
    main = Procedure("main", (), (), ENTRY, EXIT, tuple(made.edges), VARIABLES)
    program = Program("main", {"main": main}, (), {ERROR: UNREACH}, {HEAD: None})
    accelerated = accelerate(program, encode_blocks(program).program)
    assert accelerated is not None
    origins = [accelerated.transformed.original_edges(edge) for edge in accelerated.program.main.edges]
    around = {edge for edge in program.main.edges if edge.target == HEAD and edge.statement.__class__ is Assign}
    around |= {edge for edge in program.main.edges if edge.source == HEAD and edge.target != EXIT}
    assert {edge for edges in origins for edge in edges} == set(program.main.edges) - around
    (counter,) = set(accelerated.program.main.locals) - set(VARIABLES)
    assert is_counter(counter)
    none = eq(bv(0, WIDTH), X)
    assert accelerated.lifted({HEAD: and_(bvsle(X, Y), eq(counter, X))}) == {HEAD: and_(bvsle(X, Y), none)}
