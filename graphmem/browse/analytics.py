"""Figures about a whole project: what hooks injected and what came of it, failures that repeat, knowledge by area of the code, and
memories that may be junk. Reads the log and the graph; stores nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import takewhile
from statistics import median
from typing import Any

from graphmem import resources
from graphmem.browse.alike import find_alike
from graphmem.browse.injections import ACTED_ON, QUOTED, UNSEEN, judge_injections
from graphmem.browse.review import review
from graphmem.browse.story import STORY_TYPES
from graphmem.context import StoreContext
from graphmem.errors import UsageError
from graphmem.memify.usage import BY_HAND
from graphmem.model.analytics import (
    Analytics,
    AreaKnowledge,
    Injected,
    InjectedDay,
    InjectedMemory,
    InjectedTokens,
    Junk,
    RepeatedFailure,
)
from graphmem.model.events import Event
from graphmem.model.tasks import to_datetime
from graphmem.ports.entries import HIDDEN

_READ = "queries/graph/read"
_DAY = 86_400_000_000  # microseconds
_MOST_DAYS = 3_650
_MOST_TEXTS = 20_000  # injections that are read
_MOST_SESSIONS = 200  # sessions whose steps are read, the newest
_SESSION = 5_000  # events of each of them
_IDLE = 3  # texts from which a memory that was never used is idle
_LISTED = 50
_NEWEST_FACTS = 1_000  # facts that are compared with each other
_AREAS, _LARGE = 16, 0.4  # number of areas; share of the files from which an area is divided
_WRONG = "wrong"
_OUTCOMES = (QUOTED, ACTED_ON, _WRONG, UNSEEN)


def analyse_project(context: StoreContext, days: int) -> Analytics:
    """Return the figures of the last `days` days. Raises UsageError for a number of days outside of the range."""
    if not 1 <= days <= _MOST_DAYS:
        raise UsageError(f"days must be from 1 to {_MOST_DAYS}, not {days}", days=days)
    since = context.clock.now() - days * _DAY
    ratings = _ratings(context)
    injected, warned = _injected(context, since, {item for item, verdict in ratings.items() if verdict == _WRONG})
    junk = Junk(
        marked_wrong=sum(verdict == _WRONG for verdict in ratings.values()),
        archived=int(((context.text.columns.priors().flags & HIDDEN) > 0).sum()),
        uncertain=sum(row[4] not in ratings for row in _query(context, "facts_unsure", limit=_NEWEST_FACTS)),
        nearly_same=_nearly_same(context),
        withheld=len(review(context, limit=_NEWEST_FACTS).rows),
        idle=len(injected.idle),
    )
    return Analytics(days, injected, _failures(context, warned), _areas(context), junk)


def _query(context: StoreContext, name: str, **parameters: Any) -> list[list[Any]]:
    text = resources.text(f"{_READ}/{name}.cypher")
    return context.graph.query(text, parameters, limit=100_000, timeout=30.0).rows


def _ratings(context: StoreContext) -> dict[str, str]:
    """Return the latest rating of each memory that has one."""
    found: dict[str, str] = {}
    for event in context.log.read(types=BY_HAND):
        item = str(event.payload.get("item", ""))
        found.pop(item, None)
        if event.type != "memory_restored":
            found[item] = str(event.payload.get("verdict") or "archived")
    return found


def _injected(context: StoreContext, since: int, wrong: set[str]) -> tuple[Injected, Counter[str]]:
    """Return what was injected since then, and how many texts contained each memory."""
    newest = context.log.pages.newest
    shown = list(takewhile(lambda event: event.at >= since, newest(_MOST_TEXTS, types=["memory_shown"])))
    sessions = list(dict.fromkeys(event.session for event in shown))
    ids = list(dict.fromkeys(str(item) for event in shown for item in event.payload.get("items", ())))
    known = {stored.item.id: stored.item for stored in context.text.find(ids)} if ids else {}
    texts = {id: f"{item.title} {item.text}" for id, item in known.items()}
    outcomes: dict[str, dict[str, str]] = {}  # event -> memory -> what came of it
    opened = _opened(context, since)
    for session in sessions[:_MOST_SESSIONS]:
        events = newest(_SESSION, session=session, types=STORY_TYPES)
        for injection, found in judge_injections(events, texts):
            chosen = opened.get(session, {})
            late = {item for item in found if chosen.get(item, 0) > injection.step.at}
            outcomes[injection.step.id] = found | dict.fromkeys(late, QUOTED)
    per_day: dict[str, Counter[str]] = defaultdict(Counter)
    moments: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    all_tokens, told, used = Counter[str](), Counter[str](), Counter[str]()
    last: dict[str, int] = {}
    for event in shown:
        found = outcomes.get(event.id, {})
        tokens, outcome = int(event.payload.get("tokens") or 0), _outcome(event, found, wrong)
        day = per_day[to_datetime(event.at).date().isoformat()]
        day["texts"] += 1
        day[outcome] += tokens
        all_tokens[outcome] += tokens
        moment = moments[str(event.payload.get("event") or "")]
        moment[0] += 1
        moment[1] += tokens
        moment[2] += outcome in (QUOTED, ACTED_ON)
        for item in dict.fromkeys(map(str, event.payload.get("items", ()))):
            told[item] += 1
            used[item] += found.get(item) in (QUOTED, ACTED_ON)
            last[item] = max(last.get(item, 0), event.at)
    idle = [
        InjectedMemory(id, known[id].title or known[id].text[:200], known[id].kind, n, used[id], to_datetime(last[id]))
        for id, n in told.most_common()
        if n >= _IDLE and not used[id] and id in known and id not in wrong
    ]
    return Injected(
        len(shown), len(ids), len(sessions), _tokens(all_tokens),
        [InjectedDay(day, count["texts"], _tokens(count)) for day, count in sorted(per_day.items())],
        dict(sorted(moments.items(), key=lambda pair: -pair[1][1])), idle[:_LISTED],
        max(0, len(sessions) - _MOST_SESSIONS),
    ), told  # fmt: skip


def _opened(context: StoreContext, since: int) -> dict[str, dict[str, int]]:
    """Return when agents last opened memories: session -> memory -> time."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for event in context.log.pages.newest(_MOST_TEXTS, types=["memory_used"]):
        if event.at < since:
            break
        for note in event.payload.get("notes", ()):
            session, at = str(note.get("session", event.session)), int(note.get("at", event.at))
            for item in map(str, note.get("chosen", ()) if session else ()):
                found[session][item] = max(at, found[session].get(item, 0))
    return found


def _outcome(event: Event, found: Mapping[str, str], wrong: set[str]) -> str:
    """Return what came of a text: the best of its memories, unless one is marked wrong."""
    seen = set(found.values())
    if wrong.intersection(map(str, event.payload.get("items", ()))):
        return _WRONG
    return next((outcome for outcome in (QUOTED, ACTED_ON) if outcome in seen), UNSEEN)


def _tokens(count: Mapping[str, int]) -> InjectedTokens:
    return InjectedTokens(*(count.get(outcome, 0) for outcome in _OUTCOMES))


def _failures(context: StoreContext, warned: Mapping[str, int]) -> list[RepeatedFailure]:
    rows = _query(context, "failures_repeated", least=2, limit=_LISTED)
    return [
        RepeatedFailure(
            id, title or "", trigger or "", resolution or "", int(recurrence), bool(resolved), _utc(first), _utc(last),
            warned.get(id, 0),
        )
        for id, title, trigger, resolution, recurrence, resolved, first, last in rows
    ]  # fmt: skip


def _utc(at: datetime | None) -> datetime | None:
    return at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at


def _nearly_same(context: StoreContext) -> int:
    rated = _ratings(context)
    newest = _query(context, "facts_newest", limit=_NEWEST_FACTS)
    return len(find_alike({id: f"{title} {content}" for id, _, title, content in newest if id not in rated}))


def _areas(context: StoreContext) -> list[AreaKnowledge]:
    """Return the folders of the indexed tree, or of the history if none is indexed, the most changed first."""
    changes = {path: int(count) for path, count, _ in _query(context, "churn_of_files")}
    facts = dict(_query(context, "facts_per_file"))
    gotchas = dict(_query(context, "trouble_of_files"))
    files = [path for (path,) in _query(context, "files_present")] or sorted({*changes, *facts, *gotchas})
    rows: list[tuple[str, int, int, int, int]] = []
    for area, paths in divide_areas(files).items():
        changed, known, failed = (sum(int(table.get(path, 0)) for path in paths) for table in (changes, facts, gotchas))
        rows.append((area, len(paths), changed, known, failed))
    middle = median(row[2] for row in rows) if rows else 0
    return [
        AreaKnowledge(area, count, changed, known, failed, is_gap=0 < changed >= middle and not known + failed)
        for area, count, changed, known, failed in sorted(rows, key=lambda row: (-row[2], row[0]))
    ]


def divide_areas(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return files by folder. A folder with a large share of them is divided, as long as there are not too many areas; files
    next to the folders of a divided one keep its name.

    >>> list(divide_areas(["a/b/one.py", "a/b/two.py", "a/c/three.py", "README.md"]))
    ['.', 'a/b', 'a/c']
    """
    areas = _by_folder("", list(paths))
    undivided: set[str] = set()
    total = sum(map(len, areas.values()))
    while len(areas) < _AREAS:
        largest = max((name for name in areas if name not in undivided), key=lambda name: len(areas[name]), default="")
        if not largest or len(areas[largest]) < max(2, _LARGE * total):
            break
        inner = _by_folder(largest, areas[largest])
        if inner.keys() <= {largest} or len(areas) + len(inner) > _AREAS + 1:
            undivided.add(largest)
            continue
        del areas[largest]
        areas |= inner
        undivided |= {largest} & inner.keys()
    return dict(sorted(areas.items()))


def _by_folder(folder: str, paths: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        inner, slash, _ = path[len(folder) + 1 if folder and folder != "." else 0 :].partition("/")
        name = (f"{folder}/{inner}" if folder else inner) if slash else (folder or ".")
        found[name].append(path)
    return dict(found)
