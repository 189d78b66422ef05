"""Which asm does what its operands say, and nothing else, as far as its template shows.

gcc believes what an asm says of itself: it changes its outputs, and memory if it names it among its clobbers. Programs
say it wrongly, and whoever has a pointer can write or call through it. So a template is believed only if each of its
instructions is one of those below, their operands are registers, numbers and whole operands of the asm (no address is
computed), and what is written is an output, in no more bytes than it has. AT&T's syntax: the target stands last.

Nor may control leave it but at its end: numeric labels are the assembler's, who finds them in other asm statements.
What the stack holds below a function's frame may be its locals where it calls nothing (the red zone), and variables may
be in registers that it does not say it changes if they are declared so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from craton.frontends.c.syntax.nodes import Assembly, Operand
from craton.program.cfa import Reach

_COMMENTS = re.compile(r"/\*.*?\*/|#[^\n]*", re.DOTALL)
_ENDS = re.compile(r";|\n")
_LABEL = re.compile(r"\s*[\w.]+:")
# Not executed, and nowhere where a function's address is enough to have it called.
_DATA = re.compile(r'\.(?:pushsection|section)\s+(?!\.(?:preinit|init|fini|[cd]tors))[\w.]+\s*,\s*"a"(?:\s*,\s*@\w+)?')
_DATA_ENDS = re.compile(r"\.(?:popsection|previous)$")
_DATUM = re.compile(r"\.(?:long|quad|word|short|byte|int|align|balign|p2align|skip|zero|org)\s[^\"']*")
_STRING = re.compile(r'\.(?:ascii|asciz|string)\s+"[^"\\]*"')
_CONTROL = re.compile(r"[^\n\t -~]")  # characters of which the assembler may think anything
_OPERAND = re.compile(r"(?:%%[gf]s:)?%([bhwkqP]?)(\d+|\[\w+\])")  # other letters name other places
_SEGMENT = re.compile(r"%%[gf]s:")
_REFERENCE = re.compile(r"(?<!%)%([a-zA-Z]?)(\d+|\[\w+\])")
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
_JUMP = re.compile(r"j[a-z]{1,4}\s+(?:%l(?:\d+|\[\w+\])|(\d+)([bf]))")  # to a label of the asm
# To wherever it likes, or what changes how the rest is understood.
_LEAVES = re.compile(r"j|loop|l?ret|iret|sysret|leave|enter|l?call[lq]?\s+\d+[bf]|\.(?!push|pop|sect|prev|[bp2]*align)")
_CALL = re.compile(r"l?call[lq]?\s")
# Where the locals are that have no address in the model: whoever has copied that may write there.
_STACK = re.compile(r"%[re]?[sb]pl?\b")
_OF_THREAD = re.compile(r"%[fg]s:(?!%)")  # variables of the thread lie at numbers
_PUSH, _POP = re.compile(r"push"), re.compile(r"pop")
_OWN_REGISTERS = re.compile(r"%%?[a-z]|cpuid")  # mentioned by name, when operands are left out
_IN_REGISTER = frozenset("=+&%rqQRabcdSD")
_CONDITIONAL = re.compile(r"(set|cmov)[a-z]{1,3}")
_EXTENDING = re.compile(r"mov[sz][bwl][wlq]")
# What changes no more than operands, memory and flags, and goes on with the next instruction.
_STAYS = _READ_ONLY | _WRITE_LAST | _WRITE_ALL | _ALONE
_STAYS |= set(
    "lea btr bts btc movs ins outs stos lods cmps scas rep repe repz repne repnz cld std fld fst fstp fild fist".split()
)


def without_comments(template: str) -> str:
    return _COMMENTS.sub(" ", template)


def disobedient(assembly: Assembly, sizes: list[int]) -> list[str]:
    """The instructions that may do more than change outputs; `sizes` are those of the operands."""
    instructions = list(_instructions(assembly.template))
    if not _is_balanced(instructions):
        return [f"leave {each}" for each in instructions]
    return [each for each in instructions if not _obeys(each, assembly, sizes)]


def uses_stack(assembly: Assembly) -> bool:
    """Whether something is written where locals of a function may be that calls nothing."""
    return any(_PUSH.match(each) or _CALL.match(each) for each in _instructions(assembly.template))


def names_registers(assembly: Assembly) -> bool:
    """Whether registers may be changed that are no operands."""
    instructions = [_SEGMENT.sub("", each) for each in _instructions(assembly.template)]
    if assembly.outputs or assembly.inputs:
        instructions = [_REFERENCE.sub("", each) for each in instructions]
    return any(_OWN_REGISTERS.search(each) for each in instructions)


def _is_balanced(instructions: list[str]) -> bool:
    """Whether what is pushed is popped, and nothing else is."""
    depth = 0
    for each in instructions:
        if _PUSH.match(each):
            depth += 1
        elif _POP.match(each):
            depth -= 1
        if depth < 0 or (depth and each.startswith("j")):
            return False
    return depth == 0


def mentioned(instructions: list[str], assembly: Assembly) -> list[int]:
    """The numbers of the operands that stand in some instructions."""
    references = [found.group(2) for each in instructions for found in _REFERENCE.finditer(each)]
    numbers = dict.fromkeys(_number(reference, assembly) for reference in references)
    return [number for number in numbers if number is not None and number < len(assembly.outputs + assembly.inputs)]


def reach_of(instructions: list[str]) -> Reach:
    """What may happen besides that operands and memory change: calls, or whatever an instruction does that is none of
    those that are known here, or a jump to where no label of the asm is.
    """
    away = [instruction for instruction in instructions if not _stays(instruction)]
    if not away:
        return Reach.MEMORY
    if any(found for each in away for found in (_LEAVES.match(each), _STACK.search(each), _OF_THREAD.search(each))):
        return Reach.ANYTHING
    return Reach.CALLS if all(_CALL.match(instruction) for instruction in away) else Reach.LATER


def may_be_in_memory(operand: Operand) -> bool:
    """Whether the template may be given the address of an operand."""
    return bool(_IN_MEMORY & set(operand.constraint)) or "g" in operand.constraint


def _stays(instruction: str) -> bool:
    word = instruction.split()[0]
    if _STACK.search(instruction) or _OF_THREAD.search(instruction) or '"' in instruction or "'" in instruction:
        return False
    if _JUMP.fullmatch(instruction):
        return True
    return word in _STAYS or _without_suffix(word) in _STAYS or bool(_CONDITIONAL.fullmatch(word))


def _instructions(template: str) -> Iterator[str]:
    """Those that are executed, without labels and comments; directives among them as they stand. A jump that leaves
    them is no instruction that anybody knows.
    """
    if _CONTROL.search(template):
        yield f"leave {template}"
        return
    pieces = list(_pieces(template))
    for number, (_, instruction) in enumerate(pieces):
        jump = _JUMP.fullmatch(instruction)
        if jump is not None and jump.group(1) is not None:
            there = pieces[: number + 1] if jump.group(2) == "b" else pieces[number + 1 :]
            if all(jump.group(1) not in labels for labels, _ in there):
                yield f"leave {instruction}"
                continue
        if instruction:
            yield instruction


def _pieces(template: str) -> Iterator[tuple[list[str], str]]:
    """What is executed, with the labels before it."""
    in_data = False
    for line in _ENDS.split(without_comments(template)):
        piece, labels = line.strip(), list[str]()
        while label := _LABEL.match(piece):
            labels.append(label.group().strip(" \t:"))
            piece = piece[label.end() :].strip()
        if in_data:
            in_data = not _DATA_ENDS.match(piece)
            if in_data and piece and not (_DATUM.fullmatch(piece) or _STRING.fullmatch(piece)):
                yield [], piece
        elif _DATA.fullmatch(piece):
            in_data = True
        else:
            yield labels, piece[5:].strip() if piece.startswith("lock ") else piece


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
    """Whether what is written is an output with room for it; registers that nobody names are not the program's.
    Segments are: they begin at zero.
    """
    found = _OPERAND.fullmatch(part)
    if found is None:
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
        described = (*assembly.outputs, *assembly.inputs)
        if operand is None or number is None or operand.group(1) or number >= len(described):
            found.append(max(_SUFFIXES.values()))
        elif part != target:  # only a register says by its name how much is moved
            in_register = set(described[number].constraint) <= _IN_REGISTER
            found.append(sizes[number] if in_register else max(_SUFFIXES.values()))
    return max(found) if len(found) > 1 else max(_SUFFIXES.values())


def _number(reference: str, assembly: Assembly) -> int | None:
    if reference.isdigit():
        return int(reference)
    names = [operand.name for operand in (*assembly.outputs, *assembly.inputs)]
    name = reference.strip("[]")
    return names.index(name) if name in names else None
