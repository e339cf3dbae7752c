from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.backends.log import file_access
from graphmem.backends.remote import client, place


def test_what_owners_left_that_ended_while_they_wrote_is_removed(tmp_path: Path) -> None:
    for pid in (11, 12):
        (tmp_path / f"{place.ENDPOINT_FILE}.{pid}").write_text("")
    place.write_endpoint(tmp_path, {"pid": 13, "token": "t"})
    assert [file.name for file in tmp_path.iterdir()] == [place.ENDPOINT_FILE]
    assert place.read_endpoint(tmp_path) == {"pid": 13}


def test_a_full_disk_is_named_where_an_owner_cannot_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "owner.log" in client.why_not_started(tmp_path)
    monkeypatch.setattr(file_access, "ROOM", 1 << 62)
    assert client.why_not_started(tmp_path).startswith("the disk is full")
