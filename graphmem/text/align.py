"""Locates quotes in their source, to verify what a model claims to have read: exact, then normalised, then fuzzy; spans
refer to the original text. Not a search: paraphrases are not found."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from graphmem.model.evidence import AlignmentFailure, Claim, EvidenceReport, Grounding, QuoteAlignment
from graphmem.model.text import Alignment
from graphmem.patterns import compile_later

THRESHOLD = 0.85
CLAIM_THRESHOLD = 0.80
NORMALIZED_CONFIDENCE = 0.95
FUZZY_CAP = 0.949
MIN_FUZZY_LENGTH = 5
_NEARLY = 0.6  # from here on a quote is "below_threshold", less is "not_found"
_RIVAL_GAP = 0.03  # a second fuzzy place this close to the best makes it ambiguous
_MAX_SEED_HITS = 5_000
_MAX_ALL_HITS = 200_000  # of all pieces of a quote; what stands everywhere tells nothing
_SEED_WORK = 500_000_000  # characters that may be looked through for pieces
_MAX_CANDIDATES = 48
_WORK = 2_000_000_000  # pairs of characters that one search may compare: a second or less, whatever is given
_MIN_CLAIM = 10


def align(source: str, quote: str) -> Alignment | None:
    """Return where `quote` is in `source`, or None. Exact matches have confidence 1.0, those after folding white
    space, case, compatibility forms and invisible characters 0.95, those within 15% of edits their similarity, at
    most 0.949. Of several places the first is taken and marked ambiguous. Near-linear in the length of the source."""
    return Aligner(source).find(quote).alignment


class QuoteMatch(NamedTuple):
    """Result for one quote: `alignment` or None, the best similarity, and the number of other positions."""

    alignment: Alignment | None
    closest: float = 0.0
    alternatives: int = 0


class Aligner:
    """One source, prepared for many quotes."""

    def __init__(self, source: str) -> None:
        self.source = source

    def find(self, quote: str, threshold: float = THRESHOLD) -> QuoteMatch:
        """Return the result of the first successful stage: exact, normalised, fuzzy with at least `threshold`."""
        if not quote.strip():
            return QuoteMatch(None)
        places = _occurrences(self.source, quote)
        if places:
            alternatives = len(places) - 1
            end = places[0] + len(quote)
            return QuoteMatch(Alignment(places[0], end, "exact", 1.0, alternatives > 0), 1.0, alternatives)
        needle = _fold(quote).text.strip()
        if not needle:
            return QuoteMatch(None)
        places = _occurrences(self._folded.text, needle)
        if places:
            alternatives = len(places) - 1
            start, end = self._folded.span(places[0], places[0] + len(needle))
            return QuoteMatch(
                Alignment(start, end, "normalized", NORMALIZED_CONFIDENCE, alternatives > 0),
                NORMALIZED_CONFIDENCE,
                alternatives,
            )
        return self._fuzzy(needle, threshold)

    def _fuzzy(self, needle: str, threshold: float) -> QuoteMatch:
        text = self._folded.text
        windows = list(_similar_windows(text, needle, threshold))
        if not windows:
            return QuoteMatch(None)
        good = [w for w in windows if w.similarity >= threshold and _same_facts(needle, text[w.start : w.end])]
        if not good:
            return QuoteMatch(None, max(w.similarity for w in windows))
        best = max(good, key=lambda w: (w.similarity, -w.start))
        rivals = sum(
            w.similarity >= best.similarity - _RIVAL_GAP and (w.end <= best.start or w.start >= best.end) for w in good
        )
        start, end = self._folded.span(best.start, best.end)
        confidence = min(FUZZY_CAP, best.similarity)
        return QuoteMatch(Alignment(start, end, "fuzzy", confidence, rivals > 0), best.similarity, rivals)

    @cached_property
    def _folded(self) -> _Folded:
        return _fold(self.source)


def align_all(messages: Sequence[str], evidence: Iterable[tuple[int, str]]) -> EvidenceReport:
    """Verify the evidence of one entry: pairs of a 0-based message index and a quote from that message."""
    aligners: dict[int, Aligner] = {}
    return EvidenceReport(tuple(_check(messages, aligners, index, quote) for index, quote in evidence))


def _check(messages: Sequence[str], aligners: dict[int, Aligner], index: int, quote: str) -> QuoteAlignment:
    found = QuoteMatch(None)
    failure: AlignmentFailure | None = None
    if not quote.strip():
        failure = "empty_quote"
    elif not 0 <= index < len(messages):
        failure = "invalid_index"
    else:
        found = aligners.setdefault(index, Aligner(messages[index])).find(quote)
        if found.alignment is None:
            failure = "below_threshold" if found.closest >= _NEARLY else "not_found"
    digest = hashlib.sha256(quote.encode("utf-8", "surrogatepass")).hexdigest()
    return QuoteAlignment(index, quote, digest, found.alignment, failure, found.closest, found.alternatives)


_SENTENCE = compile_later(r"[^.!?。？！\n]+(?:[.](?=\S)[^.!?。？！\n]+)*[.!?。？！]*")
_BULLET = compile_later(r"\s*(?:[-*•>#]+|\d+[.)])?\s*")


def grounded_ratio(response: str, sources: Sequence[str]) -> Grounding:
    """Return which statements of a response occur verbatim in its sources (similarity 0.8), and their share. Statements
    are sentences or lines of at least ten characters; questions do not count."""
    aligners = [Aligner(source) for source in sources]
    claims = tuple(_ground(claim, aligners) for claim in _claims(response))
    ratio = sum(c.alignment is not None for c in claims) / len(claims) if claims else None
    return Grounding(claims, ratio)


def _claims(response: str) -> Iterator[Claim]:
    for match in _SENTENCE.finditer(response):
        lead = _BULLET.match(match.group())
        text = match.group()[lead.end() if lead else 0 :].rstrip()
        if len(text) >= _MIN_CLAIM and not text.endswith(("?", "？")):
            start = match.start() + (lead.end() if lead else 0)
            yield Claim(start, start + len(text), text)


def _ground(claim: Claim, aligners: list[Aligner]) -> Claim:
    for index, aligner in enumerate(aligners):
        alignment = aligner.find(claim.text, CLAIM_THRESHOLD).alignment
        if alignment:
            return Claim(claim.start, claim.end, claim.text, index, alignment)
    return claim


def _occurrences(text: str, needle: str, most: int = _MAX_SEED_HITS) -> list[int]:
    """Return where `needle` stands, `most` places at most; overlapping places count, as the quote could mean
    either."""
    places: list[int] = []
    at = text.find(needle)
    while at >= 0 and len(places) < most:
        places.append(at)
        at = text.find(needle, at + 1)
    return places


# --- folding with a way back ------------------------------------------------------------------------------------------


class _Folded(NamedTuple):
    """A normalized text; character i comes from `starts[i]:ends[i]` of the original."""

    text: str
    starts: list[int]
    ends: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        return self.starts[start], self.ends[end - 1]


# What must be normalized together: plain words, white space, a decomposed Hangul syllable, a letter with its marks.
_CLUSTER = compile_later(
    r"[!-~]+(?![\u0300-\u036f])|\s+"
    r"|[\u1100-\u115f\ua960-\ua97c][\u1160-\u11a7\ud7b0-\ud7c6][\u11a8-\u11ff\ud7cb-\ud7fb]?"
    r"|[\uffa1-\uffdc]+"
    r"|.[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094d\u3099\u309a\u20d0-\u20f0]*",
    re.DOTALL,
)
_INVISIBLE = compile_later(r"[\ufe00-\ufe0f]")
# Models straighten quotation marks and dashes when they copy.
_TYPOGRAPHY = str.maketrans("‘’‚‛“”„‟‐‑‒–—−", "''''\"\"\"\"------")


def _fold(text: str) -> _Folded:
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _CLUSTER.finditer(text):
        begin, end = match.span()
        cluster = match.group()
        if cluster.isascii() and not cluster[0].isspace():
            out.append(cluster.lower())
            starts.extend(range(begin, end))
            ends.extend(range(begin + 1, end + 1))
            continue
        for character in _fold_cluster(cluster):
            if character == " " and out and out[-1][-1] == " ":
                ends[-1] = end
                continue
            out.append(character)
            starts.append(begin)
            ends.append(end)
    return _Folded("".join(out), starts, ends)


def _fold_cluster(cluster: str) -> str:
    if cluster.isspace():
        return " "
    folded = _INVISIBLE.sub("", unicodedata.normalize("NFKC", cluster).lower().translate(_TYPOGRAPHY))
    return "".join(" " if c.isspace() else c for c in folded if unicodedata.category(c) != "Cf")


# --- approximate matching -------------------------------------------------------------------------------------------


class _Window(NamedTuple):
    start: int
    end: int
    similarity: float


# A changed number or a lost negation makes another claim, however few letters it takes.
_NUMBER = compile_later(r"\d+(?:[.,:]\d+)*")
_NEGATION = compile_later(r"\b(?:not|never|no|none|nor|cannot|without)\b|n['’]t\b|않|못하|없|아니")


def _same_facts(quote: str, passage: str) -> bool:
    numbers = Counter(_NUMBER.findall(quote)) - Counter(_NUMBER.findall(passage))
    return not numbers and len(_NEGATION.findall(quote)) == len(_NEGATION.findall(passage))


def _similar_windows(text: str, needle: str, threshold: float) -> Iterator[_Window]:
    """Windows of `text` like `needle`, best seeded first; all those at least `threshold` similar are among them unless
    the text repeats itself thousands of times, or the quote is a text of thousands of characters itself.

    At most `edits` edits can hide in a match of that similarity, so of more disjoint pieces than that one survives
    (pigeonhole): only places where a piece stands need a look.
    """
    from rapidfuzz.distance import Levenshtein

    size = len(needle)
    if size < MIN_FUZZY_LENGTH or not text:
        return
    edits = int(size * (1 - threshold) / threshold + 1e-9)
    if edits == 0:
        return
    similarity = Levenshtein.normalized_similarity
    seen: list[_Window] = []
    work = _Work(_WORK)
    for start in _seeded(text, needle, edits):
        # One window of about the right place tells whether a search around it is worth while.
        if any(abs(w.start - start) <= edits for w in seen):
            continue
        if not work.allows(size * size):
            return
        guess = similarity(needle, text[max(0, start) : start + size])
        if guess < threshold - 0.45:
            continue
        window = _refine(text, needle, start, edits, work)
        seen.append(window)
        yield window


def _seeded(text: str, needle: str, edits: int) -> list[int]:
    """Likely starts of `needle` in `text`, most supported first."""
    piece = max(2, len(needle) // (edits + 1))
    votes: Counter[int] = Counter()
    first: dict[int, int] = {}
    width = edits + 1
    left = _MAX_ALL_HITS
    step = piece * (1 + len(needle) // piece * len(text) // _SEED_WORK)
    for offset in range(0, len(needle) - piece + 1, step):
        most = min(left, _MAX_SEED_HITS)
        hits = _occurrences(text, needle[offset : offset + piece], most)
        if len(hits) >= most:
            continue
        left -= len(hits)
        for at in hits:
            bucket = (at - offset) // width
            votes[bucket] += 1
            first.setdefault(bucket, at - offset)
    support = {bucket: count + votes.get(bucket + 1, 0) for bucket, count in votes.items()}
    ranked = sorted(support, key=lambda b: (-support[b], b))[:_MAX_CANDIDATES]
    return [first[bucket] for bucket in ranked]


class _Work:
    """What a search may still cost."""

    def __init__(self, left: int) -> None:
        self._left = left

    def allows(self, cost: int) -> bool:
        """Return whether enough budget is left, and consume it."""
        self._left -= cost
        return self._left >= 0


def _refine(text: str, needle: str, start: int, edits: int, work: _Work) -> _Window:
    """Return the best window around `start`: its two ends are moved in turn until neither move helps, or work runs
    out."""
    from rapidfuzz.distance import Levenshtein

    def score(a: int, b: int) -> tuple[float, int]:
        if not work.allows(len(needle) * (b - a)):
            return -1.0, 0
        return Levenshtein.normalized_similarity(needle, text[a:b]), -abs(b - a - len(needle))

    begin = min(max(0, start), len(text) - 1)
    end = min(len(text), begin + len(needle))
    reach = 2 * edits + 1
    for _ in range(4):
        before = (begin, end)
        begin = _climb(lambda a, fixed: score(a, fixed), begin, end, reach, (0, end - 1))
        end = _climb(lambda b, fixed: score(fixed, b), end, begin, reach, (begin + 1, len(text)))
        if before == (begin, end):
            break
    return _Window(begin, end, Levenshtein.normalized_similarity(needle, text[begin:end]))


def _climb(
    score: Callable[[int, int], tuple[float, int]], at: int, fixed: int, reach: int, bounds: tuple[int, int]
) -> int:
    """Return the best position within `reach` of `at`; wide ranges are first sampled, then searched around the best
    sample."""
    step = max(1, reach // 32)
    while True:
        around = range(max(bounds[0], at - reach), min(bounds[1], at + reach) + 1, step)
        at = max((at, *around), key=lambda position: score(position, fixed))
        if step == 1:
            return at
        reach, step = step, 1
