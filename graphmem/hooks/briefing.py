"""The summary at session start: what recent sessions were asked, changed, concluded and left failing, and what changed in
their files since. Read from the end of the log and from the index."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from graphmem.cognify.summaries import name_tasks, task_names
from graphmem.errors import GraphmemError
from graphmem.model.events import Event
from graphmem.retrieve.present import to_datetime, truncate_text
from graphmem.text.deciding import LEAST, Said, choose_statements
from graphmem.text.placenames import file_keys
from graphmem.text.recall import written_by_host
from graphmem.text.toolcalls import runs_tests
from graphmem.tree.words import topic_words
from graphmem.trust.marking import reasons_of
from graphmem.trust.origin import is_vouched, origin_of
from graphmem.trust.requests import requests_action

if TYPE_CHECKING:
    from graphmem.context import HookContext

_TURNS = ("user_prompt", "agent_response", "tool_observation")
_READ = 600  # maximum events to look back
_SESSIONS = 3  # maximum sessions reported
_LATEST = 30  # turns of a session searched for its conclusion
_LOOKED_AT = 8  # sessions considered for the summary
_ASKED, _COMMAND = 90, 80  # characters of a request and of a command
_CONCLUSION = 45  # tokens of a session's conclusion
_FILES = 3  # per session
_AT_WORK = 75  # minimum score of a statement among progress reports
_COMMITS = 12  # newest items about a file that are searched for a commit
_COMMITTED = 2  # commits per session
_FOLDER = re.compile(r"^\s*cd\s+\S+\s*(?:&&|;)\s*")
_OUTPUT = re.compile(r"\s*(?:2>&1|\|).*$", re.DOTALL)
_NAMED = 4  # names of tasks that are looked up
_WORDS = 3  # minimum informative words of a request


@dataclass(frozen=True, slots=True)
class Brief:
    """One session in a line, with the files it changed."""

    text: str
    files: tuple[str, ...]
    at: int  # its last event, in microseconds


def last_sessions(host: HookContext, session: str) -> list[Brief]:
    """Return the recent sessions of this project that changed or decided something, newest first."""
    gathered: dict[str, list[Event]] = defaultdict(list)
    for event in host.log.pages.newest(_READ, types=_TURNS):
        if event.project == host.project and event.session not in ("", session) and not event.foreign:
            gathered[event.session].append(event)
    briefs = (_brief(host, events[::-1]) for events in list(gathered.values())[:_LOOKED_AT])
    told = islice((brief for brief in briefs if brief is not None), _SESSIONS)
    return sorted(told, key=lambda brief: -brief.at)


def changed_since(host: HookContext, briefs: Sequence[Brief]) -> list[str]:
    """Return later commits to the files of these sessions, one line per file, newest first."""
    places = host.retriever.ports.places
    if places is None or not briefs:
        return []
    later: dict[int, list[str]] = defaultdict(list)
    for path, at in {path: brief.at for brief in reversed(briefs) for path in brief.files}.items():
        for spoken in places.naming([file_keys(path)[0]], _COMMITS):
            if spoken.kind == "commit" and spoken.at > at:
                later[spoken.row].append(path)
    found = sorted(host.retriever.ports.text.items(list(later)), key=lambda one: -one.item.at)[:_SESSIONS]
    if (guard := host.retriever.ports.guard) is not None:  # a commit may be from a third party
        marks = guard.marks([one.item for one in found])
        found = [
            one
            for one, mark in zip(found, marks, strict=True)
            if not mark.withheld and (is_vouched(mark.origin) or not requests_action(one.item.title))
        ]
    return [
        f"[mem:{one.cite}] {to_datetime(one.item.at):%Y-%m-%d} {one.item.title}: {', '.join(later[one.row])}"
        for one in found
    ]


def _brief(host: HookContext, events: Sequence[Event]) -> Brief | None:
    said = [Said(role, text) for role, text in map(_said, events) if text]
    done = [event.payload for event in events if event.type == "tool_observation" and not event.payload.get("failed")]
    written = (str(path) for payload in done for path in payload.get("writes", ()))
    files = list(dict.fromkeys(path for path in written if not path.startswith(("/", "~", ".."))))
    commits = list(dict.fromkeys(str(subject) for payload in done for _, subject in payload.get("commits", ())))
    chosen = choose_statements(said[-_LATEST:], _CONCLUSION, _AT_WORK if done else LEAST)
    if not (chosen or files or commits):
        return None
    request = next((text for role, text in said if role == "user" and _asks(text)), "")
    request = name_tasks(request, _titles(host, request))
    failing = _failing(events)
    more = f" and {len(files) - _FILES} more" if len(files) > _FILES else ""
    parts = [
        f"asked: “{truncate_text(' '.join(request.split()), _ASKED)}”" if request else "",
        f"committed: {'; '.join(commits[-_COMMITTED:])}" if commits else "",
        f"changed {', '.join(files[:_FILES])}{more}" if files else "",
        f"concluded: {' '.join(text for _, text in chosen)}" if chosen else "",
        f"left failing: {', '.join(failing)}" if failing else "",
    ]
    line = f"{to_datetime(events[-1].at):%Y-%m-%d} " + "; ".join(filter(None, parts))
    return Brief(line, tuple(files), events[-1].at)


def _titles(host: HookContext, request: str) -> dict[str, str]:
    """Return the titles of the tasks that a request only names, so that it can be understood by itself."""
    found = {}
    for ref in task_names(request)[:_NAMED]:
        with suppress(GraphmemError):
            found[ref] = host.tasks.show(ref).task.title
    return found


def _said(event: Event) -> tuple[str, str]:
    """Return who said what; "" for text that neither a person nor an agent wrote."""
    text = str(event.payload.get("content") or "")
    silent = (
        event.type == "tool_observation"
        or event.payload.get("role") == "system"
        or written_by_host(text)
        or bool(reasons_of(event))
        or (not is_vouched(origin_of(event)) and requests_action(text))
    )
    return "user" if event.type == "user_prompt" else "assistant", "" if silent else text


def _asks(text: str) -> bool:
    return len(topic_words(text)) >= _WORDS


def _failing(events: Iterable[Event]) -> list[str]:
    """Return test commands that failed, and for which no later run of them or of more tests passed."""
    failing: list[str] = []
    for event in events:
        command = _plain(str(event.payload.get("command") or ""))
        if not command or not runs_tests(command):
            continue
        if event.payload.get("failed"):
            failing = [*(one for one in failing if one != command), command]
        else:
            failing = [one for one in failing if not set(command.split()).issubset(one.split())]
    return [f"`{truncate_text(command, _COMMAND)}`" for command in failing][-2:]


def _plain(command: str) -> str:
    """Return a command without its working directory and output redirection."""
    return " ".join(_OUTPUT.sub("", _FOLDER.sub("", command)).split())
