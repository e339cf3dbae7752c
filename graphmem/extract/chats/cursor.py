"""Reads chats of Cursor from its `state.vscdb` (an SQLite key-value store): composers with their bubbles from the global
table, and each composer's workspace from the files next to it. The file is opened read-only."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from graphmem.errors import SourceError, message_of
from graphmem.extract.chats.turns import (
    Conversation,
    ImportContext,
    as_mapping,
    modified_at,
    parse_time,
    text_of,
    tool_call_draft,
)
from graphmem.extract.foreign import isolated
from graphmem.model.events import Draft

PROGRAM = "cursor"
_NAMES = (
    dict.fromkeys(("run_terminal_cmd", "run_terminal_command", "run_terminal_command_v2"), "Bash")
    | dict.fromkeys(("edit_file", "edit_file_v2", "search_replace", "delete_file", "apply_patch"), "Edit")
    | dict.fromkeys(("write", "write_file", "create_file"), "Write")
    | dict.fromkeys(("read_file", "read_file_v2"), "Read")
    | {"grep": "Grep", "grep_search": "Grep", "glob_file_search": "Glob", "list_dir": "LS", "todo_write": "TodoWrite"}
)
_OLD = "workbench.panel.aichat.view.aichat.chatdata"
_ALL = "composer.composerData"


def read(path: Path, context: ImportContext) -> Iterator[Draft]:
    """Yield drafts of every chat in a `state.vscdb`. Raises SourceError if it is not such a database."""
    folders = _workspaces(path)
    try:
        with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5)) as base:
            base.text_factory = lambda raw: raw.decode("utf-8", "replace")
            tables = {name for (name,) in base.execute("SELECT name FROM sqlite_master")}
            if "cursorDiskKV" in tables:
                for key, value in base.execute("SELECT key, value FROM cursorDiskKV WHERE key LIKE 'composerData:%'"):
                    yield from _composer(
                        base, str(key).partition(":")[2], _json(value, context), path, folders, context
                    )
            if "ItemTable" in tables:
                for (value,) in base.execute("SELECT value FROM ItemTable WHERE key = ?", (_OLD,)):
                    yield from _tabs(_json(value, context), path, context)
    except sqlite3.Error as error:
        raise SourceError(
            f"{path} cannot be read as a database of Cursor: {message_of(error)}", path=str(path)
        ) from error


def _json(value: object, context: ImportContext) -> dict[str, Any]:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return found
    if text is not None:  # a cleared entry
        context.report.skip("malformed entry")
    return {}


def _workspaces(path: Path) -> dict[str, str]:
    """Return folder by composer id, from the workspaces next to a global database."""
    found: dict[str, str] = {}
    for note in sorted(path.parent.parent.glob("workspaceStorage/*/workspace.json")):
        folder = path_of_url(as_mapping(note.read_text("utf-8", "replace")).get("folder"))
        base = note.with_name("state.vscdb")
        if not folder or not base.is_file():
            continue
        with contextlib.suppress(sqlite3.Error), contextlib.closing(
            sqlite3.connect(f"{base.resolve().as_uri()}?mode=ro", uri=True)
        ) as file:  # fmt: skip
            for (value,) in file.execute("SELECT value FROM ItemTable WHERE key = ?", (_ALL,)):
                text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
                for composer in as_mapping(text).get("allComposers") or []:
                    found[str(as_mapping(composer).get("composerId"))] = folder
    return found


def path_of_url(address: object) -> str:
    """Return the path of a `file:` URL; "" for any other."""
    parts = urlparse(address) if isinstance(address, str) else None
    return unquote(parts.path) if parts is not None and parts.scheme == "file" else ""


def _folder(path: Path, composer: dict[str, Any], folders: dict[str, str], identifier: str) -> str:
    place = as_mapping(as_mapping(composer.get("workspaceIdentifier")).get("uri"))
    note = path.with_name("workspace.json")  # the database of one workspace
    own = path_of_url(as_mapping(note.read_text("utf-8", "replace")).get("folder")) if note.is_file() else ""
    return folders.get(identifier) or str(place.get("fsPath") or place.get("path") or "") or own


def _composer(
    base: sqlite3.Connection,
    identifier: str,
    composer: dict[str, Any],
    path: Path,
    folders: dict[str, str],
    context: ImportContext,
) -> Iterator[Draft]:
    headers = composer.get("fullConversationHeadersOnly")
    inline = composer.get("conversation")
    if not headers and not inline:
        return  # an unsent draft
    folder = _folder(path, composer, folders, identifier)
    if context.unwanted(folder):
        return
    begun = parse_time(composer.get("createdAt")) or modified_at(path)
    chat = Conversation(context, PROGRAM, identifier, begun, [folder] if folder else [])
    for header in headers or []:
        bubble = str(as_mapping(header).get("bubbleId") or "")
        key = f"bubbleId:{identifier}:{bubble}"
        row = base.execute("SELECT value FROM cursorDiskKV WHERE key = ?", (key,)).fetchone()
        if row is None:
            context.report.skip("deleted message")
            continue
        yield from isolated(_bubble(chat, _json(row[0], context), bubble), context.report)
    for number, bubble in enumerate(inline or []):
        entry = as_mapping(bubble)
        yield from isolated(_bubble(chat, entry, str(entry.get("bubbleId") or number)), context.report)


def _bubble(chat: Conversation, bubble: dict[str, Any], reference: str) -> Iterator[Draft]:
    timing = as_mapping(bubble.get("timingInfo"))
    at = (
        parse_time(bubble.get("createdAt"))
        or parse_time(timing.get("clientStartTime"))
        or parse_time(timing.get("clientRpcSendTime"))
    )
    role = "user" if bubble.get("type") == 1 else "assistant"
    yield from chat.add_message(role, bubble.get("text"), at, reference)
    used = bubble.get("toolFormerData")
    if isinstance(used, dict) and used.get("name"):
        yield from _tool(chat, used, at, reference)


def _tool(chat: Conversation, used: dict[str, Any], at: int, reference: str) -> Iterator[Draft]:
    if used.get("userDecision") == "rejected":
        chat.context.report.skip("rejected call")
        return
    given = as_mapping(used.get("rawArgs")) | as_mapping(used.get("params"))
    tool, arguments = tool_call_draft(str(used["name"]), given, _NAMES)
    result = as_mapping(used.get("result"))
    code = next((result[name] for name in ("exitCodeV2", "exitCode") if isinstance(result.get(name), int)), None)
    output = text_of(result.get("output") or result.get("contents") or result.get("input") or "")
    failed = used.get("status") == "error"
    name = str(used.get("toolCallId") or f"{reference}:tool")
    yield from chat.add_tool_call(tool, arguments, output, at, name, failed=failed, exit_code=code)


def _tabs(data: dict[str, Any], path: Path, context: ImportContext) -> Iterator[Draft]:
    """Yield the chats of versions before composers, stored in the workspace database."""
    folder = _folder(path, {}, {}, "")
    tabs = [as_mapping(tab) for tab in data.get("tabs") or []]
    if not tabs or context.unwanted(folder):
        return
    for tab in tabs:
        at = parse_time(tab.get("lastSendTime")) or modified_at(path)
        chat = Conversation(context, PROGRAM, str(tab.get("tabId") or path.parent.name), at, [folder] if folder else [])
        for number, bubble in enumerate(tab.get("bubbles") or []):
            entry = as_mapping(bubble)
            role = "user" if entry.get("type") == "user" else "assistant"
            reference = str(entry.get("id") or number)
            yield from chat.add_message(role, entry.get("text") or entry.get("rawText"), 0, reference)
