"""What library functions do with pointers."""

from __future__ import annotations

from craton.frontends.c.memory.effects import Gives, PointerEffects, Touch

# Functions that write through all arguments behind the format, and where those begin.
SCANS = {
    "scanf": 1, "__isoc99_scanf": 1, "sscanf": 2, "__isoc99_sscanf": 2, "fscanf": 2, "__isoc99_fscanf": 2
}  # fmt: skip

_TOUCHES: dict[Touch, str] = {
    Touch.COPY: (
        "memcpy memmove __builtin_memcpy __builtin_memmove __memcpy __builtin___memcpy_chk __builtin___memmove_chk"
    ),
    Touch.SET: "memset __builtin_memset __memset __builtin___memset_chk",
    Touch.BYTES: (
        "memcmp memchr bcmp __builtin_memcmp __builtin_memchr strcpy strncpy strcat strncat strcmp strncmp "
        "strlen strchr strrchr index rindex strdup strnlen "
        "__builtin_strlen __builtin_strcmp __builtin_strncmp __builtin_strcpy __builtin_strncpy __builtin_strcat "
        "__builtin_strncat __builtin_strchr __builtin_strrchr __builtin_strnlen __builtin_bcmp __builtin_strdup "
        "__builtin_index __builtin_rindex __builtin___strcpy_chk"
    ),
    Touch.FIRST_BYTES: "__craton_scramble snprintf vsnprintf sprintf vsprintf gets",
    Touch.START_ARGUMENTS: "va_start __builtin_va_start",
    Touch.COPY_ARGUMENTS: "va_copy __builtin_va_copy",
    Touch.SCAN: " ".join(f"{name} __builtin_{name}" for name in SCANS),
}
_GIVES: dict[Gives, str] = {
    Gives.NEW: (
        "malloc calloc alloca __builtin_alloca __builtin_malloc __builtin_calloc valloc memalign aligned_alloc kmalloc "
        "__builtin_alloca_with_align __builtin_aligned_alloc __builtin_memalign"
    ),
    Gives.NEW_TEXT: "strdup __builtin_strdup",
    Gives.RESIZED: "realloc __builtin_realloc",
    Gives.FIRST: (
        "memcpy memmove memset strcpy strncpy strcat strncat strchr strrchr memchr __builtin_memcpy "
        "__builtin_memmove __builtin_memset __builtin_strcpy __builtin_strncpy __builtin_strcat __builtin_strncat "
        "__builtin_strchr __builtin_strrchr __builtin_index __builtin_rindex __builtin_memchr __memcpy __memset "
        "__builtin_assume_aligned __builtin___memcpy_chk __builtin___memset_chk __builtin___memmove_chk "
        "__builtin___strcpy_chk index rindex gets __builtin_expect"
    ),
}


def _effects() -> dict[str, PointerEffects]:
    touches = {name: touch for touch, names in _TOUCHES.items() for name in names.split()}
    gives = {name: given for given, names in _GIVES.items() for name in names.split()}
    return {
        name: PointerEffects(
            touches.get(name, Touch.NOTHING),
            gives.get(name, Gives.UNKNOWN),
            SCANS.get(name.removeprefix("__builtin_"), 0),
        )
        for name in (*touches, *gives)
    }


EFFECTS = _effects()
