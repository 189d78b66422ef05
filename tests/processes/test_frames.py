"""Objects over a pipe: whole or not at all, in order, and nobody is waited for."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Iterator

import pytest

from craton.processes import frames

Pipe = tuple[int, int]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    reading, writing = os.pipe()
    yield reading, writing
    for stream in (reading, writing):
        try:
            os.close(stream)
        except OSError:  # a test has closed it
            continue


def test_nothing_is_waited_for(pipe: Pipe) -> None:
    reader = frames.Reader(pipe[0])
    assert list(reader.read()) == []
    assert not reader.ended


def test_objects_arrive_in_order(pipe: Pipe) -> None:
    reader = frames.Reader(pipe[0])
    for number in range(100):
        frames.write(pipe[1], ("number", number))
    assert list(reader.read()) == [("number", number) for number in range(100)]


def test_half_of_an_object_is_nothing_yet(pipe: Pipe) -> None:
    frames.write(pipe[1], "whole")
    whole = os.read(pipe[0], 1 << 16)
    reader = frames.Reader(pipe[0])
    for part in (whole[:3], whole[3:9], whole[9:-1]):
        os.write(pipe[1], part)
        assert list(reader.read()) == []
    os.write(pipe[1], whole[-1:] + whole[:5])
    assert list(reader.read()) == ["whole"]
    os.write(pipe[1], whole[5:])
    assert list(reader.read()) == ["whole"]


def test_an_end_in_the_middle(pipe: Pipe) -> None:
    reader = frames.Reader(pipe[0])
    os.write(pipe[1], b"\0\0\0")
    os.close(pipe[1])
    assert list(reader.read()) == []
    assert reader.ended


def test_an_object_that_is_larger_than_a_pipe(pipe: Pipe) -> None:
    content = os.urandom(5 << 20)
    reader = frames.Reader(pipe[0])
    writer = threading.Thread(target=frames.write, args=(pipe[1], content))
    writer.start()
    arrived: list[object] = []
    while not arrived:
        arrived += reader.read()
    writer.join()
    assert arrived == [content]


def test_what_cannot_be_sent_leaves_nothing_behind(pipe: Pipe) -> None:
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError)):  # the last one since Python 3.14
        frames.write(pipe[1], (b"x" * 100, lambda: 0, threading.Lock()))
    frames.write(pipe[1], "next")
    assert list(frames.Reader(pipe[0]).read()) == ["next"]
