"""Proofs by all runs. The judge is enumeration: of programs whose branches are free choices, all runs in Python."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random

import pytest

from craton.cli import main
from craton.engines.bounded import Bounded
from craton.engines.contract import Budget, Safe, Unsafe
from craton.evidence.certificates.checking import Accepted, Refused, check_certificate
from craton.evidence.certificates.format import BadCertificate
from craton.evidence.certificates.reading import from_data
from craton.evidence.certificates.writing import as_data, make_certificate
from craton.evidence.checker import Confirmed, Flaw, Question, check_questions
from craton.evidence.exhaustion import Exhaustion, check_exhaustion, one_after_another
from craton.evidence.paths import error_on_some_path
from craton.frontends.programs import Request, load_program
from craton.logic import BOOL, FLOAT64, BitVec, Term, and_, bvult, evaluate, forall, fp_lt, fp_value, not_, or_, var
from craton.program.blocks import encode_blocks
from craton.program.cfa import Location, Program
from craton.program.preparation import prepare
from craton.program.unfolding import AllRuns, MergedState, Order, Time, Unfolding
from craton.smt import Solver, Unsat, make_solver
from craton.verdicts.proof import Proof
from craton.verdicts.provenance import Provenance
from craton.verdicts.result import Result
from craton.verdicts.verdict import Proved

SIZES = (None, 0, 1)  # of blocks
UPDATES: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "x := x + 1": lambda x, y: (x + 1, y),
    "x := 2 * x": lambda x, y: (2 * x, y),
    "y := x - y": lambda x, y: (x, x - y),
    "x := y": lambda x, y: (y, y),
    "y := 3": lambda x, y: (x, 3),
}


class Choices:
    """A program of free choices, its rounds in a loop or one behind the other; all values that it can end with."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)
        stages = [rng.sample(sorted(UPDATES), rng.randint(1, 3)) for _ in range(rng.randint(1, 3))]
        rounds = rng.randint(1, 2)
        self.ends = {self._run(chosen) for chosen in product(*(stages * rounds))}
        reached = rng.choice(sorted(self.ends))
        self.fails = rng.random() < 0.5
        asked = reached if self.fails else next((n, n) for n in range(50, 99) if (n, n) not in self.ends)
        body = "".join(map(self._stage, range(len(stages)), stages))
        self.text = f"""
            procedure main() {{ var x, y, i: int; x := 1; y := 0; i := 0;
                while (i < {rounds}) {{ {body} i := i + 1; }}
                assert !(x == {asked[0]} && y == {asked[1]}); }}"""

    @staticmethod
    def _stage(number: int, choices: list[str]) -> str:
        labels = [f"L{number}_{i}" for i in range(len(choices))]
        ways = "".join(f"{label}: {choice}; goto M{number};\n" for label, choice in zip(labels, choices, strict=True))
        return f"goto {', '.join(labels)};\n{ways}M{number}:\n"

    @staticmethod
    def _run(chosen: tuple[str, ...]) -> tuple[int, int]:
        x, y = 1, 0
        for choice in chosen:
            x, y = UPDATES[choice](x, y)
        return x, y

    def program(self, folder: Path, size: int | None) -> Program:
        file = folder / "choices.bpl"
        file.write_text(self.text)
        return encode_blocks(prepare(load_program(Request((str(file),)))).small.program, size).program


@pytest.mark.parametrize("loops", [False, True], ids=["by steps", "by loops"])
@pytest.mark.parametrize("seed", range(30))
def test_all_runs_are_seen(seed: int, loops: bool, tmp_path: Path) -> None:
    choices = Choices(seed)
    program = choices.program(tmp_path, SIZES[seed % len(SIZES)])
    found = Bounded(loops=loops).run(program, Budget(20))
    second = error_on_some_path(program, "z3", 20)
    if choices.fails:
        assert isinstance(found, Unsafe) and second in program.errors
        return
    assert second is False
    assert isinstance(found, Safe) and found.runs is not None
    assert isinstance(check_exhaustion(Exhaustion(program, found.runs), ["cvc5"], 20), Confirmed)


def test_an_unfolding_that_forgets_runs_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where runs meet, one of them is dropped: whatever is proved then, nothing is confirmed that fails."""
    monkeypatch.setattr(Unfolding, "_either", lambda self, condition, one, other: other)
    refused = 0
    for seed in range(50, 56):
        choices = next(c for n in range(100) if (c := Choices(seed * 100 + n)).fails)
        program = choices.program(tmp_path, 1)
        found = Bounded().run(program, Budget(20))
        if isinstance(found, Safe) and found.runs is not None:
            flaw = check_exhaustion(Exhaustion(program, found.runs), ["cvc5", "z3"], 20)
            assert isinstance(flaw, Flaw) and "path by path" in flaw.problem
            refused += 1
    assert refused >= 3


@pytest.mark.parametrize("seed", range(30, 50))
def test_no_claim_makes_a_failing_program_proved(seed: int, tmp_path: Path) -> None:
    """Whatever is claimed to be unreached and however few steps: somebody sees the run that fails."""
    rng = Random(seed)
    choices = next(c for n in range(100) if (c := Choices(seed * 100 + n)).fails)
    program = choices.program(tmp_path, rng.choice(SIZES))
    for _ in range(4):
        order = rng.choice(list(Order))
        times = _times(program, order)
        claimed = frozenset(rng.sample(times, rng.randint(0, min(6, len(times)))))
        found = check_exhaustion(Exhaustion(program, AllRuns(order, rng.randint(1, 60), claimed)), ["z3"], 20)
        assert isinstance(found, Flaw) and found.decided, choices.text


def _times(program: Program, order: Order) -> list[tuple[Time, Location]]:
    """Of all states that are followed when nothing is left out."""
    unfolding = Unfolding(program, order)
    found: list[tuple[Time, Location]] = []
    state: MergedState | None = unfolding.first()
    while state is not None and len(found) < 60:
        found.append((state.time, state.location))
        unfolding.follow(state)
        state = unfolding.next()
    return found


FORGOTTEN = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), sum = 0;
  if (n < 0 || n > 3) return 0;
  for (int i = 0; i < n; i++) sum += n * n;   // the loop's input is n …
  n = 0;                                      // … which nobody knows here any more
  for (int i = 0; i < 2; i++) sum = sum % 8 + 1;
  if (sum > 8) reach_error();
  return 0;
}
"""


@pytest.fixture(scope="module")
def forgotten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("runs") / "forgotten.c"
    file.write_text(FORGOTTEN)
    return file


@pytest.fixture(scope="module")
def certified(forgotten: Path) -> str:
    request = Request((str(forgotten),))
    program = encode_blocks(prepare(load_program(request)).small.program, None).program
    found = Bounded().run(program, Budget(20))
    assert isinstance(found, Safe) and found.runs is not None
    proof = Proof(program, None, {}, Provenance("bounded", solvers=found.by), "", 0, runs=found.runs)
    return json.dumps(as_data(make_certificate(request, Result(Proved(proof), stage="bounded"))))


def test_a_certificate_of_all_runs(forgotten: Path, certified: str) -> None:
    made = from_data(json.loads(certified))
    assert made.kind == "runs"
    assert json.loads(json.dumps(as_data(made))) == json.loads(certified)
    assert isinstance(check_certificate(made, Request((str(forgotten),)), seconds=60), Accepted)


CHANGES = ("fewer states", "one claim less", "the first rounds claimed", "no such place", "another order")


@pytest.mark.parametrize("change", CHANGES)
def test_forged_certificates_are_refused(forgotten: Path, certified: str, change: str) -> None:
    data = json.loads(certified)
    proof = data["proof"]
    match change:
        case "fewer states":
            proof["states"] -= 1
        case "another order":
            proof["order"] = "loops"
        case "one claim less":
            del proof["unreached"][0]
        case "the first rounds claimed":
            head = proof["unreached"][0]["location"]
            proof["unreached"] = [{"time": [steps], "location": head} for steps in range(1, 9)]
        case "no such place":
            proof["unreached"].append({"time": [1], "location": 99_999})
    found = check_certificate(from_data(data), Request((str(forgotten),)), seconds=60)
    assert isinstance(found, Refused) and found.decided


@pytest.mark.parametrize(("states", "unreached"), [(0, []), (10**7, []), (-1, []), (3, [{"time": [1]}]), (3, [5])])
def test_what_is_no_certificate_of_runs(certified: str, states: int, unreached: list[object]) -> None:
    data = json.loads(certified)
    data["proof"] |= {"states": states, "unreached": unreached}
    with pytest.raises(BadCertificate):
        from_data(data)


def test_users_are_told(forgotten: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof = forgotten.with_suffix(".json")
    assert main(["verify", str(forgotten), "--engine", "bounded", "--proof", str(proof)]) == 0
    assert "all runs end, none at an error" in capsys.readouterr().out
    assert main(["check", str(proof), str(forgotten)]) == 0


def test_that_all_runs_end_is_no_invariant(forgotten: Path, tmp_path: Path) -> None:
    """A witness of it says nothing of loops, least of all that nobody comes there."""
    witness = tmp_path / "witness.yml"
    assert main(["verify", str(forgotten), "--engine", "bounded", "--witness", str(witness)]) == 0
    assert "value:" not in witness.read_text()


@pytest.mark.parametrize("seed", range(40))
def test_claims_one_after_another_are_claims_at_once(seed: int) -> None:
    """All questions contradict themselves if and only if no claim can hold with the definitions; by enumeration."""
    rng = Random(seed)
    names = [var(f"n{i}", BOOL) for i in range(12)]
    free = [var(f"f{i}", BOOL) for i in range(3)]
    definitions: dict[Term, Term] = {}
    for number, name in enumerate(names):
        parts = rng.sample([*free, *names[:number]], 2)
        literals = [part if rng.random() < 0.5 else not_(part) for part in parts]
        definitions[name] = rng.choice((and_, or_))(*literals) if rng.random() < 0.8 else and_(parts[0], not_(parts[0]))
    claims = [and_(*rng.sample(names, rng.randint(1, 4))) for _ in range(rng.randint(1, 20))]
    possible = any(evaluate(claim, state) for state in _states_of(free, definitions) for claim in claims)
    questions = list(one_after_another(claims, definitions))
    with make_solver("z3") as solver:
        shown = all(isinstance(_asked(solver, question), Unsat) for question in questions)
    assert shown == (not possible)


def _states_of(free: list[Term], definitions: dict[Term, Term]) -> list[dict[Term, bool]]:
    found = []
    for values in product((False, True), repeat=len(free)):
        state = dict(zip(free, values, strict=True))
        for name, meaning in definitions.items():
            state[name] = bool(evaluate(meaning, state))
        found.append(state)
    return found


def _asked(solver: Solver, question: Question) -> object:
    with solver.scope():
        solver.add(*question.formulas)
        return solver.check()


def test_who_has_shown_the_most_need_not_know_what_comes_then() -> None:
    d, x, b = var("d", FLOAT64), var("x", BitVec(8)), var("b", BitVec(8))
    apart = Question((fp_lt(d, fp_value(1.0, FLOAT64)), fp_lt(fp_value(2.0, FLOAT64), d)), "wrong", "open")
    beyond = Question((forall((b,), bvult(b, x)),), "wrong", "open")
    found = check_questions((apart, beyond), ("intervals", "bitwuzla"), 20, alike=True)
    assert isinstance(found, Confirmed)
    assert found.by == ("intervals", "bitwuzla")
