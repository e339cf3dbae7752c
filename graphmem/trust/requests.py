"""Detects text that asks its reader to act outside of the code: to run or install something, to fetch or send something, to
reveal a secret, or to weaken a protection. Hooks do not show such a text unasked unless a person wrote it. Statements about
code ("we decided to use SQLite because …") are no such requests, even if they name commands.

A sentence is a request if it has an object of one of these classes and does not reject it ("never …"). Some objects are
sufficient; others need an instruction around them: a leading verb, "must", "we decided to", a Korean request form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from graphmem import resources
from graphmem.trust.readings import is_disguised, possible_readings

_LONGEST = 8_000  # characters that are checked: far more than a hook shows of a text
# A line that goes on in lower case, in Korean or with a command belongs to the one before: commit messages are wrapped.
_SENTENCE = re.compile(r"(?<=\S[.!?。])\s+|\n\s*\n+|\n(?!(?<=[^\s.!?:;。：]\n)[a-z`'\"$~/가-힣|(])")
_BEFORE = 120  # characters before an object in which it may be rejected
_LEADER = re.compile(r"[:：]\s*$")
_RULES = "queries/trust/requests.txt"


class _Rules(NamedTuple):
    """The patterns: parts by name, objects that are sufficient, and those that need an instruction."""

    parts: dict[str, re.Pattern[str]]
    always: list[re.Pattern[str]]
    instructed: list[re.Pattern[str]]


@cache
def _rules() -> _Rules:
    parts: dict[str, str] = {}
    objects: dict[str, list[re.Pattern[str]]] = {"always": [], "instructed": []}
    for line in resources.text(_RULES).splitlines():
        head, bar, pattern = line.partition(" | ")
        if not bar or line.startswith("#"):
            continue
        for name, part in parts.items():
            pattern = pattern.replace(f"{{{name}}}", part)
        if head.startswith("let "):
            parts[head[4:]] = pattern
        else:
            objects[head].append(re.compile(pattern, re.IGNORECASE))
    used = ("instructs", "leads", "rejects", "rejects_after", "risky", "runners", "foreign")
    return _Rules({name: re.compile(parts[name], re.IGNORECASE) for name in used}, **objects)


def requests_action(text: str) -> bool:
    """Return whether a text asks its reader to run, install, fetch, send or reveal something, or to weaken a protection."""
    return any(_requests(sentence, instructed) for sentence, instructed in _sentences(text[:_LONGEST]))


def without_requests(text: str) -> str:
    """Return the text without the sentences that ask for an action."""
    if not requests_action(text):
        return text
    kept = [sentence for sentence, instructed in _sentences(text[:_LONGEST]) if not _requests(sentence, instructed)]
    return "\n".join(kept)


def _sentences(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each sentence, and whether the one before announces it ("Run this first:")."""
    announced = False
    for sentence in _SENTENCE.split(text):
        if sentence and not sentence.isspace():
            yield sentence, announced
            announced = bool(_LEADER.search(sentence))


def _requests(sentence: str, announced: bool) -> bool:
    return is_disguised(sentence) or any(
        _asks(" ".join(form.split("\n")), announced) for form in possible_readings(sentence)
    )


def _asks(sentence: str, announced: bool) -> bool:
    rules = _rules()
    parts = rules.parts
    instructs = announced or parts["instructs"].search(sentence) or parts["leads"].search(sentence)
    for pattern in (*rules.always, *(rules.instructed if instructs else ())):
        for match in pattern.finditer(sentence):
            if not _is_meant(match):
                continue
            rejected = parts["rejects"].search(sentence[max(0, match.start() - _BEFORE) : match.start()])
            if not (rejected or parts["rejects_after"].search(sentence[match.end() :])):
                return True
    return False


def _is_meant(match: re.Match[str]) -> bool:
    """Return whether the quoted text in a match, if it has one, is a command that is not harmless."""
    quoted = match.groupdict()
    if (span := quoted.get("span")) is not None:
        return _is_command(span)
    if (program := quoted.get("program")) is not None:
        return _reaches_out(program)
    return True


def _is_command(span: str) -> bool:
    """Return whether quoted text is a command line other than an ordinary use of a project's own build and test
    programs."""
    parts = _rules().parts
    if parts["runners"].match(span) and not _OPERATOR.search(span) and not parts["foreign"].search(span):
        return False
    return bool(parts["risky"].match(span) or _COMMAND.match(span))


def _reaches_out(program: str) -> bool:
    """Return whether quoted text is a known program with arguments that make it read, load, run or delete something
    outside of the project."""
    parts = _rules().parts
    known = parts["runners"].match(program) or parts["risky"].match(program)
    return bool(known and " " in program and parts["foreign"].search(program))


_COMMAND = re.compile(r"[a-z][\w./+-]*(?:\s+(?:--?[\w-]|[\w./~$@:=\"'-])+)+", re.ASCII)
_OPERATOR = re.compile(r"[|;&<>`]|\$\(")
