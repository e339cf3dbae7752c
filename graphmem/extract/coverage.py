"""Reads the total line coverage in percent from coverage reports: coverage.py (XML, JSON), Cobertura, Clover, Istanbul,
lcov, Go profiles."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from graphmem.extract.markup import parse_xml
from graphmem.model.bounds import amount


class _Share(NamedTuple):
    """Number of covered lines, and of all lines."""

    hit: float
    of: float


def read_coverage(text: str) -> float | None:
    """Return the percentage of covered lines in a coverage report; None for anything else. Never raises."""
    readers: dict[str, Callable[[str], _Share | None]] = {"<": _xml, "{": _json, "m": _go}
    try:
        share = readers.get(text.lstrip()[:1], _lcov)(text)
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
    return round(min(100.0, amount(100 * share.hit / share.of)), 2) if share and share.of else None


def _xml(text: str) -> _Share | None:
    root = parse_xml(text)
    if root is None or root.tag != "coverage":
        return None
    if root.get("line-rate"):
        return _Share(float(root.get("line-rate")), 1.0)
    metrics = root.find("project/metrics")
    return (
        None if metrics is None else _Share(float(metrics.get("coveredstatements")), float(metrics.get("statements")))
    )


def _json(text: str) -> _Share | None:
    data: Any = json.loads(text)
    totals = data.get("totals") or data.get("total") or {}
    percent = totals["percent_covered"] if "percent_covered" in totals else (totals.get("lines") or {}).get("pct")
    return _Share(float(percent), 100.0) if isinstance(percent, int | float) else None


def _go(text: str) -> _Share | None:
    """Read a profile of `go test -coverprofile`: blocks with their number of statements and executions."""
    if not re.match(r"mode: (?:set|count|atomic)\n", text):
        return _lcov(text)
    blocks: dict[str, tuple[int, bool]] = {}
    for place, size, count in re.findall(r"^(\S+:\d+\.\d+,\d+\.\d+) (\d{1,9}) (\d{1,18})$", text, re.M):
        blocks[place] = (int(size), bool(int(count)) or blocks.get(place, (0, False))[1])
    return _Share(sum(size for size, ran in blocks.values() if ran), sum(size for size, _ in blocks.values()))


def _lcov(text: str) -> _Share | None:
    hit, of = (sum(map(int, re.findall(rf"^{name}:(\d{{1,9}})$", text, re.M))) for name in ("LH", "LF"))
    return _Share(hit, of)
