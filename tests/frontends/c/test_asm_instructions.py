"""What the instructions of asm templates are known to do."""

from __future__ import annotations

import pytest

from craton.frontends.c.lowering.obedience import disobedient, extent_of, mentioned
from craton.frontends.c.syntax.nodes import Assembly, Operand
from craton.program.cfa import Extent

_LOCKED = r".pushsection .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.popsection\n671:\n\tlock; "


def extent(template: str) -> Extent:
    return extent_of(disobedient(Assembly(template, (), (), (), ()), []))


@pytest.mark.parametrize(
    "template",
    [
        "movl $1, %0",
        _LOCKED + "bts %1,%0",
        _LOCKED + r"btr %2,%1\n\tsbb %0,%0",
        _LOCKED + "subl %2, %0; sete %1",
        r"1:\tud2\n.pushsection __bug_table,\"a\"\n2:\t.long 1b - 2b\n\t.word %c1, 0\n\t.org 2b+%c2\n.popsection",
        "movq %%gs:%P1,%0",
        "rep; insl",
        "cmpl %0, %1; jne 2f; movl %2, %3\n2: nop",
        "addl %1,%0 /* call nobody */",
        "cmovne %1, %0 # jmp nowhere",
    ],
)
def test_operands_flags_and_memory(template: str) -> None:
    assert extent(template) is Extent.MEMORY


@pytest.mark.parametrize("template", ["call *%c2", "call __get_user_4", r"movl %0, %%eax\n\tcall foo\n\tnop"])
def test_calls(template: str) -> None:
    assert extent(template) is Extent.CALLS


@pytest.mark.parametrize(
    "template",
    [
        "jmp *%0",
        "jne elsewhere",
        "ret",
        "iret",
        "int $0x80",
        "syscall",
        ".byte 0xe8, 0, 0, 0, 0",
        r".section .text,\"ax\"\n.byte 0xff, 0xd0\n.previous",
        r".pushsection .data,\"a\"\n.popsection\n.byte 0xff, 0xd0",
        ".macro f\ncall *%0\n.endm\nf",
        "ldmia r0!, {pc}",
        "mov %0, %%rsp",
        "mov %0, %%rsp; call *%1",
        "1:jmp *%0",
        "b elsewhere",
    ],
)
def test_whatever_else(template: str) -> None:
    assert extent(template) is Extent.LATER


def test_what_stands_in_instructions_that_do_more() -> None:
    """Bits may lie far from a word in memory, but only from that word."""
    outputs, inputs = (Operand("+m", ""), Operand("=qm", "c")), (Operand("Ir", ""),)

    def misused(template: str, *sizes: int) -> set[int]:
        assembly = Assembly(template, outputs, inputs, (), ())
        return set(mentioned(disobedient(assembly, list(sizes)), assembly))

    assert misused("lock; btr %2, %0; setc %1", 8, 1, 8) == {0, 2}
    assert misused(r"lea %[c], %%rax\n movb $1, (%%rax)", 8, 1, 8) == {1}
    assert misused("setc %0; movl %2, %1", 8, 4, 8) == set()
    assert misused("movl %2, %1", 8, 1, 8) == {1, 2}
