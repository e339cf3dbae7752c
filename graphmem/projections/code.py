"""Projects the code graph: files, symbols, relations and unresolved calls. From the changes of a build it computes only
the difference; signatures and docstrings are already redacted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graphmem import privacy
from graphmem.codegraph import bodies
from graphmem.codegraph.build import Delta
from graphmem.model.changes import Changes, EdgeKey, EdgeTable, Item, Node, NodeTable
from graphmem.model.code import CallSite, CodeEdge, FileRecord, Symbol
from graphmem.projections import names


def diff_builds(project: str, delta: Delta, standing: Iterable[CodeEdge] | None, at: int, *, tree: str = "") -> Changes:
    """Return the changes of a build. `standing` are the current edges of every affected file (None: only the added ones):
    the graph has one relation of a type between two symbols, the most certain. `at` is the time of new items
    (microseconds); `tree` distinguishes further trees of a project."""
    changes, space = Changes(), names.tree_space(project, tree)
    ids = _Ids(space)
    changes.removed_nodes += [("Symbol", ids[key]) for key in delta.symbols_removed]
    changes.removed_items += [ids[key] for key in delta.symbols_removed if not key.startswith("ext:")]
    changes.removed_nodes += [("CallSite", names.call_site_id(space, site)) for site in delta.call_sites_removed]
    changes.nodes.append(Node("Project", names.project_id(project), {"name": project}))
    changes.extend(files_gone(project, [names.file_id(space, path) for path in delta.files_removed]))
    _files(changes, project, space, delta.files_added)
    _symbols(changes, project, space, (*delta.symbols_added, *delta.symbols_changed), ids)
    _items(changes, project, (*delta.symbols_added, *delta.symbols_changed), ids, at)
    now = group_edges(delta.edges_added if standing is None else standing)
    if standing is not None:
        concerned = {edge[:3] for edge in (*delta.edges_removed, *delta.edges_added)}
        now = {key: edge for key, edge in now.items() if key in concerned}
        for kind, source, target in sorted(concerned - now.keys()):
            changes.removed_edges.append(EdgeKey(kind, "Symbol", ids[source], "Symbol", ids[target]))
    _edges(changes, now.values(), ids)
    _sites(changes, project, space, delta.call_sites_added, ids)
    return changes


def files_gone(project: str, files: Iterable[str]) -> Changes:
    """Return the changes that make files, by id, as if never indexed: other nodes may still refer to them."""
    unknown = dict.fromkeys(("language", "size", "lines", "digest", "present", "skipped"))
    changes = Changes()
    for file in files:
        changes.nodes.append(Node("File", file, dict(unknown)))
        changes.removed_edges.append(EdgeKey("PART_OF", "File", file, "Project", names.project_id(project)))
    return changes


class _Ids(dict[str, str]):
    """Ids of symbols by key, each computed once."""

    def __init__(self, space: str) -> None:
        self._space = space

    def __missing__(self, key: str) -> str:
        made = self[key] = names.symbol_id(self._space, key)
        return made


def group_edges(edges: Iterable[CodeEdge]) -> dict[tuple[str, str, str], CodeEdge]:
    """Return one relation per type and pair of symbols: the most certain, then the first."""
    best: dict[tuple[str, str, str], CodeEdge] = {}
    for edge in edges:
        key = (edge.type, edge.source, edge.target)
        known = best.get(key)
        if known is None or (-edge.confidence, edge.line, edge.strategy) < (
            -known.confidence,
            known.line,
            known.strategy,
        ):
            best[key] = edge
    return best


def _files(changes: Changes, project: str, space: str, files: Sequence[FileRecord]) -> None:
    if not files:
        return
    ids = [names.file_id(space, file.path) for file in files]
    path, language, digest, size, lines, skipped = zip(*files, strict=True)
    columns = {"id": ids, "path": path, "project": [project] * len(ids), "language": language, "size": size,
               "lines": lines, "digest": digest, "present": [True] * len(ids), "skipped": skipped}  # fmt: skip
    changes.node_tables.append(NodeTable("File", columns))
    ends = {"source": ids, "target": [names.project_id(project)] * len(ids)}
    changes.edge_tables.append(EdgeTable("PART_OF", "File", "Project", ends))


def _symbols(changes: Changes, project: str, space: str, symbols: Sequence[Symbol], ids: _Ids) -> None:
    if not symbols:
        return
    columns = dict(zip(Symbol._fields, zip(*symbols, strict=True), strict=True))
    del columns["words"]  # for the full text alone
    nodes: dict[str, Sequence[Any]] = {"id": [ids[key] for key in columns.pop("key")], **columns}
    nodes["project"] = ["" if outside else project for outside in columns["external"]]
    changes.node_tables.append(NodeTable("Symbol", nodes))
    modules = [symbol for symbol in symbols if symbol.kind == "module" and not symbol.external]
    if modules:
        ends = {
            "source": [names.file_id(space, module.file) for module in modules],
            "target": [ids[m.key] for m in modules],
        }
        changes.edge_tables.append(EdgeTable("DEFINES", "File", "Symbol", ends | {"line": [1] * len(modules)}))


def _items(changes: Changes, project: str, symbols: Iterable[Symbol], ids: _Ids, at: int) -> None:
    for symbol in symbols:
        if bodies.is_searchable(symbol):
            text = f"{symbol.signature}\n{symbol.doc}".strip() or f"{symbol.kind} {symbol.name} in {symbol.file}"
            place = f"{symbol.file}:{symbol.line}"
            fields = (ids[symbol.key], "symbol", symbol.qualified_name, text, at, place, "", project, symbol.kind, "")
            changes.items.append(Item(*fields, symbol.line, body=symbol.words))


def _edges(changes: Changes, edges: Iterable[CodeEdge], ids: _Ids) -> None:
    kinds: dict[str, list[CodeEdge]] = {}
    for edge in edges:
        kinds.setdefault(edge[0], []).append(edge)
    for kind, rows in kinds.items():
        _, sources, targets, line, strategy, confidence = zip(*rows, strict=True)
        columns = {"source": [ids[key] for key in sources], "target": [ids[key] for key in targets],
                   "line": line, "strategy": strategy, "confidence": confidence}  # fmt: skip
        changes.edge_tables.append(EdgeTable(kind, "Symbol", "Symbol", columns))


def _sites(changes: Changes, project: str, space: str, sites: Sequence[CallSite], ids: _Ids) -> None:
    sites = list(dict.fromkeys(sites))
    if not sites:
        return
    nodes = [names.call_site_id(space, site) for site in sites]
    scope, file, line, column, name, text, reason = zip(*sites, strict=True)
    columns = {"id": nodes, "project": [project] * len(nodes), "file": file, "line": line, "col": column, "name": name,
               "text": privacy.redact_each(text), "reason": reason}  # fmt: skip
    changes.node_tables.append(NodeTable("CallSite", columns))
    ends = {"source": nodes, "target": [ids[key] for key in scope]}
    changes.edge_tables.append(EdgeTable("PART_OF", "CallSite", "Symbol", ends))
