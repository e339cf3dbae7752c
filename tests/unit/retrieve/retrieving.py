"""A small store with real backends, filled by hand."""

from graphmem.backends.embed.wordllama import WordLlamaEmbedder
from graphmem.backends.text.fts5 import Fts5Index
from graphmem.backends.vectors.flat import FlatIndex
from graphmem.backends.vectors.outbox import SqliteOutbox
from graphmem.model.changes import Item
from graphmem.retrieve.ports import Ports
from graphmem.retrieve.retriever import Retriever

EMBEDDER = WordLlamaEmbedder()
HOUR = 3_600_000_000
START = 1_750_000_000_000_000  # 2025-06-15 15:06 UTC


class Clock:
    def now(self):
        return START + 1_000 * HOUR

    def random(self, size):
        return bytes(size)


class Memory:
    """Puts items and searches them."""

    def __init__(self, folder, embedder=EMBEDDER):
        path = folder / "index.db"
        self.index = Fts5Index(path)
        self.outbox = SqliteOutbox(path, EMBEDDER.name, EMBEDDER.dimensions, Clock())
        self.vectors = FlatIndex(path, EMBEDDER.name, EMBEDDER.dimensions, self.index.mask) if embedder else None
        self.ports = Ports(self.index, self.index.mentions, Clock(), self.vectors, embedder)
        self.retriever = Retriever(self.ports)

    def put(self, *items, links=()):
        self.index.apply([], items, links, {})
        jobs = self.outbox.claim(1_000)
        self.outbox.complete(jobs, EMBEDDER.embed([job.text for job in jobs]))

    def turns(self, *texts, session="s", start=0, kind="turn"):
        self.put(*(Item(f"{session}{start + i}", kind, "", text, START + (start + i) * HOUR, f"{session}-{start + i}",
                        session, "p", "user", f"event-{session}{start + i}", start + i)
                   for i, text in enumerate(texts)))  # fmt: skip

    def note(self, name, text, kind="fact", title="", at=START, **fields):
        self.put(
            Item(name, kind, title, text, at, fields.pop("ref", name), project="p", event=f"event-{name}", **fields)
        )

    def ask(self, query, **options):
        return [hit.id for hit in self.retriever.search(query, project="p", **options).hits]
