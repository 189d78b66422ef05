"""Which constructs of C a generated program may contain; every flag can be switched on its own."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True)
class Features:
    """One flag per construct. Off by default: `long_double` (its format is the machine's, not the model's).

    What is switched off is not generated at random; the fixed frame of every program (the checksum's `mix` and its
    loops, the counting loops inside idioms, `unsigned long long`) remains.
    """

    # types
    bools: bool = True
    enums: bool = True
    typedefs: bool = True
    long_longs: bool = True
    floats: bool = True
    long_double: bool = False
    bitfields: bool = True
    arrays: bool = True
    multidimensional: bool = True
    structs: bool = True
    nested_structs: bool = True
    anonymous_members: bool = True
    packed: bool = True
    unions: bool = True
    pointers: bool = True
    qualifiers: bool = True
    # expressions
    mixed_integers: bool = True  # off: int is the only integer type
    casts: bool = True
    shifts: bool = True
    division: bool = True
    ternary: bool = True
    comma: bool = True
    short_circuit: bool = True
    compound_assignment: bool = True
    increments: bool = True
    assignment_values: bool = True
    compound_literals: bool = True
    statement_expressions: bool = True
    typeof: bool = True
    sizeof: bool = True
    builtins: bool = True
    nondet: bool = True
    # initialisers and declarations
    designators: bool = True
    address_initialisers: bool = True
    static_locals: bool = True
    static_assert: bool = True
    shadowing: bool = True
    # pointers
    pointer_arithmetic: bool = True
    pointer_to_pointer: bool = True
    null_pointers: bool = True
    void_pointers: bool = True
    byte_access: bool = True
    linked_lists: bool = True
    # functions
    functions: bool = True
    struct_values: bool = True
    function_pointers: bool = True
    recursion: bool = True
    varargs: bool = True
    # control
    loops: bool = True
    goto: bool = True
    switch: bool = True
    case_ranges: bool = True
    exits: bool = True
    # memory and library
    vlas: bool = True
    alloca: bool = True
    heap: bool = True
    memory_functions: bool = True
    string_functions: bool = True
    library_strings: bool = True
    ctype: bool = True
    library_numbers: bool = True
    sorting: bool = True
    # text, units, and pointers that are not stored as pointers
    macros: bool = True
    units: bool = True
    pointer_travels: bool = True
    constructs: bool = True  # the pieces of constructs.txt

    def without(self, *names: str) -> Features:
        """The same features with the named ones switched off."""
        return replace(self, **dict.fromkeys(names, False))

    def plus(self, *names: str) -> Features:
        """The same features with the named ones switched on."""
        return replace(self, **dict.fromkeys(names, True))

    def has(self, name: str) -> bool:
        """Whether the named feature is on; the empty name stands for what every program may contain."""
        return not name or bool(getattr(self, name))


ALL = Features()
# Without what was added later: seeds that were noted before mean the same program with these.
FIRST = ALL.without(
    *("library_strings", "ctype", "library_numbers", "sorting", "macros", "units", "pointer_travels", "constructs")
)
NONE = Features(**{flag.name: False for flag in fields(Features)})
