"""Lists on terminals of any width."""

from __future__ import annotations

from craton.commands.columns import lines

ROWS = [("bounded", "all paths up to a length at once"), ("horn", "clauses")]


def test_elsewhere_each_is_a_line() -> None:
    assert list(lines(ROWS, None)) == ["  bounded  all paths up to a length at once", "  horn     clauses"]


def test_texts_fill_their_column() -> None:
    assert list(lines(ROWS, 40)) == [
        "  bounded  all paths up to a length at",
        "           once",
        "  horn     clauses",
    ]


def test_on_a_narrow_terminal_texts_stand_below_names() -> None:
    assert list(lines([("trace-abstraction", "refutations as automata; subtracts traces")], 40)) == [
        "  trace-abstraction",
        "      refutations as automata; subtracts",
        "      traces",
    ]
