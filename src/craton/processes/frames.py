"""Python objects over a pipe, each in a frame: the length, then the pickled object.

Reading never blocks: a sender that stops or dies in the middle of a frame does not stop the reader.
"""

from __future__ import annotations

import os
import pickle
import struct
from collections.abc import Iterator
from multiprocessing.reduction import ForkingPickler
from typing import Any

_LENGTH = struct.Struct("!Q")
_AT_ONCE = 1 << 16  # bytes; the capacity of a pipe
_MOST_AT_ONCE = 1 << 20  # bytes to read before other streams get their turn


def write(stream: int, content: object) -> None:
    """Blocks until everything is written. Objects that cannot be pickled raise before anything is written."""
    pickled = ForkingPickler.dumps(content)
    unsent = memoryview(_LENGTH.pack(len(pickled)) + pickled)
    while unsent:
        unsent = unsent[os.write(stream, unsent) :]


class Reader:
    """Reads frames from a file descriptor as their bytes arrive."""

    def __init__(self, stream: int) -> None:
        os.set_blocking(stream, False)
        self.stream = stream
        self.ended = False  # whether the stream has ended
        self._arrived = bytearray()

    def read(self) -> Iterator[Any]:
        """The complete objects that have arrived. There may be more: an endless sender must not keep us here."""
        for _ in range(_MOST_AT_ONCE // _AT_ONCE):
            if not self._fill():
                break
        while len(self._arrived) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._arrived)[0]
            if len(self._arrived) < end:
                break
            pickled = bytes(self._arrived[_LENGTH.size : end])
            del self._arrived[:end]
            yield pickle.loads(pickled)

    def _fill(self) -> bool:
        """Whether there was something to read."""
        try:
            content = os.read(self.stream, _AT_ONCE)
        except BlockingIOError:
            return False
        self.ended = not content
        self._arrived += content
        return bool(content)
