"""Random programs of assignments, branches, loops and calls: the interpreter, run on what the front end makes of them,
ends with the values that a direct execution of the same statements gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from craton.frontends.boogie import load_boogie
from craton.logic import INT, var
from craton.program.execution.interpreter import run
from craton.program.execution.outcomes import Exited

NAMES = ("x", "y", "z")
State = dict[str, int]

# `rotate` has an `old` and a specification, `step` calls it twice and has locals of its own.
FRAME = """
var x, y, z, i: int;
procedure rotate(by: int) returns (sum: int)
  modifies x, y, z;
  ensures x == old(y) + by && y == old(z) && z == old(x);
{{ x, y, z := y + by, z, x; sum := old(x) + old(y) + z; }}
procedure step() returns (last: int)
  modifies x, y, z;
{{ var first: int; call first := rotate(1); call last := rotate(first); last := last - first; }}
procedure main() modifies x, y, z, i; {{ x, y, z := 1, 2, 3; {body} }}
"""


def rotate(state: State, by: int) -> int:
    x, y, z = (state[name] for name in NAMES)
    state.update(x=y + by, y=z, z=x)
    return x + y + state["z"]


def step(state: State) -> int:
    first = rotate(state, 1)
    return rotate(state, first) - first


@dataclass(frozen=True)
class Piece:
    """Some statements, and what they do."""

    text: str
    execute: Callable[[State], None]


def _swap(left: tuple[str, str], a: str, b: str, plus: int) -> Piece:
    def execute(state: State) -> None:
        state[left[0]], state[left[1]] = state[a] + plus, state[b] - state[a]

    return Piece(f"{left[0]}, {left[1]} := {a} + {plus}, {b} - {a};", execute)


def _modulo(name: str, by: int) -> Piece:
    def execute(state: State) -> None:
        state[name] = state[name] % by

    return Piece(f"{name} := {name} mod {by};", execute)


def _rotate(result: str, argument: str) -> Piece:
    def execute(state: State) -> None:
        state[result] = rotate(state, state[argument])

    return Piece(f"call {result} := rotate({argument});", execute)


def _step(result: str) -> Piece:
    def execute(state: State) -> None:
        state[result] = step(state)

    return Piece(f"call {result} := step();", execute)


def _if(a: str, b: str, then: Piece, otherwise: Piece) -> Piece:
    def execute(state: State) -> None:
        (then if state[a] < state[b] else otherwise).execute(state)

    return Piece(f"if ({a} < {b}) {{ {then.text} }} else {{ {otherwise.text} }}", execute)


def _loop(times: int, leave: str, body: Piece) -> Piece:
    def execute(state: State) -> None:
        for _ in range(times):
            if state[leave] == 0:
                break
            body.execute(state)

    text = f"i := 0; while (i < {times}) {{ if ({leave} == 0) {{ break; }} {body.text} i := i + 1; }}"
    return Piece(text, execute)


def _sequence(pieces: list[Piece]) -> Piece:
    def execute(state: State) -> None:
        for piece in pieces:
            piece.execute(state)

    return Piece(" ".join(piece.text for piece in pieces), execute)


name = st.sampled_from(NAMES)
straight = st.one_of(
    st.builds(_swap, st.permutations(NAMES).map(lambda p: (p[0], p[1])), name, name, st.integers(-3, 3)),
    st.builds(_modulo, name, st.integers(1, 9)),
    st.builds(_rotate, name, name),
    st.builds(_step, name),
)
branching = st.builds(_if, name, name, straight, st.lists(straight, max_size=3).map(_sequence))
block = st.lists(st.one_of(straight, branching), max_size=4).map(_sequence)
program = st.lists(st.one_of(straight, branching, st.builds(_loop, st.integers(0, 4), name, block)), max_size=6)


@given(program.map(_sequence))
def test_random_programs(piece: Piece) -> None:
    state = {"x": 1, "y": 2, "z": 3}
    piece.execute(state)
    done = run(load_boogie(FRAME.format(body=piece.text)).program)
    assert isinstance(done.outcome, Exited), done.outcome
    assert {name: done.values[var(name, INT)] for name in NAMES} == state
