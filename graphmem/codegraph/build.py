"""Builds the code graph of a tree and updates it: parses changed files, links what an edit affects, and returns the
difference. Builds of equal trees are equal, independent of their history."""

from __future__ import annotations

import gc
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache as once
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from graphmem.codegraph import cache as facts_cache
from graphmem.codegraph import frontends, worker
from graphmem.codegraph.links import link_together
from graphmem.codegraph.links import link_tree as link_files
from graphmem.codegraph.protocols import relate_protocols
from graphmem.codegraph.records import FileFacts, FileLinks, Linked
from graphmem.codegraph.scan import Source, look_at_file, scan_tree
from graphmem.codegraph.scip.overlay import CompiledFiles, lay_over, nothing_compiled
from graphmem.makeway import make_way
from graphmem.model.code import CallSite, CodeEdge, CodeGraph, FileRecord, Symbol

_IN_PROCESS = 200  # files; for fewer, starting a worker costs more than it saves
Progress = Callable[[int, int], None]


class Delta(NamedTuple):
    """What a build changed. A symbol in `symbols_changed` keeps its key and relations; removed symbols are only keys.
    Edges and call sites are complete."""

    files_removed: tuple[str, ...] = ()
    files_added: tuple[FileRecord, ...] = ()  # new ones and new versions
    symbols_removed: tuple[str, ...] = ()
    symbols_added: tuple[Symbol, ...] = ()
    symbols_changed: tuple[Symbol, ...] = ()
    edges_removed: tuple[CodeEdge, ...] = ()
    edges_added: tuple[CodeEdge, ...] = ()
    call_sites_removed: tuple[CallSite, ...] = ()
    call_sites_added: tuple[CallSite, ...] = ()


@dataclass(frozen=True)
class Index:
    """The state of a tree: everything needed to update it. Treat it as immutable."""

    root: str
    sources: dict[str, Source] = field(default_factory=dict)
    records: dict[str, FileRecord] = field(default_factory=dict)
    facts: dict[str, FileFacts] = field(default_factory=dict)
    links: dict[str, FileLinks] = field(default_factory=dict)
    externals: Counter[str] = field(default_factory=Counter)
    flow: bool = True
    shallow: frozenset[str] = frozenset()  # files changed since the last value flow
    delta: Delta = field(default_factory=Delta)
    parsed: int = 0
    linked: int = 0
    unfinished: int = 0  # functions with incomplete value flow

    @cached_property
    def graph(self) -> CodeGraph:
        """Return everything, sorted. Computed on first use: after a small edit the delta is sufficient."""
        symbols = [s for f in self.facts.values() for s in f.symbols]
        symbols += [external_symbols(key) for key in self.externals]
        return CodeGraph(
            tuple(self.records[p] for p in sorted(self.records)),
            tuple(sorted(symbols)),
            tuple(sorted(e for part in self.links.values() for e in part.edges)),
            tuple(sorted(s for part in self.links.values() for s in part.call_sites)),
        )

    def relations(self) -> Delta:
        """Return the difference from the bare definitions to this state."""
        return Delta(
            symbols_added=tuple(map(external_symbols, sorted(self.externals))),
            edges_added=tuple(e for p in sorted(self.links) for e in self.links[p].edges),
            call_sites_added=tuple(s for p in sorted(self.links) for s in self.links[p].call_sites),
        )

    @property
    def skipped(self) -> Counter[str]:
        """Return the number of skipped files, by reason."""
        return Counter(r.skipped for r in self.records.values() if r.skipped and r.path not in self.facts)

    @property
    def partial(self) -> Counter[str]:
        """Return the number of partly read files, by reason; and of functions whose value flow took too long."""
        found = Counter(r.skipped for r in self.records.values() if r.skipped and r.path in self.facts)
        if self.unfinished:
            found["functions with incomplete value flow"] = self.unfinished
        return found


class Reading(NamedTuple):
    """A tree that was parsed but not linked yet."""

    root: str
    before: Index
    sources: dict[str, Source]
    records: dict[str, FileRecord]
    facts: dict[str, FileFacts]
    changed: frozenset[str]  # new, edited and deleted files with facts
    parsed: int
    clean: frozenset[str] = frozenset()  # SHA-256 of contents without secrets
    helper: worker.Helper | None = None  # a process that parsed a part, and can link a part


def build(
    root: str | Path, *, previous: Index | None = None, flow: bool = True, alone: bool = False, progress: Progress | None = None,
    cache: MutableMapping[str, bytes] | None = None, only: Iterable[str] | None = None, compiled: CompiledFiles = nothing_compiled,
) -> Index:  # fmt: skip
    """Build or update the index of a tree.

    `previous` is the last index of the same tree: files with the same size and time are not read, files with the same
    content not parsed again. `flow` follows values through the whole program, which links all Python files again after
    every edit (and only those). Without it the build is fast: only what an edit affects is linked, by names, imports and
    types, and other files keep their links; a later build with `flow` completes it. `only` lists the paths that may have
    changed (from a watcher), so that all others are skipped. `cache` keeps facts between processes. `alone`: without a
    worker process. `progress(done, all)` counts files. `compiled` is what compilers said about files. Never raises for a
    malformed file.
    """
    with no_collection():
        reading = read_files(root, previous, alone=alone, progress=progress, cache=cache, only=only)
        return link(reading, flow=flow, compiled=compiled)


@contextmanager
def freed_program() -> Iterator[None]:
    """Free the program that is executed inside for value flow: it is full of cycles, and so little is allocated outside of
    `build` that they would not be collected. Older objects are not looked at, which saves three quarters of the time."""
    was = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.collect()
        gc.unfreeze()
        if was:
            gc.enable()


def read_files(
    root: str | Path, previous: Index | None = None, *, alone: bool = False, progress: Progress | None = None,
    cache: MutableMapping[str, bytes] | None = None, only: Iterable[str] | None = None,
) -> Reading:  # fmt: skip
    """First half of `build`: parse what changed."""
    base = Path(root)
    before = previous if previous is not None else Index(str(base), flow=False)
    sources = _sources(base, before, only)
    todo = [s for p, s in sources.items() if before.sources.get(p) != s]
    gone = before.records.keys() - sources.keys()
    records = {p: r for p, r in before.records.items() if p not in gone}
    facts = {p: f for p, f in before.facts.items() if p not in gone}
    changed = {p for p in gone if p in before.facts}
    clean = set()
    parsed = 0
    helpers: list[worker.Helper] = []  # one, or none
    for source, result in _read(base, todo, alone, progress, cache, helpers):
        if result.clean:
            clean.add(result.sha256)
        records[source.path] = _record(source, result)
        old = before.facts.get(source.path)
        if result.facts is not None and old is not None and _same(before, source, result):
            continue
        parsed += 1
        facts.pop(source.path, None)
        if result.facts is not None:
            facts[source.path] = result.facts
        if result.facts is not None or old is not None:
            changed.add(source.path)
    records = {p: records[p] for p in sorted(records)}  # independent of the order in which two processes read them
    facts = {p: facts[p] for p in sorted(facts)}
    helper = helpers[0] if helpers else None
    return Reading(str(base), before, sources, records, facts, frozenset(changed), parsed, frozenset(clean), helper)


def link(
    reading: Reading,
    *,
    flow: bool = True,
    meanwhile: Callable[[], object] = lambda: None,
    compiled: CompiledFiles = nothing_compiled,
) -> Index:
    """Second half of `build`: relations between all files, and the difference. `meanwhile` runs while a worker process
    links, if there is one. `compiled` is laid over the links."""
    meanwhile = once(meanwhile)
    links, relinked, unfinished = _link(reading, flow, meanwhile, compiled)
    meanwhile()
    if reading.helper is not None:
        reading.helper.close()
    return replace(_finished(reading, links, relinked, flow), unfinished=unfinished)


def definition_rows(found: Reading | Index) -> Delta:
    """Return the difference from nothing to the files and their definitions."""
    records, facts = found.records, found.facts
    return Delta(
        files_added=tuple(records[p] for p in sorted(records)),
        symbols_added=tuple(s for p in sorted(facts) for s in facts[p].symbols),
    )


def external_symbols(key: str) -> Symbol:
    """Return the symbol of an external name. It depends on the name only, not on who mentioned it first."""
    name = key.removeprefix("ext:")
    last = name.rpartition(".")[2]
    return Symbol(key, name, last, "class" if last[:1].isupper() else "function", "", 0, 0, external=True)


def _sources(base: Path, before: Index, only: Iterable[str] | None) -> dict[str, Source]:
    if only is None or not before.sources:
        return {s.path: s for s in scan_tree(base)}
    sources = dict(before.sources)
    for path in only:
        found = look_at_file(base, path)
        sources.pop(path, None)
        if found is not None:
            sources[found.path] = found
    return sources


def _read(
    base: Path,
    todo: list[Source],
    alone: bool,
    progress: Progress | None,
    cache: MutableMapping[str, bytes] | None,
    helpers: list[worker.Helper],
) -> Iterator[tuple[Source, worker.Parsed]]:
    """Read what changed: skipped files, then cached ones, then the rest, shared with `helpers`, which are started for
    large amounts."""
    by_path = {s.path: s for s in todo}
    jobs: list[tuple[str, str]] = []
    done = 0
    for source in todo:
        known = _known(str(base), source, cache)
        if known is None:
            jobs.append((source.path, source.language))
            continue
        yield source, known
        done += 1
    for result in _parsed(str(base), jobs, by_path, alone, helpers):
        make_way()
        if cache is not None and result.facts is not None:
            cache[facts_cache.key(result.path, result.sha256)] = facts_cache.dump(result.facts)
        yield by_path[result.path], result
        done += 1
        if progress is not None:
            progress(done, len(todo))


def _known(base: str, source: Source, cache: MutableMapping[str, bytes] | None) -> worker.Parsed | None:
    """Return what is known about a file without parsing it."""
    if source.skipped:
        return worker.Parsed(source.path, "", source.size, 0, source.skipped, None)
    if cache is None:
        return None
    content = worker.read(base, source.path)
    if content is None:
        return worker.Parsed(source.path, "", 0, 0, "unreadable", None)
    data = cache.get(facts_cache.key(source.path, hashlib.sha256(content).hexdigest()))
    facts = facts_cache.load(data) if data else None
    return worker.described(source.path, content, facts) if facts is not None else None


def _parsed(
    base: str, jobs: list[tuple[str, str]], by_path: dict[str, Source], alone: bool, helpers: list[worker.Helper]
) -> Iterator[worker.Parsed]:
    """Parse all jobs; for many, a worker starts at the front until both meet."""
    if alone or len(jobs) < _IN_PROCESS:
        for path, language in jobs:
            yield worker.parse_file(base, path, language)
        return
    jobs = _large_first_and_last(jobs, by_path)
    helper = worker.Helper(base, jobs)
    helpers.append(helper)
    done = set()
    for path, language in helper.left(jobs):
        done.add(path)
        yield worker.parse_file(base, path, language)
    for parsed in helper.parsed():
        if parsed.path not in done:
            done.add(parsed.path)
            yield parsed
    for path, language in jobs:
        if path not in done:  # it died
            yield worker.parse_file(base, path, language)


def _large_first_and_last(jobs: list[tuple[str, str]], by_path: dict[str, Source]) -> list[tuple[str, str]]:
    """Return an order in which two workers that start at both ends meet at small files, so both finish at the same time. Files
    of languages other than the main one are at the start, if they are less than a third: so only one of the workers has to
    compile their queries, which takes 0.1 s for each language."""
    ordered = sorted(jobs, key=lambda job: (-by_path[job[0]].size, job))
    sizes = Counter[str]()
    for path, language in jobs:
        sizes[language] += by_path[path].size
    ((main, most),) = sizes.most_common(1)
    others = [job for job in ordered if job[1] != main] if most > 2 * (sizes.total() - most) else []
    rest = [job for job in ordered if job[1] == main] if others else ordered
    return [*others, *rest[::2], *rest[1::2][::-1]]


def _same(before: Index, source: Source, result: worker.Parsed) -> bool:
    """Return whether a modified file still has the content of its facts."""
    return (
        before.records[source.path].sha256 == result.sha256 and before.sources[source.path].language == source.language
    )


def _record(source: Source, result: worker.Parsed) -> FileRecord:
    language = result.facts.language if result.facts is not None else source.language  # a header is C or C++ by content
    return FileRecord(source.path, language, result.sha256, result.size, result.lines, result.skipped)


def _link(
    reading: Reading, flow: bool, meanwhile: Callable[[], object], compiled: CompiledFiles
) -> tuple[dict[str, FileLinks], set[str], int]:
    """Return the links of all files, which files were linked again, and the number of functions with incomplete value
    flow."""
    before, facts = reading.before, reading.facts
    links = {p: x for p, x in before.links.items() if p in facts}
    relinked: set[str] = set()
    unfinished = reading.before.unfinished if flow and reading.before.flow else 0
    groups: dict[str, dict[str, FileFacts]] = {}
    for path, known in facts.items():
        groups.setdefault(frontends.name_for(known.language), {})[path] = known
    was: dict[str, dict[str, FileFacts]] = {}
    for path, known in before.facts.items():
        was.setdefault(frontends.name_for(known.language), {})[path] = known
    for name in sorted(groups.keys() | was.keys()):
        now, old = groups.get(name, {}), was.get(name, {})
        concerned = {p for p in reading.changed if p in now or p in old}
        whole = frontends.flows_everywhere(name)
        follow = flow and whole
        deeper = follow and not before.flow  # the same facts, but without value flow
        if not now or not (concerned or deeper):
            continue
        front = frontends.load(name)
        only = None if follow or not old else _concerned(front, concerned, now, old)
        if reading.helper is not None and only is None and not follow:
            made = Linked(link_together(name, now, reading.helper, meanwhile))
        else:
            made = link_files(name, now, flow=flow or not whole, only=None if only is None else sorted(only))
        unfinished = made.unfinished if whole else unfinished
        relinked |= made.links.keys()
        links |= made.links
    if relinked:
        lay_over(links, facts, lambda path: reading.records[path].sha256, relinked, compiled)
    if reading.changed or relinked:
        relinked |= relate_protocols(facts, links)
    return links, relinked | _cut(reading, links, relinked), unfinished


def _cut(reading: Reading, links: dict[str, FileLinks], relinked: set[str]) -> set[str]:
    """Remove relations to deleted symbols from links that were not recomputed."""
    before, facts = reading.before, reading.facts
    gone = {s.key for p in reading.changed if p in before.facts for s in before.facts[p].symbols}
    gone -= {s.key for p in reading.changed if p in facts for s in facts[p].symbols}
    cut = set()
    for path, part in links.items() if gone else ():
        if path not in relinked and any(edge.target in gone for edge in part.edges):
            links[path] = part._replace(edges=tuple(edge for edge in part.edges if edge.target not in gone))
            cut.add(path)
    return cut


def _concerned(
    front: frontends.FrontEnd, changed: set[str], now: dict[str, FileFacts], old: dict[str, FileFacts]
) -> set[str] | None:
    """Return the files to link again; None for all."""
    found = front.affected(changed, now, old)
    found = (found | changed) & now.keys()
    return None if len(found) == len(now) else found


def _finished(reading: Reading, links: dict[str, FileLinks], relinked: set[str], flow: bool) -> Index:
    """Return the new index, with counts of external names and the difference."""
    before, facts = reading.before, reading.facts
    index = Index(
        reading.root, reading.sources, reading.records, facts, links, flow=flow, parsed=reading.parsed,
        shallow=frozenset() if flow else before.shallow | reading.changed, linked=len(relinked),
    )  # fmt: skip
    if not before.records:  # nothing to compare with
        outside = Counter(e.target for part in links.values() for e in part.edges if e.target.startswith("ext:"))
        index = replace(index, externals=outside)
        own, others = definition_rows(index), index.relations()
        return replace(
            index,
            delta=others._replace(files_added=own.files_added, symbols_added=own.symbols_added + others.symbols_added),
        )
    removed, added, old_sites, new_sites = _relinked(
        relinked | (before.links.keys() - links.keys()), before.links, links
    )
    externals = Counter(before.externals)
    externals.update(e.target for e in added if e.target.startswith("ext:"))
    externals.subtract(Counter(e.target for e in removed if e.target.startswith("ext:")))
    externals = Counter({k: n for k, n in externals.items() if n > 0})
    old = {s.key: s for p in reading.changed for s in (before.facts[p].symbols if p in before.facts else ())}
    new = {s.key: s for p in reading.changed for s in (facts[p].symbols if p in facts else ())}
    old |= {k: external_symbols(k) for k in before.externals.keys() - externals.keys()}
    new |= {k: external_symbols(k) for k in externals.keys() - before.externals.keys()}
    delta = Delta(
        tuple(sorted(before.records.keys() - reading.records.keys())),
        tuple(reading.records[p] for p in sorted(reading.records) if before.records.get(p) != reading.records[p]),
        tuple(sorted(old.keys() - new.keys())),
        tuple(new[k] for k in sorted(new.keys() - old.keys())),
        tuple(new[k] for k in sorted(new.keys() & old.keys()) if new[k] != old[k]),
        tuple(sorted(removed)), tuple(sorted(added)),
        tuple(sorted(old_sites)), tuple(sorted(new_sites)),
    )  # fmt: skip
    return replace(index, externals=externals, delta=delta)


def _relinked(
    paths: Iterable[str], before: dict[str, FileLinks], now: dict[str, FileLinks]
) -> tuple[set[CodeEdge], set[CodeEdge], set[CallSite], set[CallSite]]:
    """Return the removed and new relations and call sites of these files."""
    nothing = FileLinks()
    edges: tuple[set[CodeEdge], set[CodeEdge]] = set(), set()
    sites: tuple[set[CallSite], set[CallSite]] = set(), set()
    for path in paths:
        was, new = before.get(path, nothing), now.get(path, nothing)
        if was.edges != new.edges:
            edges[0].update(set(was.edges).difference(new.edges))
            edges[1].update(set(new.edges).difference(was.edges))
        if was.call_sites != new.call_sites:
            sites[0].update(set(was.call_sites).difference(new.call_sites))
            sites[1].update(set(new.call_sites).difference(was.call_sites))
    return *edges, *sites


@contextmanager
def no_collection() -> Iterator[None]:
    """Disable garbage collection: building creates millions of permanent records, and collecting would take a third of
    the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.freeze()  # all new objects count as old and are not scanned immediately
            gc.unfreeze()
            gc.enable()
