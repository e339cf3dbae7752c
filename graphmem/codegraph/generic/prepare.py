"""Prepares a source for its grammar, keeping byte positions. Rust: items inside macro calls such as `cfg_net! { pub
struct S; }` are exposed. C, C++ and C#: of `#if` and `#else` inside a statement, one branch is kept; comments in
multi-line macros are removed. C++: macros before the name of a class (`class MY_API Foo`) and
behind a declaration (`int count GUARDED_BY(mutex);`) are removed. Swift: words that
the grammar does not know are removed. Kotlin: a class may end on the line of its last member."""

from __future__ import annotations

import re

from graphmem.codegraph import languages

_MACRO = re.compile(rb"^[ \t]*(?!macro_rules)((?:\w+::)*[a-z_]\w*![ \t]*\{)", re.M)
_ITEM = re.compile(
    rb"(?:\s|//[^\n]*|/\*.*?\*/|#!?\[[^\n]*\])*(?:pub(?:\s*\([^)]*\))?\s+)?"
    rb"(?:(?:async|unsafe|const|extern\s+\"\w+\")\s+)*(?:fn|struct|enum|impl|mod|use|trait|type|static|union|const)\b(?!\s+ref\b)",
    re.S,
)
_MARKS = re.compile(rb'[{}]|//[^\n]*|/\*.*?\*/|b?"(?:\\.|[^"\\])*"|b?\'(?:\\.[^\']*|[^\\\'])\'', re.S)


_CLASS = re.compile(rb"\b(?:class|interface|object)\b")
_ONE_LINE = re.compile(rb"^[^\n]*\b(?:class|interface|object)\b[^\n]*\{[^\n]*\}[^\n]*$", re.M)
_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|elif|else|endif)[^\n]*", re.M)
_NEVER = re.compile(rb"[ \t]*#[ \t]*if[ \t]+(?:0|false)\b")
_CONTINUED = re.compile(rb"^[ \t]*#[ \t]*define\b[^\n]*\\\r?\n(?:[^\n]*\\\r?\n)*[^\n]*", re.M)
_COMMENT = re.compile(rb"/\*(?:[^*]|\*(?!/))*\*/")
_CLASS_MACROS = re.compile(
    rb"\b(?:class|struct|union)[ \t]+((?:[A-Z][A-Z0-9_]{2,}(?:\([^()\n]{0,200}\))?\s+)+)"
    rb"(?=[A-Za-z_]\w*(?:<[^<;{}()\n]{0,200}>)?(?:::\w+)*\s*(?:final\s*)?(?:\{|:(?!:)))"
)
_ARGUMENTS = rb"\((?:[^()\n;{}]|\([^()\n;{}]*\)){0,200}\)"
_NO_NAMES = (
    rb"(?!(?:const|static|inline|extern|virtual|constexpr|unsigned|signed|struct|class|enum|union|void|bool|char|short|int|long|float"
    rb"|double|auto|return|else|mutable|volatile|noexcept|override|final)\b)"
)
_FIELD_MACRO = re.compile(  # `Type name GUARDED_BY(mutex);`: two words before it, neither of them one of the language
    rb"^[ \t]*(?!(?:return|else|do|case|throw|new|goto|using|typedef|friend|co_\w+|and|or|not|delete|operator)\b)"
    rb"[\w:<>,*& \t]{0,200}?[\w>*&][ \t*&]+" + _NO_NAMES + rb"[a-z_A-Z]\w*(?:\[\w*\])?[ \t]+"
    rb"(?P<macro>[A-Z][A-Z0-9_]{3,}" + _ARGUMENTS + rb")(?=[ \t]*(?:;|=|\{))",
    re.M,
)
_RESULT_MACRO = re.compile(  # `void MY_API name(...)`
    rb"^(?:(?:static|extern|inline|const|virtual|unsigned|signed|struct|enum|union|constexpr)[ \t]+)*+"
    rb"(?!(?:return|else|typedef|goto|case|throw|using|new|delete|define)\b)[A-Za-z_]\w*[ \t*&]+(?P<macro>[A-Z][A-Z0-9_]{2,})"
    rb"(?=[ \t]+[*&]*[a-z_A-Z]\w*(?:::~?\w+)*[ \t]*\()",
    re.M,
)
_LOCKS = re.compile(  # of functions, where any other name might be a call: what Clang's analysis of locks uses
    rb"(?<=[\w)])(\s+)(?P<macro>\w*(?:GUARDED_BY|LOCKS_REQUIRED|LOCKS_EXCLUDED|REQUIRES|REQUIRES_SHARED|EXCLUDES|ACQUIRE|ACQUIRE_SHARED"
    rb"|RELEASE|RELEASE_SHARED|(?:UN)?LOCK_FUNCTION|LOCK_RETURNED|ASSERT_(?:EXCLUSIVE|SHARED)_LOCK)"
    + _ARGUMENTS
    + rb"|\w*NO_THREAD_SAFETY_ANALYSIS\b)(?=\s*[;{=])"
)
_EMPTY_TUPLE = re.compile(rb"(?<=[\s(,:=])(?<!->)(?<!-> )\(\)(?=[ \t]*(?:[,)}\r\n;]|//))")
_EFFECTS = re.compile(
    rb"(?<=[\s(])(?:sending|isolated|consuming|borrowing)[ \t]+(?=[(A-Z])|(?<=throws)\([A-Z][\w.]*\)|@_spe\w+\([^()\n]*\)"
    rb"|@(?:Sendable|escaping|autoclosure|MainActor)(?=\s+(?:@\w+\s+)*\()"  # the grammar takes `(Request)` behind for its argument
)
_CODE = re.compile(rb"(?!\\\r?\n)[^\r\n]")
_SPACES = bytes(byte if byte in b"\r\n" else 32 for byte in range(256))
_FOREIGN = re.compile("[\udc80-\udcff]")


def readable(source: bytes) -> bytes:
    """Return the source with invalid UTF-8 bytes replaced by question marks, because query predicates cannot read them."""
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return _FOREIGN.sub("?", source.decode("utf-8", "surrogateescape")).encode("utf-8")
    return source


def prepare(language: str, source: bytes) -> bytes:
    """Return the source to parse, with the same length. The language's description says what to expose: "items" in macro
    calls, multi-line "defines", those and "classes" with a macro before their name, "effects" that the grammar does not know, or
    nothing."""
    unwraps = languages.get_language(language).unwraps
    source = readable(source)
    if unwraps == "effects":
        return _EFFECTS.sub(_blank, _EMPTY_TUPLE.sub(b"0 ", source))
    if unwraps in ("defines", "classes"):
        source = _RESULT_MACRO.sub(_without_macro, source)
        if unwraps == "classes":
            source = _CLASS_MACROS.sub(_without_macros, source)
            source = _LOCKS.sub(_without_macro, _FIELD_MACRO.sub(_without_macro, source))
        return _CONTINUED.sub(_without_comments, source) if b"\\\n" in source and b"/*" in source else source
    if unwraps != "items" or (b"! {" not in source and b"!{" not in source):
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


def ended_members(source: bytes) -> bytes:
    """Kotlin: return the source with a semicolon after the last member of a class that ends on the same line, if the
    grammar needs one; same length."""
    out = bytearray(source)
    for line in _ONE_LINE.finditer(source):
        bodies: list[int] = []  # of each open brace: where the members of a class begin, 0 for other blocks
        since = line.start()
        for mark in _MARKS.finditer(source, line.start(), line.end()):
            if mark[0] == b"{":
                bodies.append(mark.end() if _CLASS.search(source, since, mark.start()) else 0)
            elif mark[0] == b"}" and bodies:
                begin, end = bodies.pop(), mark.start()
                if begin and source[end - 1 : end] in (b" ", b"\t") and source[begin:end].strip():
                    out[end - 1 : end] = b";"
            since = mark.end()
    return bytes(out)


def first_branches(source: bytes) -> bytes:
    """Return the source without `#if`, `#else` and similar lines, with only the first possible branch between them; same
    length."""
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


def _without_comments(define: re.Match[bytes]) -> bytes:
    """Return a multi-line macro without comments, which would end it for the grammar; same length."""
    return _COMMENT.sub(lambda comment: _CODE.sub(b" ", comment[0]), define[0])


def _blank(found: re.Match[bytes]) -> bytes:
    return found[0].translate(_SPACES)


def _without_macros(head: re.Match[bytes]) -> bytes:
    """Return the head of a class without the macros before its name; same length."""
    begin, end = (at - head.start() for at in head.span(1))
    return head[0][:begin] + head[1].translate(_SPACES) + head[0][end:]


def _without_macro(declared: re.Match[bytes]) -> bytes:
    """Return a declaration without the macro behind its name; same length."""
    begin, end = (at - declared.start() for at in declared.span("macro"))
    return declared[0][:begin] + declared["macro"].translate(_SPACES) + declared[0][end:]


def _closing(source: bytes, start: int) -> int:
    """Return the position of the closing brace for the one before `start`, or -1."""
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
