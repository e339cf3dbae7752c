"""The one table of memory kinds: their names in the graph and how they are treated. A new kind is one row here and
its place in the graph schema; if it is derived, also a step. Search, `remember`, ageing, categories and the viewer read this
table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

Ageing = Literal["episodic", "knowledge", "state", "none"]


class MemoryKind(NamedTuple):
    """How one kind of item is treated.

    `label` is the node label, "" if items of the kind have several labels or none. `ageing` is the decay policy ("none"
    for copies of code, commits or documents). `has_stage`: evidence can promote or demote it. `is_categorised`: it takes
    part in categories. `has_repeats`: of equivalent items, only the best is returned. `is_about_files`: it may name the
    files it is about.
    """

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
"""All kinds that search knows, in the order of listing. A store may have more: a project's custom types."""

REMEMBERABLE = tuple(kind.name for kind in _TABLE if kind.is_rememberable)
"""The kinds that `remember` accepts."""

REMEMBERABLE_TEXT = f"{', '.join(REMEMBERABLE[:-1])} or {REMEMBERABLE[-1]}"
"""The same, as text for a sentence."""


def names_where(**properties: object) -> tuple[str, ...]:
    """Return the names of the kinds with these properties, in the order of the table."""
    return tuple(kind.name for kind in _where(properties))


def labels_where(**properties: object) -> frozenset[str]:
    """Return the node labels of the kinds with these properties."""
    return frozenset(kind.label for kind in _where(properties) if kind.label)


def _where(properties: dict[str, object]) -> Iterator[MemoryKind]:
    return (kind for kind in _TABLE if all(getattr(kind, name) == value for name, value in properties.items()))
