"""Traces that the C front end makes: error paths of small safe programs with pointers, heaps and arrays.

Each program comes with how often its loops are gone through and at which level it is looked at. Of its error paths of
that kind the longest is taken: one that goes through everything.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from craton.frontends.c import load_c
from craton.program.blocks import encode_blocks
from craton.program.inlining import inline
from craton.traces.levels import Level
from craton.traces.paths import error_paths, rounds
from craton.traces.trace import Trace

_PROLOGUE = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned);
extern void free(void *);
static void check(int condition) { if (!condition) reach_error(); }
"""


@dataclass(frozen=True)
class CProgram:
    text: str
    unroll: int
    level: Level

    @cached_property
    def trace(self) -> Trace:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "program.c"
            file.write_text(_PROLOGUE + self.text)
            program = inline(load_c([file])).program
        if self.level is Level.BLOCK:
            program = encode_blocks(program).program
        paths = [path for path in error_paths(program, self.unroll) if rounds(path) == self.unroll]
        return max(paths, key=len)


C_PROGRAMS: dict[str, CProgram] = {
    "swap through pointers": CProgram(
        """
        static void swap(int *p, int *q) { int t = *p; *p = *q; *q = t; }
        int main(void) {
            int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
            int x = a, y = b;
            swap(&x, &y);
            check(x == b && y == a);
        }""",
        0,
        Level.EDGE,
    ),
    "a pointer to one of two": CProgram(
        """
        int main(void) {
            int x = 1, y = 2;
            int *p = __VERIFIER_nondet_int() ? &x : &y;
            *p = 3;
            check(x == 3 || y == 3);
        }""",
        0,
        Level.BLOCK,
    ),
    "what malloc gives is its own": CProgram(
        """
        int main(void) {
            int *p = malloc(sizeof(int)), *q = malloc(sizeof(int));
            if (!p || !q) return 0;
            *p = 1;
            *q = 2;
            check(*p == 1);
        }""",
        0,
        Level.EDGE,
    ),
    "allocated and freed again, two rounds": CProgram(
        """
        int main(void) {
            int held = 0;
            while (__VERIFIER_nondet_int()) {
                int *p = malloc(sizeof(int));
                if (!p) return 0;
                held++;
                *p = held;
                check(*p == held);
                free(p);
                held--;
            }
            check(held == 0);
        }""",
        2,
        Level.BLOCK,
    ),
    "a structure behind a pointer": CProgram(
        """
        struct pair { int first; int second; };
        static void mirror(struct pair *p) { p->second = p->first; }
        int main(void) {
            struct pair s;
            s.first = __VERIFIER_nondet_int();
            mirror(&s);
            check(s.first == s.second);
        }""",
        0,
        Level.EDGE,
    ),
    "a list of two": CProgram(
        """
        struct node { int value; struct node *next; };
        int main(void) {
            struct node *a = malloc(sizeof(struct node)), *b = malloc(sizeof(struct node));
            if (!a || !b) return 0;
            a->value = 1; a->next = b;
            b->value = 2; b->next = 0;
            check(a->next->value == 2 && a->next->next == 0);
        }""",
        0,
        Level.EDGE,
    ),
    "a list grows at its head, two rounds": CProgram(
        """
        struct node { int value; struct node *next; };
        int main(void) {
            struct node *head = 0;
            while (__VERIFIER_nondet_int()) {
                struct node *n = malloc(sizeof(struct node));
                if (!n) return 0;
                n->value = 7;
                n->next = head;
                head = n;
            }
            check(!head || head->value == 7);
        }""",
        2,
        Level.BLOCK,
    ),
    "an array filled from both ends": CProgram(
        """
        int main(void) {
            int a[4];
            unsigned i = 0;
            while (i < 2) { a[i] = i; a[3 - i] = i; i++; }
            check(a[1] == a[2]);
        }""",
        2,
        Level.EDGE,
    ),
    "an index that stays inside": CProgram(
        """
        int main(void) {
            int a[8];
            unsigned n = __VERIFIER_nondet_uint();
            a[n % 8] = 5;
            check(a[n & 7] == 5);
        }""",
        0,
        Level.BLOCK,
    ),
    "a pointer walks through an array": CProgram(
        """
        int main(void) {
            int a[3] = {4, 4, 4};
            int *p = a;
            int sum = 0;
            while (p < a + 3) { sum += *p; p++; }
            check(sum == 12);
        }""",
        3,
        Level.BLOCK,
    ),
    "bytes of a number": CProgram(
        """
        int main(void) {
            unsigned x = __VERIFIER_nondet_uint();
            unsigned char *p = (unsigned char *)&x;
            *p = 0;
            check((x & 255) == 0);
        }""",
        0,
        Level.EDGE,
    ),
    "a pointer to a pointer": CProgram(
        """
        int main(void) {
            int x = 0;
            int *p = &x;
            int **q = &p;
            **q = 9;
            check(x == 9 && *p == 9);
        }""",
        0,
        Level.EDGE,
    ),
}
