"""The C compilers of this machine."""

from __future__ import annotations

import os
import shutil


def compilers() -> tuple[str, ...]:
    """Each once, whatever it is called."""
    found: dict[str, str] = {}
    for name in ("cc", "gcc", "clang"):
        path = shutil.which(name)
        if path is not None:
            found.setdefault(os.path.realpath(path), name)
    return tuple(found.values())
