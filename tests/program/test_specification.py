"""Property files."""

from __future__ import annotations

import pytest

from craton.errors import CratonError
from craton.program.specification import (
    SpecificationError,
    UnsupportedProperty,
    parse_checks,
    parse_specification,
)


def test_properties_are_read() -> None:
    found = parse_specification("CHECK( init(start()), LTL(G ! call(reach_error())) )\n")
    assert (found.entry, found.error_functions, found.memory) == ("start", ("reach_error",), False)
    assert parse_specification("CHECK( init(main()), LTL(G ! overflow) )").overflow
    safe = parse_specification(
        "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n"
        "CHECK( init(main()), LTL(G valid-memtrack) )\n"
    )
    assert safe.free and safe.deref and safe.memtrack and not safe.memcleanup and not safe.reachability


@pytest.mark.parametrize("text", ["", "CHECK( main )", "CHECK( init(main()), LTL(G F x) )"])
def test_other_property_files_are_errors(text: str) -> None:
    with pytest.raises(CratonError):
        parse_specification(text)


def test_each_line_is_a_property_and_memory_safety_is_one() -> None:
    lines = ("G valid-free", "F end", "G valid-deref", "G ! call( f () )", "G ! label(ERROR)", "F end", "G ! data-race")
    found = parse_checks("".join(f"CHECK( init(main()), LTL({line}) )\n" for line in lines))
    formulas = ["G valid-free, G valid-deref", "F end", "G ! call( f () )", "G ! label(ERROR)", "G ! data-race"]
    assert [check.formula for check in found] == formulas
    assert [check.is_supported for check in found] == [True, False, True, True, False]
    memory, _, call, label, race = (check.specification for check in found)
    assert memory is not None and memory.free and memory.deref
    assert call is not None and call.error_functions == ("f",)
    assert label is not None and label.labels == ("ERROR",) and race is None


def test_one_of_several_properties_can_be_read_alone() -> None:
    text = "CHECK( init(main()), LTL(G ! overflow) )\nCHECK( init(main()), LTL(G ! div-by-zero) )\n"
    both = parse_specification(text)
    assert both.overflow and both.division
    alone = parse_specification(text, only="G ! div-by-zero")
    assert alone.division and not alone.overflow


def test_contradictions_and_what_is_not_supported_are_named() -> None:
    with pytest.raises(SpecificationError, match=r"f.prp:2: init\(b\(\)\) contradicts init\(a\(\)\) in line 1"):
        parse_specification("CHECK( init(a()), LTL(G ! overflow) )\nCHECK( init(b()), LTL(G valid-free) )\n", "f.prp")
    with pytest.raises(UnsupportedProperty, match=r"f.prp:1: property `G F x` is not supported") as told:
        parse_specification("CHECK( init(main()), LTL(G F x) )", "f.prp")
    assert told.value.exit_code == 3
