"""What cannot be imported ends with status 1 and one reason; what can in part, with status 0 and a note."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphmem import Memory
from graphmem.interfaces.cli.main import build

CHAT = {
    "id": "c1", "create_time": 1, "current_node": "a",
    "mapping": {"a": {"id": "a", "parent": None, "children": [], "message": {
        "id": "a", "author": {"role": "user"}, "create_time": 1, "content": {"parts": ["The harbour crane is yellow."]}}}},
}  # fmt: skip


def zipped(name: str, data: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, data)

    return make


ODD: list[tuple[str, Callable[[Path], object], str]] = [
    ("bad.zip", lambda path: path.write_bytes(b"PK\x03\x04" + b"\x00" * 400), "not JSON"),
    ("empty.zip", zipped("readme.txt", "x"), "no conversations.json"),
    ("bomb.zip", zipped("conversations.json", " " * 30_000_000), "more than 250 times"),
    ("html.json", lambda path: path.write_text("<html><body>Log in</body></html>"), "not JSON"),
    ("trunc.json", lambda path: path.write_text(json.dumps([CHAT])[:90]), "cut off"),
    ("deep.json", lambda path: path.write_text("[" * 1_000_000), "no conversation"),
    ("deeper.json", lambda path: path.write_text('{"mapping": ' * 200_000), "nested too deeply"),
    ("fifo", os.mkfifo, "neither a file nor a folder"),
]


@pytest.fixture
def here(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store that this process owns, so that no daemon has to start."""
    monkeypatch.setenv("GRAPHMEM_STORE", str(memory.location))
    return memory.location


@pytest.mark.parametrize(("name", "make", "reason"), ODD)
def test_what_cannot_be_read_ends_with_one_reason(
    name: str, make: Callable[[Path], object], reason: str, tmp_path: Path, here: Path
) -> None:
    make(tmp_path / name)
    for _ in range(2):  # also when it was tried before
        done = CliRunner().invoke(build(), ["import", "--from", "chatgpt", str(tmp_path / name)])
        said = " ".join((done.stdout + done.stderr).split()).replace(" ", "")
        assert done.exit_code == 1 and reason.replace(" ", "") in said, done.output
        assert said.count(str(tmp_path / name)) == 1, said


def test_what_can_be_read_in_part_is(tmp_path: Path, here: Path) -> None:
    (tmp_path / "some.json").write_text(json.dumps([CHAT])[:-1] + ', {"mapping": {')
    done = CliRunner().invoke(build(), ["import", "--from", "chatgpt", str(tmp_path / "some.json")])
    assert done.exit_code == 0 and "malformed conversation 1" in " ".join(done.output.split()), done.output
