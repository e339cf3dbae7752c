"""Every request to the server is answered: half characters are mended, and what cannot be read at all gets an error by its id."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json
from support import STOP_S

from graphmem.interfaces.mcp import incoming
from graphmem.interfaces.mcp.incoming import repair_line


@given(text=st.text(st.characters(exclude_categories=[])))
def test_what_can_be_read_keeps_its_text(text: str) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "params": {"query": text}})
    read = from_json(repair_line(line))["params"]["query"]
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert read == whole or "\ufffd" in read
    if not any("\ud800" <= letter <= "\udfff" for letter in text):
        assert read == text


@pytest.mark.parametrize(
    "line", [r'{"id":7,"x":"\\ud800"}', r'{"id":7,"x":"\ud83d\ude00"}', r'{"id":7,"x":"\n\\\\ud800"}']
)
def test_escapes_that_only_look_like_one_stay(line: str) -> None:
    assert repair_line(line) == line


@pytest.mark.parametrize(
    "line", ['{"id": "a\\"b", "method": ', '{"id": "a\\"b", "x": ' + "[" * 5_000 + "]" * 5_000 + "}"]
)
def test_what_cannot_be_read_keeps_its_id(line: str) -> None:
    told = json.loads(repair_line(line))
    assert told["id"] == 'a"b' and told["method"].startswith("unreadable")


def test_no_call_is_left_without_an_answer(tmp_path: Path) -> None:
    """Raw lines over real standard input, as the client libraries cannot send them."""
    process = subprocess.Popen(
        [sys.executable, "-m", "graphmem.interfaces.entry", "mcp"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ),
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None

    def say(line: bytes) -> None:
        assert process.stdin is not None
        process.stdin.write(line + b"\n")
        process.stdin.flush()

    def ask(number: int, tool: bytes, arguments: bytes) -> dict[str, Any]:
        say(b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":%s}}' % (number, tool, arguments))  # fmt: skip
        assert process.stdout is not None
        answer: dict[str, Any] = json.loads(process.stdout.readline())
        assert answer["id"] == number
        return answer

    client = b'{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}'
    say(b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":%s}' % client)
    assert json.loads(process.stdout.readline())["id"] == 0
    say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    assert "Saved" in str(ask(1, b"remember", b'{"content":"half \\udc00 of it"}'))
    half = [b'{"query":"\\ud800"}', b'{"query":"\xff\xfe"}', b'{"query":"\\u0000"}', b'{"query":' + b"9" * 400 + b"}"]
    for number, arguments in enumerate(half, 2):
        assert "result" in ask(number, b"search", arguments)
    assert "error" in ask(9, b"search", b'{"query":' + b"[" * 5_000 + b"]" * 5_000 + b"}")
    assert "result" in ask(10, b"cypher", b'{"query":"RETURN \'\\ud800\'"}')
    for line, code in ((b"no JSON at all", -32700), (b'{"jsonrpc":', -32700), (b"[1, 2]", -32600)):
        say(line)
        answer = json.loads(process.stdout.readline())
        assert answer["id"] is None and answer["error"]["code"] == code
    assert "result" in ask(11, b"search", b'{"query":"half"}')
    process.stdin.close()
    assert process.wait(STOP_S) == 0


def test_an_endless_message_is_refused_by_its_id_and_the_next_one_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incoming, "MCP_BYTES", 1_000)
    lines = incoming._Lines(io.StringIO('{"id": 7, "x": "' + "y" * 5_000 + '"}\n{"id": 8}\n'))
    assert json.loads(lines.readline()) == {"jsonrpc": "2.0", "id": 7, "method": "the message is larger than 0 MB"}
    assert json.loads(lines.readline()) == {"id": 8} and not lines.readline()
