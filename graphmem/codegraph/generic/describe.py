"""Reads the text around a definition: signature, doc comment, visibility, fingerprint. Works on lines and bytes of the
source, without a tree traversal."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from graphmem.codegraph.languages import Language

if TYPE_CHECKING:
    from tree_sitter import Node

_SIGNATURE = 240
_DOC = 1000
_SPACES = re.compile(rb"\s+")
_MARKS = re.compile(r"^\s*(?:/\*\*?|\*/|\*|///?!?|//!|--+|#+)?[ \t]?|\s*\*/\s*$")
_ACCESS = re.compile(rb"\b(public|private|protected|internal|fileprivate|open|package)\b")
_ASYNC = re.compile(rb"\b(async|suspend)\b")


def signature(source: bytes, start: int, node: Node, body: str) -> str:
    """Return the definition without its body, on one line of at most 240 characters."""
    inner = node.child_by_field_name(body) if body else None
    end = (
        inner.start_byte
        if inner is not None and inner.start_byte > start
        else min(node.end_byte, start + 2 * _SIGNATURE)
    )
    text = _SPACES.sub(b" ", source[start : min(end, start + 4 * _SIGNATURE)]).decode("utf-8", "replace").strip()
    if inner is None:
        text = text.partition("{")[0].strip() or text
    return text[:_SIGNATURE] if text.endswith("=>") else text.rstrip("{=: ")[:_SIGNATURE]


def doc_above(lines: list[bytes], line: int, language: Language) -> str:
    """Return the comment that ends on the line above `line` (index from 0), skipping decorators and attributes; at most
    1,000 characters."""
    found: list[str] = []
    at = line - 1
    while at >= 0 and len(found) < 60:
        text = lines[at].strip()
        if text.startswith(language.comments_bytes):
            found.append(_MARKS.sub("", text.decode("utf-8", "replace")))
        elif not (text.startswith((b"@", b"#[", b"[")) and not found):
            break
        at -= 1
    return "\n".join(reversed(found)).strip()[:_DOC] if found else ""


def visibility(language: Language, name: str, head: bytes, exported: bool, default: str) -> str:
    """Return "public", "protected", "private", "internal" or "package", by the rule in the language's block. `head` is
    the text before the name."""
    rule = language.visibility
    if rule == "capital":
        return "public" if name[:1].isupper() else "private"
    if rule == "pub":
        if b"pub" not in head:
            return default or "private"
        return "internal" if b"pub(" in head else "public"
    if language.family == "c" and b"static" in head:
        return "private"
    word = _ACCESS.search(head)
    if word:
        return {"open": "public", "fileprivate": "private"}.get(word[1].decode(), word[1].decode())
    if name.startswith("#") or (
        rule in ("export", "underscore") and name.startswith("_") and not name.startswith("__")
    ):
        return "private"
    if rule == "export":
        return "public" if exported else default or "private"
    if rule == "underscore":
        return "public"
    return default or rule


def is_async(head: bytes) -> bool:
    """Return whether the words before the name make the function asynchronous."""
    return bool(_ASYNC.search(head))


def fingerprint(source: bytes, start: int, end: int, name_start: int, name_end: int) -> str:
    """Return a hash of the definition without its own name and white space differences, so that it survives renames and
    re-indentation."""
    digest = hashlib.blake2b(source[start:name_start].strip(), digest_size=8)
    digest.update(b"".join(source[name_end:end].split()))
    return digest.hexdigest()


def dotted(path: str) -> str:
    """Return a path without its suffix, with dots between its parts."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    return f"{folder.replace('/', '.')}.{stem}" if folder else stem
