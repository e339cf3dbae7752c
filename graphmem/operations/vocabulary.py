"""The record types that an owner and its clients may exchange. A message can create no other types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from graphmem.model.changes import Changes, Edge, EdgeKey, EdgeTable, Item, Link, Node, NodeTable
from graphmem.model.events import Purged
from graphmem.model.sources import (
    ExchangeReport,
    ForgetReport,
    IndexReport,
    IngestReport,
    ProcessReport,
    Projected,
)
from graphmem.model.table import Table
from graphmem.operations.registry import OPERATIONS
from graphmem.ports.graph import Rows

_GRAPH: tuple[type, ...] = (Changes, Edge, EdgeKey, EdgeTable, Item, Link, Node, NodeTable, Rows)
_RESULTS: tuple[type, ...] = (
    ExchangeReport, ForgetReport, IndexReport, IngestReport, ProcessReport, Projected, Purged, Table,
)  # fmt: skip


def _init_report() -> type:
    from graphmem.operations.init import InitReport

    return InitReport


def _example() -> type:
    from graphmem.operations.init import Example

    return Example


def _memify_report() -> type:
    from graphmem.memify.run import MemifyReport

    return MemifyReport


def _itself(kind: type) -> type:
    return kind


_REQUESTS: tuple[type, ...] = tuple(operation.request for operation in OPERATIONS)
RECORDS: Mapping[str, Callable[[], type]] = {
    **{kind.__name__: partial(_itself, kind) for kind in (*_GRAPH, *_RESULTS, *_REQUESTS)},
    "InitReport": _init_report,
    "Example": _example,
    "MemifyReport": _memify_report,
}
