"""The cache of parsed files: what is damaged is missing, and is read again from the sources."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from graphmem.backends.facts.sqlite import SqliteFacts

pytestmark = pytest.mark.core


@pytest.mark.parametrize("change", ["key = CAST(x'612e7079ff' AS TEXT)", "body = CAST(x'00' || body AS BLOB)"])
def test_a_damaged_entry_is_missing(tmp_path: Path, change: str) -> None:
    facts = SqliteFacts(tmp_path / "code.db")
    facts.put([("a.py", b"facts of a"), ("b.py", b"facts of b")])
    with sqlite3.connect(tmp_path / "code.db") as db:
        db.execute(f"UPDATE facts SET {change} WHERE key = 'a.py'")
    db.close()
    assert facts.get(["a.py", "b.py", "a.py\N{REPLACEMENT CHARACTER}"]).get("b.py") == b"facts of b"
    assert "a.py" not in facts.get(["a.py", "b.py"])
