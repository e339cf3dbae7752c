"""A year of use, simulated on real sessions of an agent: what they did within days is spread over a year, week by
week. What an agent says it will do is the query; right are the earlier turns on the files that it then touches. Two
stores see the same: one lets its memory evolve, the other does not."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from graphmem import settings
from graphmem.bench.retrieval import Row
from graphmem.extract.transcripts import Transcript
from graphmem.memify.usage import DAY
from graphmem.memory import Memory
from graphmem.model.events import Draft
from graphmem.model.sources import IngestReport
from graphmem.store import Store

_DAYS, _STEP = 364, 7
_START = 20_000 * DAY
_NEXT = 8  # turns after the query that say what was used next
_K = 10
_SHORTEST, _LONGEST = 30, 600  # characters of a query


class Hands:
    """A clock that the simulation moves."""

    def __init__(self) -> None:
        self.time = _START

    def now(self) -> int:
        """Microseconds since 1970."""
        return self.time

    def random(self, size: int) -> bytes:
        """Return the same bytes each time: nothing here is secret."""
        return b"\x2a" * size


class Asked(NamedTuple):
    """A query at its time, by whom, and the files that were touched next."""

    at: int
    session: str
    query: str
    files: frozenset[str]


def transcripts(folder: Path) -> Iterator[tuple[str, list[Draft]]]:
    """Yield (name, turns) of every transcript in a folder, gzipped or not."""
    for path in sorted(folder.rglob("*.jsonl*")):
        body = path.read_bytes()
        lines = (gzip.decompress(body) if path.suffix == ".gz" else body).splitlines()
        drafts = [draft for draft in Transcript(path, "year", IngestReport("sessions")).read(lines) if _turn(draft)]
        if drafts:
            yield path.name.partition(".")[0], drafts


def _turn(draft: Draft) -> bool:
    return draft.type in ("user_prompt", "agent_response", "tool_observation")


def spread(folder: Path) -> list[Draft]:
    """Return all turns in their order, spread evenly over the year."""
    turns = [
        replace(draft, session=draft.session or name, project="year")
        for name, drafts in transcripts(folder)
        for draft in drafts
    ]
    turns.sort(key=lambda draft: draft.at)
    step = _DAYS * DAY // max(1, len(turns))
    return [replace(draft, at=_START + place * step) for place, draft in enumerate(turns)]


def asked(turns: list[Draft]) -> list[Asked]:
    """Return every turn that says what will be done and is followed by work on files."""
    found = []
    for place, draft in enumerate(turns):
        text = str(draft.payload.get("content", "")).strip()
        if draft.type == "tool_observation" or not len(text) >= _SHORTEST:
            continue
        after = [other for other in turns[place + 1 : place + 1 + 4 * _NEXT] if other.session == draft.session][:_NEXT]
        files = frozenset(path for other in after for path in _files(other))
        if files:
            found.append(Asked(draft.at, draft.session, text[:_LONGEST], files))
    return found


def _files(draft: Draft) -> list[str]:
    return [*draft.payload.get("reads", ()), *draft.payload.get("writes", ())]


def run(folder: Path) -> list[Row]:
    """Mean reciprocal rank and hits of both stores on what was used next, after the first quarter."""
    turns = spread(folder)
    queries, clock = asked(turns), Hands()
    told: dict[str, list[tuple[float, float, float]]] = {"with priors": [], "without priors": []}
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as name:
        stores = {
            system: Memory(Store(Path(name) / system.split()[0], settings.load_settings(Path(name)), "year", clock))
            for system in told
        }
        about: dict[str, frozenset[str]] = {}
        for start in range(_START, _START + _DAYS * DAY, _STEP * DAY):
            end = clock.time = start + _STEP * DAY
            for one in queries:
                if start <= one.at < end and about:
                    for system, memory in stores.items():
                        score, shown, right = _score(memory, one, about)
                        if one.at - _START > _DAYS * DAY // 4:
                            told[system].append(score)
                        memory.used(shown=shown, chosen=right, session=f"{one.session}:{start}")
            recent = [turn for turn in turns if start <= turn.at < end]
            for memory in stores.values():
                ids = [appended.id for appended in memory._store.recorder.record(recent)] if recent else []
                memory.process()
            about |= {event: frozenset(_files(turn)) for event, turn in zip(ids, recent, strict=True)}
            stores["with priors"].memify("session_end")
        for memory in stores.values():
            memory.close()
    return [_row(system, scores) for system, scores in told.items()]


def _score(
    memory: Memory, one: Asked, about: dict[str, frozenset[str]]
) -> tuple[tuple[float, float, float], list[str], list[str]]:
    """Return ((reciprocal rank, right ones among ten, whether any), what was shown, what of it was right)."""
    shown = [hit.id for hit in memory.search(one.query, k=_K, kinds=["turn"]).hits]
    right = [item for item in shown if about.get(item, frozenset()) & one.files]
    first = 1.0 / (shown.index(right[0]) + 1) if right else 0.0
    return (first, len(right) / _K, float(bool(right))), shown, right


def _row(system: str, scores: list[tuple[float, float, float]]) -> Row:
    names = ("MRR", f"right@{_K}", f"any@{_K}")
    means = {name: round(sum(row[i] for row in scores) / max(1, len(scores)), 4) for i, name in enumerate(names)}
    return Row(system, "a simulated year: used next", len(scores), means)
