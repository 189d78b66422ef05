"""The words of result files: taken apart and put together again."""

from __future__ import annotations

import pytest

from craton.verdicts.text import VerdictKind, VerdictText

ALL = [
    VerdictText(VerdictKind.TRUE),
    VerdictText(VerdictKind.UNKNOWN),
    VerdictText(VerdictKind.FALSE),
    VerdictText(VerdictKind.FALSE, "unreach-call"),
    VerdictText(VerdictKind.FALSE, "valid-deref"),
]


@pytest.mark.parametrize("verdict", ALL, ids=str)
def test_what_is_written_is_read_again(verdict: VerdictText) -> None:
    assert VerdictText.parse(str(verdict)) == verdict
    assert VerdictText.parse(verdict.headline) == verdict


def test_words() -> None:
    assert " ".join(map(str, ALL)) == "true unknown false false(unreach-call) false(valid-deref)"
    assert ALL[3].headline == "FALSE(unreach-call)"
    assert [verdict.kind.exit_code for verdict in ALL] == [0, 3, 1, 1, 1]


@pytest.mark.parametrize(
    "text",
    ["", "True", "true(unreach-call)", "unknown(x)", "false()", "false(a b)", "false(a", " true", "TIMEOUT", 1, None],
)
def test_other_words_are_no_verdict(text: object) -> None:
    assert VerdictText.parse(text) is None


def test_only_false_names_a_property() -> None:
    with pytest.raises(ValueError, match="names no property"):
        VerdictText(VerdictKind.TRUE, "unreach-call")


def test_what_was_expected() -> None:
    true, _, false, reach, deref = ALL
    assert true.confirms(true) and not true.confirms(false) and not reach.confirms(true)
    assert reach.confirms(reach) and reach.confirms(false) and not reach.confirms(deref)
    assert not false.confirms(reach)  # it does not say which property
