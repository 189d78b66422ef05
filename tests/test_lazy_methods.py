"""A dataclass whose methods are made lazily is like any other."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any

import pytest

from craton import lazy_methods

ORIGINAL: Any = getattr(dataclasses, "_create_fn", None)
pytestmark = pytest.mark.skipif(ORIGINAL is None, reason="methods are made in another way here")


@pytest.fixture(autouse=True, scope="module")
def lazy() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dataclasses, "_create_fn", ORIGINAL)
        lazy_methods.make_methods_lazily()
        yield


@pytest.fixture(scope="module")
def point(lazy: None) -> Any:
    @dataclass(frozen=True, slots=True, order=True)
    class Point:
        x: int
        y: int = 7
        names: tuple[str, ...] = field(default=(), compare=False)

    Point.__qualname__ = "Point"
    globals()["Point"] = Point
    return Point


def test_methods_are_made_once_and_by_the_first_call(point: Any) -> None:
    before = point.__dict__["__hash__"]
    assert hash(point(1)) == hash(point(1))
    made = point.__dict__["__hash__"]
    assert made is not before and before.__name__ == "__hash__"
    hash(point(2))
    assert point.__dict__["__hash__"] is made


def test_what_they_do_is_what_the_standard_library_does(point: Any) -> None:
    a, b = point(1), point(x=1, y=8, names=("b",))
    assert repr(b).endswith("Point(x=1, y=8, names=('b',))") and repr(b) == repr(b)
    assert a != b and a == point(1, 7, ("other",)) and a < b <= b and a != (1, 7)
    assert dataclasses.replace(a, y=8) == b
    assert pickle.loads(pickle.dumps(b)) == copy.deepcopy(b) == b
    with pytest.raises(FrozenInstanceError):
        a.x = 2
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        point()


def test_a_class_inherits_them(lazy: None) -> None:
    @dataclass
    class Base:
        x: list[int] = field(default_factory=list)

    @dataclass(eq=False)
    class Derived(Base):
        y: int = 0

        def __post_init__(self) -> None:
            self.x.append(self.y)

    assert Derived(y=3).x == [3] and Derived([1], 2).x == [1, 2] and Base().x == []
    assert Derived(y=3) == Derived(y=3) and repr(Derived(y=3)).endswith("Derived(x=[3], y=3)")


def test_a_second_time_changes_nothing(lazy: None) -> None:
    before = dataclasses._create_fn  # type: ignore[attr-defined]
    lazy_methods.make_methods_lazily()
    assert dataclasses._create_fn is before  # type: ignore[attr-defined]
