"""The C text around a program whose inputs are drawn from a seed. Nobody but the compiler has looked at the program,
and nothing here knows the front end: these runs begin before it is imported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from craton.evidence.harness_frame import (
    FAULTS,
    KINDS,
    PROGRAM_MAIN,
    REACHED,
    STOPS,
    fills_table,
    fixed_part,
    header,
    inputs_table,
)
from craton.program.specification import ASSERTION_FAILURES, Specification

# What functions that give inputs return, by the end of their name.
_DRAWN_TYPES = {
    **dict.fromkeys(("bool", "_Bool", "boolean"), "_Bool"),
    **dict.fromkeys(("char", "schar", "int8", "int8_t", "S8", "s8", "i8"), "signed char"),
    **dict.fromkeys(("uchar", "unsigned_char", "uint8", "uint8_t", "U8", "u8"), "unsigned char"),
    **dict.fromkeys(("short", "int16", "int16_t", "S16", "s16", "i16"), "short"),
    **dict.fromkeys(("ushort", "unsigned_short", "uint16", "uint16_t", "U16", "u16"), "unsigned short"),
    **dict.fromkeys(("", "int", "int32", "int32_t", "S32", "s32", "i32"), "int"),
    **dict.fromkeys(("uint", "unsigned", "unsigned_int", "uint32", "uint32_t", "U32", "u32"), "unsigned"),
    **dict.fromkeys(("long", "ssize_t", "ptrdiff_t"), "long"),
    **dict.fromkeys(("ulong", "unsigned_long", "size_t", "sizet"), "unsigned long"),
    **dict.fromkeys(("longlong", "long_long", "int64", "int64_t", "loff_t", "S64", "s64", "i64"), "long long"),
    **dict.fromkeys(("ulonglong", "unsigned_long_long", "uint64", "uint64_t", "U64", "u64"), "unsigned long long"),
    "float": "float",
    "double": "double",
    "pointer": "void *",
}
_DRAWN_NAME = re.compile(r"\b(?:__VERIFIER_)?nondet(?:_(\w+))?\b")


def drawn_functions(texts: Sequence[str]) -> dict[str, str]:
    """Functions in C texts that give inputs, known by their names alone, and what they return."""
    found = {match.group(): match.group(1) or "" for text in texts for match in _DRAWN_NAME.finditer(text)}
    return {name: _DRAWN_TYPES[end] for name, end in sorted(found.items()) if end in _DRAWN_TYPES}


def drawn_harness_text(
    specification: Specification, kinds: Sequence[str], functions: dict[str, str], own_main: bool, *, watched: bool
) -> str:
    """The harness of a program that nobody but the compiler has looked at: inputs are drawn, error functions are there
    whether the program names them or not. `watched` is for programs under the address sanitizer, whose faults are no
    violation then.
    """
    numbers = {name: number for number, name in enumerate(functions)}
    errors = (*specification.error_functions, *(ASSERTION_FAILURES if specification.assertions else ()))
    stops = [name for name in (*STOPS, *ASSERTION_FAILURES) if name not in errors]
    parts = [
        _drawn_header(kinds, watched=watched),
        inputs_table(numbers),
        fills_table(),
        fixed_part(),
        *(f"CRATON_WEAK void {name}() {{ {REACHED}(); }}" for name in dict.fromkeys(errors)),
        *(f'CRATON_WEAK void {name}() {{ craton_stop(\'O\', "{name}", ""); }}' for name in stops),
        "CRATON_WEAK void __VERIFIER_assume(int condition) { craton_assume(condition != 0); }",
        *(_drawing(name, result, numbers[name]) for name, result in functions.items()),
        _calling_main(specification.entry) if own_main else "",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _drawn_header(kinds: Sequence[str], *, watched: bool) -> str:
    if len(kinds) == 1 and not watched:
        return header(kinds[0])
    lines = [f"#define {KINDS[kind]} 1" for kind in kinds]
    lines += [f'#define CRATON_VIOLATED "{kinds[0]}"', "#define CRATON_ASAN 1"]
    faults = [fault for kind in kinds for fault in FAULTS.get(kind, ())] or ["none"]
    spelled = ", ".join(f'"{fault}"' for fault in faults)
    lines.append(f"static const char *const craton_faults[] = {{{spelled}}};")
    return "\n".join(lines)


def _drawing(name: str, result: str, number: int) -> str:
    """All the bits of a register are given, whatever the program has declared."""
    if result == "void *":
        return f"CRATON_WEAK void *{name}() {{ return craton_pointer({number}); }}"
    floating = result in ("float", "double")
    kind = "_BOOL" if result == "_Bool" else "_FLOAT" if floating else ""
    returned = result if floating else "long long"
    return (
        f"CRATON_WEAK {returned} {name}() "
        f"{{ {result} value = 0; CRATON_TAKE{kind}({number}, value, sizeof value); return ({returned})value; }}"
    )


def _calling_main(entry: str) -> str:
    name = PROGRAM_MAIN if entry == "main" else entry
    return (
        f"int {name}();\nint main(int count, char **arguments, char **environment)\n{{\n"
        f"    int result = {name}(count, arguments, environment);\n    craton_end_of_main();\n    return result;\n}}"
    )
