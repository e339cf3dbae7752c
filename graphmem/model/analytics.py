"""What a memory did for its project, as figures: injected texts and what came of them, repeated failures, knowledge by area, and
memories that may be junk."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class InjectedTokens:
    """Tokens that hooks injected, by what came of the texts: `quoted` by the agent, or opened by it; `acted_on`: it then named
    something that only the memory had named; `wrong`: a memory in it is marked wrong; `unseen`: nothing of that."""

    quoted: int
    acted_on: int
    wrong: int
    unseen: int

    @property
    def total(self) -> int:
        """Return the sum over all outcomes."""
        return self.quoted + self.acted_on + self.wrong + self.unseen


@dataclass(frozen=True, slots=True)
class InjectedDay:
    """The texts that hooks injected on a day (UTC)."""

    day: str
    texts: int
    tokens: InjectedTokens


@dataclass(frozen=True, slots=True)
class InjectedMemory:
    """A memory with how many texts contained it, how many of these were quoted or acted on, and when it was last injected."""

    id: str
    title: str
    kind: str
    texts: int
    used: int
    last: datetime


@dataclass(frozen=True, slots=True)
class Injected:
    """Everything that hooks injected in the period. `moments` has texts, tokens and used texts by hook event. `idle` are memories
    that were injected at least three times and never used, most often first. `left_out` sessions were not read."""

    texts: int
    memories: int
    sessions: int
    tokens: InjectedTokens
    days: list[InjectedDay]
    moments: dict[str, list[int]]
    idle: list[InjectedMemory]
    left_out: int


@dataclass(frozen=True, slots=True)
class RepeatedFailure:
    """A failure that came up more than once. `warned`: how many texts of the period told an agent about it."""

    id: str
    title: str
    trigger: str
    resolution: str
    recurrence: int
    resolved: bool
    first: datetime | None
    last: datetime | None
    warned: int


@dataclass(frozen=True, slots=True)
class AreaKnowledge:
    """A folder with its files, how often commits changed them, and what is known about them. `is_gap`: it belongs to the most
    changed half, and nothing is known about it."""

    area: str
    files: int
    changes: int
    facts: int
    gotchas: int
    is_gap: bool


@dataclass(frozen=True, slots=True)
class Junk:
    """Memories that may be worth nothing: counts, of all times. `archived` includes what maintenance put away."""

    marked_wrong: int
    archived: int
    uncertain: int
    nearly_same: int
    withheld: int
    idle: int


@dataclass(frozen=True, slots=True)
class Analytics:
    """The figures of the last `days` days; areas and junk are of all times."""

    days: int
    injected: Injected
    failures: list[RepeatedFailure]
    areas: list[AreaKnowledge]
    junk: Junk
