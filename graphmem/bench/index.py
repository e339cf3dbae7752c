"""Measures how long it takes until many short items are searchable: `graphmem bench index --count 100000` records them
as turns, projects them to text and graph, embeds each, and builds the approximate vector index. Each step is timed.
Derived facts, tasks and the tree are not included."""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from graphmem.backends.embed.wordllama import WordLlamaEmbedder
from graphmem.backends.vectors.usearch import UsearchIndex
from graphmem.errors import StoreError
from graphmem.memory import Memory
from graphmem.store.files import INDEX
from graphmem.sync.pipeline import embed_pending, project_pending

_BATCH = 5_000
_WORDS_PER_ITEM = 16
_TURNS_PER_SESSION = 100


def main(count: int) -> None:
    """Measure and report seconds; `cpu` is the processor time of all steps together."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder, Memory.open(Path(folder)) as memory:
        sys.stdout.write(json.dumps(measured(memory, count)) + "\n")


def measured(memory: Memory, count: int) -> dict[str, float]:
    """Return seconds per step. `searchable`: total until brute-force search covers all items; `approximate`: total
    including the approximate index, which a store of this size does not need."""
    store = memory._store
    embedder, outbox = store.embedder, store.outbox
    if embedder is None or outbox is None:
        raise StoreError("no encoder: set embedding.provider")
    begun = os.times()
    spent = {
        "log": _timed(lambda: [memory.observe_many(batch) for batch in _batches(sorted(_vocabulary()), count)]),
        "text and graph": _timed(lambda: project_pending(store)),
        "vectors": _timed(lambda: embed_pending(outbox, embedder, batch=store.settings.embedding.batch)),
    }
    spent["searchable"] = sum(spent.values())
    index = UsearchIndex(store.path / INDEX, embedder.name, embedder.dimensions, store.text.mask, worth_it=1)
    spent["approximate"] = spent["searchable"] + _timed(index.build)
    index.close()
    cpu = sum(os.times()[:4]) - sum(begun[:4])
    return {"items": count, **{step: round(seconds, 1) for step, seconds in spent.items()}, "cpu": round(cpu, 1)}


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _vocabulary() -> list[str]:
    return WordLlamaEmbedder().words()


def _batches(vocabulary: list[str], count: int) -> Iterator[list[dict[str, object]]]:
    """Yield batches of turns of two roles in many sessions; word frequencies roughly follow Zipf's law."""
    chance = random.Random(0)
    chance.shuffle(vocabulary)
    for start in range(0, count, _BATCH):
        yield [
            {
                "content": " ".join(
                    vocabulary[int(len(vocabulary) ** chance.random()) - 1] for _ in range(_WORDS_PER_ITEM)
                ),
                "role": ("user", "assistant")[number % 2],
                "session": f"s{number // _TURNS_PER_SESSION}",
                "ref": f"t{number}",
            }
            for number in range(start, min(start + _BATCH, count))
        ]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
