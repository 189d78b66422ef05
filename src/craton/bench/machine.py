"""What a campaign was measured on: the machine, and the versions of everything that influences the results."""

from __future__ import annotations

import hashlib
import os
import platform
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from craton.version import __version__

_SOLVERS = {"z3": "z3-solver", "bitwuzla": "bitwuzla", "cvc5": "cvc5", "libclang": "libclang"}


def machine() -> dict[str, Any]:
    return {
        "host": platform.node(),
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory": _memory(),
    }


def versions() -> dict[str, str]:
    found = {"craton": __version__, "craton source": _source_digest(), "python": platform.python_version()}
    for name, package in _SOLVERS.items():
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(package)
    return found


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _memory() -> int | None:
    """Bytes, if the system tells."""
    with suppress(ValueError, OSError, AttributeError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def _source_digest() -> str:
    """A digest of all of Craton's own files: during development, a version number says little."""
    root = Path(__file__).parents[1]
    total = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        total.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:12]
