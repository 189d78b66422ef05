"""A program's steps as C source: from the state at the head of a loop to that at the next one, as inputs are chosen.

A state is a row of bytes: the number of its location, and the variables that are live there. One function has all
procedures' code with a label for each location that is jumped to. Values that the program leaves open are zero, and of
several edges that can be taken the first one is, as the interpreter has it: whatever is found is repeated there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from craton.engines.explicit.partition import partition
from craton.engines.search.candidates import candidates
from craton.logic import TRUE, BitVec, Term
from craton.program.analysis.control_flow import dangerous_locations
from craton.program.analysis.liveness import live_variables
from craton.program.cfa import Edge, Location, Program
from craton.program.execution.c_terms import HELPERS, CCode, is_small, number
from craton.program.execution.codegen import CannotRun
from craton.program.statements import Assign, Assume, BitsOf, Block, Call, Fresh, Havoc, Input, Return
from craton.program.transitions import transition
from craton.program.variables import reads, writes

MOST_VALUES = 60  # of a variable, before its intervals are what counts
HEADER = f"""\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
{HELPERS}"""

# Whether the variable at a place has had more values than are told apart.
WIDE = f"""\
static bits values[PLACES][{MOST_VALUES}];
static unsigned has[PLACES];
static int is_wide(unsigned place, bits x) {{
    if (has[place] > {MOST_VALUES}) return 1;
    for (unsigned i = 0; i < has[place]; i++) if (values[place][i] == x) return 0;
    if (has[place] == {MOST_VALUES}) return ++has[place], 1;
    values[place][has[place]++] = x;
    return 0;
}}"""


class StepText:
    """Of a program in large blocks."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.dangerous = dangerous_locations(program)
        self.heads = {x: i for i, x in enumerate(program.main.locations) if x not in program.errors}
        steps = {edge: transition(edge.statement) for edge in program.main.edges}
        live = live_variables(program, steps)
        self.live = {x: tuple(sorted(live[x], key=lambda v: v.serial)) for x in self.heads}
        self.live[program.main.entry] = ()
        self.edges = _inner_edges(program)
        self.names = {x: f"x{i}" for i, x in enumerate(_variables(self.edges))}
        self.partition = partition(program)
        self.candidates = candidates(self.edges)

    def text(self) -> str:
        size = max(2 + sum(map(_bytes, variables)) for variables in self.live.values())
        places = max(1, sum(map(len, self.live.values())))
        lines = [f"enum {{ SIZE = {size}, PLACES = {places}, AT_ERROR, GOES_ON, ENDS }};", WIDE]
        lines += [*self._kind(), *self._begin()]
        lines += ["static int step(const unsigned char *from, unsigned char *to) {"]
        lines += [f"bits {name} = 0;" for name in self.names.values()]
        lines += ["unsigned head = 0;", "memset(to, 0, SIZE);", "memcpy(&head, from, 2);", "switch (head) {"]
        for location, i in self.heads.items():
            if location in self.dangerous:
                lines += [f"case {i}:", *(self._moved(location, "from")), f"goto L{location.id};"]
        lines += ["}", "return ENDS;"]
        for location, leaving in _outgoing(self.edges, self.program.main.entry).items():
            if location not in self.program.errors:
                lines += [f"L{location.id}: ;", *self._location(leaving)]
        return "\n".join([*lines, "}", ""])

    def _begin(self) -> list[str]:
        entry = self.heads[self.program.main.entry]
        return [
            "static void begin(unsigned char *to) {",
            f"unsigned head = {entry};",
            "memset(to, 0, SIZE); memcpy(to, &head, 2);",
            "}",
        ]

    def _kind(self) -> Iterator[str]:
        """The location, and each variable's value; or, if it has too many, its interval between what the program
        compares it with.
        """
        yield "static bits kind(const unsigned char *from) {"
        yield "unsigned head = 0; bits h = 0, x = 0; memcpy(&head, from, 2); h = head; switch (head) {"
        place = 0
        for location, i in self.heads.items():
            yield f"case {i}:"
            at = 2
            for x in self.live[location]:
                yield f"x = 0; memcpy(&x, from + {at}, {_bytes(x)});"
                yield f"if (is_wide({place}, x)) x = {self._interval(x)};"
                yield "h = (h ^ x) * 0x9E3779B97F4A7C15u; h ^= h >> 32;"
                at += _bytes(x)
                place += 1
            yield "break;"
        yield "} return h; }"

    def _interval(self, variable: Term) -> str:
        """Its number, for a value `x`."""
        if not isinstance(variable.sort, BitVec):
            return "x"
        intervals = self.partition.with_intervals(variable).intervals[variable]
        read = f"sx(x, {variable.sort.width})" if intervals.signed else "x"
        kind = "int64_t" if intervals.signed else "bits"
        return " + ".join(f"({read} >= ({kind}){_literal(begin)})" for begin in intervals.begins[1:]) or "0"

    def _moved(self, location: Location, row: str) -> Iterator[str]:
        """A state read from its row, or written to it."""
        at = 2
        for x in self.live[location]:
            one, other = f"&{self.names[x]}", f"{row} + {at}"
            if row == "to":
                one, other = other, one
            yield f"memcpy({one}, {other}, {_bytes(x)});"
            at += _bytes(x)

    # --- edges --------------------------------------------------------------------------------------------------------

    def _location(self, leaving: Sequence[Edge]) -> Iterator[str]:
        for edge in leaving:
            statement = edge.statement
            code = CCode(self.names)
            match statement:
                case Assume(condition):
                    text = code.expression(condition)
                    goes = " ".join(self._to(edge.target))
                    yield from ("{", *code.lines, f"if ({text}) {{ {goes} }}", "}")
                    if condition is TRUE:
                        return
                    continue
                case Assign(variable, value):
                    text = code.expression(value)
                    yield from ("{", *code.lines, f"{self.names[variable]} = {text};", "}")
                case Havoc(variables, source):
                    if isinstance(source, BitsOf | Fresh):
                        raise CannotRun("addresses of new memory and bits of floats are not chosen by compiled steps")
                    for x in variables:
                        yield self._havoc(x) if isinstance(source, Input) else f"{self.names[x]} = 0;"
                case Return():
                    yield "return ENDS;"
                    return
                case _:
                    raise CannotRun("there are calls")
            yield from self._to(edge.target)
            return
        yield "return ENDS;"

    def _havoc(self, variable: Term) -> str:
        values = self.candidates[variable]
        table = ", ".join(map(number, values))
        return f"{{ static const bits c[] = {{{table}}}; {self.names[variable]} = choose(c, {len(values)}); }}"

    def _to(self, target: Location) -> Iterator[str]:
        if target in self.program.errors:
            yield "return AT_ERROR;"
        elif target not in self.heads:
            yield f"goto L{target.id};"
        elif target not in self.dangerous:
            yield "return ENDS;"
        else:
            yield f"{{ unsigned head = {self.heads[target]}; memcpy(to, &head, 2); }}"
            yield from self._moved(target, "to")
            yield "return GOES_ON;"


def _literal(value: int) -> str:
    return number(value) if value >= 0 else f"-{number(-value)}"


def _check_small(variable: Term) -> None:
    if not is_small(variable):
        raise CannotRun(f"{variable.name} is neither a number of at most 64 bits nor a truth value")


def _bytes(variable: Term) -> int:
    _check_small(variable)
    return (variable.sort.width + 7) // 8 if isinstance(variable.sort, BitVec) else 1


def _inner_edges(program: Program) -> list[Edge]:
    """Those in blocks, each once: several blocks may share them."""
    found: dict[Edge, None] = {}
    for edge in program.main.edges:
        if isinstance(edge.statement, Call):
            raise CannotRun("there are calls")
        found.update(dict.fromkeys(edge.statement.edges if isinstance(edge.statement, Block) else (edge,)))
    return list(found)


def _variables(edges: Sequence[Edge]) -> list[Term]:
    found: dict[Term, None] = {}
    for edge in edges:
        for x in sorted(reads(edge.statement) | writes(edge.statement), key=lambda v: v.serial):
            _check_small(x)
            found[x] = None
    return list(found)


def _outgoing(edges: Sequence[Edge], entry: Location) -> Mapping[Location, Sequence[Edge]]:
    found: dict[Location, list[Edge]] = {entry: []}
    for edge in edges:
        found.setdefault(edge.source, []).append(edge)
        found.setdefault(edge.target, [])
    return found
