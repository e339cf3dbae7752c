"""Computes graph layouts on the server, because a layout in the browser blocks the tab for seconds. Deterministic;
nodes that have a position keep it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.spatial import cKDTree

_APART = 46.0  # minimum distance of two nodes, in pixels
_LINK = 60.0  # preferred length of a relation, in pixels
_GOLDEN = math.pi * (3 - math.sqrt(5))
Place = tuple[float, float]


def place(count: int, links: Sequence[tuple[int, int]], known: Mapping[int, Place] | None = None) -> np.ndarray:
    """Return coordinates, shape (count, 2), of nodes 0 to count-1. Nodes in `known` keep their position."""
    if not count:
        return np.zeros((0, 2))
    kept = dict(known or {})
    near: list[list[int]] = [[] for _ in range(count)]
    for a, b in links:
        if a != b:
            near[a].append(b)
            near[b].append(a)
    at = _seeded(near, kept)
    free = np.array([node not in kept for node in range(count)])
    pairs = np.array([link for link in links if link[0] != link[1]], dtype=int).reshape(-1, 2)
    found = _relaxed(at, pairs, free, 80 if count < 800 else 40)
    return found if kept else _packed(found, near)


def _seeded(near: list[list[int]], kept: dict[int, Place]) -> np.ndarray:
    """Return initial positions: each component as a tree in rings around its best-connected node, components in a
    spiral, new nodes next to their neighbours."""
    at = np.zeros((len(near), 2))
    done = np.zeros(len(near), dtype=bool)
    for node, spot in kept.items():
        at[node], done[node] = spot, True
    _beside(near, at, done)
    area = 0.0
    for root in sorted(range(len(near)), key=lambda node: (-len(near[node]), node)):
        if done[root]:
            continue
        order, ring = _tree(root, near, done)
        radius = _APART * math.sqrt(len(order))
        distance = math.sqrt(area) if area or kept else 0.0
        turn = area / 50_000 * _GOLDEN
        base = np.array([math.cos(turn), math.sin(turn)]) * (distance + (radius if distance else 0))
        for node in order:
            at[node] = base + ring[node]
        area += (2 * radius) ** 2
    return at


def _packed(at: np.ndarray, near: list[list[int]]) -> np.ndarray:
    """Arrange components compactly: the largest in the centre, the others in rings around it."""
    done = np.zeros(len(near), dtype=bool)
    parts = [np.array(_tree(node, near, done)[0]) for node in range(len(near)) if not done[node]]
    parts.sort(key=lambda part: (-len(part), int(part[0])))
    packed = np.zeros_like(at)
    inner = turn = width = 0.0
    for number, part in enumerate(parts):
        own = at[part] - at[part].mean(axis=0)
        radius = float(np.linalg.norm(own, axis=1).max()) + _APART
        if not number:
            packed[part], inner = own, radius
            continue
        angle = 2 * math.asin(min(1.0, radius / (inner + radius)))
        if turn + angle > 2 * math.pi:
            inner, turn, width = inner + width, 0.0, 0.0
            angle = 2 * math.asin(min(1.0, radius / (inner + radius)))
        middle = turn + angle / 2
        packed[part] = own + (inner + radius) * np.array([math.cos(middle), math.sin(middle)])
        turn, width = turn + angle, max(width, 2 * radius)
    return packed


def _beside(near: list[list[int]], at: np.ndarray, done: np.ndarray) -> None:
    """Place new nodes around their known neighbours, outward."""
    waiting = deque(np.flatnonzero(done).tolist())
    middle = at[done].mean(axis=0) if done.any() else np.zeros(2)
    while waiting:
        node = waiting.popleft()
        fresh = [other for other in near[node] if not done[other]]
        away = math.atan2(*(at[node] - middle)[::-1]) if len(fresh) else 0.0
        for number, other in enumerate(dict.fromkeys(fresh)):
            turn = away + (number - (len(fresh) - 1) / 2) * min(0.6, 2 * math.pi / max(1, len(fresh)))
            distance = _LINK * (1 + 0.35 * (number % 3))
            at[other] = at[node] + distance * np.array([math.cos(turn), math.sin(turn)])
            done[other] = True
            waiting.append(other)


def _tree(root: int, near: list[list[int]], done: np.ndarray) -> tuple[list[int], dict[int, np.ndarray]]:
    """Return the nodes of a component in tree order, with positions; each subtree gets the angle it needs."""
    order, depth = [root], {root: 0}
    children: dict[int, list[int]] = {}
    done[root] = True
    for node in order:
        children[node] = [other for other in dict.fromkeys(near[node]) if not done[other]]
        for other in children[node]:
            done[other], depth[other] = True, depth[node] + 1
        order += children[node]
    leaves: dict[int, int] = {}
    for node in reversed(order):
        leaves[node] = sum(leaves[child] for child in children[node]) or 1
    span = {root: (0.0, 2 * math.pi)}
    ring = {}
    for node in order:
        first, last = span[node]
        middle = (first + last) / 2
        ring[node] = depth[node] * _LINK * 1.6 * np.array([math.cos(middle), math.sin(middle)])
        for child in children[node]:
            width = (last - first) * leaves[child] / leaves[node]
            span[child], first = (first, first + width), first + width
    return order, ring


def _relaxed(at: np.ndarray, links: np.ndarray, free: np.ndarray, steps: int) -> np.ndarray:
    """Separate overlapping nodes and pull related ones together, with decreasing step size."""
    if not free.any() or len(at) < 2:
        return at
    degree = np.maximum(1, np.bincount(links.ravel(), minlength=len(at))).astype(float)
    for step in range(steps):
        move = np.zeros_like(at)
        close = cKDTree(at).query_pairs(_APART * 1.6, output_type="ndarray")
        if len(close):
            way = at[close[:, 0]] - at[close[:, 1]]
            distance = np.linalg.norm(way, axis=1, keepdims=True)
            same = distance[:, 0] < 1e-6
            way[same] = np.column_stack([np.cos(close[same, 1] * _GOLDEN), np.sin(close[same, 1] * _GOLDEN)])
            push = way / np.maximum(distance, 1.0) * np.maximum(0, _APART * 1.6 - distance) * 0.3
            _add(move, close[:, 0], push)
            _add(move, close[:, 1], -push)
        if len(links):
            way = at[links[:, 1]] - at[links[:, 0]]
            distance = np.linalg.norm(way, axis=1, keepdims=True)
            pull = way / np.maximum(distance, 1.0) * (distance - _LINK) * 0.22
            _add(move, links[:, 0], pull / degree[links[:, 0], None])
            _add(move, links[:, 1], -pull / degree[links[:, 1], None])
        most = 60 * (1 - step / steps) + 4
        length = np.linalg.norm(move, axis=1, keepdims=True)
        at = at + np.where(free[:, None], move * np.minimum(1, most / np.maximum(length, 1e-9)), 0)
    return at


def _add(move: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
    for axis in (0, 1):
        move[:, axis] += np.bincount(rows, values[:, axis], len(move))
