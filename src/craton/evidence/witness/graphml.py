"""Witnesses in format 1.0: automata as GraphML, for validators that know nothing newer.

What is written is the simplest automaton that says the same: a chain of edges to the violation, or an edge to each loop
head with an invariant. Reading takes a shortest way from the entry to the violation; positions have no columns.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from craton.evidence.witness.model import (
    BadWitness,
    CorrectnessWitness,
    Invariant,
    InvariantKind,
    Metadata,
    Place,
    Segment,
    ViolationWitness,
    Waypoint,
    WaypointKind,
    Witness,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MOST_CHARACTERS = 16_000_000
_PIECE = 65_536
MOST_DEPTH = 24  # a witness needs four
_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_ARCHITECTURES = {"ILP32": "32bit", "LP64": "64bit"}
_DATA_MODELS = {name: model for model, name in _ARCHITECTURES.items()}

# key → what has it, and the type of its values
_KEYS = {
    "witness-type": ("graph", "string"),
    "sourcecodelang": ("graph", "string"),
    "producer": ("graph", "string"),
    "specification": ("graph", "string"),
    "programfile": ("graph", "string"),
    "programhash": ("graph", "string"),
    "architecture": ("graph", "string"),
    "creationtime": ("graph", "string"),
    "entry": ("node", "boolean"),
    "violation": ("node", "boolean"),
    "sink": ("node", "boolean"),
    "invariant": ("node", "string"),
    "invariant.scope": ("node", "string"),
    "startline": ("edge", "int"),
    "control": ("edge", "string"),
    "assumption": ("edge", "string"),
    "assumption.scope": ("edge", "string"),
    "assumption.resultfunction": ("edge", "string"),
    "enterLoopHead": ("edge", "boolean"),
}
_REQUIRED = tuple(key for key, (owner, _) in _KEYS.items() if owner == "graph")


@dataclass(slots=True)
class _Edge:
    source: str
    target: str
    data: Mapping[str, str]


@dataclass(slots=True)
class _Graph:
    """The automaton as data: what is written, and what was read."""

    data: dict[str, str]
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[_Edge] = field(default_factory=list)

    def add(self, **data: str) -> str:
        name = f"N{len(self.nodes)}"
        self.nodes[name] = data
        return name


# --- writing ----------------------------------------------------------------------------------------------------------


def write_graphml(witness: Witness) -> str:
    from xml.etree import ElementTree

    graph = _graph(witness)
    root = ElementTree.Element("graphml", {"xmlns": _NAMESPACE})
    for key, (owner, kind) in _KEYS.items():
        ElementTree.SubElement(root, "key", {"id": key, "attr.name": key, "attr.type": kind, "for": owner})
    top = ElementTree.SubElement(root, "graph", {"edgedefault": "directed"})
    _add_data(top, graph.data)
    for name, data in graph.nodes.items():
        _add_data(ElementTree.SubElement(top, "node", {"id": name}), data)
    for edge in graph.edges:
        _add_data(ElementTree.SubElement(top, "edge", {"source": edge.source, "target": edge.target}), edge.data)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add_data(element: Element, data: Mapping[str, str]) -> None:
    from xml.etree import ElementTree

    for key, value in data.items():
        ElementTree.SubElement(element, "data", {"key": key}).text = value


def _graph(witness: Witness) -> _Graph:
    metadata = witness.metadata
    (file, digest), *_ = metadata.hashes.items()
    correct = isinstance(witness, CorrectnessWitness)
    graph = _Graph(
        {
            "witness-type": "correctness_witness" if correct else "violation_witness",
            "sourcecodelang": "C",
            "producer": f"{metadata.producer} {metadata.version}",
            "specification": metadata.specification,
            "programfile": file,
            "programhash": digest,
            "architecture": _ARCHITECTURES[metadata.data_model],
            "creationtime": metadata.created,
        }
    )
    here = graph.add(entry="true")
    if isinstance(witness, CorrectnessWitness):
        for invariant in witness.invariants:
            if invariant.kind is InvariantKind.LOOP:  # states of the automaton are at no statement
                scope = invariant.place.function
                data = {"invariant": invariant.value} | ({"invariant.scope": scope} if scope else {})
                graph.edges.append(
                    _Edge(here, graph.add(**data), {"enterLoopHead": "true", "startline": str(invariant.place.line)})
                )
        return graph
    for segment in witness.segments:
        last = segment.follow.kind is WaypointKind.TARGET
        there = graph.add(violation="true") if last else graph.add()
        graph.edges.append(_Edge(here, there, _edge_data(segment.follow)))
        here = there
    return graph


def _edge_data(waypoint: Waypoint) -> dict[str, str]:
    data = {"startline": str(waypoint.place.line)}
    if waypoint.kind is WaypointKind.BRANCHING:
        data["control"] = f"condition-{waypoint.constraint}"
    elif waypoint.kind is WaypointKind.FUNCTION_RETURN and waypoint.callee is not None:
        data["assumption"] = waypoint.constraint or "1"
        data["assumption.resultfunction"] = waypoint.callee
        if waypoint.place.function is not None:
            data["assumption.scope"] = waypoint.place.function
    return data


# --- reading ----------------------------------------------------------------------------------------------------------


def read_graphml(text: str, name: str) -> Witness:
    graph = _parsed(text, name)
    metadata = _metadata(graph, name)
    entries = [node for node, data in graph.nodes.items() if data.get("entry") == "true"]
    if len(entries) != 1:
        raise BadWitness(f"{name} has {len(entries)} entry nodes instead of one")
    file = graph.data["programfile"]
    if graph.data["witness-type"] == "correctness_witness":
        return CorrectnessWitness(metadata, tuple(_invariants(graph, file, name)))
    return ViolationWitness(metadata, tuple(_segments(graph, entries[0], file, name)))


def check_graphml(text: str, name: str = "witness") -> None:
    read_graphml(text, name)


def _parsed(text: str, name: str) -> _Graph:
    from xml.etree import ElementTree

    if len(text) > MOST_CHARACTERS:
        raise BadWitness(f"{name} is no witness: it has more than {MOST_CHARACTERS} characters")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BadWitness(f"{name} is no witness: it declares a document type or entities, which is not allowed")
    graphs: list[_Graph] = []
    depth = 0
    try:
        for event, element in _events(text):
            if event == "end":
                depth -= 1
                if _tag(element) == "graph":
                    graphs.append(_read_graph(element, name))
            elif depth == MOST_DEPTH:
                raise BadWitness(f"{name} is no witness: it is nested more than {MOST_DEPTH} deep")
            else:
                depth += 1
    except (ElementTree.ParseError, ValueError) as problem:
        raise BadWitness(f"{name} is no XML: {problem}") from None
    if len(graphs) != 1:
        raise BadWitness(f"{name} is no witness: it has {len(graphs)} graphs instead of one")
    return graphs[0]


def _events(text: str) -> Iterator[tuple[str, Element]]:
    """Begins and ends of elements, piece by piece, so that what is too deep never becomes a tree."""
    from xml.etree import ElementTree

    parser: Any = ElementTree.XMLPullParser(("start", "end"))
    for start in range(0, len(text), _PIECE):
        parser.feed(text[start : start + _PIECE])
        yield from parser.read_events()
    parser.close()
    yield from parser.read_events()


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _read_graph(element: Element, name: str) -> _Graph:
    graph = _Graph(_data(element))
    for child in element:
        if _tag(child) == "node":
            graph.nodes[child.get("id", "")] = _data(child)
        elif _tag(child) == "edge":
            graph.edges.append(_Edge(child.get("source", ""), child.get("target", ""), _data(child)))
    missing = [key for key in _REQUIRED if key not in graph.data]
    if missing:
        raise BadWitness(f"{name} is no witness: its graph says nothing of {', '.join(missing)}")
    for edge in graph.edges:
        for end in (edge.source, edge.target):
            if end not in graph.nodes:
                raise BadWitness(f"{name} is no witness: an edge has an end {end!r} that is no node")
    return graph


def _data(element: Element) -> dict[str, str]:
    return {child.get("key", ""): (child.text or "").strip() for child in element if _tag(child) == "data"}


def _metadata(graph: _Graph, name: str) -> Metadata:
    data = graph.data
    kind, architecture = data["witness-type"], data["architecture"]
    if kind not in ("correctness_witness", "violation_witness"):
        raise BadWitness(f"{name} is no witness: {kind!r} is no type of witnesses")
    if architecture not in _DATA_MODELS:
        raise BadWitness(f"{name}: architecture {architecture!r} is not known; known are {', '.join(_DATA_MODELS)}")
    hashes = {data["programfile"]: data["programhash"].lower()}
    return Metadata(
        data["producer"], "", "", data["creationtime"], hashes, data["specification"], _DATA_MODELS[architecture]
    )


def _line(edge: _Edge, name: str) -> int | None:
    text = edge.data.get("startline")
    if text is None:
        return None
    if not text.isdecimal() or len(text) > 9 or int(text) < 1:
        raise BadWitness(f"{name}: {text[:20]!r} is no line number")
    return int(text)


def _invariants(graph: _Graph, file: str, name: str) -> Iterator[Invariant]:
    """At each loop head that the automaton enters."""
    found: dict[Invariant, None] = {}
    for edge in graph.edges:
        data = graph.nodes[edge.target]
        line = _line(edge, name)
        if line is not None and edge.data.get("enterLoopHead") == "true" and data.get("invariant"):
            place = Place(file, line, None, data.get("invariant.scope"))
            found[Invariant(InvariantKind.LOOP, place, data["invariant"])] = None
    yield from found


def _segments(graph: _Graph, entry: str, file: str, name: str) -> Iterator[Segment]:
    way = _way_to_violation(graph, entry)
    if way is None:
        raise BadWitness(f"{name}: no violation node is reachable from the entry")
    line: int | None = None
    for edge in way:
        known = _line(edge, name)
        line = known if known is not None else line
        if line is not None:
            yield from (Segment(waypoint) for waypoint in _waypoints(edge, Place(file, line)))
    if line is None:
        raise BadWitness(f"{name}: no edge on the way to the violation has a line")
    yield Segment(Waypoint(WaypointKind.TARGET, Place(file, line)))


def _way_to_violation(graph: _Graph, entry: str) -> list[_Edge] | None:
    outgoing: dict[str, list[_Edge]] = {}
    for edge in graph.edges:
        outgoing.setdefault(edge.source, []).append(edge)
    came_by: dict[str, _Edge | None] = {entry: None}
    queue = deque([entry])
    while queue:
        node = queue.popleft()
        if graph.nodes[node].get("violation") == "true":
            way: list[_Edge] = []
            last = came_by[node]
            while last is not None:
                way.append(last)
                last = came_by[last.source]
            return way[::-1]
        for edge in outgoing.get(node, ()):
            if edge.target not in came_by and graph.nodes[edge.target].get("sink") != "true":
                came_by[edge.target] = edge
                queue.append(edge.target)
    return None


_RESULT = re.compile(r"\s*\(?\s*\\result\s*==\s*(.+?)\s*\)?\s*;?\s*")
_EQUATION = re.compile(r"\s*\(?\s*\w+\s*==\s*\(?\s*(-?\s*\w+)\s*\)?\s*\)?\s*;?\s*")


def _waypoints(edge: _Edge, place: Place) -> Iterator[Waypoint]:
    """What an edge asks for. An equation `x == 5` holds behind the edge: on a line with an input, it is its value."""
    control = edge.data.get("control", "")
    if control in ("condition-true", "condition-false"):
        yield Waypoint(WaypointKind.BRANCHING, place, control.removeprefix("condition-"))
    assumption = edge.data.get("assumption", "")
    match = _RESULT.fullmatch(assumption) or _EQUATION.fullmatch(assumption)
    if match is not None:
        callee = edge.data.get("assumption.resultfunction")
        constraint = f"\\result == {match.group(1)}"
        yield Waypoint(WaypointKind.FUNCTION_RETURN, place, constraint, callee=callee)
