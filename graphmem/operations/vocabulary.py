"""The record types that an owner and its clients may exchange. A message can create no other types."""

from __future__ import annotations

from collections.abc import Mapping

from graphmem.model.changes import Changes, Edge, EdgeKey, EdgeTable, Item, Link, Node, NodeTable
from graphmem.model.events import Purged
from graphmem.model.reports import Example, InitReport, MemifyReport
from graphmem.model.sources import (
    ExchangeReport,
    ForgetReport,
    IndexReport,
    IngestReport,
    ProcessReport,
    Projected,
)
from graphmem.model.table import Table
from graphmem.operations.registry import REQUESTS
from graphmem.ports.graph import Rows

_GRAPH: tuple[type, ...] = (Changes, Edge, EdgeKey, EdgeTable, Item, Link, Node, NodeTable, Rows)
_RESULTS: tuple[type, ...] = (
    Example, ExchangeReport, ForgetReport, IndexReport, IngestReport, InitReport, MemifyReport, ProcessReport, Projected,
    Purged, Table,
)  # fmt: skip
RECORDS: Mapping[str, type] = {kind.__name__: kind for kind in (*_GRAPH, *_RESULTS, *REQUESTS)}
