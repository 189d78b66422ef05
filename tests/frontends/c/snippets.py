"""Small pieces of C in `rules.txt`, one per rule of the language, whose results gcc knows.

Each piece begins with `== name` and is the body of a function that returns an unsigned long long; all are compiled into
one program. A line `---` separates declarations of file scope from the body; `@n` becomes the piece's number, to keep
names apart.
"""

from __future__ import annotations

import re
from pathlib import Path


def _read() -> dict[str, str]:
    text = Path(__file__).with_name("rules.txt").read_text(encoding="utf-8")
    pieces = (piece.partition("\n") for piece in re.split("^== ", text, flags=re.MULTILINE)[1:])
    return {name: body.strip() for name, _, body in pieces}


SNIPPETS = _read()

PRELUDE = """
extern void *malloc(__SIZE_TYPE__), *calloc(__SIZE_TYPE__, __SIZE_TYPE__), *realloc(void *, __SIZE_TYPE__);
extern void *memset(void *, int, __SIZE_TYPE__), *memcpy(void *, const void *, __SIZE_TYPE__);
extern void *memmove(void *, const void *, __SIZE_TYPE__);
extern int memcmp(const void *, const void *, __SIZE_TYPE__), strcmp(const char *, const char *);
extern int strncmp(const char *, const char *, __SIZE_TYPE__);
extern __SIZE_TYPE__ strlen(const char *);
extern char *strcpy(char *, const char *), *strcat(char *, const char *), *strncpy(char *, const char *, __SIZE_TYPE__);
extern char *strchr(const char *, int), *strrchr(const char *, int);
extern double floor(double), ceil(double), round(double), trunc(double), fmod(double, double), sqrt(double);
extern double fabs(double), fmin(double, double), fmax(double, double);
"""


def program() -> str:
    """All pieces as one program that leaves their results in `results`."""
    parts = [PRELUDE, f"unsigned long long results[{len(SNIPPETS)}];"]
    for number, text in enumerate(SNIPPETS.values()):
        declarations, separator, body = text.replace("@n", f"_{number}").partition("\n---\n")
        if not separator:
            declarations, body = "", text.replace("@n", f"_{number}")
        parts.append(f"{declarations}\nstatic unsigned long long piece_{number}(void) {{\n{body}\n}}")
    calls = "\n".join(f"    results[{i}] = piece_{i}();" for i in range(len(SNIPPETS)))
    parts.append(f"static void everything(void) {{\n{calls}\n}}")
    return "\n".join(parts)
