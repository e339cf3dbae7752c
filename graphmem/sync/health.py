"""Reports whether a store is intact: checksum chains of the log, progress of each projection, pending work, failures, and
recommendations. Changes nothing but a mark that the log is damaged."""

from __future__ import annotations

import shlex
import sqlite3
import stat
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from graphmem import resources, settings
from graphmem.context import StoreContext
from graphmem.disk import room_left
from graphmem.errors import GraphmemError, LogUnreachable, StoreOfLaterVersion, message_of
from graphmem.log.stages import InitState, describe, read_state
from graphmem.memify.state import memify_state
from graphmem.model.tasks import to_datetime
from graphmem.plurals import counted
from graphmem.ports.backlog import PROJECTION
from graphmem.ports.text import EVENTS
from graphmem.projections.lineage import ANCHOR, MENDED, is_behind, load_watermark
from graphmem.projections.registry import has_projected_event
from graphmem.settings_file import FILE_NAME
from graphmem.sync.damage_mark import DAMAGED
from graphmem.sync.derivations import COGNIFIED
from graphmem.sync.set_aside import deliveries, set_aside

T = TypeVar("T")
_DAY = 86_400_000_000  # microseconds
_MENDED = ("derivations:", "log index:")  # by a rebuild
_UPDATE = "update graphmem, or restore the backup that was made before the update"
_RESTORE = "restore {} from a backup: the log cannot be made again"
_REACH = "start the server, or correct `graphmem config log.url`; what hooks record meanwhile waits in their spool"
_BY_REBUILD = "run `graphmem rebuild`"  # what is found damaged says so
_BY_DOCTOR = ("run `graphmem doctor`, ", ": run `graphmem doctor`")
_PROCESS = "`graphmem process` brings the projections up to date"
_FREE = "free some space; then `graphmem process`, and `graphmem doctor` again before anything is restored"
_ACCEPT = "`graphmem rebuild --accept-loss` makes everything else from what is left of it"
_RESTORED = (
    "after you restored an older backup, `graphmem rebuild --accept-loss` is the normal next step: it makes everything else"
    " from that log; otherwise restore log.db from a backup first"
)
_REBUILD = "`graphmem rebuild` makes everything but the log again"


def check_health(context: StoreContext) -> dict[str, Any]:
    """Return `{"sound": bool, "problems": [...], "advice": [...], "repaired": [...], "events": n, "log": where,
    "projected": {text: n, graph: n}, "outbox": n, "buffer": {...}, "set_aside": [...], "spool": {...}}`. It returns a result
    whatever is damaged; None stands for a value that could not be read."""
    problems: list[str] = []
    advice: list[str] = []
    head = _check_log(context, problems, advice)
    projected = {} if head is None else _projections(context, head, problems, advice)
    problems += context.renewal.problems()
    waiting = _read("outbox", lambda: _waiting(context), problems)
    unread: list[str] = []  # problems that contain their own advice
    buffer = None if head is None else _read("buffer", lambda: _buffer(context, head, advice), unread)
    missing, mending = list[str](), list[str]()
    aside = None if head is None else _read("buffer", lambda: set_aside(context, missing, mending), unread)
    told = deliveries(context, missing, mending)
    bars, remedy = context.barred()
    if problems and not advice:
        advice.append(_REBUILD)
    if any(_BY_REBUILD in problem for problem in problems):  # nothing else fixes it
        advice = [*(each for each in advice if each not in (_PROCESS, _REBUILD)), _REBUILD]
    problems += [*dict.fromkeys(unread), *missing]
    advice += mending
    if bars:  # nothing else can be done first, and other problems may result from it
        problems = [*(f"permissions: {bar}" for bar in bars), *(each.replace(f": {remedy}", "") for each in problems)]
        advice = [f"{remedy}; then run `graphmem doctor` again"]
    problems = [without_doctor(each) for each in problems]
    full = disk_problem(context.path)
    if full:  # files that were cut off may be what is wrong
        problems.insert(0, full)
        advice.insert(0, _FREE)
    exposed = _exposed(context)
    unchosen = settings.find_unchosen(context.path)
    ignored = (
        [f"settings: {', '.join(unchosen)} do not apply, because they were not set on this machine"] if unchosen else []
    )
    return {
        "sound": not problems and not exposed and not ignored,
        "problems": [*problems, *exposed, *ignored],
        "advice": [
            *advice,
            *([f"restrict access: `chmod -R go= {shlex.quote(str(context.path))}`"] if exposed else ()),
            *([f"if you want them, set them with `graphmem config`; they are in {FILE_NAME}"] if ignored else ()),
        ],
        "repaired": [
            one for one in _repaired(context, readable=head is not None) if not _is_broken_again(one, problems)
        ],
        "events": head,
        "log": _read("log", lambda: context.log.location, []),
        "projected": projected,
        "outbox": waiting,
        "buffer": buffer,
        "set_aside": aside,
        "spool": told,
    }


def without_doctor(problem: str) -> str:
    """Return a problem without the advice to run `graphmem doctor`."""
    for words in _BY_DOCTOR:
        problem = problem.replace(words, "")
    return problem


def disk_problem(path: Path) -> str:
    """That the disk of a store is full, or nearly; "" where it is not."""
    left = room_left(path)
    return "" if left is None else f"disk: only {left / 1e6:.0f} MB are free where {path} lies"


def _is_broken_again(repaired: str, problems: list[str]) -> bool:
    """Return whether a rebuilt file is now reported as a problem; then only that report is true."""
    what = repaired.partition(": made again from the log on ")[0]
    return any(what in problem for problem in problems)


def _read(what: str, look: Callable[[], T], problems: list[str]) -> T | None:
    """Return the result of a check; or None and add a problem, if the file cannot be read."""
    try:
        return look()
    except (GraphmemError, sqlite3.Error) as error:
        problems.append(f"{what}: {message_of(error)}")
        return None


def _waiting(context: StoreContext) -> int:
    return int(context.outbox.metrics().get("pending", 0)) if context.outbox else 0


_ADVICE = ": run `graphmem rebuild`"  # which was followed


def _repaired(context: StoreContext, *, readable: bool) -> list[str]:
    """Return what was damaged and rebuilt, by this process or by any process within a day."""
    marks = context.log.state.watermarks(MENDED) if readable else {}
    earlier = [
        f"{found.removesuffix(_ADVICE)}: rebuilt from the log on {to_datetime(at):%Y-%m-%d %H:%M}"
        for found, at in marks.items()
        if context.clock.now() - at < _DAY and found not in context.renewal.damage
    ]
    return [*context.renewal.damage, *earlier]


def _buffer(context: StoreContext, head: int, advice: list[str]) -> dict[str, int]:
    """Return counts of events not yet processed, waiting for a retry, and given up."""
    given_up = sum(not letter.step.startswith(PROJECTION) for letter in context.backlog.letters(dead=True))
    if given_up:
        advice.append(f"`graphmem process --retry` retries {counted(given_up, 'event')} on which a step failed")
    waiting = max(0, head - context.log.state.watermark(COGNIFIED))
    return {"waiting": waiting, "retrying": len(context.backlog.letters(dead=False)), "given_up": given_up}


def _model(context: StoreContext) -> dict[str, Any]:
    """Return model usage and its cost in dollars at the configured prices."""
    counts, prices = dict(context.backlog.spent()), context.settings.model
    cost = counts.get("tokens_in", 0) * prices.price_in + counts.get("tokens_out", 0) * prices.price_out
    return {"name": prices.name, **counts, "cost": round(cost / 1_000_000, 6)}


def _check_log(context: StoreContext, problems: list[str], advice: list[str]) -> int | None:
    """Verify the log, and add what is wrong to `problems` and `advice`; return the last log position, None if the log cannot be
    read."""
    head, found = None, []
    try:
        found = context.log.verify()
        head = context.log.head()
    except StoreOfLaterVersion as error:
        problems.append(error.message)
        advice.append(_UPDATE)
        return None
    except LogUnreachable as error:
        problems.append(error.message)
        advice.append(_REACH)
        return None
    except GraphmemError as error:
        found.append(error.message)
    lost = [problem for problem in found if not problem.startswith(_MENDED)]
    if head is not None:
        _note_damage(context, damaged=bool(lost))
    restore = _RESTORE.format(_read("log", lambda: context.log.location, []) or "log.db")
    advice += [_REBUILD] * (len(found) > len(lost)) + [restore] * bool(lost)
    problems += found
    return head


def _note_damage(context: StoreContext, *, damaged: bool) -> None:
    """Mark the log as damaged, or as intact again. A log that cannot be written has no mark."""
    with suppress(GraphmemError):
        if bool(context.log.state.watermark(DAMAGED)) != damaged:
            context.log.state.save_watermark(DAMAGED, int(damaged))


def _projections(context: StoreContext, head: int, problems: list[str], advice: list[str]) -> dict[str, int | None]:
    """Return the position of each projection, and check that it was built from this log."""
    projected: dict[str, int | None] = {}
    for name in ("text", "graph"):
        try:
            cursors = getattr(context, name).cursors()
        except (GraphmemError, sqlite3.Error) as error:
            projected[name] = None
            problems.append(f"{name}: {message_of(error)}")
            continue
        at = projected[name] = cursors.get(EVENTS, 0)
        if at and cursors.get(ANCHOR) != context.log.state.history_fingerprint(at):
            gone = not context.log.state.history_fingerprint(1)
            problems.append(
                f"{name}: built from {'a log that no longer exists' if gone else 'another log, or the log was truncated'}"
            )
            loss = f"restore log.db from a backup, or accept the loss: {_ACCEPT}" if gone else _RESTORED
            advice += [loss] * (loss not in advice)
        elif not at and load_watermark(context.log.state) and not context.log.state.unfinished_operations():
            problems.append(f"{name}: it contains none of {counted(head, 'event')}, because its file was missing")
            advice += [_PROCESS] * (_PROCESS not in advice)
        elif _is_behind(context, name, cursors) and _PROCESS not in advice:
            advice.append(_PROCESS)
    if context.log.state.unfinished_operations() and _PROCESS not in advice:
        advice.append(_PROCESS)
    return projected


def _is_behind(context: StoreContext, name: str, cursors: dict[str, int]) -> bool:
    """Return whether a projection lacks anything. The graph is not opened for events that do not change it."""
    at = cursors.get(EVENTS, 0)
    if name == "graph":
        return at < context.log.head() and (not at or has_projected_event(context.log, at))
    return at < context.log.head() or is_behind(context.log.state, cursors)


def _exposed(context: StoreContext) -> list[str]:
    """Return files that other users can read; in a folder that is closed to them, there are none."""
    open_to_others = stat.S_IRWXG | stat.S_IRWXO
    if not context.path.stat().st_mode & open_to_others:
        return []
    files = (path for pattern in ("*.db*", "*.kuzu*", "*.ladybug*", "*.f16") for path in context.path.glob(pattern))
    return [
        f"permissions: {path.name} is readable by other users"
        for path in [context.path, *files]
        if path.exists() and path.stat().st_mode & open_to_others
    ]


def count_withheld(context: StoreContext) -> dict[str, Any]:
    """Count from the log what was never stored: `{"events", "sections", "unclosed", "secrets": {kind: n}, "sources":
    {type of event: {"events", "sections", "secrets"}}}`. Sections are text that users marked private."""
    total, kinds, sources = Counter[str](), Counter[str](), defaultdict[str, Counter[str]](Counter)
    for type, told in context.log.pages.redaction_counts():
        counts = {"events": 1, **{name: told.get(name, 0) for name in ("sections", "secrets")}}
        sources[type].update(counts)
        total.update({**counts, "unclosed": told.get("unclosed", 0)})
        known = told.get("kinds", {})  # older events have only counts
        kinds.update({**known, "unknown": counts["secrets"] - sum(known.values())})
    return {
        **{name: total[name] for name in ("events", "sections", "unclosed")},
        "secrets": {kind: count for kind, count in kinds.most_common() if count},
        "sources": {type: dict(counts) for type, counts in sorted(sources.items())},
    }


def _init_state(state: InitState) -> dict[str, Any]:
    """Return the stages of the last `init`: the steps done and expected, and the seconds until each was ready."""
    return {"told": describe(state), "stages": [stage._asdict() for stage in state.stages], "failure": state.failure}


def count_contents(context: StoreContext) -> dict[str, Any]:
    """Return counts of the store's content, and its size in bytes."""
    rows = context.graph.query(resources.text("queries/graph/read/counts.cypher"), limit=1_000).rows
    relations = context.graph.query(resources.text("queries/graph/read/relation_counts.cypher"), limit=1_000).rows
    return {
        "project": context.project,
        "path": str(context.path),
        "log": context.log.location,
        "events": context.log.head(),
        "derivations": context.log.state.count_derivations(),
        "nodes": {label: count for label, count in sorted(rows) if label != "Cursor"},
        "relations": dict(sorted(relations)),
        **({"init": _init_state(begun)} if (begun := read_state(str(context.path))) is not None else {}),
        "privacy": count_withheld(context),
        "memify": memify_state(context),
        "waiting_for_vectors": _waiting(context),
        "buffer": _buffer(context, context.log.head(), []),
        "spool": deliveries(context, [], []),
        **({"model": _model(context)} if context.settings.model.provider != "none" else {}),
        "bytes": {path.name: path.stat().st_size for path in sorted(context.path.iterdir()) if path.is_file()},
    }
