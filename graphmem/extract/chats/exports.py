"""Reads data exports of ChatGPT and Claude: `conversations.json`, alone or in its zip file. ChatGPT's is a tree of
messages, of which the final branch is read; Claude's is a list."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphmem.extract import archives
from graphmem.extract.chats.turns import Conversation, ImportContext, as_mapping, modified_at, parse_time, text_of
from graphmem.extract.foreign import decode, isolated, text_of_file
from graphmem.model.events import Draft

_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.S)
_HIDDEN = "is_visually_hidden_from_conversation"
_UNSAID = frozenset({"thoughts", "reasoning_recap", "user_editable_context", "model_editable_context"})


def read_chatgpt(path: Path, context: ImportContext) -> Iterator[Draft]:
    """Yield drafts of a ChatGPT export."""
    for record in _conversations(path, context):
        if isinstance(record.get("mapping"), dict):
            yield from isolated(_tree(record, modified_at(path), context), context.report, "malformed conversation")
        else:
            context.report.skip("malformed conversation")


def read_claude(path: Path, context: ImportContext) -> Iterator[Draft]:
    """Yield drafts of a Claude export."""
    for record in _conversations(path, context):
        if isinstance(record.get("chat_messages"), list):
            yield from isolated(_list(record, modified_at(path), context), context.report, "malformed conversation")
        else:
            context.report.skip("malformed conversation")


def read_texts(path: Path) -> Iterator[str]:
    """Yield the texts of `conversations*.json` in a file or zip file."""
    if archives.is_archive(path):
        yield from (decode(entry) for entry in archives.read_entries(path, _is_export))
    else:
        yield text_of_file(path)


def read_start(path: Path, most: int) -> str:
    """Return the first characters of the first of those texts in a zip file."""
    return decode(archives.read_beginning(path, _is_export, most))


def _is_export(name: str) -> bool:
    last = name.rpartition("/")[2]
    return last.startswith("conversations") and last.endswith(".json")


def _conversations(path: Path, context: ImportContext) -> Iterator[dict[str, Any]]:
    """One after the other, so that an export of years never is in memory twice. Where there is none, the report says
    why."""
    decoder, found, why = json.JSONDecoder(), False, ""
    for text in read_texts(path):
        why = why or "it holds no conversation"
        place = _past(text, 0)
        while place < len(text):
            try:
                record, place = decoder.raw_decode(text, place)
            except (ValueError, RecursionError) as error:
                context.report.skip("malformed conversation")
                end = _end_of(text, place)
                why = _reason(text, error, cut=end >= len(text.rstrip()))
                place = _past(text, end)
                continue
            place = _past(text, place)
            if isinstance(record, dict):
                found = True
                yield record
            else:
                context.report.skip("malformed conversation")
    if not found:  # it is looked at again the next time
        context.cut = True
        context.report.skip("unreadable file")
        context.report.errors.append(f"{path}: {why or 'the zip file holds no conversations.json'}")


def _reason(text: str, error: Exception, *, cut: bool) -> str:
    """Return why a text cannot be read, in words for the one who exported it."""
    if isinstance(error, RecursionError):
        return "its values are nested too deeply"
    if text.lstrip()[:1] not in ("[", "{"):
        return "it is no JSON: name the conversations.json of the export, or its zip file"
    return "its JSON is cut off or damaged: export or copy it again" if cut else "its JSON is damaged"


def _end_of(text: str, place: int) -> int:
    """Return the end of an unreadable value by counting brackets; the end of the text if they are never closed."""
    depth = 0
    for found in _BRACKETS.finditer(text, place):
        sign = found[0]
        depth += (sign in "[{") - (sign in "]}")
        if depth <= 0:
            return found.end()
    return len(text)


def _past(text: str, place: int) -> int:
    """Return the position after white space and separators between list members."""
    while place < len(text) and text[place] in "[],\ufeff \t\r\n":
        place += 1
    return place


def _tree(record: dict[str, Any], written_at: int, context: ImportContext) -> Iterator[Draft]:
    nodes = {key: node for key, node in record["mapping"].items() if isinstance(node, dict)}
    branch: list[dict[str, Any]] = []
    at, seen = record.get("current_node") or _latest(nodes), set()
    while isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        branch.append(nodes[at])
        at = nodes[at].get("parent")
    others = sum(1 for key, node in nodes.items() if key not in seen and _text(as_mapping(node.get("message"))))
    if others:
        context.report.skip("superseded answer", others)
    identifier = str(record.get("conversation_id") or record.get("id") or record.get("create_time") or "chat")
    chat = Conversation(context, "chatgpt", identifier, parse_time(record.get("create_time")) or written_at)
    asked: dict[str, str] = {}
    for node in reversed(branch):
        yield from isolated(_node(chat, node, asked), context.report, "malformed message")


def _node(chat: Conversation, node: dict[str, Any], asked: dict[str, str]) -> Iterator[Draft]:
    message = as_mapping(node.get("message"))
    role, text = str(as_mapping(message.get("author")).get("role")), _text(message)
    when, reference = parse_time(message.get("create_time")), str(message.get("id") or node.get("id") or "")
    tool, recipient = str(as_mapping(message.get("author")).get("name") or ""), message.get("recipient")
    if role == "assistant" and recipient not in (None, "all"):
        asked[str(recipient)] = text
    elif role == "tool" and text:
        yield from chat.add_tool_call(tool or "tool", {"input": asked.pop(tool, "")}, text, when, reference)
    elif role in ("user", "assistant"):
        yield from chat.add_message(role, text, when, reference)


def _latest(nodes: dict[str, dict[str, Any]]) -> str | None:
    """Return the end of the conversation if the export does not name it: the latest leaf."""
    leaves = [key for key, node in nodes.items() if not node.get("children")]
    return max(
        leaves, key=lambda key: parse_time(as_mapping(nodes[key].get("message")).get("create_time")), default=None
    )


def _text(message: dict[str, Any]) -> str:
    content = as_mapping(message.get("content"))
    if as_mapping(message.get("metadata")).get(_HIDDEN) or content.get("content_type") in _UNSAID:
        return ""
    return text_of(content.get("parts") or content.get("text") or content.get("result") or "").strip()


def _list(record: dict[str, Any], written_at: int, context: ImportContext) -> Iterator[Draft]:
    begun = parse_time(record.get("created_at")) or written_at
    chat = Conversation(context, "claude", str(record.get("uuid") or "chat"), begun)
    for message in map(as_mapping, record["chat_messages"]):
        yield from isolated(_message(chat, message, context), context.report, "malformed message")


def _message(chat: Conversation, message: dict[str, Any], context: ImportContext) -> Iterator[Draft]:
    at, reference = parse_time(message.get("created_at")), str(message.get("uuid") or "")
    role = "user" if message.get("sender") == "human" else "assistant"
    blocks = [block for block in message.get("content") or [] if isinstance(block, dict)]
    text = text_of([b for b in blocks if b.get("type", "text") == "text"]) or text_of(message.get("text"))
    yield from chat.add_message(role, text, at, reference)
    for number, one in enumerate(blocks):
        if one.get("type") == "tool_use":
            output = _result(blocks[number + 1 :])
            name = f"{reference}:{one.get('id') or number}"
            given = as_mapping(one.get("input"))
            yield from chat.add_tool_call(str(one.get("name") or "tool"), given, output[0], at, name, failed=output[1])
    if message.get("attachments"):
        context.report.skip("attachment", len(message["attachments"]))


def _result(blocks: list[dict[str, Any]]) -> tuple[str, bool]:
    """Return the result that follows a call, and whether it is an error."""
    for block in blocks:
        if block.get("type") == "tool_result":
            return text_of(block.get("content")), bool(block.get("is_error"))
        if block.get("type") == "tool_use":
            break
    return "", False
