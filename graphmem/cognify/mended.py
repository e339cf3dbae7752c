"""Finds the facts that the session in which they were said has ended since: what was missing, broken or wrong, until somebody
changed the file, the same tests passed, or it was said to be done. What lasted an hour is history, not knowledge. A pure
function of the entries of a session, so that replay and increment end alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphmem.cognify.episodes import NAME as EPISODES
from graphmem.cognify.packed_entries import Entry
from graphmem.patterns import compile_later
from graphmem.text.toolcalls import runs_tests
from graphmem.text.topics import topic_words

_I = re.IGNORECASE
_STATING = frozenset({"property", "failure", "cause", "change"})
# What stands in need of a change: it lacks something, it does not do what it should. That a library does not support something
# is no such state.
_LACKS = compile_later(
    r"\b(?:has|have|there (?:is|are)) (?:still |currently |also )?no\b|\b(?:lacks?|lacking|misses|outdated|stale|unused"
    r"|undefined"
    r"|not (?:yet )?(?:defined|used|configured|implemented|wired|exported|imported|tested|covered|handled|validated|listed"
    r"|installed|set|found|closed|called|registered|shipped|updated)"
    r"|(?:(?:does|do|is|are|was|were|can|could|will|did|has|have)(?:n't| not)|cannot)"
    r"(?! (?:support|allow|accept|respect|enforce)|\w*ed\b)"
    r"|never (?:called|used|set|closed)|needs?|must be (?:updated|fixed|moved|renamed|changed|added)|still|currently"
    r"|hard-?coded"
    r"|too (?:large|long|slow|small|many|big|high|low))\b"
    r"|없다|없습니다|없음|않[는습아음]|누락|빠[졌져진]",
    _I,
)
# It fails, or it is wrong.
_FAULT = compile_later(
    r"\b(?:fails?|failing|failed|crash(?:es|ing)?|broken|breaks|wrong|incorrect(?:ly)?|missing|(?:not|n't) work(?:ing)?)\b"
    r"|실패|깨[진졌지]|안 (?:된|됩|되|돼|나|뜨|열)|틀[렸린리]|잘못",
    _I,
)
# What somebody says when it is over, in words that name nothing.
_OVER = compile_later(
    r"^(?:(?:ok|okay|great|perfect|nice|good|yes|awesome|excellent|cool|thanks?(?: you)?)[,.! ]+)*(?:(?:it|that|this"
    r"|everything|all)"
    r"(?:'s| is| has been)? )?(?:all )?(?:now |finally )?(?:fixed|solved|resolved|done|works?(?: now| fine| perfectly"
    r"| great| well)*|working(?: now)?)"
    r"\b[^?]{0,40}$"
    r"|^(?:이제 )?(?:잘 )?(?:됩니다|돼요|된다|고쳤|해결|수정했|완료)",
    _I,
)
_WORDLESS = 12  # entries within which words that name nothing, or tests that pass, tell of a state
_FEWEST = 2  # words that a report or commit shares with a state that it ends
_SHARE = 0.34  # of the words of the state
_CHECKS = compile_later(
    r"\b(?:tests?|specs?|builds?|compil\w*|lint\w*|type-?checks?|ci|suite)\b|테스트|빌드|컴파일", _I
)
_BUILDS = compile_later(r"\b(?:build|compile|lint|typecheck|tsc|check)\b")


class Ending(NamedTuple):
    """When a state ended (microseconds), and the clock of what ended it."""

    at: int
    clock: int


@dataclass(slots=True)
class _State:
    fact: str
    source: str
    words: frozenset[str]
    files: frozenset[str]  # names of files, without folders
    is_checked: bool  # it tells of tests or a build
    is_fault: bool  # it fails or is wrong, rather than lacking something
    seen: int = 0  # entries since


def has_states(entries: Iterable[Entry]) -> bool:
    """Return whether any fact of these tells of a state that may end."""
    return any(_is_state(fact) for entry in entries for fact in entry.body["facts"])


def find_mended(entries: Iterable[Entry]) -> dict[str, Ending]:
    """Return the facts among the entries of one place that later ones end."""
    open_: list[_State] = []
    found: dict[str, Ending] = {}
    for entry in entries:
        left = []
        for state in open_:
            state.seen += entry.step == EPISODES
            if entry.body["node" if entry.step == EPISODES else "source"] != state.source and _ends(entry, state):
                found[state.fact] = Ending(entry.at, entry.clock)
            else:
                left.append(state)
        open_ = left
        if entry.step != EPISODES:
            open_ += [_state_of(fact, entry) for fact in entry.body["facts"] if _is_state(fact)]
    return found


def _is_state(fact: Mapping[str, Any]) -> bool:
    return (
        fact["kind"] in _STATING
        and not fact.get("revises")
        and any(trouble.search(fact["content"]) for trouble in (_LACKS, _FAULT))
    )


def _state_of(fact: Mapping[str, Any], entry: Entry) -> _State:
    named = [*fact.get("files", ()), *(name for type_, name in fact.get("entities", ()) if type_ == "file")]
    files = frozenset(_name_of(path) for path in named)
    said, source = fact["content"], entry.body["source"]
    is_checked, is_fault = _CHECKS.search(said) is not None, _FAULT.search(said) is not None
    return _State(fact["id"], source, topic_words(said), files, is_checked, is_fault)


def _name_of(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2].lower()


def _ends(entry: Entry, state: _State) -> bool:
    body = entry.body
    if entry.step != EPISODES:
        return any(fact["kind"] in ("fix", "change") and _tells_of(fact["content"], state) for fact in _all(body))
    match body["kind"]:
        case "write":
            return any(_name_of(path) in state.files for path in body["files"])
        case "run" if body["ok"]:
            passed = runs_tests(body["command"]) or _BUILDS.search(body["command"]) is not None
            told = any(_tells_of(subject, state) for _, subject in body.get("commits", ()))
            return told or (state.is_checked and passed and state.seen <= _WORDLESS)
        case "tests":
            return state.is_checked and not body["failures"] and state.seen <= _WORDLESS
        case "commit":
            return _tells_of(body["subject"], state)
        case "ask":
            return _is_over(body["text"], state)
        case "tell":
            return any(_tells_of(report, state) or _is_over(report, state) for report in body.get("reports", ()))
    return False


def _all(body: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    return [*body["facts"], *body.get("explains", ())]


def _is_over(said: str, state: _State) -> bool:
    return state.is_fault and state.seen <= _WORDLESS and _OVER.match(said) is not None


def _tells_of(text: str, state: _State) -> bool:
    shared = len(topic_words(text) & state.words)
    return shared >= _FEWEST and shared >= _SHARE * len(state.words)
