"""Filters many texts in one batch scan: almost all contain nothing to hide, and scanning each by itself costs many
times more. `scan` and `tags` decide what is secret, `filter` what replaces it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from graphmem.makeway import make_way
from graphmem.privacy.anonymize import find_personal
from graphmem.privacy.disguise import undo_disguise
from graphmem.privacy.filter import DEFAULT, PrivacySettings, redact
from graphmem.privacy.manifests import KIND
from graphmem.privacy.patterns import compile_pattern
from graphmem.privacy.pem import BEGIN
from graphmem.privacy.scan import find_secrets
from graphmem.privacy.tags import find_tags

_BETWEEN = "\n\0\n"  # a line ends and begins as at the ends of a text, and no form of a secret continues behind it
_MAX_BATCH_CHARS = 1 << 20  # characters that are joined


def redact_each(texts: Sequence[str]) -> list[str]:
    """Return the texts as `redact` leaves each of them."""
    return [text if clean else redact(text).text for text, clean in zip(texts, are_clean(texts), strict=True)]


def are_clean(texts: Sequence[str], settings: PrivacySettings = DEFAULT) -> list[bool]:
    """Return for each text whether `filter_text` would find nothing in it; False also for a text that must be checked alone."""
    clean = [False] * len(texts)
    disguised = [undo_disguise(text) is not None for text in texts]
    for kind in (False, True):  # one disguised text in a batch would have all of them scanned twice
        chosen = [at for at, found in enumerate(disguised) if found == kind]
        verdicts = (one for some in _parts([texts[at] for at in chosen]) for one in _scan_joined(some, settings))
        for at, verdict in zip(chosen, verdicts, strict=True):
            clean[at] = verdict
    return clean


def _parts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    start = size = 0
    for at, text in enumerate(texts):
        if size and size + len(text) > _MAX_BATCH_CHARS:
            yield texts[start:at]
            start, size = at, 0
        size += len(text)
    if start < len(texts):
        yield texts[start:]


def _scan_joined(texts: Sequence[str], settings: PrivacySettings) -> list[bool]:
    """Return what is secret alone is secret between others: only texts that a finding touches can hold one."""
    make_way()
    joined = _BETWEEN.join(texts)
    starts = [0, *accumulate(len(text) + len(_BETWEEN) for text in texts)]
    clean = [True] * len(texts)
    for start, end in _findings(joined, settings):
        for at in range(bisect_right(starts, start) - 1, bisect_right(starts, end - 1)):
            clean[min(at, len(clean) - 1)] = False
    return clean


def _findings(text: str, settings: PrivacySettings) -> Iterator[tuple[int, int]]:
    """Whatever has to be looked at closely. Of keys and manifests, which have a head and a foot far from it, the heads."""
    for span in find_secrets(text, settings.names, certain=settings.certain, printed=settings.printed):
        yield span.start, span.end
    yield from (tag.span() for tag in find_tags(text))
    if settings.anonymize:
        for span in find_personal(text):
            yield span.start, span.end
    at = text.find(BEGIN)
    while at >= 0:
        yield at, at + len(BEGIN)
        at = text.find(BEGIN, at + 1)
    if "Secret" in text:
        yield from (kind.span() for kind in compile_pattern(KIND).finditer(text))
