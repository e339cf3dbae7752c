"""A session as a story: its requests in order, what the agent did for each, its subagents as branches, failures with their
reasons, and what was decided, committed and left open. A pure function of the session's events."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphmem.extract.terminal import detail_of, error_of
from graphmem.model.events import Event
from graphmem.text.deciding import MIN_STATEMENT_WEIGHT, SpokenTurn, choose_statements
from graphmem.text.reports import closing_report, request_of, shorten_request
from graphmem.text.sentences import sentences
from graphmem.text.toolcalls import SPAWNERS, runs_tests, tests_run_by

REQUEST, NOTICE, ANSWER, TOOL, SHOWN = "request", "notice", "answer", "tool", "shown"
STORY_TYPES = ("session_start", "user_prompt", "agent_response", "tool_observation", "memory_shown", "session_end")
_TITLE, _DECIDED, _REPORT, _CLOSING = 110, 160, 90, 3
_OPEN = re.compile(
    r"\b(?:still (?:open|missing|failing|to do|needs?)|not (?:yet|done yet)|remains? (?:open|to be)|left to do|to-?dos?\b"
    r"|next steps?|follow[- ]ups?|unfinished|open (?:question|point|issue)s?|have not yet|haven't yet)\b"
    r"|남은 (?:일|작업|문제)|아직|추후|다음 단계|해야 (?:합니다|한다|해요)|미완",
    re.I,
)
_NAMED = ("file_path", "notebook_path", "pattern", "url", "query", "description", "prompt", "path", "skill")


@dataclass(slots=True)
class Step:
    """One thing that happened. `why` is the reason of a failure; `mended` says that the same command succeeded later;
    `branch` holds the steps of the subagent that a tool call started. For injected memories, `items` are their ids."""

    id: str
    kind: str
    at: int
    agent: str = ""
    text: str = ""
    tool: str = ""
    what: str = ""
    input: dict[str, Any] = field(default_factory=dict)
    failed: bool = False
    why: str = ""
    mended: bool = False
    files: tuple[str, ...] = ()
    commits: tuple[tuple[str, str], ...] = ()
    items: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()
    tokens: int = 0
    branch: list[Step] = field(default_factory=list)

    @property
    def within(self) -> list[Step]:
        """Return this step and the steps of its branch."""
        return [self, *(inner for step in self.branch for inner in step.within)]


@dataclass(slots=True)
class Chapter:
    """A request of a person and what followed it. The first chapter may have no request."""

    request: Step | None
    steps: list[Step] = field(default_factory=list)

    @property
    def within(self) -> list[Step]:
        """Return all steps after the request, with those of branches."""
        return [inner for step in self.steps for inner in step.within]


@dataclass(slots=True)
class Story:
    """A session. `decided`, `commits` and `left_open` are (text, id of the step that says so)."""

    title: str
    first: int
    last: int
    chapters: list[Chapter]
    decided: list[tuple[str, str]]
    commits: list[tuple[str, str]]
    left_open: list[tuple[str, str]]
    files: tuple[str, ...]

    @property
    def steps(self) -> list[Step]:
        """Return all steps in order, with requests and branches."""
        return [
            step
            for chapter in self.chapters
            for step in (*([chapter.request] if chapter.request else ()), *chapter.within)
        ]

    @property
    def failures(self) -> list[Step]:
        """Return the failed steps in order."""
        return [step for step in self.steps if step.failed]


def tell_story(events: Iterable[Event]) -> Story:
    """Return the story of the events of one session, in whatever order they were recorded."""
    ordered = _ordered(events)
    own = _fold_steps(ordered)
    everything = [inner for step in own for inner in step.within]
    _mark_mended(everything)
    chapters = _chapters(own)
    return Story(
        title=_title(chapters),
        first=ordered[0].at if ordered else 0,
        last=ordered[-1].at if ordered else 0,
        chapters=chapters,
        decided=_decisions(own),
        commits=list({hash_: (f"{hash_[:8]} {said}", s.id) for s in everything for hash_, said in s.commits}.values()),
        left_open=_left_open(own, everything),
        files=tuple(dict.fromkeys(path for step in everything if not step.failed for path in step.files)),
    )


def read_chapters(events: Iterable[Event]) -> list[Chapter]:
    """Return the chapters of the story of one session: much faster than the whole story."""
    return _chapters(_fold_steps(_ordered(events)))


def _ordered(events: Iterable[Event]) -> list[Event]:
    return sorted(events, key=lambda event: (event.at, event.clock, event.position))


def _fold_steps(ordered: Iterable[Event]) -> list[Step]:
    """Return the steps of the main agent, with those of subagents in the calls that started them."""
    own: list[Step] = []
    branches: dict[str, list[Step]] = defaultdict(list)
    for event in ordered:
        if (step := _step(event)) is not None:
            (branches[step.agent] if step.agent else own).append(step)
    for steps in branches.values():
        _fold_branch(own, steps)
    return own


def _step(event: Event) -> Step | None:
    payload, get = event.payload, event.payload.get
    agent = str(get("agent") or "")
    if event.type == "memory_shown":
        items, citations = tuple(map(str, get("items", ()))), tuple(map(str, get("citations", ())))
        tokens = get("tokens") or 0
        return Step(
            event.id, SHOWN, event.at, agent, str(get("event") or ""), items=items, citations=citations, tokens=tokens
        )
    text = str(get("content") or "")
    if event.type == "user_prompt" and text:
        return Step(event.id, REQUEST if request_of(text) else NOTICE, event.at, agent, text)
    if event.type == "agent_response" and text:
        return Step(event.id, ANSWER, event.at, agent, text)
    if event.type != "tool_observation":
        return None
    given = get("input")
    failed = bool(get("failed"))
    return Step(
        event.id, TOOL, event.at, agent, text, str(get("tool") or ""), name_call(payload),
        dict(given) if isinstance(given, dict) else {}, failed,
        _reason(text) if failed else "", files=tuple(map(str, get("writes", ()))),
        commits=tuple((str(one), str(said)) for one, said in get("commits", ())),
    )  # fmt: skip


def name_call(payload: dict[str, Any]) -> str:
    """Return what a tool was called with, in one line."""
    given = payload.get("input")
    given = given if isinstance(given, dict) else {}
    file = next((str(path) for name in ("writes", "reads") for path in payload.get(name, ())), "")
    named = next((str(given[name]) for name in _NAMED if given.get(name)), "")
    return " ".join(str(payload.get("command") or file or named).split())


def _reason(output: str) -> str:
    """Return why a tool call failed: the line with the error, and what explains it."""
    error = error_of(output)
    return f"{error} {detail_of(output, error)}".strip()


def _fold_branch(own: list[Step], steps: list[Step]) -> None:
    """Put the steps of a subagent into the call that started it: the one with the same prompt, otherwise the nearest one in
    time that has no branch. Without such a call they are a step of their own."""
    calls = [step for step in own if step.tool in SPAWNERS and not step.branch]
    asked = next((step.text for step in steps if step.kind in (REQUEST, NOTICE)), None)
    same = [step for step in calls if asked and str(step.input.get("prompt") or "").strip() == asked.strip()]
    found = min(
        same or calls, key=lambda step: min(abs(step.at - steps[0].at), abs(step.at - steps[-1].at)), default=None
    )
    if found is None:
        found = Step(steps[0].id + "-branch", TOOL, steps[0].at, tool="Agent", what=_titled(asked or ""))
        place = next((at for at, step in enumerate(own) if step.at > found.at), len(own))
        own.insert(place, found)
    found.branch = steps


def _mark_mended(steps: Sequence[Step]) -> None:
    """Mark failed calls whose command, or whose edit of the same file, succeeded later; a run of tests also if a later one that
    succeeded ran all of them."""
    passed: set[tuple[str, str]] = set()
    tested: list[frozenset[str]] = []
    for step in sorted(steps, key=lambda one: -one.at):
        if step.kind == TOOL and step.what:
            tests = tests_run_by(step.what)
            if step.failed:
                step.mended = (step.tool, step.what) in passed or any(run <= tests for run in tested)
            else:
                passed.add((step.tool, step.what))
                tested += [tests] if tests else []


def _chapters(own: Sequence[Step]) -> list[Chapter]:
    chapters = [Chapter(None)]
    for step in own:
        if step.kind == REQUEST:
            chapters.append(Chapter(step))
        else:
            chapters[-1].steps.append(step)
    if len(chapters) > 1 and not any(step.kind in (ANSWER, TOOL) for step in chapters[0].steps):
        chapters[1].steps[:0] = chapters[0].steps  # what was injected at the start
        del chapters[0]
    return [chapter for chapter in chapters if chapter.request or chapter.steps]


def _title(chapters: Sequence[Chapter]) -> str:
    asked = [chapter.request.text for chapter in chapters if chapter.request]
    return _titled(next(filter(None, map(request_of, asked)), ""))


def _titled(request: str) -> str:
    return shorten_request(" ".join(request.split()), _TITLE)


def _decisions(own: Sequence[Step]) -> list[tuple[str, str]]:
    said = [step for step in own if step.kind in (REQUEST, ANSWER)]
    turns = [SpokenTurn("user" if step.kind == REQUEST else "assistant", step.text) for step in said]
    return [(text, said[at].id) for at, text in choose_statements(turns, _DECIDED, MIN_STATEMENT_WEIGHT)]


def _left_open(own: Sequence[Step], everything: Sequence[Step]) -> list[tuple[str, str]]:
    """Return what the last answers call unfinished, and test commands that still fail."""
    found: dict[str, str] = {}
    for step in [one for one in own if one.kind == ANSWER][-_CLOSING:]:
        found |= dict.fromkeys(open_statements(step.text), step.id)
    for step in everything:
        if step.failed and not step.mended and runs_tests(step.what):
            found[f"{step.what}: {step.why}"] = step.id
    return list(found.items())


def open_statements(text: str) -> list[str]:
    """Return the sentences of an answer that call something unfinished.

    >>> open_statements("The parser works. The tests for Windows are still missing.")
    ['The tests for Windows are still missing.']
    """
    return [" ".join(sentence.split()) for sentence in sentences(text) if _OPEN.search(sentence)]


def report_of(chapter: Chapter) -> str:
    """Return what the agent reported at the end of a chapter, in a few sentences; "" if it did not."""
    answers = [step.text for step in chapter.steps if step.kind == ANSWER][-_CLOSING:]
    return next(filter(None, (closing_report(text, _REPORT) for text in reversed(answers))), "")
