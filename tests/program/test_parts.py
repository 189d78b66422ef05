"""Narrow places: all ways pass them, and what is cut there is the same program."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.evidence.certificates.fields import Fields
from craton.evidence.certificates.format import BadCertificate
from craton.frontends.programs import Request, load_program
from craton.program.blocks import CHAINS, BlockSize, Cut, cut_points, encode_blocks
from craton.program.cfa import Edge, Location, Program
from craton.program.parts import narrow_places
from craton.program.preparation import prepare
from craton.program.statements import Block

HEAD = "extern void reach_error(void); extern unsigned char __VERIFIER_nondet_uchar(void);\n"
TURN = (
    "if (x > {0}) {{ x = x / 2; y++; if (y > {0}) y = 1; else y = 2; }} else {{ if (y == {0}) x += 3; else x += 2; }}"
)
READ = "unsigned char x = __VERIFIER_nondet_uchar(), y = 0;"
ROUND = " ".join(TURN.format(i) for i in range(3, 11))
ERROR = "if (x == 255 && y == 9) reach_error();"


def _program(folder: Path, body: str) -> Program:
    (folder / "p.c").write_text(f"{HEAD}int main(void) {{ {body} return 0; }}")
    return prepare(load_program(Request((str(folder / "p.c"),)))).small.program


def _reachable_without(program: Program, place: Location, start: Location) -> frozenset[Location]:
    seen, waiting = {start}, [start]
    while waiting:
        for target in program.main.successors(waiting.pop()):
            if target not in seen and target != place:
                seen.add(target)
                waiting.append(target)
    return frozenset(seen)


def test_each_turn_of_a_round_is_a_part(tmp_path: Path) -> None:
    program = _program(tmp_path, f"{READ} while (1) {{ {ROUND} {ERROR} }}")
    places = narrow_places(program.main, program)
    (head,) = program.loop_heads
    assert len(places - {head}) >= 3
    for place in places - {head}:  # no way around the loop but through it
        before = _reachable_without(program, place, head)
        assert not any(edge.target == head and edge.source in before for edge in program.main.edges)


def test_all_ways_to_the_loop_pass_the_places_before_it(tmp_path: Path) -> None:
    program = _program(tmp_path, f"{READ} {ROUND} while (1) {{ {ROUND} {ERROR} }}")
    places = narrow_places(program.main, program)
    (head,) = program.loop_heads
    first = program.main.entry
    before = [x for x in places if head not in _reachable_without(program, x, first) and x != head]
    assert len(before) >= 3


@pytest.mark.parametrize("body", [f"{READ} {ROUND} {ERROR}", "return 0;"])
def test_without_a_loop_there_are_none(body: str, tmp_path: Path) -> None:
    program = _program(tmp_path, body)
    assert not narrow_places(program.main, program)


def _inside(edge: Edge) -> tuple[Edge, ...]:
    return edge.statement.edges if isinstance(edge.statement, Block) else (edge,)


def test_cut_there_it_is_the_same_program(tmp_path: Path) -> None:
    """No edge is lost, and none is made; and each block ends where it comes to a place at which is cut."""
    program = _program(tmp_path, f"{READ} {ROUND} while (1) {{ {ROUND} {ERROR} }}")
    parts = encode_blocks(program, Cut.PARTS).program
    cuts = cut_points(program.main, program) | narrow_places(program.main, program)
    assert frozenset(parts.main.locations) == cuts
    assert {one for edge in parts.main.edges for one in _inside(edge)} == set(program.main.edges)
    for edge in parts.main.edges:
        assert cuts & {one.target for one in _inside(edge)} == {edge.target}
        assert cuts & {one.source for one in _inside(edge)} == {edge.source}


@pytest.mark.parametrize(("turns", "size"), [(8, CHAINS), (1, None)])
def test_loops_that_branch_often_are_cut_into_straight_lines(turns: int, size: BlockSize, tmp_path: Path) -> None:
    """All of the program is, if one of its loops does; others stay in blocks as large as loops allow."""
    body = " ".join(TURN.format(i) for i in range(3, 3 + turns))
    program = _program(tmp_path, f"{READ} {TURN.format(20)} while (x != 7) {{ {body} {ERROR} }}")
    assert encode_blocks(program, Cut.CASES).program.main.edges == encode_blocks(program, size).program.main.edges
    assert encode_blocks(program, CHAINS).program.main.edges != encode_blocks(program).program.main.edges


@pytest.mark.parametrize("size", [*Cut, None, CHAINS, 3])
def test_certificates_say_where_blocks_end(size: BlockSize) -> None:
    written = size.value if isinstance(size, Cut) else size
    assert Fields({"blocks": written}, "a proof").block_size("blocks") == size
    with pytest.raises(BadCertificate):
        Fields({"blocks": "anywhere"}, "a proof").block_size("blocks")
