"""Excerpts of streams that may be too long to keep."""

from __future__ import annotations

from collections import deque


class Beginning:
    """The first bytes of a stream."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.content = bytearray()

    def add(self, content: bytes) -> None:
        self.content += content[: self.most - len(self.content)]

    def text(self) -> str:
        return self.content.decode(errors="replace")


class Ends:
    """The beginning and the end of a stream, half of the bytes each."""

    def __init__(self, most: int) -> None:
        self.head = Beginning(most // 2)
        self.most = most - most // 2
        self.tail: deque[bytes] = deque()
        self.kept = 0
        self.written = 0

    def add(self, content: bytes) -> None:
        self.written += len(content)
        room = self.head.most - len(self.head.content)
        self.head.add(content)
        rest = content[room:]
        if rest:
            self.tail.append(rest)
            self.kept += len(rest)
            while self.kept - len(self.tail[0]) >= self.most:
                self.kept -= len(self.tail.popleft())

    def text(self) -> str:
        end = b"".join(self.tail)[-self.most :]
        left_out = self.written - len(self.head.content) - len(end)
        note = f"\n[… {left_out:,} bytes left out …]\n" if left_out else ""
        return self.head.text() + note + end.decode(errors="replace")
