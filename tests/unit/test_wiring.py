"""Settings reach the backends they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.errors import UsageError

pytestmark = pytest.mark.core


def test_without_an_embedder_words_alone_are_searched(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", settings={"embedding.provider": "none"}) as mem:
        mem.observe("the parser is pure")
        assert mem.process().embedded == 0 and mem.search("parser").hits


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"embedding.provider": "magic"}, "must be one of"),
        ({"embedding": {"model": 3}}, "must be a text"),
        ({"nonsense.key": 1}, "no such setting"),
        ({"embedding.provider": "onnx", "embedding.model": "/nowhere.onnx"}, "is missing"),
    ],
)
def test_wrong_settings_are_one_sentence(tmp_path: Path, settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence), Memory.open(tmp_path / "store", settings=settings) as mem:
        mem.search("x")
        mem.process()


def test_a_citation_names_its_item(memory: Memory) -> None:
    memory.remember("tabs, not spaces", title="Style")
    memory.process()
    hit = memory.search("tabs or spaces").hits[0]
    assert memory.details([hit.citation])[0].content == memory.details([hit.id])[0].content == "tabs, not spaces"
