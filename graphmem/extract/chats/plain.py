"""Reads conversations as JSON lines: one turn per line (`role`, `content`, and optionally `session`, `at`, `id`), or one
chat per line (`messages` in the chat completion format, including tool calls)."""

from __future__ import annotations

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
    text_of,
    tool_call_draft,
)
from graphmem.extract.foreign import isolated
from graphmem.model.events import Draft

PROGRAM = "jsonl"
ROLES = {"user": "user", "human": "user", "person": "user", "assistant": "assistant", "ai": "assistant",
         "model": "assistant", "bot": "assistant", "agent": "assistant", "tool": "tool", "function": "tool"}  # fmt: skip
_ROLE = ("role", "sender", "author", "speaker", "type")
_TEXT = ("content", "text", "message", "body")
_SESSION = ("session", "session_id", "sessionId", "conversation_id", "conversation", "thread_id", "chat_id")
_TIME = ("at", "timestamp", "time", "created_at", "createdAt", "create_time", "date", "ts")
_REF = ("id", "ref", "uuid", "message_id")
_NAMES = {"bash": "Bash", "shell": "Bash", "edit": "Edit", "write": "Write", "read": "Read"}


def read(path: Path, context: ImportContext) -> Iterator[Draft]:
    """Yield drafts of a file, in order."""
    chats: dict[str, Conversation] = {}
    asked: dict[str, tuple[str, dict[str, Any]]] = {}

    def chat(record: Mapping[str, Any], usual: str) -> Conversation:
        name = str(_first(record, _SESSION) or usual)
        if name not in chats:
            folder = record.get("cwd")
            begun = parse_time(_first(record, _TIME)) or modified_at(path)
            chats[name] = Conversation(
                context, PROGRAM, name, begun, [folder] if isinstance(folder, str) and folder else []
            )
        return chats[name]

    def read_record(record: Mapping[str, Any], number: int) -> Iterator[Draft]:
        if isinstance(record.get("messages"), list):
            one = chat(record, str(_first(record, _REF) or f"{path.stem}:{number}"))
            for message in map(as_mapping, record["messages"]):
                yield from isolated(_turn(one, message, asked, context, ""), context.report)
        else:
            yield from _turn(chat(record, path.stem), record, asked, context, f"line{number}")

    for number, record in read_lines(path, context.report):
        if not (isinstance(record.get("cwd"), str) and context.unwanted(record["cwd"])):
            yield from isolated(read_record(record, number), context.report)


def _turn(
    chat: Conversation,
    record: Mapping[str, Any],
    asked: dict[str, tuple[str, dict[str, Any]]],
    context: ImportContext,
    usual: str,
) -> Iterator[Draft]:
    role = ROLES.get(str(_first(record, _ROLE) or "").lower())
    text, at = text_of(_first(record, _TEXT)), parse_time(_first(record, _TIME))
    reference = str(_first(record, _REF) or usual)
    calls = [as_mapping(each) for each in record.get("tool_calls") or []]
    for one in calls:
        function = as_mapping(one.get("function")) or one
        given = function.get("arguments", function.get("args", function.get("input")))
        asked[str(one.get("id"))] = tool_call_draft(str(function.get("name") or "tool"), given, _NAMES)
    if role == "tool":
        usual_call = tool_call_draft(
            str(record.get("name") or record.get("tool") or "tool"), record.get("input"), _NAMES
        )
        tool, given = asked.pop(str(record.get("tool_call_id") or ""), usual_call)
        name = str(record.get("tool_call_id") or reference)
        yield from chat.add_tool_call(
            tool, given, text, at, name, failed=bool(record.get("failed") or record.get("error"))
        )
    elif role and text.strip():
        yield from chat.add_message(role, text, at, reference)
    elif not calls:
        context.report.skip("record without role and text" if role is None else "empty turn")


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if record.get(name) not in (None, "")), None)
