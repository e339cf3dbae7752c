"""The one table of memory kinds: what each kind of item is called in the graph and how it is treated. A new kind is one row here
and the step that derives it; search, explicit memories, ageing, categories and the viewer read this table. Nothing here
touches a store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

Ageing = Literal["episodic", "knowledge", "state", "none"]


class MemoryKind(NamedTuple):
    """How one kind of item is treated.

    `label` is the node label, "" where items of the kind have several or none of their own. `ageing` names the decay policy
    (REQUIREMENTS 19; "none" for what mirrors code, commits or documents). `has_stage` says that evidence can raise or lower it
    (REQUIREMENTS 8), `is_categorised` that categories are made of it, `has_repeats` that of items that say the same only the
    best is shown, `is_about_files` that it may name the files it is about."""

    name: str
    label: str
    ageing: Ageing = "none"
    is_rememberable: bool = False
    has_stage: bool = False
    is_categorised: bool = False
    has_repeats: bool = False
    is_about_files: bool = False


_TABLE = (
    MemoryKind("turn", "Turn", "episodic", is_categorised=True, has_repeats=True),
    MemoryKind("fact", "Fact", "knowledge", is_rememberable=True, has_stage=True, is_categorised=True, has_repeats=True,
               is_about_files=True),
    MemoryKind("document", "Document", is_rememberable=True, is_categorised=True, is_about_files=True),
    MemoryKind("skill", "Skill", "knowledge", is_rememberable=True, has_stage=True, is_categorised=True, has_repeats=True),
    MemoryKind("pattern", "Pattern", "knowledge", is_rememberable=True, has_stage=True, is_categorised=True, has_repeats=True),
    MemoryKind("gotcha", "Gotcha", "state", is_rememberable=True, has_stage=True, is_categorised=True, has_repeats=True,
               is_about_files=True),
    MemoryKind("summary", "Summary", "knowledge", is_rememberable=True, has_stage=True, is_categorised=True, has_repeats=True,
               is_about_files=True),
    MemoryKind("memory", ""),
    MemoryKind("task", "Task", "state", is_categorised=True),
    MemoryKind("symbol", ""),
    MemoryKind("commit", ""),
    MemoryKind("snapshot", "Snapshot", "episodic"),
    MemoryKind("test_run", "", "episodic"),
)  # fmt: skip

KINDS: dict[str, MemoryKind] = {kind.name: kind for kind in _TABLE}
"""Every kind that search knows, by name, in the order in which kinds are listed. A store may hold more: a project's own types."""

REMEMBERABLE = tuple(kind.name for kind in _TABLE if kind.is_rememberable)
"""What `remember` takes as `kind`."""

REMEMBERABLE_TEXT = f"{', '.join(REMEMBERABLE[:-1])} or {REMEMBERABLE[-1]}"
"""The same as words of a sentence."""


def names_where(**properties: object) -> tuple[str, ...]:
    """Return the names of the kinds that have these properties, in the order of the table."""
    return tuple(kind.name for kind in _where(properties))


def labels_where(**properties: object) -> frozenset[str]:
    """Return the node labels of the kinds that have these properties."""
    return frozenset(kind.label for kind in _where(properties) if kind.label)


def _where(properties: dict[str, object]) -> Iterator[MemoryKind]:
    return (kind for kind in _TABLE if all(getattr(kind, name) == value for name, value in properties.items()))
