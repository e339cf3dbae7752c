"""Cleans the messages on standard input before the MCP SDK reads them, because the SDK never answers a line that it
cannot parse. Lone surrogates become replacement characters. For any other unreadable request the id is kept, so the
client gets an error."""

from __future__ import annotations

import io
import json
import os
import re
from typing import Any, TextIO

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic_core import from_json

from graphmem.model.limits import MCP_BYTES

_HIGH, _LOW = r"u[dD][89aAbB][0-9a-fA-F]{2}", r"u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rf"\\(?:({_HIGH}\\{_LOW})|({_HIGH}|{_LOW})|.)", re.S)
_ID = re.compile(r'"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,18})')
_LOOK = 10_000  # characters at each end of a line that are searched for its id


def repair_line(line: str) -> str:
    """Return a line that the SDK can parse; "" for an unreadable line that expects no answer."""
    if "\\ud" in line or "\\uD" in line:
        line = _ESCAPE.sub(lambda found: r"\ufffd" if found[2] else found[0], line)
    try:
        from_json(line)
    except ValueError:
        return _refused(line)
    return line


def _refused(line: str, why: str = "unreadable message: not valid JSON, or nested too deeply") -> str:
    """Return a request that will be answered with an error, in place of an unreadable one."""
    found = _ID.search(line[:_LOOK]) or _ID.search(line[-_LOOK:])
    if found is None:
        return line
    return json.dumps({"jsonrpc": "2.0", "id": json.loads(found[1]), "method": why}) + "\n"


class _Lines:
    """The cleaned lines of a file."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def readline(self) -> str:
        """Return the next line, or "" at end of file."""
        line = self._file.readline(MCP_BYTES)
        if len(line) == MCP_BYTES and not line.endswith("\n"):
            while (rest := self._file.readline(MCP_BYTES)) and not rest.endswith("\n"):
                continue
            return _refused(line, f"the message is larger than {MCP_BYTES >> 20} MB")
        return repair_line(line) if line else ""


def standard_input() -> Any:
    """Return a file with the client's messages, line by line. Standard input itself is redirected to the null device, so that
    no child process reads it."""
    private, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    file = io.TextIOWrapper(os.fdopen(private, "rb"), encoding="utf-8", errors="replace")
    return anyio.wrap_file(_Lines(file))  # type: ignore[arg-type]


class Answering:
    """The messages of a client, where what is no message at all is answered at once (JSON-RPC 2.0, 5.1): it has no id, so
    the server would pass it over."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._incoming, name)

    async def __aenter__(self) -> Answering:
        await self._incoming.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> Any:
        return await self._incoming.__aexit__(*raised)

    def __aiter__(self) -> Answering:
        return self

    async def __anext__(self) -> Any:
        """Return the next message that is one."""
        while isinstance(item := await self._incoming.__anext__(), Exception):
            no_json = any(one.get("type") == "json_invalid" for one in _errors(item))
            told = types.ErrorData(
                code=types.PARSE_ERROR if no_json else types.INVALID_REQUEST,
                message="the message is not JSON" if no_json else "the message is not a JSON-RPC 2.0 request",
            )
            await self._outgoing.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=None, error=told)))
        return item


def _errors(error: Exception) -> list[Any]:
    found = getattr(error, "errors", None)
    return list(found()) if callable(found) else []
