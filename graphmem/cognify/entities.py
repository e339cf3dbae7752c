"""Step `entities`: which software entities an event names, found by rules alone (no model, no spaCy), so that retrieval
and Cypher can hop over them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from graphmem.cognify.subjects import relative_path
from graphmem.model.events import Event
from graphmem.model.text import EntityMention
from graphmem.patterns import compile_later
from graphmem.text.entities import extract_entities
from graphmem.text.entities.wordshape import EXTENSIONS
from graphmem.text.toolcalls import READERS, WRITERS, brief_call

NAME = "entities/3"
TYPES = frozenset({"user_prompt", "agent_response", "tool_observation", "commit_observed", "memory_remembered"})
_LIMIT = 6_000  # characters read of one event
_MOST = 40  # entities kept of one event, by count and then order
_DULL = frozenset({"date", "number", "value", "quantity", "time"})
_GAP = "\n[…]\n"
_REDIRECTED = compile_later(r"\s+(?:\d?>.*|&>.*|[12])$")  # "git status 2" of "git status 2>&1"
_HOST_TAG = compile_later(
    r"</?(?:task-notification|system-reminder|command-|local-command|bash-|ide_|user-memory|graphmem)|</"
)
# "src/a.py:12:5", "src/a.py-12-" of a search with context, "a/src/a.py" of a diff, "src/a.py (lines 1-9)".
_PLACE_IN_FILE = compile_later(r"(?<=\w)(?::\d[\d:,-]*|-\d+-?|#L[\dL-]+)$")
_SIDE_OF_DIFF = compile_later(r"^[ab]/(?=[\w.-]+/|[\w-]+\.\w+$)")
_MEMBER = compile_later(r"[a-z]\w*(?:\.\w+)+")  # of a value of some code: "ctx.Name"
_TEST_CASE = compile_later(r"Test[A-Z][A-Za-z0-9]*_\w+")
_PLACEHOLDER = compile_later(r"</?[a-z][a-z_-]*(?: [a-z]+)*>|<[A-Z_]+>")
_HTML = frozenset(
    """a abbr article aside audio b body br button canvas caption circle code col dd defs details dialog div dl dt em fieldset
    figure footer form g h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins label legend li line link main map mark
    meta nav ol option p path picture polygon pre rect s script section select small source span strong style sub summary sup
    svg table tbody td template textarea tfoot th thead title tr u ul use video""".split()
)
_DEFINES = compile_later(
    r"^[ \t]*(?:(?:export|default|public|private|protected|static|pub|async|abstract|final|open|override) )*"
    r"(?:(?:def|defp|fn|fun|func|function) (?:\([^()\n]*\) ?)?(?P<call>[A-Za-z_]\w{2,})"
    r"|(?:class|struct|interface|trait|enum|type|protocol|defmodule) (?P<type>[A-Z]\w+))",
    re.MULTILINE,
)
_SYSTEM = compile_later(
    r"/(?:etc|tmp|usr|var|home|Users|opt|dev|proc|sys|mnt|root|bin|sbin|lib|srv|run|Applications|Library)(?:/|$)"
)
_IN_NAME = compile_later(r"[\w./@-]")  # a character that continues a path or identifier
_PRODUCTS = frozenset({"application", "library", "language", "operating_system", "file_type"})
_ISSUE = compile_later(r"[a-z]+-[a-z0-9]{2,5}(?:\.\d+)+|[a-z0-9]{3}\.\d+")


def derive(event: Event, node: tuple[str, str], item: str) -> dict[str, Any] | None:
    """Return the body of the derivation; `node` is (label, id) of what the event made."""
    text, cwd = text_of(event)[:_LIMIT], str(event.payload.get("cwd") or "")
    found = Counter(
        (kind, name)
        for mention in extract_entities(text, linguistic=False, generic=False)
        if mention.type not in _DULL and 1 < len(mention.text) <= 120 and not _is_cut(text, mention)
        if not (mention.type in _PRODUCTS and _is_part(text, mention))
        for kind, name in (settled_entity(mention.type, mention.text.strip("`'\""), cwd),)
        if name
    )
    found = _whole_paths(found)
    if event.type == "tool_observation" and event.payload.get("tool") in WRITERS:
        found.update(_defined(event.payload))
    title = str(event.payload.get("title") or "")
    if title and event.type == "memory_remembered":
        found["topic", title] += 1
    mentions = [[kind, name, count] for (kind, name), count in found.most_common(_MOST)]
    label, identifier = node
    return {"label": label, "node": identifier, "item": item, "project": event.project, "mentions": mentions}


def settled_entity(kind: str, name: str, cwd: str) -> tuple[str, str]:
    """Return the one type and name of an entity, which differ from those of the text where it spells a file like a call or
    names the member of a value; the name is "" for what is no entity."""
    if kind in ("function", "class", "variable") and "(" not in name and name.rpartition(".")[2] in EXTENSIONS:
        kind = "file" if name.count(".") == 1 and not name[0].isupper() else kind
    if kind == "class" and _MEMBER.fullmatch(name):
        kind = "variable"
    if kind == "variable" and _TEST_CASE.fullmatch(name):
        kind = "function"
    if kind == "class" and "-" in name:  # "source-aware"
        return kind, ""
    return kind, settled_name(kind, name, cwd)


def settled_name(kind: str, name: str, cwd: str) -> str:
    """Return the one name of an entity: a file relative to its project or worktree, a command without what it redirects, a
    call without its arguments; "" for markup of a host, placeholders, and ids of issues, which are no code."""
    if kind == "file":
        path = _SIDE_OF_DIFF.sub("", _PLACE_IN_FILE.sub("", name))
        path = relative_path(path, cwd) if "/" in path else path
        elsewhere = path.startswith("/") and not _SYSTEM.match(path)
        return (
            "" if elsewhere and (path.count("/") < 3 or "." not in path.rpartition("/")[2]) else path
        )  # "and/or", a route
    if kind == "command":
        return _REDIRECTED.sub("", name)
    if kind == "tag" and (_HOST_TAG.match(name) or (_PLACEHOLDER.fullmatch(name) and name.strip("</>") not in _HTML)):
        return ""
    if kind == "function":
        return "" if _ISSUE.fullmatch(name) else name.partition("(")[0]
    return name


def _whole_paths(found: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """Count a bare file name as the path that ends with it, where the same text names exactly one."""
    paths: dict[str, set[str]] = {}
    for kind, name in found:
        if kind == "file" and "/" in name:
            paths.setdefault(name.rpartition("/")[2], set()).add(name)
    whole = Counter[tuple[str, str]]()
    for (kind, name), count in found.items():
        known = paths.get(name, ()) if kind == "file" else ()
        whole[kind, next(iter(known)) if len(known) == 1 else name] += count
    return whole


def _defined(payload: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the functions and classes that the text of an edit defines."""
    given = payload.get("input", {})
    code = str(given.get("new_string") or given.get("content") or "")[:_LIMIT]
    return [
        ("class" if match["type"] else "function", match["type"] or match["call"]) for match in _DEFINES.finditer(code)
    ]


def _is_part(text: str, mention: EntityMention) -> bool:
    """Return whether a product's name is only part of a path or identifier: "cmd" of "cmd/main.go"."""
    before, after = text[max(0, mention.start - 1) : mention.start], text[mention.end : mention.end + 2]
    return bool(_IN_NAME.match(before)) or bool(re.match(r"[\w/@-]|\.\w", after))


def _is_cut(text: str, mention: EntityMention) -> bool:
    """Return whether a mention stands where the text was cut: half a path is no path."""
    ends = len(text) >= _LIMIT and mention.end >= len(text)
    return ends or text.startswith(_GAP, mention.end) or text.endswith(_GAP, 0, mention.start)


def text_of(event: Event) -> str:
    """Return what is read of an event."""
    payload = event.payload
    if event.type == "tool_observation":
        if payload.get("tool") in READERS | WRITERS:
            return "\n".join(map(str, (*payload.get("reads", ()), *payload.get("writes", ()))))
        # What a program printed names everything; an error tells what it is about.
        output = payload.get("content", "") if payload.get("failed") else ""
        return brief_call({**payload, "content": output}, 1_000).removeprefix(f"{payload.get('tool', '')}: ")
    if event.type == "commit_observed":
        return f"{payload['subject']}\n{payload['body']}"
    return str(payload.get("content", ""))
