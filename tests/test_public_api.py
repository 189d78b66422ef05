"""`import craton`: what it promises is there, is documented, costs nothing to import, and works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import craton
from support.programs import BY_NAME

SAFE, UNSAFE, EVEN = (BY_NAME[name].path for name in ("loops/together.c", "control/label.c", "loops/even.c"))
ENGINES = (
    "TraceAbstraction PredicateAnalysis Splitting ValueAnalysis ValuePredicateAnalysis Bounded KInduction Conjectures"
    " Horn"
).split()
WP = craton.Newton(direction=craton.Direction.WP, late=True)


def test_what_is_promised_is_there() -> None:
    assert len(set(craton.__all__)) == len(craton.__all__)
    assert dir(craton) == sorted(craton.__all__)
    for name in craton.__all__:
        assert getattr(craton, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'verifier'"):
        _ = craton.verifier


def test_what_is_promised_is_told() -> None:
    """Every name stands in the docstring of the package, and says itself what it is."""
    text = craton.__doc__ or ""
    for name in craton.__all__:
        if name != "__version__":
            assert f"`{name}`" in text, name
            assert name in ("verify", "load", "explain", "refiner") or isinstance(getattr(craton, name), type), name
    for function in (craton.verify, craton.load, craton.explain):
        assert function.__doc__


def test_importing_it_imports_nothing_else() -> None:
    script = "import sys, craton; print(*sorted(name for name in sys.modules if name.startswith('craton')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["craton", "craton.lazy_imports", "craton.version"]


# --- verify -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [SAFE, str(SAFE)], ids=["a path", "a string"])
def test_a_proof(path: Path | str) -> None:
    result = craton.verify(path, engine="horn", time_limit=60)
    match result.verdict:
        case craton.Proved(proof):
            assert proof.checked_by and proof.invariants
        case other:
            pytest.fail(f"{other}: {result.reason}")
    assert result.stage == "horn" and result.program is not None and result.statistics.purposes


def test_a_violation() -> None:
    result = craton.verify(UNSAFE, data_model="LP64", time_limit=60)
    match result.verdict:
        case craton.Violated(violated, place, replay, compiled):
            assert violated.name == "unreach-call"
            assert place is not None and place.file == str(UNSAFE)
            assert [read.value for read in replay.inputs] == [42]
            assert isinstance(compiled, craton.Reached | craton.NotCompiled)
        case other:
            pytest.fail(f"{other}: {result.reason}")


def test_a_property_file(tmp_path: Path) -> None:
    overflow = tmp_path / "overflow.prp"
    overflow.write_text("CHECK( init(main()), LTL(G ! overflow) )\n")
    verdict = craton.verify(BY_NAME["overflow/increment.c"].path, property=overflow, time_limit=60).verdict
    assert str(verdict) == "false(no-overflow)"


def test_several_files(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("extern int two(void); extern void reach_error(void);\n")
    (tmp_path / "a.c").write_text((tmp_path / "a.c").read_text() + "int main(void) { if (two() == 2) reach_error(); }")
    (tmp_path / "b.c").write_text("int two(void) { return TWO; }")
    both = (tmp_path / "a.c", tmp_path / "b.c")
    assert craton.verify(*both, define=["TWO=2"], time_limit=60).is_false
    assert craton.verify(*both, define=["TWO=3"], time_limit=60).is_true


@pytest.mark.parametrize(
    "arguments",
    [
        {"engine": craton.TraceAbstraction(WP)},
        {"engine": craton.TraceAbstraction(WP), "encoding": "int"},
        {"engine": "trace-abstraction", "refine": WP},
        {"engine": "trace-abstraction", "refine": "newton(it, wp, lv, late)"},
        {"engine": craton.Horn()},
    ],
    ids=["an engine", "an engine on a view", "a refiner", "expressions", "an engine without a refiner"],
)
def test_engines_and_refiners_are_values_or_expressions(arguments: dict[str, object]) -> None:
    result = craton.verify(SAFE, time_limit=60, **arguments)  # type: ignore[arg-type]
    assert result.is_true, result.reason
    engine = arguments["engine"]
    assert result.stage.startswith(engine if isinstance(engine, str) else engine.name)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_is_a_value(name: str) -> None:
    make = getattr(craton, name)
    with_refiner = name not in ("Bounded", "KInduction", "Conjectures", "Horn")
    assert make(craton.Newton()) == make(craton.Newton()) if with_refiner else make() == make()


def test_limits_are_kept() -> None:
    """Of memory, since that does not depend on how fast the machine is."""
    result = craton.verify(EVEN, memory_limit=5)
    assert isinstance(result.verdict, craton.Unknown)
    assert result.verdict.limit is craton.Limit.MEMORY
    assert result.reason == "memory limit of 5 MiB reached"


def test_mistakes_are_raised(tmp_path: Path) -> None:
    with pytest.raises(craton.CratonError, match="cannot read"):
        craton.verify(tmp_path / "none.c")
    with pytest.raises(craton.CratonError, match="name a program"):
        craton.verify()
    with pytest.raises(craton.CratonError, match="newtown"):
        craton.verify(SAFE, engine="trace-abstraction", refine="newtown")
    with pytest.raises(craton.CratonError, match="has its refiner and its solver already"):
        craton.verify(SAFE, engine=craton.TraceAbstraction(WP), refine="default")
    with pytest.raises(craton.CratonError, match="has no expression"):
        craton.verify(SAFE, engine="trace-abstraction", refine=craton.Lean(WP, solver="cvc5"))


# --- load and explain -------------------------------------------------------------------------------------------------


def test_load() -> None:
    program = craton.load(SAFE)
    assert isinstance(program, craton.Program)
    assert program.main.edges and program.errors


def test_explain() -> None:
    explanation = craton.explain(SAFE, refine=[craton.Newton(), "newton(it, wp, lv)"])
    assert isinstance(explanation, craton.Explanation)
    assert [column.refiner for column in explanation.columns] == ["newton(sp)", "newton(it,wp,lv)"]
    assert all(len(column.assertions) == len(explanation.trace) + 1 for column in explanation.columns)


def test_progress_and_unknown_functions(tmp_path: Path) -> None:
    program = tmp_path / "unknown.c"
    program.write_text(
        "extern void f(int *p); extern void reach_error(void);\n"
        "extern int n(void);\n"
        "int main(void) { int x = 1; f(&x); while (n()) x ^= 2; if (x != 1 && x != 3) reach_error(); return 0; }"
    )
    seen: list[object] = []
    found = craton.verify(
        program, unknown_functions="pure", engine="trace-abstraction", watch=lambda *told: seen.extend(told)
    )
    assert found.is_true
    assert any(type(each).__name__ == "Progress" for each in seen)
    assert craton.verify(program, unknown_functions="refuse").is_unknown
