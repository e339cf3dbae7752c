"""Later statements that revise an earlier decision in other words: "Amended rule: …", "the rule about … is dropped". A revision
and the rule that it revises are matched by the words of their subject; claims of one attribute are compared in `supersede`.
Each match is a pure function of both texts, so that replay and increment end alike."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from graphmem.cognify.groups import Place
from graphmem.cognify.judging import BINDING
from graphmem.cognify.packed_entries import Entry
from graphmem.text.entities.korean import stem as without_particle
from graphmem.text.revising import DROPS, is_revision_talk
from graphmem.text.words import stopwords

_WORD = re.compile(r"[^\W_]+(?:\.\d+)?")
_KOREAN_VERB = re.compile(r"(?<=[가-힣]{2})(?:하|한|할|했|해|합|되|된|될|됐)[가-힣]*$")
_DATED = re.compile(r" \(\d{4}[^)]*\)")
_FORMER = re.compile(
    r"\b(?:instead of|rather than|in place of|superseding|replacing|no longer)\b[^,;.]*|\S+ (?:대신|말고)", re.I
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ENDING = re.compile(r"(?:ations?|ings?|ies|ied|ers?|ed|es|s)$")
_FEWEST = 3  # shared words of an amended rule
_SHARE = 0.45  # of the words of a rule that its amendment must share
_FEWEST_DROPPED = 2  # shared words of a dropped rule
_SHARE_DROPPED = 0.3  # of the words of a rule that the statement which drops it must share
_OF_TOPIC = 0.6  # of the words of that statement that must be words of the rule
_NEXT = 0.8  # share of the best match's strength from which on others are revised, too
_MOST = 8  # rules that one revision ends


class Rule(NamedTuple):
    """A statement that may be revised: `at` is when it was said (microseconds), `turn` the source, `words` its stems."""

    fact: str
    place: Place
    turn: str
    at: int
    words: frozenset[str]


class Revision(NamedTuple):
    """A statement that revises: `how` is `AMENDS` or `DROPS`; `words` are those of all that its source decides."""

    fact: str
    place: Place
    turn: str
    at: int
    words: frozenset[str]
    how: str
    now: frozenset[str]  # the words without those of what it says it replaces


class Match(NamedTuple):
    """A revision with the rule that it ends."""

    revision: Revision
    rule: Rule


class Revisions:
    """Rules and revisions of all places, and which revise which."""

    def __init__(self) -> None:
        self._rules: dict[str, Rule] = {}
        self._revisions: dict[str, Revision] = {}
        self._of_place: dict[Place, tuple[list[Rule], list[Revision]]] = {}
        self._rules_with: dict[tuple[str, str], set[str]] = defaultdict(set)  # project and word -> facts
        self._revisions_with: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._found: dict[str, list[Match]] = {}
        self._stale: set[str] = set()  # revisions to match again

    def put(self, place: Place, entries: Iterable[Entry], without: Collection[str]) -> None:
        """Replace what a place states; facts `without` are gone."""
        project = place[0]
        old_rules, old_revisions = self._of_place.get(place, ([], []))
        for rule in old_rules:
            self._rules.pop(rule.fact, None)
            _drop(self._rules_with, project, rule)
        for revision in old_revisions:
            self._revisions.pop(revision.fact, None)
            self._found.pop(revision.fact, None)
            _drop(self._revisions_with, project, revision)
        rules, revisions = _read(place, entries, without)
        self._of_place[place] = rules, revisions
        for rule in rules:
            self._rules[rule.fact] = rule
            _add(self._rules_with, project, rule)
        for revision in revisions:
            self._revisions[revision.fact] = revision
            _add(self._revisions_with, project, revision)
        self._stale |= {revision.fact for revision in revisions}
        for rule in set(old_rules) ^ set(rules):
            self._stale |= {fact for fact, count in self._sharing(self._revisions_with, rule) if count > 1}

    def matches(self) -> Iterator[Match]:
        """Yield every revision with each rule that it ends."""
        for fact in self._stale:
            if fact in self._revisions:
                self._found[fact] = self._match(self._revisions[fact])
        self._stale = set()
        for fact in sorted(self._found):
            yield from self._found[fact]

    def _match(self, revision: Revision) -> list[Match]:
        strengths = {
            rule: strength
            for fact, count in self._sharing(self._rules_with, revision)
            if count > 1 and (rule := self._rules[fact]) and (strength := match_strength(revision, rule))
        }
        best = max(strengths.values(), default=0.0)
        chosen = sorted((rule for rule, strength in strengths.items() if strength >= _NEXT * best), key=_order)
        return [Match(revision, rule) for rule in chosen[:_MOST]]

    def _sharing(self, index: dict[tuple[str, str], set[str]], one: Rule | Revision) -> Iterable[tuple[str, int]]:
        found: Counter[str] = Counter()
        for word in one.words:
            found.update(index.get((one.place[0], word), ()))
        return found.items()


def match_strength(revision: Revision, rule: Rule) -> float:
    """Return how strongly a revision speaks of an earlier rule, in [0, 1]; 0 if it does not end it."""
    if rule.at >= revision.at or rule.turn == revision.turn or not rule.words or not revision.words:
        return 0.0
    shared = len(rule.words & revision.words)
    share = shared / len(rule.words)
    if revision.how == DROPS:
        of_topic = shared / len(revision.words)
        fits = shared >= _FEWEST_DROPPED and share >= _SHARE_DROPPED and of_topic >= _OF_TOPIC
        return (share + of_topic) / 2 if fits else 0.0
    fits = shared >= _FEWEST and share >= _SHARE and bool(rule.words - revision.now)
    return share if fits else 0.0


@lru_cache(maxsize=8_192)
def subject_words(text: str) -> frozenset[str]:
    """Return stems of the words that tell what a statement is about, without talk about rules and their change."""
    words = (word.lower() for word in _WORD.findall(_CAMEL.sub(" ", _DATED.sub("", text))))
    return frozenset(
        _stem(word)
        for word in words
        if (len(word) > 1 or word.isdigit()) and word not in stopwords() and not is_revision_talk(word)
    )


def _stem(word: str) -> str:
    if word[0] >= "가":
        return _KOREAN_VERB.sub("", without_particle(word))
    plain = _ENDING.sub("", word)
    plain = plain if len(plain) >= 3 else word
    return plain.rstrip("ey") if len(plain) > 3 else plain


def _read(place: Place, entries: Iterable[Entry], without: Collection[str]) -> tuple[list[Rule], list[Revision]]:
    rules, revisions = [], []
    for entry in entries:
        body = entry.body
        stated = [(fact["id"], fact["content"], fact.get("revises", ""), fact["kind"]) for fact in body["facts"]]
        if body.get("explicit") and "content" in body:
            stated.append((body["explicit"], body["content"], body.get("revises", ""), "rule"))
        decided = frozenset[str]().union(*(subject_words(text) for _, text, _, kind in stated if kind in BINDING))
        for fact, text, revises, kind in stated:
            if fact in without or kind not in BINDING:
                continue
            words = subject_words(text)
            rules.append(Rule(fact, place, body["source"], entry.at, words))
            if revises:
                now = subject_words(_FORMER.sub(" ", text))
                words, now = (words, now) if revises == DROPS else (words | decided, now | (decided - words))
                revisions.append(Revision(fact, place, body["source"], entry.at, words, revises, now))
    return rules, revisions


def _order(rule: Rule) -> tuple[int, str]:
    return -rule.at, rule.fact


def _add(index: dict[tuple[str, str], set[str]], project: str, one: Rule | Revision) -> None:
    for word in one.words:
        index[project, word].add(one.fact)


def _drop(index: dict[tuple[str, str], set[str]], project: str, one: Rule | Revision) -> None:
    for word in one.words:
        index[project, word].discard(one.fact)
