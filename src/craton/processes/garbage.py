"""Python's search for garbage in cycles, put off while much is made that stays."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def nothing_collected() -> Iterator[None]:
    """Nobody looks for garbage inside of the context: a program is loaded and made smaller in it, and hardly anything
    of what that makes is thrown away. Afterwards all of it counts as old, so that it is not looked at soon either.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # what somebody has frozen stays so
            gc.freeze()
            gc.unfreeze()
        gc.enable()
