"""The verb `conclude`: a coding agent saves what a finished piece of work taught, in a strict form. Each memory is checked against
the log: its evidence must be a quote of what was said or printed, or it is not saved."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from graphmem.errors import UsageError
from graphmem.memory import Memory
from graphmem.model.events import Event
from graphmem.model.kinds import REMEMBERABLE
from graphmem.text.align import Aligner
from graphmem.text.support import missing_support
from graphmem.text.todolists import is_own_list
from graphmem.trust.marking import reasons_of

MOST = 7  # memories of one call
_AS_FACTS = ("decision", "rule", "preference")  # saved as facts with this tag
_KINDS = (*(kind for kind in REMEMBERABLE if kind not in ("document", "summary")), *_AS_FACTS)
_FIELDS = {"kind", "text", "subject", "value", "files", "evidence"}
_FORM = (
    "`memories` needs objects with kind, text (one self-contained sentence), evidence (a verbatim quote of the conversation)"
    " and, if they fit, subject, value and files"
)
_TURNS = ("user_prompt", "agent_response", "tool_observation")
_SEARCHED, _TURN_CHARS = 600, 40_000  # latest turns in which a quote is looked for, and characters of each
_TEXT, _QUOTE = (12, 600), (8, 600)  # fewest and most characters


@dataclass(frozen=True, slots=True)
class Conclusions:
    """What was saved (id and text) and what was refused (text and reason)."""

    saved: tuple[dict[str, str], ...]
    refused: tuple[dict[str, str], ...]


def conclude(
    mem: Memory,
    memories: Annotated[
        list[str],
        "JSON objects: kind, text (one self-contained sentence), subject, value, files, evidence (a verbatim quote)",
    ],
    session: Annotated[str | None, "the session with the evidence (default: the latest turns)"] = None,
) -> Any:
    """Save up to seven memories of a finished piece of work, each with a quote of the conversation as evidence.

    `kind` is fact, decision, rule, preference, gotcha, pattern or skill; `subject`, `value` and `files` may be left out. A memory
    is refused if its evidence is not found in the log, does not contain the value, or lacks numbers, names or a negation of the
    text. Idempotent."""
    turns = mem.history(session=session, types=_TURNS, limit=_SEARCHED)[::-1]
    sources = [(turn, Aligner(text)) for turn in turns if (text := _said(turn))]
    saved, refused = [], []
    for number, given in enumerate(_objects(memories)):
        text = str(given.get("text") or "")[:200]
        try:
            if number >= MOST:
                raise UsageError(f"more than {MOST} memories in one call")
            saved.append({"id": _save(mem, given, sources), "text": text})
        except UsageError as error:
            refused.append({"text": text, "reason": str(error)})
    return Conclusions(tuple(saved), tuple(refused))


def _objects(memories: Sequence[str]) -> list[dict[str, Any]]:
    """Return the objects of JSON texts; each text may be a list of them. Raises UsageError."""
    found: list[dict[str, Any]] = []
    for text in memories:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{_FORM} ({error})", parameter="memories") from error
        each = value if isinstance(value, list) else [value]
        if not all(isinstance(one, dict) for one in each):
            raise UsageError(_FORM, parameter="memories")
        found += each
    if not found:
        raise UsageError(_FORM, parameter="memories")
    return found


def _save(mem: Memory, given: dict[str, Any], sources: Sequence[tuple[Event, Aligner]]) -> str:
    if unknown := given.keys() - _FIELDS:
        raise UsageError(f"unknown field `{min(unknown)}`: use {', '.join(sorted(_FIELDS))}")
    kind = given.get("kind")
    if kind not in _KINDS:
        raise UsageError(f"`kind` must be one of {', '.join(_KINDS)}")
    text, quote = _string(given, "text", *_TEXT), _string(given, "evidence", *_QUOTE)
    subject, value = (_string(given, name, 0, 100) if given.get(name) else "" for name in ("subject", "value"))
    files = given.get("files") or []
    if not isinstance(files, list) or not all(isinstance(file, str) and 0 < len(file) < 300 for file in files):
        raise UsageError("`files` must be a list of paths")
    for name, part in (("subject", subject), ("value", value)):
        if part.lower() not in text.lower():
            raise UsageError(f"`text` does not contain the {name} `{part}`")
    if value.lower() not in quote.lower():
        raise UsageError(f"`evidence` does not contain the value `{value}`")
    found = ((turn, source.source, source.find(quote).alignment) for turn, source in sources)
    quoted = next(((turn, said, place) for turn, said, place in found if place is not None), None)
    if quoted is None:
        raise UsageError("`evidence` was not found in the conversation: quote it verbatim")
    turn, said, place = quoted
    if lacking := missing_support(text, said, place.start, place.end, given=f"{subject} {' '.join(files)}"):
        raise UsageError(f"`text` says more than its evidence and what stands around it, which lack {lacking}")
    tags = [kind] if kind in _AS_FACTS else []
    return mem.remember(
        text, kind="fact" if tags else str(kind), title=subject or None, tags=tags, files=files, evidence=[turn.id]
    )


def _string(given: dict[str, Any], name: str, least: int, most: int) -> str:
    value = given.get(name)
    text = " ".join(value.split()) if isinstance(value, str) else ""
    if not least <= len(text) <= most or not text:
        raise UsageError(f"`{name}` needs {max(least, 1)} to {most} characters")
    return text


def _said(turn: Event) -> str:
    """Return what may be quoted of a turn; "" for what another machine or a flagged text says, and for the agent's
    own list, which is no turn."""
    if turn.foreign or is_own_list(turn.type, turn.payload) or reasons_of(turn):
        return ""
    return str(turn.payload.get("content") or "")[:_TURN_CHARS]
