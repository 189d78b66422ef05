"""Property files."""

from __future__ import annotations

import pytest

from craton.errors import CratonError
from craton.program.specification import parse_specification


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
