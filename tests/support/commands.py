"""What tests of commands have in common."""

from __future__ import annotations

from craton.cli import main

PROGRAM = (
    "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
    "int main(void) { int x = __VERIFIER_nondet_int(); while (x > 9) { } if (x == 3) reach_error(); return x; }\n"
)


def command(*words: object) -> int:
    """The exit code of `craton`, be it the command's or that of the parser of arguments."""
    try:
        return main([str(word) for word in words])
    except SystemExit as left:
        return int(left.code or 0)
