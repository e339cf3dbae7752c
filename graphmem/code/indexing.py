"""Indexes a tree: builds its code graph, records the state of the tree as an event, and updates the projections.
`index_code` first resolves names, imports and types, so that queries work at once; `follow_values` then adds
whole-program value flow."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache as once
from itertools import chain
from operator import attrgetter
from pathlib import Path

from graphmem import resources
from graphmem.code import index_store, todo_notes, tree_states
from graphmem.code.compiled_calls import compiled_of, import_scip
from graphmem.code.presence import CURSOR
from graphmem.code.symbol_changes import BLAMED, last_commit_position, symbol_change_edges
from graphmem.codegraph.build import (
    Delta,
    Index,
    Reading,
    build,
    definition_rows,
    freed_program,
    link,
    no_collection,
    read_files,
)
from graphmem.codegraph.records import FileLinks
from graphmem.codegraph.scan import Source, look_at_file
from graphmem.codegraph.scip.overlay import is_compiled
from graphmem.context import StoreContext
from graphmem.errors import NotFound
from graphmem.foreignfiles import read_file
from graphmem.gitprocess import run as git
from graphmem.log.stages import TO_PARSE
from graphmem.model.changes import Changes
from graphmem.model.code import FileRecord
from graphmem.model.events import Event
from graphmem.model.sources import IndexReport
from graphmem.ports.graph import GraphStore
from graphmem.ports.text import TextIndex
from graphmem.projections import names
from graphmem.projections.batch import compact_batches
from graphmem.projections.code import diff_builds, files_gone

Progress = Callable[[str, int], None]
_PRUNE = "prune_externals"
_OUTSIDE, _PRESENT = "queries/graph/read/code_from_outside.cypher", "queries/graph/read/code_files_present.cypher"
_CODE, _FLOW = (
    CURSOR,
    "flow:",
)  # prefixes of cursors for a root: the projected state, and the last state with value flow


def index_code(
    context: StoreContext, root: Path, progress: Progress, only: list[str] | None = None, scip: Path | None = None
) -> IndexReport:
    """Index the tree under `root`; `only` lists the files that may have changed; `scip` is a compiler's index to lay over it.
    Raises NotFound if `root` is not a folder, SourceError if `scip` is no index of this tree."""
    started = time.perf_counter()
    if not root.is_dir():
        raise NotFound(f"{root} is not a folder", path=str(root))
    with no_collection():
        index, unused = _indexed(context, root, progress, only), dict[str, int]()
        if scip is not None:
            unused = import_scip(context, root, index, scip)
            index = _linked_again(context, root, index)
    report = _report(index, time.perf_counter() - started)
    return replace(report, unused=unused) if unused else report


def _linked_again(context: StoreContext, root: Path, index: Index) -> Index:
    """Link all files of an index with what compilers said about them, and record the state: other processes know by it that
    the calls have changed."""
    paths = frozenset(index.facts)
    reading = Reading(str(root), index, index.sources, index.records, index.facts, paths, 0)
    made = link(reading, flow=False, compiled=compiled_of(context, str(root)))
    last = tree_states.state_at(context, index_store.load_index(context, root)[1])
    kept = {path for path, _ in last.payload["blobs"]} if last is not None else set[str]()
    event = tree_states.record_state(context, root, tree_states.head_commit(root), (), last, kept, _skipped(index))
    _put(context, root, made, event, whole=False)
    return replace(made, parsed=index.parsed)


def _indexed(context: StoreContext, root: Path, progress: Progress, only: list[str] | None) -> Index:
    before, position = index_store.load_index(context, root)
    if before is not None and _standing(context, root) != (position, before.flow):
        before = None  # the projections do not match the saved state: rebuild them completely
    seen = [0]

    def count(done: int, total: int) -> None:
        if not seen[0]:
            progress(TO_PARSE, total)
        progress("parsing", done - seen[0])
        seen[0] = done

    reading = read_files(root, before, progress=count, only=only if before is not None else None)
    head, last = tree_states.head_commit(root), tree_states.state_at(context, position if before is not None else 0)
    moved = last is None or last.payload["head"] != head  # then the commit may have other contents
    changed = reading.facts.keys() & (reading.facts if moved else reading.changed)
    contents = tree_states.FileContents(root, changed if before is None or reading.changed else (), reading.clean)

    @once
    def recorded() -> Event:
        return tree_states.record_state(
            context, root, head, contents, last, reading.facts.keys() - changed, _skipped(reading)
        )

    compiled = compiled_of(context, str(root))
    if before is None:
        index = link(reading, flow=False, meanwhile=recorded, compiled=compiled)
        index_store.save_index(context, root, index, recorded().position)
        progress("linked", 0)  # calls can be asked about from here on
        _put_definitions(context, root, reading, recorded())
        _put(context, root, index, recorded(), whole=True)
        return index
    index = link(reading, flow=False, compiled=compiled)
    if index.delta == Delta():
        return replace(index, flow=before.flow, shallow=before.shallow)
    _put(context, root, index, recorded(), whole=False)
    return index


def follow_values(context: StoreContext, progress: Progress) -> tuple[IndexReport, ...]:
    """Second tier: follow values through every tree that has changed since its value flow was computed; find commits that
    changed the symbols of edited files, and update TODO notes."""
    reports = []
    behind = context.graph.cursors().get(BLAMED, 0) != last_commit_position(context)
    for root, event in tree_states.latest_states(context).items() if behind or _shallow(context) else ():
        base, started = Path(root), time.perf_counter()
        index, _ = index_store.load_index(context, base)
        if index is None or _standing(context, base) != (event.position, index.flow):
            continue
        if not index.flow:
            with freed_program():
                whole = build(root, previous=index, only=(), compiled=compiled_of(context, root))
                _put(context, base, whole, event, whole=False, touched=() if behind else index.shallow)
            reports.append(_report(whole, time.perf_counter() - started))
            edited = sorted(index.shallow)
            todo_notes.close_removed(
                context, base, [p for p in edited if p in whole.facts], set(edited) - whole.records.keys()
            )
            progress("following values", len(whole.records))
        if behind and not event.payload.get("tree"):
            with no_collection():
                context.graph.apply(symbol_change_edges(context, index), {BLAMED: last_commit_position(context)})
    return tuple(reports)


def restore_code(context: StoreContext, progress: Progress) -> None:
    """Restore code graphs that the projections lack or have in an earlier state (after a rebuild or a killed process),
    from the saved state, or from git and the log."""
    if (
        _standing_code(context.graph)
        == _standing_code(context.text)
        == context.log.state.last_position(tree_states.TYPE)
    ):
        return
    states = tree_states.latest_states(context)
    known, held = {_cursor(Path(root)) for root in states}, {event.payload.get("tree", "") for event in states.values()}
    for name in {name for place in (context.graph, context.text) for name in place.cursors() if name.startswith(_CODE)}:
        if name not in known:  # it was forgotten
            gone = Changes()
            for tree in {"", tree_states.short_root_digest(name.removeprefix(_CODE))} - held:
                gone.extend(_removal(context, tree))
            context.text.apply(gone.removed_items, (), (), {name: 0})
            context.graph.apply(gone, {name: 0})
            context.graph.refine((_PRUNE,))
    for root, event in states.items():
        if _standing(context, Path(root))[0] == event.position:
            continue
        with freed_program():
            index, position = index_store.load_index(context, Path(root))
            if index is None or position != event.position:
                index = _rebuilt(context, event)
            _put_definitions(context, Path(root), index, event)
            _put(context, Path(root), index, event, whole=True)
        progress("restoring code", len(index.records))


def _standing_code(projection: GraphStore | TextIndex) -> int:
    """Return the last indexing event that a projection contains; 0 if none."""
    return max((at for name, at in projection.cursors().items() if name.startswith(_CODE)), default=0)


def _shallow(context: StoreContext) -> bool:
    """Return whether any tree changed since its value flow was computed."""
    cursors = context.graph.cursors()
    return any(at and cursors.get(_deep(name)) != at for name, at in cursors.items() if name.startswith(_CODE))


def _cursor(root: Path) -> str:
    return _CODE + tree_states.root_digest(root)


def _deep(cursor: str) -> str:
    return _FLOW + cursor.removeprefix(_CODE)


def _standing(context: StoreContext, root: Path) -> tuple[int, bool]:
    """Return the event whose state both projections contain (0 if they differ), and whether value flow is complete."""
    name, cursors = _cursor(root), context.graph.cursors()
    at = cursors.get(name, 0)
    return (at if at == context.text.cursors().get(name, 0) else 0), at > 0 and cursors.get(_deep(name)) == at


def _rebuilt(context: StoreContext, event: Event) -> Index:
    """Return the index of a recorded state."""
    with tempfile.TemporaryDirectory(prefix="graphmem-") as folder:
        tree_states.restore_files(context, event, Path(folder))
        git(Path(folder), "init", "-q")
        index = build(folder, compiled=compiled_of(context, event.payload["root"]))
    root = Path(event.payload["root"])
    there = (
        (path, look_at_file(root, path)) for path, record in index.records.items() if _holds(root / path, record.sha256)
    )
    index.sources.update((path, found) for path, found in there if found is not None)
    for one in tree_states.skipped_files(event):
        if one.path not in index.records:
            index.records[one.path] = one
            index.sources[one.path] = Source(one.path, one.language, one.size, skipped=one.skipped)
    return replace(index, root=str(root))


def _skipped(index: Index | Reading) -> list[FileRecord]:
    """Return the files that were not parsed."""
    return [record for path, record in index.records.items() if path not in index.facts]


def _holds(file: Path, sha256: str) -> bool:
    """Return whether a file on disk has these contents; then a changed time is no reason to read it again."""
    try:
        return hashlib.sha256(read_file(file)).hexdigest() == sha256
    except OSError:
        return False


def _put_definitions(context: StoreContext, root: Path, found: Reading | Index, event: Event) -> None:
    """Write files and symbols to graph and text index, replacing everything of this root. The event counts as projected
    only when the relations are written, too."""
    name, tree = _cursor(root), str(event.payload.get("tree", ""))
    shown = any(place.cursors().get(name) for place in (context.graph, context.text))
    changes = _removal(context, tree) if shown else Changes()
    changes.extend(
        diff_builds(
            context.project, definition_rows(found), None, context.log.state.first_time_us(tree_states.TYPE), tree=tree
        )
    )
    if shown:
        changes.extend(files_gone(context.project, _gone(context, tree, found.records)))
    changes = compact_batches([changes])
    context.text.apply(changes.removed_items, changes.items, changes.links, {name: event.position})
    context.graph.apply(changes, {name: 0})
    if shown and _is_shared(context):
        context.graph.refine((_PRUNE,))


def _put(
    context: StoreContext, root: Path, index: Index, event: Event, *, whole: bool, touched: Iterable[str] = ()
) -> None:
    """Save the index and write the difference to graph and text index (`whole`: all relations, after the definitions),
    each with its cursor in the same transaction, so that a lost part is redone. With value flow, also write which commits
    changed the symbols of `touched` files."""
    name, tree, changes = _cursor(root), str(event.payload.get("tree", "")), Changes()
    delta = index.relations() if whole else index.delta
    edges = None if whole else [edge for part in _concerned(index) for edge in part.edges]
    shared = _is_shared(context) and any(key.startswith("ext:") for key in delta.symbols_removed)
    if shared:  # other trees may refer to the same external name
        delta = delta._replace(symbols_removed=tuple(k for k in delta.symbols_removed if not k.startswith("ext:")))
    changes.extend(
        diff_builds(context.project, delta, edges, context.log.state.first_time_us(tree_states.TYPE), tree=tree)
    )
    cursors = {name: event.position}
    if index.flow and not tree:  # commits name files relative to their own root
        changes.extend(symbol_change_edges(context, index, None if whole else set(touched)))
        if whole:
            cursors[BLAMED] = last_commit_position(context)
    if index.flow:
        cursors[_deep(name)] = event.position
    changes = compact_batches([changes])
    with ThreadPoolExecutor(1) as pool:
        text = pool.submit(
            context.text.apply, changes.removed_items, changes.items, changes.links, {name: event.position}
        )
        kept = pool.submit(index_store.save_index, context, root, index, event.position)
        context.graph.apply(changes, cursors)
        text.result()
        kept.result()
    if shared:
        context.graph.refine((_PRUNE,))


def _concerned(index: Index) -> list[FileLinks]:
    """Return the links of files that contain an end of a changed edge."""
    delta = index.delta
    paths = {key.partition(":")[0] for edge in (*delta.edges_added, *delta.edges_removed) for key in edge[1:3]}
    return [index.links[path] for path in sorted(paths) if path in index.links]


def _removal(context: StoreContext, tree: str = "") -> Changes:
    """Return the removal of everything that the projections contain of a code graph of this project, separately for each:
    a killed process may have written only one of them."""
    query = resources.text("queries/graph/read/code_of_project.cypher")
    space = names.tree_space(context.project, tree)
    own = names.symbol_id(space, ""), f"site:{space}:"
    rows = [row for row in context.graph.query(query, {"project": context.project}).rows if str(row[0]).startswith(own)]
    outside = [] if _is_shared(context) else context.graph.query(resources.text(_OUTSIDE)).rows
    symbols = {str(row[0]): None for row in rows if row[1] == "Symbol"}
    symbols |= {item: None for item in context.text.sources(["symbol"]) if item.startswith(own)}
    removed = [(str(row[1]), str(row[0])) for row in (*rows, *outside)]
    return Changes(removed_nodes=removed, removed_items=list(symbols))


def _gone(context: StoreContext, tree: str, files: Container[str]) -> list[str]:
    """Return ids of files of a tree that the graph has, except those that exist."""
    own = names.file_id(names.tree_space(context.project, tree), "")
    found = (str(row[0]) for row in context.graph.query(resources.text(_PRESENT), {"project": context.project}).rows)
    return [one for one in found if one.startswith(own) and one.removeprefix(own) not in files]


def _is_shared(context: StoreContext) -> bool:
    """Return whether several trees were indexed: then external symbols do not belong to a single one."""
    return sum(name.startswith(_CODE) for name in context.graph.cursors()) > 1


def _report(index: Index, seconds: float) -> IndexReport:
    languages = Counter(facts.language for facts in index.facts.values())
    edges = chain.from_iterable(links.edges for links in index.links.values())
    return IndexReport(
        files=len(index.facts),
        lines=sum(facts.lines for facts in index.facts.values()),
        symbols=sum(len(facts.symbols) for facts in index.facts.values()),
        edges=sum(len(links.edges) for links in index.links.values()),
        call_sites=sum(len(links.call_sites) for links in index.links.values()),
        languages=dict(languages),
        skipped=dict(index.skipped),
        changed=index.parsed,
        seconds=seconds,
        calls=sum(map("CALLS".__eq__, map(attrgetter("type"), edges))),  # an edit is waiting for it
        certain=sum(map(is_compiled, chain.from_iterable(links.edges for links in index.links.values()))),
        followed=index.flow,
        partial=dict(index.partial),
    )
