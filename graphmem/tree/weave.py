"""Tags and links: each new memory gets one to three topic tags, of those in use where they fit, and links to earlier ones
that share rare tags. Memories are woven in the order in which they were closed, so each depends on earlier ones alone and
a replay gives the same."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from graphmem.tree.compose import Proto
from graphmem.tree.words import content, same, stem

MOST_TAGS, MOST_LINKS = 3, 5
_REUSED = 1.6  # how much better a tag is that is in use
_NAMED = 1.5  # and one that is a name
_DOING = 0.6  # and one that is a verb, rather than a thing
_HUB = 0.2  # share of memories from which a tag tells nothing and links nothing
_FEW = 20  # memories below which no tag is a hub
_ENOUGH = 0.5  # share of the best tag's score that the others need


class Woven(NamedTuple):
    """A memory with its tags and links: (id, weight in (0, 1]), strongest first."""

    proto: Proto
    tags: tuple[str, ...]
    links: tuple[tuple[str, float], ...]


@dataclass(slots=True)
class Loom:
    """What earlier memories of one project say: how many use a word, which carry a tag, how a tag is spelt."""

    total: int = 0
    uses: Counter[str] = field(default_factory=Counter)
    carriers: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    spelt: dict[str, str] = field(default_factory=dict)

    def weave(self, proto: Proto) -> Woven:
        """Tag and link a memory; it is not one of the earlier ones yet."""
        tags = self._tags(proto)
        return Woven(proto, tuple(self.spelt.get(key, text) for key, text in tags), self._links([k for k, _ in tags]))

    def add(self, woven: Woven) -> None:
        """Make it one of the earlier ones."""
        self.total += 1
        self.uses.update({*woven.proto.words, *(tag_key(name) for _, name in woven.proto.names)})
        for tag in woven.tags:
            self.spelt.setdefault(tag_key(tag), tag)
            self.carriers[tag_key(tag)].append(woven.proto.id)

    def _tags(self, proto: Proto) -> list[tuple[str, str]]:
        """(key, spelling), best first: what is said often here and rarely elsewhere."""
        speakers = Counter(same(name) for kind, name in proto.names if kind == "person")
        scores: dict[str, float] = {}
        spelling: dict[str, str] = {}
        candidates = [
            (tag_key(name), name.lower(), 1.0, _NAMED) for kind, name in proto.names if same(name) not in speakers
        ]
        for each, times in proto.words.items():
            text = proto.surface[each]
            candidates.append((each, text, times, _DOING if text.endswith("ing") else 1.0))
        for key, text, count, boost in candidates:
            if not 2 <= len(text) <= 40:
                continue
            rare = math.log((self.total + 2) / (self.uses[key] + 1)) + 0.1
            score = (1 + math.log(count)) * max(rare, 0.05) * boost
            if self.carriers.get(key):
                score *= 0.3 if self._hub(key) else _REUSED
            if score > scores.get(key, 0.0):
                scores[key], spelling[key] = score, text
        best = sorted(scores, key=lambda key: (-scores[key], key))[:MOST_TAGS]
        kept = [(key, spelling[key]) for key in best if scores[key] >= _ENOUGH * scores[best[0]]]
        return kept or [(tag_key(name), name.lower()) for _, name in proto.names[:1]] or [("talk", "talk")]

    def _links(self, keys: list[str]) -> tuple[tuple[str, float], ...]:
        weights: dict[str, float] = defaultdict(float)
        most = 0.0
        for key in keys:
            carriers = self.carriers.get(key, [])
            weight = math.log(1 + (self.total + 1) / (len(carriers) + 1))
            most += weight
            if not self._hub(key):
                for other in carriers:
                    weights[other] += weight
        ordered = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_LINKS]
        return tuple((other, round(weight / most, 4)) for other, weight in ordered)

    def _hub(self, key: str) -> bool:
        return self.total >= _FEW and len(self.carriers.get(key, ())) > _HUB * self.total


@lru_cache(maxsize=65_536)
def tag_key(tag: str) -> str:
    """The key under which spellings of one tag meet: case, inflection and other names of the same thing; never a part of
    another word ("java" is not "javascript")."""
    from graphmem.language.aliases import canonical_name

    known = canonical_name(tag)
    if known:
        return known.casefold()
    parts = content(tag)
    return stem(tag.lower()) if len(parts) < 2 else " ".join(map(stem, tag.lower().split()))
