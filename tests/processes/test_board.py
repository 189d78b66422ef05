"""A board that one writes on and others read when they like."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection

from craton.processes.board import Board


def test_everybody_reads_what_is_new_to_them() -> None:
    board = Board()
    assert board.write("first")
    ours, theirs = multiprocessing.get_context("fork").Pipe()
    reader = multiprocessing.get_context("fork").Process(target=_reads, args=(board, theirs))
    reader.start()
    assert ours.recv() == ["first"]
    assert board.write(("second", 2))
    assert board.write("third")
    ours.send("look again")
    assert ours.recv() == [("second", 2), "third"]
    reader.join()
    assert board.news() == ["first", ("second", 2), "third"]
    assert board.news() == []


def _reads(board: Board, told: Connection) -> None:
    told.send(board.news())
    told.recv()
    told.send(board.news())


def test_what_does_not_fit_is_not_written() -> None:
    board = Board(size=4096)
    assert board.write("small")
    assert not board.write("x" * 5000)
    assert board.write("small again")
    assert board.news() == ["small", "small again"]
