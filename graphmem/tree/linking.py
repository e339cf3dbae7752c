"""Assigns tags and links: each new memory gets one to three topic tags, preferably existing ones, and links to earlier
memories that share rare tags. Memories are processed in closing order, so each depends only on earlier ones, and a replay
gives the same result."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations, repeat
from typing import NamedTuple

from graphmem.text.aliases import canonical_name
from graphmem.tree.compose import DraftMemory
from graphmem.tree.words import comparison_key, stem_for_topics, topic_words

MOST_TAGS, MOST_LINKS = 3, 5
_REUSED = 1.6  # bonus of an existing tag
_NAMED = 1.5  # bonus of a name
_DOING = 0.6  # factor of a verb
_HUB = 0.2  # share of memories from which a tag is uninformative and creates no links
_MIN_MEMORIES_FOR_HUBS = 20  # memories below which no tag is a hub
_MIN_RELATIVE_TAG_SCORE = 0.5  # share of the best tag's score that other tags need


_TOPIC = re.compile(r"[^\W\d_](?:[\w.+#@'’-]| (?=\S)){0,39}")
_HASH = re.compile(r"(?=.*\d)[0-9a-f]{6,40}")


class LinkedMemory(NamedTuple):
    """A memory with tags and links: (id, weight in (0, 1]), strongest first."""

    proto: DraftMemory
    tags: tuple[str, ...]
    links: tuple[tuple[str, float], ...]


def _is_topic(name: str) -> bool:
    """Return whether a name can be a tag: words, not a path, a call, a hash or markup."""
    return bool(_TOPIC.fullmatch(name)) and len(name.split()) <= 3 and not _HASH.fullmatch(name)


@dataclass(slots=True)
class TagIndex:
    """Statistics of earlier memories of a project: word frequencies, tags, and spellings of tags."""

    total: int = 0
    uses: dict[str, int] = field(default_factory=dict)
    carriers: Counter[str] = field(default_factory=Counter)
    spelt: dict[str, str] = field(default_factory=dict)
    first: dict[tuple[str, ...], tuple[str, ...]] = field(
        default_factory=dict
    )  # combination of tags -> first ids with all of them

    def tag_and_link(self, proto: DraftMemory) -> LinkedMemory:
        """Tag and link a memory without adding it to the index."""
        tags = self._tags(proto)
        return LinkedMemory(
            proto, tuple(self.spelt.get(key, text) for key, text in tags), self._links([k for k, _ in tags])
        )

    def add(self, woven: LinkedMemory) -> None:
        """Add a memory to the index."""
        for word in {*woven.proto.words, *[tag_key(name) for _, name in woven.proto.names]}:
            self.uses[word] = self.uses.get(word, 0) + 1
        for tag in woven.tags:
            self.spelt.setdefault(tag_key(tag), tag)
        self.note(woven.proto.id, [tag_key(tag) for tag in woven.tags])

    def note(self, identifier: str, keys: Sequence[str]) -> None:
        """Record a memory's tags."""
        self.total += 1
        self.carriers.update(keys)
        for group in _groups(keys):
            known = self.first.get(group, ())
            if len(known) < MOST_LINKS or identifier < known[-1]:
                self.first[group] = tuple(sorted((*known, identifier))[:MOST_LINKS])

    def _tags(self, proto: DraftMemory) -> list[tuple[str, str]]:
        """Return (key, spelling), best first: frequent here and rare elsewhere."""
        speakers = {comparison_key(name) for kind, name in proto.names if kind == "person"}
        scores: dict[str, float] = {}
        spelling: dict[str, str] = {}
        candidates = [
            (tag_key(name), name.lower(), 1, _NAMED) for _, name in proto.names if comparison_key(name) not in speakers
        ]
        candidates = [one for one in candidates if 2 <= len(one[1]) <= 40 and _is_topic(one[1])]
        said = zip(proto.words, map(proto.surface.__getitem__, proto.words), proto.words.values(), repeat(0.0))
        uses, carriers, log, every = self.uses.get, self.carriers, math.log, self.total + 2
        for key, text, count, boost in chain(candidates, said):
            score = log(every / (uses(key, 0) + 1)) + 0.1
            if score < 0.05:
                score = 0.05
            if count > 1:
                score *= 1 + log(count)
            if boost or text.endswith("ing"):
                score *= boost or _DOING
            if key in carriers:
                score *= 0.3 if self._hub(key) else _REUSED
            if score > scores.get(key, 0.0):
                scores[key], spelling[key] = score, text
        best = sorted(scores, key=lambda key: (-scores[key], key))[:MOST_TAGS]
        kept = [(key, spelling[key]) for key in best if scores[key] >= _MIN_RELATIVE_TAG_SCORE * scores[best[0]]]
        return kept or [(tag_key(name), name.lower()) for _, name in proto.names[:1]] or [("talk", "talk")]

    def _links(self, keys: list[str]) -> tuple[tuple[str, float], ...]:
        """Return memories that share most tags, earliest first among equals. Only the first few memories of each
        combination of tags are stored, which is sufficient: a missing one is preceded by as many equal ones."""
        weights = {key: math.log(1 + (self.total + 1) / (self.carriers.get(key, 0) + 1)) for key in keys}
        most = sum(weights.values())
        shared = [
            (sum(weight for key, weight in weights.items() if key in group), group)
            for group in _groups(key for key in keys if not self._hub(key))
        ]
        found: dict[str, float] = {}
        for weight, group in sorted(shared, reverse=True):
            for other in self.first.get(group, ()):
                found.setdefault(other, weight)
        ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_LINKS]
        return tuple((other, round(weight / most, 4)) for other, weight in ordered)

    def _hub(self, key: str) -> bool:
        return self.total >= _MIN_MEMORIES_FOR_HUBS and self.carriers.get(key, 0) > _HUB * self.total


def _groups(keys: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield every combination of one or more of a few tags, in alphabetical order."""
    ordered = sorted(set(keys))
    return chain.from_iterable(combinations(ordered, size) for size in range(1, len(ordered) + 1))


@lru_cache(maxsize=65_536)
def tag_key(tag: str) -> str:
    """Return the key that unites spellings of a tag: case, inflection and synonyms; never a part of another word ("java"
    is not "javascript")."""
    known = canonical_name(tag)
    if known:
        return known.casefold()
    parts = topic_words(tag)
    return stem_for_topics(tag.lower()) if len(parts) < 2 else " ".join(map(stem_for_topics, tag.lower().split()))
