"""What hooks injected into a session, and what came of it: whether the agent quoted a memory, or named something that only the
memory had named before. Pure functions of the session's events."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from graphmem.browse.story import ANSWER, SHOWN, TOOL, Chapter, Step, read_chapters
from graphmem.model.events import Event

NEXT_STEPS = 30  # steps after an injection that are considered its consequences
QUOTED, ACTED_ON, UNSEEN = "quoted", "acted_on", "unseen"
# Names that occur by intent: paths, identifiers of several parts, words with digits.
_NAME = re.compile(r"[A-Za-z_][\w./-]*[\w]")
_TELLING = re.compile(r"[_/]|\w\.\w|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
_LEAST, _MOST = 4, 80  # characters of a name
_READ = 20_000  # characters of a step that are read


class Injection(NamedTuple):
    """One injection: the step, the request before it, and what the same agent did until the next request."""

    step: Step
    request: Step | None
    then: list[Step]


def list_injections(chapters: Iterable[Chapter]) -> list[Injection]:
    """Return the injections of a session, in order."""
    found = []
    for chapter in chapters:
        steps = chapter.within
        for at, step in enumerate(steps):
            if step.kind == SHOWN:
                later = [one for one in steps[at + 1 :] if one.agent == step.agent and one.kind != SHOWN]
                found.append(Injection(step, chapter.request, later[:NEXT_STEPS]))
    return found


def judge_injections(events: Sequence[Event], texts: Mapping[str, str]) -> list[tuple[Injection, dict[str, str]]]:
    """Return the injections of a session, each with what came of its memories: id -> QUOTED, ACTED_ON or UNSEEN. `texts` are
    the memories as they read now; forgotten ones are UNSEEN."""
    chapters = read_chapters(events)
    places, acts = _acts(chapters)
    judged = []
    for injection in list_injections(chapters):
        answers = "\n".join(step.text for step in injection.then if step.kind == ANSWER)
        late = {places[id(step)] for step in _decided_later(injection)}
        outcomes = {
            item: QUOTED if citation and citation in answers
            else ACTED_ON if any(acts.get(name) in late for name in names_in(texts.get(item, "")))
            else UNSEEN
            for item, citation in zip(injection.step.items, _padded(injection.step), strict=False)
        }  # fmt: skip
        judged.append((injection, outcomes))
    return judged


def names_in(text: str) -> set[str]:
    """Return the names in a text that hardly occur by chance; of a path also its last part.

    >>> sorted(names_in("The cache of src/app/tax.py is read by read_rates(), see the docs."))
    ['read_rates', 'src/app/tax.py', 'tax.py']
    """
    found: set[str] = set()
    for name in _NAME.findall(text[:_READ]):
        if _LEAST <= len(name) <= _MOST and _TELLING.search(name):
            last = name.rpartition("/")[2]
            found |= {name, last} if len(last) >= _LEAST and _TELLING.search(last) else {name}
    return found


def _acts(chapters: Sequence[Chapter]) -> tuple[dict[int, int], dict[str, int]]:
    """Return the place of each step, and the place at which an agent first named each name, without those that it had heard
    before: in a request or in the output of a tool."""
    places: dict[int, int] = {}
    heard: set[str] = set()
    acts: dict[str, int] = {}
    for chapter in chapters:
        for step in ([chapter.request] if chapter.request else []) + chapter.within:
            places[id(step)] = len(places)
            if step.kind == SHOWN:
                continue
            said = names_in(step.text)
            named = (
                said if step.kind == ANSWER else names_in(f"{step.what} {_given(step)}") if step.kind == TOOL else set()
            )
            for name in named - heard - acts.keys():
                acts[name] = places[id(step)]
            heard |= said if step.kind != ANSWER else set()
    return places, acts


def _given(step: Step) -> str:
    return json.dumps(step.input, ensure_ascii=False, default=str) if step.input else ""


def _decided_later(injection: Injection) -> list[Step]:
    """Return the steps that the agent decided on with the memory in view: the call that a hook ran before was decided on."""
    before_call = injection.step.text == "PreToolUse" and injection.then and injection.then[0].kind == TOOL
    return injection.then[1:] if before_call else injection.then


def _padded(step: Step) -> list[str]:
    return [*step.citations, *[""] * (len(step.items) - len(step.citations))]
