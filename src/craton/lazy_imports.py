"""Names of a package whose home is imported when they are first used: what a run does not need costs it nothing.

if TYPE_CHECKING:
    from package.room import thing
__getattr__ = lazy_imports(globals(), {"thing": "package.room"})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_imports(package: dict[str, Any], homes: Mapping[str, str]) -> Callable[[str], Any]:
    """What a package has for `__getattr__`; a name that was found once is there for good."""

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        package[name] = getattr(import_module(homes[name]), name)
        return package[name]

    return find
