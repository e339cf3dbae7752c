"""Edits JSON with comments and trailing commas: inserts and removes single members and items as text, and leaves
every other character unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphmem.errors import UsageError

_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ATOM = re.compile(r"[-+.\w]+")
_DEEPEST = 100


@dataclass(slots=True)
class Node:
    """A value and its position in the text. Children of an object have a key and its position (`at`)."""

    start: int
    end: int
    value: Any = None
    children: list[Node] = field(default_factory=list)
    key: str = ""
    at: int = 0

    def child(self, key: str) -> Node | None:
        """Return the last member of that name, the one that readers use."""
        return next((node for node in reversed(self.children) if node.key == key), None)


def parse(text: str) -> Node:
    """Parse a text to a tree. Raises UsageError if it is not JSON, even with comments."""
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    node = _value(text, start, 0)
    rest = _skip(text, node.end)
    if rest != len(text):
        raise _wrong(text, rest)
    return node


def put(text: str, path: Sequence[str], value: Any) -> str:
    """Set the member at a path of keys, creating missing objects."""
    node = parse(text)
    for number, key in enumerate(path):
        if not isinstance(node.value, dict):
            raise UsageError(f"`{'.'.join(path[:number]) or 'the file'}` is not an object; nothing was changed")
        child = node.child(key)
        if child is None:
            inner = value
            for name in reversed(path[number + 1 :]):
                inner = {name: inner}
            return _insert(text, node, json.dumps(key) + ": ", inner)
        node = child
    return text if node.value == value else text[: node.start] + _written(text, node.at, value) + text[node.end :]


def append(text: str, path: Sequence[str], item: Any) -> str:
    """Append an item to the array at a path, creating it if missing."""
    node: Node | None = parse(text)
    for key in path:
        node = node.child(key) if node else None
    if node is None:
        return put(text, path, [item])
    if not isinstance(node.value, list):
        raise UsageError(f"`{'.'.join(path)}` is not a list; nothing was changed")
    return _insert(text, node, "", item)


def remove(text: str, path: Sequence[str], chosen: Callable[[Node], bool] | None = None) -> str:
    """Remove the member at a path, or with `chosen` those items of the array that it selects."""
    node: Node | None = parse(text)
    parents = path if chosen else path[:-1]
    for key in parents:
        node = node.child(key) if node else None
    if node is None:
        return text
    gone = [child for child in node.children if (chosen(child) if chosen else child.key == path[-1])]
    for child in reversed(gone):
        text = remove_child(text, parse_at(text, parents), child.at)
    return text


def parse_at(text: str, path: Sequence[str]) -> Node:
    """Return the node at an existing path."""
    node = parse(text)
    for key in path:
        found = node.child(key)
        if found is None:
            raise UsageError(f"`{key}` does not exist")
        node = found
    return node


# -- text


def _insert(text: str, parent: Node, prefix: str, value: Any) -> str:
    """Insert a new last child on its own line."""
    inside = _indent_of(text, parent)
    newline = "\r\n" if "\r\n" in text else "\n"
    entry = newline + inside + prefix + _dumped(text, inside, value)
    if not parent.children:
        tail = text[parent.start + 1 : parent.end - 1]
        closing = "" if "\n" in tail else newline + _line_indent(text, parent.start)
        return text[: parent.start + 1] + entry + closing + tail + text[parent.end - 1 :]
    last = parent.children[-1].end
    comma = _skip(text, last)
    if text[comma] == ",":  # keep the trailing comma
        place = _line_end(text, comma + 1, parent.end - 1)
        return text[:place] + entry + "," + text[place:]
    place = _line_end(text, last, parent.end - 1)
    return text[:last] + "," + text[last:place] + entry + text[place:]


def remove_child(text: str, parent: Node, at: int) -> str:
    """Remove the child of a node at a position: the inverse of `_insert`. The node must belong to this text."""
    number = next(i for i, child in enumerate(parent.children) if child.at == at)
    child = parent.children[number]
    start = at - (len(text[:at]) - len(text[:at].rstrip()))
    comma = _skip(text, child.end)
    if text[comma] == ",":
        return _closed(text[:start] + text[comma + 1 :], parent.start)
    if number:
        before = _skip(text, parent.children[number - 1].end)  # the comma before it
        return text[:before] + text[before + 1 : start] + text[child.end :]
    return _closed(text[:start] + text[child.end :], parent.start)


def _closed(text: str, start: int) -> str:
    """Remove the whitespace in an empty object or array."""
    end = len(text) - len(text[start + 1 :].lstrip())
    return text[: start + 1] + text[end:] if text[end : end + 1] in ("}", "]") else text


def _written(text: str, at: int, value: Any) -> str:
    return _dumped(text, _line_indent(text, at), value)


def _dumped(text: str, indent: str, value: Any) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (newline + indent).join(lines)


def _unit(text: str) -> str:
    """Return the indentation unit, from the first indented line."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else "  "


def _indent_of(text: str, parent: Node) -> str:
    for child in parent.children:
        if text[: child.at].rstrip(" \t").endswith("\n"):
            return _line_indent(text, child.at)
    return _line_indent(text, parent.start) + _unit(text)


def _line_indent(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line_end(text: str, place: int, most: int) -> int:
    """Return the end of the line if only a comment follows, otherwise the position."""
    end = text.find("\n", place, most)
    if end < 0:
        return place
    end -= text[end - 1] == "\r"
    rest = text[place:end].strip()
    return end if rest.startswith("//") or (rest.startswith("/*") and rest.endswith("*/")) else place


# -- reading


def _skip(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place


def _wrong(text: str, place: int) -> UsageError:
    return UsageError(f"not valid JSON at line {text.count(chr(10), 0, place) + 1}: nothing was changed")


def _value(text: str, start: int, depth: int) -> Node:
    opening = text[start : start + 1]
    if opening in ("{", "[") and depth < _DEEPEST:
        return _container(text, start, depth)
    found = _STRING.match(text, start) or _ATOM.match(text, start)
    if not found:
        raise _wrong(text, start)
    try:
        return Node(start, found.end(), json.loads(found[0], strict=False), at=start)
    except ValueError:
        raise _wrong(text, start) from None


def _container(text: str, start: int, depth: int) -> Node:
    keyed = text[start] == "{"
    node, place = Node(start, start, {} if keyed else [], at=start), start + 1
    while True:
        place = _skip(text, place)
        if text[place : place + 1] == ("}" if keyed else "]"):
            node.end = place + 1
            return node
        key, at = "", place
        if keyed:
            found = _STRING.match(text, place)
            place = _skip(text, found.end()) if found else place
            if not found or text[place : place + 1] != ":":
                raise _wrong(text, place)
            key, place = json.loads(found[0], strict=False), _skip(text, place + 1)
        child = _value(text, place, depth + 1)
        child.key, child.at = key, at
        node.children.append(child)
        if keyed:
            node.value[key] = child.value
        else:
            node.value.append(child.value)
        place = _skip(text, child.end)
        if text[place : place + 1] == ",":
            place += 1
        elif text[place : place + 1] not in ("}", "]"):
            raise _wrong(text, place)
