"""The rounding mode of a program that sets it: a variable, by which all operations on floats round.

Terms are made with the usual mode, to nearest. In a program that calls `fesetround` the variable is put in its place
everywhere when all functions are lowered. What compilers compute themselves, expressions of literals, is a value by
then: computed to nearest, as gcc does.
"""

from __future__ import annotations

from dataclasses import replace

from craton.logic import RNE, RTN, RTP, RTZ, BitVec, Term, bv, eq, fold, ite, or_, rebuild, var
from craton.program.cfa import Program
from craton.program.statements import Assign, Assume, Call, Statement

MODE = var("rounding mode", BitVec(32))
TO_NEAREST = bv(0, 32)
_OTHERS = {0x400: RTN, 0x800: RTP, 0xC00: RTZ}  # as <fenv.h> has them


def is_mode(number: Term) -> Term:
    """Whether a number is that of a mode."""
    return or_(eq(number, TO_NEAREST), *(eq(number, bv(mode, 32)) for mode in _OTHERS))


def rounding_by_mode(program: Program) -> Program:
    """The program whose operations round as the variable says."""
    mode = RNE
    for number, other in _OTHERS.items():
        mode = ite(eq(MODE, bv(number, 32)), other, mode)
    memo: dict[Term, Term] = {}

    def visit(node: Term, args: list[Term]) -> Term:
        if node is RNE:
            return mode
        return rebuild(node, args) if args else node

    def changed(term: Term) -> Term:
        return fold(term, visit, memo)

    def statement(old: Statement) -> Statement:
        match old:
            case Assume(condition):
                return replace(old, condition=changed(condition))
            case Assign(_, value):
                return replace(old, value=changed(value))
            case Call(_, arguments, _):
                return replace(old, arguments=tuple(map(changed, arguments)))
        return old

    procedures = {
        name: replace(p, edges=tuple(replace(edge, statement=statement(edge.statement)) for edge in p.edges))
        for name, p in program.procedures.items()
    }
    return replace(program, procedures=procedures)
