"""Two encoders side by side: the one before is searched until the new one has read everything."""

import numpy as np

from graphmem.backends.embed.wordllama import WordLlamaEmbedder
from graphmem.backends.text.fts5 import Fts5Index
from graphmem.backends.vectors.older import previous_model
from graphmem.backends.vectors.outbox import SqliteOutbox
from graphmem.model.changes import Item
from graphmem.ports.clock import SystemClock
from graphmem.settings import Embedding

NEW, CHOSEN = "made-up-4", Embedding(provider="onnx", model="made-up.onnx")
TEXTS = ["the parser is pure", "tabs, not spaces", "the port is eight thousand", "deploys happen at night"]


def test_the_old_index_is_searched_while_the_new_one_is_made(tmp_path):
    path, before = tmp_path / "index.db", WordLlamaEmbedder()
    index = Fts5Index(path)
    assert previous_model(path, Embedding(), before.name, index.mask) is None
    outbox = SqliteOutbox(path, before.name, before.dimensions, SystemClock())
    index.apply([], [Item(f"i{n}", "fact", "", text, n) for n, text in enumerate(TEXTS)], [], {})
    jobs = outbox.claim(9)
    outbox.complete(jobs, before.embed([job.text for job in jobs]))

    known = previous_model(path, CHOSEN, NEW, index.mask)
    assert known is not None and known.embedder.name == before.name and not known.over()
    fresh = SqliteOutbox(path, NEW, 4, SystemClock())
    while jobs := fresh.claim(2):
        assert not known.over() and known.vectors.refresh() == len(TEXTS)
        assert len(known.vectors.search(before.embed(["parser"])[0], 9)) == len(TEXTS)
        fresh.complete(jobs, np.ones((len(jobs), 4), np.float32) / 2)
    assert known.over() and previous_model(path, CHOSEN, NEW, index.mask) is None
    assert previous_model(path, Embedding(), before.name, index.mask) is None  # back again: its vectors are all there
    known.close()


def test_an_encoder_that_is_gone_is_not_missed(tmp_path):
    path = tmp_path / "index.db"
    index = Fts5Index(path)
    assert previous_model(path, CHOSEN, NEW, index.mask) is None
    assert previous_model(path, Embedding(), WordLlamaEmbedder.name, index.mask) is None
