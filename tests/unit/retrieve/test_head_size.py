"""The first hits and their probabilities do not depend on how many hits are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem import Memory

SAID = (
    "The crane stops at noon.", "Who oils the crane?", "Boris oils the crane every Monday.", "When are boats lifted?",
    "Boats are lifted on Tuesdays and Fridays, never at low tide.", "The harbour is 7 m deep.",
    "We decided: boats are lifted only by two people.", "The fee is 12 euro a night.", "The gate closes at 22:00.",
)  # fmt: skip


@pytest.fixture
def harbour(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", project="harbour") as memory:
        for number, text in enumerate(SAID):
            memory.observe(text, session="s", role="assistant" if number % 2 else "user")
        memory.process()
        yield memory


@pytest.mark.parametrize(
    "question", ["when are boats lifted", "who oils the crane?", "boats", "how deep is the harbour"]
)
def test_fewer_hits_are_the_first_of_more(harbour: Memory, question: str) -> None:
    all_hits = [(hit.id, hit.probability) for hit in harbour.search(question, k=10).hits]
    assert all_hits
    for k in (1, 2, 3, 5):
        assert [(hit.id, hit.probability) for hit in harbour.search(question, k=k).hits] == all_hits[:k]


def test_a_question_without_its_mark_is_not_answered_by_itself(harbour: Memory) -> None:
    for question in ("who oils the crane", "Who oils the crane?"):
        assert "Boris" in harbour.search(question, k=1).hits[0].summary
