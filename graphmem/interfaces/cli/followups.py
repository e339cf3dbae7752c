"""Follow-ups that name a row of the last answer by its number, such as `graphmem show 3`. The rows of the last numbered answer are
kept in the store for each caller (a terminal or an agent): ids and places, no text. Two answers that were computed at the
same time for one caller leave none, because nobody could tell which one is meant."""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.text.answers import numbered_hits
from graphmem.memory import Memory
from graphmem.model.results import Answer, Hit, SearchResult
from graphmem.model.storefiles import FOLLOW_UPS

_NUMBER = re.compile(r"[1-9]\d?")
_KEPT_S = 86_400.0  # a number of yesterday means nothing
_MOST = 64  # callers that are kept
_WAIT_S = 1.0
_BY_ID = {"show": "id", "details": "ids", "timeline": "ids", "neighbours": "id"}
_BY_CODE = {
    "explain": "symbol", "code source": "target", "code callers": "symbol", "code callees": "symbol",
    "code impact": "symbol", "code implementations": "symbol", "code history": "target",
}  # fmt: skip


def keep_rows(mem: Memory, caller: str, result: Any, started: float) -> None:
    """Keep the numbered rows of an answer for the follow-ups of its caller. `started` is when it was asked, as `time.time`. A
    store that cannot be written to keeps nothing."""
    hits = _hits(result)
    if not caller or not hits:
        return
    rows = [{"id": hit.citation.strip("[]").removeprefix("mem:"), "kind": hit.kind, "code": _code(hit)} for hit in hits]
    file = _file(mem, caller)
    with suppress(OSError, Timeout):
        file.parent.mkdir(exist_ok=True)
        with FileLock(file.parent / "lock", timeout=_WAIT_S):
            before = _load(file)
            is_one_of_two = bool(before) and before["ended"] > started
            _write(file, {"ended": time.time(), "rows": rows, "is_one_of_two": is_one_of_two})
            _prune(file.parent)


def fill_numbers(mem: Memory, caller: str, verb: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a verb with the rows that numbers mean. An item that has such a number as its ref is meant first.
    Raises NotFound if the caller has no answer with that number, UsageError if the row is no code but the verb needs some."""
    name = _BY_ID.get(verb) or _BY_CODE.get(verb)
    if name is None or not given.get(name):
        return dict(given)
    fill: Callable[[str], str] = lambda word: _fill(mem, caller, word, is_code=verb in _BY_CODE)  # noqa: E731
    value = given[name]
    return {**given, name: fill(value) if isinstance(value, str) else [fill(each) for each in value]}


def _fill(mem: Memory, caller: str, word: str, *, is_code: bool) -> str:
    if not _NUMBER.fullmatch(word) or _is_ref(mem, word):
        return word
    found = _load(_file(mem, caller)) if caller else {}
    if not found or time.time() - found["ended"] > _KEPT_S:
        raise NotFound(
            f"no answer with numbers was given here, so {word} means nothing: name the item by its id", id=word
        )
    if found["is_one_of_two"]:
        raise NotFound(
            f"two answers were given at the same time, so {word} could be of either: name the item by its id", id=word
        )
    rows = found["rows"]
    if int(word) > len(rows):
        raise NotFound(f"the last answer with numbers has {len(rows)}, so {word} means nothing", id=word)
    row = rows[int(word) - 1]
    if is_code and not row["code"]:
        raise UsageError(f"{word} is a {row['kind']} and no code: `graphmem show {word}` shows it", id=word)
    return str(row["code"] if is_code else row["id"])


def _is_ref(mem: Memory, word: str) -> bool:
    with suppress(NotFound):
        return bool(mem.details([word]))
    return False


def _hits(result: Any) -> Sequence[Hit]:
    """Return the hits that an answer numbers."""
    if isinstance(result, SearchResult):
        return result.shown
    return numbered_hits(result) if isinstance(result, Answer) else ()


def _code(hit: Hit) -> str:
    """Return the name of a symbol with its file, or the place of a document; "" for anything else."""
    if hit.kind == "symbol" and hit.place:
        return f"{hit.place.rpartition(':')[0]}:{hit.title}"
    return hit.place if hit.kind == "document" else ""


def _file(mem: Memory, caller: str) -> Path:
    return mem.location / FOLLOW_UPS / f"{sha256(caller.encode()).hexdigest()[:16]}.json"


def _load(file: Path) -> dict[str, Any]:
    """Return what is kept for a caller; empty if there is nothing that can be read."""
    with suppress(OSError, ValueError):
        found = json.loads(file.read_bytes())
        if isinstance(found, dict) and isinstance(found.get("rows"), list) and isinstance(found.get("ended"), float):
            return found
    return {}


def _write(file: Path, found: Mapping[str, Any]) -> None:
    """Replace a file at once: a reader sees all of it or what was there."""
    descriptor, name = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
    with os.fdopen(descriptor, "w", encoding="utf-8") as made:
        json.dump(found, made)
    Path(name).replace(file)


def _prune(folder: Path) -> None:
    """Delete what was kept for all but the newest callers, and what is too old."""
    files = sorted((each.stat().st_mtime, each) for each in folder.glob("*.json"))
    too_old = time.time() - _KEPT_S
    for place, (written, file) in enumerate(reversed(files)):
        if place >= _MOST or written < too_old:
            file.unlink(missing_ok=True)
