"""Tokenises text into words and punctuation, each with its shape: a path, a call, a version, `camelCase`. Names are in
`vocabulary.py`, context in `rules.py`. Linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from graphmem.text.entities.korean import stem
from graphmem.text.entities.wordlists import word_set
from graphmem.text.entities.wordshape import EXTENSIONS, FILE_NAMES, shape_of

HANGUL = "가-힣ㄱ-ㆎ"
L = rf"[^\W{HANGUL}]"  # a letter, digit or underscore that is not Korean

LONGEST_CHUNK = 1000  # a longer run without a space is data, not prose: it is cut, which limits matching costs

CHUNK = re.compile(rf"\S{{1,{LONGEST_CHUNK}}}")

# Order matters: the first matching alternative wins. All repetitions are bounded, to prevent backtracking.
PIECE = re.compile(
    rf"""
    (?P<url>(?:[a-z][a-z0-9+]{{1,12}}://|www\.)[^\s<>"'`{HANGUL}]+)
  | (?P<email>{L}[\w.+-]{{0,63}}@{L}[A-Za-z0-9-]{{0,62}}(?:\.[A-Za-z0-9-]{{1,63}})+)
  | (?P<issue>[A-Za-z0-9][\w.-]{{0,38}}/[A-Za-z0-9][\w.-]{{0,99}}\#\d{{1,7}}(?!{L})|(?<![\w&])\#\d{{1,7}}(?!{L}|-))
  | (?P<date>(?:19|20)\d\d-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{{1,9}})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!{L}))
  | (?P<tag></?[A-Za-z][\w:.-]*+/?>)
  | (?P<version>HTTP/\d(?:\.\d)?(?![\w.]))
  | (?P<path>(?:[A-Za-z]:(?=\\)|@)?(?:[~.]{{0,2}}|{L}[\w.@+%-]*+)[/\\](?![/\\*])[A-Za-z0-9_.@+%~$\\/-]*+)
  | (?P<call>(?:[$@.]?(?!\d){L}[\w$]*+(?:(?:\.|::|->|\#)\$?{L}[\w$]*+)*+)\((?:[^\s()]{{0,40}})\))
  | (?P<generic>{L}++(?:(?:\.|::){L}++)*+(?:<[A-Za-z_][\w.,:?*\[\]<]{{0,60}}>+|\[\]))
  | (?P<flag>(?<![\w.)])--?(?!rw|r--|apple-)[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*+)
  | (?P<word>(?:[@$]|\.(?=[A-Za-z]))?{L}++(?:(?:[.-]|::|->){L}++)*+(?:\+\+\d*|\#(?!\w)|\+(?![\w+]))?)
  | (?P<korean>(?<=\d)[년월일]|[{HANGUL}]++)
  | (?P<mark>.)
    """,
    re.VERBOSE,
)

ROOTS = word_set(
    """
    src lib libs app apps test tests spec docs doc bin etc usr var tmp home opt dev proc root mnt srv data
    queries scripts packages pkg cmd internal node_modules public static assets config include build dist target
    examples users api
    """
)


class Piece(NamedTuple):
    """A word or punctuation mark at `start:end` of its chunk; `shape` is "" for ordinary words and "mark" for
    punctuation."""

    start: int
    end: int
    text: str
    low: str
    shape: str


class Words(NamedTuple):
    """The tokens of a text as columns of equal length; offsets refer to the text."""

    starts: list[int]
    ends: list[int]
    texts: list[str]
    lows: list[str]
    shapes: list[str]


def scan_words(text: str) -> Words:
    """Return all words and punctuation of `text` with offsets."""
    words = Words([], [], [], [], [])
    starts, ends, texts, lows, shapes = words
    for chunk in CHUNK.finditer(text):
        at = chunk.start()
        for start, end, piece, low, shape in dissect_word(chunk.group()):
            starts.append(at + start)
            ends.append(at + end)
            texts.append(piece)
            lows.append(low)
            shapes.append(shape)
    return words


@lru_cache(maxsize=32768)
def dissect_word(chunk: str) -> tuple[Piece, ...]:
    """Return the tokens of a run of text without spaces."""
    if chunk.isalpha() and chunk.isascii():
        return (Piece(0, len(chunk), chunk, chunk.lower(), shape_of(chunk)),)
    return tuple(_pieces(chunk))


def _pieces(chunk: str) -> Iterator[Piece]:
    place = 0
    while place < len(chunk):
        match = PIECE.match(chunk, place)
        if match is None:  # a surrogate or control character
            place += 1
            continue
        kind, end = match.lastgroup or "mark", match.end()
        if kind == "url":
            end = place + len(_without_trailing_marks(match.group()))
        elif kind == "path":
            end, kind = _path(chunk, place, end)
        text = chunk[place:end]
        if kind == "word":
            kind = shape_of(text)
        elif kind == "call":
            end = place + _call_length(text)
            kind = "call" if end == place + len(text) or "." in text[: end - place] else ""
        elif kind == "flag" and len(text) < 3 and place > 0:
            kind = ""
        elif kind == "korean":
            end = place + len(stem(text))
        text = chunk[place:end]
        yield Piece(place, end, text, text.lower(), kind)
        place = end


def _call_length(call: str) -> int:
    """Return how much of `name(...)` is the mention: not the "(s)" of "file(s)", nor the position in a stack trace line."""
    name, _, inside = call.partition("(")
    plural = inside in ("s)", "es)") or name == "O"
    return len(name) if plural or re.search(r"\.\w+:\d", inside) else len(call)


def _without_trailing_marks(url: str) -> str:
    """Remove a closing bracket from a URL unless it was opened inside it."""
    while url and (
        url[-1] in ".,;:!?*_'\"|" or (url[-1] in ")]}" and url.count(url[-1]) > url.count("([{"[")]}".index(url[-1])]))
    ):
        url = url[:-1]
    return url


def _path(chunk: str, start: int, end: int) -> tuple[int, str]:
    """Return (end, shape) of a word with slashes: a file, a scoped package, or otherwise only its first word."""
    text = chunk[start:end].rstrip(".")
    end = start + len(text)
    parts = [p for p in re.split(r"[/\\]", text) if p]
    if text.startswith("@"):
        if len(parts) == 2 and not text.endswith("/"):
            return end, "scoped"
    elif parts and _is_path(text, parts):
        return end, "file"
    first = re.match(rf"(?:[@$]|\.(?=[A-Za-z]))?{L}+(?:[.+-]{L}+)*\+*", text)
    if first is None:
        return start + 1, "mark"
    return start + first.end(), shape_of(first.group())


def _is_path(text: str, parts: list[str]) -> bool:
    last = parts[-1]
    if "\\" in text and "/" not in text and text[1:3] != ":\\" and "." not in last:
        return False  # an escaped character
    if text[0] in "~/." or text[1:3] == ":\\":
        return len(parts) > 1 or parts[0].lower() in ROOTS or "." in last.strip(".")
    if "." in last.strip(".") and last.rsplit(".", 1)[1].lower() in EXTENSIONS:
        return True
    if last.lower() in FILE_NAMES:
        return True
    return parts[0].lower() in ROOTS and (len(parts) > 1 or text.endswith("/")) and parts[0].islower()
