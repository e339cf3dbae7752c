"""Compares two plain statements about one thing: "Passwords are hashed with bcrypt", and later "Passwords are hashed with
Argon2id; old hashes are upgraded at the next login". The later one takes the place of the earlier if the frames of both
(`text/frames.py`) are alike and one place differs. No list of topics and no model."""

from __future__ import annotations

import re
from functools import lru_cache

from graphmem.patterns import compile_later
from graphmem.text.frames import LIGHT, SKIPPED, Frame, Reading, read_statement
from graphmem.text.topics import stem_of
from graphmem.text.typed_values import TypedValue

REPLACES = 1.0  # the later one replaces the earlier
EQUALS = 0.4  # both may hold, and say one thing: the later one is read first
_I = re.IGNORECASE
_MOST_SLOT = 4  # words of a value
# What is about the moment or the speaker, and what goes wrong.
_PASSING = compile_later(
    r"\b(?:i|i'm|i've|me|my|you|your|it|it's|this|that|these|those|here|there|please|let's|can|error\w*|fail\w*|crash\w*"
    r"|bug\w*|broke\w*"
    r"|wrong\w*|issue\w*|problem\w*|warning\w*|exception\w*|line|missing|empty|stuck|hang\w*|slow\w*|not|n't|never|nothing"
    r"|yet|still"
    r"|see|seems?|looks?|shows?|appears?|instead|same|like|gets?|got|when|task|step|phase|pr|commit|branch|above|below|following"
    r"|implement\w*|fix\w*|add(?:ed)?|update[ds]?|create[ds]?|remove[ds]?)\b|\?|[{}<>=|]|```|오류|에러|실패|안 (?:되|돼|된)|않|못",
    _I,
)
_MOST_STATED = 140  # characters
_ENDING = compile_later(r"지 ?않고|\b(?:not (?=from|in|with|on|to|by|via|over)|instead of|removed?|got)\b", _I)
_GIVEN_NAME = compile_later(
    r"(?<=\w )[A-Z]\w+|\b[\w.]*\d\w*|[a-z]\w*[-_./]\w|^[A-Z]\w+ (?:is|was|left)|[가-힣]+(?:에게서|대신)|[A-Za-z]+(?=[가-힣])"
)
_ENVIRONMENTS = frozenset(
    map(
        stem_of,
        "staging production prod dev development test testing qa ci local locally beta alpha canary preview sandbox demo mode"
        " eu us europe asia america".split(),
    )
)
_SINGLE = frozenset("to from with by via over as through".split())  # a thing mostly has one value behind these
_ALSO_SINGLE = frozenset("in on at under behind".split())  # only with verbs of making and keeping
_SPACED = frozenset("within until till per every".split())  # what follows is a measure
_KEEPING = frozenset(
    map(
        stem_of,
        "store stored write written rewritten keep kept host hosted live lives save saved document documented configure configured"
        " define defined track tracked implement implemented manage managed edit edited held hold describe described record"
        " recorded archive archived deploy deployed filed put placed built build cache cached".split(),
    )
)
# With these, a second value joins the first: "supports JSON", "works with Redis".
_ADDING = frozenset(
    map(
        stem_of,
        "support supports work works available include includes need needs require requires depend depends contain contains allow"
        " accept accepts know knows speak test tested compatible integrate integrates translate translated use uses used own"
        " owns review reviewed reviews help helps open run runs import imports export exports call"
        " calls link linked belong known talk show enable enabled disable disabled".split(),
    )
)
_ROLES = frozenset(
    map(stem_of, "own owns maintain maintains lead leads manage manages handle handles run runs head".split())
)
_KOREAN_ROLES = frozenset({"맡", "담당", "관리", "이끄", "책임"})
_ROLES |= _KOREAN_ROLES
_STANDARD = frozenset(map(stem_of, "default primary main official preferred standard current minimum maximum".split()))
_GIVING = SKIPPED | frozenset(
    map(
        stem_of,
        "no longer anymore any more stop stopped stopping drop dropped dropping ditch ditched retire retired abandoned abandon gone"
        " history dead use used using off switch switched turn turned removed remove".split(),
    )
)
_EXTREMES = (
    frozenset(map(stem_of, ("maximum", "max", "최대"))),
    frozenset(map(stem_of, ("minimum", "min", "least", "최소"))),
)


def restatement_strength(new: str, old: str) -> float:
    """Return `REPLACES` if the sentence `new` takes the place of the earlier `old`, `EQUALS` if both speak of one thing and cannot
    be told apart for sure, 0 otherwise."""
    ours, theirs = read_statement(new), read_statement(old)
    if ours is None or theirs is None or not theirs.frames or ours.words.isdisjoint(theirs.words):
        return 0.0
    before = theirs.frames[0]
    best = max((_compare(frame, before, ours) for frame in ours.frames), default=0.0)
    return best if best == REPLACES else max(best, _gives_up(ours, before))


@lru_cache(maxsize=8_192)
def states_value(sentence: str) -> bool:
    """Return whether a plain statement gives a thing a value that may change one day: a time, a number with its unit, or a name
    behind a word such as "in", "to" or "with"; not what goes wrong, nor what the speaker does."""
    reading = read_statement(sentence)
    if reading is None or not reading.frames or len(sentence) > _MOST_STATED or _PASSING.search(sentence):
        return False
    frame = reading.frames[0]
    if not frame.core - LIGHT or frame.thing:
        return False
    if any(value.kind != "number" for value in frame.values) and len(frame.words) > 1:
        return True
    return any(words & frame.named and len(words) <= _MOST_SLOT for _, words in frame.places) and len(frame.core) > 1


@lru_cache(maxsize=8_192)
def gives_up(sentence: str) -> bool:
    """Return whether a plain statement says of a thing with a name that it is given up, and what is so now."""
    reading = read_statement(sentence)
    if reading is None or not reading.frames or not reading.given_up or _PASSING.search(_ENDING.sub(" ", sentence)):
        return False
    return len(sentence) <= _MOST_STATED and bool(_GIVEN_NAME.search(sentence))


def _compare(new: Frame, old: Frame, reading: Reading) -> float:
    """Return how a clause stands to an earlier statement: alike but for one value. What is about another one of many things (build
    12, step 3) is about something else."""
    if new.labels != old.labels:
        return 0.0
    gained = [value for value in new.values if not any(_same(value, other) for other in old.values)]
    lost = [value for value in old.values if not any(_same(value, other) for other in new.values)]
    if len(lost) == 1 and len(gained) == 1 and not (new.thing and old.thing and new.thing != old.thing):
        return _compare_values(new, old, gained[0], lost[0], reading)
    if lost or (gained and not new.thing):
        return 0.0
    if new.thing and old.thing:
        return _compare_orders(new, old)
    return _compare_places(new, old, reading)


def _same(one: TypedValue, other: TypedValue) -> bool:
    return one.kind == other.kind and one.text == other.text


def _compare_values(new: Frame, old: Frame, gained: TypedValue, lost: TypedValue, reading: Reading) -> float:
    ours, theirs = new.words, old.words
    if any(ours & one and theirs & other for one, other in (_EXTREMES, _EXTREMES[::-1])):
        return 0.0
    if gained.kind != lost.kind:
        unit = lost.kind.removeprefix("number of ")
        if gained.kind != "number" or unit not in ours:
            return 0.0
        ours = ours - {unit}
    if gained.text == lost.text:
        return 0.0
    missing, extra = theirs - ours - LIGHT, ours - theirs - LIGHT
    shared = (ours & theirs) - LIGHT
    if not shared or extra:
        return 0.0
    if not missing:
        return REPLACES
    told = len(shared) + gained.kind.startswith("version of")
    return REPLACES if reading.is_changed and len(missing) <= 1 and told >= 2 and not missing & old.named else 0.0


def _compare_orders(new: Frame, old: Frame) -> float:
    if new.core != old.core or new.thing <= old.thing or old.thing <= new.thing:
        return _compare_places(new, old, None) if new.thing == old.thing and new.core == old.core else 0.0
    same = bool(new.places) and dict(new.places) == dict(old.places)
    return REPLACES if same and max(len(new.thing), len(old.thing)) <= _MOST_SLOT else 0.0


def _compare_places(new: Frame, old: Frame, reading: Reading | None) -> float:
    """Compare what stands behind each preposition. `reading` is None for orders, which always mean one thing."""
    changed = reading is not None and reading.is_changed
    ours, theirs = _told_places(new), _told_places(old)
    gained, lost = ours - theirs, theirs - ours
    core_new, core_old = new.core - LIGHT, old.core - LIGHT
    if not gained and not lost:
        return _compare_subjects(new, old, changed=changed)
    if len(gained) != 1 or len(lost) != 1:
        return 0.0
    ((place, value),), ((before, former),) = gained, lost
    moved = changed and place in ("to", "로") and bool(value & new.named)
    if (
        (place != before and not moved)
        or max(len(value), len(former)) > _MOST_SLOT
        or value <= former
        or former <= value
    ):
        return 0.0
    if core_new != core_old and not (changed and core_new and core_new < core_old):
        return 0.0
    if (not core_new and reading) or place == "for" or place in _SPACED:
        return 0.0
    if (value | former) & _ENVIRONMENTS and place in _ALSO_SINGLE:
        return 0.0
    verbs = new.core | old.core
    adds = bool(verbs & _ADDING) or (place == "을" and not changed)
    is_kept = place in _SINGLE or place in ("로", "에", "을") or (place in _ALSO_SINGLE and bool(verbs & _KEEPING))
    is_named = bool(value & new.named) and bool(former & old.named)
    if reading is None or (not adds and (changed or (is_kept and is_named))):
        return REPLACES
    return REPLACES if reading.is_exclusive else EQUALS


def _told_places(frame: Frame) -> set[tuple[str, frozenset[str]]]:
    return {(place, words) for place, words in frame.places if words - LIGHT}


def _compare_subjects(new: Frame, old: Frame, *, changed: bool) -> float:
    """Return how two clauses stand that differ in their words alone: who does something, or what the standard is."""
    gained, lost = new.core - old.core, old.core - new.core
    shared = new.core & old.core
    if len(gained) != 1 or len(lost) != 1 or not new.order or not old.order:
        return 0.0
    (value,), (former,) = gained, lost
    is_first = new.order[0] == value and old.order[0] == former
    if len(shared) >= 2 and shared & _ROLES and (is_first or shared & _KOREAN_ROLES):
        return REPLACES if changed else EQUALS
    at_end = new.order[-1] == value and old.order[-1] == former
    return REPLACES if at_end and shared & _STANDARD and len(shared) >= 2 else 0.0


def _gives_up(new: Reading, old: Frame) -> float:
    """Return whether a sentence gives up what the earlier one says of the same thing: it names both, or nothing but a name."""
    gone = frozenset().union(*new.given_up)
    for value in _value_words(old):
        about = old.words - value - LIGHT
        if not value or not value <= gone:
            continue
        subject = next((word for word in old.order if word in about), "")
        if subject in new.words and 2 * len(about & new.words) >= len(about):
            return REPLACES
        if len(value) > 1 and value <= old.named and any(clause - value <= _GIVING for clause in new.given_up):
            return REPLACES
    return 0.0


def _value_words(frame: Frame) -> list[frozenset[str]]:
    """Return what an earlier statement may have said of its subject: what stands in each place, and its names."""
    found = [words for _, words in frame.places if words & frame.named or len(words) <= 2]
    found += [frozenset({name}) for name in frame.named] + [frame.named]
    return [words for words in found if words and words < frame.words]
