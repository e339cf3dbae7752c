"""Composes a memory from compacted turns: a one-line summary without values, a trigger in the first person that says when
it is needed, a key, and its recall mode. Texts come from the analysis; original turns are not rephrased."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from graphmem.model.tree import Recall
from graphmem.patterns import compile_later
from graphmem.retrieve.present import truncate_text
from graphmem.text.keys import canonical_key
from graphmem.tree.buffer import Compacted
from graphmem.tree.cues import VALUE, VALUED
from graphmem.tree.sensor import Sensed
from graphmem.tree.words import comparison_key, stem_for_topics, stems, stems_of

_SUMMARY = 120  # characters
_FILES = 8  # files named in a trigger
_TOPICS = 12  # words named in a trigger besides values and names
_DIRECTIVE = frozenset({"constrain", "prefer", "decide"})  # phrases with which a user asks to always recall something
_HANGUL = compile_later(r"[가-힣]")
_BETWEEN = compile_later(r"(?<=[.!?。])\s+|\s+[-*•]\s+(?=[A-Z`])")  # sentences, and the points of a list
_MARKED = compile_later(r"[*_`#>|\]]|\[shares")
_TAGGED = compile_later(r"[<>{}|]|\\n|^[^\w@.$`/~-]")
_LEADING = compile_later(
    r"^(?:[-*+•–—]+ |\d{1,3}[.)] "
    r"|(?:good|ok|okay|great|perfect|excellent|right|yes|expected|clear|clean|done|now)\b ?[—–,.!:-] )+",
    re.I,
)
_TRAILING = compile_later(r"(?<=[\w)`])[:.]? (?:now )?(?:let me|let's|i'll) .*$", re.I)
# The state of the work, which the next minute changes.
_SAYS_LITTLE = compile_later(
    r"^(?:all|still|almost|there (?:is|are)|nothing to|on branch|stage|run the|expected|continuing|committed|pushed"
    r"|only|clean|good|done|here|background|that was|that's|one more|based on)\b"
    r"|\b(?:tests?|doctests|checks?|suite) (?:now )?(?:pass\w*|fail\w*)\b|\b(?:passed|failures|compile|compiling)\b",
    re.I,
)
_ANNOUNCED = compile_later(
    r"(?:(?:ok|okay|good|great|perfect|excellent|right|alright|yes|so|and|but|then|now|next|first|finally|also)\b[,.!:—– -]*)*"
    r"(?:let me(?: now| also| first)?|let's|i'll(?: now| also| first)?|i will|i(?: also| now)? need to|i'm going to|i want to"
    r"|now|next)\b,? ?(?=\w)",
    re.I,
)
_CUT = compile_later(r"\[…|…\]|^(?:[a-z]+ )?//|[{}]|^Title: ")  # cut within, or code
_MARKUP = compile_later(r"[*_`#>|]{1,3}|\[shares a picture: |\]")


@dataclass(slots=True)
class DraftMemory:
    """A memory before it has tags and links. `clock` orders drafts by closing time. `words` are stems with counts,
    `surface` their first spellings: both are only used for linking, which clears them."""

    id: str
    session: str
    project: str
    reason: str
    clock: int
    at: int
    until: int
    turns: tuple[str, ...]
    summary: str
    trigger: str
    mode: Recall
    names: tuple[tuple[str, str], ...]
    values: tuple[str, ...]
    topics: tuple[str, ...]
    words: dict[str, int] = field(default_factory=dict)
    surface: dict[str, str] = field(default_factory=dict)
    absorbed: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Return the topic of the memory as a key."""
        return canonical_key(" ".join(self.topics[:6]) or self.summary)


def compose_memory(compacted: Compacted, identifier: str) -> DraftMemory:
    """Return the memory of these turns, with the id of `node_id`."""
    turns = compacted.turns
    first = turns[0]
    spoken = tuple(turn for turn in turns if turn.role != "tool") or turns  # what a tool printed names nothing
    said = [word for turn in spoken for word in turn.words]
    keys = list(map(stem_for_topics, said))
    words, surface = Counter(keys), dict(zip(reversed(keys), reversed(said), strict=True))  # keep the first spelling
    names = _distinct([*_names(spoken), *(() if spoken == turns else _changed_files(turns))])
    values = tuple(dict.fromkeys(value for turn in spoken for value in turn.values))
    named = {part for _, name in names for part in stems_of(name)}
    topics = tuple(surface[word] for word, _ in words.most_common() if word not in named)[:_TOPICS]
    summary = summarise_turns(spoken, words)
    directive = any(turn.role == "user" and turn.intent in _DIRECTIVE for turn in turns)
    return DraftMemory(
        id=identifier, session=first.session, project=first.project, reason=compacted.reason, clock=compacted.clock,
        at=first.at, until=turns[-1].at, turns=tuple(turn.event for turn in turns), summary=summary,
        trigger=compose_trigger(topics, [name for _, name in names], values, summary), mode="both" if directive else "active",
        names=names, values=values, topics=topics, words=dict(words), surface=surface,
    )  # fmt: skip


def node_id(first: Sensed, length: int = 6) -> str:
    """Return `mem_YYYYMMDD_HHMMSS_hex` from the first turn, which is in no other memory, so a growing buffer keeps its
    id."""
    when = datetime.fromtimestamp(first.at / 1_000_000, UTC)
    digest = hashlib.sha256(first.event.encode()).hexdigest()
    return f"mem_{when:%Y%m%d_%H%M%S}_{digest[:length]}"


def _names(turns: Iterable[Sensed]) -> Iterator[tuple[str, str]]:
    """Yield the names in turns, without markup and with files by their last part."""
    for turn in turns:
        for kind, name in turn.names:
            if kind == "tag" or _TAGGED.search(name):
                continue
            yield kind, posixpath.basename(name.rstrip("/")) if name.startswith(("/", "~/")) else name


def _changed_files(turns: Iterable[Sensed]) -> list[tuple[str, str]]:
    """Return the files that tools worked on, by name."""
    named = dict.fromkeys(posixpath.basename(path) for turn in turns if turn.role == "tool" for path in turn.files)
    return [("file", name) for name in named if name][:_FILES]


def summarise_turns(turns: Sequence[Sensed], words: Counter[str]) -> str:
    """Return the core sentence that shares most with the others, without values: an index, not the content."""
    best, most = "", -1.0
    for turn in turns:
        for sentence in _BETWEEN.split(turn.core):
            plain = " ".join((_MARKUP.sub(" ", sentence) if _MARKED.search(sentence) else sentence).split())
            plain = _LEADING.sub("", _TRAILING.sub("", plain))
            told = stems(plain)
            central = sum([words.get(each, 0) for each in told]) / (1 + 0.15 * max(0, len(told) - 8))
            weight = central * (0.5 if plain.endswith("?") or sentence.startswith("[") else 1.0)
            announced = None if turn.role == "user" else _ANNOUNCED.match(plain)
            if announced:
                plain = plain[announced.end() :]
                plain = plain[:1].upper() + plain[1:]
            weight *= 1.3 if turn.role == "user" else 0.3 if announced or _SAYS_LITTLE.search(plain) else 1.0
            weight *= 0.5 if len(VALUE.findall(plain)) > 1 or _CUT.search(plain) else 1.0
            if len(plain.split()) > 1 and weight > most:
                best, most = plain.rstrip(" :"), weight
    if not best:
        return "a short exchange"
    if VALUED.search(best):
        best = re.sub(r"\s+([,.!?])", r"\1", " ".join(VALUE.sub("…", best).split()))
    who = next((turn.speaker for turn in turns if turn.speaker and best[:20] in " ".join(turn.core.split())), "")
    return truncate_text(f"{who}: {best}" if who else best, _SUMMARY)


def compose_trigger(topics: Sequence[str], names: Sequence[str], values: Sequence[str], summary: str) -> str:
    """Return when the memory is needed, in the first person, with every value and name."""
    korean = len(_HANGUL.findall(summary)) * 3 > len(summary)
    parts = [", ".join(names), ", ".join(topics)]
    what = "; ".join(part for part in parts if part) or summary
    exact = ", ".join(values)
    if korean:
        text = f"내가 다음에 대해 알아야 할 때: {what}"
        return f"{text}; 정확한 값: {exact}" if exact else text
    text = f"When I need to know about {what}"
    return f"{text}; exactly: {exact}" if exact else text


def join_memories(kept: DraftMemory, absorbed: DraftMemory) -> DraftMemory:
    """Merge two memories: both originals, the wider recall mode, and a trigger that covers both."""
    names = _distinct([*kept.names, *absorbed.names])
    values = tuple(dict.fromkeys([*kept.values, *absorbed.values]))
    topics = tuple(dict.fromkeys([*kept.topics, *absorbed.topics]))[: 2 * _TOPICS]
    return DraftMemory(
        id=kept.id, session=kept.session, project=kept.project, reason=kept.reason, clock=max(kept.clock, absorbed.clock),
        at=min(kept.at, absorbed.at), until=max(kept.until, absorbed.until), turns=(*kept.turns, *absorbed.turns),
        summary=kept.summary, trigger=compose_trigger(topics, [name for _, name in names], values, kept.summary),
        mode=wider_recall(kept.mode, absorbed.mode), names=names, values=values, topics=topics,
        absorbed=(*kept.absorbed, absorbed.id, *absorbed.absorbed),
    )  # fmt: skip


def wider_recall(a: Recall, b: Recall) -> Recall:
    """Return the recall mode that includes both."""
    return a if a == b else "both"


def _distinct(names: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    found: dict[str, tuple[str, str]] = {}
    for kind, name in names:
        found.setdefault(comparison_key(name), (kind, name))
    return tuple(found.values())
