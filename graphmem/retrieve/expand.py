"""Expands candidates along names: names in the query lead to items about them, and names in the best of these lead to
further items. This finds memories that share no word with the query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from graphmem.ports.text import Mention, Stored
from graphmem.retrieve.analyse import CAMEL
from graphmem.retrieve.kinds import SYMBOLS
from graphmem.retrieve.ports import Ports, Reader
from graphmem.retrieve.records import Analysis, ChannelResults, Request
from graphmem.retrieve.seed import try_channel
from graphmem.text.words import content_words, name_key, stopwords

ABOUT = "about:"  # entity ids of what items are about
_MAX_HOP_SOURCES = 3  # how many of the best items are read for names
# How many of those are read in turn, and the share of their strength that remains.
_MAX_SECOND_HOP_SOURCES = 2
_SECOND_HOP_FACTOR = 0.5
_SHORT_QUERY_TERMS = 10  # terms of a query that may be about a name
_PLAIN_WORD_PROBABILITY = 0.4  # how sure a word in small letters is a name
# In a query of more words than these, `run` is hardly the function of that name: the factor of its strength.
_MAX_TERSE_WORDS = 2
_WORDY_QUERY_FACTOR = 0.3
_SPELT_OUT_STRENGTH = 2.0  # a symbol whose name, written as only code is, is in the query is what it asks for
_MAX_CHARS = 2_000  # characters of each
_MAX_ITEMS_OF_ENTITY = 8  # an entity that more items are about, or mention, leads nowhere
_MAX_ITEMS_OF_MERGED = 50  # items of an entity that a person has merged with what the query names
_NAME_PARTICLE = r"(?:of|the|de|la|le|du|des|der|den|van|von|and|al|bin|ibn|da|di|del|in|on|for|to|a|an|y|e|&)"
_NAME = re.compile(rf"[A-Z0-9][\w'’.&-]*(?:[ ,]+(?:{_NAME_PARTICLE} )*[A-Z0-9][\w'’.&-]*)*")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def add_entity_candidates(
    reader: Reader, request: Request, analysis: Analysis, found: ChannelResults
) -> ChannelResults:
    """Return the candidates with those of two more channels: `entities`, items about what the query names, and `hop`, items
    that the best candidates lead to."""
    none = dict[int, float]()
    named, failed = try_channel("entities", partial(_match_names, reader.ports, request, analysis), none)
    hops = none
    if request.where.kinds != SYMBOLS and not analysis.about_code:  # for code, the code graph knows better
        words = found.channels["words"]
        find = partial(_find_hops, reader, request, analysis, words, named)
        hops, hops_failed = try_channel("hop", find, none)
        failed |= hops_failed
    return replace(
        found,
        channels={**found.channels, "entities": named, "hop": hops},
        failures={**found.failures, **failed},
    )


def _match_names(ports: Ports, request: Request, analysis: Analysis) -> dict[int, float]:
    """Return the items that names in the query are about. A name within a longer name that was found does not count."""
    share = min(1.0, _SHORT_QUERY_TERMS / max(1, len(analysis.terms)))  # a long query is not about each name in it
    code, wordy = request.where.kinds == SYMBOLS, len(content_words(request.query)) > _MAX_TERSE_WORDS
    names = {**analysis.aliases, **analysis.names}
    mentions = _longest_subjects(ports.mentions.named(list(analysis.names))) + ports.mentions.named(
        list(analysis.aliases)
    )
    found: dict[int, float] = {}
    for mention, rows in _find_subjects(ports, request, mentions):
        sure = names.get(name_key(mention.name), _PLAIN_WORD_PROBABILITY)
        if code and _is_code_name(mention.name) and _is_spelt_out(mention.name, request.query):
            sure = _SPELT_OUT_STRENGTH
        elif code and sure <= _PLAIN_WORD_PROBABILITY and wordy:
            sure *= _WORDY_QUERY_FACTOR
        strength = share * sure / len(rows) ** 0.5
        for row in rows:
            found[row] = max(found.get(row, 0.0), strength)
    for row, strength in _mentioning_merged(ports, request, analysis).items():
        found[row] = max(found.get(row, 0.0), share * strength)
    return found


def _mentioning_merged(ports: Ports, request: Request, analysis: Analysis) -> dict[int, float]:
    """Return the items that mention an entity which a person has merged with what the query names."""
    rows: dict[str, list[int]] = {}
    if analysis.merged:
        for entity, row in ports.mentions.mentioning(list(analysis.merged), request.where, _MAX_ITEMS_OF_MERGED):
            rows.setdefault(entity, []).append(row)
    return {row: analysis.merged[entity] / len(found) ** 0.5 for entity, found in rows.items() for row in found}


def _longest_subjects(found: Sequence[Mention]) -> list[Mention]:
    """Return the subjects whose name is not within another one, the longest first."""
    kept: list[Mention] = []
    subjects = [mention for mention in found if mention.entity.startswith(ABOUT)]
    for mention in sorted(subjects, key=lambda m: (-len(m.name), m.entity)):
        if not any(_is_part_of(mention.name, other.name) for other in kept):
            kept.append(mention)
    return kept


def _is_spelt_out(name: str, query: str) -> bool:
    """Return whether a query has a name as written, not as a part of a word or number. A name has a letter."""
    found = query.find(name) if any(map(str.isalpha, name)) else -1
    while found >= 0:
        end = found + len(name)
        before, after = query[found - 1 : found], query[end : end + 1]
        if not (_joins(before, name[0]) or _joins(after, name[-1])):
            return True
        found = query.find(name, found + 1)
    return False


def _is_code_name(name: str) -> bool:
    """Return whether a name is written as only code is: with dots, underscores or digits, or a capital after a small letter."""
    return not name.isalpha() or bool(CAMEL.search(name))


def _joins(letter: str, other: str) -> bool:
    """Return whether two letters belong to one word. A Korean particle follows a Latin name directly."""
    return (
        bool(letter) and (letter.isalnum() or letter in "_-") and letter.isascii() and (other.isalnum() or other == "_")
    )


def _is_part_of(part: str, whole: str) -> bool:
    return len(part) < len(whole) and f" {part.lower()} " in f" {whole.lower()} "


def _find_subjects(ports: Ports, request: Request, found: Iterable[Mention]) -> list[tuple[Mention, list[int]]]:
    """Return the subjects with the rows that are about them, but not the project itself, which everything is about."""
    own = name_key(request.where.project or "")
    subjects = {one.entity: one for one in found if one.entity.startswith(ABOUT) and name_key(one.name) != own}
    rows: dict[str, list[int]] = {}
    for entity, row in ports.mentions.mentioning(list(subjects), request.where, _MAX_ITEMS_OF_ENTITY + 1):
        rows.setdefault(entity, []).append(row)
    return [
        (subjects[entity], found_rows) for entity, found_rows in rows.items() if len(found_rows) <= _MAX_ITEMS_OF_ENTITY
    ]


def _find_hops(
    reader: Reader, request: Request, analysis: Analysis, words: Mapping[int, float], entities: Mapping[int, float]
) -> dict[int, float]:
    """Return the items that names in the best candidates are about, and those that names in the best of these are about."""
    top = max(words.values(), default=0.0) or 1.0
    first = {row: words.get(row, 0.0) / top + entities.get(row, 0.0) for row in [*entities, *list(words)[:20]]}
    best = sorted(first, key=lambda row: (-first[row], row))[:_MAX_HOP_SOURCES]
    strongest = first[best[0]] if best else 1.0
    share = min(1.0, _SHORT_QUERY_TERMS / max(1, len(analysis.terms)))
    hops = _follow(reader, request, {row: share * first[row] / strongest for row in best})
    onward = sorted((row for row in hops if row not in best), key=lambda row: (-hops[row], row))[
        :_MAX_SECOND_HOP_SOURCES
    ]
    for row, strength in _follow(reader, request, {row: _SECOND_HOP_FACTOR * hops[row] for row in onward}).items():
        hops[row] = max(hops.get(row, 0.0), strength)
    return hops


def _follow(reader: Reader, request: Request, sources: Mapping[int, float]) -> dict[int, float]:
    """Return what the sources lead to, each with a share of the strength of its source."""
    asked = {word[:5] for word in content_words(request.query)}
    found: dict[int, float] = {}
    for stored in reader.load(sources):
        for row, strength in _find_leads(reader.ports, request, stored, asked).items():
            if row != stored.row:
                found[row] = max(found.get(row, 0.0), sources[stored.row] * strength)
    return found


def _find_leads(ports: Ports, request: Request, stored: Stored, asked: set[str]) -> dict[int, float]:
    """Return the rows that the names in an item lead to. A name near words of the query counts for more."""
    text = stored.item.text[:_MAX_CHARS]
    near: dict[str, float] = {}
    for match in _NAME.finditer(text):
        around = text[max(0, match.start() - 60) : match.end() + 40].lower()
        close = any(word[:5] in asked for word in _WORD.findall(around) if len(word) > 3)
        for run in _subnames(match[0]):
            key = name_key(run)
            near[key] = max(near.get(key, 0.0), 1.0 if close else 0.6)
    leads: dict[int, float] = {}
    for mention, rows in _find_subjects(ports, request, _longest_subjects(ports.mentions.named(list(near)))):
        value = near.get(name_key(mention.name), 0.6) / len(rows) ** 0.5
        for row in rows:
            leads[row] = max(leads.get(row, 0.0), value)
    return leads


def _subnames(name: str) -> list[str]:
    """Return the name and the names within it."""
    words = _WORD.findall(name)[:12]
    return [
        " ".join(words[i : i + size])
        for size in range(min(6, len(words)), 0, -1)
        for i in range(len(words) - size + 1)
        if size > 1 or (len(words[i]) > 2 and words[i].lower() not in stopwords())
    ]
