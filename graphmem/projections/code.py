"""The code graph in the property graph: files, symbols, their relations and the calls that stayed unresolved. Given what a
build changed it makes only the difference; signatures and docstrings come without secrets already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graphmem import privacy
from graphmem.codegraph.build import Delta
from graphmem.model.changes import Changes, Edge, EdgeKey, Item, Node
from graphmem.model.code import CallSite, CodeEdge, FileRecord, Symbol
from graphmem.projections import names

_ITEM_KINDS = frozenset(
    {"module", "class", "interface", "struct", "trait", "enum", "type", "function", "method", "macro"}
)


def difference(project: str, delta: Delta, standing: Iterable[CodeEdge], at: int, *, tree: str = "") -> Changes:
    """The changes that a build makes. `standing` are the edges of every file that the delta concerns, as they are now:
    the graph holds one relation of a type between two symbols, the surest. `at` dates new items (microseconds); `tree`
    tells the further trees of a project apart."""
    changes, space = Changes(), names.space(project, tree)
    changes.removed_nodes += [("Symbol", names.symbol(space, key)) for key in delta.symbols_removed]
    changes.removed_items += [names.symbol(space, key) for key in delta.symbols_removed if not key.startswith("ext:")]
    changes.removed_nodes += [("CallSite", names.site(space, site)) for site in delta.call_sites_removed]
    changes.nodes.append(Node("Project", names.project(project), {"name": project}))
    for path in delta.files_removed:
        changes.nodes.append(
            Node("File", names.file(space, path), {"path": path, "project": project, "present": False})
        )
    _files(changes, project, space, delta.files_added)
    _symbols(changes, project, space, (*delta.symbols_added, *delta.symbols_changed), at)
    concerned = {edge[:3] for edge in (*delta.edges_removed, *delta.edges_added)}
    now = {key: edge for key, edge in grouped(standing).items() if key in concerned}
    for kind, source, target in sorted(concerned - now.keys()):
        ends = ("Symbol", names.symbol(space, source), "Symbol", names.symbol(space, target))
        changes.removed_edges.append(EdgeKey(kind, *ends))
    _edges(changes, space, now.values())
    _sites(changes, project, space, delta.call_sites_added)
    return changes


def grouped(edges: Iterable[CodeEdge]) -> dict[tuple[str, str, str], CodeEdge]:
    """The graph holds one relation of a type between two symbols: the surest, then the first."""
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


def _files(changes: Changes, project: str, space: str, files: Iterable[FileRecord]) -> None:
    for file in files:
        node = names.file(space, file.path)
        properties = {"path": file.path, "project": project, "language": file.language, "size": file.size,
                      "lines": file.lines, "digest": file.sha256, "present": True, "skipped": file.skipped}  # fmt: skip
        changes.nodes.append(Node("File", node, properties))
        changes.edges.append(Edge("PART_OF", "File", node, "Project", names.project(project), {}))


def _symbols(changes: Changes, project: str, space: str, symbols: Iterable[Symbol], at: int) -> None:
    for symbol in symbols:
        node = names.symbol(space, symbol.key)
        properties = symbol._asdict()
        del properties["key"]
        properties["decorators"] = list(symbol.decorators)
        properties["project"] = "" if symbol.external else project
        changes.nodes.append(Node("Symbol", node, properties))
        if symbol.external:
            continue
        if symbol.kind == "module":
            changes.edges.append(Edge("DEFINES", "File", names.file(space, symbol.file), "Symbol", node, {"line": 1}))
        if symbol.kind in _ITEM_KINDS:
            text = f"{properties['signature']}\n{properties['doc']}".strip()
            place = f"{symbol.file}:{symbol.line}"
            changes.items.append(
                Item(
                    node,
                    "symbol",
                    symbol.qualified_name,
                    text,
                    at,
                    place,
                    "",
                    project,
                    symbol.kind,
                    "",
                    symbol.line,
                    embed=False,
                )
            )


def _edges(changes: Changes, space: str, edges: Iterable[CodeEdge]) -> None:
    for edge in edges:
        properties = {"line": edge.line, "strategy": edge.strategy, "confidence": edge.confidence}
        source, target = names.symbol(space, edge.source), names.symbol(space, edge.target)
        changes.edges.append(Edge(edge.type, "Symbol", source, "Symbol", target, properties))


def _sites(changes: Changes, project: str, space: str, sites: Sequence[CallSite]) -> None:
    for site, text in zip(sites, privacy.redact_each([site.text for site in sites]), strict=True):
        node = names.site(space, site)
        properties = {"project": project, "file": site.file, "line": site.line, "col": site.column, "name": site.name,
                      "text": text, "reason": site.reason}  # fmt: skip
        changes.nodes.append(Node("CallSite", node, properties))
        changes.edges.append(Edge("PART_OF", "CallSite", node, "Symbol", names.symbol(space, site.scope), {}))
