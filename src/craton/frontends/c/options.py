"""How C text is to be read."""

from __future__ import annotations

from dataclasses import dataclass

from craton.frontends.c.syntax.unknown_functions import UnknownFunctions


@dataclass(frozen=True, slots=True)
class COptions:
    """How C text is to be read, and what is taken for granted of functions that nobody knows."""

    data_model: str = "ILP32"
    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    unknown_functions: UnknownFunctions = UnknownFunctions.PURE
    quoted: tuple[str, ...] = ()  # folders that are looked into before `include`, for headers in quotes alone

    @property
    def pointer_width(self) -> int:
        """In bits."""
        return 64 if self.data_model == "LP64" else 32
