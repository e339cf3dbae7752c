"""Makes a source readable for its grammar where the grammar only sees tokens. Every byte keeps its place, so that lines and
columns stay true. Rust: items inside of a macro call such as `cfg_net! { pub struct S; }` are items all the same. C, C++
and C#: of `#if` and `#else` that cut a statement in two, one is left."""

from __future__ import annotations

import re

_MACRO = re.compile(rb"^[ \t]*(?!macro_rules)((?:\w+::)*[a-z_]\w*![ \t]*\{)", re.M)
_ITEM = re.compile(
    rb"(?:\s|//[^\n]*|/\*.*?\*/|#!?\[[^\n]*\])*(?:pub(?:\s*\([^)]*\))?\s+)?"
    rb"(?:(?:async|unsafe|const|extern\s+\"\w+\")\s+)*(?:fn|struct|enum|impl|mod|use|trait|type|static|union|const)\b(?!\s+ref\b)",
    re.S,
)
_MARKS = re.compile(rb'[{}]|//[^\n]*|/\*.*?\*/|b?"(?:\\.|[^"\\])*"|b?\'(?:\\.[^\']*|[^\\\'])\'', re.S)


_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|elif|else|endif)[^\n]*", re.M)
_NEVER = re.compile(rb"[ \t]*#[ \t]*if[ \t]+(?:0|false)\b")
_SPACES = bytes(byte if byte in b"\r\n" else 32 for byte in range(256))
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


def first_branches(source: bytes) -> bytes:
    """The source without the lines of `#if`, `#else` and the like, and of what stands between them only the first branch
    that can hold; of the same length."""
    out = bytearray(source)
    taken: list[bool] = []  # of each open `#if`, whether a branch was kept
    level = since = 0  # of the `#if` of which a branch is left out, and where that begins
    for line in _DIRECTIVE.finditer(source):
        start, end = line.span()
        if line[1] == b"if":
            taken.append(_NEVER.match(line[0]) is None)
            if not level and not taken[-1]:
                level, since = len(taken), end
        elif taken and (not level or level == len(taken)):
            if level and (line[1] == b"endif" or not taken[-1]):
                out[since:start] = out[since:start].translate(_SPACES)
                level, taken[-1] = 0, True
            elif not level and line[1] != b"endif":
                level, since = len(taken), end
        if line[1] == b"endif" and taken:
            taken.pop()
        out[start:end] = out[start:end].translate(_SPACES)
    return bytes(out)


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
