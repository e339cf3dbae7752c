"""Communities: groups of entities that occur together in facts (Louvain method, Blondel et al. 2008), each with a summary
of its central facts. A community keeps its id while its most central entity stays the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

from graphmem.memify.derived_nodes import DerivedNode, name_of, upsert_derived
from graphmem.model.changes import Edge, Item, Node
from graphmem.ports.entries import HIDDEN

if TYPE_CHECKING:
    from graphmem.memify.run_context import RunContext

PREFIX = "community:"
_MIN_ENTITIES = 4  # entities in a community
_MOST_THINGS = 3_000  # entities with the most facts
_MOST_PAIRS = 50_000  # of these, those most often named together
_MAX_COMMUNITIES = 40  # largest communities
_COMMON = 0.2  # share of all facts from which an entity is uninformative
_PER_FACT = 8  # entities of a fact that count
_FACTS, _NAMED, _TOLD = 5, 3, 200  # central facts, names in the title, listed members
_SEED = 20


def update_communities(context: RunContext) -> None:
    """Find the current communities and write them."""
    hidden = context.priors.flags[context.entries.rows] & HIDDEN
    facts = {
        context.entries.ids[at]: int(at)
        for at in (context.entries.of("fact") & context.here & (hidden == 0)).nonzero()[0]
    }
    things: dict[str, set[str]] = defaultdict(set)
    for fact, entity in context.query("mentions_of_facts"):
        if fact in facts:
            things[fact].add(entity)
    uses = Counter(entity for group in things.values() for entity in group)
    limit = max(3, _COMMON * len(things))
    ranked = sorted((e for e, n in uses.items() if 1 < n <= limit), key=lambda e: (-uses[e], e))[:_MOST_THINGS]
    found = _communities(things, set(ranked))
    speaking: dict[str, list[str]] = defaultdict(list)
    for fact, group in things.items():
        for entity in group:
            speaking[entity].append(fact)
    told: list[DerivedNode] = []
    for members, rank in found:
        told += _told(context, members, rank, speaking, facts)
    upsert_derived(context, PREFIX, told)
    context.counts["communities"] = len(found)


def _communities(things: dict[str, set[str]], allowed: set[str]) -> list[tuple[list[str], dict[str, float]]]:
    """Return (members, centrality), largest first."""
    import networkx as nx

    weights: Counter[tuple[str, str]] = Counter()
    for group in things.values():
        kept = sorted(group & allowed)[:_PER_FACT]
        for pair in combinations(kept, 2):
            weights[pair] += 1.0 / (len(kept) - 1)  # type: ignore[assignment]
    heaviest = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_PAIRS]
    graph = nx.Graph()
    graph.add_weighted_edges_from((a, b, weight) for (a, b), weight in sorted(heaviest))
    if not graph:
        return []
    groups = [
        sorted(group) for group in nx.community.louvain_communities(graph, seed=_SEED) if len(group) >= _MIN_ENTITIES
    ]
    groups.sort(key=lambda group: (-len(group), group))
    ranked = []
    for members in groups[:_MAX_COMMUNITIES]:
        within = graph.subgraph(members)
        rank = {node: round(float(degree), 6) for node, degree in within.degree(weight="weight")}
        ranked.append((sorted(members, key=lambda node: (-rank[node], node)), rank))
    return ranked


def _told(
    context: RunContext,
    members: list[str],
    rank: dict[str, float],
    speaking: dict[str, list[str]],
    facts: dict[str, int],
) -> list[DerivedNode]:
    """Return the community as a Category with members, and the Summary of its central facts."""
    score: dict[str, float] = defaultdict(float)
    for entity in members:
        for fact in speaking[entity]:
            score[fact] += rank[entity]
    central = sorted(score, key=lambda fact: (-round(score[fact], 6), fact))[:_FACTS]
    said = context.texts([facts[fact] for fact in central])
    rows = context.query("names_of_entities", ids=members[:_TOLD])
    names, labels = {row[0]: row[1] for row in rows}, {row[0]: row[2] for row in rows}
    called = list(dict.fromkeys(str(names[entity]) for entity in members if entity in names))
    identifier = PREFIX + name_of(context.store.project, members[0])
    title = ", ".join(called[:_NAMED])
    at = max(int(context.entries.at[facts[fact]]) for fact in central)
    common: dict[str, Any] = {"project": context.store.project, "at": at}
    category = Node(
        "Category",
        identifier,
        common | {"name": title, "kind": "community", "terms": called[:10], "size": len(members)},
    )
    belongs = [
        Edge("MEMBER_OF", labels[entity], entity, "Category", identifier, {"distance": 0.0})
        for entity in members[:_TOLD]
        if entity in labels
    ]
    content = "\n".join(f"- {' '.join(said[facts[fact]].split())}" for fact in central)
    summary = f"{identifier}:summary"
    edges = [Edge("SUMMARIZES", "Summary", summary, "Category", identifier)]
    edges += [Edge("SUMMARIZES", "Summary", summary, "Fact", fact) for fact in central]
    node = Node(
        "Summary", summary, common | {"kind": "community", "title": f"About {title}", "content": content, "session": ""}
    )
    item = Item(summary, "summary", f"About {title}", content, at, "", "", context.store.project)
    return [DerivedNode(category, belongs), DerivedNode(node, edges, item)]
