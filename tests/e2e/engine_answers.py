"""What a store answers, whatever its graph engine: all named queries with arguments out of the graph, and searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphmem import Memory
from graphmem.browse.named_queries import list_named_queries

SAMPLES = {
    "path": "MATCH (f:File) RETURN f.path ORDER BY f.id LIMIT 200",
    "name": "MATCH (s:Symbol) RETURN s.qualified_name ORDER BY s.id LIMIT 400",
    "id": "MATCH (n) WHERE label(n) <> 'Cursor' RETURN n.id ORDER BY n.id LIMIT 2000",
    "project": "MATCH (p:Project) RETURN p.id ORDER BY p.id LIMIT 1",
    "hash": "MATCH (c:Commit) RETURN c.hash ORDER BY c.id LIMIT 20",
    "said": "MATCH (c:Commit) RETURN c.subject ORDER BY c.id LIMIT 400 UNION ALL MATCH (t:Turn) RETURN t.content ORDER BY t.id"
    " LIMIT 400 UNION ALL MATCH (f:Fact) RETURN f.content ORDER BY f.id LIMIT 400",
}


def sample(mem: Memory) -> dict[str, list[Any]]:
    """What can be asked about, out of a graph of an embedded engine."""
    return {name: [row[0] for row in mem._store.graph.query(query).rows] for name, query in SAMPLES.items()}


def collect(mem: Memory, searches: int, rounds: int, found: Mapping[str, list[Any]] | None = None) -> dict[str, Any]:
    """Every answer, by what was asked; rows in the order of their text, because a query need not say how ties are ordered."""
    found = found or sample(mem)
    answers: dict[str, Any] = {}
    pick = lambda kind, turn: found[kind][turn * max(1, len(found[kind]) // rounds) % len(found[kind])]
    for query in list_named_queries():
        for turn in range(rounds):
            one = {
                "path": pick("path", turn), "name": pick("name", turn), "id": pick("id", turn), "project": pick("project", 0),
                "ids": found["id"][turn :: max(1, len(found["id"]) // 20)], "hashes": found["hash"], "text": "fix",
                "names": found["name"][turn :: max(1, len(found["name"]) // 20)],
                "kinds": [""], "types": ["CALLS", "CHANGED"], "ref": pick("id", turn), "refs": found["id"][:20],
                "at": "2026-12-01", "session": "s1", "title": "Oil the crane", "task": "Oil the crane",
                "a": pick("id", turn), "b": pick("id", turn + 1),
            }  # fmt: skip
            table = mem.query(query.name, {name: one[name] for name in query.parameters if name in one})
            answers[f"{query.name} {turn}"] = (
                table.columns,
                sorted(str([_plain(value) for value in row]) for row in table.rows if row[0] != "Cursor"),
            )
    texts = [text for text in found["said"] if text]
    for text in [text[:120] for text in sorted(set(texts))[:: max(1, len(set(texts)) // searches)]][:searches]:
        answers[f"search {text}"] = [(hit.id, round(hit.score, 6)) for hit in mem.search(text).hits]
    return answers


def _plain(value: Any) -> Any:
    """A value without the engine's own numbers; lists in the order of their text, as `collect` has none."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in sorted(value.items()) if name not in ("_id", "_src", "_dst")}
    return sorted((_plain(item) for item in value), key=str) if isinstance(value, list) else value
