"""Pragmas, options of single functions and predefined macros, read from the text: clang does not tell them, knows
others than gcc, or means something else by them.

Fail closed: what gives declarations another meaning for one of the two compilers is refused by name. The text is read
as they read it, without comments and continued lines, headers of the program included; what macros make into pragmas
is not seen, so that it is refused if the text has one of the words anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from craton.frontends.c.errors import Unsupported

_CONTINUED = re.compile(rb"(?:[^\n]*\\[ \t\r]*\n)+[^\n]*")
_JOINT = re.compile(rb"\\[ \t\r]*\n")
_TOKEN = re.compile(rb'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
_DIRECTIVE = re.compile(rb"^[ \t]*(?:#|%:|\?\?=)[ \t]*pragma\b([^\n]*)", re.MULTILINE)
_OPERATOR = re.compile(rb'\b_Pragma\s*\(\s*(?:(?:L|u8|u|U)?"((?:\\.|[^"\\\n])*)"\s*\))?')
_WORD = re.compile(r"\w+")
_REFUSED = frozenset("weak redefine_extname scalar_storage_order init fini ms_struct options align".split())
_OF_FLOATS = frozenset("FLOAT_CONST_DECIMAL64 FENV_ROUND FENV_DEC_ROUND".split())  # heeded by one of the two compilers
_OF_CLANG = frozenset("diagnostic loop optimize assume_nonnull system_header".split())  # which change nothing
_ANYWHERE = re.compile(
    rb"\b(?:" + "|".join((*sorted(_REFUSED | _OF_FLOATS), "optimize", "target", "clang")).encode() + rb")\b"
)
_LITERALS = re.compile(r'\s*\(?((?:\s*(?:"[^"\\]*"|\d+|,))+)\s*\)?\s*')
_LAYOUT = re.compile(rb"\bms_struct\b|\b__ms_struct__\b")  # of which clang's print of a struct says nothing
_ATTRIBUTE = re.compile(rb"\b(?:__)?optimize(?:__)?\b(\s*\([^()]*\))?")
# Macros that gcc has and clang has not: `#if` takes them for zero.
_OF_GCC = re.compile(
    rb"\b__(?:FLT(?:32|64|128)X?_\w+|DEC(?:32|64|128)_\w+|(?:FLT|DBL|LDBL)_(?:IS_IEC_60559|NORM_MAX)|DEC_EVAL_METHOD"
    rb"|DECIMAL_BID_FORMAT|FLT_EVAL_METHOD_TS_18661_3|SIZEOF_FLOAT80|SIG_ATOMIC_(?:TYPE|MIN)|STDC_IEC_(?:60)?559_COMPLEX"
    rb"|HAVE_SPECULATION_SAFE_VALUE|MMX_WITH_SSE|GCC_(?:CON|DE)STRUCTIVE_SIZE|i686|pentiumpro)__\b"
)
# Options that change what arithmetic or objects mean.
_CHANGING = re.compile(
    "fast|math|trap|wrapv|round|finite|signed|assoc|recip|contract|short|pack|char|excess|single|signaling"
)
_INSTRUCTIONS = re.compile(  # of which no arithmetic of the program becomes another one
    r"default|(?:arch|tune|prefer-vector-width|branch-protection)=[\w-]+|(?:no-)?(?:mmx|ss?se\d?a?(?:\.\d)?|avx\w*|f16c|fma4?"
    r"|bmi2?|popcnt|lzcnt|abm|aes|vaes|pclmul|vpclmulqdq|gfni|sha|rdrnd|rdseed|fsgsbase|rtm|hle|adx|xsave\w*|movbe"
    r"|crc32|mwaitx?|prfchw|clflushopt|clwb|tbm|xop|lwp|fxsr|sahf|cx16|waitpkg|cldemote|evex512)"
)
ARITHMETIC = "an option of single functions that changes arithmetic"


def refuse_pragmas(texts: Mapping[str, bytes]) -> None:
    """Of the program's own files, by name."""
    made_by_macro = ""
    for path, contents in texts.items():
        layout = _LAYOUT.search(contents)
        if layout is not None and _LAYOUT.search(_plain(contents)):
            raise Unsupported(f"{path}:{_line(contents, layout)}: the attribute `ms_struct`", None)
        if macro := _OF_GCC.search(_plain(contents)) if _OF_GCC.search(contents) else None:
            raise Unsupported(f"{path}: the macro `{macro.group().decode()}`", None)
        if b"ragma" not in contents and b"\\" not in contents:
            continue
        for line, pragma in _pragmas(contents):
            if pragma is None:
                made_by_macro = made_by_macro or f"{path}:{line}"
            elif strange := _strange(pragma):
                raise Unsupported(f"{path}:{line}: {strange}", None)
    if made_by_macro and any(_ANYWHERE.search(contents) for contents in texts.values()):
        raise Unsupported(f"{made_by_macro}: a pragma that a macro makes", None)


def refuse_options(texts: Iterable[bytes], place: str) -> None:
    """Of attributes `optimize`, of which clang says only that there is one here."""
    found = [match.group(1) for contents in texts for match in _ATTRIBUTE.finditer(_plain(contents))]
    if not found or not all(_is_harmless((each or b"?").decode(errors="replace")) for each in found):
        raise Unsupported(f"{place}: {ARITHMETIC}", None)


def changes_no_arithmetic(target: str) -> bool:
    """Whether the argument of an attribute or pragma `target` only allows or forbids instructions."""
    features = _joined(target).split(",")
    return _LITERALS.fullmatch(target) is not None and all(_INSTRUCTIONS.fullmatch(each.strip()) for each in features)


def _is_harmless(options: str) -> bool:
    return _LITERALS.fullmatch(options) is not None and _CHANGING.search(_joined(options)) is None


def _joined(literals: str) -> str:
    """What string literals say that stand side by side."""
    return re.sub(r'"\s*"|["()]', "", literals).strip()


def _plain(contents: bytes) -> bytes:
    """Without comments and continued lines; each line begins where it did."""

    def one_line(found: re.Match[bytes]) -> bytes:
        joined, count = _JOINT.subn(b"", found.group())
        return joined + b"\n" * count

    def no_comment(found: re.Match[bytes]) -> bytes:
        token = found.group()
        return b" " + b"\n" * token.count(b"\n") if token.startswith(b"/") else token

    joined = _CONTINUED.sub(one_line, contents) if b"\\" in contents else contents
    return _TOKEN.sub(no_comment, joined) if b"/*" in joined or b"//" in joined else joined


def _pragmas(contents: bytes) -> Iterator[tuple[int, str | None]]:
    """With their lines; None for those of which a macro says what they are."""
    plain = _plain(contents)
    if b"ragma" not in plain:
        return
    for found in _DIRECTIVE.finditer(plain):
        yield _line(plain, found), found.group(1).decode(errors="replace")
    for found in _OPERATOR.finditer(plain):
        told = found.group(1)
        pragma = None if told is None else re.sub(rb"\\([\"\\])", rb"\1", told).decode(errors="replace")
        yield _line(plain, found), pragma


def _line(contents: bytes, found: re.Match[bytes]) -> int:
    return contents.count(b"\n", 0, found.start()) + 1


def _strange(pragma: str) -> str:
    """What is to be refused of a pragma; nothing if it is harmless."""
    first, second = (*_WORD.findall(pragma), "", "")[:2]
    if first in _REFUSED or (first == "clang" and second not in _OF_CLANG):
        return f"the pragma `{first}`"
    if first == "STDC" and second in _OF_FLOATS:
        return f"the pragma `STDC {second}`"
    arguments = pragma.partition(second)[2] if second else ""
    if first == "GCC" and second == "optimize" and not _is_harmless(arguments):
        return ARITHMETIC
    if first == "GCC" and second == "target" and not changes_no_arithmetic(arguments):
        return ARITHMETIC
    return ""
