"""What waits for a person's decision: new memories where the setting asks for approval, facts that contradict each other, texts
that are withheld from agents, blockers that are only supposed, uncertain facts that nobody rated, memories that say nearly the
same, and names of one thing. Reads only; each decision is a command of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from typing import Any, NamedTuple

from graphmem.browse.alike import Alike, NamedEntity, find_alike, find_same_names
from graphmem.cognify.ledger import DECIDED, current_decisions
from graphmem.interfaces.web.ratings import read_ratings
from graphmem.memory import Memory
from graphmem.model.tasks import BlockerRef, Task
from graphmem.projections.entities import MERGED

_MOST = 200  # of each kind
_READ = 5_000  # latest decisions that are read
_ENTITIES = 5_000  # most mentioned entities whose names are compared
_WAITING = 5_000
_NEWEST = 1_000  # facts that are compared with each other


class Contested(NamedTuple):
    """Two facts of which at most one can hold."""

    one: str
    other: str


class Supposed(NamedTuple):
    """A blocker of a task that awaits confirmation; or, with `is_condition`, a condition that may mean one of some tasks."""

    task: Task
    blocker: BlockerRef
    is_condition: bool


class Unsure(NamedTuple):
    """A derived fact with its confidence in [0, 1]."""

    id: str
    content: str
    kind: str
    confidence: float
    at: Any


class Undecided(NamedTuple):
    """Everything that waits, newest first."""

    waiting: list[dict[str, Any]]
    contested: list[Contested]
    withheld: list[dict[str, Any]]
    supposed: list[Supposed]
    alike: list[Alike]
    unsure: list[Unsure]
    same: list[tuple[NamedEntity, NamedEntity]]
    titles: dict[str, str]  # of all tasks

    def counts(self) -> dict[str, int]:
        """Return how many wait, by kind."""
        lists: tuple[Sized, ...] = (
            self.waiting, self.contested, self.withheld, self.supposed, self.alike, self.unsure, self.same,
        )  # fmt: skip
        return {kind: len(found) for kind, found in zip(KINDS, lists, strict=True)}


KINDS = ("waiting", "contested", "withheld", "supposed", "alike", "unsure", "same")
TABS = {"waiting": "New", "contested": "Contradictions", "withheld": "Withheld from agents", "supposed": "Supposed blockers",
         "alike": "Nearly the same", "unsure": "Uncertain facts", "same": "Same thing?", "replaced": "Replaced",
         "decided": "Decided"}  # fmt: skip


def read_undecided(memory: Memory, *, is_brief: bool = False) -> Undecided:
    """Return what waits for a decision, at most some hundred of each kind. With `is_brief`, only what is found without comparing
    or reading many texts: nothing that is withheld, nearly the same, or two names of one thing."""
    rated = read_ratings(memory).keys()
    decided = {frozenset(pair) for pair in current_decisions(memory.history(types=[DECIDED], limit=_READ))}
    contested = {
        frozenset((one, other)): Contested(one, other)
        for _, _, _, one, other in memory.query("facts_contested", {"limit": _MOST}).rows
        if not {one, other} & rated and frozenset((one, other)) not in decided
    }
    unsure = [
        Unsure(id, content, kind, float(confidence), at)
        for content, kind, confidence, at, id in memory.query("facts_unsure", {"limit": _MOST}).rows
        if id not in rated
    ]
    tasks = memory.tasks.find()
    newest = [] if is_brief else memory.query("facts_newest", {"limit": _NEWEST}).rows
    texts = {id: f"{title} {content}" for id, _, title, content in newest if id not in rated}
    alike = [
        pair for pair in find_alike(texts) if frozenset((pair.older, pair.newer)) not in decided | contested.keys()
    ]
    return Undecided(
        memory.approvals(limit=_WAITING).to_dicts(), list(contested.values()),
        [] if is_brief else memory.review(limit=_MOST).to_dicts(), list(_supposed(tasks)), alike[:_MOST], unsure,
        [] if is_brief else _same_names(memory)[:_MOST],
        {task.id: task.title for task in tasks},
    )  # fmt: skip


def _same_names(memory: Memory) -> list[tuple[NamedEntity, NamedEntity]]:
    """Return pairs of entities that may be one thing, without those that a person has decided on."""
    decided = {
        frozenset((event.payload["merged"], event.payload["kept"]))
        for event in memory.history(types=[MERGED], limit=_READ)
    }
    rows = memory.query("entities", {"limit": _ENTITIES}).rows
    pairs = find_same_names(NamedEntity(*row) for row in rows)
    return [(kept, merged) for kept, merged in pairs if frozenset((kept.id, merged.id)) not in decided]


def _supposed(tasks: Iterable[Task]) -> Iterable[Supposed]:
    for task in tasks:
        if task.open:
            yield from (Supposed(task, blocker, is_condition=False) for blocker in task.suggested)
            for blocker in task.blocked_by:
                if blocker.kind == "condition" and blocker.candidates:
                    yield Supposed(task, blocker, is_condition=True)
