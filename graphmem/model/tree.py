"""Records of the memory tree and endless mode: nodes, original turns, retrieval results, windows and states. Plain
records; nothing here computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Recall = Literal["passive", "active", "both"]


@dataclass(frozen=True, slots=True)
class MemoryNode:
    """A memory without its original turns. `summary` is one line without values. `trigger` says when it is needed,
    with every value and name. `turns` counts its original turns; `links` are ids of memories that share rare
    tags, strongest first."""

    id: str
    summary: str
    trigger: str
    tags: tuple[str, ...]
    links: tuple[str, ...]
    recall_mode: Recall
    session: str
    at: datetime
    turns: int
    content_key: str = ""


@dataclass(frozen=True, slots=True)
class Original:
    """One turn as recorded, without private text. `id` is that of its event."""

    id: str
    ref: str | None
    role: str
    at: datetime
    content: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A memory with some of its original turns. `first` is the index of the first one, `more` says whether others
    follow."""

    node: MemoryNode
    originals: tuple[Original, ...]
    first: int = 0
    more: bool = False


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A retrieved memory with its score in [0, 1]. `linked`: it was not found itself, but is linked to one that
    was."""

    node: MemoryNode
    score: float
    linked: bool = False


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What was retrieved, best first. `risk` "high": the question asks for something exact, so read the originals before
    answering; "low": the summaries may do. `context` is for an agent: nodes with the originals that match, in `tokens`.
    `degraded` says what was lacking, and why."""

    nodes: tuple[Retrieved, ...] = ()
    risk: Literal["high", "low"] = "low"
    context: str = ""
    tokens: int = 0
    degraded: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TreeIndex:
    """The index that is always in context: passive memories within their budget, then the newest, one line each; `total`
    nodes there are, and `tags` with the number of nodes that carry them."""

    nodes: tuple[MemoryNode, ...] = ()
    total: int = 0
    tags: tuple[tuple[str, int], ...] = ()
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Consolidated:
    """The decisions of a consolidation: merged pairs (kept, absorbed, similarity) and linked pairs (a, b,
    similarity)."""

    merged: tuple[tuple[str, str, float], ...] = ()
    linked: tuple[tuple[str, str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class WorkingEvent:
    """An event of the working set: `relevance` in [0, 1], half of it lost in a window; `consolidated` says that a memory
    keeps it."""

    id: str
    role: str
    at: datetime
    session: str
    text: str
    relevance: float
    consolidated: bool
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConsolidatedMemory:
    """A memory that endless mode made of several events; `sources` are their ids."""

    id: str
    summary: str
    topics: tuple[str, ...]
    sources: tuple[str, ...]
    confidence: float
    at: datetime
    shown: int = 0


@dataclass(frozen=True, slots=True)
class EndlessStatus:
    """State of endless mode. `continuity` in [0, 1] is None before there is anything to continue with; `label` is seamless,
    topic_shift, break or none."""

    mode: Literal["endless", "session"]
    session: str
    since: datetime | None
    working_set: int
    pending: int
    span_hours: float
    continuity: float | None
    label: str
    consolidated: int
    last_run: datetime | None
    last_trigger: str
    topics: tuple[str, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EndlessReport:
    """The result of enabling, disabling or consolidating."""

    mode: str
    loaded: int = 0
    memories: int = 0
    events: int = 0
    details: tuple[dict[str, Any], ...] = ()
