"""Results of the pure text functions: spans of secrets, aligned quotes, times, references and entities.
Every offset is an index into the original `str`. Nothing here computes; see `privacy/` and `language/`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

AlignmentMethod = Literal["exact", "normalized", "fuzzy"]


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]` of the original was hidden because it is a `kind` ("github_token", "private", ...)."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Redaction:
    """`text` is safe to store; `spans` lie in the original, sorted and disjoint."""

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Alignment:
    """Where a quote stands in its source: `source[start:end]`. `confidence` is 1.0 for exact, 0.95 up for
    normalized, below 0.95 for fuzzy matches; `ambiguous` says that the quote occurs more than once."""

    start: int
    end: int
    method: AlignmentMethod
    confidence: float
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A time expression. `value` is TIMEX3 (ISO 8601: "2026-01-22", "2026-W04", "P3D"); `begin` and `until` are
    aware UTC bounds, half-open, None where open or not applicable."""

    start: int
    end: int
    text: str
    value: str
    begin: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A pronoun or definite mention at `start:end` that means the text at `antecedent_start:antecedent_end`."""

    start: int
    end: int
    text: str
    antecedent_start: int
    antecedent_end: int
    antecedent: str


@dataclass(frozen=True, slots=True)
class EntityMention:
    """A named thing at `start:end`; `type` as listed in the documentation (person, library, file, function, ...)."""

    start: int
    end: int
    text: str
    type: str
