"""What strangers wrote cannot command an owner or its clients: data stays data on both ways, and who does not know the token is
not heard."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import STOP_S

from graphmem import Memory
from graphmem.backends.remote import client, place
from graphmem.backends.remote.messages import Call, GraphCursors, GraphQuery, Hello, Hook, Stop, codec_of
from graphmem.operations.pipeline import Process
from graphmem.operations.vocabulary import RECORDS

CODEC = codec_of(RECORDS)
SMALL = {"embedding.provider": "none", "graph.buffer_pool_mb": 64}


@pytest.fixture
def owned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("GRAPHMEM_STORE", str(tmp_path / "store"))
    with Memory.open(tmp_path / "store", project="demo", settings=SMALL) as mem:
        mem.observe("one")
        mem.process()
        yield mem


def command(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "graphmem.interfaces.entry", *arguments],
        input=given,
        capture_output=True,
        timeout=STOP_S,
    )


def attack(marker: Path) -> list[dict[str, Any]]:
    run = f"touch {marker}"
    return [
        {"$record": "graphmem.ingest.capture:_run", "items": [run, None]},
        {"$record": "graphmem.ingest.capture:_run", "fields": {"command": run, "cwd": None}},
        {"nested": [[1, "Stop"], [1, "graphmem.ingest.capture:_run", run, None], {"$time": "x"}]},
    ]


def test_a_tool_result_runs_nothing(owned: Memory, tmp_path: Path) -> None:
    for number, value in enumerate(attack(tmp_path / "marker")):
        given = {
            "session_id": f"s{number}", "cwd": str(tmp_path), "tool_name": "Bash", "tool_use_id": f"t{number}",
            "tool_input": {"command": "make"}, "tool_response": {"structuredContent": value, "stdout": "done"},
        }  # fmt: skip
        head = owned.head
        done = command("hook", "PostToolUse", given=json.dumps(given).encode())
        assert (done.returncode, done.stderr) == (0, b"") and json.loads(done.stdout) == {}
        assert owned.head > head  # the owner took it in
    assert not (tmp_path / "marker").exists()


def test_a_map_of_a_query_runs_nothing_in_the_client(owned: Memory, tmp_path: Path) -> None:
    query = "RETURN {`$record`: 'graphmem.ingest.capture:_run', items: ['touch %s', 'x']} AS x" % (tmp_path / "marker")
    done = command("cypher", query, "--json")
    assert b"$record" in done.stdout, done
    assert not (tmp_path / "marker").exists()
    other = Memory.open(owned.location, settings=SMALL, daemon=True)
    with other:
        assert other.cypher(query).rows == owned.cypher(query).rows


def greeted(store: Path) -> socket.socket:
    connection = client.connect(store)
    assert connection is not None
    connection.settimeout(STOP_S)
    connection.sendall(CODEC.encode(Hello(place.read_token(store))))
    assert b"Welcome" in connection.recv(1 << 16)
    return connection


@pytest.mark.parametrize("first", [
    b"garbage\n", b"\n", b"{}\n", b'{"call":"stop","arguments":{}}\n', CODEC.encode(Stop()), CODEC.encode(Hello("")),
    CODEC.encode(Hello("0" * 64)), CODEC.encode(Call(GraphCursors())), b'[1,"Hello",["x"]]\n', b"x" * 10_000, b"[" * 4_000 + b"\n",
])  # fmt: skip
def test_nobody_is_heard_without_the_token(first: bytes, owned: Memory) -> None:
    with client.connect(owned.location) as connection:
        connection.settimeout(STOP_S)
        connection.sendall(first)
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(1 << 16) == b""
    assert not owned._store.stopping.is_set()
    assert place.read_token(owned.location) and (owned.location / "owner.json").stat().st_mode & 0o077 == 0
    assert "token" not in place.read_endpoint(owned.location)


def test_garbage_of_a_greeted_client_hurts_nobody(owned: Memory) -> None:
    drawn = random.Random(7)
    call = CODEC.encode(Call(GraphQuery("RETURN 1", {}, 1, 1.0)))
    hook = CODEC.encode(Hook("PostToolUse", '{"session_id": "s"}', 0))
    with greeted(owned.location) as connection:
        for _ in range(400):
            line = bytearray(drawn.choice([call, hook])[:-1])
            for _ in range(drawn.randrange(1, 6)):
                line[drawn.randrange(len(line))] = drawn.choice(b'[]{},:"019az\x00\xff')
            connection.sendall(line + b"\n")
            assert connection.recv(1 << 16).startswith(b"[1,")
    assert owned.cypher("MATCH (t:Turn) RETURN count(*)").rows == [[1]]


def test_a_client_that_leaves_or_waits_holds_up_nobody(owned: Memory) -> None:
    silent = [client.connect(owned.location) for _ in range(60)]
    with greeted(owned.location) as connection:
        connection.sendall(CODEC.encode(Call(Process())))
    began = time.monotonic()
    with Memory.open(owned.location, settings=SMALL, daemon=True) as other:
        assert other.cypher("RETURN 1").rows == [[1]]
    assert time.monotonic() - began < STOP_S  # each of the silent ones may take five seconds to greet
    for each in silent:
        each.close()


def test_a_hook_does_not_trust_the_owner_that_a_copied_store_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from graphmem.interfaces import owner_socket
    from graphmem.interfaces.hooks import owner

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen()
        (tmp_path / "owner.json").write_text(json.dumps({"socket": str(tmp_path / "s"), "token": "x"}))
        monkeypatch.setattr(owner_socket.os, "getuid", lambda: 987_654)
        with pytest.raises(owner_socket.OwnerUnavailable):
            owner.ask(str(tmp_path), "PostToolUse", {}, 1.0)
