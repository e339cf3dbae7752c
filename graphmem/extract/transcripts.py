"""Reads transcripts of Claude Code (JSON lines): prompts, answers and tool calls with results become event drafts with
their original times and ids. Malformed lines are counted, never fatal."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from graphmem.extract.foreign import isolated, text_lines, without_private_sections
from graphmem.model.bounds import seconds_to_time
from graphmem.model.events import Draft
from graphmem.model.sources import IngestReport
from graphmem.privacy import strip_private_sections
from graphmem.text.toolcalls import describe_call, is_own_tool

_FIRST_LINES = 50  # records of a transcript that may name the session's folder
_OPEN_TAIL = 200  # a call without result may still get it if within this many records of the end


def folder_of(path: Path) -> str:
    """Return the folder of a session from its first records; "" if unknown."""
    try:
        for _, line in islice(text_lines(path, IngestReport("")), _FIRST_LINES):
            with contextlib.suppress(ValueError, RecursionError):
                record = json.loads(line)
                if isinstance(record, dict) and isinstance(record.get("cwd"), str):
                    return str(record["cwd"])
    except OSError:
        pass  # counted when it is read
    return ""


@dataclass(slots=True)
class _Call:
    """A tool call that waits for its result."""

    record: dict[str, Any]
    tool: str
    arguments: dict[str, Any]
    number: int


@dataclass(slots=True)
class Transcript:
    """Parser state of one file."""

    path: Path
    project: str
    report: IngestReport
    roots: list[str] = field(default_factory=list)
    calls: dict[str, _Call] = field(default_factory=dict)
    started: set[str] = field(default_factory=set)
    prompts: Counter[str] = field(default_factory=Counter)

    def drafts(self) -> Iterator[Draft]:
        """Yield drafts in the order of the file."""
        try:
            yield from self.read(line for _, line in text_lines(self.path, self.report))
        except OSError as error:
            self.report.skip("unreadable file")
            self.report.errors.append(f"{self.path}: {error.strerror}")

    def read(self, lines: Iterable[bytes | str]) -> Iterator[Draft]:
        """Yield drafts of these lines, in order."""
        number = 0
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield from isolated(self._record(line, number), self.report, "malformed line")
        for identifier, call in self.calls.items():
            if number - call.number > _OPEN_TAIL:
                yield self._tool(call.record, identifier, call, "", failed=True)
            else:
                self.report.skip("call without a result yet")

    def _record(self, line: bytes | str, number: int) -> Iterator[Draft]:
        try:
            record = json.loads(line if isinstance(line, str) else line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            self.report.skip("malformed line")
            return
        if not isinstance(record, dict):
            self.report.skip("malformed line")
            return
        message = record.get("message")
        if (
            record.get("type") not in ("user", "assistant")
            or not isinstance(message, dict)
            or not isinstance(record.get("sessionId"), str | int)
            or record["sessionId"] in ("", 0)
        ):
            return
        record["sessionId"] = str(record["sessionId"])
        if isinstance(record.get("cwd"), str) and record["cwd"] and record["cwd"] not in self.roots:
            self.roots.append(record["cwd"])
        yield from self._session(record)
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for index, block in enumerate(without_private_sections(blocks) if isinstance(blocks, list) else []):
            if isinstance(block, dict):
                yield from self._block(record, block, index, number)

    def _session(self, record: dict[str, Any]) -> Iterator[Draft]:
        session = record["sessionId"]
        if session not in self.started:
            self.started.add(session)
            payload = {"cwd": record.get("cwd", ""), "branch": record.get("gitBranch", ""), "source": "claude-code"}
            yield Draft(
                "session_start", payload, parse_time(record), session, self.project, "system", f"session:{session}"
            )

    def _block(self, record: dict[str, Any], block: dict[str, Any], index: int, number: int) -> Iterator[Draft]:
        kind = block.get("type")
        if kind == "text" and isinstance(block.get("text"), str) and block["text"].strip():
            yield self._text(record, block["text"], index)
        elif kind == "tool_use" and block.get("id"):
            arguments = block.get("input")
            self.calls[block["id"]] = _Call(
                record, str(block.get("name")), arguments if isinstance(arguments, dict) else {}, number
            )
        elif kind == "tool_result" and block.get("tool_use_id") in self.calls:
            identifier = block["tool_use_id"]
            call = self.calls.pop(identifier)
            if is_own_tool(call.tool, call.arguments):
                self.report.skip("graphmem's own output")
                return
            yield self._tool(record, identifier, call, _plain(block.get("content")), failed=bool(block.get("is_error")))

    def _text(self, record: dict[str, Any], text: str, index: int) -> Draft:
        person = record["type"] == "user" and not record.get("isMeta") and not record.get("isCompactSummary")
        role = "user" if person else "assistant" if record["type"] == "assistant" else "system"
        payload = {"role": role, "content": text, "ref": record.get("uuid", ""), "agent": record.get("agentId", "")}
        payload |= _folder(record)
        kind = "user_prompt" if role != "assistant" else "agent_response"
        key = f"claude-code:{record['sessionId']}:{record.get('uuid')}:{index}"
        if role == "user":  # a hook recorded it before, without its uuid
            prompt = prompt_key(record["sessionId"], text)
            self.prompts[prompt] += 1
            key = f"{prompt}{self.prompts[prompt]}"
        return Draft(kind, payload, parse_time(record), record["sessionId"], self.project, role, key)

    def _tool(self, record: dict[str, Any], identifier: str, call: _Call, output: str, *, failed: bool) -> Draft:
        payload = describe_call(
            call.tool, call.arguments, strip_private_sections(output), failed=failed, roots=self.roots
        )
        payload |= {"ref": identifier, "agent": record.get("agentId", "")} | _folder(record)
        session = record["sessionId"]
        return Draft(
            "tool_observation",
            payload,
            parse_time(record),
            session,
            self.project,
            "tool",
            f"claude-code:{session}:{identifier}",
        )


def _folder(record: dict[str, Any]) -> dict[str, str]:
    """Return the folder from which the paths in a record start, if it tells one."""
    folder = record.get("cwd")
    return {"cwd": folder} if isinstance(folder, str) and folder else {}


def prompt_key(session: str, text: str) -> str:
    """Return the key of a prompt, the same in transcripts and hooks: text plus the number of its repetition in the
    session, from 1."""
    return f"claude-code:{session}:prompt:{hashlib.sha256(text.strip().encode('utf-8', 'replace')).hexdigest()[:24]}:"


def parse_time(record: dict[str, Any]) -> int:
    """Return the time of a record in microseconds since 1970 UTC; 0 if none."""
    try:
        told = datetime.fromisoformat(str(record.get("timestamp", "")).replace("Z", "+00:00"))
        return seconds_to_time(told.timestamp())
    except (ValueError, OverflowError):
        return 0


def _plain(content: Any) -> str:
    """Return the text of a tool result, which is a string or a list of blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(str(block.get("text", "")) for block in content if isinstance(block, dict))
    return ""
