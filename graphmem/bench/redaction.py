"""Measures redaction on generated values: values in the formats of providers, in texts of many kinds. A third of the
providers is held out: their formats are disabled, so that only the general rules can find them. `--data FOLDER` counts
what is redacted in the text files of a folder instead; for ordinary text this should be almost nothing."""

from __future__ import annotations

import json
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from graphmem.bench.labelled_texts import Labelled, labelled, outputs
from graphmem.bench.secret_texts import NAKED, TEMPLATES, innocent, passwords, placed
from graphmem.model.text import Span
from graphmem.privacy.formats import Format, load_formats, make_example
from graphmem.privacy.scan import find_secrets

_THIRD = 3
_BIGGEST = 2_000_000  # characters of a file


def main(count: int, data: Path | None = None) -> None:
    """Measure and print one JSON line; `count` values are made of each format."""
    found = over_folder(data) if data else over_formats(count)
    sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")


def held_out(provider: str) -> bool:
    """Return whether a provider belongs to the third of which the general rules know nothing."""
    return zlib.crc32(provider.encode()) % _THIRD == 0


def over_formats(count: int) -> dict[str, Any]:
    """Shares of the characters of secrets that stay: where the format is known, where not, of chosen passwords, of labelled
    ones (known and held-out labels and containers) and of weak ones in output of programs; and of innocent characters
    that are hidden."""
    without = frozenset(row.provider for row in load_formats() if held_out(row.provider))
    random = Random(7)
    groups: dict[str, Counter[str]] = {
        "known": Counter(),
        "unknown": Counter(),
        "chosen": Counter(),
        "labelled": Counter(),
        "labelled unknown": Counter(),
        "output": Counter(),
        "clean": Counter(),
    }
    worst: dict[str, Counter[str]] = {name: Counter() for name in groups}
    places: Counter[str] = Counter()
    for row in load_formats():
        group = "unknown" if held_out(row.provider) else "known"
        for _ in range(count):
            for place, template in _templates(row, random):
                left, size = _leaked(template, row, make_example(row, random), without, random)
                groups[group].update(left=left, size=size)
                worst[group][place] += left
                places[f"{group} {place}"] += size
    for _ in range(count * 40):
        for kind, value in passwords(random):
            place = random.choice(sorted(TEMPLATES))
            row = Format("service", random.choice(("password", "secret", "token")), ())
            left, size = _leaked(random.choice(TEMPLATES[place]), row, value, without, random)
            groups["chosen"].update(left=left, size=size)
            worst["chosen"][f"{kind} in {place}"] += left
        for kind, text in innocent(random):
            hidden = sum(span.end - span.start for span in find_secrets(text))
            groups["clean"].update(left=hidden, size=len(text))
            worst["clean"][kind] += hidden
    for given in labelled(count, random):
        group = "labelled unknown" if given.held else "labelled"
        _count(given, groups[group], worst[group], printed=False)
    for given in outputs(random):
        _count(given, groups["output"], worst["output"], printed=True)
    return {
        name: {
            "characters": one["size"],
            "share": round(one["left"] / max(1, one["size"]), 5),
            "worst": dict(worst[name].most_common(8)),
        }
        for name, one in groups.items()
    } | {"providers": len({row.provider for row in load_formats()}), "formats": len(load_formats())}


def _count(given: Labelled, sizes: Counter[str], worst: Counter[str], *, printed: bool) -> None:
    """Count the characters of each place of a labelled secret, and those that stay."""
    spans = find_secrets(given.text, printed=printed)
    at = given.text.find(given.secret)
    while at >= 0:
        left = len(given.secret) - _hidden(spans, at, at + len(given.secret))
        sizes.update(left=left, size=len(given.secret))
        worst[given.container] += left
        at = given.text.find(given.secret, at + 1)


def _hidden(spans: Sequence[Span], start: int, end: int) -> int:
    return sum(max(0, min(span.end, end) - max(span.start, start)) for span in spans)


def _templates(row: Format, random: Random) -> Iterator[tuple[str, str]]:
    """Some places for a value; a value that nothing but its own name tells is never put if there is none."""
    for place in random.sample(sorted(TEMPLATES), 4):
        yield place, random.choice(TEMPLATES[place])
    if not row.beside and not held_out(row.provider):
        yield "naked", random.choice(NAKED)


def _leaked(template: str, row: Format, value: str, without: frozenset[str], random: Random) -> tuple[int, int]:
    kind = next((kind for kind in ("password", "secret", "token") if kind in row.kind), "key")
    word = row.beside[0] if row.beside else row.provider
    filled = placed(template, f"{word}_{'api_key' if kind == 'key' else kind}", kind, value, random)
    if filled is None:
        return 0, 0
    text, at = filled
    hidden = _hidden(find_secrets(text, without=without), at, at + len(value))
    return len(value) - hidden, len(value)


def over_folder(folder: Path) -> dict[str, Any]:
    """Return what is hidden in the texts of a folder, by kind, in characters and places, and how fast."""
    kinds: Counter[str] = Counter()
    seconds, size, hidden, files = 0.0, 0, 0, 0
    for text in _texts(folder):
        start = time.perf_counter()
        spans = find_secrets(text)
        seconds += time.perf_counter() - start
        files, size = files + 1, size + len(text)
        hidden += sum(span.end - span.start for span in spans)
        kinds.update(span.kind for span in spans)
    rate = round(size / 1e6 / seconds, 2) if seconds else 0.0
    return {
        "files": files,
        "characters": size,
        "hidden": hidden,
        "share": round(hidden / max(1, size), 7),
        "MB/s": rate,
        "kinds": dict(kinds.most_common(12)),
    }


def _texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _BIGGEST:
            try:
                yield path.read_text(encoding="utf-8")
            except (UnicodeDecodeError, OSError):
                continue
