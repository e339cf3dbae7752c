"""The public interface of retrieval: search, timeline and details. `run_search` lists the stages of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import zip_longest

from graphmem.errors import UsageError
from graphmem.model.kinds import KINDS
from graphmem.model.results import FLOOR, Detail, SearchResult, TimelineEntry
from graphmem.ports.embedder import Thesaurus
from graphmem.ports.text import ItemFilter, Stored
from graphmem.retrieve.analyse import analyse_query
from graphmem.retrieve.bilingual import join_rankings, translate_request
from graphmem.retrieve.calibrate import calibrate_hits, estimate_hits
from graphmem.retrieve.citations import last_change
from graphmem.retrieve.concepts import reword_query, translate_query
from graphmem.retrieve.contradictions import name_successor
from graphmem.retrieve.demote import demote_secondary
from graphmem.retrieve.diversify import demote_repetitions
from graphmem.retrieve.expand import add_entity_candidates
from graphmem.retrieve.families import interleave_families, split_by_family
from graphmem.retrieve.former_values import asks_for_former
from graphmem.retrieve.guard import Mark
from graphmem.retrieve.pack import pack_result
from graphmem.retrieve.ports import Ports, Reader
from graphmem.retrieve.present import format_item_citation, preview_item, to_datetime, to_microseconds
from graphmem.retrieve.priors import apply_priors
from graphmem.retrieve.rank import WEIGHTS, rank_candidates
from graphmem.retrieve.records import Analysis, Family, Merged, Request
from graphmem.retrieve.rerank import rerank_hits
from graphmem.retrieve.seed import query_channels
from graphmem.retrieve.succession import put_successors_first
from graphmem.text.tokens import count_tokens

_MAX_K = 1_000  # hits of one search
_SCOPES = ("session", "project", "global")


def run_search(ports: Ports, request: Request) -> SearchResult:
    """Return the result of a search: each stage takes values of earlier ones and returns its own."""
    reader = Reader(ports)
    analysis = analyse_query(ports, request)
    families = [rank_family(reader, part, analysis) for part in split_by_family(ports, request, analysis)]
    translated = [_rank_translated(reader, one) for one in families]
    merged = merge_families(reader, request, analysis, families, translated)
    reranked, reranker_failed = rerank_hits(reader, request, merged.ranked)
    calibrated, verdict = calibrate_hits(reader, request, analysis, replace(merged, ranked=reranked))
    ordered = apply_priors(ports, request, put_successors_first(reader, request, calibrated))
    failures = {name: reason for one in families for name, reason in one.failures.items()}
    packed = pack_result(reader, request, ordered)
    return replace(
        packed,
        confidence=verdict.confidence,
        probability=round(verdict.probability, 4),
        degraded={**analysis.failures, **failures, **reranker_failed, **packed.degraded, **verdict.unknown},
    )


def rank_family(reader: Reader, request: Request, analysis: Analysis) -> Family:
    """Return the candidates of one family of kinds, best first."""
    request, analysis = reword_query(reader, request, analysis)
    analysis = translate_query(reader, request, analysis)
    found = query_channels(reader.ports, request, analysis)
    found = add_entity_candidates(reader, request, analysis, found)
    ranked = rank_candidates(reader, request, analysis, found)
    ranked = demote_repetitions(reader, request, ranked)
    ranked = demote_secondary(reader, request, ranked)
    return Family(request, analysis, ranked, found.failures)


def _rank_translated(reader: Reader, family: Family) -> Family | None:
    """Return the candidates of a family for the question in the other language, unless it is about code."""
    if family.analysis.about_code or (request := translate_request(reader, family.request)) is None:
        return None
    return rank_family(reader, request, analyse_query(reader.ports, request))


def merge_families(
    reader: Reader,
    request: Request,
    analysis: Analysis,
    families: Sequence[Family],
    translated: Sequence[Family | None] = (),
) -> Merged:
    """Return the candidates of all families with their probabilities, best first. `translated`: for each family, its candidates
    for the question in the other language."""
    estimated = []
    for one, other in zip_longest(families, translated[: len(families)]):
        ranked = estimate_hits(reader, one) if one.ranked else []
        if other is not None and other.ranked:
            ranked = join_rankings(ranked, estimate_hits(reader, other))
        estimated += [replace(one, ranked=ranked)] if ranked else []
    if [one.request for one in families] == [request]:
        return Merged(estimated[0].ranked if estimated else (), about_code=families[0].analysis.about_code)
    return interleave_families(reader, request, analysis.wanted, estimated)


class Retriever:
    """Searches one store. Benchmarks change the `weights` of signals to measure what each contributes."""

    def __init__(self, ports: Ports, weights: Mapping[str, float] | None = None) -> None:
        self._weights = {**WEIGHTS, **(weights or {})}
        if ports.thesaurus is None and isinstance(ports.embedder, Thesaurus):
            ports = replace(ports, thesaurus=ports.embedder)
        self.ports = ports

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        kinds: Sequence[str] | None = None,
        session: str | None = None,
        scope: str = "project",
        project: str | None = None,
        as_of: datetime | None = None,
        budget: int | None = None,
        archived: bool = False,
        outside: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        min_score: float = 0.0,
        waiting: bool = False,
    ) -> SearchResult:
        """Return the `k` best items for a query.

        `scope`: "session" searches `session`, "project" searches `project`, "global" everything. `as_of` excludes later
        items; a time without a zone is UTC. `since` and `until` limit the time (half-open). `outside` excludes the turns
        of that session. `min_score` excludes hits with a lower score. `archived` includes the archive, as `as_of` does;
        `waiting` includes what waits for approval. `budget` limits the tokens of `context`. Raises UsageError for an
        unknown scope."""
        if scope not in _SCOPES:
            raise UsageError(f"there is no scope `{scope}`: choose one of {', '.join(_SCOPES)}", scope=scope)
        where = ItemFilter(
            kinds=tuple(dict.fromkeys(kinds)) if kinds is not None else None,
            session=session,
            outside=outside,
            project=project if scope != "global" else None,
            since=to_microseconds(since) if since else None,
            until=min((to_microseconds(end) + more for end, more in ((as_of, 1), (until, 0)) if end), default=None),
            archived=archived or as_of is not None,
            waiting=waiting,
            replaced=as_of is None and asks_for_former(query),
        )
        today = to_datetime(self.ports.clock.now())
        now = to_datetime(to_microseconds(as_of)) if as_of else today
        query = query.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate is no text
        lacking = self.ports.lacking()
        request = Request(
            query, max(0, min(k, _MAX_K)), where, now, budget, min_score, self._weights, is_past=now < today
        )
        result = run_search(self.ports, request)
        faded = replace(where, faded=True)
        if result.confidence == "none" and not where.archived and self._is_wider(faded, where):
            request = replace(request, where=faded)  # nothing sure is left: what faded with age may know it
            result = run_search(self.ports, request)
        degraded = {**lacking, **self.ports.lacking(), **result.degraded}
        if not result.hits and where.project and where.project not in self.ports.text.projects():
            degraded["project"] = self._unknown_project(where.project)
        return replace(result, degraded=degraded, searched=self._count_searched(request.where, result))

    def check_request(self, query: str, k: int, kinds: Sequence[str] | None = None, budget: int | None = None) -> None:
        """Raise UsageError for an empty query, a k below 1, a negative budget, or a kind that no item can have; the error for a
        kind lists those that exist."""
        if budget is not None and budget < 0:
            raise UsageError(f"budget is a number of tokens: at least 0, not {budget}", budget=budget)
        if k < 1:
            raise UsageError(f"k is the number of hits: at least 1, not {k}", k=k)
        if not query.strip():
            raise UsageError("the query is empty: ask a question or enter a name")
        new = [kind for kind in kinds or () if kind not in KINDS]
        known = dict.fromkeys((*KINDS, *self.ports.text.kinds())) if new else {}
        for kind in new:
            if kind not in known:
                raise UsageError(f"there is no kind `{kind}`: choose among {', '.join(known)}", kind=kind)

    def _count_searched(self, where: ItemFilter, result: SearchResult) -> dict[str, int]:
        """Return how many items of each kind were searched, if no hit is likely enough to be worth a look."""
        if any(hit.probability >= FLOOR for hit in result.hits):
            return {}
        kinds = where.kinds or [kind for kind in self.ports.text.kinds() if kind not in where.but]
        counts = {kind: int(self.ports.text.mask(replace(where, kinds=(kind,))).sum()) for kind in kinds}
        return {kind: count for kind, count in counts.items() if count}

    def _unknown_project(self, name: str) -> str:
        known = ", ".join(f"`{one}`" for one in self.ports.text.projects()[:5])
        return f"the store holds nothing of a project `{name}`" + (f", but of {known}" if known else "")

    def _is_wider(self, one: ItemFilter, other: ItemFilter) -> bool:
        """Return whether a filter lets more items through than another."""
        return int(self.ports.text.mask(one).sum()) > int(self.ports.text.mask(other).sum())

    def timeline(self, ids: Sequence[str], window: int = 3) -> list[TimelineEntry]:
        """Return what happened around these items (ids or refs) in their sessions, in order; each item once."""
        targets = [stored.row for stored in self.ports.text.find(ids)]
        shown: dict[int, Stored] = {}
        for row in targets:
            shown |= {stored.row: stored for stored in self.ports.text.around(row, max(0, window))}
        ordered = sorted(shown.values(), key=lambda s: (s.item.session, s.item.sequence, s.row))
        return [
            _entry(stored, stored.row in targets, mark)
            for stored, mark in zip(ordered, self._marks(ordered), strict=True)
        ]

    def details(self, ids: Sequence[str]) -> list[Detail]:
        """Return everything about these items (ids or refs), in the given order; unknown ones are left out."""
        found = self.ports.text.find(ids)
        return [self._detail(stored, mark) for stored, mark in zip(found, self._marks(found), strict=True)]

    def _marks(self, found: Sequence[Stored]) -> list[Mark]:
        guard = self.ports.guard
        return guard.marks([stored.item for stored in found], required=True) if guard else [Mark()] * len(found)

    def _detail(self, stored: Stored, mark: Mark) -> Detail:
        row, item = stored.row, stored.item
        mentions = [mention for _, mention in self.ports.mentions.mentioned([row])]
        rare = sorted((m for m in mentions if 1 < m.items <= 20), key=lambda m: (m.items, m.entity))[:5]
        near = self.ports.mentions.mentioning([m.entity for m in rare], ItemFilter(project=item.project), 5)
        others = self.ports.text.items(list(dict.fromkeys(other for _, other in near)))
        related = [other for other in others if other.whole != row][:10]
        return Detail(
            id=item.id,
            ref=item.ref or None,
            kind=item.kind,
            title=item.title,
            content=item.text,
            at=to_datetime(last_change(self.ports.places, item)),
            session=item.session or None,
            role=item.role,
            tags=item.tags,
            tokens=count_tokens(item.text),
            has_code="```" in item.text,
            files=tuple(m.name for m in mentions if ":file:" in m.entity),
            citation=format_item_citation(stored),
            related=tuple(format_item_citation(other) for other in related),
            origin=mark.origin,
            suspicious=mark.reasons,
            withheld=mark.withheld,
            status=stored.status,
            against=name_successor(self.ports, stored),
        )


def _entry(stored: Stored, is_target: bool, mark: Mark) -> TimelineEntry:
    item = stored.item
    return TimelineEntry(
        id=item.id,
        ref=item.ref or None,
        kind=item.kind,
        at=to_datetime(item.at),
        session=item.session or None,
        role=item.role,
        preview=preview_item(item),
        is_target=is_target,
        citation=format_item_citation(stored),
        origin=mark.origin,
        withheld=mark.withheld,
    )
