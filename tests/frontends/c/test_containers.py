"""From a member back to its struct: the offset of a member holds no address, and what is computed back is exact where
the pointer is to that member. What the compiled program computes is what must not be refuted, its contrary not proved.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.frontends.c.memory import scopes
from craton.frontends.programs import Request
from craton.verification.run import verify

HEAD = """
extern void *malloc(unsigned long); extern void free(void *); extern void reach_error(void);
struct link { struct link *next, *prev; };
struct item { int data; struct link first; int count; struct link second; struct link some[3]; };
struct outer { long mark; struct item inner; };
struct other { int x; struct link link; int y; };
struct two { char one, two; };
struct begin { struct link link; int data; };
#define container_of(p, type, member) ((type *)((char *)(p) - (unsigned long)&((type *)0)->member))
static int next_of(struct link *l) { return container_of(l, struct item, first)->count; }
"""
EXACT = {
    "a member": "struct item *i = malloc(sizeof *i); i->data = 3; struct link *l = &i->first;"
    " r = container_of(l, struct item, first)->data;",
    "a member of a member": "struct outer *o = malloc(sizeof *o); o->mark = 4; struct link *l = &o->inner.first;"
    " r = container_of(l, struct outer, inner.first)->mark;",
    "the first member": "struct begin b; b.data = 6; struct link *l = &b.link;"
    " r = container_of(l, struct begin, link)->data;",
    "a head that is no member": "struct link head = {&head, &head}; struct item i; i.data = 5;"
    " i.first.next = head.next; head.next->prev = &i.first; i.first.prev = &head; head.next = &i.first;"
    " for (struct link *l = head.next; l != &head; l = l->next) r += container_of(l, struct item, first)->data;",
    "written there, read here": "struct item i, *p = &i; struct link *l = &i.first; i.count = 1;"
    " container_of(l, struct item, first)->count = 9; r = p->count + next_of(l);",
}
OTHERWISE = {
    "of another member of the type": "struct item i; i.data = 1; i.count = 2; struct link *l = &i.second;"
    " *(int *)((char *)l - (unsigned long)&((struct link *)0)->prev) = 7; r = i.count;",
    "by the wrong member": "struct item i = {0}; i.first.next = &i.first; struct link *l = &i.second;"
    " container_of(l, struct item, first)->first.next = 0; r = i.second.next == 0 ? 3 : 4;",
    "of another struct": "struct other o; o.x = 1; o.y = 2; struct link *l = &o.link;"
    " container_of(l, struct item, first)->count = 8; r = o.y;",
    "of elements of an array": "struct link a[4]; a[0].prev = a; struct link *l = &a[1];"
    " container_of(l, struct item, first)->count = 0; r = a[0].prev == 0 ? 1 : 2;",
    "of elements of a member": "struct item i = {0}; i.some[2].next = &i.some[1]; struct link *l = &i.some[1];"
    " *(long *)&container_of(l, struct begin, link)->data = 0; r = i.some[2].next == 0 ? 5 : 6;",
    "of a block of its own": "struct link *b = malloc(sizeof(struct item)); struct item *i = (struct item *)b;"
    " i->count = 1; container_of(b, struct begin, link)->data = 6; r = i->count;",
    "of a character of a text": 'const char *t = "ab"; r = container_of(t, struct two, one)->two;',
    "of a moved pointer": "struct item i; i.data = 1; i.count = 2; struct link *l = &i.first; l = l + 1;"
    " container_of(l, struct item, first)->data = 5; r = (int)(l == (struct link *)&i.count) + (i.count == 2);",
}


def _result(text: str, tmp_path: Path) -> int:
    """What the compiled program computes."""
    (tmp_path / "run.c").write_text(text.replace("CHECK", "return r;") + "\nvoid reach_error(void) {}\n")
    compiled = ["cc", "-O0", "-fno-strict-aliasing", "-w", "-o", str(tmp_path / "run"), str(tmp_path / "run.c")]
    subprocess.run(compiled, check=True)
    return subprocess.run([str(tmp_path / "run")], check=False).returncode


def _verdicts(body: str, tmp_path: Path) -> tuple[str, str]:
    """Of the claim that the result is what the compiled program says, and of the contrary."""
    text = f"{HEAD}int main(void) {{ int r = 0; {body} CHECK }}"
    result = _result(text, tmp_path)
    found = []
    for relation in ("!=", "=="):
        file = tmp_path / "program.c"
        file.write_text(text.replace("CHECK", f"if (r {relation} {result}) reach_error(); return 0;"))
        found.append(str(verify(Request((str(file),), data_model="LP64"), [Stage("bounded")], 60.0).verdict).lower())
    return found[0], found[1]


@pytest.mark.parametrize("name", EXACT)
def test_a_struct_is_found_by_its_member(name: str, tmp_path: Path) -> None:
    right, contrary = _verdicts(EXACT[name], tmp_path)
    assert right.startswith("true") and contrary.startswith("false")


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_is_no_such_member_is_not_taken_for_one(name: str, tmp_path: Path) -> None:
    right, contrary = _verdicts(OTHERWISE[name], tmp_path)
    assert not right.startswith("false") and not contrary.startswith("true")


KEPT = """
struct link *kept, here;
int run(void) {
  struct link l, m, *p = &l; int again = kept == p; kept = p;
  if (kept != &l || kept == &m) reach_error();
  return again; }
"""


@pytest.mark.parametrize(
    ("main", "is_true"),
    [
        ("if (0) return 1; return run();", True),
        ("run(); if (run()) reach_error(); return 0;", False),
        ("return run(); } __attribute__((destructor)) void end(void) { if (run()) reach_error();", False),
        ("for (int i = 0; i < 2; i++) run(); if (kept == &here) reach_error(); return 0;", False),
    ],
    ids=["in the last statement", "twice", "before a destructor", "in a loop"],
)
def test_a_local_of_the_last_function_is_not_outlived(main: str, is_true: bool, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(f"{HEAD}{KEPT}int main(void) {{ {main} }}")
    result = verify(Request((str(file),), data_model="LP64"), [Stage("bounded")], 60.0)
    assert result.is_true if is_true else not result.is_true


def test_what_is_compared_there_matters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the local were taken for one that is outlived, what its address is equal to would be open."""
    monkeypatch.setattr(scopes, "may_run_again", lambda facts, function: True)
    file = tmp_path / "program.c"
    file.write_text(f"{HEAD}{KEPT}int main(void) {{ return run(); }}")
    assert not verify(Request((str(file),), data_model="LP64"), [Stage("bounded")], 60.0).is_true
