"""Records as C text: what a function writes becomes arbitrary, and so does its result, within its bounds.

The text is lowered like the program's own, so a record means the same for calls by name and through pointers, for the
points-to analysis and for slicing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from craton.frontends.c.library.functions import Model, Record

DIRECT = "__craton_direct_"  # a call by name, from the text that serves calls through pointers
ANY, INPUT, OPEN = "__craton_any_", "__craton_input_", "__craton_open_"
_RESULT = "__craton_result"
_CLOSING = frozenset({"fclose", "pclose", "freopen"})


def contract_text(record: Record) -> str:
    """A unit that defines the function."""
    lines = list(_declarations(record))
    body = "\n    ".join(_direct(record) if record.model is Model.HANDLER else _statements(record))
    return "\n".join([*lines, f"{record.prototype} {{\n    {body}\n}}\n"])


def _declarations(record: Record) -> Iterator[str]:
    if record.result not in ("", "void"):
        yield f"extern {record.result} {ANY}{record.name}(void);"
        yield f"extern {record.result} {INPUT}{record.name}(void);"
    if record.model is Model.HANDLER:
        yield f"extern {record.prototype.replace(record.name + '(', DIRECT + record.name + '(', 1)};"
    for number, written in enumerate(record.writes):
        if written.size is None:
            yield f"extern {_target(record, written.through)} {ANY}{record.name}_{number}(void);"


def _target(record: Record, pointer: str) -> str:
    """What a parameter points to."""
    declared = next(p for p, name in zip(record.parameters, record.names, strict=False) if name == pointer)
    return declared[: declared.rindex("*")].removeprefix("const ").strip()


def _direct(record: Record) -> Iterator[str]:
    """Through a pointer, the function does what it does when it is called by name."""
    if record.is_variadic or "va_list arguments" in record.parameters:
        yield f'__craton_unmodelled("{record.name} that is called through a pointer");'
        yield from _returned(record)
        return
    call = f"{DIRECT}{record.name}({', '.join(record.names)});"
    yield call if record.result == "void" else f"return {call}"


def _statements(record: Record) -> Iterator[str]:
    if record.model is Model.UNMODELLED:
        yield f'__craton_unmodelled("a call of {record.name}");'
    yield from _reads(record)
    if record.is_variadic and "format" in record.names:
        yield f'__craton_rests_on("what {record.name} prints is readable, and its format has no %n");'
    for condition, value in record.points:
        yield f"if ({condition}) return {value};"
    for number, written in enumerate(record.writes):
        if written.size is None:
            yield f"*{written.through} = {ANY}{record.name}_{number}();"
        else:
            yield f"__craton_scramble({written.through}, {written.size});"
    if record.sets_errno:
        whose = OPEN if record.is_input else ANY
        yield f"if ({whose}int()) errno = {whose}int();"
    if record.stops:  # as by a call of exit: what atexit was given is called, and memory is looked at
        yield "exit(1);"
    yield from _returned(record)


def _reads(record: Record) -> Iterator[str]:
    """What is read, for the sake of memory safety."""
    for declared, name in zip(record.parameters, record.names, strict=False):
        if re.match(r"const char \*\w", declared):
            read = f"__craton_reads_text({name});"
        elif declared.startswith("FILE *"):
            read = f"__craton_{'closes' if record.name in _CLOSING else 'there'}({name});"
        elif re.match(r"const (struct )?\w+ \*\w", declared) and not declared.startswith("const void"):
            read = f"__craton_reads({name}, sizeof *{name});"
        else:
            continue
        yield f"if ({name}) {read}" if name in record.nullable else read
    for read_ in record.reads:
        yield f"__craton_reads({read_.through}, {read_.size});"


def _returned(record: Record) -> Iterator[str]:
    if record.result == "":
        yield "return 0;"
        return
    if record.result == "void":
        return
    if record.results:
        yield from _alternatives(record)
        return
    yield f"{record.result} {_RESULT} = {INPUT if record.is_input else ANY}{record.name}();"
    if record.least is not None and record.most is not None:
        beyond = f"{_RESULT} < ({record.least}) || {_RESULT} > ({record.most})"
        # An input is what it is; another value may be exchanged, so that every choice is one of a run.
        yield f"__craton_assume(!({beyond}));" if record.is_input else f"if ({beyond}) {_RESULT} = {record.least};"
    yield f"return {_RESULT};"


def _alternatives(record: Record) -> Iterator[str]:
    *first, last = record.results
    spelled = {"null": "0", "fresh": f"{ANY}{record.name}()"}
    for other in first:
        yield f"if (__craton_any_int()) return {spelled.get(other, other)};"
    yield f"return {spelled.get(last, last)};"
