"""What sorting makes of arrays: what is guessed holds in the states it was guessed from; what is proved is a proof."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest

from craton.configuration.stages import Stage
from craton.engines.small_copies import SmallCopy
from craton.engines.sortedness import Sorting
from craton.frontends.programs import Request
from craton.logic import (
    INT,
    Array,
    Model,
    Term,
    add,
    and_,
    evaluate,
    forall,
    implies,
    int_,
    le,
    lt,
    select,
    substitute,
    var,
)
from craton.logic.semantics import ArrayValue
from craton.program.cfa import Edge, Location, Program
from craton.program.statements import Assign, Assume, Block
from craton.verdicts.verdict import Proved
from craton.verification.run import verify
from support.automata import automaton

ELEMENTS = Stage("elements", arrays="all", encoding="ideal")
K, AT, N, X = (var(name, INT) for name in "kinx")
A = var("a", Array(INT, INT))
HINTS = tuple(
    forall((K,), implies(and_(le(int_(0), K), lt(K, end)), le(select(A, K), X))) for end in (AT, N, add(AT, int_(1)))
)
BEGIN = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
"""
ANY_SIZE = (
    "int n = __VERIFIER_nondet_int(), i, j; if (n < 1 || n > 10000) return 0; int a[n];"
    "for (i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();"
)
LARGE = "int n = 1000, i, j, swapped = 1; int a[1000]; for (i = 0; i < 1000; i++) a[i] = __VERIFIER_nondet_int();"
INSERTION = (
    "for (i = 1; i < n; i++) { int key = a[i]; for (j = i - 1; j >= 0 && a[j] > key; j--) a[j + 1] = a[j];"
    " a[j + 1] = key; }"
)
BUBBLE = (
    "while (swapped) { swapped = 0; for (i = 1; i < 1000; i++)"
    " if (a[i - 1] > a[i]) { int t = a[i]; a[i] = a[i - 1]; a[i - 1] = t; swapped = 1; } }"
)
IN_ORDER = "for (i = 1; i < n; i++) if (a[i - 1] > a[i]) reach_error();"
SAFE = {
    "what is less comes first": ANY_SIZE
    + "int p = n, low = 0; for (i = 0; i < n; i++) if (a[i] < p) { int t = a[low]; a[low] = a[i]; a[i] = t; low++; }"
    + "for (i = low; i < n; i++) if (a[i] < p) reach_error();",
    "bubbles, until nothing changes": LARGE + BUBBLE + IN_ORDER,
}
UNSAFE = {
    "the first is left out": ANY_SIZE + INSERTION.replace("j >= 0", "j > 0") + IN_ORDER,
    "the other way round": ANY_SIZE + INSERTION.replace("a[j] > key", "a[j] < key") + IN_ORDER,
    "it ends too early": LARGE + BUBBLE.replace("while (swapped)", "if (swapped)") + IN_ORDER,
    "the last is left out": LARGE + BUBBLE.replace("i < 1000", "i < 999") + IN_ORDER,
    "one is changed afterwards": ANY_SIZE + INSERTION + "a[n / 2] = 0;" + IN_ORDER,
}


def written(folder: Path, body: str) -> Request:
    (folder / "p.c").write_text(f"{BEGIN}{body} return 0; }}\n")
    return Request((str(folder / "p.c"),))


@pytest.mark.parametrize("name", SAFE)
def test_sorted_arrays_are_proved_to_be_sorted(tmp_path: Path, name: str) -> None:
    verdict = verify(written(tmp_path, SAFE[name]), (ELEMENTS,), 200.0).verdict
    assert isinstance(verdict, Proved), verdict


@pytest.mark.parametrize("name", UNSAFE)
def test_what_is_not_sorted_is_not_proved(tmp_path: Path, name: str) -> None:
    assert not isinstance(verify(written(tmp_path, UNSAFE[name]), (ELEMENTS,), 60.0).verdict, Proved)


def states(random: Random) -> list[Model]:
    """Some in which the elements below i are in order, and not above those behind."""
    found = []
    for _ in range(random.randrange(2, 6)):
        length = random.randrange(2, 9)
        begin = random.randrange(length)
        numbers = [random.randrange(-5, 30) for _ in range(length)]
        if random.random() < 0.8:
            numbers = sorted(numbers)[:begin] + random.sample(sorted(numbers)[begin:], length - begin)
        held = ArrayValue(0, dict(enumerate(numbers)))
        found.append(Model({A: held, AT: begin, N: length, X: random.randrange(-5, 30)}))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_guesses_hold_where_they_were_made(seed: int) -> None:
    seen = states(Random(seed))
    small = SmallCopy(counting(5))
    guesses = list(Sorting(HINTS, [], small).guesses(frozenset((A, AT, N, X)), seen))
    for guess in guesses:
        for state in seen:
            for places in product(range(10), repeat=len(guess.payload)):
                at = {**state.values, **dict(zip(guess.payload, places, strict=True))}
                assert evaluate(guess.args[0], Model(at)) is True, guess


def test_that_a_part_is_sorted_is_guessed() -> None:
    held = ArrayValue(0, dict(enumerate((3, 5, 8, 9, 2))))
    seen = [Model({A: held, AT: length, N: 5, X: 1}) for length in (2, 3, 4)]
    guesses = list(Sorting(HINTS, [], SmallCopy(counting(5))).guesses(frozenset((A, AT, N, X)), seen))
    sorted_part = [guess for guess in guesses if len(guess.payload) == 2]
    beyond = {K: 1, sorted_part[0].payload[1]: 4, A: held, AT: 4, N: 5, X: 1}
    assert sorted_part and all(evaluate(guess.args[0], Model(beyond)) is True for guess in sorted_part)
    unordered = ArrayValue(0, dict(enumerate((5, 3, 8, 9, 2))))
    assert any(
        evaluate(g.args[0], Model({**beyond, A: unordered, K: 0, g.payload[1]: 1})) is False for g in sorted_part
    )


def counting(end: int) -> Program:
    """A loop that counts to a constant, as one block."""
    step = Block(
        (
            Edge(Location(1), Assume(lt(AT, int_(end))), Location(7)),
            Edge(Location(7), Assign(AT, add(AT, int_(1))), Location(1)),
        )
    )
    beyond = Assume(le(int_(end + 1), AT))
    return automaton((0, Assign(AT, int_(0)), 1), (1, step, 1), (1, beyond, 2), errors=(2,))


def test_large_constants_are_small_ones_in_the_copy() -> None:
    copy = SmallCopy(counting(100_000))
    small = [int(evaluate(copy.of(int_(100_000 + more)), Model({}))) for more in (-1, 0, 1)]
    assert small == [small[0], small[0] + 1, small[0] + 2] and small[2] < 20
    guards = [edge.statement for edge in copy.program.main.edges if isinstance(edge.statement, Assume)]
    assert guards == [Assume(le(int_(small[2]), AT))]
    told: Term = copy.of(le(add(X, AT), int_(100_000)))
    assert told is le(add(X, AT), int_(small[1])) and substitute(told, {}) is told


def test_small_constants_stay() -> None:
    assert SmallCopy(counting(8)).program.main.edges == counting(8).main.edges
