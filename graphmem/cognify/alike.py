"""Finds paraphrases of earlier facts: nearest neighbours with a cosine of at least 0.95 that also agree in every number, name
and negation, because encoders hardly distinguish 8080 from 8081. The result is stored as a derivation, so that a rebuild
does not need the encoder."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from graphmem.cognify.ledger import MERGED
from graphmem.model.events import Derivation
from graphmem.patterns import compile_later
from graphmem.ports.text import ItemFilter, Stored, TextIndex
from graphmem.ports.vectors import VectorIndex

LEAST = 0.95  # cosine
_NEAR = 5  # neighbours that are looked at
_NAMES = compile_later(
    r"`[^`]+`|\w*[._/:\\-]\w[\w./:\\-]*|\w*\d\w*|\b[A-Z][A-Za-z]*[A-Z]\w*|(?<=[a-z,;] )[A-Z]\w+|--?\w[\w-]+"
)
_DENIES = compile_later(r"\b(?:not|no|never|cannot|without|nor|none|un\w+ed)\b|n't\b|않|없|못|안 ", re.I)
_OPPOSED = compile_later(
    r"\b(?:enable|disable|add|remove|start|stop|before|after|allow|forbid|increase|decrease|raise|lower|open|close|in|out"
    r"|first|last|minimum|maximum|more|less|from|to|up|down|true|false|success|fail)(?:e?s|e?d|ing|ure)?\b",
    re.I,
)

_CLAUSES = frozenset(
    """before after when whenever if unless while because since during until in on at for from by with without as per
    under over through""".split()
)


def can_mean_same(one: str, other: str) -> bool:
    """Return whether two similar sentences can mean the same: the same names, numbers, denials and opposites, and
    nothing that changed places, as who calls whom does."""
    return not are_words_swapped(one, other) and all(
        sorted(found.lower().strip("`") for found in pattern.findall(one))
        == sorted(found.lower().strip("`") for found in pattern.findall(other))
        for pattern in (_NAMES, _DENIES, _OPPOSED)
    )


def are_denied_alike(one: str, other: str) -> bool:
    """Return whether two sentences deny the same number of times."""
    return len(_DENIES.findall(one)) == len(_DENIES.findall(other))


def are_words_swapped(one: str, other: str) -> bool:
    """Return whether words changed places. A clause such as "before every build" that was moved as a whole is no such
    change."""
    words, others = ([word.strip("`.,;:!?\"'()").lower() for word in text.split()] for text in (one, other))
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    left, right = _gaps(words, [(b.a, b.size) for b in blocks]), _gaps(others, [(b.b, b.size) for b in blocks])
    moved = {word for gap in left for word in gap} & {word for gap in right for word in gap}
    if not moved:
        return False
    heads = {run[0] for run in (*left, *right)} | {words[block.a] for block in blocks if block.size}
    return len(left) > 1 or len(right) > 1 or not heads & _CLAUSES


def _gaps(words: list[str], blocks: Iterable[tuple[int, int]]) -> list[list[str]]:
    """Return the runs of words between the blocks."""
    gaps, at = [], 0
    for start, size in blocks:
        if start > at:
            gaps.append(words[at:start])
        at = start + size
    return gaps


def find_paraphrases(derivations: Sequence[Derivation], text: TextIndex, vectors: VectorIndex) -> list[Derivation]:
    """Return, for each derivation of facts, one that names their earlier twins. It is empty without any, so that it counts as
    done."""
    twins: dict[str, str] = {}
    projects = sorted({derivation.body["project"] for derivation in derivations})
    for project in projects:
        own = [derivation for derivation in derivations if derivation.body["project"] == project]
        facts = text.find([fact["id"] for derivation in own for fact in derivation.body["facts"]])
        twins |= _twins(facts, ItemFilter(kinds=("fact",), project=project), text, vectors)
    return [_derivation(one, _of(one, twins)) for one in derivations]


def _twins(facts: list[Stored], where: ItemFilter, text: TextIndex, vectors: VectorIndex) -> dict[str, str]:
    import numpy as np  # takes 0.1 s to load, and a store without vectors needs none of it

    found = {}
    near = vectors.search_many(vectors.vectors(np.array([one.row for one in facts], np.int64)), _NEAR, where)
    close = [
        [row for row, cosine in rows if cosine >= LEAST and row != stored.row]
        for stored, rows in zip(facts, near, strict=True)
    ]
    known = {stored.row: stored for stored in text.items(sorted({row for rows in close for row in rows}))}
    for stored, rows in zip(facts, close, strict=True):
        earlier = [known[row] for row in rows if row in known and _order(known[row]) < _order(stored)]
        same = [one for one in earlier if can_mean_same(one.item.text, stored.item.text)]
        if same:
            found[stored.item.id] = min(same, key=_order).item.id
    return found


def _of(derivation: Derivation, twins: dict[str, str]) -> dict[str, str]:
    return {fact["id"]: twins[fact["id"]] for fact in derivation.body["facts"] if fact["id"] in twins}


def _order(stored: Stored) -> tuple[int, str]:
    return stored.item.at, stored.item.id


def _derivation(source: Derivation, twins: dict[str, str]) -> Derivation:
    digest = hashlib.sha256(f"{MERGED}:{source.source}:{source.input_hash}".encode()).hexdigest()[:16]
    place = {name: source.body[name] for name in ("project", "session")}
    return Derivation(MERGED, source.source, digest, {**place, "twins": sorted(twins.items())} if twins else {})
