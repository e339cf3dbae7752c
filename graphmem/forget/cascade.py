"""Forgetting: a tombstone hides events and everything derived from them, immediately and in every projection. A purge
also erases their payloads from the files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from graphmem import resources
from graphmem.browse.explore import show_node
from graphmem.context import StoreContext
from graphmem.errors import AccessDenied, NotFound, UsageError
from graphmem.forget.task_mentions import forget_mentions, matches_id
from graphmem.model.changes import Changes
from graphmem.model.events import Draft, Event
from graphmem.model.kinds import KINDS, names_where
from graphmem.model.sources import ForgetReport
from graphmem.ports.callers import account_of, signed
from graphmem.ports.request import Progress, quiet
from graphmem.privacy import redact
from graphmem.projections import names
from graphmem.projections.entities import MERGED
from graphmem.projections.forgetting import owned_nodes
from graphmem.projections.registry import project_derivation, project_event
from graphmem.projections.tasks import LABELS, TYPES
from graphmem.sync.pipeline import catch_up
from graphmem.sync.process import process_pending
from graphmem.sync.rebuild import ERASE, REBUILD, erase_forgotten

_DIGEST = re.compile(r"(?:\w+:)?[0-9a-f]{7,64}")
_CODE = frozenset({"File", "Symbol", "CallSite"})
_NOTES = frozenset({"memory_shown", "memory_used"})  # events about a session that do not keep it alive
# Tombstones outlive what they hide. Decisions of endless mode refer to turns by id and contain no text.
_REASON = 500  # characters of a reason that are kept
_MENTIONING = "queries/graph/look/mentioning.cypher"
_NEVER_FORGOTTEN = frozenset({"memory_forgotten", "endless_changed", "turns_consolidated", "log_merged"})


class Scope(NamedTuple):
    """What to forget, if it is not one item: a session, everything before a time, a project, or what an account wrote."""

    session: str | None
    before: datetime | None
    project: str | None
    account: str | None

    @property
    def kind(self) -> str:
        """Return what the receipt calls this."""
        named = {"session": self.session, "time": self.before, "project": self.project, "account": self.account}
        return next(name for name, value in named.items() if value is not None)

    def has(self, event: Event) -> bool:
        """Return whether an event is to be forgotten."""
        return (
            event.type not in _NEVER_FORGOTTEN
            and (self.session is None or event.session == self.session)
            and (self.project is None or event.project == self.project)
            and (self.before is None or event.at < int(self.before.timestamp() * 1_000_000))
            and (self.account is None or account_of(event.actor) == self.account)
        )


def forget_matching(
    context: StoreContext,
    *,
    id: str | None = None,
    session: str | None = None,
    before: datetime | None = None,
    project: str | None = None,
    account: str | None = None,
    purge: bool = False,
    reason: str = "",
    progress: Progress = quiet,
) -> ForgetReport:
    """Forget an item (an event, or what an id, ref or citation refers to), a session, everything before a time, a project,
    or all that an account of a shared server wrote. The receipt keeps the reason. Raises UsageError unless exactly one is
    given, NotFound if nothing matches. With an account, an item is forgotten only if the account wrote it: otherwise
    AccessDenied is raised."""
    _refuse_empty(id=id, session=session, project=project, account=account)
    if reason and purge:
        raise UsageError("a purge keeps no reason, because its words could repeat what is erased: give no reason")
    scope = Scope(session, before, project, account if id is None else None)
    chosen = [value for value in (id, *scope) if value is not None]
    if len(chosen) != 1:
        wrong = f"{len(chosen)} were given" if chosen else "none was given"
        raise UsageError(
            f"give exactly one of id, session, time, project or account, but {wrong}: call forget once for each"
        )
    process_pending(context, progress=progress)
    events, nodes, items = _resolve_name(context, id) if id is not None else (_matching(context, scope), [], [])
    if purge and not (events or nodes):  # forgotten before: purge what is left of it
        events = _matching_unpurged(context, id, scope)
    if id is not None and account is not None:
        _refuse_others(account, events, nodes)
    if not (events or nodes):
        raise NotFound("nothing matches, so nothing was forgotten") if id is None else _refusal(context, id)
    made_nodes, made_items = _derived_nodes_and_items(context, events)
    nodes, items = [*nodes, *made_nodes], [*items, *made_items]
    if purge:
        context.log.state.begin_operation(
            ERASE
        )  # before the tombstone, so that `process` completes the purge after a crash
    why = {
        "scope": "item" if id is not None else scope.kind,
        **({"reason": redact(reason).text[:_REASON]} if reason else {}),
    }
    _record_tombstone(context, events, nodes, items, why, purge=purge)
    if purge:
        catch_up(context, progress)  # hidden from all answers even if erasing fails
        purged = erase_forgotten(context, progress)
    else:
        purged = None
        process_pending(context, progress=progress)
    return ForgetReport(len(events), len(nodes), len(items), purged)


def _refuse_others(account: str, events: list[Event], nodes: list[list[str]]) -> None:
    """Raise AccessDenied for events that another account wrote, and for what was derived, maybe from several authors."""
    if nodes or any(account_of(event.actor) != account for event in events):
        raise AccessDenied("you did not write this, so only an administrator of the project can forget it")


def _refuse_empty(**named: str | None) -> None:
    """Raise UsageError for an empty name. It is usually a mistake, such as an unset variable, and would match everything
    without a name."""
    for what, name in named.items():
        if name is not None and not name.strip():
            raise UsageError(
                f"the {what} to forget is empty, so nothing was forgotten: name one, or forget by id or date"
            )


def _record_tombstone(
    context: StoreContext,
    events: list[Event],
    nodes: list[list[str]],
    items: list[str],
    why: dict[str, str],
    *,
    purge: bool = False,
) -> None:
    """Append a tombstone for events or derived nodes. Because it is permanent, it contains no task ids (they contain
    words of titles), and with `purge` only event ids, because other ids contain paths, names and refs. What it does
    not list is removed from the projections here; if the process is killed in between, they are rebuilt."""
    gone = [event.id for event in events]
    reasons = [*_rating_reasons(context, items), *_merges_without_mentions(context, {node for _, node in nodes})]
    reasons = [one for one in reasons if one not in gone]
    gone += reasons
    if purge and events:
        before = [
            event for event in context.log.pages.forgotten_unpurged() if event.id not in set(gone)
        ]  # erased together with these
        old_nodes, old_items = _derived_nodes_and_items(context, before)
        names = {name for name in (*(n for _, n in (*nodes, *old_nodes)), *items, *old_items) if _is_worded(name)}
        sessions = {node.partition(":")[2] for label, node in (*nodes, *old_nodes) if label == "Session"}
        gone += [one for one in forget_mentions(context, [*events, *before], names, sessions) if one not in gone]
        gone += _replace_tombstones(context, {*gone, *(event.id for event in before)}, names)
    unnamed = {node for label, node in nodes if events and (purge or label in LABELS.values())}
    unnamed |= set(items) if events and purge else set()
    payload = {
        "events": gone if events else [],
        "nodes": [[label, node] for label, node in nodes if node not in unnamed],
        "items": [item for item in items if item not in unnamed],
        "derived": not events,
        **({"unlisted": True} if unnamed else {}),
        **why,
    }
    tombstone = Draft("memory_forgotten", payload, context.clock.now(), "", context.project, signed("user"))
    if not events:
        context.recorder.record([tombstone])
        if reasons:
            payload = {"events": reasons, "nodes": [], "items": [], "derived": False}
            hidden = Draft("memory_forgotten", payload, context.clock.now(), "", context.project, signed("user"))
            context.log.forget(reasons, hidden)
        return
    pending = context.log.state.unfinished_operations()
    if unnamed:
        context.log.state.begin_operation(REBUILD)
    context.log.forget(gone, tombstone)
    if unnamed:
        context.text.apply(sorted(unnamed), (), (), {})
        context.graph.apply(Changes(removed_nodes=[(label, node) for label, node in nodes if node in unnamed]), {})
        if REBUILD not in pending:
            context.log.state.finish_operation(REBUILD)


def _rating_reasons(context: StoreContext, items: Sequence[str]) -> list[str]:
    """Return the ratings of these items in which a person gave a reason: its words may repeat what is forgotten."""
    rated = context.log.read(types=["memory_feedback"]) if items else ()
    return [event.id for event in rated if event.payload.get("reason") and event.payload.get("item") in set(items)]


def _merges_without_mentions(context: StoreContext, gone: set[str]) -> list[str]:
    """Return the decisions about entities that only these nodes mention: their ids repeat names of what is forgotten."""
    decisions = list(context.log.read(types=[MERGED]))
    named = {str(event.payload[end]) for event in decisions if event.payload for end in ("merged", "kept")}
    query = resources.text(_MENTIONING)
    lost = {
        entity
        for entity in named
        if gone.issuperset(row[0] for row in context.graph.query(query, {"id": entity}, limit=1_000, timeout=30.0).rows)
    }
    return [event.id for event in decisions if lost & {event.payload.get("merged"), event.payload.get("kept")}]


def _is_worded(name: str) -> bool:
    """Return whether an id may contain words, that is, its kind does not use digests."""
    return _DIGEST.fullmatch(name) is None


def _replace_tombstones(context: StoreContext, gone: set[str], names: set[str]) -> list[str]:
    """Replace tombstones that name data derived from these events, or have a reason, by ones without these names and the reason;
    return the ids of the old ones."""
    old: list[str] = []
    for tombstone in list(context.log.read(types=["memory_forgotten"])):
        payload = tombstone.payload
        nodes = [node for node in payload.get("nodes", ()) if node[-1] not in names]
        items = [item for item in payload.get("items", ()) if item not in names]
        is_worded = (nodes, items) != (payload.get("nodes"), payload.get("items")) or bool(payload.get("reason"))
        if gone.intersection(payload.get("events", ())) and is_worded:
            replacement = {"events": payload["events"], "nodes": nodes, "items": items, "derived": False}
            replacement |= {"scope": payload["scope"]} if payload.get("scope") else {}
            context.recorder.record(
                [Draft(tombstone.type, replacement, tombstone.at, "", tombstone.project, tombstone.actor)]
            )
            old.append(tombstone.id)
    return old


def _matching_unpurged(context: StoreContext, id: str | None, scope: Scope) -> list[Event]:
    """Return events that were forgotten before and are still in the file."""
    unpurged = context.log.pages.forgotten_unpurged()
    if id is None:
        return [event for event in unpurged if scope.has(event)]
    chosen = [event for event in unpurged if matches_id(event, id)]
    tasks = {str(task) for event in chosen if (task := event.payload.get("task"))}
    concerned = {event.id for event in chosen} | {event.id for task in tasks for event in _of_task(unpurged, task)}
    return [event for event in unpurged if event.id in concerned]


def _resolve_name(context: StoreContext, name: str) -> tuple[list[Event], list[list[str]], list[str]]:
    """Return (events, nodes, items) for a name. A derived node is forgotten by itself; its source remains."""
    found = context.log.get([name])
    if found:
        return list(found.values()), [], []
    for stored in context.text.find([name]):
        item = stored.item
        if item.kind == "task":
            return _of_task(list(context.log.read()), item.id), [], []
        event = context.log.get([item.event]).get(item.event) if item.event else None
        if event and item.id in owned_nodes([project_event(event)])[1]:
            twins = [
                other
                for other in context.log.read(types=[event.type])
                if item.id in owned_nodes([project_event(other)])[1]
            ]
            return twins or [event], [], []
        if label := KINDS[item.kind].label if item.kind in names_where(has_stage=True) else "":
            return [], [[label, item.id]], [item.id]
    return [], [], []


def _of_task(events: Sequence[Event], task: str) -> list[Event]:
    """Return all events about a task, and about the conditions and artifacts that only this task waits for."""
    done = [event for event in events if event.payload.get("task") == task]
    others = [event for event in events if event.type in TYPES and event.payload.get("task") != task]
    told = _words(done)
    about: dict[str, list[Event]] = {}
    for event in others:
        thing = event.payload.get("condition") or event.payload.get("artifact")
        if thing and json.dumps(thing) in told:
            about.setdefault(thing, []).append(event)
    for thing, own in about.items():
        if json.dumps(thing) not in _words(event for event in others if event not in own):
            done += own
    return done


def _words(events: Iterable[Event]) -> str:
    return "\n".join(json.dumps(event.payload) for event in events)


def _refusal(context: StoreContext, name: str) -> UsageError:
    """Return why an item cannot be forgotten by itself, and what to do instead."""
    try:
        node = show_node(context.graph, context.text, name)["node"]
    except NotFound as error:
        if error.data.get("candidates"):
            return error
        return NotFound(f"no item named `{name}`; nothing was forgotten", name=name)
    label, project = node["_label"], node.get("project") or context.project
    if label in _CODE:
        what = "a file" if label == "File" else "code"
        file = node.get("file")
        until = (
            f"it is removed from {file}"
            if file
            else "the file is deleted"
            if label == "File"
            else "no code refers to it"
        )
        why = (
            f"{what}, which is indexed, not recorded: it goes away when {until} and `graphmem index` has run, or with the whole"
            f" project (`--of-project {project}`)"
        )
    elif label == "Session":
        why = f"a session: name it with `--session {node['ref']}`"
    elif label == "Project":
        why = f"a project: name it with `--of-project {node['name']}`"
    else:
        why = f"a {label}, which is derived from recorded events: forget those (`graphmem neighbours` lists them)"
    return UsageError(f"`{name}` is {why}; nothing was forgotten", name=name, label=label)


def _matching(context: StoreContext, scope: Scope) -> list[Event]:
    return [event for event in context.log.read() if scope.has(event)]


def _derived_nodes_and_items(context: StoreContext, events: list[Event]) -> tuple[list[list[str]], list[str]]:
    """Return the nodes and items that exist because of these events, and the sessions that lose their last event."""
    gone = {event.id for event in events}
    nodes, items = owned_nodes(map(project_event, events))
    derived_nodes, derived_items = owned_nodes(_derived(context, gone))
    sessions = {event.session for event in events if event.session}
    if sessions:
        living = (event for event in context.log.read() if event.id not in gone and event.type not in _NOTES)
        sessions -= {event.session for event in living}
    nodes += [["Session", names.session_id(session)] for session in sorted(sessions)]
    return [*nodes, *derived_nodes], [*items, *derived_items]


def _derived(context: StoreContext, sources: set[str]) -> Iterable[Changes]:
    return (project_derivation(derivation) for derivation in context.log.derivations() if derivation.source in sources)
