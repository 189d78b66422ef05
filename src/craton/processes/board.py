"""A board that one process writes on and those that it forks can read, whenever they like.

Nobody waits: the writer does not for readers, which may be suspended, and readers look when it suits them. What does
not fit any more is not written: a board is for what helps, not for what is needed.
"""

from __future__ import annotations

import mmap
import pickle
import struct
from multiprocessing.reduction import ForkingPickler
from typing import Any

_LENGTH = struct.Struct("Q")
_USUAL_SIZE = 1 << 22  # bytes; they cost memory only when they are written


class Board:
    """Objects in the order in which they were written. Each process has its own place up to which it has read."""

    def __init__(self, size: int = _USUAL_SIZE) -> None:
        self._shared = mmap.mmap(-1, size)
        self._size = size
        self._read = _LENGTH.size

    def write(self, content: object) -> bool:
        """Whether it fits. Readers see all of it or nothing: the end is moved when everything is there."""
        pickled = bytes(ForkingPickler.dumps(content))
        begin = self._end
        end = begin + _LENGTH.size + len(pickled)
        if end > self._size:
            return False
        _LENGTH.pack_into(self._shared, begin, len(pickled))
        self._shared[begin + _LENGTH.size : end] = pickled
        _LENGTH.pack_into(self._shared, 0, end)
        return True

    def news(self) -> list[Any]:
        """What was written since this process looked last; at first, all of it."""
        found, end = [], self._end
        while self._read < end:
            begin = self._read + _LENGTH.size
            self._read = begin + int(_LENGTH.unpack_from(self._shared, self._read)[0])
            found.append(pickle.loads(self._shared[begin : self._read]))
        return found

    @property
    def _end(self) -> int:
        return int(_LENGTH.unpack_from(self._shared, 0)[0]) or _LENGTH.size
