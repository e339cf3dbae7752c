"""Consolidation: decides when turns are consolidated into memories, how they are grouped, and what the memory says. The
decision is an event that lists turn ids; texts are always computed from the turns, so forgotten text does not survive in
them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from graphmem.context import HookContext
from graphmem.endless.trail import CAPACITY, CONSOLIDATED, WINDOW, Trail, read_trail, sensed_turns
from graphmem.endless.working import active_topics
from graphmem.model.events import Draft, Event
from graphmem.model.tree import ConsolidatedMemory
from graphmem.retrieve.guard import Guard
from graphmem.retrieve.present import to_datetime, truncate_text
from graphmem.tree.buffer import CLOSED, PAUSE, TOPIC_SHIFT, Buffer, Compacted
from graphmem.tree.sensor import Sensed
from graphmem.tree.words import stem_for_topics

PREFIX = "endless:"  # id prefix of these memories
COUNT = 80  # pending turns that trigger it: below the capacity, so that nothing leaves the working set before it is consolidated
HOUR = 3_600 * 1_000_000
FEWEST, GROUP = 10, 3  # turns from which time and idleness trigger it; turns of a memory
_LARGE, _LARGEST = 12, 40  # turns of a memory: from one session, and merged
_ALIKE = 0.5  # share of common topics from which groups are merged
_SUMMARY = 1_000  # characters
_CORE = 180
_ALL = frozenset({"manual", "compact"})  # triggers that consolidate all pending turns
_ROUNDS = 3  # consecutive consolidations, if other processes keep appending


def is_due(seen: Trail) -> str:
    """Return the trigger that makes a consolidation due now, or ""."""
    pending = seen.pending
    if seen.enabled is None or not pending:
        return ""
    started = max(seen.enabled.at, seen.last.at if seen.last else 0)
    if len(pending) >= COUNT:
        return "count"
    if pending[0].at < seen.now - WINDOW // 2:
        return "expiry"
    if len(pending) >= FEWEST:
        if seen.now - started >= HOUR:
            return "time"
        if len(pending) > 1 and max(seen.now - pending[-1].at, pending[-1].at - pending[-2].at) >= PAUSE:
            return "idle"
    return ""


def consolidate_due(host: HookContext, trigger: str = "") -> list[Event]:
    """Consolidate while it is due, or once for a given trigger; return the decisions."""
    done: list[Event] = []
    for _ in range(_ROUNDS):
        seen = read_trail(host)
        why = trigger or is_due(seen)
        event = consolidate_turns(host, why, force=why in _ALL) if why and seen.enabled else None
        if event is None or event.id in {one.id for one in done}:
            break
        done.append(event)
        trigger = ""
    return done


def consolidate_turns(host: HookContext, trigger: str, *, force: bool = False) -> Event | None:
    """Consolidate pending turns; return the event with the decision, or None if there is nothing to do. Of concurrent
    processes exactly one succeeds, because all continue the same consolidation. With `force`, groups may be small."""
    seen = read_trail(host)
    if not seen.pending or seen.enabled is None:
        return None
    old = {event.id for event in seen.pending if event.at < seen.now - WINDOW // 2}
    groups, rest = group_turns([sensed_turns(event) for event in seen.pending])
    if force or len(seen.pending) >= CAPACITY:
        groups, rest = [*groups, *rest], []
    else:
        groups += [group for group in rest if any(turn.event in old for turn in group)]
        rest = [group for group in rest if not any(turn.event in old for turn in group)]
    groups, alone = join_singles(groups)
    if not groups:
        return None
    rest = [*rest, *alone]
    return record_decision(host, seen, trigger, groups, rest)


def record_decision(
    host: HookContext, seen: Trail, trigger: str, groups: Sequence[Sequence[Sensed]], rest: Sequence[Sequence[Sensed]]
) -> Event | None:
    """Append the decision, once per predecessor."""
    before = seen.last or seen.enabled
    payload = {
        "trigger": trigger,
        "upto": max(turn.clock for group in (*groups, *rest) for turn in group),
        "groups": [[turn.event for turn in group] for group in groups],
        "carried": [turn.event for group in rest for turn in group],
    }
    key = f"endless:{host.project}:{before.id if before else ''}"
    draft = Draft(CONSOLIDATED, payload, seen.now, "", host.project, "system", key)
    (appended,) = host.recorder.record([draft])
    return host.log.get([appended.id]).get(appended.id)


def group_turns(turns: Sequence[Sensed]) -> tuple[list[list[Sensed]], list[list[Sensed]]]:
    """Return (groups of at least `GROUP` turns, turns left over): runs of each session, joined while the topic continues,
    then merged across sessions that share most topics."""
    runs: list[list[Sensed]] = []
    for session in dict.fromkeys(turn.session for turn in turns):
        runs += _runs([turn for turn in turns if turn.session == session])
    joined: list[list[Sensed]] = []
    for run in sorted(runs, key=lambda one: one[0].clock):
        home = next(
            (group for group in joined if len(group) + len(run) <= _LARGEST and _overlap(group, run) > _ALIKE), None
        )
        if home is None:
            joined.append(run)
        else:
            home += run
    large = [sorted(group, key=lambda turn: turn.clock) for group in joined if len(group) >= GROUP]
    return large, [group for group in joined if len(group) < GROUP]


def join_singles(groups: Sequence[list[Sensed]]) -> tuple[list[list[Sensed]], list[list[Sensed]]]:
    """Return (groups, turns left over) without groups of one: such a turn joins the group of its session, or the one next
    to it in time; turns without any group form one. One turn alone is no memory."""
    large = [list(group) for group in groups if len(group) > 1]
    singles = [turn for group in groups if len(group) == 1 for turn in group]
    if not large:
        return ([sorted(singles, key=_clock)], []) if len(singles) > 1 else ([], [[turn] for turn in singles])
    for turn in singles:
        home = min(large, key=lambda group: (turn.session != group[-1].session, abs(group[-1].clock - turn.clock)))
        home.append(turn)
    return [sorted(group, key=_clock) for group in large], []


def _clock(turn: Sensed) -> int:
    return turn.clock


def _runs(turns: Sequence[Sensed]) -> list[list[Sensed]]:
    """Return runs of turns of a session, split as its buffer would compact them, and joined until the topic changes."""
    buffer, parts = Buffer(), list[Compacted]()
    for turn in turns:
        parts += buffer.take(turn._replace(external=False))
    parts += buffer.close(CLOSED, 0)
    runs: list[list[Sensed]] = []
    ended = True
    for part in parts:
        small = len(part.turns) < GROUP and runs  # the last turns of a session belong to the preceding run
        if runs and (small or not ended) and len(runs[-1]) + len(part.turns) <= _LARGE:
            runs[-1] += part.turns
        else:
            runs.append(list(part.turns))
        ended = part.reason == TOPIC_SHIFT
    return runs


def _overlap(a: Sequence[Sensed], b: Sequence[Sensed]) -> float:
    one, other = ({stem_for_topics(word) for word in active_topics(turns)} for turns in (a, b))
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


def memories_of_event(host: HookContext, event: Event) -> list[ConsolidatedMemory]:
    """Return the memories of a consolidation, from those turns that are neither forgotten nor withheld."""
    groups = event.payload.get("groups", ())  # one that was written by hand may hold nothing
    sources = host.log.get([one for group in groups for one in group])
    found, guard = [], Guard(host.log)
    for number, group in enumerate(groups):
        turns = [sensed_turns(one) for one in guard.shown([sources[one] for one in group if one in sources])]
        if turns:
            found.append(make_memory(f"{PREFIX}{event.id}:{number}", turns))
    return found


def make_memory(identifier: str, turns: Sequence[Sensed]) -> ConsolidatedMemory:
    """Return one memory of several turns: the core of each, in order, with the confidence that they belong together."""
    cores: dict[str, None] = {}
    for turn in turns:
        if turn.core and turn.intent != "act":
            cores.setdefault(truncate_text(turn.core, _CORE))
    files = list(dict.fromkeys(path for turn in turns for path in turn.files))
    done = f" Files: {', '.join(files[:6])}." if files else ""
    lines = list(cores) or [turn.core for turn in turns if turn.core][:3]
    summary = truncate_text(" / ".join(lines), _SUMMARY - len(done)) + done
    gaps = [max(0, b.at - a.at) for a, b in pairwise(turns)]
    near = max(0.0, 1 - (sum(gaps) / len(gaps) if gaps else 0) / WINDOW)
    about = active_topics(turns, 8)
    shared = max(
        (sum(stem_for_topics(one) in set(map(stem_for_topics, turn.words)) for turn in turns) for one in about),
        default=0,
    ) / len(turns)
    confidence = 0.4 * min(len(turns) / 10, 1.0) + 0.4 * near + 0.2 * shared
    return ConsolidatedMemory(
        identifier,
        summary,
        tuple(about),
        tuple(turn.event for turn in turns),
        round(confidence, 4),
        to_datetime(turns[-1].at),
    )
