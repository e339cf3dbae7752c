"""Arranges a directed acyclic graph in layers from left to right, after Sugiyama: boxes never overlap, and an arrow that spans
several layers passes between the boxes of those in between. Knows nothing of tasks or of the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

WIDTH, HEIGHT = 216, 40  # pixels of a box
GAP_X, GAP_Y = 64, 12  # pixels between layers, and between the boxes of one
_SLOT = 10  # pixels that an arrow takes where it passes a layer
_SWEEPS = 8
_APART = 28  # pixels between parts that are not connected

_Place = str | tuple[str, str, int]  # a node, or where the arrow between two of them passes a layer


class Arrow(NamedTuple):
    """An arrow: the ids at its ends, and the points of its polyline."""

    source: str
    target: str
    points: tuple[tuple[float, float], ...]


class Drawing(NamedTuple):
    """Where each box is (its upper left corner), the arrows, and the size of the whole."""

    boxes: dict[str, tuple[float, float]]
    arrows: list[Arrow]
    width: float
    height: float


def arrange(ids: Sequence[str], before: Mapping[str, Sequence[str]]) -> Drawing:
    """Arrange nodes. `before` lists for each what comes before it; an arrow leads from there to it. Cycles are cut."""
    edges = [(source, id) for id in ids for source in dict.fromkeys(before.get(id, ())) if source != id]
    layer = _layers(ids, before)
    edges = [(source, target) for source, target in edges if layer[source] < layer[target]]
    boxes: dict[str, tuple[float, float]] = {}
    arrows: list[Arrow] = []
    top = 0.0
    for part in _parts(ids, edges):
        inside = set(part)
        own = [edge for edge in edges if edge[0] in inside]
        middle = _place(part, own, layer)
        least = min(y - _height(place) / 2 for place, y in middle.items())
        middle = {place: y - least + top for place, y in middle.items()}
        boxes |= {id: (layer[id] * (WIDTH + GAP_X), middle[id] - HEIGHT / 2) for id in part}
        arrows += [_arrow(source, target, layer, middle) for source, target in own]
        top = max(y + _height(place) / 2 for place, y in middle.items()) + _APART
    last = max((layer[id] for id in ids), default=0)
    return Drawing(boxes, arrows, last * (WIDTH + GAP_X) + WIDTH, max(0.0, top - _APART))


def _layers(ids: Sequence[str], before: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the layer of each node: the length of the longest way to it. Iterative, because chains may be long."""
    found: dict[str, int] = {}
    for start in ids:
        path: list[str] = [start]
        on_path = {start}
        while path:
            at = path[-1]
            open_ = [other for other in before.get(at, ()) if other not in found and other not in on_path]
            if open_ and at not in found:
                path.append(open_[0])
                on_path.add(open_[0])
                continue
            if at not in found:
                found[at] = max((found[other] + 1 for other in before.get(at, ()) if other in found), default=0)
            on_path.discard(path.pop())
    return found


def _parts(ids: Sequence[str], edges: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return the connected parts, the largest first."""
    root = {id: id for id in ids}

    def find(id: str) -> str:
        while root[id] != id:
            root[id] = root[root[id]]
            id = root[id]
        return id

    for source, target in edges:
        root[find(source)] = find(target)
    parts: dict[str, list[str]] = defaultdict(list)
    for id in ids:
        parts[find(id)].append(id)
    return sorted(parts.values(), key=lambda part: -len(part))


def _height(place: _Place) -> int:
    return HEIGHT + GAP_Y if isinstance(place, str) else _SLOT


def _place(part: Sequence[str], edges: Sequence[tuple[str, str]], layer: Mapping[str, int]) -> dict[_Place, float]:
    """Return the middle of each place of a part: nodes and passages, near to their neighbours, without overlaps."""
    rows: dict[int, list[_Place]] = defaultdict(list)
    for id in part:
        rows[layer[id]].append(id)
    left: dict[_Place, list[_Place]] = defaultdict(list)
    right: dict[_Place, list[_Place]] = defaultdict(list)
    for source, target in edges:
        chain = _chain(source, target, layer)
        for at, place in enumerate(chain[1:-1], layer[source] + 1):
            rows[at].append(place)
        for one, other in pairwise(chain):
            right[one].append(other)
            left[other].append(one)
    middle: dict[_Place, float] = {}
    for row in rows.values():
        middle |= dict(zip(row, _spread(row, [0.0] * len(row)), strict=True))
    columns = sorted(rows)
    for sweep in range(_SWEEPS):
        near, order = (left, columns) if sweep % 2 == 0 else (right, columns[::-1])
        for column in order:
            wish = {place: _mean(near[place], middle, middle[place]) for place in rows[column]}
            rows[column].sort(key=lambda place: wish[place])
            row = rows[column]
            middle |= dict(zip(row, _spread(row, [wish[place] for place in row]), strict=True))
    return middle


def _chain(source: str, target: str, layer: Mapping[str, int]) -> list[_Place]:
    return [source, *((source, target, at) for at in range(layer[source] + 1, layer[target])), target]


def _mean(near: Sequence[_Place], middle: Mapping[_Place, float], other: float) -> float:
    return sum(middle[place] for place in near) / len(near) if near else other


def _spread(row: Sequence[_Place], wishes: Sequence[float]) -> list[float]:
    """Return positions nearest to the wishes, in the same order, that leave each place its height (isotonic regression)."""
    offsets = [0.0]
    for one, other in pairwise(row):
        offsets.append(offsets[-1] + (_height(one) + _height(other)) / 2)
    blocks: list[tuple[float, int]] = []  # mean and number of places that touch
    for wish, offset in zip(wishes, offsets, strict=True):
        mean, count = wish - offset, 1
        while blocks and blocks[-1][0] > mean:
            earlier, size = blocks.pop()
            mean, count = (earlier * size + mean * count) / (size + count), size + count
        blocks.append((mean, count))
    moved = [mean for mean, count in blocks for _ in range(count)]
    return [base + offset for base, offset in zip(moved, offsets, strict=True)]


def _arrow(source: str, target: str, layer: Mapping[str, int], middle: Mapping[_Place, float]) -> Arrow:
    points: list[tuple[float, float]] = []
    for at, place in enumerate(_chain(source, target, layer), layer[source]):
        x = at * (WIDTH + GAP_X)
        if place != source:
            points.append((x, middle[place]))
        if place != target:
            points.append((x + WIDTH, middle[place]))
    return Arrow(source, target, tuple(points))
