"""Which asm does what its operands say, and nothing else, as far as its template shows.

gcc believes what an asm says of itself: it changes its outputs, and memory if it names it among its clobbers. Programs
say it wrongly, and whoever has a pointer can write or call through it. So a template is believed only if each of its
instructions is one of those below, their operands are registers, numbers and whole operands of the asm (no address is
computed), and what is written is an output, in no more bytes than it has. AT&T's syntax: the target stands last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from craton.frontends.c.syntax.nodes import Assembly, Operand
from craton.program.cfa import Extent

_COMMENTS = re.compile(r"/\*.*?\*/|#[^\n]*", re.DOTALL)
_ENDS = re.compile(r";|\n")
_LABEL = re.compile(r"\s*[\w.]+:")
_DATA = re.compile(r'\.(?:pushsection|section)\s+[\w.]+\s*,\s*"a"')  # not executed
_DATA_ENDS = re.compile(r"\.(?:popsection|previous)\b")
_REFERENCE = re.compile(r"%([a-zA-Z]?)(\d+|\[\w+\])")
_OPERAND = re.compile(rf"(?:%%[gf]s:)?{_REFERENCE.pattern}")
_REGISTER = re.compile(r"%%\w+")
_NUMBER = re.compile(r"\$-?(?:0[xX][0-9a-fA-F]+|\d+)")
_SUFFIXES = {"b": 1, "w": 2, "l": 4, "q": 8}
_IN_MEMORY = frozenset("mopV<>X")

# By which operands they write; those that stand alone name none.
_READ_ONLY = {"cmp", "test", "bt", "in", "out", "push", "mul", "div", "idiv"}
_WRITE_LAST = {"mov", "add", "sub", "adc", "sbb", "and", "or", "xor", "inc", "dec", "neg", "not", "shl", "shr", "sal"}
_WRITE_LAST |= {"sar", "rol", "ror", "imul", "bsf", "bsr", "bswap", "pop", "cmpxchg"}
_WRITE_ALL = {"xchg", "xadd"}
_ALONE = set("cli sti hlt rdtsc rdtscp cpuid ud2 nop pause lfence mfence sfence pushf popf pushfq popfq pushfl".split())
_ALONE |= set("popfl cltd cqto cdq cwtl lock wrmsr rdmsr".split())
_JUMP = re.compile(r"j[a-z]{1,4}\s+(?:%l(?:\d+|\[\w+\])|\d+[bf])")  # to a label of the asm
_CALL = re.compile(r"l?call[lq]?\s")
_STACK = re.compile(r"%%[re]?(?:sp|bp)$")  # as a target
_CONDITIONAL = re.compile(r"(set|cmov)[a-z]{1,3}")
_EXTENDING = re.compile(r"mov[sz][bwl][wlq]")
# What changes no more than operands, memory and flags, and goes on with the next instruction.
_STAYS = _READ_ONLY | _WRITE_LAST | _WRITE_ALL | _ALONE
_STAYS |= set(
    "lea btr bts btc movs ins outs stos lods cmps scas rep repe repz repne repnz cld std fld fst fstp fild fist".split()
)


def disobedient(assembly: Assembly, sizes: list[int]) -> list[str]:
    """The instructions that may do more than change outputs; `sizes` are those of the operands."""
    return [each for each in _instructions(assembly.template) if not _obeys(each, assembly, sizes)]


def mentioned(instructions: list[str], assembly: Assembly) -> list[int]:
    """The numbers of the operands that stand in some instructions."""
    references = [found.group(2) for each in instructions for found in _REFERENCE.finditer(each)]
    numbers = dict.fromkeys(_number(reference, assembly) for reference in references)
    return [number for number in numbers if number is not None and number < len(assembly.outputs + assembly.inputs)]


def extent_of(instructions: list[str]) -> Extent:
    """What may happen besides that operands and memory change: calls, or whatever an instruction does that is none of
    those that are known here, such as a jump to where no label of the asm is.
    """
    away = [instruction for instruction in instructions if not _stays(instruction)]
    if not away:
        return Extent.MEMORY
    return Extent.CALLS if all(_CALL.match(instruction) for instruction in away) else Extent.LATER


def may_be_in_memory(operand: Operand) -> bool:
    """Whether the template may be given the address of an operand."""
    return bool(_IN_MEMORY & set(operand.constraint)) or "g" in operand.constraint


def _stays(instruction: str) -> bool:
    word = instruction.split()[0]
    if _STACK.search(instruction):
        return False
    if _JUMP.fullmatch(instruction):
        return True
    return word in _STAYS or _without_suffix(word) in _STAYS or bool(_CONDITIONAL.fullmatch(word))


def _instructions(template: str) -> Iterator[str]:
    """Those that are executed, without labels and comments; directives among them as they stand."""
    in_data = False
    text = template.replace("\\n", "\n").replace("\\t", " ").replace('\\"', '"')
    for line in _ENDS.split(_COMMENTS.sub(" ", text)):
        piece = line.strip()
        while label := _LABEL.match(piece):
            piece = piece[label.end() :].strip()
        if in_data:
            in_data = not _DATA_ENDS.match(piece)
        elif _DATA.match(piece):
            in_data = True
        elif piece.startswith("lock "):
            yield piece[5:].strip()
        elif piece:
            yield piece


def _obeys(instruction: str, assembly: Assembly, sizes: list[int]) -> bool:
    if _STACK.search(instruction):
        return False
    if _JUMP.fullmatch(instruction):
        return True
    word, *others = instruction.split(None, 1)
    rest = "".join(others)
    operands = [part.strip() for part in rest.split(",")] if rest else []
    if not all(_OPERAND.fullmatch(part) or _REGISTER.fullmatch(part) or _NUMBER.fullmatch(part) for part in operands):
        return False
    base = word if word in _ALONE | _WRITE_LAST | _WRITE_ALL | _READ_ONLY else _without_suffix(word)
    if word in _ALONE:
        return not operands
    if base in _READ_ONLY:
        return True
    if _CONDITIONAL.fullmatch(word) or _EXTENDING.fullmatch(word) or base in _WRITE_LAST:
        written = operands[-1:]
    elif base in _WRITE_ALL:
        written = operands
    else:
        return False
    width = 1 if word.startswith("set") else _SUFFIXES.get(word[-1]) if base != word else None
    return all(_is_output(part, assembly, sizes, width, operands) for part in written)


def _without_suffix(word: str) -> str:
    return word[:-1] if word[-1:] in _SUFFIXES else word


def _is_output(part: str, assembly: Assembly, sizes: list[int], width: int | None, operands: list[str]) -> bool:
    """Whether what is written is an output with room for it; registers that nobody names are not the program's, and
    neither is what lies in a segment of its own.
    """
    found = _OPERAND.fullmatch(part)
    if found is None or part.startswith("%%"):
        return True
    number = _number(found.group(2), assembly)
    if number is None or number >= len(assembly.outputs):
        return False
    if not may_be_in_memory(assembly.outputs[number]):
        return True
    return (width or _widest(operands, part, assembly, sizes)) <= sizes[number]


def _widest(operands: list[str], target: str, assembly: Assembly, sizes: list[int]) -> int:
    """How many bytes an instruction without a suffix moves at most."""
    found = [1]
    for part in operands:
        operand = _OPERAND.fullmatch(part)
        number = None if operand is None else _number(operand.group(2), assembly)
        plain = operand is not None and number is not None and not operand.group(1)
        if part != target or not plain:
            found.append(sizes[number] if plain and number is not None else max(_SUFFIXES.values()))
    return max(found) if len(found) > 1 else max(_SUFFIXES.values())


def _number(reference: str, assembly: Assembly) -> int | None:
    if reference.isdigit():
        return int(reference)
    names = [operand.name for operand in (*assembly.outputs, *assembly.inputs)]
    name = reference.strip("[]")
    return names.index(name) if name in names else None
