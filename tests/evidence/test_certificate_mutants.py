"""Certificates that were tampered with: whatever is no proof is refused, and the condition that fails is named.

What is a proof a judge says that is not the checker: `support.certificates.failing`, or for programs that are known to
be unsafe, what their first lines say. What is still one must be accepted: otherwise refusing would be easy.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from craton.errors import CratonError
from craton.evidence.certificates import checking
from craton.evidence.certificates.checking import Accepted, Programs, Refused, check_certificate
from craton.evidence.certificates.reading import read_certificate
from craton.evidence.certificates.task import described
from craton.frontends.programs import Request, load_program
from support import FUZZ
from support.certificates import HORN, PROVED, certificate, failing, failing_by_induction, written
from support.programs import BY_NAME, EXAMPLES, Example

ROUNDS = max(1, FUZZ) * 5
Mutation = Callable[[list[dict[str, Any]], random.Random], str]


def weaken(claims: list[dict[str, Any]], chance: random.Random) -> str:
    chosen, other = chance.choice(claims), chance.choice(claims)
    chosen["formula"] = chance.choice(("true", f"(or {chosen['formula']} {other['formula']})"))
    return f"weaker at L{chosen['location']}"


def strengthen(claims: list[dict[str, Any]], chance: random.Random) -> str:
    chosen, other = chance.choice(claims), chance.choice(claims)
    chosen["formula"] = chance.choice(
        (
            "false",
            f"(and {chosen['formula']} {other['formula']})",
            f"(and {chosen['formula']} (not {other['formula']}))",
        )
    )
    return f"stronger at L{chosen['location']}"


def swap(claims: list[dict[str, Any]], chance: random.Random) -> str:
    one, two = chance.choice(claims), chance.choice(claims)
    one["formula"], two["formula"] = two["formula"], one["formula"]
    return f"swapped: L{one['location']}, L{two['location']}"


def drop(claims: list[dict[str, Any]], chance: random.Random) -> str:
    chosen = chance.choice(claims)
    claims.remove(chosen)
    return f"dropped: L{chosen['location']}"


def negate(claims: list[dict[str, Any]], chance: random.Random) -> str:
    chosen = chance.choice(claims)
    chosen["formula"] = f"(not {chosen['formula']})"
    return f"negated: L{chosen['location']}"


MUTATIONS: tuple[Mutation, ...] = (weaken, strengthen, swap, drop, negate)


def checked(made: dict[str, Any], request: Request, folder: Path) -> Accepted | Refused:
    return check_certificate(read_certificate(written(made, folder / "certificate.json")), request)


def judged_alike(found: Accepted | Refused, flaws: set[str], what: str) -> None:
    if not flaws:
        assert isinstance(found, Accepted), (what, found)
        return
    assert isinstance(found, Refused), (what, flaws)
    assert found.decided, (what, found)
    named = re.findall(r"L\d+", found.problem)
    told = f"{named[0]} → {named[1]}" if "→" in found.problem else named[0]
    assert told in flaws, (what, found.problem, flaws)


def test_there_are_sixty_certificates_and_all_of_them_are_proofs(tmp_path: Path) -> None:
    assert len(PROVED) >= 60
    for name, engine in PROVED:
        made = certificate(name, engine)
        assert failing(made, BY_NAME[name]) == set(), name
        assert isinstance(checked(made, BY_NAME[name].request, tmp_path), Accepted), name


@pytest.mark.parametrize(("name", "engine"), PROVED)
def test_changed_invariants_are_judged_like_by_another_solver(
    name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = BY_NAME[name]
    monkeypatch.setattr(checking, "load_program", lambda request: example.program)  # it is always the same
    chance = random.Random(f"{name} {engine} {FUZZ}")
    for number in range(ROUNDS):
        made = certificate(name, engine)
        what = MUTATIONS[number % len(MUTATIONS)](made["proof"]["invariants"], chance)
        judged_alike(checked(made, example.request, tmp_path), failing(made, example), what)


# --- k-induction and lemmas -------------------------------------------------------------------------------------------

_LINEAR = tuple((name, engine) for name, engine in PROVED if engine == HORN)


def judged_alike_by_induction(found: Accepted | Refused, flaws: set[str], what: str) -> None:
    """The first flaw in order of lemmas is told, with the whole path."""
    if not flaws:
        assert isinstance(found, Accepted), (what, found)
        return
    assert isinstance(found, Refused), (what, flaws)
    assert found.decided, (what, found)
    lemma = re.match(r"lemma '(\w+)': ", found.problem)
    told = " → ".join(re.findall(r"L\d+", found.problem))
    assert (f"{lemma[1]}: {told}" if lemma else told) in flaws, (what, found.problem, flaws)


@pytest.mark.parametrize(("name", "engine"), _LINEAR)
def test_changed_k_inductive_invariants_are_judged_like_by_another_solver(
    name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = BY_NAME[name]
    monkeypatch.setattr(checking, "load_program", lambda request: example.program)
    chance = random.Random(f"{name} {FUZZ} by k-induction")
    for number in range(ROUNDS):
        made = certificate(name, engine)
        made["proof"]["k"] = chance.choice((2, 2, 3))
        what = MUTATIONS[number % len(MUTATIONS)](made["proof"]["invariants"], chance)
        found = checked(made, example.request, tmp_path)
        judged_alike_by_induction(found, failing_by_induction(made, example), f"{what}, k = {made['proof']['k']}")


@pytest.mark.parametrize(("name", "engine"), _LINEAR)
def test_changed_lemmas_are_judged_like_by_another_solver(
    name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof becomes a lemma, and nothing but that lemma is a proof of the program."""
    example = BY_NAME[name]
    monkeypatch.setattr(checking, "load_program", lambda request: example.program)
    chance = random.Random(f"{name} {FUZZ} by lemmas")
    for number in range(-1, ROUNDS):
        made = certificate(name, engine)
        lemma = {"name": "fact", "found_by": made["found_by"], "proof": made["proof"]}
        claims = [entry | {"formula": "true"} for entry in made["proof"]["invariants"]]
        claims = [entry for entry in claims if not entry["position"].startswith("error")]
        made["lemmas"] = [lemma]
        made["proof"] = made["proof"] | {"invariants": claims, "assumes": ["fact"], "k": chance.choice((1, 1, 2))}
        what = ""
        if number >= 0:
            changed = chance.choice((lemma["proof"]["invariants"], made["proof"]["invariants"]))
            what = MUTATIONS[number % len(MUTATIONS)](changed, chance)
        found = checked(made, example.request, tmp_path)
        flaws = failing_by_induction(made, example)
        assert number >= 0 or not flaws
        judged_alike_by_induction(found, flaws, what)


# --- changed programs -------------------------------------------------------------------------------------------------

_CHANGES = ((r"<=", "<"), (r"(?<![<>=!-])<(?![<=])", "<="), (r"==", "!="), (r"\+\+", "--"), (r"\b\d+\b", "7"))


def mutants(text: str) -> list[str]:
    """The text with one place changed, behind its first lines."""
    found: list[str] = []
    start = text.find("main")
    for pattern, other in _CHANGES:
        places = [m for m in re.finditer(pattern, text) if m.start() > start and m.group() != other]
        found += [text[: place.start()] + other + text[place.end() :] for place in places]
    return found


@pytest.mark.parametrize("name", [name for name, engine in PROVED if engine == HORN])
def test_the_proof_of_another_program_is_judged_anew(name: str, tmp_path: Path) -> None:
    """The hash is made to fit, so that the conditions must tell."""
    example = BY_NAME[name]
    texts = mutants(example.path.read_text(encoding="utf-8"))
    chance = random.Random(f"{name} {FUZZ}")
    for number, text in enumerate(chance.sample(texts, min(len(texts), 3 * max(1, FUZZ)))):
        changed = tmp_path / f"{number}{example.path.suffix}"
        changed.write_text(text, encoding="utf-8")
        request = replace(example.request, files=(str(changed),))
        made = certificate(name)
        with pytest.raises(CratonError, match="another program"):
            checked(made, request, tmp_path)
        made["program"]["files"][0]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
        try:
            program = load_program(request)
            flaws = failing(made, example, program)
        except (CratonError, KeyError):  # no program any more, or one without a variable the proof speaks of
            with pytest.raises(CratonError):
                checked(made, request, tmp_path)
            continue
        judged_alike(checked(made, request, tmp_path), flaws, text)


# --- unsafe programs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", [example for example in EXAMPLES if not example.safe][:: 1 if FUZZ else 2], ids=str)
def test_an_unsafe_program_has_no_certificate(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "load_program", lambda request: example.program)
    made = certificate("loops/together.c")
    task = described(example.request)
    made["program"] = {
        "files": [{"name": file.name, "sha256": file.sha256} for file in task.files],
        "property": {"text": task.property, "sha256": hashlib.sha256(task.property.encode()).hexdigest()},
        "data_model": task.data_model,
        "defines": [],
        "includes": [],
    }
    made["symbols"] = []
    for blocks in (None, 0, 1):
        made["proof"]["blocks"] = blocks
        program = Programs(example.request).in_blocks(blocks)
        for formula in ("true", "false"):
            for skipped in (set(), set(program.errors), {program.main.entry, *program.errors}):
                made["proof"]["invariants"] = [
                    {"location": location.id, "position": "", "formula": formula}
                    for location in program.main.locations
                    if location not in skipped
                ]
                found = checked(made, example.request, tmp_path)
                assert isinstance(found, Refused), (blocks, formula, skipped)
                assert found.decided
