"""Attributes of declarations, and what they make of a program.

Fail closed: an attribute that is neither known to change nothing nor understood has no translation. Attributes are read
from clang's own print of a declaration, where macros are expanded and spellings are the same everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from craton.frontends.c.clang.bindings import CXCursor, Diagnostic, lib, printed
from craton.frontends.c.clang.pragmas import changes_no_arithmetic, refuse_options
from craton.frontends.c.errors import Unsupported

_STRING = r'"(?:\\.|[^"\\])*"'
_ARGUMENTS = rf'\(((?:{_STRING}|[^"()]|\((?:{_STRING}|[^"()])*\))*)\)'
# What stands in texts is none.
_ATTRIBUTE = re.compile(
    rf"__attribute__\(\((?:\w+::)?(\w+)(?:{_ARGUMENTS})?|\[\[(?:\w+::)?(\w+)(?:{_ARGUMENTS})?|asm\({_STRING}|({_STRING})"
)
_UNKNOWN = re.compile(r"unknown attribute '(?:\w+::)?(\w+)' ignored")
_IGNORED = re.compile(r"'(?:\w+::)?(\w+)' attribute|attribute '(?:\w+::)?(\w+)'")

# What changes no value and no way through the program, or only how clang lays out objects and types, which it tells.
_HARMLESS = frozenset(
    """
    access acquire_capability aligned alloc_align alloc_size always_inline analyzer_noreturn annotate
    artificial assume_aligned availability btf_decl_tag btf_type_tag callback cdecl cf_check cold common const
    convergent counted_by deprecated designated_init disable_tail_calls
    dllexport enforce_tcb enum_extensibility error externally_visible
    fallthrough fd_arg fd_arg_read fd_arg_write flag_enum flatten force_align_arg_pointer format format_arg gcc_struct
    gnu_inline hot leaf likely malloc may_alias maybe_unused minsize mode musttail
    no_address_safety_analysis no_builtin no_destroy no_icf no_instrument_function no_profile_instrument_function
    no_reorder no_sanitize no_sanitize_address no_sanitize_memory no_sanitize_thread no_sanitize_undefined
    no_speculative_load_hardening no_split_stack no_stack_limit no_stack_protector noclone nocf_check nocommon
    nodebug nodiscard noduplicate noescape noinline noipa nomerge nonnull nonstring noplt noreturn nothrow
    not_tail_called nouwtable null_terminated_string_arg objc_boxable ownership_holds ownership_returns
    ownership_takes optnone packed patchable_function_entry preserve_access_index
    preserve_access_offset pure randomize_layout release_capability
    retain returns_nonnull sentinel speculative_load_hardening stack_protect stdcall fastcall thiscall regparm
    sysv_abi tainted_args target_clones tls_model transparent_union type_visibility
    unavailable unlikely unsequenced reproducible unused used uninitialized visibility warn_if_not_aligned
    warn_unused warn_unused_result warning zero_call_used_regs
    no_caller_saved_registers vectorcall
    """.split()
)
_UNDERSTOOD = frozenset({"alias", "cleanup", "constructor", "destructor", "section", "weak", "weakref"})
_LISTS_OF_FUNCTIONS = re.compile(r"\.(?:preinit_array|init_array|fini_array|ctors|dtors)\b")
LAST = 65535  # the priority of constructors that have none


@dataclass(frozen=True, slots=True)
class Attributes:
    """What a declaration's attributes say; `strange` are those that nobody understands."""

    alias: str | None = None
    cleanup: str | None = None
    constructor: int | None = None
    destructor: int | None = None
    section: str | None = None
    weak: bool = False
    inlined: bool = False
    effectless: bool = False
    assembler_name: bool = False
    strange: tuple[str, ...] = ()

    def __or__(self, other: Attributes) -> Attributes:
        """Of several declarations of the same thing."""
        return Attributes(
            self.alias or other.alias,
            self.cleanup or other.cleanup,
            other.constructor if self.constructor is None else self.constructor,
            other.destructor if self.destructor is None else self.destructor,
            self.section or other.section,
            self.weak or other.weak,
            self.inlined or other.inlined,
            self.effectless or other.effectless,
            self.assembler_name or other.assembler_name,
            self.strange + other.strange,
        )

    @property
    def lists_functions(self) -> bool:
        """Whether what it is put into is a table of functions to be called before or after `main`."""
        return self.section is not None and _LISTS_OF_FUNCTIONS.search(self.section) is not None


NONE = Attributes()


def attributes_of(declaration: CXCursor) -> Attributes:
    """Those that stand at this declaration; others of the same thing may have more."""
    if not lib().clang_Cursor_hasAttrs(declaration):
        return NONE
    found = dict(_read(printed(declaration, terse=True)))
    return Attributes(
        _text(found.get("alias")) or _text(found.get("weakref")) or None,
        found.get("cleanup"),
        _priority(found.get("constructor")),
        _priority(found.get("destructor")),
        _text(found.get("section")),
        "weak" in found,
        not found.keys().isdisjoint({"always_inline", "flatten"}),
        not found.keys().isdisjoint({"const", "pure", "unsequenced", "reproducible"}),
        "asm" in found,
        tuple(name for name, argument in found.items() if _is_strange(name, argument)),
    )


def _is_strange(name: str, argument: str) -> bool:
    if name == "target":
        return not changes_no_arithmetic(argument)
    return name not in _HARMLESS | _UNDERSTOOD | {"asm"}


def _read(text: str) -> Iterator[tuple[str, str]]:
    for match in _ATTRIBUTE.finditer(text):
        if match.group(5):
            continue
        name = match.group(1) or match.group(3) or "asm"
        yield name.strip("_"), match.group(2) or match.group(4) or ""


def _text(argument: str | None) -> str | None:
    return None if argument is None else argument.strip('"')


def _priority(argument: str | None) -> int | None:
    if argument is None:
        return None
    return int(argument) if argument.isdigit() else LAST


def refuse_ignored(messages: Iterable[Diagnostic], texts: Collection[bytes]) -> None:
    """Attributes that clang does not know or does not heed where they stand, though gcc does."""
    for message in messages:
        unknown = _UNKNOWN.search(message.text)
        ignored = _IGNORED.search(message.text)
        if unknown is not None:
            name = unknown.group(1).strip("_")
            if name == "optimize":
                refuse_options(texts, _place(message))
                continue
            bad = name not in _HARMLESS
        elif ignored is not None:
            name = (ignored.group(1) or ignored.group(2)).strip("_")
            bad = name in _UNDERSTOOD or name in ("vector_size", "ifunc", "naked", "weakref", "target")
        else:
            continue
        if bad:
            raise Unsupported(f"{_place(message)}: the attribute `{name}`", None)


def _place(message: Diagnostic) -> str:
    return message.text.partition(": warning:")[0]
