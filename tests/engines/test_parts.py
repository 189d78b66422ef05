"""Facts of parts of arrays, where runs of a small copy have shown them: elements that are moved, swapped, searched."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.engines.parts import Parts
from craton.engines.small_copies import SmallCopy
from craton.frontends.programs import Request
from craton.logic import INT, Array, Model, and_, eq, evaluate, forall, int_, lt, select, sub, var
from craton.logic.semantics import ArrayValue
from craton.program.statements import Assume
from craton.program.transitions import transition
from craton.verdicts.verdict import Proved
from craton.verification.run import verify
from support.automata import automaton

ELEMENTS = Stage("elements", arrays="all", encoding="ideal")
BEGIN = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int a[1000], b[1000];
int main(void) {
    int n = __VERIFIER_nondet_int(), x = __VERIFIER_nondet_int();
    if (n <= 0 || n > 1000) return 0;
    for (int i = 0; i < n; i++) { a[i] = __VERIFIER_nondet_int(); b[i] = a[i]; }
"""
SORTED = "for (int i = 0; i + 1 < n; i++) if (a[i] > a[i + 1]) return 0; "
SEARCH = (
    "int lo = 0, hi = n; while (lo < hi) { int mid = (lo + hi) / 2; if (a[mid] < x) lo = mid + 1; else hi = mid; } "
)
NOWHERE = "if (lo == n || a[lo] != x) for (int i = 0; i < n; i++) if (a[i] == x) reach_error();"
MOVED = (
    "int c[n], d[n]; for (int i = 0; i < n; i++) { c[i] = __VERIFIER_nondet_int(); d[i] = c[i]; }"
    " for (int i = 0; i < n - 1; i++) c[i] = c[i + 1]; "
)
IS_MOVED = "for (int i = 0; i < n - 1; i++) if (c[i] != d[i + 1]) reach_error();"
SWAPPED = "for (int i = 0; i < n / 2; i++) { int t = a[i]; a[i] = a[n - 1 - i]; a[n - 1 - i] = t; } "
IS_REVERSED = "for (int i = 0; i < n; i++) if (a[i] != b[n - 1 - i]) reach_error();"
SAFE = {"binary search": SORTED + SEARCH + NOWHERE, "moved by one": MOVED + IS_MOVED}
UNSAFE = {
    "search in what is not sorted": SEARCH + NOWHERE,
    "search in what is sorted but for the last": SORTED.replace("i + 1 < n", "i + 2 < n") + SEARCH + NOWHERE,
    "search that skips one": SORTED + SEARCH.replace("hi = mid;", "hi = mid - 1;") + NOWHERE,
    "moved by one, and one is another": MOVED + "if (n > 2) c[n / 2]++; " + IS_MOVED,
    "moved, but for the last": MOVED.replace("n - 1", "n - 2") + IS_MOVED,
    "swapped once more": SWAPPED.replace("i < n / 2", "i <= n / 2") + IS_REVERSED,
    "swapped too seldom": SWAPPED.replace("i < n / 2", "i < (n - 1) / 2") + IS_REVERSED,
}


def proved(folder: Path, body: str, seconds: float) -> bool:
    (folder / "p.c").write_text(f"{BEGIN}{body} return 0; }}\n")
    return isinstance(verify(Request((str(folder / "p.c"),)), (ELEMENTS,), seconds).verdict, Proved)


@pytest.mark.parametrize("name", SAFE)
def test_what_loops_do_to_parts_is_proved(tmp_path: Path, name: str) -> None:
    assert proved(tmp_path, SAFE[name], 200.0)


@pytest.mark.parametrize("name", UNSAFE)
def test_what_is_not_so_is_not_proved(tmp_path: Path, name: str) -> None:
    assert not proved(tmp_path, UNSAFE[name], 30.0)


def test_parts_are_where_the_fact_was_seen() -> None:
    """a[k] = b[n - 1 - k] below i, seen with i = 2 and i = 4; not at i."""
    k, i, n = (var(name, INT) for name in "kin")
    a, b = (var(name, Array(INT, INT)) for name in "ab")
    fact = eq(select(a, k), select(b, sub(sub(n, int_(1)), k)))
    asked = Assume(and_(lt(i, n), lt(select(a, i), int_(0))))
    numbers, states = [3, 1, 4, 1, 5, 9, 2, 6], []
    for at in (2, 4):
        done = [*numbers[::-1][:at], *numbers[at:]]
        held = {x: ArrayValue(0, dict(enumerate(row))) for x, row in ((a, done), (b, numbers))}
        states.append(Model({**held, i: at, n: len(numbers)}))
    parts = Parts([forall((k,), fact)], [transition(asked)], SmallCopy(automaton((0, asked, 1))))
    found = list(parts.guesses(frozenset((a, b, i, n)), states))
    assert found
    for guess in found:
        held_at = [
            [at for at in range(10) if evaluate(guess.args[0].args[0], Model({**state.values, guess.payload[0]: at}))]
            for state in states
        ]
        assert any(held_at)
        for state, places in zip(states, held_at, strict=True):
            assert all(evaluate(fact, Model({**state.values, k: at})) is True for at in places), guess
    assert not Parts([forall((k,), eq(select(a, k), i))], [], SmallCopy(automaton((0, asked, 1))))
