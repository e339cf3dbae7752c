"""Applies the diffs of the worked examples also where a real addition has changed the lines around them. Line numbers are
ignored: each hunk is placed by its own lines."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

_WORD = re.compile(r"\w+|\W")
_AROUND = 4  # lines that other additions may have put between the lines of a hunk
_SIMILAR = 0.6  # least similarity of a line that another addition has changed, too


def apply_diff(diff: str, root: Path) -> None:
    """Apply a unified diff of whole files and insertions. Raises ValueError that names a line without a place."""
    for part in re.split(r"^diff --git .*\n", diff, flags=re.M)[1:]:
        header, *hunks = re.split(r"^@@ .*\n", part, flags=re.M)
        target = root / header.split("+++ b/")[1].splitlines()[0]
        if "new file" in header:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("".join(f"{line[1:]}\n" for line in hunks[0].splitlines()), "utf-8")
            continue
        lines = target.read_text("utf-8").splitlines()
        for hunk in hunks:
            lines = _with_hunk(lines, hunk.splitlines())
        target.write_text("\n".join(lines) + "\n", "utf-8")


def _with_hunk(lines: list[str], hunk: list[str]) -> list[str]:
    """Return the lines with a hunk: added lines follow the nearest line above that is still there, else they stand before
    the nearest one below; a changed line gets the same new words, wherever the old words are."""
    old = [line[1:] for line in hunk if line[:1] != "+"]
    start = _place(lines, old)
    window = lines[start : start + len(old) + _AROUND]
    matcher = difflib.SequenceMatcher(None, old, window, autojunk=False)
    where = {block.a + k: start + block.b + k for block in matcher.get_matching_blocks() for k in range(block.size)}
    changed, inserted = dict[int, str](), dict[int, list[str]]()
    at, removed, last = 0, list[int](), -1
    for line in hunk:
        if line[:1] == "-":
            removed.append(at)
        elif line[:1] == "+" and removed:
            number = removed.pop(0)
            here = where.get(number, -1)
            if here < 0:
                here = _most_similar(lines, old[number])
            changed[here] = _with_words(lines[here], old[number], line[1:])
            last = here
        elif line[:1] == "+":
            inserted.setdefault(last + 1 if last >= 0 else where[min(n for n in where if n >= at)], []).append(line[1:])
        else:
            last = where.get(at, last)
        at += line[:1] != "+"
    result = list[str]()
    for number in range(len(lines) + 1):
        result += inserted.get(number, [])
        if number < len(lines):
            result.append(changed.get(number, lines[number]))
    return result


def _place(lines: list[str], old: list[str]) -> int:
    """Return where most of these lines are, close together."""

    def there(start: int) -> int:
        part = lines[start : start + len(old) + _AROUND]
        return sum(line in part for line in old if line.strip())

    best = max(range(len(lines)), key=there)
    if not there(best):
        return max(0, _most_similar(lines, max(old, key=len)) - len(old))
    return best


def _most_similar(lines: list[str], line: str) -> int:
    found = difflib.get_close_matches(line, lines, 1, _SIMILAR)
    if not found:
        raise ValueError(f"no place for {line!r}")
    return lines.index(found[0])


def _with_words(actual: str, old: str, new: str) -> str:
    """Return a line with the words that `new` has and `old` lacks, after the same words as there; `new` itself if nobody
    else changed the line."""
    if actual == old:
        return new
    words, before = _WORD.findall(actual), _WORD.findall(old)
    blocks = difflib.SequenceMatcher(None, before, words, autojunk=False).get_matching_blocks()
    where = {block.a + k: block.b + k for block in blocks for k in range(block.size)}
    for kind, start, end, first, after in reversed(
        difflib.SequenceMatcher(None, before, _WORD.findall(new), autojunk=False).get_opcodes()
    ):
        if kind == "insert":
            at = where[start] if start in where else where[start - 1] + 1
            words[at:at] = _WORD.findall(new)[first:after]
        elif kind != "equal":
            raise ValueError(f"{old!r} loses {before[start:end]}")
    return "".join(words)
