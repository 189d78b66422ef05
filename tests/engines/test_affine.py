"""Affine hulls are the smallest: by counting, modulo small powers of two."""

from __future__ import annotations

import random
from itertools import product

import pytest

from craton.engines.affine import Hull, beyond


def combinations_of(points: list[tuple[int, ...]], modulus: int) -> set[tuple[int, ...]]:
    """All sums of multiples of the points whose factors add up to one."""
    found = set()
    for factors in product(range(modulus), repeat=len(points)):
        if sum(factors) % modulus == 1:
            columns = zip(*points, strict=True)
            found.add(tuple(sum(f * x for f, x in zip(factors, c, strict=True)) % modulus for c in columns))
    return found


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_hulls_modulo_a_power_of_two(width: int, columns: int) -> None:
    draw = random.Random(width * 10 + columns)
    modulus = 1 << width
    for _ in range(30):
        points = [tuple(draw.randrange(modulus) for _ in range(columns)) for _ in range(draw.randint(1, 4))]
        hull = Hull(columns, width)
        for point in points:
            hull.add(point)
        contained = {point for point in product(range(modulus), repeat=columns) if hull.contains(point)}
        assert contained == combinations_of(points, modulus)


def test_a_hull_grows_only_by_new_points() -> None:
    hull = Hull(2)
    assert not hull.contains((0, 0))
    assert hull.add((0, 0))
    assert hull.add((1, 2))
    assert not hull.add((7, 14))
    assert hull.contains((-3, -6))
    assert not hull.contains((1, 1))
    assert hull.add((1, 1))
    assert hull.equations == ()


def test_numbers_that_wrap_around_satisfy_equations() -> None:
    hull = Hull(2, 8)
    for point in ((0, 1), (1, 2), (255, 0)):
        hull.add(point)
    assert hull.contains((127, 128))
    assert not hull.contains((5, 5))


def test_low_bits_are_equations() -> None:
    hull = Hull(1, 8)
    for number in (2, 4, 8):
        hull.add((number,))
    assert hull.contains((254,))
    assert not hull.contains((7,))


def test_an_integer_hull_is_rational() -> None:
    hull = Hull(3)
    for point in ((0, 1, 0), (1, 2, 3), (5, 6, 15)):
        hull.add(point)
    assert all(hull.contains((x, x + 1, 3 * x)) for x in range(-5, 5))
    assert not hull.contains((1, 2, 4))


def test_only_new_equations_are_told() -> None:
    known = [(1, -1, 0, 0)]
    assert beyond([(2, -2, 0, 0), (0, 1, -1, 0), (1, 0, -1, 0)], known, None) == [(0, 1, -1, 0)]
    assert beyond([(1, -1, 0, 0), (3, 0, -1, 4)], known, 8) == [(3, 0, -1, 4)]
    assert beyond([(128, 0, 0, 0)], [], 8) == [(128, 0, 0, 0)]
