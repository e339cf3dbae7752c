"""Keeps a graph small that is changed often: finds out how much a table stores in vain, and copies everything to an empty
graph. At a checkpoint, Kuzu 0.11.3 writes all texts of a changed column once more and keeps the old ones. The next checkpoint
needs memory for all of them, in the end more than there is."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from graphmem import resources
from graphmem.backends.graph.schema import Columns, Relation, without_comments
from graphmem.errors import StoreError
from graphmem.model.storefiles import GRAPH_BESIDE, GRAPH_COPIED
from graphmem.plurals import counted

_FACTOR = 8  # a copy of everything costs as much as this many checkpoints with garbage, on average
_LEAST = 16 << 20  # bytes that are not worth a copy
_SHARE = 8  # of the buffer pool that the texts of one piece may take: a checkpoint needs four times as much
_EMPTY = 40 << 20  # bytes of the pool that tables without rows take
_PART = 20_000  # nodes that are read at a time, with their relations

Run = Callable[[str, dict[str, Any]], Any]
Put = Callable[[str, Any, dict[str, str]], None]


class Texts(NamedTuple):
    """Bytes of the texts of some tables: those in use, by estimate, those that are not, and the largest piece of a column of
    which more than half is not in use."""

    used: int
    replaced: int
    largest: int

    def is_bloated(self, pool: int) -> bool:
        """Return whether a copy pays off, or the next checkpoints could need more than so many bytes of buffer memory."""
        return self.largest > (pool - _EMPTY) // _SHARE or self.replaced > max(_LEAST, _FACTOR * self.used)


def measure_texts(run: Run, tables: Iterable[str]) -> Texts:
    """Return how much text these tables store. Each piece of a column counts its texts, and its rows refer to some of them."""
    used = replaced = largest = 0
    for table in tables:
        sizes = {(group, chunk, name): count for group, chunk, name, count in _all(run, "storage", table=table)}
        for (group, chunk, name), size in sizes.items():
            if not name.endswith("_data"):
                continue
            column = name.removesuffix("_data")
            texts, rows = (sizes.get((group, chunk, f"{column}_{part}"), 0) for part in ("offset", "index"))
            vain = size * (texts - rows) // texts if texts > rows else 0
            used, replaced = used + size - vain, replaced + vain
            largest = max(largest, size) if 2 * vain > size else largest
    return Texts(used, replaced, largest)


def copy_everything(run: Run, put: Put, nodes: Mapping[str, Columns], relations: Mapping[str, Relation]) -> int:
    """Copy all nodes, then all relations, and return their number. `put` gets the name of a statement that writes, a table,
    and the names that the statement needs. Raises StoreError if not everything could be read."""
    ends, total = {}, 0
    for label, columns in nodes.items():
        ((expected, last),) = _all(run, "extent", label=label)
        ends[label] = 0 if last is None else last + 1
        shown = ", ".join(f"n.{name} AS {name}" for name in columns)
        found = 0
        for rows in _parts(run, "nodes", ends[label], label=label, columns=shown):
            put("copy_nodes", rows, {"label": label, "columns": ", ".join(columns)})
            found += len(rows)
        total += _checked(label, found, expected)
    for kind, (pairs, columns) in relations.items():
        shown = "".join(f", r.{name} AS {name}" for name in columns)
        for source, target in pairs:
            names = {"type": kind, "source": source, "target": target}
            ((expected,),) = _all(run, "count", **names) if ends[source] and ends[target] else [[0]]
            found = 0
            for rows in _parts(run, "relations", ends[source] if expected else 0, **names, columns=shown):
                put("copy_edges", rows, names)
                found += len(rows)
            total += _checked(kind, found, expected)
    return total


def _checked(table: str, found: int, expected: int) -> int:
    if found != expected:
        raise StoreError(f"{found} of {counted(expected, 'row')} of {table} could be read", table=table)
    return found


def _parts(run: Run, query: str, end: int, **names: str) -> Iterator[Any]:
    for start in range(0, end, _PART):
        with contextlib.closing(run(_text(query, names), {"from": start, "until": start + _PART})) as result:
            rows = result.get_as_arrow()
        if len(rows):
            yield rows


def _all(run: Run, query: str, **names: str) -> list[list[Any]]:
    with contextlib.closing(run(_text(query, names), {})) as result:
        return list(result.get_all())


def _text(query: str, names: Mapping[str, str]) -> str:
    return Template(without_comments(resources.text(f"queries/graph/compact/{query}.cypher"))).substitute(names)


def beside(graph: Path) -> Path:
    """Return the location of the copy while it is made."""
    return graph.with_name(f"{GRAPH_BESIDE}{graph.name}")


def tell(graph: Path, before: int) -> None:
    """Write down that the graph was copied just now, and how large it was, in bytes."""
    with contextlib.suppress(OSError):
        note = graph.with_name(f"{graph.name}{GRAPH_COPIED}")
        with open(os.open(note, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            json.dump({"before": before, "after": graph.stat().st_size}, file)
