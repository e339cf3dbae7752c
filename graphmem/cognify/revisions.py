"""Later statements that revise an earlier decision in other words: "Amended rule: …", "the rule about … is dropped". A revision
and the rule that it revises are matched by the words of their subject; claims of one attribute are compared in `supersede`.
Each match is a pure function of both texts, so that replay and increment end alike."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from graphmem.cognify.groups import Place
from graphmem.cognify.judging import BINDING
from graphmem.cognify.packed_entries import Entry
from graphmem.makeway import make_way
from graphmem.patterns import compile_later
from graphmem.text.denials import Denial, denial_of, rejected_of, without_rejected
from graphmem.text.frames import read_statement
from graphmem.text.qualifiers import tell_of_siblings, without_places
from graphmem.text.replacements import read_replacing, replacement_strength
from graphmem.text.restating import REPLACES as TAKES_PLACE
from graphmem.text.restating import restatement_strength
from graphmem.text.revising import DROPS, ENDS, REPLACES, REVERSES
from graphmem.text.topics import GENERIC, subject_words

_FORMER = compile_later(
    r"\b(?:instead of|rather than|in place of|superseding|replacing|no longer)\b[^,;.]*|\S+ (?:대신|말고)", re.I
)
_FEWEST = 3  # shared words of an amended rule
_SHARE = 0.45  # of the words of a rule that its amendment must share
_FEWEST_DROPPED = 2  # shared words of a dropped rule
_SHARE_DROPPED = 0.3  # of the words of a rule that the statement which drops it must share
_OF_TOPIC = 0.6  # of the words of that statement that must be words of the rule
_NEXT = 0.8  # share of the best match's strength from which on others are revised, too
_CANDIDATES = 400  # rules that share most words, of which one is compared with a revision
_MOST = 8  # rules that one revision ends
_COMMON = 500  # rules with a word, from which on it does not lead from a plain statement to what that restates
RESTATES = "restates"  # how a plain statement of a person revises an earlier one that differs from it in one value


_OF_REJECTED = 0.5  # of the words of what is rejected that the rule must have
_SHARE_REVERSED = 0.4  # of the words of a rule that a turn of mind must share if it does not say what it rejects
_STATING = frozenset({"property", "cause"})  # kinds that bind nobody, but that may end
# Verbs of which one is denied by the denial of another.
_SUPPORTING = frozenset("support accept handl read allow offer provid ship maintain import export 지원 제공".split())
_LISTED = compile_later(r",|\b(?:and|or)\b|(?<=[가-힣A-Za-z])(?:와|과|및) ", re.I)


class Rule(NamedTuple):
    """A statement that may be revised: `at` is when it was said (microseconds), `turn` the source, `words` its stems; `now` are
    those without what it says it replaces. `is_binding`: a decision, rule or preference."""

    fact: str
    place: Place
    turn: str
    at: int
    words: frozenset[str]
    now: frozenset[str] = frozenset()
    is_binding: bool = True
    is_list: bool = False
    is_denial: bool = False
    text: str = ""


class Revision(NamedTuple):
    """A statement that revises: `how` is `AMENDS`, `DROPS`, `REVERSES`, `ENDS`, `REPLACES` or `RESTATES`; `words` are those of
    all that its source decides, `rejected` those of what it gives up; `denial` is what it says no longer holds."""

    fact: str
    place: Place
    turn: str
    at: int
    words: frozenset[str]
    how: str
    now: frozenset[str]  # the words without those of what it says it replaces
    rejected: frozenset[str] = frozenset()
    denial: Denial | None = None
    text: str = ""


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
            self._stale |= {
                fact
                for fact, count in self._sharing(self._revisions_with, rule).items()
                if rule.at < self._revisions[fact].at and count >= self._fewest(fact)
            }

    def matches(self) -> Iterator[Match]:
        """Yield every revision with each rule that it ends."""
        for fact in self._stale:
            make_way()
            if fact in self._revisions:
                self._found[fact] = self._match(self._revisions[fact])
        self._stale = set()
        for fact in sorted(self._found):
            yield from self._found[fact]

    def _fewest(self, revision: str) -> int:
        """Return how many words a revision must share with a rule to be compared with it."""
        return 1 if read_replacing(self._revisions[revision].text) else 2

    def _match(self, revision: Revision) -> list[Match]:
        fewest = self._fewest(revision.fact)
        strengths = {
            rule: strength
            for fact, count in self._sharing(self._rules_with, revision).most_common(_CANDIDATES)
            if count >= fewest and (rule := self._rules[fact]) and (strength := match_strength(revision, rule))
        }
        best = max(strengths.values(), default=0.0)
        chosen = sorted((rule for rule, strength in strengths.items() if strength >= _NEXT * best), key=_order)
        return [Match(revision, rule) for rule in chosen[:_MOST]]

    def _sharing(self, index: dict[tuple[str, str], set[str]], one: Rule | Revision) -> Counter[str]:
        found: Counter[str] = Counter()
        most = _COMMON if isinstance(one, Revision) and one.how == RESTATES else None
        for word in one.words:
            facts = index.get((one.place[0], word), ())
            if most is None or len(facts) <= most:
                found.update(facts)
        return found


def match_strength(revision: Revision, rule: Rule) -> float:
    """Return how strongly a revision speaks of an earlier rule, in [0, 1]; 0 if it does not end it."""
    if rule.at >= revision.at or rule.turn == revision.turn or not rule.words or not revision.words:
        return 0.0
    if tell_of_siblings(revision.text, rule.text):
        return 0.0
    found = 0.0 if revision.how == RESTATES else _revision_strength(revision, rule)
    return found or _replacement_strength(revision, rule) or _restatement_strength(revision, rule)


def _restatement_strength(revision: Revision, rule: Rule) -> float:
    pairs = (revision.text, rule.text), without_places(revision.text, rule.text)
    strength = max(restatement_strength(*pair) for pair in pairs if pair)
    return strength if strength >= TAKES_PLACE else 0.0


def _replacement_strength(revision: Revision, rule: Rule) -> float:
    replacing = read_replacing(revision.text)
    return replacement_strength(replacing, revision.text, rule.text) if replacing else 0.0


def _revision_strength(revision: Revision, rule: Rule) -> float:
    if revision.how == REPLACES:
        return 0.0
    if revision.how == REVERSES:
        return _reversal_strength(revision, rule)
    if revision.how == ENDS:
        return _denial_strength(revision.denial, rule) if revision.denial else 0.0
    if not rule.is_binding:
        return 0.0
    shared = len(rule.words & revision.words)
    share = shared / len(rule.words)
    if revision.how == DROPS:
        of_topic = shared / len(revision.words)
        fits = shared >= _FEWEST_DROPPED and share >= _SHARE_DROPPED and of_topic >= _OF_TOPIC
        return (share + of_topic) / 2 if fits else 0.0
    fits = shared >= _FEWEST and share >= _SHARE and bool(rule.words - revision.now)
    return share if fits else 0.0


def _reversal_strength(revision: Revision, rule: Rule) -> float:
    """A reversal ends what states the thing that it rejects, about the same subject; without such a thing, what is about
    the same subject and says something else."""
    topic, about = revision.words - revision.rejected - GENERIC, rule.words - GENERIC
    if revision.rejected:
        hit = len(revision.rejected & rule.now)
        shared = len(topic & about)
        stated = hit >= _OF_REJECTED * len(revision.rejected) and hit > 0
        fits = stated and (shared > 0 or (hit > 1 and hit >= _SHARE_REVERSED * len(about)))
        return min(1.0, (hit + shared) / max(1, len(about))) if fits else 0.0
    shared = len(topic & about)
    fits = shared >= _FEWEST_DROPPED and shared >= _SHARE_REVERSED * len(about)
    return shared / len(about) if fits and about - revision.now and revision.now - about else 0.0


def _denial_strength(denial: Denial, rule: Rule) -> float:
    """A denial ends what states the same of the same thing: subject, verb, thing and most of its circumstances are in it."""
    verb, target = subject_words(denial.verb), subject_words(denial.target)
    subject, rest = subject_words(denial.subject), subject_words(denial.rest)
    if rule.is_denial or not target or not subject <= rule.words:
        return 0.0
    does = verb <= rule.words or bool(verb & _SUPPORTING and rule.words & _SUPPORTING)
    of_target = len(target & rule.words) / len(target)
    if not does or of_target < (1.0 if len(target) < _FEWEST else _NEXT) or 2 * len(rest & rule.words) < len(rest):
        return 0.0
    told = len((verb | target | subject | rest) & rule.words)
    share = told / len(rule.words)
    return share if not rule.is_list or share >= _NEXT else 0.0


def _read(place: Place, entries: Iterable[Entry], without: Collection[str]) -> tuple[list[Rule], list[Revision]]:
    rules, revisions = [], []
    for entry in entries:
        body = entry.body
        stated = [(fact["id"], fact["content"], fact.get("revises", ""), fact["kind"]) for fact in body["facts"]]
        if body.get("explicit") and "content" in body:
            stated.append((body["explicit"], body["content"], body.get("revises", ""), "rule"))
        decided = frozenset[str]().union(*(subject_words(text) for _, text, _, kind in stated if kind in BINDING))
        by_person = any(fact.get("speaker") == "user" for fact in body["facts"])
        kinds = BINDING | _STATING | {"change"} if by_person else BINDING | _STATING
        for fact, text, revises, kind in stated:
            if fact in without or kind not in kinds:
                continue
            rules.append(_rule(fact, place, entry, text, is_binding=kind in BINDING))
            if revises and (kind in BINDING or revises in (ENDS, REVERSES, REPLACES)):
                revisions.append(_revision(fact, place, entry, text, revises, decided))
            elif (by_person or body.get("explicit")) and read_statement(text):
                revisions.append(_revision(fact, place, entry, text, RESTATES, decided))
    return rules, revisions


def _rule(fact: str, place: Place, entry: Entry, text: str, *, is_binding: bool) -> Rule:
    words = subject_words(text)
    now = subject_words(without_rejected(text))
    lists, denies = bool(_LISTED.search(text)), denial_of(text) is not None
    return Rule(fact, place, entry.body["source"], entry.at, words, now, is_binding, lists, denies, text)


def _revision(fact: str, place: Place, entry: Entry, text: str, revises: str, decided: frozenset[str]) -> Revision:
    words = subject_words(text)
    if revises in (REVERSES, ENDS):
        now, rejected = subject_words(without_rejected(text)), subject_words(rejected_of(text))
        return Revision(
            fact, place, entry.body["source"], entry.at, words, revises, now, rejected, denial_of(text), text
        )
    if revises in (REPLACES, RESTATES):
        return Revision(fact, place, entry.body["source"], entry.at, words, revises, words, text=text)
    now = subject_words(_FORMER.sub(" ", text))
    words, now = (words, now) if revises == DROPS else (words | decided, now | (decided - words))
    return Revision(fact, place, entry.body["source"], entry.at, words, revises, now, text=text)


def _order(rule: Rule) -> tuple[int, str]:
    return -rule.at, rule.fact


def _add(index: dict[tuple[str, str], set[str]], project: str, one: Rule | Revision) -> None:
    for word in one.words:
        index[project, word].add(one.fact)


def _drop(index: dict[tuple[str, str], set[str]], project: str, one: Rule | Revision) -> None:
    for word in one.words:
        index[project, word].discard(one.fact)
