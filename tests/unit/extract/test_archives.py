"""Zip files that others made: bombs are refused in one sentence before they take memory, damaged ones say so."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem import Memory
from graphmem.errors import SourceError
from graphmem.extract import archives

CHAT = json.dumps(
    [{"chat_messages": [{"sender": "human", "text": "Is the lamp lit?", "uuid": "m1"}], "uuid": "c1", "name": "Lamp"}]
)


def archive(path: Path, entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as made:
        for name, data in entries.items():
            made.writestr(name, data)
    return path


def bomb(path: Path, size: int) -> Path:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made,
        made.open("conversations.json", "w", force_zip64=True) as entry,
    ):
        entry.write(CHAT[:-1].encode() + b",")
        for _ in range(size >> 20):
            entry.write(b" " * (1 << 20))
    return path


def every(name: str) -> bool:
    return True


def test_a_bomb_is_refused_before_it_takes_memory(memory: Memory, tmp_path: Path) -> None:
    file = bomb(tmp_path / "bomb.zip", 400 << 20)
    assert file.stat().st_size < 1_000_000
    tracemalloc.start()
    report = memory.ingest("sessions", file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150_000_000
    (error,) = report.errors
    assert "250 times its size, so it was not read" in error and report.skipped == {"unreadable file": 1}


def test_a_folder_with_a_bomb_gives_the_rest(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    bomb(folder / "bomb.zip", 50 << 20)
    archive(folder / "export.zip", {"conversations.json": CHAT.encode()})
    report = memory.ingest("sessions", folder)
    assert report.new >= 1 and len(report.errors) == 1


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_whole_entries_come_in_the_order_of_their_names(tmp_path: Path, method: int) -> None:
    file = archive(tmp_path / "a.zip", {"b": b"2" * 3_000_000, "a": b"1", "c": b"3"}, method)
    assert list(archives.read_entries(file, lambda name: name != "c")) == [b"1", b"2" * 3_000_000]
    assert archives.read_beginning(file, lambda name: name == "b", 10) == b"2" * 10
    assert archives.read_beginning(file, lambda name: False, 10) == b""


def test_one_entry_and_all_together_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = archive(tmp_path / "a.zip", {str(number): b"x" * 1_000 for number in range(10)}, zipfile.ZIP_STORED)
    monkeypatch.setattr(archives, "MOST_TOTAL", 5_000)
    with pytest.raises(SourceError, match="more than 5,000 bytes"):
        list(archives.read_entries(file, every))
    monkeypatch.setattr(archives, "MOST_ENTRY", 999)
    with pytest.raises(SourceError, match="entry of more than 999 bytes"):
        list(archives.read_entries(file, every))


def test_too_many_entries_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = archive(tmp_path / "a.zip", {f"{number:040}": b"" for number in range(1_000)})
    monkeypatch.setattr(archives, "MOST_LISTED", 80_000)
    with pytest.raises(SourceError, match="lists too many entries"):
        list(archives.read_entries(file, every))


def _whole() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("conversations.json", CHAT)
        file.writestr("conversations-2.json", CHAT * 5, zipfile.ZIP_LZMA)
    return made.getvalue()


WHOLE = _whole()


@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=8), st.integers(0, 60)
)
def test_damage_is_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, changed: list[tuple[int, int]], cut: int
) -> None:
    data = bytearray(WHOLE)
    for place, value in changed:
        data[place] = value
    file = tmp_path_factory.mktemp("zip") / "a.zip"
    file.write_bytes(bytes(data[: len(data) - cut]))
    try:
        found = list(archives.read_entries(file, every))
    except SourceError as error:
        assert "damaged zip file" in error.message or "not read" in error.message
    else:
        assert all(isinstance(entry, bytes) for entry in found)
