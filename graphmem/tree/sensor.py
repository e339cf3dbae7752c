"""The sensor analyses one turn with rules, in under five milliseconds: core sentences, names and values, intent, and
whether it announces a new topic. Its fit to preceding turns is computed in `buffer`. No spaCy, no model, no store."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

from graphmem.cognify import cues
from graphmem.model.events import Derivation, Event
from graphmem.text.entities import extract_entities
from graphmem.text.reports import report_sentences
from graphmem.text.sentences import sentences
from graphmem.text.toolcalls import brief_call, shorten_text
from graphmem.tree import words
from graphmem.tree.cues import ASKS, BINDS, NAME, SHIFT, TEMPORAL

STEP = "sensor/3"
TYPES = frozenset({"user_prompt", "agent_response", "tool_observation"})
_MAX_TURN_CHARS = 4_000  # characters of a turn that are analysed, head and tail
_CORE = 200  # characters of each of at most two core sentences
_TOOL = 600  # characters of a tool call that are analysed
_MIN_SEPARATE_OUTPUT_CHARS = 2_000  # characters of a tool output from which it becomes a memory by itself
_MOST_NAMES, _MOST_VALUES, _MOST_WORDS = 24, 24, 60
_SPEAKER = re.compile(r"([A-Z][\w.-]{0,30}(?: [A-Z][\w.-]{0,30})?|[가-힣]{2,5}): ")
_TOLD = (
    "rule",
    "preference",
    "decision",
    "cause",
    "fix",
    "failure",
)  # kinds of facts that are an intent, most significant first
_UNTRUSTED = frozenset({"value", "date", "flag", "license"})  # types of entities that are values or guesses


class Sensed(NamedTuple):
    """An analysed turn. `names` are (type, text); `words` are its content words, in order; `external`: a tool output too
    large for a buffer."""

    event: str
    session: str
    project: str
    clock: int
    at: int
    role: str
    speaker: str
    core: str
    intent: str
    names: tuple[tuple[str, str], ...]
    values: tuple[str, ...]
    words: tuple[str, ...]
    shifts: bool
    external: bool
    files: tuple[str, ...]


def sense_turn(event: Event) -> dict[str, Any]:
    """Return the body of the sensor's derivation for a turn."""
    payload = event.payload
    role = str(payload.get("role") or "user")
    text, speaker = sensed_text(payload)
    if role == "system" or (role == "user" and cues.HOST_TEXT.match(text)):  # put there by a program: nobody said it
        text = ""
    found = (report_sentences(text) if role == "assistant" else []) or sentences(text)
    names = _names(text)
    if speaker:
        names = [["person", speaker], *(name for name in names if name[1] != speaker)]
    timed = _times(text, event.at)
    files = list(dict.fromkeys(str(path) for key in ("writes", "reads") for path in payload.get(key, ())))
    core = _core(found)
    return {
        "project": event.project,
        "session": event.session,
        "role": role,
        "speaker": speaker,
        "core": core,
        "intent": _intent(role, payload, core, text),
        "names": names[:_MOST_NAMES],
        "values": list(dict.fromkeys([*timed, *words.find_values(text)]))[:_MOST_VALUES],
        "words": words.topic_words(text)[:_MOST_WORDS],
        "shifts": role == "user" and SHIFT.match(text) is not None,
        "external": role == "tool" and len(str(payload.get("content", ""))) >= _MIN_SEPARATE_OUTPUT_CHARS,
        "files": files[:_MOST_NAMES],
    }


def sensed_text(payload: Mapping[str, Any]) -> tuple[str, str]:
    """Return (the analysed text of a turn, the speaker if known)."""
    if payload.get("role") == "tool":
        return shorten_text(brief_call(dict(payload)), _TOOL), ""
    text = shorten_text(str(payload.get("content", "")), _MAX_TURN_CHARS)
    named = _SPEAKER.match(text)
    if named:
        return text[named.end() :], named[1]
    return text, str(payload.get("speaker") or "")


def parse_sensed(derivation: Derivation) -> Sensed:
    """Parse a derivation of the sensor."""
    body = derivation.body
    return Sensed(
        derivation.source, body["session"], body["project"], derivation.clock, derivation.at, body["role"], body["speaker"],
        body["core"], body["intent"], tuple([_shared(kind, name) for kind, name in body["names"]]), tuple(body["values"]),
        tuple(map(intern, body["words"])), body["shifts"], body["external"], tuple(body["files"]),
    )  # fmt: skip


@lru_cache(maxsize=65_536)
def _shared(kind: str, name: str) -> tuple[str, str]:
    """Return a shared tuple for a name: memories of a large log repeat names."""
    return intern(kind), intern(name)


def sensed_now(event: Event) -> Sensed:
    """Analyse an event that no step has seen yet."""
    return parse_sensed(Derivation(STEP, event.id, "", sense_turn(event), 0, event.at, event.clock))


def _core(found: Sequence[str]) -> str:
    """Return the one or two most informative sentences, in order."""
    weights = [((len(words.topic_words(one)) + 2 * len(words.find_values(one))) * (0.4 if one.startswith("[") else 1.0), -place)
               for place, one in enumerate(found)]  # fmt: skip
    best = sorted(range(len(found)), key=lambda place: weights[place], reverse=True)[:2]
    kept = [place for place in best if weights[place][0] * 3 >= weights[best[0]][0]]
    return " ".join(" ".join(shorten_text(found[place], _CORE).split()) for place in sorted(kept))


def _names(text: str) -> list[list[str]]:
    """Return (type, text) of every named entity; capitalised words within a sentence if nothing else is known."""
    found: dict[str, list[str]] = {}
    for mention in extract_entities(text, linguistic=False, generic=False):
        name = " ".join(mention.text.split())
        if mention.type not in _UNTRUSTED and 1 < len(name) <= 80 and not name.replace(".", "").isdigit():
            found.setdefault(words.comparison_key(name), [mention.type, name])
    for match in NAME.finditer(text):
        name = match.group().removesuffix("'s").removesuffix("’s")
        if name.lower() in words.topic_words(name) or " " in name:
            found.setdefault(words.comparison_key(name), ["name", name])
    return list(found.values())


def _times(text: str, at: int) -> list[str]:
    """Return absolute dates for relative times: "yesterday" is useless later."""
    if not TEMPORAL.search(text):
        return []
    from graphmem.text.times import anchor_times

    now = datetime.fromtimestamp(at / 1_000_000, UTC)
    return [
        f"{m.text} ({m.value})"
        for m in anchor_times(text, now)
        if m.begin and m.text not in m.value and "_" not in m.value
    ][:8]


def _intent(role: str, payload: Mapping[str, Any], core: str, text: str) -> str:
    if role == "tool":
        return "failure" if payload.get("failed") or payload.get("exit_code") else "act"
    for kind in _TOLD:
        if cues.KIND_CUES[kind].search(core) and (kind != "rule" or BINDS.search(core)):
            return cues.INTENTS[kind]
    return "ask" if ASKS.search(text) else "tell"
