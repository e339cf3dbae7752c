"""What no longer holds names what took its place, and as of an earlier time it holds."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.interfaces.cli import render

AUGUST, SEPTEMBER, OCTOBER = (datetime(2026, month, 1, tzinfo=UTC) for month in (8, 9, 10))
QUESTION = "What is the port of the ingest service?"
OLD, NEW = "The port of the ingest service is 6060.", "The port of the ingest service is 7070 now."


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with Memory.open(tmp_path / "store", project="ingest") as memory:
        memory.observe(OLD, role="user", session="first", at=AUGUST)
        memory.observe(NEW, role="user", session="second", at=SEPTEMBER)
        memory.process()
    return tmp_path / "store"


def test_a_superseded_hit_names_its_successor(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Memory.open(store) as memory:
        result = memory.search(QUESTION)
        (old,) = (hit for hit in result.hits if hit.content == OLD and hit.status == "superseded")
        (detail,) = memory.details([old.id])
    assert NEW in old.against
    render.show("search", result)
    assert f"replaced by: {old.against}" in capsys.readouterr().out
    assert (detail.status, detail.against) == ("superseded", old.against)


def test_as_of_an_earlier_time_it_holds(store: Path) -> None:
    with Memory.open(store) as memory:
        before = {hit.content: hit for hit in memory.search(QUESTION, as_of=datetime(2026, 8, 15, tzinfo=UTC)).hits}
        after = {hit.content: hit for hit in memory.search(QUESTION, as_of=OCTOBER).hits}
    assert (before[OLD].status, before[OLD].against) == ("active", "")
    assert OLD not in after or after[OLD].status == "superseded"
