"""Makes a source readable for its grammar where the grammar only sees tokens. Every byte keeps its place, so that lines and
columns stay true. Rust: items inside of a macro call such as `cfg_net! { pub struct S; }` are items all the same."""

from __future__ import annotations

import re

_MACRO = re.compile(rb"^[ \t]*(?!macro_rules)((?:\w+::)*[a-z_]\w*![ \t]*\{)", re.M)
_ITEM = re.compile(
    rb"(?:\s|//[^\n]*|/\*.*?\*/|#!?\[[^\n]*\])*(?:pub(?:\s*\([^)]*\))?\s+)?"
    rb"(?:(?:async|unsafe|const|extern\s+\"\w+\")\s+)*(?:fn|struct|enum|impl|mod|use|trait|type|static|union|const)\b(?!\s+ref\b)",
    re.S,
)
_MARKS = re.compile(rb'[{}]|//[^\n]*|/\*.*?\*/|b?"(?:\\.|[^"\\])*"|b?\'(?:\\.[^\']*|[^\\\'])\'', re.S)


_FOREIGN = re.compile("[\udc80-\udcff]")


def readable(source: bytes) -> bytes:
    """The source with a question mark for every byte that is not UTF-8, which the predicates of queries cannot read."""
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return _FOREIGN.sub("?", source.decode("utf-8", "surrogateescape")).encode("utf-8")
    return source


def prepare(language: str, source: bytes) -> bytes:
    """The source as it should be parsed; of the same length."""
    source = readable(source)
    if language != "rust" or (b"! {" not in source and b"!{" not in source):
        return source
    out: bytearray | None = None
    for macro in _MACRO.finditer(source):
        if not _ITEM.match(source, macro.end()):
            continue
        end = _closing(source, macro.end())
        if end < 0:
            continue
        out = bytearray(source) if out is None else out
        out[macro.start(1) : macro.end(1)] = b" " * (macro.end(1) - macro.start(1))
        out[end : end + 1] = b" "
    return source if out is None else bytes(out)


def _closing(source: bytes, start: int) -> int:
    """Where the brace opened before `start` closes, or -1."""
    depth = 1
    for mark in _MARKS.finditer(source, start):
        text = mark[0]
        if text == b"{":
            depth += 1
        elif text == b"}":
            depth -= 1
            if not depth:
                return mark.start()
    return -1
