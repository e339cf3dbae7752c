"""Answers of a search: hits with their reasons, how sure they are, and the text that fits the caller's budget.
Also what timelines and details show. Nothing here computes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Confidence = Literal["high", "suggested", "none"]
FLOOR = 0.05  # probability of a hit that is worth a look
_FEW = 3
_PLACE = re.compile(r"[^\s:]+:\d+")


@dataclass(frozen=True, slots=True)
class Hit:
    """One item. `score` in [0, 1] ranks within this answer, `probability` is the calibrated chance that the item is
    what was asked for; `why` says what each channel added to the score. `citation` is `[mem:XXXXXX]`;
    `status` is "contested" where another fact says otherwise. `content` is the whole text of the item, `passage` the part
    of it that answers, and `line` how many lines of the text come before that. `origin` says who said it;
    `suspicious` why it looks like orders to the agent, and it is `withheld` from agents until a person allows it."""

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
    line: int = 0
    origin: str = ""
    suspicious: tuple[str, ...] = ()
    withheld: bool = False

    @property
    def shown(self) -> str:
        """What to show of it: the passage that answers."""
        return self.passage or self.content

    @property
    def place(self) -> str:
        """Where it lies in the repository: file and line of a symbol or a document, the hash of a commit; "" otherwise."""
        if self.kind == "commit":
            return (self.ref or "")[:10]
        if self.kind not in ("symbol", "document") or not _PLACE.fullmatch(self.ref or ""):
            return ""
        path, _, first = (self.ref or "").rpartition(":")
        return f"{path}:{int(first) + (self.line if self.kind == 'document' else 0)}"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits, best first. `confidence`: "high" may be used unasked, "suggested" is worth showing, "none" means that
    nothing relevant was found; `probability` is the calibrated chance that the answer is there, if it is as likely there
    as not. `context` is text for an agent, `tokens` its real size, at most the budget. `degraded` says which channels did
    not work and why; `total` counts the candidates; `expanded` the hits shown in full, for `reason`; `withheld` those that no
    agent is shown. Where no hit is worth a look, `searched` says how many items of each kind there were."""

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
        """The hits that are worth a look: the first few of a matter that is known, and all that are probable."""
        few = 0 if self.confidence == "none" else _FEW
        return tuple(hit for place, hit in enumerate(self.hits) if place < few or hit.probability >= FLOOR)

    @property
    def nothing(self) -> str:
        """What to tell where none is: what was searched, and what to try."""
        if "index" in self.degraded:
            return "No results yet: the index is incomplete."
        counts = [f"{count:,} {kind.replace('_', ' ')}{'s' * (count != 1)}" for kind, count in self.searched.items()]
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
    """An item of the same session, near one that was asked for (`is_target`). `preview` has at most 200 characters."""

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
    """An item in full. `tokens` is the size of its content; `related` are citations of items that share an entity."""

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
