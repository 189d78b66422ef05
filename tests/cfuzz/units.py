"""A second translation unit: names with internal linkage that mean different things there, and shared ones."""

from __future__ import annotations

from cfuzz.context import Context
from cfuzz.expressions import integer
from cfuzz.statements import mix, pattern


@pattern(1.5, "units")
def across_units(c: Context, depth: int) -> bool:
    """A function and an object of the other unit; that unit has statics of the names of ours."""
    if not c.affords(30):
        return False
    c.spend(12)
    bridge, shared, hidden, state, common = (
        c.fresh(stem) for stem in ("bridge", "shared", "hidden", "state", "common")
    )
    own, other = c.number(1, 9), c.number(10, 19)
    array = c.chance(0.4)
    c.top += [
        f"extern int {bridge}(int);",
        f"extern int {shared}{'[3]' if array else ''};",
        f"extern int {common};" if c.chance(0.5) else f"int {common};",
        f"static int {state} = {own};",
        f"static int {hidden}(int x) {{ return x + {own}; }}",
    ]
    c.second += [
        f"int {shared}{'[3] = {1, 2, 3}' if array else f' = {other}'};",
        f"int {common} = {c.number(0, 9)};" if c.top[-3].startswith("extern") else f"extern int {common};",
        f"static int {state} = {other};",
        f"static int {hidden}(int x) {{ return x * {other}; }}",
        f"int {bridge}(int x) {{ {state} += x & 7; {common} ^= {state}; return {hidden}(x & 255) + {state}; }}",
    ]
    with c.quiet():
        value = integer(c, 1)
    mix(c, f"{bridge}((int)({value}))")
    target = f"{shared}[{c.number(0, 2)}]" if array else shared
    c.emit(f"{target} += {hidden}({state});")
    mix(c, target)
    mix(c, common)
    return True
