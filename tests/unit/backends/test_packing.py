"""The file of a closed graph is compressed, or has holes, and comes back as it was."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ENGINE

from graphmem.backends.graph import packing
from graphmem.backends.graph.embedded import EmbeddedGraph
from graphmem.backends.remote.place import runtime_folder
from graphmem.errors import StoreDamaged, StoreError
from graphmem.model.changes import Changes, Node
from graphmem.ports.graph import Rows

COUNT = "MATCH (t:Turn) RETURN count(*)"
PIECES = st.lists(st.tuples(st.sampled_from([b"\0", b"x", b"\0\0\0y"]), st.integers(1, 20_000)), max_size=12)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def opened(folder: Path, **options: bool) -> EmbeddedGraph:
    return EmbeddedGraph(folder / "graph.kuzu", buffer_pool_mb=128, **options, engine=ENGINE)


def add(graph: EmbeddedGraph, number: int) -> None:
    graph.apply(Changes(nodes=[Node("Turn", f"t{number}", {"content": f"text {number}"})]), {"events": number})


def counted(graph: EmbeddedGraph) -> object:
    answer: Rows = graph.query(COUNT)
    return answer.rows[0][0]


@given(PIECES)
def test_any_file_comes_back_as_it_was(pieces: list[tuple[bytes, int]]) -> None:
    content = b"".join(text * length for text, length in pieces)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "graph"
        file.write_bytes(content)
        packing.shrink_file(file)
        assert packing.is_packed(file) and names(Path(folder)) == ["graph.zst"]
        packing.unpack_file(file, file, zlib.crc32(content), 1_000_000_007)
        assert file.read_bytes() == content and file.stat().st_mtime_ns == 1_000_000_007
        assert not file.stat().st_mode & 0o77
        with pytest.raises(StoreDamaged, match="changed"):
            packing.unpack_file(file, file.with_name("other"), zlib.crc32(content) ^ 1, 0)
        assert names(Path(folder)) == ["graph", "graph.zst"]


@given(PIECES)
def test_holes_change_nothing(pieces: list[tuple[bytes, int]]) -> None:
    content = b"".join(text * length for text, length in pieces)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "_MAX_PACKED_BYTES", -1)
        file = Path(folder) / "graph"
        file.write_bytes(content)
        packing.shrink_file(file)
        assert file.read_bytes() == content and names(Path(folder)) == ["graph"]


@pytest.mark.skipif(sys.platform != "linux", reason="holes are made with a call of Linux")
def test_empty_pages_take_no_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_MAX_PACKED_BYTES", -1)
    file = tmp_path / "graph"
    file.write_bytes(b"x" * 8_192 + bytes(8 << 20) + b"x")
    packing.shrink_file(file)
    assert file.stat().st_blocks * 512 < 1 << 20 < file.stat().st_size


def test_a_closed_graph_is_small_and_opens_again(tmp_path: Path) -> None:
    graph = opened(tmp_path)
    add(graph, 1)
    graph.close()
    packed = tmp_path / "graph.kuzu.zst"
    assert not (tmp_path / "graph.kuzu").exists() and packed.stat().st_size < 200_000
    graph = opened(tmp_path)
    before = packed.stat()
    assert counted(graph) == 1 and not graph.reverted
    graph.release_memory()
    after = packed.stat()
    assert not (tmp_path / "graph.kuzu").exists()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)  # nothing changed
    add(graph, 2)
    assert not packed.exists()
    graph.release_memory()
    assert packed.exists() and graph.find_damage() == "" and graph.query_untrusted(COUNT, timeout=30).rows == [[2]]
    assert not (tmp_path / "graph.kuzu").exists()  # a copy was enough
    graph.close()
    assert names(tmp_path) == ["graph.kuzu.seal", "graph.kuzu.zst"]


KILLED = """
import os, signal, sys
from pathlib import Path
from graphmem.backends.graph.embedded import EmbeddedGraph
from graphmem.model.changes import Changes, Node
graph = EmbeddedGraph(Path(sys.argv[1]), engine=sys.argv[2], buffer_pool_mb=128)
graph.apply(Changes(nodes=[Node("Turn", "t2", {})]), {"events": 2})
graph._checkpoint()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("stale", [False, True])
def test_after_a_kill_the_graph_itself_counts(tmp_path: Path, stale: bool) -> None:
    graph = opened(tmp_path)
    add(graph, 1)
    graph.close()
    packed = tmp_path / "graph.kuzu.zst"
    old = packed.read_bytes()
    subprocess.run([sys.executable, "-c", KILLED, tmp_path / "graph.kuzu", ENGINE])
    assert (tmp_path / "graph.kuzu").exists() and not packed.exists()
    if stale:
        packed.write_bytes(old)
    graph = opened(tmp_path)
    assert counted(graph) == 2 and graph.reverted and not packed.exists()
    graph.close()


@pytest.mark.parametrize("harm", ["flipped", "cut", "replaced"])
def test_a_damaged_compressed_file_is_refused(tmp_path: Path, harm: str) -> None:
    graph = opened(tmp_path)
    add(graph, 1)
    graph.close()
    packed = tmp_path / "graph.kuzu.zst"
    data = bytearray(packed.read_bytes())
    data[len(data) // 2] ^= 1
    packed.write_bytes({"flipped": bytes(data), "cut": bytes(data[: len(data) // 2]), "replaced": b"nothing"}[harm])
    with pytest.raises(StoreDamaged, match="cannot be trusted"):
        opened(tmp_path)


def test_a_graph_in_a_read_only_folder_is_unpacked_elsewhere(tmp_path: Path) -> None:
    graph = opened(tmp_path)
    add(graph, 1)
    graph.close()
    before = names(tmp_path)
    with_others = [opened(tmp_path, frozen=True), opened(tmp_path, frozen=True)]
    for frozen in with_others:
        assert counted(frozen) == 1 and frozen.query_untrusted(COUNT, timeout=30).rows == [[1]]
        with pytest.raises(StoreError, match="read-only"):
            add(frozen, 2)
    for frozen in with_others:
        frozen.close()
    assert names(tmp_path) == before and not list(runtime_folder().glob("*.kuzu"))


def test_without_space_a_graph_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    graph = opened(tmp_path)
    add(graph, 1)
    monkeypatch.setattr(os, "fsync", full)
    graph.close()
    assert names(tmp_path) == ["graph.kuzu", "graph.kuzu.seal"]
    graph = opened(tmp_path)
    assert counted(graph) == 1
    graph.close()


def test_a_file_from_elsewhere_cannot_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "graph"
    file.write_bytes(b"\0" * (4 << 20))
    packing.shrink_file(file)
    monkeypatch.setattr(packing, "_MAX_PACKED_BYTES", 2 << 20)
    with pytest.raises(StoreDamaged, match="too large"):
        packing.unpack_file(file, file, zlib.crc32(b"\0" * (4 << 20)), 0)
    assert names(tmp_path) == ["graph.zst"]
