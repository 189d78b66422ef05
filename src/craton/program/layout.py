"""Where the boxes of a graph lie, layer by layer, so that most arrows point down (Sugiyama, Tagawa, Toda 1981).

Arrows that would close a cycle are turned round; boxes are put into layers by the longest way to them; arrows over
several layers get a point in each; the order inside of a layer follows the neighbours; and each box is moved as near to
its neighbours as the others let it. A label is a box of its own on the way of its arrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_BETWEEN = 16.0  # boxes of a layer
_LAYER = 34.0  # from one layer to the next
_POINT = 8.0  # the width of an arrow that passes a layer
_SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Arrow:
    """From a box to a box, by their numbers; a label takes room on its way."""

    source: int
    target: int
    label_width: float = 0.0


@dataclass(frozen=True, slots=True)
class Layout:
    """The centres of boxes; for each arrow the points that it goes through, from its source to its target, and the
    centre of its label.
    """

    boxes: tuple[tuple[float, float], ...]
    arrows: tuple[tuple[tuple[float, float], ...], ...]
    labels: tuple[tuple[float, float], ...]
    width: float
    height: float


def laid_out(widths: Sequence[float], arrows: Sequence[Arrow]) -> Layout:
    """The first box is where the graph is entered."""
    backward = _closing(len(widths), arrows)
    graph = _Layered(list(widths), len(widths))
    ways = [
        graph.way(arrow.target if turned else arrow.source, arrow.source if turned else arrow.target, arrow.label_width)
        for arrow, turned in zip(arrows, backward, strict=True)
    ]
    graph.rank()
    points = [graph.stretched(way) for way in ways]
    graph.place()
    height = (max(graph.ranks, default=0) + 1) * _LAYER
    return Layout(
        tuple(map(graph.centre, range(len(widths)))),
        tuple(
            tuple(map(graph.centre, reversed(way) if turned else way))
            for way, turned in zip(points, backward, strict=True)
        ),
        tuple(graph.centre(way[1]) for way in ways),
        max((x + w / 2 for x, w in zip(graph.x, graph.widths, strict=True)), default=0.0),
        height,
    )


def _closing(count: int, arrows: Sequence[Arrow]) -> list[bool]:
    """Which arrows lead back to where a walk through the graph came from."""
    outgoing: list[list[int]] = [[] for _ in range(count)]
    for number, arrow in enumerate(arrows):
        outgoing[arrow.source].append(number)
    closing = [False] * len(arrows)
    state = [0] * count  # 1: on the way, 2: left
    for start in range(count):
        if state[start]:
            continue
        state[start] = 1
        stack = [(start, iter(outgoing[start]))]
        while stack:
            box, left = stack[-1]
            for number in left:
                target = arrows[number].target
                closing[number] = state[target] == 1
                if not state[target]:
                    state[target] = 1
                    stack.append((target, iter(outgoing[target])))
                    break
            else:
                state[box] = 2
                stack.pop()
    return closing


@dataclass(slots=True)
class _Layered:
    """Boxes, labels and points in layers; `above` and `below` are neighbours in the layers next to theirs."""

    widths: list[float]
    given: int
    follows: list[tuple[int, int]] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    above: list[list[int]] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)
    layers: list[list[int]] = field(default_factory=list)
    x: list[float] = field(default_factory=list)

    def way(self, upper: int, lower: int, label_width: float) -> tuple[int, int, int]:
        """A box for the label between two boxes; a label of an arrow to its own box lies below it."""
        label = len(self.widths)
        self.widths.append(max(label_width, _POINT))
        self.follows.append((upper, label))
        if upper != lower:
            self.follows.append((label, lower))
        return upper, label, lower

    def rank(self) -> None:
        """The length of the longest way to each box."""
        count = len(self.widths)
        waiting, after = [0] * count, [[] for _ in range(count)]  # type: tuple[list[int], list[list[int]]]
        for upper, lower in self.follows:
            waiting[lower] += 1
            after[upper].append(lower)
        self.ranks = [0] * count
        ready = [box for box in range(count) if not waiting[box]]
        while ready:
            box = ready.pop()
            for lower in after[box]:
                self.ranks[lower] = max(self.ranks[lower], self.ranks[box] + 1)
                waiting[lower] -= 1
                if not waiting[lower]:
                    ready.append(lower)
        self.above, self.below = [[] for _ in range(count)], [[] for _ in range(count)]

    def stretched(self, way: tuple[int, int, int]) -> list[int]:
        """The way with a point in each layer that it passes."""
        upper, label, lower = way
        if upper == lower:
            self._link(upper, label)
            return [upper, label, upper]
        return [upper, *self._points(upper, label), label, *self._points(label, lower), lower]

    def _points(self, upper: int, lower: int) -> list[int]:
        found, last = [], upper
        for rank in range(self.ranks[upper] + 1, self.ranks[lower]):
            point = len(self.widths)
            self.widths.append(_POINT)
            self.ranks.append(rank)
            self.above.append([])
            self.below.append([])
            self._link(last, point)
            found.append(point)
            last = point
        self._link(last, lower)
        return found

    def _link(self, upper: int, lower: int) -> None:
        self.below[upper].append(lower)
        self.above[lower].append(upper)

    def place(self) -> None:
        self.layers = [[] for _ in range(max(self.ranks, default=-1) + 1)]
        for box in self._walked():
            self.layers[self.ranks[box]].append(box)
        self.x = [0.0] * len(self.widths)
        for layer in self.layers:
            self._put(layer, [float(number) for number in range(len(layer))])
        for number in range(_SWEEPS):
            downwards = number % 2 == 0
            neighbours = self.above if downwards else self.below
            for layer in self.layers if downwards else self.layers[::-1]:
                layer.sort(key=lambda box: self._wish(box, neighbours))
                self._put(layer, [self._wish(box, neighbours) for box in layer])
        self._put_beside_all()
        left = min((x - w / 2 for x, w in zip(self.x, self.widths, strict=True)), default=0.0)
        self.x = [x - left for x in self.x]

    def _put_beside_all(self) -> None:
        """At last as near as possible to the neighbours on both sides, the order being what it is."""
        for number in range(_SWEEPS):
            for layer in self.layers if number % 2 else self.layers[::-1]:
                self._put(layer, [self._wish(box, self.above, self.below) for box in layer])

    def _walked(self) -> Iterator[int]:
        """Depth first, so that what belongs together begins together."""
        seen: set[int] = set()
        for start in sorted(range(len(self.widths)), key=lambda box: self.ranks[box]):
            stack = [start]
            while stack:
                box = stack.pop()
                if box not in seen:
                    seen.add(box)
                    yield box
                    stack += reversed(self.below[box])

    def _wish(self, box: int, *sides: Sequence[Sequence[int]]) -> float:
        near = [self.x[other] for side in sides for other in side[box]]
        return sum(near) / len(near) if near else self.x[box]

    def _put(self, layer: Sequence[int], wishes: Sequence[float]) -> None:
        """As near to their wishes as boxes can lie in this order without touching: least squares, by pooling those
        that would touch.
        """
        offsets, offset = [], 0.0
        for number, box in enumerate(layer):
            if number:
                offset += (self.widths[layer[number - 1]] + self.widths[box]) / 2 + _BETWEEN
            offsets.append(offset)
        pools: list[tuple[float, int]] = []  # the sum of wishes without offsets, and of how many
        for wish, moved in zip(wishes, offsets, strict=True):
            total, count = wish - moved, 1
            while pools and pools[-1][0] / pools[-1][1] >= total / count:
                before, number = pools.pop()
                total, count = total + before, count + number
            pools.append((total, count))
        bases = [total / count for total, count in pools for _ in range(count)]
        for box, base, moved in zip(layer, bases, offsets, strict=True):
            self.x[box] = base + moved

    def centre(self, box: int) -> tuple[float, float]:
        return self.x[box], (self.ranks[box] + 0.5) * _LAYER
