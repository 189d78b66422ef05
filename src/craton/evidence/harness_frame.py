"""What every harness consists of, whether inputs are given (`harness`) or drawn (`drawn_harness`): the names that
program and harness share, what is watched over, tables, and the fixed part (`harness.c`, `watch.c`, `output.c`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from craton.program.cfa import DEREF, DIVISION, FREE, MEMCLEANUP, MEMTRACK, OVERFLOW, UNREACH

PROGRAM_MAIN = "__craton_program_main"  # the program's main, where the harness has one of its own
REACHED = "__craton_reached"
STOPS = ("__VERIFIER_error", "reach_error", "__VERIFIER_abort")

KINDS = {
    UNREACH.name: "CRATON_UNREACH",
    OVERFLOW.name: "CRATON_OVERFLOW",
    DIVISION.name: "CRATON_DIVISION",
    DEREF.name: "CRATON_DEREF",
    FREE.name: "CRATON_FREE",
    MEMTRACK.name: "CRATON_MEMTRACK",
    MEMCLEANUP.name: "CRATON_MEMCLEANUP",
}
PROPERTIES = frozenset(KINDS)
SANITIZED = frozenset({DEREF.name, FREE.name})  # what the address sanitizer watches over
MEMORY = SANITIZED | {MEMTRACK.name, MEMCLEANUP.name}

# How the reports of the address sanitizer begin that are violations of a property.
FAULTS = {
    DEREF.name: (
        "heap-buffer-overflow stack-buffer-overflow stack-buffer-underflow dynamic-stack-buffer-overflow "
        "global-buffer-overflow heap-use-after-free stack-use-after-return stack-use-after-scope use-after-poison "
        "unknown-crash SEGV BUS negative-size-param"
    ).split(),
    FREE.name: ["attempting double-free", "attempting free on address which was not malloc()-ed"],
}

_UNDEFINED = (*FAULTS[DEREF.name], *FAULTS[FREE.name])


def header(violated: str) -> str:
    lines = [f'#define CRATON_VIOLATED "{violated}"', f"#define {KINDS[violated]} 1"]
    if violated in MEMORY:
        lines.append("#define CRATON_MEMORY 1")
    if violated in SANITIZED:
        lines.append("#define CRATON_ASAN 1")
        faults = ", ".join(f'"{fault}"' for fault in FAULTS[violated])
        lines.append(f"static const char *const craton_faults[] = {{{faults}}};")
    return "\n".join(lines)


def is_fault(said: str) -> bool:
    """Whether a line of a harness under the address sanitizer tells of undefined behaviour, and not of a resource that
    is used up.
    """
    _, told, name = said.partition("the address sanitizer calls ")
    return bool(told) and (name.startswith(_UNDEFINED) or "-param-overlap" in name)


def fixed_part() -> str:
    names = ("harness.c", "watch.c", "output.c", "guided.c")
    return "".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in names)


def inputs_table(numbers: Mapping[str, int], rows: Sequence[str] = (), standard_input: bytes = b"") -> str:
    """The functions that give inputs, by their numbers, and the inputs: rows of a function's number and bytes."""
    names = ", ".join(f'"{name}"' for name in numbers) or '""'
    return "\n".join(
        [
            f"static const char *const craton_functions[] = {{{names}}};",
            f"#define CRATON_INPUTS {len(rows)}u",
            "static const struct { unsigned function; unsigned char bytes[16]; } craton_inputs[] = {",
            *rows,
            "    {0, {0}}",
            "};",
            _standard_input(standard_input),
        ]
    )


def _standard_input(text: bytes) -> str:
    values = ", ".join(map(str, text)) or "0"
    return (
        f"#define CRATON_STANDARD_INPUT {len(text)}u\n"
        f"static const unsigned char craton_standard_input[] = {{{values}}};"
    )


def fills_table(rows: Sequence[str] = ()) -> str:
    """What memory holds at first (`unspecified_values.Fill`): rows of which memory, offset, size, what kind of memory,
    whether what it holds points to some, and bytes.
    """
    return "\n".join(
        [
            f"#define CRATON_FILLS {len(rows)}u",
            "static const struct {",
            "    unsigned long number;",
            "    unsigned offset, size;",
            "    unsigned char memory, points, bytes[16];",
            "} craton_fills[] = {",
            *rows,
            "    {0, 0, 0, 0, 0, {0}}",
            "};",
        ]
    )
