"""The part of the tree in an agent's context: the session window (pinned memories, the newest ones, the last turns), and
what to restore after the host compacted the conversation. Computed from log and index only, so that hooks can use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from graphmem.context import HookContext
from graphmem.model.events import Event
from graphmem.model.tree import MemoryNode
from graphmem.retrieve.guard import Guard
from graphmem.retrieve.present import truncate_text
from graphmem.text.todolists import is_own_list
from graphmem.text.tokens import count_tokens
from graphmem.text.toolcalls import shorten_text
from graphmem.tree.buffer import OPEN, Buffer, Compacted
from graphmem.tree.compose import DraftMemory, compose_memory, node_id
from graphmem.tree.sensor import TYPES, sensed_now, sensed_text

PASSIVE, DETAILED, LISTED = 400, 5, 50  # tokens of pinned memories; newest memories with trigger, and in total
_LAST = 2  # turns of the buffer that are shown verbatim
_MAX_HOOK_TURNS = 300  # turns of a session that a hook reads
_BUDGET = 1_500  # tokens of restored content
_SAID = 600  # characters of a repeated turn
_GOALS, _FILES, _FAILED, _SHOWN = 3, 10, 3, 5


def session_window(
    passive: Iterable[MemoryNode], newest: Sequence[MemoryNode], last: Sequence[Event], budget: int
) -> str:
    """Return the session window as text: pinned memories within their own budget, the newest in detail, others as one
    line each, and the last turns, as space permits."""
    lines = _Lines(budget)
    spent = 0
    shown = set()
    for node in passive:
        line = f"[{node.id}] {node.trigger}"
        spent += count_tokens(line)
        if spent > PASSIVE or not lines.add(line):
            break
        shown.add(node.id)
    recent = [node for node in newest if node.id not in shown][:LISTED]
    for event in list(last)[-_LAST:]:
        lines.add(f"{event.payload.get('role', 'user')}: {_quoted(event)}")
    for node in recent[:DETAILED]:
        lines.add(f"[{node.id}] {node.at:%Y-%m-%d} {node.summary}\n  {node.trigger}")
    for line in list_memories(recent[DETAILED:], lines.left):
        lines.add(line)
    return lines.text


def list_memories(nodes: Sequence[MemoryNode], budget: int) -> list[str]:
    """Return one line per memory, as detailed as the budget allows for all: with trigger, with summary, or with tags
    only, and then as many as fit. Ids are abbreviated to their end, which is sufficient for reading."""
    for form in (_with_trigger, _with_summary, _with_tags):
        lines = [form(node) for node in nodes]
        sizes = [count_tokens(line) + 1 for line in lines]
        if sum(sizes) <= budget:
            return lines
    kept = 0
    while kept < len(sizes) and sum(sizes[: kept + 1]) <= budget:
        kept += 1
    return lines[:kept]


def _with_trigger(node: MemoryNode) -> str:
    return f"[{node.id.rpartition('_')[2]}] {node.at:%Y-%m-%d} {node.summary} {node.trigger}"


def _with_summary(node: MemoryNode) -> str:
    return f"[{node.id.rpartition('_')[2]}] {node.summary} ({', '.join(node.tags)})"


def _with_tags(node: MemoryNode) -> str:
    return f"[{node.id.rpartition('_')[2]}] {', '.join(node.tags)}"


def restored_context(host: HookContext, session: str, *, budget: int = _BUDGET, indexed: bool = True) -> str:
    """Return the content of this session before it was compacted: goals, its memories, files, open failures, what was
    injected, and its last turns verbatim. "" for a session without turns."""
    newest = host.log.pages.newest(_MAX_HOOK_TURNS, session=session, types=TYPES)[::-1]
    events = Guard(host.log).shown([event for event in newest if not is_own_list(event.type, event.payload)])
    if not events:
        return ""
    nodes = fold_session(events)
    head, tail = _Lines(budget // 2), _Lines(budget // 2)
    goals = [event for event in events if event.type == "user_prompt"]
    head.add("Content of this session before it was compacted (`tree read ID` shows the original turns of a memory):")
    head.all("Asked: ", [_quoted(event, 240) for event in [*goals[:1], *goals[-_GOALS + 1 :]]])
    head.all("Files changed: ", [", ".join(_files(events)[:_FILES])])
    head.all("Failed last: ", _failures(events))
    head.all("Known: ", _injected_memories(host, session) if indexed else [])
    for event in reversed(events[-2 * _LAST :]):
        tail.add(f"{event.payload.get('role', 'user')}: {_quoted(event)}", first=True)
    for node in reversed(nodes):
        exact = f" ({', '.join(node.values[:6])})" if node.values else ""
        if not tail.add(f"[{node.id}] {node.summary}{exact}", first=True):
            break
    return "\n".join(part for part in (head.text, tail.text) if part)


def fold_session(events: Iterable[Event]) -> list[DraftMemory]:
    """Return the memories of a session's turns, the open buffer last. Fast for a few hundred turns."""
    buffer, found = Buffer(), list[Compacted]()
    for event in events:
        found += buffer.take(sensed_now(event))
    if buffer.turns:
        found.append(Compacted(tuple(buffer.turns), OPEN, buffer.turns[-1].clock))
    return [compose_memory(one, node_id(one.turns[0])) for one in found]


class _Lines:
    """Lines within a token budget."""

    def __init__(self, budget: int) -> None:
        self.left = budget
        self._lines: list[str] = []

    def add(self, line: str, *, first: bool = False) -> bool:
        """Add a line at the end or start; return False if it does not fit."""
        size = count_tokens(line) + 1
        if size > self.left:
            return False
        self.left -= size
        self._lines.insert(0 if first else len(self._lines), line)
        return True

    def all(self, head: str, lines: Iterable[str]) -> None:
        """Add each non-empty line with a prefix, without duplicates."""
        for line in dict.fromkeys(filter(None, lines)):
            self.add(head + line)

    @property
    def text(self) -> str:
        return "\n".join(self._lines)


def _quoted(event: Event, limit: int = _SAID) -> str:
    tool = event.type == "tool_observation"
    return " ".join(
        shorten_text(sensed_text(event.payload)[0] if tool else str(event.payload.get("content", "")), limit).split()
    )


def _files(events: Sequence[Event]) -> list[str]:
    """Return written files, latest first."""
    written = (path for event in reversed(events) for path in event.payload.get("writes", ()))
    return list(dict.fromkeys(map(str, written)))


def _failures(events: Sequence[Event]) -> list[str]:
    """Return commands whose last run failed."""
    last: dict[str, Event] = {}
    for event in events:
        command = event.payload.get("command")
        if command:
            last[str(command)] = event
    failed = [event for event in last.values() if event.payload.get("exit_code") or event.payload.get("failed")]
    show: Callable[[Event], str] = lambda event: _quoted(event, 200)  # noqa: E731
    return [show(event) for event in failed[-_FAILED:]]


def _injected_memories(host: HookContext, session: str) -> list[str]:
    """Return memories that were injected into the session, with their current text."""
    shown = host.log.pages.newest(20, session=session, types=["memory_shown"])
    ids = list(dict.fromkeys(item for event in shown for item in event.payload.get("items", ())))[:_SHOWN]
    return [
        f"{one.citation} {truncate_text(' '.join((one.title or one.content).split()), 160)}"
        for one in host.retriever.details(ids)
        if not one.withheld
    ]
