"""Reads sessions of Codex CLI: `rollout-*.jsonl`, one record per line, wrapped in `{timestamp, type, payload}` since
autumn 2025 and plain before. Text that the program adds itself (instructions, environment) is skipped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from graphmem.extract.chats.turns import (
    Conversation,
    ImportContext,
    as_mapping,
    modified_at,
    parse_time,
    read_lines,
    spoken_text,
    text_of,
    tool_call_draft,
)
from graphmem.extract.foreign import isolated
from graphmem.model.bounds import exit_status
from graphmem.model.events import Draft

PROGRAM = "codex"
_NAMES = dict.fromkeys(
    ("shell", "shell_command", "exec_command", "local_shell", "container.exec", "bash", "exec"), "Bash"
) | {"apply_patch": "Edit", "read_file": "Read", "grep_files": "Grep", "list_dir": "LS", "update_plan": "TodoWrite"}
_INJECTED = re.compile(
    r"\s*(?:<(?:user_instructions|environment_context|permissions|turn_aborted|skill|INSTRUCTIONS|user_shell_command)\b"
    r"|# AGENTS\.md instructions)"
)
_CODE = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d+)", re.M)
_BODY = re.compile(r"\A(?:(?:Exit code|Wall time|Chunk ID|Total output lines|Process exited)[^\n]*\n)+(?:Output:\n)?")
_SESSION = re.compile(r"rollout-[\dT-]+?-([0-9a-f]{8}-[0-9a-f-]{27})$")


def read(path: Path, context: ImportContext) -> Iterator[Draft]:
    """Yield drafts of a rollout, in order."""
    found = _SESSION.search(path.stem)
    reading = _Reading(Conversation(context, PROGRAM, found[1] if found else path.stem, modified_at(path)), context)
    for number, record in read_lines(path, context.report):
        yield from isolated(reading.record(record, number), context.report)
        if reading.stopped:
            return
    if reading.open:
        context.report.skip("call without a result yet", len(reading.open))


class _Reading:
    """Parser state of one file."""

    def __init__(self, chat: Conversation, context: ImportContext) -> None:
        self.chat, self.context = chat, context
        self.open: dict[str, tuple[str, dict[str, Any], int]] = {}
        self.stopped = False

    def record(self, record: dict[str, Any], number: int) -> Iterator[Draft]:
        kind, at = record.get("type"), parse_time(record.get("timestamp"))
        payload = record.get("payload")
        if isinstance(payload, dict):
            if kind == "session_meta":
                self._meta(payload)
            elif kind == "turn_context":
                self._folder(payload.get("cwd"))
            elif kind == "response_item":
                yield from self._item(payload, at, number)
        elif kind is None and record.get("id") and "record_type" not in record:  # the first line of old files
            self._meta(record)
        elif kind in ("message", "function_call", "function_call_output", "local_shell_call"):
            yield from self._item(record, at, number)

    def _meta(self, meta: Mapping[str, Any]) -> None:
        if isinstance(meta.get("id"), str) and meta["id"]:
            self.chat.session = meta["id"]
        self.chat.last = parse_time(meta.get("timestamp")) or self.chat.last
        self.chat.branch = str(as_mapping(meta.get("git")).get("branch") or "")
        self._folder(meta.get("cwd"))
        self.stopped = self.context.unwanted(str(meta.get("cwd") or ""))

    def _folder(self, folder: object) -> None:
        if isinstance(folder, str) and folder and folder not in self.chat.roots:
            self.chat.roots.append(folder)

    def _item(self, item: dict[str, Any], at: int, number: int) -> Iterator[Draft]:
        kind, reference = item.get("type"), str(item.get("call_id") or "")
        if kind == "message":
            yield from self._message(item, at, number)
        elif kind in ("function_call", "custom_tool_call") and reference:
            given = item.get("arguments") if item.get("arguments") is not None else item.get("input")
            self.open[reference] = (*_named(str(item.get("name") or ""), given), at)
        elif kind == "local_shell_call" and reference:
            command = spoken_text(as_mapping(item.get("action")).get("command"))
            self.open[reference] = ("Bash", {"command": command}, at)
        elif kind in ("function_call_output", "custom_tool_call_output") and reference in self.open:
            tool, given, begun = self.open.pop(reference)
            output, code = _result(item.get("output"))
            yield from self.chat.add_tool_call(tool, given, output, at or begun, reference, exit_code=code)

    def _message(self, item: dict[str, Any], at: int, number: int) -> Iterator[Draft]:
        role, text = item.get("role"), text_of(item.get("content"))
        if role == "assistant" or (role == "user" and not _INJECTED.match(text)):
            yield from self.chat.add_message(str(role), text, at, str(item.get("id") or f"line{number}"))


def _named(tool: str, given: object) -> tuple[str, dict[str, Any]]:
    name, arguments = tool_call_draft(tool, given, _NAMES)
    if tool == "apply_patch":  # one patch may change several files
        return name, {"patch": str(as_mapping(given).get("input") or as_mapping(given).get("patch") or "")}
    return name, arguments


def _result(output: object) -> tuple[str, int | None]:
    """Return a tool's output and exit status, from any of the program's three formats."""
    if isinstance(output, str) and output.lstrip().startswith("{"):
        inner = as_mapping(output)
        code = as_mapping(inner.get("metadata")).get("exit_code")
        if isinstance(inner.get("output"), str):
            return inner["output"], code if isinstance(code, int) else None
    text = text_of(output)
    match = _CODE.search(text[:500])
    return (_BODY.sub("", text, count=1), exit_status(match[1])) if match else (text, None)
