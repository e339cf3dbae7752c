"""Reads sessions of Gemini CLI: recorded chats (`chats/session-*.json`, or JSON lines in newer versions) and checkpoints
(`checkpoint-*.json`, a list of contents without times or ids)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphmem.extract.chats.turns import (
    Conversation,
    ImportContext,
    as_mapping,
    modified_at,
    parse_time,
    text_of,
    tool_call_draft,
)
from graphmem.extract.foreign import isolated, text_of_file, without_private_sections
from graphmem.model.bounds import exit_status
from graphmem.model.events import Draft

PROGRAM = "gemini"
_NAMES = {
    "run_shell_command": "Bash", "write_file": "Write", "replace": "Edit", "edit": "Edit", "read_file": "Read",
    "search_file_content": "Grep", "grep_search": "Grep", "glob": "Glob", "list_directory": "LS",
    "web_fetch": "WebFetch", "google_web_search": "WebSearch", "write_todos": "TodoWrite",
}  # fmt: skip
_EXIT = re.compile(r"^Exit Code: (\d+)", re.M)
_OUTPUT = re.compile(r"^(?:Stdout|Output): (.*?)(?=^(?:Stderr|Error|Exit Code|Signal|Background PIDs|Process Group PGID):|\Z)",
                     re.M | re.S)  # fmt: skip


def read(path: Path, context: ImportContext) -> Iterator[Draft]:
    """Yield drafts of a chat or checkpoint, in order."""
    record = _record(path, context)
    if isinstance(record, dict) and isinstance(record.get("messages"), list):
        yield from _chat(path, record, context)
    elif isinstance(record, dict) and isinstance(record.get("history"), list):
        yield from _checkpoint(path, record["history"], context)
    elif isinstance(record, list):
        yield from _checkpoint(path, record, context)
    elif record is not None:
        context.report.skip("no transcript")


def _record(path: Path, context: ImportContext) -> Any:
    """Return the whole chat: a JSON value, or lines of which the first describes the session and later ones replace or
    add records."""
    text = text_of_file(path)
    if path.suffix == ".json":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            context.report.skip("malformed file")
            return None
    whole: dict[str, Any] = {}
    messages: dict[str, Any] = {}
    for line in filter(str.strip, text.split("\n")):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict):
            context.report.skip("malformed line")
        elif "type" in entry and "id" in entry:
            messages[str(entry["id"])] = entry  # repeated while it grew: the last one counts
        else:
            whole |= as_mapping(entry.get("$set", entry))
    first = whole.get("messages")
    return whole | {"messages": [*(first if isinstance(first, list) else ()), *messages.values()]}


def folder_of(path: Path, record: dict[str, Any], known: dict[str, str]) -> str:
    """Return the folder of a chat: from the file next to it, or by hash among the `known` ones; "" if unknown."""
    mark = path.parent.parent / ".project_root"
    if mark.is_file():
        return mark.read_text("utf-8", "replace").strip()
    return known.get(str(record.get("projectHash") or path.parent.parent.name), "")


def folders_by_hash(folders: list[str]) -> dict[str, str]:
    """Return folders by the program's hash."""
    return {hashlib.sha256(folder.encode()).hexdigest(): folder for folder in folders}


def _chat(path: Path, record: dict[str, Any], context: ImportContext) -> Iterator[Draft]:
    folder = folder_of(path, record, folders_by_hash(context.folders))
    if context.unwanted(folder):
        return
    begun = parse_time(record.get("startTime")) or modified_at(path)
    chat = Conversation(context, PROGRAM, str(record.get("sessionId") or path.stem), begun, [folder] if folder else [])
    for message in record["messages"]:
        if not isinstance(message, dict):
            context.report.skip("malformed message")
            continue
        yield from isolated(_message(chat, message), context.report, "malformed message")


def _message(chat: Conversation, message: dict[str, Any]) -> Iterator[Draft]:
    at, reference = parse_time(message.get("timestamp")), str(message.get("id") or "")
    role = {"user": "user", "gemini": "assistant", "model": "assistant"}.get(str(message.get("type")))
    if role:
        yield from chat.add_message(role, text_of(message.get("content")), at, reference)
    for one in message.get("toolCalls") or []:
        if isinstance(one, dict):
            yield from _tool(chat, one, at)


def _tool(chat: Conversation, one: dict[str, Any], at: int) -> Iterator[Draft]:
    tool, given = tool_call_draft(str(one.get("name") or ""), one.get("args"), _NAMES)
    output = _responses(one.get("result")) or text_of(one.get("resultDisplay"))
    failed = one.get("status") in ("error", "cancelled")
    code = None
    if tool == "Bash":
        output, code = _shell(output)
    at = parse_time(one.get("timestamp")) or at
    yield from chat.add_tool_call(tool, given, output, at, str(one.get("id") or ""), failed=failed, exit_code=code)


def _responses(result: object) -> str:
    found = []
    for part in result if isinstance(result, list) else [result]:
        response = as_mapping(as_mapping(part).get("functionResponse")).get("response")
        inner = as_mapping(response)
        found.append(text_of(inner.get("output") or inner.get("error") or ""))
    return "\n".join(filter(None, found))


def _shell(output: str) -> tuple[str, int | None]:
    """Return a command's output and exit status from the report for the model."""
    match, printed = _EXIT.search(output), _OUTPUT.search(output)
    return (printed[1].strip() if printed else output), exit_status(match[1]) if match else None


def _checkpoint(path: Path, contents: list[Any], context: ImportContext) -> Iterator[Draft]:
    folder = folder_of(path.parent / "chats" / path.name, {}, folders_by_hash(context.folders))
    if context.unwanted(folder):
        return
    session = f"{path.parent.name[:16]}:{path.stem}"
    chat = Conversation(context, PROGRAM, session, modified_at(path), [folder] if folder else [])
    waiting: list[tuple[str, dict[str, Any]]] = []
    for content in contents:
        entry = as_mapping(content)
        role = "assistant" if entry.get("role") == "model" else "user"
        parts = entry.get("parts")
        for one in without_private_sections(list(map(as_mapping, parts)) if isinstance(parts, list) else []):
            if "functionCall" in one:
                asked = as_mapping(one["functionCall"])
                waiting.append(tool_call_draft(str(asked.get("name") or ""), asked.get("args"), _NAMES))
            elif "functionResponse" in one and waiting:
                tool, given = waiting.pop(0)
                output, code = _shell(_responses([one])) if tool == "Bash" else (_responses([one]), None)
                yield from chat.add_tool_call(tool, given, output, exit_code=code)
            elif not one.get("thought"):
                yield from chat.add_message(role, one.get("text"))
