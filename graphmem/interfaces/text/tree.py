"""Formats results of the memory tree and endless mode as text for people and agents, with a hint at the next step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from graphmem.interfaces.text import answers as answer_text
from graphmem.interfaces.text.analytics import analytics_text
from graphmem.model.analytics import Analytics
from graphmem.model.tree import (
    Consolidated,
    ConsolidatedMemory,
    EndlessReport,
    EndlessStatus,
    MemoryNode,
    Reading,
    Retrieval,
    TreeIndex,
    WorkingEvent,
)
from graphmem.plurals import counted

_READ_HINT = "Next: `read_memory_node` with an id for the original turns."
Text = tuple[str, str]  # recalled text, hint


def _node(node: MemoryNode, *, whole: bool = True) -> str:
    line = f"[{node.id}] {node.at:%Y-%m-%d} {node.summary}"
    if not whole:
        return line
    more = [f"  {node.trigger}", f"  tags: {', '.join(node.tags)}"]
    if node.links:
        more.append(f"  links: {', '.join(node.links)}")
    return "\n".join([line, *more])


def memory_rows(found: Sequence[MemoryNode]) -> Text:
    """Return memories as rows, without their original turns."""
    return "\n".join(map(_node, found)), _READ_HINT if found else "None."


def _one(node: MemoryNode) -> Text:
    return _node(node), f"Recalled: {node.recall_mode}."


def _index(index: TreeIndex) -> Text:
    passive = [node for node in index.nodes if node.recall_mode != "active"]
    others = [node for node in index.nodes if node.recall_mode == "active"]
    lines = [f"{_node(node, whole=False)}\n  {node.trigger}" for node in passive]
    lines += [_node(node, whole=False) for node in others]
    if index.tags:
        lines.append("tags: " + ", ".join(f"{tag} {count}" for tag, count in index.tags))
    shown = f"{len(index.nodes)} of {counted(index.total, 'memory')}. "
    return "\n".join(lines), shown + "Next: `retrieve_memory` by meaning, `search_memory` by tag."


def _reading(reading: Reading) -> Text:
    lines = [_node(reading.node)]
    for turn in reading.originals:
        lines.append(f"--- {turn.role} {turn.at:%Y-%m-%d %H:%M}{f' {turn.ref}' if turn.ref else ''}\n{turn.content}")
    following = reading.first + len(reading.originals)
    return "\n".join(lines), f"There are more original turns: continue with first={following}." if reading.more else ""


def _retrieval(found: Retrieval) -> Text:
    without = [f"(without {channel}: {reason})" for channel, reason in found.degraded.items()]
    if not found.nodes:
        return "", " ".join(["No matching memory. Try other words, or `search_memory` with a tag.", *without])
    lines = [f"{one.score:.2f}{' (linked)' if one.linked else ''} {_node(one.node)}" for one in found.nodes]
    text = "\n".join([*lines, *(["Matching original turns:", found.context] if found.context else ()), *without])
    if found.risk == "high":
        return (
            text,
            "The question asks for an exact value: answer from an original turn; call `read_memory_node` if none is quoted.",
        )
    return text, "Answer from this; call `read_memory_node` only if it is not sufficient."


def _consolidated(done: Consolidated) -> Text:
    lines = [f"{kept} absorbed {gone} ({how:.2f} alike)" for kept, gone, how in done.merged]
    return "\n".join(
        lines
    ), f"{len(done.merged)} merged, {counted(len(done.linked), 'link')}; all original turns are kept."


def _status(status: EndlessStatus) -> Text:
    if status.mode != "endless":
        return "", "Endless mode is off: `graphmem endless enable` enables it."
    continuity = "none yet" if status.continuity is None else f"{status.continuity:.2f} ({status.label})"
    last = f"{status.last_run:%Y-%m-%d %H:%M} ({status.last_trigger})" if status.last_run else "never"
    lines = [
        f"mode         endless, session {status.session}",
        f"working set  {counted(status.working_set, 'event')} over {status.span_hours:.1f} h,"
        f" {status.pending} of them not consolidated",
        f"continuity   {continuity}",
        f"memories     {status.consolidated} consolidated, last {last}",
    ]
    lines += [f"topics       {', '.join(status.topics)}"] if status.topics else []
    lines += [f"files        {', '.join(status.files)}"] if status.files else []
    return "\n".join(lines), ""


def _report(report: EndlessReport) -> Text:
    if report.mode != "endless":
        return "", "Endless mode is off; existing memories are kept."
    loaded = f"{counted(report.loaded, 'recent event')} loaded; " if report.loaded else ""
    return (
        "",
        f"Endless mode is on: {loaded}{counted(report.events, 'event')} consolidated into {counted(report.memories, 'memory')}.",
    )


def _working(found: Sequence[WorkingEvent]) -> Text:
    lines = [
        f"{one.relevance:.2f} {one.at:%m-%d %H:%M} {one.role}{'' if one.consolidated else ' *'}: {one.text}"
        for one in found
    ]
    return "\n".join(lines), f"{counted(len(found), 'event')}; * = not consolidated yet."


def _memories(found: Sequence[ConsolidatedMemory]) -> Text:
    lines = [
        f"[{one.id}] {one.at:%Y-%m-%d %H:%M} {one.confidence:.2f} {one.summary}\n"
        f"  {counted(len(one.sources), 'event')}: {', '.join(one.topics)}"
        for one in found
    ]
    return "\n".join(lines), f"{counted(len(found), 'consolidated memory')}."


FORMS: dict[type, Callable[[Any], Text]] = {
    Analytics: analytics_text,
    TreeIndex: _index,
    MemoryNode: _one,
    Reading: _reading,
    Retrieval: _retrieval,
    Consolidated: _consolidated,
    EndlessStatus: _status,
    EndlessReport: _report,
}
_LISTS: dict[type, Callable[[Any], Text]] = {
    MemoryNode: memory_rows,
    WorkingEvent: _working,
    ConsolidatedMemory: _memories,
}


def form_of(result: Any) -> Callable[[Any], Text] | None:
    """Return the formatter for a result of the tree, endless mode, or code and history; None for other results."""
    if isinstance(result, list) and result:
        return _LISTS.get(type(result[0]))
    return FORMS.get(type(result)) or answer_text.FORMS.get(type(result))


def join_hint(texts: Iterable[str]) -> str:
    """Return text and hint, joined by a line break."""
    return "\n".join(filter(None, texts))
