"""An index of another version is made anew from the log; what was embedded is not embedded again."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from graphmem import Memory


def _changed_by_another_version(path, *statements: str) -> int:
    """Returns how many vectors the index holds."""
    path.with_name("index.db.sums").unlink()
    with closing(sqlite3.connect(path)) as db:
        for statement in ("DELETE FROM meta WHERE name = 'schema'", *statements):
            db.execute(statement)
        db.commit()
        return int(db.execute("SELECT count(*) FROM vectors").fetchone()[0])


@pytest.mark.parametrize(
    ("statement", "embedded"),
    [
        ("DROP TABLE standings", 0),
        ("ALTER TABLE contents ADD COLUMN later TEXT", 0),
        ("ALTER TABLE vectors ADD COLUMN later TEXT", 1),
    ],
)
def test_an_index_of_another_version_is_made_anew(memory: Memory, statement: str, embedded: int) -> None:
    memory.remember("The cache of the lexer is keyed by the hash of the file")
    memory.process()
    store = memory.location
    memory.close()
    assert _changed_by_another_version(store / "index.db", statement) == 1
    with Memory.open(store) as later:
        report = later.process()
        assert report.embedded == embedded
        hits = later.search("what is the lexer's cache keyed by?").hits
        assert [hit.kind for hit in hits] == ["fact"]
        later.remember("And the cache of the parser by its path")
        later.process()
        assert len(later.search("cache of the parser").hits) == 2


def test_an_index_of_this_version_is_left_alone(memory: Memory) -> None:
    memory.remember("One")
    memory.process()
    store = memory.location
    memory.close()
    before = (store / "index.db").stat().st_mtime_ns
    with Memory.open(store) as later:
        assert later.search("One").hits
    assert (store / "index.db").stat().st_mtime_ns == before
