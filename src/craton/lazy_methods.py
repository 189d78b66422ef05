"""Methods of dataclasses that are made when they are first called.

`dataclass` compiles the text of five or six methods for every class, which was 40 % of the time in which `craton`
starts; most classes of a run are never compared, printed or even instantiated. Only the command does this, to its own
process: whoever imports Craton keeps the standard library as it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

Method = Callable[..., Any]


def make_methods_lazily() -> None:
    """From now on, in this process. Without effect where the standard library makes methods in another way (from
    Python 3.13 on).
    """
    made: Callable[..., Method] | None = getattr(dataclasses, "_create_fn", None)
    if made is not None and not hasattr(made, "is_lazy"):
        dataclasses._create_fn = _lazily(made)  # type: ignore[attr-defined]


def _lazily(made: Callable[..., Method]) -> Callable[..., Method]:
    """What makes methods, lazily: the first call puts the method that `made` makes in its own place."""

    def create(name: str, *text: Any, **surroundings: Any) -> Method:
        method: Method | None = None

        def first_call(self: object, *arguments: Any, **named: Any) -> Any:
            nonlocal method
            if method is None:
                method = made(name, *text, **surroundings)
                method.__qualname__ = first_call.__qualname__
                for owner in type(self).__mro__:
                    if owner.__dict__.get(name) is first_call:
                        setattr(owner, name, method)
            return method(self, *arguments, **named)

        first_call.__name__ = name
        return first_call

    create.is_lazy = True  # type: ignore[attr-defined]
    return create
