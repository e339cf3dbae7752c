"""Categories: clusters of all items with vectors, with stable ids, names from distinguishing terms, and a history.
Decisions are stored as derivations of their run, so a replay repeats them; an item belongs to the category of its nearest
centroid."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmem.memify import clusters
from graphmem.memify.terms import distinguishing_terms
from graphmem.model.changes import Changes, Edge, EdgeKey, Node
from graphmem.model.events import Derivation
from graphmem.model.kinds import names_where
from graphmem.ports.entries import HIDDEN

if TYPE_CHECKING:
    from graphmem.memify.run_context import RunContext
    from graphmem.projections.runner import Log

STEP = "categories/2"
KINDS = names_where(is_categorised=True)
_GROWN = 0.1  # share of new items from which everything may be clustered again
_MAX_NAMING_MEMBERS = 200  # members nearest to the centre, from which the name is made
_NAMED = 3  # terms in a name
_TELLING = 2  # minimum distinguishing terms of a category
_RENAMED = 0.34  # overlap of terms below which a category is renamed
_BATCH = 20_000


@dataclass(slots=True)
class Category:
    """A category: `slot` is its number in the index column, `centroid` is float16 in Base64."""

    id: str
    slot: int
    name: str
    terms: list[str]
    centroid: str
    since: int
    size: int = 0

    @property
    def vector(self) -> np.ndarray:
        """Return the centroid."""
        return np.frombuffer(base64.b64decode(self.centroid), np.float16).astype(np.float32)


@dataclass(slots=True)
class Decision:
    """The categories of a run, their input, and what happened to the previous ones."""

    of: str = ""
    items: int = 0
    whole: int = 0  # number of items at the last complete clustering
    categories: list[Category] = field(default_factory=list)
    acts: list[dict[str, Any]] = field(default_factory=list)

    def body(self) -> dict[str, Any]:
        """Return the form stored in the log."""
        return {**asdict(self), "categories": [asdict(category) for category in self.categories]}


def read_decisions(log: Log, until: int | None = None) -> Iterator[tuple[int, Decision]]:
    """Yield (clock, decision) of every run with one, newest first; up to a clock."""
    for run in sorted(log.read(types=["memified"]), key=lambda run: -run.clock):
        if until is None or run.clock <= until:
            for made in log.state.step_results(STEP, run.id):
                known = {**made, "categories": [Category(**one) for one in made["categories"]]}
                yield run.clock, Decision(**known)


def latest_categories(log: Log, until: int | None = None) -> Decision:
    """Return the current decision; an empty one if there is none."""
    return next((decision for _, decision in read_decisions(log, until)), Decision())


def forget_words(log: Log, unknown: Callable[[Sequence[str]], Collection[str]]) -> bool:
    """Remove words that no longer occur in any item from all stored decisions, because names and terms outlive their
    source. `unknown` returns which words no longer occur. Return whether anything was removed."""
    found = False
    for made in list(log.derivations(steps=("categories",))):
        body = made.body
        told = {word for one in body["categories"] for word in one["terms"]}
        told |= {
            word for one in (*body["categories"], *body["acts"]) for name in _NAMES for word in _words(one.get(name))
        }
        lost = set(unknown(sorted({word for term in told for word in term.split()})))
        gone = {term for term in told if not lost.isdisjoint(term.split())}
        if gone:
            log.store_derivations([replace(made, body=_without(body, gone))], replace=True)
            found = True
    return found


_NAMES = ("name", "was")


def _words(name: str | None) -> list[str]:
    return [] if not name or name.startswith("category ") else name.split(", ")


def _without(body: dict[str, Any], gone: Collection[str]) -> dict[str, Any]:
    def plain(one: dict[str, Any]) -> dict[str, Any]:
        named = {
            name: ", ".join(w for w in _words(one[name]) if w not in gone) or "category"
            for name in _NAMES
            if name in one
        }
        terms = {"terms": [word for word in one["terms"] if word not in gone]} if "terms" in one else {}
        return {**one, **named, **terms}

    return {
        **body,
        "categories": [plain(one) for one in body["categories"]],
        "acts": [plain(one) for one in body["acts"]],
    }


def update_categories(context: RunContext) -> None:
    """Decide categories, if this run may, and assign every item."""
    vectors = context.store.vectors
    places = _categorised(context)
    if vectors is None or not vectors.refresh():
        return
    decision = latest_categories(context.store.log, context.run.clock)
    if context.deciding:  # archived items have a category, but do not influence the clustering
        found = places[(context.priors.flags[context.entries.rows[places]] & HIDDEN) == 0]
        decision = _decide(context, decision, found, vectors.vectors)
    _tell(context, decision, places, vectors.vectors)


def _categorised(context: RunContext) -> np.ndarray:
    """Return the positions of what people and agents said, decided and did. Tool output says nothing about its topic."""
    printed = {row[0] for row in context.query("turns_of_tools")}
    said = np.fromiter((item not in printed for item in context.entries.ids), bool, len(context.entries.ids))
    return np.flatnonzero(context.entries.of(*KINDS) & context.here & said)


def _decide(context: RunContext, before: Decision, places: np.ndarray, vectors: clusters.Vectors) -> Decision:
    """Return a new decision if the items changed. It is stored with its run."""
    rows = context.entries.rows[places]
    there = np.concatenate(
        [np.abs(vectors(part)).max(axis=1, initial=0) > 0 for part in clusters.iterate_batches(rows)]
        or [np.zeros(0, bool)]
    )
    places, rows = places[there], rows[there]
    of = hashlib.sha256("\n".join(context.ids(places)).encode()).hexdigest()[:24]
    if of == before.of or len(rows) < clusters.FEWEST * clusters.MEMBERS or not clusters.is_installed():
        return before
    old = np.stack([category.vector for category in before.categories]) if before.categories else None
    anew = old is None or abs(len(rows) - before.whole) > _GROWN * before.whole
    centroids, made = clusters.fit_clusters(rows, vectors, old, anew=anew)
    same = (
        clusters.match_centroids(old, centroids)
        if old is not None and made
        else {i: i for i in range(len(old) if old is not None else 0)}
    )
    labels, cosines = clusters.cluster_members(rows, vectors, centroids)
    least = [clusters.KEPT_MEMBERS if i in same else clusters.MEMBERS for i in range(len(centroids))]
    merged = clusters.small_clusters(labels, centroids, least)
    kept = [i for i in range(len(centroids)) if i not in merged]
    labels, cosines = clusters.cluster_members(rows, vectors, centroids[kept])
    terms = _terms(context, places, labels, cosines, len(kept))
    named = [i for i, found in enumerate(terms) if len(found) >= _TELLING]
    if named and len(named) < len(
        kept
    ):  # a cluster without distinguishing terms is not a topic: its members join the nearest one
        kept = [kept[i] for i in named]
        labels, cosines = clusters.cluster_members(rows, vectors, centroids[kept])
        terms = _terms(context, places, labels, cosines, len(kept))
    decision = Decision(of, len(rows), len(rows) if anew else before.whole)
    same = {kept.index(i): j for i, j in same.items() if i in kept}
    for i, centroid in enumerate(centroids[kept]):
        old_one = before.categories[same[i]] if i in same else None
        decision.categories.append(
            _category(context, decision, before, old_one, terms[i], centroid, int((labels == i).sum()))
        )
    survivors = {category.id for category in decision.categories}
    for category in before.categories:
        if category.id not in survivors:
            near = int((centroids[kept] @ category.vector).argmax())
            into = decision.categories[near].id
            decision.acts.append({"act": "merged", "id": category.id, "name": category.name, "into": into})
    context.store.log.store_derivations([Derivation(STEP, context.run.id, of, decision.body())])
    context.counts["reorganised"] = len(decision.acts)
    return decision


def _terms(
    context: RunContext, places: np.ndarray, labels: np.ndarray, cosines: np.ndarray, count: int
) -> list[list[str]]:
    groups = []
    for number in range(count):
        own = np.flatnonzero(labels == number)
        nearest = own[np.lexsort((places[own], -cosines[own]))][:_MAX_NAMING_MEMBERS]
        groups.append(list(context.texts(places[nearest].tolist()).values()))
    return distinguishing_terms(groups)


def _category(
    context: RunContext,
    decision: Decision,
    before: Decision,
    old: Category | None,
    terms: list[str],
    centroid: np.ndarray,
    size: int,
) -> Category:
    told = base64.b64encode(centroid.astype(np.float16).tobytes()).decode()
    number = len(decision.categories)
    name = ", ".join(terms[:_NAMED]) or f"category {number + 1}"
    if old is None:
        taken = {c.slot for c in (*before.categories, *decision.categories)}
        slot = next(slot for slot in range(1, 256) if slot not in taken)
        digest = hashlib.sha256(f"{context.run.id}:{number}".encode()).hexdigest()[:16]
        new = Category(f"category:{digest}", slot, name, terms, told, context.run.day, size)
        decision.acts.append({"act": "born", "id": new.id, "name": name})
        return new
    shared = len(set(terms) & set(old.terms)) / max(1, len(set(terms) | set(old.terms)))
    if terms and shared < _RENAMED:
        decision.acts.append({"act": "renamed", "id": old.id, "name": name, "was": old.name})
        return Category(old.id, old.slot, name, terms, told, old.since, size)
    return Category(old.id, old.slot, old.name, old.terms, told, old.since, size)


def _tell(context: RunContext, decision: Decision, places: np.ndarray, vectors: clusters.Vectors) -> None:
    """Set the index column, and update the graph."""
    rows, column = context.entries.rows, context.priors.category
    column[rows] = 0
    distances = np.zeros(len(rows), np.float32)
    if decision.categories:
        centroids = np.stack([category.vector for category in decision.categories])
        slots = np.array([category.slot for category in decision.categories] + [0], np.uint8)
        labels, cosines = clusters.cluster_members(rows[places], vectors, centroids)
        column[rows[places]] = slots[labels]
        distances[places] = 1 - cosines
    sizes = np.bincount(column[rows], minlength=256)
    known = {row[0]: row[1] for row in context.query("categories", kind="cluster")}
    changes = Changes()
    for category in decision.categories:
        properties = _properties(context, category, int(sizes[category.slot]))
        if known.get(category.id) != properties["metadata"]:
            changes.nodes.append(Node("Category", category.id, properties))
    wanted = {category.id for category in decision.categories}
    changes.removed_nodes += [("Category", name) for name in sorted(known) if name not in wanted]
    context.changes.append(changes)
    context.streams.append(
        _memberships(context, {category.slot: category.id for category in decision.categories}, distances)
    )
    context.counts["categories"] = len(decision.categories)


def _properties(context: RunContext, category: Category, size: int) -> dict[str, Any]:
    digest = hashlib.sha256(f"{category.name}|{category.terms}|{size}|{category.centroid}".encode()).hexdigest()[:20]
    return {
        "project": context.store.project,
        "name": category.name,
        "kind": "cluster",
        "terms": category.terms,
        "size": size,
        "at": category.since * 86_400_000_000,
        "metadata": json.dumps({"memified": digest}),
    }


def _memberships(context: RunContext, ids: dict[int, str], distances: np.ndarray) -> Iterator[Changes]:
    """Yield MEMBER_OF changes of every item whose category changed, in parts."""
    rows = context.entries.rows
    now, was = context.priors.category[rows], context.before.category[rows]
    for label, places in context.labels():
        if label == "Snapshot":
            continue
        changed = places[now[places] != was[places]]
        for start in range(0, len(changed), _BATCH):
            changes = Changes()
            for place in changed[start : start + _BATCH].tolist():
                item = context.entries.ids[place]
                if was[place]:
                    changes.removed_edges.append(EdgeKey("MEMBER_OF", label, item, "Category"))
                if now[place]:
                    properties = {"distance": round(float(distances[place]), 4), "at": context.run.now}
                    changes.edges.append(Edge("MEMBER_OF", label, item, "Category", ids[int(now[place])], properties))
            yield changes
