"""What the instructions of asm templates are known to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.frontends.c import COptions, load_c
from craton.frontends.c.lowering.obedience import disobedient, mentioned, reach_of
from craton.frontends.c.syntax.nodes import Assembly, Operand
from craton.frontends.c.syntax.unknown_functions import UnknownFunctions
from craton.program.analysis.blind_states import reaches
from craton.program.cfa import Reach

_LOCKED = '.pushsection .smp_locks,"a"\n.balign 4\n.long 671f - .\n.popsection\n671:\n\tlock; '


def reach(template: str) -> Reach:
    return reach_of(disobedient(Assembly(template, (), (), (), ()), []))


@pytest.mark.parametrize(
    "template",
    [
        "movl $1, %0",
        _LOCKED + "bts %1,%0",
        _LOCKED + "btr %2,%1\n\tsbb %0,%0",
        _LOCKED + "subl %2, %0; sete %1",
        '1:\tud2\n.pushsection __bug_table,"a"\n2:\t.long 1b - 2b\n\t.word %c1, 0\n\t.org 2b+%c2\n.popsection',
        "movq %%gs:%P1,%0",
        "rep; insl",
        "cmpl %0, %1; jne 2f; movl %2, %3\n2: nop",
        "addl %1,%0 /* call nobody */",
        "cmovne %1, %0 # jmp nowhere",
    ],
)
def test_operands_flags_and_memory(template: str) -> None:
    assert reach(template) is Reach.MEMORY


@pytest.mark.parametrize("template", ["call *%c2", "call __get_user_4", "movl %0, %%eax\n\tcall foo\n\tnop"])
def test_calls(template: str) -> None:
    assert reach(template) is Reach.CALLS


@pytest.mark.parametrize(
    "template",
    [
        "int $0x80",
        "syscall",
        '.section .text,"ax"\nmov %0, %1\n.previous',
        "ldmia r0!, {pc}",
        "b elsewhere",
        "mov $'#, %0",
    ],
)
def test_unknown_instructions(template: str) -> None:
    assert reach(template) is Reach.LATER


@pytest.mark.parametrize(
    "template",
    [
        "jmp *%0",
        "jne elsewhere",
        "ret",
        "iret",
        ".byte 0xe8, 0, 0, 0, 0",
        '.pushsection .data,"a"\n.popsection\n.byte 0xff, 0xd0',
        '.pushsection .foo,"a"\n.macro nop\nmovl $1, (%0)\n.endm\n.popsection\nnop',
        '.pushsection .init_array,"a"\n.quad %c0\n.popsection',
        ".macro f\ncall *%0\n.endm\nf",
        "mov %0, %%rsp",
        "mov %0, %%rsp; call *%1",
        "xchg %%rsp, %%rax",
        "mov %%rsp, %%rax; movl $1, -4(%%rax)",
        "mov %%rbp, %0",
        "movl $1, %%fs:-4",
        "movl $1, -4(%%rbp)",
        "1:jmp *%0",
        "jmp 1f",
        "jmp 2f; 1: nop",
        "1: nop; jmp 1f",
        "call 1f",
        "pop %%rax; push %%rax",
        "push %%rax",
        "push %0; jmp 1f; pop %0; 1: nop",
        "nop\x0bmovl $1, (%0)",
    ],
)
def test_whatever_else(template: str) -> None:
    assert reach(template) is Reach.ANYTHING


def test_what_is_written_is_an_output_as_it_stands() -> None:
    """Letters change what an operand names: what lies 8 bytes behind, or what a register points to."""
    described = (Operand("=m", ""), Operand("+r", "")), (Operand("r", ""), Operand("m", ""), Operand("ri", ""))

    def misused(template: str) -> list[str]:
        return disobedient(Assembly(template, *described, (), ()), [2, 8, 2, 2, 2])

    for template in ("movw $1, %0", "movl $1, %1", "movl $1, %k1", "movw %2, %%gs:%0", "mov %2, %0", "push %1; pop %1"):
        assert misused(template) == []
    for template in ("movw $1, %H0", "movl $1, %a1", "movw %2, %%gs:%3", "mov %4, %0", "mov $1, %0", "movl $1, %0"):
        assert misused(template) == [template]


@pytest.mark.parametrize(
    "text",
    [
        r'int x, *p = &x; int main(void) { __asm__("# comment\n\tmovl $1, (%0)" : : "r"(p)); if (x) reach_error(); }',
        r'int x, *p = &x; int main(void) { __asm__("nop # \x0a movl $1, (%0)" : : "r"(p)); if (x) reach_error(); }',
        r'int x, *p = &x; int main(void) { __asm__("/**/ nop # /*\n movl $1, (%0) # */" :: "r"(p));'
        " if (x) reach_error(); }",
        "char a[8]; int main(void) { signed char v = 1;"
        ' __asm__("mov %1, %0" : "=m"(a[0]) : "r"((long) v)); if (a[1]) reach_error(); }',
        'static int f(void) { int x = 5; if (0) puts(""); __asm__("pushq $0; popq %%rax" : : : "rax"); return x; }'
        "int main(void) { if (f() != 5) reach_error(); }",
        "static inline __attribute__((always_inline)) void push(void)"
        ' { __asm__("pushq $0; popq %%rax" : : : "rax"); }'
        "static int f(void) { int x = 5; push(); return x; } int main(void) { if (f() != 5) reach_error(); }",
        'static int f(void) { int x = 5; goto out; puts(""); out: __asm__("pushq $0; popq %%rax" : : : "rax");'
        " return x; } int main(void) { if (f() != 5) reach_error(); }",
        'static int f(void) { register int x = 3; __asm__("xorl %%ebx, %%ebx" :); return x; }'
        "int main(void) { if (f() != 3) reach_error(); }",
        'int main(void) { int x = 0; long q; __asm__("mov %%rbp, %0" : "=r"(q));'
        ' __asm__("movl $1, -4(%0)\\n\\tmovl $1, -20(%0)" : : "r"(q) : "memory"); if (x) reach_error(); }',
        "int main(void) { int x = 0; char *p = __builtin_frame_address(0);"
        ' __asm__("movl $1, -4(%0)\\n\\tmovl $1, -20(%0)" : : "r"(p) : "memory"); if (x) reach_error(); }',
        '__thread int x; int main(void) { __asm__("movl $1, %%fs:-4" : : : "memory"); if (x) reach_error(); }',
        "int flag; void f(void) { flag = 1; } void g(void) {} void (*tab)(void) = g, (**at)(void) = &tab;"
        'int main(void) { __asm__("movq %1, (%0)" : : "r"(at), "r"(f) : "memory");'
        " void (*p)(void) = *at; if (p == f) p(); if (flag) reach_error(); }",
    ],
)
def test_no_proof_where_asm_does_more_than_it_says(text: str, tmp_path: Path) -> None:
    """All of these fail when they run."""
    file = tmp_path / "asm.c"
    file.write_text("extern void reach_error(void); extern int puts(const char *);" + text)
    program = load_c([file], options=COptions("LP64", unknown_functions=UnknownFunctions.PURE))
    assert not program.gaps_are_harmless
    assert reaches(program, program.errors)


def test_what_stands_in_instructions_that_do_more() -> None:
    """Bits may lie far from a word in memory, but only from that word."""
    outputs, inputs = (Operand("+m", ""), Operand("=qm", "c")), (Operand("Ir", ""),)

    def misused(template: str, *sizes: int) -> set[int]:
        assembly = Assembly(template, outputs, inputs, (), ())
        return set(mentioned(disobedient(assembly, list(sizes)), assembly))

    assert misused("lock; btr %2, %0; setc %1", 8, 1, 8) == {0, 2}
    assert misused("lea %[c], %%rax\n movb $1, (%%rax)", 8, 1, 8) == {1}
    assert misused("setc %0; movl %2, %1", 8, 4, 8) == set()
    assert misused("movl %2, %1", 8, 1, 8) == {1, 2}


def test_functions_of_the_library_that_are_pointed_to_may_keep_pointers(tmp_path: Path) -> None:
    file = tmp_path / "asm.c"
    file.write_text(
        "extern void reach_error(void); extern int __cxa_atexit(void (*)(void *), void *, void *);"
        "int flag; void f(void *p) { if (flag) reach_error(); } int main(void) {"
        ' __asm__("call *%0" : : "r"(__cxa_atexit), "D"(f), "S"(0), "d"(0) : "memory"); flag = 1; return 0; }'
    )
    program = load_c([file], options=COptions("LP64", unknown_functions=UnknownFunctions.PURE))
    assert not program.gaps_are_harmless and not program.gaps_are_harmless_by_type


def test_a_function_with_calls_has_nothing_below_its_stack_pointer(tmp_path: Path) -> None:
    file = tmp_path / "asm.c"
    file.write_text(
        "extern void reach_error(void); int g(void) { return 0; }"
        'static int f(void) { int x = 5; g(); __asm__("pushq $0; popq %%rax" : : : "rax"); return x; }'
        "int main(void) { if (f() != 5) reach_error(); }"
    )
    program = load_c([file], options=COptions("LP64", unknown_functions=UnknownFunctions.PURE))
    assert not reaches(program, program.errors)
