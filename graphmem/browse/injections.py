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
_SESSION_STEPS = 200  # after a session's start: what was injected there is in view until the end
QUOTED, ACTED_ON, RELATED, UNSEEN = "quoted", "acted_on", "related", "unseen"
# Names that occur by intent: paths, identifiers of several parts, words with digits.
_NAME = re.compile(r"[A-Za-z_][\w./-]*[\w]")
_TELLING = re.compile(r"[_/]|\w\.\w|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
_LEAST, _MOST = 4, 80  # characters of a name
_READ = 20_000  # characters of a step that are read


class Injection(NamedTuple):
    """One injection: the step, the request before it, and what the same agent did until the next request; after a session's
    start, until its end."""

    step: Step
    request: Step | None
    then: list[Step]


def list_injections(chapters: Iterable[Chapter]) -> list[Injection]:
    """Return the injections of a session, in order."""
    found, known = [], list(chapters)
    for number, chapter in enumerate(known, 1):
        steps = chapter.within
        for at, step in enumerate(steps):
            if step.kind == SHOWN:
                is_start = step.text == "SessionStart"
                after = [one for later in known[number:] for one in later.within] if is_start else []
                same = [one for one in (*steps[at + 1 :], *after) if one.agent == step.agent and one.kind != SHOWN]
                found.append(Injection(step, chapter.request, same[: _SESSION_STEPS if is_start else NEXT_STEPS]))
    return found


class Consequence(NamedTuple):
    """A step that can be traced to an injected memory. `how` is QUOTED (the answer cites it), ACTED_ON (the step is the first to
    name something that only the memory had named) or RELATED (the step names what the memory names, but so did others before
    it); `name` is what they have in common."""

    step: Step
    item: str
    how: str
    name: str


def judge_injections(events: Sequence[Event], texts: Mapping[str, str]) -> list[tuple[Injection, dict[str, str]]]:
    """Return the injections of a session, each with what came of its memories: id -> QUOTED, ACTED_ON or UNSEEN. `texts` are
    the memories as they read now; forgotten ones are UNSEEN."""
    judged = []
    for injection, found in trace_injections(read_chapters(events), texts):
        seen = {(one.item, one.how) for one in found}
        outcomes = {
            item: next((how for how in (QUOTED, ACTED_ON) if (item, how) in seen), UNSEEN)
            for item in injection.step.items
        }
        judged.append((injection, outcomes))
    return judged


def trace_injections(
    chapters: Sequence[Chapter], texts: Mapping[str, str]
) -> list[tuple[Injection, list[Consequence]]]:
    """Return the injections of a session, each with the steps that came of its memories, in order. `texts` are the memories as
    they read now, with the files that they are about."""
    places, acts = _acts(chapters)
    return [(injection, _trace(injection, texts, places, acts)) for injection in list_injections(chapters)]


def _trace(
    injection: Injection, texts: Mapping[str, str], places: Mapping[int, int], acts: Mapping[str, int]
) -> list[Consequence]:
    later = [(step, places[id(step)]) for step in _decided_later(injection)]
    named = [names_in(_said(step)) for step, _ in later]
    found = []
    for item, citation in zip(injection.step.items, _padded(injection.step), strict=False):
        names = names_in(texts.get(item, ""))
        for step in injection.then:
            if citation and step.kind == ANSWER and citation in step.text:
                found.append(Consequence(step, item, QUOTED, citation))
        for (step, place), said in zip(later, named, strict=True):
            if own := {name for name in names if acts.get(name) == place}:
                found.append(Consequence(step, item, ACTED_ON, _longest(own)))
            elif step.kind == TOOL and (common := names & said):
                found.append(Consequence(step, item, RELATED, _longest(common)))
    return sorted(found, key=lambda one: places[id(one.step)])


def _longest(names: Iterable[str]) -> str:
    return max(sorted(names), key=len)


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
            named = names_in(_said(step))
            for name in named - heard - acts.keys():
                acts[name] = places[id(step)]
            heard |= said if step.kind != ANSWER else set()
    return places, acts


def _said(step: Step) -> str:
    """Return the words of an agent in a step: its answer, or the input of a tool."""
    if step.kind == ANSWER:
        return step.text
    given = json.dumps(step.input, ensure_ascii=False, default=str) if step.input else ""
    return f"{step.what} {given}" if step.kind == TOOL else ""


def _decided_later(injection: Injection) -> list[Step]:
    """Return the steps that the agent decided on with the memory in view: the call that a hook ran before was decided on."""
    before_call = injection.step.text == "PreToolUse" and injection.then and injection.then[0].kind == TOOL
    return injection.then[1:] if before_call else injection.then


def _padded(step: Step) -> list[str]:
    return [*step.citations, *[""] * (len(step.items) - len(step.citations))]
