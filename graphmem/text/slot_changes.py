"""Compares what two sentences say of one thing (`text/slots.py`): the later one takes the place of the earlier, contradicts it, or
both hold. A different subject, environment, unit or condition is no contradiction. Pure functions of both texts, so that a replay
ends alike."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from graphmem.patterns import compile_later
from graphmem.text.slot_values import Value
from graphmem.text.slot_words import ENVIRONMENTS, LIGHT, has_hangul, stems_of
from graphmem.text.slots import Slot, read_slots

_COVERED = 0.6  # of the words of the earlier topic that a change must name
_MOST_PLAIN = 6  # words of the topic of two statements that tell of no change
_ALIKE = 0.5  # of the words of the change that the earlier topic must have
_OTHER_SLOT = 0.7  # how well topics must fit if the words stand in different places: "is X", "uses Y"
_SINGLE = frozenset(
    "is are use uses using run runs with by through via to from target who on in at into go 로 이다 trying try prefer prefers"
    " follow follows wants drop as under".split()
)
_STRICT = frozenset(("is", "by", "through", "via", "who", "이다", "로"))  # one value at a time, unless another joins
_SPELT = frozenset(("identifier", "variable", "file"))
_SITED = _SPELT | {"address", "path"}  # of these a text names many, and only some are where a thing is
_LOOSE = _SITED | {"number"}  # said in passing, they may count or name anything: "part 1 says 3"
_STATING = frozenset(("is", "are", "at", "equals"))
_PLACES = frozenset(("in", "at", "on", "under", "into", "to", "from"))
_MEANS = frozenset(
    "use uses using run runs with by through via follow follows prefer prefers trying try wants go 로".split()
)
_ANY_SLOT = frozenset(
    ("is", "are", "to", "target", "이다")
)  # "the queue is X", "the queue uses Y", "moved the queue to Z"
_LIFECYCLE = frozenset(
    "freez frozen embargo beta trial audit contract lock ban rul experiment 프리즈 동결 제한 금지 규칙".split()
)
_COUNT = re.compile(r"\d+(?:\.\d+)?")
_DESCRIBES = compile_later(r"(?:(?<!warn)ing|ed|ly|able|ful|ive|ous|ible)\b", re.I)
# Of the work at hand rather than of what is so.
_WORK = stems_of(
    "test tests task tasks file files check code step error project change list plan doc docs documentation"
    " section item items issue"
    " work example function method class approach next first following way thing end place top bottom line script update feature"
    " component page data result output message response content text question answer problem case todo"
)
# Verbs that relate a thing to its value, and qualify nothing.
_RELATING = stems_of(
    "own lead review hand handed pass passed transfer transferred give gave written wrote publish published"
    " pull pulls send sends sent deploy deployed store stored build built call called name named host hosted route routed"
)


class Change(NamedTuple):
    """How a later sentence stands to an earlier one: `strength` in (0, 1]; `replaces` is false if both stand against each other."""

    strength: float
    replaces: bool


@lru_cache(maxsize=16_384)
def compare_sentences(new: str, old: str, *, words: bool = True, casual: bool = False) -> Change | None:
    """Return how the sentence `new` changes what `old` said; None if both can hold. Without `words`, only typed values, names
    that are given up, and ends count: an agent's report is full of words that stand where a choice would. `casual` talk changes
    something only if it says so, and of words only names: "art is so cool", "art can be a mood-booster" both hold."""
    ours, theirs = read_slots(new), read_slots(old)
    if casual:
        ours = tuple(slot._replace(is_changed=slot.shifts) for slot in ours)
    best: Change | None = None
    whole = frozenset[str]().union(*(slot.topic for slot in ours))
    for slot in ours:
        if slot.former:
            slot = slot._replace(topic=slot.topic | whole)
        for before in theirs:
            found = _compare(slot, before, words=words, casual=casual) or _compare(
                _with_topic(slot, ours), before, words=words, casual=casual
            )
            if found and (best is None or found.strength > best.strength):
                best = found
    return best


def is_bare(sentence: str) -> bool:
    """Return whether a sentence only corrects a value, and says nothing of what it is about: "ah wait no, 50061"."""
    slots = read_slots(sentence)
    return bool(slots) and any(_is_bare(slot) for slot in slots)


@lru_cache(maxsize=4_096)
def corrects_last(new: str, old: str) -> bool:
    """Return whether a bare correction fits a statement made just before it: both give a value of one kind."""
    return any(
        _pairs_of(slot.values, before.values)
        or _spelt_alike(slot.values, before.values)
        or _fills_slot(slot.values, before.values)
        for slot in read_slots(new)
        if _is_bare(slot)
        for before in read_slots(old)
    )


def _is_bare(slot: Slot) -> bool:
    told = slot.topic - frozenset[str]().union(
        *(value.stems for value in slot.values if value.anchor in _SINGLE or not value.is_name)
    )
    return bool(slot.values) and not told and (slot.corrects or "make" in slot.words) and not slot.source


def _spelt_alike(ours: Iterable[Value], theirs: Iterable[Value]) -> bool:
    return any(
        one.is_name and other.is_name and one.text != other.text and one.text[:3] == other.text[:3]
        and abs(len(one.text) - len(other.text)) <= 3
        for one in ours for other in theirs
    )  # fmt: skip


def _fills_slot(ours: Iterable[Value], theirs: Iterable[Value]) -> bool:
    """Return whether both name something: "the level is READ COMMITTED", "no, we run with REPEATABLE READ"."""
    told, before = (
        {value.text for value in values if value.is_written_as_name and value.is_name and value.anchor in _SINGLE}
        for values in (ours, theirs)
    )
    return bool(told and before) and told.isdisjoint(before)


def _with_topic(slot: Slot, slots: tuple[Slot, ...]) -> Slot:
    """Return a clause that says only "it" with the topic of the one before: "security wants 5 min for tokens, so it's 5 now"."""
    if slot.topic or not slots or slot is slots[0]:
        return slot
    return slot._replace(topic=slots[0].topic, order=slots[0].order, where=slot.where | slots[0].where)


def _compare(new: Slot, old: Slot, *, words: bool, casual: bool) -> Change | None:
    if new.where and old.where and new.where != old.where and not (new.where & old.where):
        return None
    if new.ended or (new.denies and not new.former and not new.corrects) or old.ended:  # its values are what is not so
        found = _given_up(new, old) or _ended(new, old) or _restored(new, old)
    elif not words and not new.shifts:  # an agent reports, and does not say that something was changed
        found = _same_kind(new, old, sited=False) or _ended(new, old)
    else:
        found = _same_kind(new, old) or _given_up(new, old) or _ended(new, old) or _restored(new, old)
        found = found or (_other_word(new, old, casual=casual) if words else 0.0)
    if not found:
        return None
    return Change(found, not (new.source or (old.source and not new.is_changed)))


def _same_kind(new: Slot, old: Slot, *, sited: bool = True) -> float:
    """Both give a value of one kind, and another one, of one topic."""
    moves = new.is_changed or new.corrects
    pairs = [
        pair
        for pair in _pairs_of(new.values, old.values)
        if (moves and sited) or not {one.kind for one in pair} & _LOOSE or all(map(_is_stated, pair))
    ]
    if not pairs:
        return 0.0
    worn = _exact_stems(new) | _exact_stems(old)
    if versions := [
        one for one, _ in pairs if one.kind.startswith("version of ")
    ]:  # "Django 4.2", "Django 5.1": of Django
        of = stems_of(versions[0].kind.removeprefix("version of "))
        new, old, worn = new._replace(topic=new.topic | of), old._replace(topic=old.topic | of), worn - of
    return _topics_fit(new, old, worn, plain=True)


def _is_stated(value: Value) -> bool:
    return value.anchor in _STATING or (value.kind == "number" and has_hangul(value.anchor))  # its copula follows it


def _exact_stems(slot: Slot) -> frozenset[str]:
    return frozenset[str]().union(*(value.stems for value in slot.values if value.is_exact))


def _pairs_of(ours: Iterable[Value], theirs: Iterable[Value]) -> list[tuple[Value, Value]]:
    ours, theirs = list(ours), list(theirs)
    told = [one for one in ours if not any(_is_same(one, other) for other in theirs)]
    before = [other for other in theirs if not any(_is_same(one, other) for one in ours)]
    return [
        (one, other)
        for one in told
        for other in before
        if (one.is_exact or one.kind in _SPELT) and (other.is_exact or other.kind in _SPELT) and _is_comparable(one, other)
    ]  # fmt: skip


def _is_same(one: Value, other: Value) -> bool:
    """Return whether both are one value, of which one may lack the unit: "the TTL is now 120 seconds", "set the TTL to 120"."""
    if one.text == other.text:
        return True
    bare, full = (one, other) if one.kind == "number" else (other, one)
    count = _COUNT.match(full.raw)
    return bare.kind == "number" and count is not None and count[0] == bare.text


def _is_comparable(one: Value, other: Value) -> bool:
    if one.kind == other.kind:
        return True
    kinds = {one.kind, other.kind}
    return kinds in ({"address", "path"}, {"file", "path"}, {"frequency", "duration"}, {"date", "frequency"}) or (
        "number" in kinds and any(kind.startswith(("number of ", "version of ", "duration", "size")) for kind in kinds)
    )


def _topics_fit(new: Slot, old: Slot, worn: frozenset[str], *, plain: bool) -> float:
    """Return which share of the earlier topic the new sentence names, 0 if it is about something else."""
    ours, theirs = new.topic - worn - LIGHT, old.topic - worn - LIGHT
    shared = ours & theirs
    if not ours and not theirs:  # "downgraded ci to the free plan", "upgraded ci to Pro"
        return 0.7 if new.where and new.where == old.where and (new.is_changed or new.corrects) else 0.0
    if not shared or _contrasts(new, old, shared, worn):
        return 0.0
    extra, missing = ours - shared - _RELATING, theirs - shared - _RELATING
    moves = new.is_changed or new.corrects
    if not moves:
        same = not extra and not missing
        if len(ours | theirs) > _MOST_PLAIN:
            return 0.0
        return (
            0.9
            if plain and (same or (len(shared) >= 2 and not (extra and missing) and len(extra | missing) == 1))
            else 0.0
        )
    covered, alike = len(shared) / len(theirs), len(shared) / len(ours)
    if extra and missing and (len(shared) < 2 or covered < _COVERED):
        return 0.0
    if covered < _COVERED and alike < 1.0:
        return 0.0
    return covered * 0.6 + 0.4 * alike if alike >= _ALIKE or covered == 1.0 else 0.0


def _contrasts(new: Slot, old: Slot, shared: frozenset[str], worn: frozenset[str]) -> bool:
    """Return whether one shared word is qualified differently: "login timeout", "logout timeout"."""
    ours, theirs = _qualifiers(new, shared, worn), _qualifiers(old, shared, worn)
    return any(
        ours[word] and theirs[word] and ours[word].isdisjoint(theirs[word]) for word in ours.keys() & theirs.keys()
    )


def _qualifiers(slot: Slot, shared: frozenset[str], worn: frozenset[str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    before = ""
    for stem in slot.order:
        if stem in worn or stem in ENVIRONMENTS:
            before = ""
            continue
        if stem in shared and before and before not in shared | _RELATING:
            found.setdefault(stem, set()).add(before)
        before = stem
    return {word: frozenset(words) for word, words in found.items()}


def _given_up(new: Slot, old: Slot) -> float:
    """The later clause gives up a name that the earlier one gives its topic."""
    if old.denies or not new.former:
        return 0.0
    names = frozenset[str]().union(*(value.stems for value in old.values))
    chosen = frozenset[str]().union(*(value.stems for value in new.values))
    for gone in new.former:
        if not gone <= old.words:
            continue
        ours, theirs = new.topic - gone - chosen - LIGHT, old.topic - gone - LIGHT
        shared = ours & theirs
        is_value = gone & names or old.order[:1] not in [(stem,) for stem in gone]
        if shared and is_value and not _contrasts(new, old, shared, gone | chosen):
            return 0.6 + 0.4 * len(shared) / max(1, len(theirs))
        if not ours and gone & names and len(theirs) <= 4:
            return 0.6
    return 0.0


def _ended(new: Slot, old: Slot) -> float:
    """The later clause says that a thing, rule or state is no more."""
    if not new.ended or old.ended or not old.words:
        return 0.0
    ours, theirs = ({(value.kind, value.text) for value in slot.values if value.is_exact} for slot in (new, old))
    if ours and theirs and ours.isdisjoint(theirs) and {kind for kind, _ in ours} & {kind for kind, _ in theirs}:
        return 0.0  # "we no longer support Python 3.8" leaves 3.12
    ended = frozenset(new.ended)
    shared = ended & old.words
    if len(shared) >= 2 and len(shared) >= _COVERED * len(ended) and new.ended[0] in shared:
        return len(shared) / len(ended)
    return 0.6 if shared == ended and shared & _LIFECYCLE else 0.0


def _other_word(new: Slot, old: Slot, *, casual: bool) -> float:
    """Both say in the same place of a clause what their topic is, uses or goes to, and say something else."""
    best = 0.0
    for one in new.values:
        for other in old.values:
            if not (_is_named(one) and _is_named(other) and _is_choice(one) and _is_choice(other)):
                continue
            if casual and not (one.is_written_as_name and other.is_written_as_name and (new.shifts or new.corrects)):
                continue
            if not one.stems & other.stems and not one.stems & old.words:
                best = max(best, _slot_strength(new, one, old, other))
    return best


def _is_named(value: Value) -> bool:
    return value.is_name or value.kind == "address"  # "published to Docker Hub", "to ghcr.io"


def _is_choice(value: Value) -> bool:
    """Return whether a word may be what somebody chose: no participle, no adjective of the work, no description."""
    return value.is_written_as_name or (
        len(value.stems) <= 2 and not _DESCRIBES.search(value.raw) and not value.stems & _WORK
    )


def _slot_strength(new: Slot, one: Value, old: Slot, other: Value) -> float:
    persons = one.kind == "person", other.kind == "person"
    moves = new.is_changed or new.corrects
    anchors = one.anchor in _SINGLE and other.anchor in _SINGLE
    if any(persons) and not (all(persons) or "이다" in (one.anchor, other.anchor)):
        return 0.0
    least = 0.0
    if not all(persons):
        same = one.anchor == other.anchor or {one.anchor, other.anchor} <= _PLACES
        if not anchors or not (same or (moves and _tell_one_attribute(one.anchor, other.anchor))):
            return 0.0
        least = 0.0 if same else _OTHER_SLOT
    worn = one.stems | other.stems | _exact_stems(new) | _exact_stems(old)
    if not (one.is_written_as_name and other.is_written_as_name):
        told = (new.topic - worn - LIGHT) & (old.topic - worn - LIGHT)
        if not moves or (told and not told - _WORK and len(told) < 2 and not new.former):
            return 0.0
    fit = _topics_fit(new, old, worn, plain=other.anchor in _STRICT or all(persons))
    return fit * 0.9 if fit >= least else 0.0


def _tell_one_attribute(anchor: str, other: str) -> bool:
    """Return whether two words may lead to one attribute: "released from stable" and "released with npm" tell of two."""
    pair = {anchor, other}
    return bool(pair & _ANY_SLOT) or pair <= _MEANS


def _restored(new: Slot, old: Slot) -> float:
    """The later clause brings back what the earlier one dropped."""
    if not (new.restores and old.former):
        return 0.0
    return max(
        (0.8 for gone in old.former if gone <= new.words and (new.topic & old.topic) - gone - LIGHT), default=0.0
    )
