"""Measures how much of the evidence for an answer an agent still sees when a long conversation no longer fits its
context: the whole conversation, a naive summary, the session window of the tree, retrieval from the tree, and retrieval
of plain chunks. No model is involved: a turn counts if its whole text is in the context. The user supplies the data
(LoCoMo: snap-research, CC BY-NC 4.0). Prints nothing."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from graphmem.backends.text.statements import quote_term
from graphmem.backends.text.words import split_words
from graphmem.bench.locomo import cases
from graphmem.bench.retrieval import Case, Row, fill
from graphmem.memory import Memory
from graphmem.model.tree import MemoryNode, Retrieved
from graphmem.text.sentences import sentences
from graphmem.text.tokens import count_tokens
from graphmem.text.words import content_words
from graphmem.tree.repository import MemoryRepository
from graphmem.tree.retrieval import TreeHits, find_candidates, pack_originals, select_memories
from graphmem.tree.window import list_memories
from graphmem.tree.words import stem_for_topics, topic_words

BUDGETS = (1_000, 3_000, 10_000)  # tokens
SAVINGS = {"session": 18.7, "retrieval": 5.6}  # of CoMeT's report: full context's tokens, divided
_MEMORIES = 5  # memories that a question brings
_ORIGINALS = 200  # originals: as many as the largest budget takes
_CHUNK = 5  # turns of a plain chunk
_INDEX = 0.6  # share of a session's tokens that its index may take; the rest is for reading
Context = Callable[[str, int], tuple[str, int]]  # question, tokens -> (what the agent sees, how many reads it took)


class Seen(NamedTuple):
    """One question in one mode: share of its evidence that was seen, tokens, reads."""

    coverage: float
    tokens: int
    reads: int


def run(data: Path, *, ablate: bool = False) -> list[Row]:
    """Rows by mode and budget; `full` is the whole conversation, `1/5.6` and `1/18.7` are shares of its tokens. Raises
    SourceError where the folder holds no conversation."""
    del ablate  # nothing to leave out
    found: dict[tuple[str, str], list[Seen]] = {}
    sizes: list[tuple[int, int, int, int]] = []
    for case in cases(data):
        with (
            tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder,
            Memory.open(Path(folder) / "store", project="bench") as memory,
        ):
            fill(memory, case.documents)
            full = count_tokens("\n".join(one.text for one in case.documents))
            nodes = memory.tree.index(limit=100_000).nodes
            index = sum(count_tokens(f"{node.summary} {node.trigger}") for node in nodes)
            sizes.append((len(case.documents), len(nodes), full, index))
            for (mode, group), seen in _case(case, memory, nodes, full):
                found.setdefault((mode, group), []).append(seen)
    turns, count, full, index = (sum(column) for column in zip(*sizes, strict=True))
    rows = [_row(mode, group, seen) for (mode, group), seen in found.items()]
    shape = {"nodes": float(count), "fewer": 1 - count / turns, "compression": 1 - index / full}
    return [*rows, Row("tree", "all nodes", turns, {name: round(value, 4) for name, value in shape.items()})]


def _row(mode: str, group: str, seen: Sequence[Seen]) -> Row:
    covered, tokens, reads = (sum(column) / len(seen) for column in zip(*seen, strict=True))
    metrics = {"coverage": covered, "tokens": tokens, "reads": reads}
    return Row(mode, group, len(seen), {name: round(value, 4) for name, value in metrics.items()})


def _case(case: Case, memory: Memory, nodes: Sequence[MemoryNode], full: int) -> Iterator[tuple[tuple[str, str], Seen]]:
    texts = {one.ref: _flat(one.text) for one in case.documents}
    modes: dict[str, Context] = {
        "full context": _full(case),
        "naive summary": _naive(case),
        "session": _session(memory, nodes),
        "retrieval": _retrieval(memory),
        "chunks": _chunks(case),
    }
    for question in case.questions:
        for mode, context in modes.items():
            sizes = {str(budget): budget for budget in BUDGETS}
            sizes |= {f"1/{share}": int(full / share) for share in SAVINGS.values()}
            sizes |= {"full": full} if mode == "full context" else {}
            for group, budget in sizes.items():
                text, reads = context(question.query, budget)
                flat = _flat(text)
                covered = sum(texts[ref] in flat for ref in question.gold) / len(question.gold)
                yield (mode, group), Seen(covered, count_tokens(text), reads)


@lru_cache(maxsize=64)
def _flat(text: str) -> str:
    return " ".join(text.split())


def _full(case: Case) -> Context:
    """Return the newest turns that fit, as a host that drops the oldest does."""
    lines = [one.text for one in case.documents]
    sizes = [count_tokens(line) + 1 for line in lines]
    whole = count_tokens("\n".join(lines))
    known: dict[int, str] = {}

    def context(query: str, budget: int) -> tuple[str, int]:
        if budget not in known:
            start, used = len(lines), 0
            while start > 0 and (used + sizes[start - 1] <= budget or budget == whole):
                start -= 1
                used += sizes[start]
            known[budget] = "\n".join(lines[start:])
        return known[budget], 0

    return context


def _naive(case: Case) -> Context:
    """One summary of everything: of each turn its first sentence, evenly thinned until it fits."""
    first = [(sentences(one.text) or [one.text])[0] for one in case.documents]
    known: dict[int, str] = {}

    def context(query: str, budget: int) -> tuple[str, int]:
        if budget not in known:
            mean = count_tokens("\n".join(first)) / len(first)
            step = max(1.0, mean * len(first) / budget)
            known[budget] = "\n".join(first[int(place * step)] for place in range(int(len(first) / step)))
        return known[budget], 0

    return context


def _session(memory: Memory, nodes: Sequence[MemoryNode]) -> Context:
    """Return an index of the newest memories, chosen without the question; the agent then reads those whose line has
    most of the question's words, while tokens are left."""
    read: dict[str, str] = {}
    known: dict[int, list[str]] = {}

    def context(query: str, budget: int) -> tuple[str, int]:
        if budget not in known:
            known[budget] = list_memories(nodes, int(_INDEX * budget))
        lines, reads = list(known[budget]), 0
        used = count_tokens("\n".join(known[budget]))
        asked = frozenset(map(stem_for_topics, topic_words(query)))
        shared = [len(asked & frozenset(map(stem_for_topics, topic_words(line)))) for line in lines]
        for place in sorted(range(len(lines)), key=lambda one: -shared[one]):
            if not shared[place]:
                break
            node = nodes[place]
            if node.id not in read:
                read[node.id] = "\n".join(one.content for one in memory.tree.read(node.id).originals)
            size = count_tokens(read[node.id]) + 1
            if used + size <= budget:
                used, reads = used + size, reads + 1
                lines.append(read[node.id])
        return "\n".join(lines), reads

    return context


def _retrieval(memory: Memory) -> Context:
    """Return what `retrieve` hands over at each budget; candidates are sought once a question."""
    shelf, known = MemoryRepository(memory._store), dict[str, tuple[TreeHits, tuple[Retrieved, ...]]]()

    def context(query: str, budget: int) -> tuple[str, int]:
        if query not in known:
            known.clear()
            found = find_candidates(memory._store, shelf, [query], _MEMORIES, _ORIGINALS)
            known[query] = found, select_memories(shelf, found, _MEMORIES)
        return pack_originals(shelf, *known[query], budget)[0], 0

    return context


def _chunks(case: Case) -> Context:
    """Plain retrieval: chunks of some turns, ranked by full text."""
    chunks = [
        "\n".join(one.text for one in case.documents[at : at + _CHUNK]) for at in range(0, len(case.documents), _CHUNK)
    ]
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE floor USING fts5(text, tokenize='porter unicode61')")
    db.executemany("INSERT INTO floor VALUES (?)", [(chunk,) for chunk in chunks])

    def context(query: str, budget: int) -> tuple[str, int]:
        terms = " OR ".join(map(quote_term, dict.fromkeys(split_words(" ".join(content_words(query))))))
        rows = db.execute("SELECT rowid FROM floor WHERE floor MATCH ? ORDER BY rank", (terms,)) if terms else []
        lines, used = [], 0
        for (row,) in rows:
            size = count_tokens(chunks[row - 1]) + 1
            if used + size > budget:
                break
            used += size
            lines.append(chunks[row - 1])
        return "\n".join(lines), 0

    return context
