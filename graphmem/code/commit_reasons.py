"""Reads why a commit was made, from the body of its message, and shortens its patch to the changed lines."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import shorten

from graphmem.errors import SourceError
from graphmem.gitprocess import run
from graphmem.plurals import counted
from graphmem.privacy import redact
from graphmem.text.sentences import sentences

_TRAILER = re.compile(
    r"[A-Z][a-z]*(?:-[A-Za-z]+)*: \S|\(cherry picked|Co-[Aa]uthored|Generated with|\W*$|#\d+$|https?://\S+$"
)
_BULLET = re.compile(r"^[*+•-]\s+")
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_WIDTH = 240  # characters of a reason
_LINES = 80  # lines of a patch
_TIMEOUT_S = 30.0


def first_sentences(body: str, count: int) -> str:
    """Return the first sentences of a message's body in one line, without trailers such as `Signed-off-by`; "" if none."""
    for paragraph in re.split(r"\n\s*\n", body.strip()):
        if paragraph.strip() and not _TRAILER.match(paragraph.strip()):
            found = sentences(paragraph) or [paragraph]
            text = " ".join(_BULLET.sub("", " ".join(each.split())) for each in found[:count])
            return shorten(text, _WIDTH * count, placeholder=" …")
    return ""


def read_reasons(root: Path, hashes: list[str]) -> dict[str, str]:
    """Return by hash the first sentence of the body of each of these commits that has one, secrets redacted; nothing if git
    does not know one of them."""
    given = "".join(f"{hash_}\n" for hash_ in hashes).encode()
    try:
        answer = run(
            root, "log", "--no-walk=unsorted", "--format=%x00%H%x00%b", "--stdin", stdin=given, timeout_s=_TIMEOUT_S
        ) if hashes else b""  # fmt: skip
    except SourceError:
        return {}
    fields = answer.decode("utf-8", "replace").split("\0")[1:]
    said = {hash_: first_sentences(body, 1) for hash_, body in zip(fields[::2], fields[1::2], strict=True)}
    return {hash_: redact(text).text for hash_, text in said.items() if text}


def narrow_patch(patch: str, known: str) -> tuple[str, str]:
    """Return the hunks of a patch of one file with one line of context, and its path before: `git log -L` quotes the whole
    function. The path is part of the text only if it is not the `known` one."""
    before = after = known
    out, hunk = list[str](), list[str]()
    at = (1, 1)
    for line in [*patch.split("\n"), "@@ -0 +0 @@"]:
        if found := _HUNK.match(line):
            out += _narrowed(hunk, at)
            hunk, at = [], (int(found[1]), int(found[2]))
        elif not hunk and line.startswith("--- a/"):
            before = line[6:]
        elif not hunk and line.startswith("+++ b/"):
            after = line[6:]
        elif line[:1] in (" ", "+", "-") and not line.startswith(("--- /dev/null", "+++ /dev/null")):
            hunk.append(line)
    if len(out) > _LINES:
        out = [*out[:_LINES], f"… {counted(len(out) - _LINES, 'more line')}: `graphmem show` the commit"]
    head = [] if after == known else [after]
    return "\n".join([*head, *out]), before


def _narrowed(hunk: list[str], at: tuple[int, int]) -> list[str]:
    """Return the changed lines of a hunk with one line around them, in hunks of their own."""
    changed = [number for number, line in enumerate(hunk) if line[0] != " "]
    kept = sorted({near for number in changed for near in (number - 1, number, number + 1) if 0 <= near < len(hunk)})
    out, last = list[str](), -2
    old, new = at
    lines = dict[int, tuple[int, int]]()
    for number, line in enumerate(hunk):
        lines[number] = (old, new)
        old += line[0] != "+"
        new += line[0] != "-"
    for number in kept:
        if number != last + 1:
            out.append(f"@@ -{lines[number][0]} +{lines[number][1]} @@")
        out.append(hunk[number])
        last = number
    return out
