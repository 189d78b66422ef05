"""Small C programs that a verifier may trip over, with the verdicts that are right: the whole way to the replay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.frontends.programs import Request
from craton.processes.compilers import compilers
from craton.verdicts.result import Result
from craton.verification.run import verify

pytestmark = pytest.mark.skipif(not compilers(), reason="there is no C compiler")

HEAD = "void reach_error(void) {}\nextern int __VERIFIER_nondet_int(void);\n"
FORMULAS = {"overflow": "G ! overflow", "division": "G ! div-by-zero", "deref": "G valid-deref", "free": "G valid-free"}


def verdict(text: str, folder: Path, property_name: str = "") -> Result:
    (folder / "p.c").write_text(HEAD + text)
    request = Request((str(folder / "p.c"),), data_model="LP64")
    if property_name:
        (folder / "p.prp").write_text(f"CHECK( init(main()), LTL({FORMULAS[property_name]}) )\n")
        request = replace(request, property_file=str(folder / "p.prp"))
    return verify(request, [Stage("bounded")], 60)


FALSE = {
    "arguments": ("", "int main(int argc, char **argv) { if (argc == 3) reach_error(); return 0; }"),
    "no argument": ("", "int main(int argc, char **argv) { if (argc == 0) reach_error(); return 0; }"),
    "behind the arguments": ("deref", "int main(int argc, char **argv) { return argv[argc + 1] == 0; }"),
    "a division": ("division", "int main(void) { return 7 / __VERIFIER_nondet_int(); }"),
    "a remainder": ("division", "int main(void) { int a[2] = {1, 0}; return 7u % a[1]; }"),
    "asm that jumps": (
        "",
        'int main(void) { int x = 3; __asm__ goto ("cmpl $3, %0; je %l1" : : "r"(x) : "cc" : yes); return 0;'
        " yes: reach_error(); return 1; }",
    ),
    "asm that changes memory": (
        "",
        'int g; int main(void) { __asm__ ("movl $7, (%0)" : : "r"(&g) : "memory"); if (g == 7) reach_error();'
        " return 0; }",
    ),
    "a literal that is freed": ("free", 'extern void free(void *); int main(void) { free((char *)"abc"); return 0; }'),
    "more memory than there can be": (
        "",
        "extern void *calloc(unsigned long, unsigned long);\n"
        "int main(void) { unsigned long n = -__VERIFIER_nondet_int(); calloc(n, 16);"
        " if (n == -1ul) reach_error(); return 0; }",
    ),
    "more than can be read": (
        "",
        "extern long read(int, void *, unsigned long); char b[4];\n"
        "int main(void) { if (read(0, b, -5) < 0) reach_error(); return 0; }",
    ),
    "scanf through a pointer to void": (
        "",
        "extern int sscanf(const char *, const char *, ...);\n"
        'int main(void) { int x = 0; void *p = &x; sscanf("42", "%d", p); if (x == 42) reach_error(); return 0; }',
    ),
    "scanf writes as its format says": (
        "",
        "extern int sscanf(const char *, const char *, ...);\n"
        'int main(void) { char c[4] = ""; sscanf("67305985", "%d", c); if (c[3] == 4) reach_error(); return 0; }',
    ),
    "a block that is given again": (
        "",
        "extern void *malloc(unsigned long); extern void free(void *);\n"
        "int main(void) { char *a = malloc(10), *b = malloc(10); free(a); char *c = malloc(10);"
        " if ((unsigned long)c < (unsigned long)b) reach_error(); return 0; }",
    ),
    "a path": (
        "",
        "extern char *realpath(const char *, char *);\n"
        "int main(void) { char *p = realpath(\"/\", 0); if (p && p[0] == '/') reach_error(); return 0; }",
    ),
    "a sum that is compared": ("overflow", "int main(void) { return __VERIFIER_nondet_int() + 1 > 0; }"),
}


@pytest.mark.parametrize("name", FALSE)
def test_violations_are_shown_by_a_run(name: str, tmp_path: Path) -> None:
    property_name, text = FALSE[name]
    result = verdict(text, tmp_path, property_name)
    assert result.is_false, result.reason


TRUE = {
    "the smallest number": ("division", "int main(void) { int x = __VERIFIER_nondet_int(); return x ? x / -x : 0; }"),
    "asm goes on or jumps": (
        "",
        'int main(void) { int x = 1; __asm__ goto ("jmp %l[yes]" : : : : no, yes); x = 2; no: x = 4;'
        " yes: if (x != 1 && x != 4) reach_error(); return 0; }",
    ),
    "arguments are counted": ("", "int main(int argc, char **argv) { if (argc < 0) reach_error(); return 0; }"),
}


@pytest.mark.parametrize("name", TRUE)
def test_proofs_are_found(name: str, tmp_path: Path) -> None:
    property_name, text = TRUE[name]
    result = verdict(text, tmp_path, property_name)
    assert result.is_true, result.reason


UNKNOWN = {
    # Systems give a name, though C does not ask for it.
    "the program's name": ("deref", "int main(int argc, char **argv) { return argv[0][0]; }"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_hangs_on_more_than_the_text_is_not_decided(name: str, tmp_path: Path) -> None:
    property_name, text = UNKNOWN[name]
    assert verdict(text, tmp_path, property_name).is_unknown
