"""From bytes to a syntax tree, whatever the file looks like: wrong encodings are replaced, newer or older dialects of
Python are rewritten line for line, and statements that still cannot be read are blanked out one at a time. Line numbers
never change. Nothing here knows what the tree is used for."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Callable

from graphmem.codegraph.python.fstrings import replace_fstrings, restore_fstrings

_MAX_REPAIRS = 60


def _pad_with_blanks(found: re.Match[str]) -> str:
    """Return the first group, padded with blanks so that columns stay the same."""
    return found[1].ljust(len(found[0]))


# Dialects that the running interpreter's grammar may refuse, each rewritten within its own line.
_DIALECTS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"^(\s*)print\s+>>\s*[^,\n]+,\s*(.*)$", re.M), r"\1print(\2)"),
    (re.compile(r"^(\s*(?:.*:\s)?)print[ \t]+(?![=(.\[,])([^\n;]*?)(\s*(?:;.*)?)$", re.M), r"\1print(\2)\3"),
    (re.compile(r"^(\s*(?:.*:\s)?)print[ \t]+(\([^\n]*\)[ \t]*[%+,][^\n]*)$", re.M), r"\1print(\2)"),
    (re.compile(r"^(\s*)print[ \t]*$", re.M), r"\1print()"),
    (re.compile(r"^(\s*except\s+[\w.]+)\s*,\s*(\w+)\s*:", re.M), r"\1 as \2:"),
    (re.compile(r"^(\s*except\s*\([^()\n]*\))\s*,\s*(\w+)\s*:", re.M), r"\1 as \2:"),
    (re.compile(r"^(\s*except\s+)([\w.]+(?:\s*,\s*[\w.]+)+)(\s*:)", re.M), r"\1(\2)\3"),
    (re.compile(r"^(\s*(?:.*:\s)?)raise\s+([\w.]+)\s*,\s*([^,\n]+?)(?:\s*,[^\n]*)?$", re.M), r"\1raise \2(\3)"),
    (re.compile(r"^(\s*)exec\s+([^(\n=][^\n]*)$", re.M), r"\1exec(\2)"),
    (re.compile(r"`([^`\n]+)`"), r"repr(\1)"),
    (re.compile(r"<>"), "!="),
    (re.compile(r"\b([urb])r(?=['\"])", re.I), "r"),
    (re.compile(r"\bur?(?=['\"])", re.I), ""),
    (re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[lL]\b"), r"\1"),
    (re.compile(r"\b0(?=[0-7]+\b)(?!\.)"), "0o"),
    (
        re.compile(r"^(\s*(?:async\s+)?def\s+\w+|\s*class\s+\w+)\[[^\n\]]*(?:\[[^\n\]]*\][^\n\]]*)*\]", re.M),
        _pad_with_blanks,
    ),
    (re.compile(r"^(\s*)type\s+(\w+)(?:\[[^\n=]*\])?\s*=", re.M), r"\1\2 ="),
)

_HEAD = re.compile(r"\s*(?:async|def|class|if|elif|else|for|while|with|try|except|finally)\b.*:\s*\Z")
_CONTINUES = re.compile(r"[)\]}#]|(?:else|elif|except|finally)\b")


def encoding_of(source: bytes) -> str:
    """Return the encoding that a file declares, else UTF-8. Raises SyntaxError for an unknown one."""
    return tokenize.detect_encoding(io.BytesIO(source).readline)[0]


def decode(source: bytes) -> str:
    """Return the text, with "\\n" as its only line end; an encoding declaration is honoured, undecodable bytes are
    replaced."""
    try:
        text = source.decode(encoding_of(source), "replace")
    except (SyntaxError, LookupError):
        text = source.decode("utf-8", "replace")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\0", "").removeprefix("\ufeff")


def parse_text(text: str) -> tuple[ast.Module, int]:
    """Return the tree of `text`, and the number of places that could not be parsed."""
    tree = _parse(text)
    if isinstance(tree, ast.Module):
        return tree, 0
    text, taken = replace_fstrings(text)
    tree, errors = _parse_with_repairs(text)
    restore_fstrings(tree, taken)
    return tree, errors


def _parse_with_repairs(text: str) -> tuple[ast.Module, int]:
    tree = _parse(text)
    if isinstance(tree, ast.Module):
        return tree, 0
    for pattern, replacement in _DIALECTS:
        text = pattern.sub(replacement, text)
    lines, blanked = text.split("\n"), 0
    tree = _parse(text)
    while not isinstance(tree, ast.Module):
        blanked += 1
        if blanked > _MAX_REPAIRS or not _blank_statement(lines, tree):
            return _parse_blocks(lines, blanked)
        tree = _parse("\n".join(lines))
    return tree, blanked


def _parse(text: str) -> ast.Module | int:
    """Return the tree, or the line of the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        return error.lineno or 1
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return 0


def _blank_statement(lines: list[str], line: int) -> bool:
    """Replace the statement with the error, on this line or the nearest above with text, by a valid one. Return False
    if there is none."""
    at = min(line, len(lines)) - 1
    above = next((n for n in range(at - 1, -1, -1) if lines[n].strip() and lines[n].lstrip()[0] != "#"), -1)
    if above >= 0 and _HEAD.match(lines[above]) and _indentation([lines[at]], 0) <= _indentation(lines, above):
        lines[above] += " pass"  # a block without a line: what follows it is not at fault
        return True
    while at >= 0 and (not lines[at].strip() or lines[at].strip() in ("pass", "if 1:")):
        at -= 1
    if at < 0:
        return False
    text = lines[at]
    indent = text[: len(text) - len(text.lstrip())]
    opens_block = text.rstrip().endswith(":") and _indentation(lines, at + 1) > len(indent)
    lines[at] = indent + ("if 1:" if opens_block else "pass")
    return True


def _indentation(lines: list[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return len(lines[at]) - len(lines[at].lstrip()) if at < len(lines) else -1


def _parse_blocks(lines: list[str], errors: int) -> tuple[ast.Module, int]:
    """Parse every top-level block separately, as a last resort, and leave out those with errors."""
    starts = [n for n, line in enumerate(lines) if line[:1].strip() and not _CONTINUES.match(line)]
    starts = [n for n in starts if not (n and lines[n - 1].startswith("@"))]
    body: list[ast.stmt] = []
    for start, end in zip(starts, [*starts, len(lines)][1:], strict=True):
        tree = _parse("\n".join(lines[start:end]))
        if isinstance(tree, ast.Module):
            for node in tree.body:
                body.append(ast.increment_lineno(node, start))
    return ast.Module(body=body, type_ignores=[]), errors
