"""What the C library of this machine defines, whether there is a record of it or not."""

from __future__ import annotations

import functools
from contextlib import suppress
from typing import Any


def in_c_library(name: str) -> bool:
    """Whether the C library of this process knows the name; its variants for other widths agree."""
    return any(hasattr(library, name) for library in _c_library())


@functools.cache
def _c_library() -> tuple[Any, ...]:
    """The libraries for functions in general, and for mathematics where that is another."""
    import ctypes  # slow to import, and asked for rarely

    found: list[Any] = []
    for name in ("libc.so.6", "libm.so.6"):
        with suppress(OSError):
            found.append(ctypes.CDLL(name))
    return tuple(found) or (ctypes.CDLL(None),)  # where they have other names: all that this process knows
