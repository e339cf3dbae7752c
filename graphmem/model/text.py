"""Results of the pure text functions: redacted spans, aligned quotes, times, references and entities. All offsets are
indexes into the original `str`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

AlignmentMethod = Literal["exact", "normalized", "fuzzy"]


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]` of the original was redacted as a `kind` ("github_token", "private", ...)."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Redaction:
    """`text` is safe to store; `spans` refer to the original, sorted and disjoint."""

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Alignment:
    """Position of a quote in its source: `source[start:end]`. `confidence` is 1.0 for an exact match, 0.95 or more for a
    normalized one, below 0.95 for a fuzzy one; `ambiguous`: the quote occurs more than once."""

    start: int
    end: int
    method: AlignmentMethod
    confidence: float
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A time expression. `value` is TIMEX3 (ISO 8601: "2026-01-22", "2026-W04", "P3D"); `begin` and `until` are half-open
    aware UTC bounds, None if open or not applicable."""

    start: int
    end: int
    text: str
    value: str
    begin: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A pronoun or definite mention at `start:end` that refers to the text at `antecedent_start:antecedent_end`."""

    start: int
    end: int
    text: str
    antecedent_start: int
    antecedent_end: int
    antecedent: str


@dataclass(frozen=True, slots=True)
class EntityMention:
    """A named entity at `start:end`; `type` is person, library, file, function, ..."""

    start: int
    end: int
    text: str
    type: str
