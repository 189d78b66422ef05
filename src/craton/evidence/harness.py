"""The C text of a replay: inputs as a table, stubs for what the program does not define, and the fixed part that hands
the inputs out and reports the error (`harness_frame`, `harness.c`).

The harness is a translation unit of its own and includes nothing, so no declaration of the program can clash with it;
a stub agrees with the program's declaration in its result, which is all that the calling conventions of x86 ask for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from craton.errors import CratonError
from craton.evidence.harness_frame import (
    MEMORY,
    PROGRAM_MAIN,
    REACHED,
    STOPS,
    fills_table,
    fixed_part,
    header,
    inputs_table,
)
from craton.evidence.surroundings import PROGRAM_NAME, is_read_from_outside
from craton.evidence.unspecified_values import OpenLocal, UnspecifiedValues
from craton.frontends.c.library.platform import in_c_library
from craton.frontends.c.library.table import MODELLED
from craton.frontends.c.outline import Outline
from craton.frontends.c.syntax.nodes import Function, Variable
from craton.frontends.c.syntax.types import X87, CType, Floating, Integer, Pointer, Record, Void, leaves
from craton.logic import FLOAT16, FLOAT32, FLOAT64, FLOAT128, BitVec, Float, Sort
from craton.logic.ieee import to_python
from craton.logic.terms import format_of
from craton.program.cfa import MEMTRACK
from craton.program.origin import SourceRange
from craton.program.specification import ASSERTION_FAILURES, Specification
from craton.program.storage import StoredObject
from craton.verdicts.counterexample import ReadValue, Replay, Surroundings

NOTHING_UNSPECIFIED = UnspecifiedValues()

# What the fixed part defines, or compilers do.
_OURS = frozenset("kmalloc kfree cfree printk __VERIFIER_atomic_begin __VERIFIER_atomic_end alloca".split())
_MOST_TYPED = 60_000  # what a pipe takes at once
_INTEGERS = {1: "char", 2: "short", 4: "int", 8: "long long", 16: "__int128"}
_FLOATS = {FLOAT16: "_Float16", FLOAT32: "float", FLOAT64: "double", X87: "long double", FLOAT128: "__float128"}
_UNKNOWN_SIZE = 1 << 16  # bytes of a variable whose declaration does not say how large it is


class NoHarness(CratonError):
    """There is something in the program that a harness cannot be made for."""


def harness_text(
    outline: Outline,
    specification: Specification,
    replay: Replay,
    violated: str,
    opened: UnspecifiedValues = NOTHING_UNSPECIFIED,
) -> str:
    """The harness for one counterexample; what the program leaves open is zero, but for the values that are given."""
    functions = list(dict.fromkeys(read.source.function for read in replay.inputs))
    functions += [f.name for f in outline.functions if f.name not in functions]
    numbers = {name: number for number, name in enumerate(functions)}
    parts = [
        header(violated),
        inputs_table(numbers, _rows(replay.inputs, numbers), replay.found_around.standard_input[:_MOST_TYPED]),
        fills_table(_fills(opened)),
        fixed_part(),
        "/* --- what the program does not define --- */",
        *(_stub(function, specification, numbers) for function in outline.functions),
        *(_definition(variable, opened) for variable in outline.variables),
        *(_open_local(number, local) for number, local in enumerate(opened.locals)),
        *(_open_object(number, known) for number, known in enumerate(opened.objects)),
        _environment(replay.found_around),
        _answers(replay.found_around),
        _main(outline, specification, violated, replay),
    ]
    return "\n".join(part for part in parts if part) + "\n"


def has_own_main(outline: Outline, specification: Specification, violated: str) -> bool:
    """Whether the harness calls the entry function, because it has parameters, another name, or a watched end."""
    return specification.entry != "main" or outline.parameters > 0 or violated == MEMTRACK.name


# --- inputs -----------------------------------------------------------------------------------------------------------


def _given(inputs: Sequence[ReadValue]) -> list[ReadValue]:
    """Those that the harness gives; the rest comes from the C library and the surroundings."""
    return [r for r in inputs if not (is_real(r.source.function) or is_read_from_outside(r.source.function))]


def _rows(inputs: Sequence[ReadValue], numbers: dict[str, int]) -> list[str]:
    return [
        f"    {{{numbers[read.source.function]}, {{{_bytes(read.value, read.sort)}}}}}, /* {_told(read)} */"
        for read in _given(inputs)
    ]


def in_memory(value: int, sort: Sort) -> bytes:
    """A value as the bytes that a variable of its type holds, and zeros."""
    bits = int(value)
    if not isinstance(sort, Float):
        return bits.to_bytes(16, "little")
    if sort == X87:  # has its leading bit in the open
        fraction, rest = bits & ((1 << 63) - 1), bits >> 63
        leading = 1 if rest & 0x7FFF else 0
        bits = rest << 64 | leading << 63 | fraction
    return bits.to_bytes(16, "little")


def _bytes(value: int, sort: Sort) -> str:
    return ", ".join(map(str, in_memory(value, sort).rstrip(b"\0"))) or "0"


def _told(read: ReadValue) -> str:
    if isinstance(read.sort, Float):
        return f"{read.source} = {to_python(format_of(read.sort), read.value)!r}"
    return f"{read.source} = {int(read.value):#x}"


# --- stubs ------------------------------------------------------------------------------------------------------------


def _stub(function: Function, specification: Specification, numbers: dict[str, int]) -> str:
    """A body for a function that has none; "" where the C library's own is meant: no stub returns what that cannot."""
    name = function.name
    if name in specification.error_functions or (name in ASSERTION_FAILURES and specification.assertions):
        return f"CRATON_WEAK void {name}() {{ {REACHED}(); }}"
    if name in ASSERTION_FAILURES:
        return f'CRATON_WEAK void {name}() {{ craton_stop(\'O\', "an assertion that fails", ""); }}'
    if name in STOPS:
        return f'CRATON_WEAK void {name}() {{ craton_stop(\'O\', "{name}", ""); }}'
    if name == "__VERIFIER_assume":
        declared = function.type.parameters
        given = _spelled(declared[0]) if declared else "int"
        return f"CRATON_WEAK void {name}({given} condition) {{ craton_assume(condition != 0); }}"
    if is_real(name) or name in _OURS or name.startswith("__builtin_"):
        return ""
    if name in MODELLED:
        return f'CRATON_WEAK void {name}() {{ craton_stop(\'U\', "nobody defines {name}", ""); }}'
    if function.stops:
        return f'CRATON_WEAK void {name}() {{ craton_stop(\'E\', "calls {name}, which does not return", ""); }}'
    number, result = numbers[name], function.type.result
    match result:
        case Void():
            return f"CRATON_WEAK void {name}() {{}}"
        case Pointer():
            return f"CRATON_WEAK void *{name}() {{ return craton_pointer({number}); }}"
        case Record():
            return _record_stub(name, result)
    spelled = _spelled(result)
    size = 10 if isinstance(result, Floating) and result.sort == X87 else result.size
    kind = {"_Bool": "_BOOL"}.get(spelled, "_FLOAT" if isinstance(result, Floating) else "")
    return (
        f"CRATON_WEAK {spelled} {name}() "
        f"{{ {spelled} value = 0; CRATON_TAKE{kind}({number}, value, {size}); return value; }}"
    )


def is_real(function: str) -> bool:
    """Whether a replay calls the function itself: it is the C library's, or a compiler's."""
    return function.startswith("__builtin_") or in_c_library(function)


def _spelled(t: CType) -> str:
    """A type of the same size and kind, in words that need no declaration."""
    match t:
        case Integer() if t.boolean:
            return "_Bool"
        case Integer() if t.size in _INTEGERS:
            return f"{'signed' if t.signed else 'unsigned'} {_INTEGERS[t.size]}"
        case Floating() if t.sort in _FLOATS:
            return _FLOATS[t.sort]
        case Pointer():
            return "void *"
    raise NoHarness(f"no stub can return a value of type {t}")


def _record_stub(name: str, t: Record) -> str:
    """Zeros. A union counts as its bytes."""
    members: list[str] = []
    at = 0
    for number, leaf in enumerate(leaves(t)):
        if leaf.offset > at:
            members.append(f"char fill{number}[{leaf.offset - at}];")
        if isinstance(leaf.type, Record) or leaf.type.size not in (1, 2, 4, 8, 12, 16):
            members.append(f"char part{number}[{leaf.type.size}];")
        else:
            members.append(f"{_spelled(leaf.type)} part{number};")
        at = leaf.offset + leaf.type.size
    if t.size > at:
        members.append(f"char rest[{t.size - at}];")
    layout = f"struct __attribute__((packed, aligned({t.align}))) craton_result_of_{name} {{ {' '.join(members)} }}"
    return f"{layout};\nCRATON_WEAK struct craton_result_of_{name} {name}() " + (
        f"{{ static const struct craton_result_of_{name} zeros; return zeros; }}"
    )


def _definition(variable: Variable, opened: UnspecifiedValues) -> str:
    """ "" for a variable of the C library."""
    if in_c_library(variable.name):
        return ""
    size, alignment = variable.type.size or _UNKNOWN_SIZE, max(variable.type.align, 16)
    known = opened.globals.get(variable.name)
    begin = "" if known is None or size > 16 else f" = {{{_bytes(*known)}}}"
    return f"CRATON_WEAK unsigned char {variable.name}[{size}] __attribute__((aligned({alignment}))){begin};"


def _main(outline: Outline, specification: Specification, violated: str, replay: Replay) -> str:
    """Where the program's own does not do; and the one of a search, which calls it again and again."""
    entry = PROGRAM_MAIN if specification.entry == "main" else specification.entry
    texts = _arguments(replay, violated) if specification.entry == "main" else ()
    lists = f"craton_list({len(texts)}, craton_arguments), craton_list(0, craton_arguments)"
    called = (
        f"{_list('craton_arguments', texts)}\nint {entry}();\nstatic int craton_run(void)\n"
        f"{{\n    int result = {entry}({len(texts)}, {lists});\n    craton_end_of_main();\n    return result;\n}}"
    )
    own = f"{called}\nint main(void) {{ return craton_run(); }}"
    guided = f"#ifdef CRATON_GUIDED\n{called}\nint main(void) {{ craton_search(craton_run); }}\n"
    return f"{guided}#else\n{own if has_own_main(outline, specification, violated) else ''}\n#endif"


def _arguments(replay: Replay, violated: str) -> tuple[bytes, ...]:
    """What a program does with the name that it is called by is no fault of it, so it has one where memory is watched
    over.
    """
    return replay.found_around.arguments or ((PROGRAM_NAME,) if violated in MEMORY else ())


def _list(name: str, texts: Sequence[bytes]) -> str:
    """Texts that a program may change."""
    each = [f"static char {name}_{i}[] = {{{_units(text)}}};" for i, text in enumerate(texts)]
    names = ", ".join(f"{name}_{i}" for i in range(len(texts)))
    return "\n".join([*each, f"static char *const {name}[] = {{{names}{', ' if names else ''}0}};"])


def _units(text: bytes) -> str:
    return ", ".join(map(str, (*text, 0)))


def _environment(surroundings: Surroundings) -> str:
    if not surroundings.environment:
        return ""
    texts = [name + b"=" + value for name, value in surroundings.environment]
    return (
        f"{_list('craton_environment', texts)}\nextern char **environ CRATON_WEAK;\n"
        "__attribute__((constructor(102))) static void craton_surround(void)\n"
        f"{{ if (&environ) environ = craton_list({len(texts)}, craton_environment); }}"
    )


def _answers(surroundings: Surroundings) -> str:
    """A getenv that gives the counterexample's texts, the same for the same name."""
    if not surroundings.answers:
        return ""
    given = [answer or b"" for answer in surroundings.answers]
    missing = ", ".join("1" if answer is None else "0" for answer in surroundings.answers)
    call = f"craton_answer(name, {len(given)}u, craton_answers, craton_missing)"
    return (
        f"{_list('craton_answers', given)}\nstatic const char craton_missing[] = {{{missing}}};\n"
        f"char *getenv(const char *name) {{ return {call}; }}"
    )


# --- values that the program leaves open ------------------------------------------------------------------------------


def _fills(opened: UnspecifiedValues) -> list[str]:
    return [
        f"    {{{fill.number}ul, {fill.offset}, {_size(fill.sort)}, {fill.memory:d}, {fill.points:d}, "
        f"{{{_bytes(fill.value, fill.sort)}}}}},"
        for fill in opened.fills
    ]


def _size(sort: Sort) -> int:
    if isinstance(sort, Float):
        return 10 if sort == X87 else (sort.exponent_bits + sort.significand_bits) // 8
    return sort.width // 8 if isinstance(sort, BitVec) else 1


def _open_local(number: int, local: OpenLocal) -> str:
    """A function that gives the values which a variable has at its declaration, one after the other."""
    spelled, name = _open_type(local), open_name(number)
    rows = ", ".join(f"{{{_bytes(value, local.sort)}}}" for value in local.values)
    return (
        f"{spelled} {name}(void)\n{{\n    static const unsigned char values[][16] = {{{rows}}};\n"
        f"    static unsigned next;\n    {spelled} value = 0;\n"
        f"    unsigned i;\n    if (next < {len(local.values)}u) {{\n"
        f"        for (i = 0; i < {_size(local.sort)}u; i++) ((unsigned char *)&value)[i] = values[next][i];\n"
        f"        next++;\n    }}\n    return value;\n}}"
    )


def _open_object(number: int, known: StoredObject) -> str:
    """A function that fills a variable in memory when it is declared for the first time."""
    fill = f"craton_fill_memory(object, {known.size}u, CRATON_LOCAL, {number})"
    return (
        f"void *{open_object_name(number)}(void *object)\n{{\n    static int begun;\n"
        f"    if (!begun) {fill};\n    begun = 1;\n    return object;\n}}"
    )


def _open_type(local: OpenLocal) -> str:
    if isinstance(local.sort, Float):
        return _FLOATS[local.sort]
    if local.symbol.type.endswith("*"):
        return "void *"
    return f"{'signed' if local.symbol.signed else 'unsigned'} {_INTEGERS[_size(local.sort)]}"


def open_name(number: int) -> str:
    return f"__craton_open_{number}"


def open_object_name(number: int) -> str:
    return f"__craton_open_object_{number}"


def open_declarations(opened: UnspecifiedValues) -> str:
    """What the program has to know of the functions that give open values."""
    values = [f"extern {_open_type(o)} {open_name(n)}(void);\n" for n, o in enumerate(opened.locals)]
    return "".join(values + [f"extern void *{open_object_name(n)}(void *);\n" for n in range(len(opened.objects))])


# --- marks in the program's text --------------------------------------------------------------------------------------


def marked_texts(outline: Outline, opened: UnspecifiedValues = NOTHING_UNSPECIFIED) -> Iterator[tuple[str, str]]:
    """Files in which errors stand, with the report of the error put before what the program does there; and those with
    declarations of variables that have a value to begin with.
    """
    places: dict[str, list[tuple[int, str]]] = {}
    texts: dict[str, str] = {}

    def text_of(place: SourceRange) -> str:
        if place.file not in texts:
            texts[place.file] = Path(place.file).read_bytes().decode("latin-1")
        return texts[place.file]

    def mark_declaration(declared: SourceRange | None, mark: str) -> None:
        if declared is not None:
            end = _offset(text_of(declared), declared.end_line, declared.end_column)
            places.setdefault(declared.file, []).append((end, mark))

    for number, local in enumerate(opened.locals):
        mark_declaration(local.symbol.declared, f" = {open_name(number)}()")
    for number, known in enumerate(opened.objects):
        name = open_object_name(number)
        mark_declaration(known.declared, f", *{name}_ = {name}(&{known.name})")
    call = f"extern void {REACHED}(void); {REACHED}();"
    for kind, ranges in (("body", outline.bodies), ("label", outline.labels)):
        for place in ranges:
            text = text_of(place)
            at = _offset(text, place.line, place.column)
            if kind == "body":
                if text[at : at + 1] != "{":
                    raise NoHarness(f"{place}: the body of the error function is made by a macro")
                places.setdefault(place.file, []).append((at + 1, f" {call}"))
            else:
                colon = text.find(":", at)
                if colon < 0 or not text[at:colon].strip().isidentifier():
                    raise NoHarness(f"{place}: the error label is made by a macro")
                # The statement behind the label stays one statement, whatever it is part of.
                places.setdefault(place.file, []).append((colon + 1, f" if (({{ {call} 1; }})) ; else "))
    for file, marks in places.items():
        text = texts[file]
        for at, mark in sorted(set(marks), reverse=True):
            text = text[:at] + mark + text[at:]
        yield file, text


def _offset(text: str, line: int, column: int) -> int:
    """Columns count bytes, and so do the characters of the text."""
    begin = 0
    for _ in range(line - 1):
        begin = text.find("\n", begin) + 1
    return begin + column - 1
