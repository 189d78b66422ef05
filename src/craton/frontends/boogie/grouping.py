"""Operators by how tightly they bind: a flat chain of operands and operators becomes a tree."""

from __future__ import annotations

from collections.abc import Sequence

from craton.frontends.boogie import syntax
from craton.frontends.boogie.errors import BoogieSyntaxError
from craton.program.origin import SourceRange

_LEVELS = ("<==>", "==> <==", "||", "&&", "== != < <= > >= <:", "++", "+ -", "* / % div mod", "**")
_LEVEL = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators.split()}
_COMPARISONS, _POWERS, _IMPLICATIONS = _LEVEL["=="], _LEVEL["**"], _LEVEL["==>"]


def grouped(operands: Sequence[syntax.Expression], operators: Sequence[str]) -> syntax.Expression:
    """The expression that `operand operator operand …` means. Operators of one level that stand side by side make one
    `Chain`.
    """
    for level in sorted({_LEVEL[operator] for operator in operators}, reverse=True):
        operands, operators = _with_chains(level, operands, operators)
    return operands[0]


def _with_chains(
    level: int, operands: Sequence[syntax.Expression], operators: Sequence[str]
) -> tuple[list[syntax.Expression], list[str]]:
    """The same with the operators of this level, the tightest there is, gone."""
    left, looser = [operands[0]], []
    run: list[tuple[str, syntax.Expression]] = []
    for operator, operand in zip(operators, operands[1:], strict=True):
        if _LEVEL[operator] == level:
            run.append((operator, operand))
        else:
            left[-1] = _chain(level, left[-1], run)
            run = []
            left.append(operand)
            looser.append(operator)
    left[-1] = _chain(level, left[-1], run)
    return left, looser


def _chain(level: int, first: syntax.Expression, run: list[tuple[str, syntax.Expression]]) -> syntax.Expression:
    if not run:
        return first
    if level == _COMPARISONS and len(run) > 1:
        raise BoogieSyntaxError("comparisons do not chain: use '&&' or parentheses", run[1][1].at)
    if level == _IMPLICATIONS and len({operator for operator, _ in run}) > 1:
        raise BoogieSyntaxError("'==>' and '<==' need parentheses between them", run[-1][1].at)
    if level == _POWERS:  # groups to the right
        while len(run) > 1:
            operator, last = run.pop()
            before, base = run.pop()
            run.append((before, syntax.Chain(base, ((operator, last),), _range(base.at, last.at))))
    return syntax.Chain(first, tuple(run), _range(first.at, run[-1][1].at))


def _range(first: SourceRange, last: SourceRange) -> SourceRange:
    return SourceRange(first.file, first.line, first.column, last.end_line, last.end_column)
