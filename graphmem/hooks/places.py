"""Returns decisions about places (files and symbols) before they are changed, or when a prompt names them or leads to
them. Items of a place are looked up, not searched for; the most conclusive statements are returned. `recall` fences and
counts them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graphmem.hooks.topics import same_topic
from graphmem.ports.text import ItemFilter, Stored, idf
from graphmem.retrieve.citations import CitationChecker
from graphmem.retrieve.ports import Index, Ports
from graphmem.retrieve.present import to_datetime
from graphmem.text.deciding import (
    MIN_STATEMENT_WEIGHT,
    SpokenTurn,
    choose_statements,
    extract_statements,
    mentions_amendment,
    weigh_statements,
)
from graphmem.text.passages import approximate_tokens
from graphmem.text.placenames import is_file_key
from graphmem.text.questions import is_request_for_answer
from graphmem.text.recall import written_by_host
from graphmem.text.settling import score_conclusiveness
from graphmem.tree.words import stem_for_topics, stems, topic_words
from graphmem.trust.origin import TRUSTED, is_vouched
from graphmem.trust.requests import requests_action
from graphmem.trust.urging import urges_command, without_advice, without_executed_commands

KINDS = ("turn", "commit", "fact", "gotcha", "pattern")
_WITH_WORDS = 80  # items found by words
_NEWEST = 60  # items per place
_CANDIDATES = 6  # conversations and commits that are read
_WINDOW = 48  # items before and after in a conversation that are read
_WORDS = 60  # words of a prompt
_BY_WORDS = 0.3  # share of the information in a prompt that a conversation must have if no place is named
_BY_WORDS_LEAST, _STANDS_OUT = 0.2, 1.35  # the same, relative to chance
_LEAST_SHARED, _TOGETHER = (
    5,
    3,
)  # shared words in total and in one turn, for the same; one fewer if a word may name the place
_CLOSE = 0.75  # share of the best score that other groups need
_MORE = 1.3  # factor over the average share of words about the place that other groups need
_MOST = 3  # conversations and commits in one answer
_SURE = 0.6  # certainty of a place from which on it is decisive
_AMENDING, _CONCLUSION, _SAME = 60, 120, 0.4  # items, tokens, and the share of information in a later conversation
_FIRST = 0.62  # share of the budget for the best group
_JOINTS = re.compile(r"[_+#'’-]|(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+")
_EXPLAINS = 80  # characters of a commit body that contains a reason
_STATES = 20  # minimum conclusiveness of a commit or fact


@dataclass(slots=True)
class Group:
    """A conversation or single item, with the places by which it was found and how well it fits."""

    turns: list[Stored]
    places: dict[str, float] = field(default_factory=dict)
    coverage: float = 0.0
    shared: int = 0  # words shared with the query
    together: int = 0  # those of them in one turn
    worth: int = 0
    is_stated: bool = False  # it states something conclusive about the place
    newer: Stored | None = None  # the group that amends it
    origins: dict[str, str] = field(default_factory=dict)  # of its items, by id

    @property
    def at(self) -> int:
        return max(one.item.at for one in self.turns)

    @property
    def is_amended(self) -> bool:
        """Return whether a later conversation revised what this one decided: it only leads to that one."""
        return any(one.status == "amended" for one in self.turns)

    @property
    def is_conversation(self) -> bool:
        return self.turns[0].item.kind == "turn"

    @property
    def place(self) -> float:
        """Return how certainly it is about the place, in [0, 1]."""
        return max(self.places.values(), default=0.0)

    @property
    def score(self) -> float:
        several = 0.1 * min(1.0, sum(self.places.values()) - self.place) if self.places else 0.0
        return self.coverage + 0.5 * self.place + several + 0.0015 * min(self.worth, 100)


@dataclass(frozen=True, slots=True)
class Shown:
    """The returned lines, and the items in them."""

    lines: tuple[str, ...]
    items: tuple[Stored, ...]


def about_places(
    ports: Ports,
    keys: Mapping[str, float],
    words: str,
    where: ItemFilter,
    *,
    known: set[str],
    budget: int,
    repository: CitationChecker,
    search: bool = True,
) -> list[Shown]:
    """Return decisions about the places in `keys` (each with a certainty in [0, 1]) and, with `search`, about the topic
    of `words`. At most `budget` tokens, best first; an amendment comes before what it amends."""
    weights = _weights(ports.text, words, where)
    rows = _by_place(ports, keys)
    scores: dict[int, float] = defaultdict(float)
    for row, places in rows.items():
        scores[row] += 0.5 * max(places.values())
    if search and len(weights) >= _LEAST_SHARED - 1:  # fewer words never lead to a place
        for match in ports.text.search(dict.fromkeys(weights, 1.0), where, _WITH_WORDS):
            scores[match.row] += match.score + match.coverage
    groups = _without_withheld(ports, _groups(ports.text, scores, rows, where, known))
    for group in groups:
        _measure(group, weights)
    usual = _baseline_coverage(groups)
    fitting = [group for group in groups if _is_relevant(group, usual, by_words=search) and _settles(group)]
    fitting.sort(key=lambda group: (-group.score, -group.at))
    fitting = [group for group in fitting if _comparable(group, fitting[0])][:_MOST]
    first = [group for group in fitting if group.is_conversation][:1]
    amendments = [one for group in first for one in _amendments(ports.text, group, where, known)]
    later = _without_withheld(ports, amendments)
    here = {group.turns[0].item.session for group in fitting if group.is_conversation}
    fitting += [group for group in later if group.turns[0].item.session not in here]
    fitting = [group for group in fitting if not group.is_amended]
    return _packed(_put_amendments_first(fitting), budget, repository)


def _comparable(group: Group, best: Group) -> bool:
    """Return whether a group is worth returning next to the best one: as certain of its place, or nearly as relevant."""
    if best.place > _SURE and group.place <= _SURE:
        return group.coverage >= max(_BY_WORDS, _MORE * best.coverage)
    return group.score >= _CLOSE * best.score


def _amendments(text: Index, group: Group, where: ItemFilter, known: set[str]) -> list[Group]:
    """Return later conversations about the same topic that say they change this decision. They need not name the place."""
    said = " ".join(part for _, part in choose_statements(_said(group), _CONCLUSION))
    weights = _weights(text, said, where)
    if len(weights) < _LEAST_SHARED:
        return []
    found = text.search(dict.fromkeys(weights, 1.0), replace(where, kinds=("turn",), since=group.at + 1), _AMENDING)
    scores = {match.row: match.score + match.coverage for match in found}
    later = [one for one in _groups(text, scores, {}, where, known) if one.at > group.at and _announces_change(one)]
    for one in later:
        _measure(one, weights)
        one.places = dict(group.places)
    return [one for one in later if one.coverage >= _SAME and one.shared >= _LEAST_SHARED and _settles(one)][:1]


def _announces_change(group: Group) -> bool:
    return any(mentions_amendment(one.item.text) for one in group.turns)


def weigh_keys(ports: Ports, keys: Iterable[str], sure: float = 1.0) -> dict[str, float]:
    """Return place keys with weights: a name shared by many items has no weight."""
    wanted = list(dict.fromkeys(keys))
    counts = ports.places.counts(wanted) if ports.places is not None else {}
    return {
        key: sure if "/" in key else sure / (1 + max(0.0, math.log10(counts[key] / 8)))
        for key in wanted
        if key in counts
    }


def _by_place(ports: Ports, keys: Mapping[str, float]) -> dict[int, dict[str, float]]:
    found: dict[int, dict[str, float]] = defaultdict(dict)
    if ports.places is not None:
        for spoken in ports.places.naming(list(keys), _NEWEST):
            found[spoken.row][spoken.key] = keys[spoken.key]
    return found


def _weights(text: Index, words: str, where: ItemFilter) -> dict[str, float]:
    """Return the informative words of a prompt, with their information in nats."""
    asked = [word for word in topic_words(_split_compounds(words)) if _WORD.fullmatch(word)][:_WORDS]
    total, counts = text.frequencies(asked, where) if asked else (0, [])
    return {word: idf(total, count) for word, count in zip(asked, counts, strict=True)}


def _split_compounds(text: str) -> str:
    """Split compound names, as the index does."""
    return _JOINTS.sub(" ", text)


def _groups(
    text: Index, scores: Mapping[int, float], rows: Mapping[int, dict[str, float]], where: ItemFilter, known: set[str]
) -> list[Group]:
    """Group turns by conversation, and read the most promising groups."""
    mask = text.mask(where)
    found = {one.row: one for one in text.items([row for row in scores if row < len(mask) and mask[row]])}
    facts = {row for row, one in found.items() if row in rows and _is_derived(one)}
    found = _sources(text, found)
    gathered: dict[str, list[int]] = defaultdict(list)
    for row, one in found.items():
        gathered[one.item.session if one.item.kind == "turn" and one.item.session else one.item.id].append(row)
    ranked = sorted(gathered.values(), key=lambda them: -sum(sorted((scores[row] for row in them), reverse=True)[:4]))
    # Commits are single items; with conversations alone at the front, no commit would be read.
    groups = []
    for kind in (True, False):
        some = [them for them in ranked if (found[them[0]].item.kind == "turn") == kind][:_CANDIDATES]
        for them in some:
            group = _read(text, them, found, scores, rows)
            group.is_stated = not facts.isdisjoint(them) or _is_binding(group, {row for row in them if row in rows})
            groups.append(group)
    return [group for group in groups if group.turns and not known.intersection(one.item.id for one in group.turns)]


def _is_binding(group: Group, named: set[int]) -> bool:
    """Return whether a person states something conclusive in a turn that names the place."""
    said = (one.item for one in group.turns if one.row in named)
    return any(one.role == "user" and score_conclusiveness(one.text) >= MIN_STATEMENT_WEIGHT for one in said)


def _without_withheld(ports: Ports, groups: list[Group]) -> list[Group]:
    """Remove items with instructions for the agent that no person has allowed, items that ask for a dangerous command,
    and what was decided on a machine that the user did not vouch for."""
    if ports.guard is None or not groups:
        return groups
    items = [one.item for group in groups for one in group.turns]
    marks = ports.guard.marks(items)
    origins = {item.id: mark.origin for item, mark in zip(items, marks, strict=True)}
    for group in groups:
        group.origins = {one.item.id: origins[one.item.id] for one in group.turns}
    withheld = ports.guard.unapproved(items) | {
        item.id
        for item, mark in zip(items, marks, strict=True)
        if mark.withheld
        or mark.origin == "machine"
        or (mark.origin not in TRUSTED and urges_command(without_executed_commands(item.text, item.kind, item.role)))
    }
    return [group for group in groups if withheld.isdisjoint(one.item.id for one in group.turns)]


def _sources(text: Index, found: Mapping[int, Stored]) -> dict[int, Stored]:
    """Replace items derived from a turn by the turn itself, which has the whole statement. Items derived from other
    sources are found with those."""
    derived = {row: one for row, one in found.items() if one.item.event and _is_derived(one)}
    turns = {one.item.id: one for one in text.find(list({one.item.event for one in derived.values()}))}
    kept = {row: turns.get(derived[row].item.event) if row in derived else one for row, one in found.items()}
    return {row: one for row, one in kept.items() if one is not None}


def _is_derived(one: Stored) -> bool:
    return one.item.kind == "fact" and one.item.id != one.item.event and not one.item.ref


def _read(
    text: Index,
    them: list[int],
    found: Mapping[int, Stored],
    scores: Mapping[int, float],
    rows: Mapping[int, dict[str, float]],
) -> Group:
    best = found[max(them, key=lambda row: scores[row])]
    if best.item.kind == "turn":
        group = Group(_spoken(text.around(best.whole, _WINDOW), {found[row].whole for row in them}))
    else:
        group = Group(text.items([best.whole]))
    for row in them:
        group.places |= rows.get(row, {})
    return group


def _spoken(around: Sequence[Stored], named: set[int]) -> list[Stored]:
    """Return the turns of a group that belong to one conversation. In a work session, which changes topics, only turns
    that name the place (rows in `named`) and the adjacent turns of the person."""
    works = any(one.item.role == "tool" for one in around)
    amended = any(one.status == "amended" for one in around)  # the whole chat leads to what revised it
    said = [
        one
        for one in around
        if one.item.kind == "turn"
        and one.item.role not in ("tool", "system")
        and (one.status in ("active", "amended") or amended)
        and not written_by_host(one.item.text)
    ]
    if said:
        said = same_topic(said, named) or said
    if not works:
        return said
    near = {at + step for at, one in enumerate(said) if one.row in named for step in (-1, 0, 1)}
    return [one for at, one in enumerate(said) if at in near and (one.row in named or one.item.role == "user")]


def _measure(group: Group, weights: Mapping[str, float]) -> None:
    asked = {word: stem_for_topics(word) for word in weights}
    have = [
        set(stems(_split_compounds(f"{one.item.title}\n{one.item.text}"))).intersection(asked.values())
        for one in group.turns
    ]
    shared = [word for word, key in asked.items() if any(key in one for one in have)]
    group.shared, group.together = len(shared), max(map(len, have), default=0)
    group.coverage = sum(weights[word] for word in shared) / (sum(weights.values()) or 1.0)


def _settles(group: Group) -> bool:
    """Return whether a group decides something. This is the slowest check, so it comes last."""
    if group.is_conversation:
        group.worth = max(weigh_statements(_said(group)), default=0)
        return group.worth >= _least_weight(group)
    one = group.turns[0]
    reason = _reason(one)
    if one.item.kind != "commit" and is_request_for_answer(reason):
        return False
    explained = one.item.kind != "commit" or len(reason) > len(one.item.title) + _EXPLAINS
    group.worth = max(score_conclusiveness(reason), 30 * explained)
    return group.worth >= _STATES


def _least_weight(group: Group) -> int:
    return _STATES if group.is_stated else MIN_STATEMENT_WEIGHT


def _said(group: Group) -> list[SpokenTurn]:
    return [SpokenTurn(one.item.role, one.item.text) for one in group.turns]


def _baseline_coverage(groups: Sequence[Group]) -> float:
    """Return the coverage that conversations have by chance: the median of those found."""
    shares = sorted(group.coverage for group in groups if group.is_conversation)
    return shares[len(shares) // 2] if len(shares) > 2 else 0.0


def _is_relevant(group: Group, usual: float, *, by_words: bool) -> bool:
    """Return whether a group is relevant: about the place itself, or a conversation about the topic of a prompt."""
    if group.place > _SURE or not by_words:
        return group.place > _SURE
    stands_out = group.coverage > max(_BY_WORDS_LEAST, _STANDS_OUT * usual)
    covers = stands_out or group.coverage >= _BY_WORDS > usual
    return covers and group.together >= _TOGETHER and group.shared >= _LEAST_SHARED - (group.place > 0)


def _put_amendments_first(groups: list[Group]) -> list[Group]:
    """Put amendments before what they amend, and mark it."""
    for group in groups:
        newer = [
            other
            for other in groups
            if other.at > group.at and other.is_conversation == group.is_conversation and _changes(other, group)
        ]
        if newer:
            group.newer = max(newer, key=lambda one: one.at).turns[-1]
    return sorted(groups, key=lambda group: group.newer is not None)


def _changes(newer: Group, older: Group) -> bool:
    """Return whether a group says that it changes an earlier decision about the same topic."""
    if not _announces_change(newer):
        return False
    least = _SAME / 2 if set(newer.places).intersection(older.places) else _SAME
    ours, theirs = (set().union(*(stems(one.item.text) for one in group.turns)) for group in (newer, older))
    return len(ours & theirs) >= least * min(len(ours), len(theirs))


def _packed(groups: Sequence[Group], budget: int, repository: CitationChecker) -> list[Shown]:
    shown: list[Shown] = []
    for at, group in enumerate(groups):
        room = int(budget * (_FIRST if at == 0 and len(groups) > 1 and group.is_conversation else 1.0))
        if budget < 60:
            break
        one = _conversation(group, room, repository) if group.is_conversation else _single(group, room, repository)
        if one is not None:
            shown.append(one)
            budget -= sum(approximate_tokens(line) + 1 for line in one.lines)
    return shown


def _head(group: Group, what: str, repository: CitationChecker, text: str) -> str | None:
    """Return the heading line: citation, kind, date, and the state of the cited files. None if these no longer exist."""
    lead = group.turns[-1]
    check = repository.check(text, group.at)
    if check.is_gone:
        return None
    notes = ["imported chat"] if "import" in group.origins.values() else []
    notes += [check.note] if check.note else []
    if group.newer is not None:
        notes.append(f"superseded in part by [mem:{group.newer.cite}] of {to_datetime(group.newer.item.at):%Y-%m-%d}")
    places = [key for key, weight in group.places.items() if weight > _SURE and (is_file_key(key) or "." not in key)]
    about = f" about {places[0]}" if places and group.is_conversation else ""
    marks = f" ({'; '.join(notes)})" if notes else ""
    return f"[mem:{lead.cite}] {what} {to_datetime(lead.item.at):%Y-%m-%d}{about}{marks}:"


def _conversation(group: Group, budget: int, repository: CitationChecker) -> Shown | None:
    chosen = choose_statements(_said(group), budget - 24, _least_weight(group))
    chosen = [(at, text) for at, text in chosen if not _requests_action(group, group.turns[at], text)]
    head = _head(group, "conversation", repository, " ".join(text for _, text in chosen)) if chosen else None
    if head is None:
        return None
    lines = [f"- {group.turns[at].item.role}: {text}" for at, text in chosen]
    return Shown((head, *lines), tuple(group.turns[at] for at, _ in chosen))


def _single(group: Group, budget: int, repository: CitationChecker) -> Shown | None:
    one = group.turns[0]
    text = extract_statements(_reason(one), budget - 40)
    head = _head(group, one.item.kind, repository, f"{one.item.title} {text}") if text or one.item.title else None
    if head is None or _requests_action(group, one, f"{one.item.title}\n{text}"):
        return None
    title = one.item.title if one.item.title and not text.startswith(one.item.title[:40]) else ""
    return Shown((f"{head} {'. '.join(filter(None, (title, text)))}",), (one,))


def _requests_action(group: Group, one: Stored, text: str) -> bool:
    """Return whether somebody other than the person asks in it to run, install, send or reveal something."""
    return not is_vouched(group.origins.get(one.item.id, "person")) and requests_action(text)


def _reason(one: Stored) -> str:
    """Return the text of an item; for a commit its body without file names."""
    if one.item.kind == "gotcha":
        return without_advice(one.item.text)
    if one.item.kind != "commit":
        return one.item.text
    body, _, paths = one.item.text.rpartition("\n")
    if body:
        return f"{one.item.title}. {body}"
    return one.item.title if is_file_key(paths.split(" ")[0].lower()) else one.item.text
