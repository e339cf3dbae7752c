"""Search results: hits with their reasons, confidence, and a context within the caller's token budget; also timelines and
details. Nothing is computed here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from graphmem.plurals import counted

Confidence = Literal["high", "suggested", "none"]
FLOOR = 0.05  # minimum probability of a hit that is shown
_FEW = 3
_PLACE = re.compile(r"[^\s:]+:\d+")


# What a hit that does not simply hold is called, next to it.
STATUS_NOTES = {"contested": "contested", "superseded": "superseded", "amended": "amended later",
                "waiting": "waiting for approval", "rejected": "rejected"}  # fmt: skip


# How what stands against a hit is called.
AGAINST = {"contested": "contradicted by", "superseded": "replaced by", "amended": "amended by"}


def describe_status(status: str, against: str = "") -> str:
    """Return how a hit that does not simply hold is called, with what stands against it."""
    note = STATUS_NOTES.get(status, "")
    return f"{note}{': ' if status == 'amended' else ' by '}{against}" if note and against else note


@dataclass(frozen=True, slots=True)
class Hit:
    """A search hit. `score` in [0, 1] is its rank within this result; `probability` is the calibrated probability that
    it answers the query. `why` is the contribution of each channel to the score. `citation` is `[mem:XXXXXX]`. `status`
    is "contested" if another fact contradicts it, "superseded" if it was replaced, "amended" if the decision of its
    conversation was revised later. `content` is the full text, `passage` its answering part, `line` the number of lines
    before the passage, `excerpt` the sentence of it that says most of the query, in one line ("" for a budget of 0).
    `at` is, for a symbol, the last commit to its file. `origin` is the source of the text. `suspicious` says why it
    looks like instructions to the agent; it is then `withheld` from agents until a person allows it. If `is_answer`, it
    contains the result of an operation (callers, impact, history, ...) and the command for the rest. `stale` says which
    files, lines, symbols or commands that it cites are gone or changed since. `against` names what contradicts a contested
    hit, or took the place of one that no longer holds. `visibility` says, on a shared server, which
    store has it: "private" or "team"."""

    id: str
    ref: str | None
    kind: str
    score: float
    title: str
    summary: str
    content: str
    at: datetime
    session: str | None
    citation: str
    why: Mapping[str, float]
    probability: float = 0.0
    role: str = ""
    tags: tuple[str, ...] = ()
    status: str = "active"
    passage: str = ""
    excerpt: str = ""
    line: int = 0
    origin: str = ""
    suspicious: tuple[str, ...] = ()
    withheld: bool = False
    is_answer: bool = False
    stale: str = ""
    against: str = ""
    visibility: str = ""

    @property
    def shown(self) -> str:
        """Return the text to show: the answering passage."""
        return self.passage or self.content

    @property
    def place(self) -> str:
        """Return the location in the repository: file and line of a symbol or document, or the hash of a commit;
        otherwise ""."""
        if self.kind == "commit":
            return (self.ref or "")[:10]
        if self.kind not in ("symbol", "document") or not _PLACE.fullmatch(self.ref or ""):
            return ""
        path, _, first = (self.ref or "").rpartition(":")
        return f"{path}:{int(first) + (self.line if self.kind == 'document' else 0)}"


NOWHERE = "it occurs nowhere"  # reason in `degraded` for a name of the query that the store does not know


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first. `confidence`: "high" can be used without checking, "suggested" is worth showing, "none" means no
    relevant hit. `probability` is the calibrated probability that the answer exists, with a prior of one half. `context`
    is text for an agent of `tokens` tokens, within the budget. `degraded` lists channels that failed, with reasons.
    `total` counts candidates; `expanded` counts hits shown in full, because of `reason`; `withheld` counts hits not shown
    to agents. If no hit is worth showing, `searched` is the number of searched items of each kind."""

    hits: tuple[Hit, ...] = ()
    confidence: Confidence = "none"
    probability: float = 0.0
    context: str = ""
    tokens: int = 0
    total: int = 0
    expanded: int = 0
    reason: str = "no_results"
    degraded: Mapping[str, str] = field(default_factory=dict)
    withheld: int = 0
    searched: Mapping[str, int] = field(default_factory=dict)

    @property
    def shown(self) -> tuple[Hit, ...]:
        """Return the hits worth showing: all probable ones, and the first few if the topic is known."""
        few = 0 if self.confidence == "none" else _FEW
        return tuple(hit for place, hit in enumerate(self.hits) if place < few or hit.probability >= FLOOR)

    @property
    def unknown_names(self) -> tuple[str, ...]:
        """Return the names of the query that occur nowhere."""
        return tuple(name for name, reason in self.degraded.items() if reason == NOWHERE)

    @property
    def nothing(self) -> str:
        """Return a message for an empty result: what was searched, and what to try."""
        if "index" in self.degraded:
            return "No results yet: the index is incomplete."
        counts = [counted(count, kind.replace("_", " ")) for kind, count in self.searched.items()]
        among = (
            f" among {', '.join(counts[:-1])} and {counts[-1]}"
            if len(counts) > 1
            else f" among {counts[0]}"
            if counts
            else ""
        )
        return f"No results{among}. Try other words, an exact name, or `--scope global`."


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """An item of the same session near a requested one (`is_target`). `preview` has at most 200 characters."""

    id: str
    ref: str | None
    kind: str
    at: datetime
    session: str | None
    role: str
    preview: str
    is_target: bool
    citation: str
    origin: str = ""
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class Detail:
    """An item in full. `tokens` is the size of its content; `related` are citations of items that share an entity; `status` and
    `against` are as in `Hit`."""

    id: str
    ref: str | None
    kind: str
    title: str
    content: str
    at: datetime
    session: str | None
    role: str
    tags: tuple[str, ...]
    tokens: int
    has_code: bool
    files: tuple[str, ...]
    citation: str
    related: tuple[str, ...] = ()
    origin: str = ""
    suspicious: tuple[str, ...] = ()
    withheld: bool = False
    status: str = "active"
    against: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known about a question. `lines` are the evidence, each with its place, author, date or citation; `commands` give
    the rest; `missing` are names of the question that the repository has nowhere, which lowers the confidence; `degraded` lists
    what failed, with reasons. `quotes` are lines (number, text) of symbols among the hits, by the id of the hit."""

    question: str
    type: str
    confidence: Confidence
    lines: tuple[str, ...]
    commands: tuple[str, ...]
    hits: tuple[Hit, ...]
    missing: tuple[str, ...] = ()
    withheld: int = 0
    degraded: Mapping[str, str] = field(default_factory=dict)
    quotes: Mapping[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)
