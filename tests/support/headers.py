"""What the first lines of a program say about it: comments of the form `// key: value`."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from support.entries import TESTS, BadExample


def header_of(path: Path, required: Collection[str], optional: Collection[str] = ()) -> dict[str, str]:
    """The values by their keys; a key that nobody reads is a mistake."""
    place = path.relative_to(TESTS)
    said: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.startswith("//"):
            break
        key, _, value = (part.strip() for part in line.removeprefix("//").partition(":"))
        if key not in (*required, *optional):
            known = ", ".join((*required, *optional))
            raise BadExample(f"{place}:{number}", f"nobody reads {key!r}; known are {known}")
        if key in said:
            raise BadExample(f"{place}:{number}", f"{key!r} is said twice")
        said[key] = value
    for key in required:
        if key not in said:
            raise BadExample(f"{place}:1", f"no first line `// {key}: …`")
    return said
