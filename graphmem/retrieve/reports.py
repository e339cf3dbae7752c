"""Finds the files that a bug report is about. Quoted paths, stack frames and names identify them; a file is also scored
by the sum of its best symbols, because a report usually mentions several symbols of one file."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from graphmem.ports.text import Stored
from graphmem.retrieve.ports import Reader
from graphmem.retrieve.testcode import is_secondary

_MAX_CANDIDATES = 150  # candidates whose files are looked at
_MAX_SYMBOLS_PER_FILE = 5  # symbols of a file that count
_NEXT_SYMBOL_FACTOR = 0.6  # of each what the one before counts
_PATH = re.compile(
    r"(?<![\w/.-])[./~]*(?:[\w.-]+/)*[\w-]+\.(?:py|pyx|go|rs|tsx?|jsx?|java|rb|php|c|cc|cpp|h|hpp|cs|kt|swift|scala|lua|sh)\b"
)
_DOTTED = re.compile(r"\b[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+")
_LIBRARY_ROOT = re.compile(r"site-packages/|dist-packages/|\.egg/|lib/python\d[\d.]*/")
_MAX_PLACES = 40  # places that are looked for
# A frame of a stack trace with its file and function: of Python, JavaScript and Java, Ruby.
_FRAME = re.compile(
    r"File \"([^\"\n]{1,300})\", line \d+, in (\w+)"
    r"|^\s*at (?:async )?([\w.$<>]{1,200}) ?\((?:file://)?([\w./@-]{1,300}\.\w+):\d+"
    r"|^\s*(?:from )?([\w./-]{1,300}\.rb):\d+:in [`'](?:[\w:#.]{0,200}[#.])?([\w?!]+)",
    re.MULTILINE,
)
_INNERMOST_LAST = re.compile(r"Traceback \(most recent call last\)|File \"")
_MAX_FRAMES, _NEXT_FRAME_FACTOR = 3, 0.7  # own frames that count, and what each counts of the one inside of it
_FILE_OF_FRAME = 0.5  # what another symbol of the file of a frame counts, beside its function


def quoted_places(text: str) -> list[str]:
    """Return the paths and dotted modules that a text names, as ends of paths without suffix, the longest first.

    >>> quoted_places('File "/usr/lib/python3/site-packages/shop/cart.py", line 3, in total; see shop.tax.rate')
    ['shop/tax/rate', 'shop/cart', 'shop/tax']
    """
    found: dict[str, None] = {}
    for path in _PATH.findall(text):
        inside = _LIBRARY_ROOT.split(path)[-1].split("/")
        found[re.sub(r"\.\w+$", "", "/".join(inside[-3:]))] = None
    for dotted in _DOTTED.findall(_PATH.sub(" ", text)):
        parts = dotted.split(".")
        for end in range(len(parts), 1, -1):
            found["/".join(parts[:end])] = None
    return sorted(found, key=lambda place: -place.count("/"))[:_MAX_PLACES]


def file_scores(reader: Reader, rows: Sequence[int], total: np.ndarray) -> np.ndarray:
    """Return for each symbol the summed score of the best symbols in its file, in [0, 1] relative to the best file."""
    found = np.zeros(len(rows))
    head = np.argsort(-total, kind="stable")[:_MAX_CANDIDATES]
    files = _files(reader.load(rows[at] for at in head))
    sums: dict[str, float] = {}
    counts: dict[str, int] = {}
    for at in head:
        file = files.get(rows[at], "")
        place = counts.get(file, 0)
        if file and place < _MAX_SYMBOLS_PER_FILE:
            sums[file] = sums.get(file, 0.0) + float(total[at]) * _NEXT_SYMBOL_FACTOR**place
            counts[file] = place + 1
    highest = max(sums.values(), default=0.0) or 1.0
    for at in head:
        found[at] = sums.get(files.get(rows[at], ""), 0.0) / highest
    return found


def quoted_file_scores(reader: Reader, query: str, rows: Sequence[int], total: np.ndarray) -> np.ndarray:
    """Return for each symbol how precisely the query names its file, in [0, 1]."""
    found = np.zeros(len(rows))
    places = quoted_places(query)
    if not places:
        return found
    head = np.argsort(-total, kind="stable")[:_MAX_CANDIDATES]
    files = _files(reader.load(rows[at] for at in head))
    for at in head:
        path = "/" + re.sub(r"\.\w+$", "", files.get(rows[at], "")).removesuffix("/__init__")
        found[at] = max((_place_precision(place) for place in places if _ends_alike(path, f"/{place}")), default=0.0)
    return found


def read_frames(text: str) -> list[tuple[str, str]]:
    """Return the frames of the stack traces in a text as ends of paths with their functions, the innermost first.

    >>> read_frames('File "/usr/lib/shop/cart.py", line 3, in total\\nFile "shop/tax.py", line 9, in rate')
    [('shop/tax.py', 'rate'), ('lib/shop/cart.py', 'total')]
    """
    found = []
    for python, function, called, script, ruby, method in _FRAME.findall(text):
        path = _LIBRARY_ROOT.split(python or script or ruby)[-1]
        found.append(("/".join(path.strip("/").split("/")[-3:]), function or method or called.rpartition(".")[2]))
    return found[::-1] if _INNERMOST_LAST.search(text) else found


def frame_scores(reader: Reader, query: str, rows: Sequence[int], total: np.ndarray) -> np.ndarray:
    """Return for each symbol how near it is to the innermost frame of a stack trace that is in the project's own code, in [0, 1]:
    neither tests, nor copies of other projects, nor libraries from outside."""
    found = np.zeros(len(rows))
    frames = list(dict.fromkeys(read_frames(query)))
    if not frames:
        return found
    head = np.argsort(-total, kind="stable")[:_MAX_CANDIDATES].tolist()
    items = {one.row: one.item for one in reader.load(rows[at] for at in head)}
    own = {at: items[rows[at]] for at in head if rows[at] in items and not is_secondary(items[rows[at]])}
    files = {at: f"/{item.ref.rpartition(':')[0]}" for at, item in own.items()}
    inside = [frame for frame in frames if any(_ends_alike(file, f"/{frame[0]}") for file in files.values())]
    for depth, (path, function) in enumerate(inside[:_MAX_FRAMES]):
        for at, file in files.items():
            if _ends_alike(file, f"/{path}"):
                worth = 1.0 if own[at].title.endswith(f".{function}") else _FILE_OF_FRAME
                found[at] = max(found[at], worth * _NEXT_FRAME_FACTOR**depth)
    return found


def _ends_alike(path: str, place: str) -> bool:
    """Return whether one is the end of the other: a report may name a file from another root."""
    return path.endswith(place) or (path.count("/") > 1 and place.endswith(path))


def _place_precision(place: str) -> float:
    return 1.0 if "/" in place else 0.6


def _files(found: Sequence[Stored]) -> dict[int, str]:
    return {one.row: one.item.ref.rpartition(":")[0] for one in found}
