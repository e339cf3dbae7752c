"""The summary at session start: what recent sessions were asked, committed, changed, reported, concluded and left open, and
what changed in their files since. Read from the end of the log and from the index."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmem.cognify.summaries import name_tasks, task_names
from graphmem.errors import GraphmemError
from graphmem.model.events import Event
from graphmem.retrieve.present import to_datetime, truncate_text
from graphmem.text.deciding import LEAST, SpokenTurn, choose_statements
from graphmem.text.placenames import file_keys
from graphmem.text.recall import written_by_host
from graphmem.text.reports import closing_report, request_of, shorten_request
from graphmem.text.toolcalls import tests_run_by
from graphmem.tree.words import topic_words
from graphmem.trust.marking import reasons_of
from graphmem.trust.origin import is_vouched, origin_of
from graphmem.trust.requests import requests_action

if TYPE_CHECKING:
    from graphmem.context import HookContext

_TURNS = ("user_prompt", "agent_response")
_READ = 600  # maximum turns to look back
_RAN = 300  # maximum tool calls of a session to look back
_SESSIONS = 3  # maximum sessions reported
_LATEST = 30  # turns of a session searched for its conclusion
_LOOKED_AT = 8  # sessions considered for the summary
_ASKED, _THEN, _COMMAND = 130, 90, 80  # characters of the first and the last request, and of a command
_CONCLUSION = 45  # tokens of a session's conclusion
_REPORT, _BRIEFLY = 70, 40  # tokens of the report of the latest session, and of earlier ones
_CLOSING = 3  # latest answers in which a report is looked for
_FILES = 3  # per session, and per later commit
_COMMITS = 12  # newest items about a file that are searched for a commit
_COMMITTED = 4  # commits per session
_MAIN = ("", "main", "master", "HEAD")  # branches that are not worth a word
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
    latest = sorted(gathered.values(), key=lambda turns: -max(turn.at for turn in turns))[:_LOOKED_AT]
    told: list[Brief] = []
    latest_calls = host.log.pages.newest(_RAN, types=("tool_observation",))
    passed = [call for call in latest_calls if call.project == host.project and not call.payload.get("failed")]
    for turns in latest:
        if (brief := _brief(host, turns[::-1], passed, _BRIEFLY if told else _REPORT)) is not None:
            told.append(brief)
        if len(told) == _SESSIONS:
            break
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
        f"[mem:{one.cite}] {to_datetime(one.item.at):%Y-%m-%d} {one.item.title}: {_some(later[one.row])}"
        for one in found
    ]


def _brief(host: HookContext, turns: Sequence[Event], passed: Sequence[Event], budget: int) -> Brief | None:
    """Return what one session was about, from its turns in order; None if nothing came of it. `passed` are the
    latest successful tool calls of all sessions: one may show that what this session left failing passes now."""
    ran = host.log.pages.newest(_RAN, session=turns[0].session, types=("tool_observation",))[::-1]
    own = [turn for turn in turns if not turn.payload.get("agent")]  # not what its subagents were told and answered
    said = [SpokenTurn(role, text) for role, text in map(_said, own) if text]
    done = [event.payload for event in ran if not event.payload.get("failed")]
    written = (str(path) for payload in done for path in payload.get("writes", ()))
    files = list(dict.fromkeys(path for path in written if not path.startswith(("/", "~", ".."))))
    subjects = dict.fromkeys(str(subject) for payload in done for _, subject in payload.get("commits", ()))
    commits = [
        subject for subject in subjects if not requests_action(subject)
    ]  # a merged one may be from a third party
    report = _report(said, budget) if done else ""
    chosen = () if done else choose_statements(said[-_LATEST:], _CONCLUSION, LEAST)
    if not (chosen or files or commits or (report and _requests(said))):
        return None
    last = max(event.at for event in (*turns, *ran))
    elsewhere = (event for event in passed if event.session != turns[0].session)
    failing = _failing(sorted([*ran, *elsewhere], key=lambda event: event.at))
    parts = [
        _asked(host, said),
        f"committed: {'; '.join(commits[-_COMMITTED:])}" if commits else "",
        f"changed {_some(files)}" if files else "",
        f"reported: {report}" if report else "",
        f"concluded: {' '.join(text for _, text in chosen)}" if chosen else "",
        f"left failing: {', '.join(failing)}" if failing else "",
    ]
    line = f"{to_datetime(last):%Y-%m-%d}{_branch(host, turns[0].session)} " + "; ".join(filter(None, parts))
    return Brief(line, tuple(files), last)


def _asked(host: HookContext, said: Sequence[SpokenTurn]) -> str:
    """Return the first request of a session, and the last one if it is another."""
    asked = _requests(said)
    if not asked:
        return ""
    first = name_tasks(asked[0], _titles(host, asked[0]))
    parts = [f"asked: “{shorten_request(first, _ASKED)}”"]
    if asked[-1] != asked[0]:
        parts.append(f"then “{shorten_request(asked[-1], _THEN)}”")
    return ", ".join(parts)


def _requests(said: Sequence[SpokenTurn]) -> list[str]:
    return [one for one in (request_of(text) for role, text in said if role == "user") if _asks(one) or task_names(one)]


def _report(said: Sequence[SpokenTurn], budget: int) -> str:
    """Return what the agent reported last. What it said before its latest answers was on the way."""
    answers = [text for role, text in said if role == "assistant"][-_CLOSING:]
    return next(filter(None, (closing_report(text, budget) for text in reversed(answers))), "")


def _branch(host: HookContext, session: str) -> str:
    started = host.log.pages.newest(1, session=session, types=("session_start",))
    branch = str(started[0].payload.get("branch") or "") if started else ""
    return "" if branch in _MAIN or requests_action(branch) else f" on {truncate_text(branch, _COMMAND)}"


def _some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _FILES} more" if len(paths) > _FILES else ""
    return f"{', '.join(paths[:_FILES])}{more}"


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
        event.payload.get("role") == "system"
        or (written_by_host(text) and not request_of(text))
        or bool(reasons_of(event))
        or (not is_vouched(origin_of(event)) and requests_action(text))
    )
    return "user" if event.type == "user_prompt" else "assistant", "" if silent else text


def _asks(text: str) -> bool:
    return len(topic_words(text)) >= _WORDS


def _failing(events: Iterable[Event]) -> list[str]:
    """Return test commands that failed, and for which no later run of them or of more tests passed."""
    failing: dict[frozenset[str], str] = {}
    for event in events:
        command = str(event.payload.get("command") or "")
        if not (tests := tests_run_by(command)):
            continue
        failing = {one: said for one, said in failing.items() if not tests.issubset(one)}
        if event.payload.get("failed"):
            failing[tests] = _plain(command)
    return [f"`{truncate_text(command, _COMMAND)}`" for command in failing.values()][-2:]


def _plain(command: str) -> str:
    """Return a command without its working directory and output redirection."""
    return " ".join(_OUTPUT.sub("", _FOLDER.sub("", command)).split())
