"""Results of checking quotes and answers against the messages they claim to come from. Produced by `text/align.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graphmem.model.text import Alignment

AlignmentFailure = Literal["not_found", "below_threshold", "ambiguous", "empty_quote", "invalid_index"]


@dataclass(frozen=True, slots=True)
class QuoteAlignment:
    """A quote and its position in message `message_index`. Exactly one of `alignment` and `failure` is set.

    `quote_hash` is the sha256 of the full quote. `closest` is the best similarity (equal to the confidence if aligned,
    but not capped). `alternatives` counts further places where the quote occurs.
    """

    message_index: int
    quote: str
    quote_hash: str
    alignment: Alignment | None
    failure: AlignmentFailure | None
    closest: float = 0.0
    alternatives: int = 0


@dataclass(frozen=True, slots=True)
class EvidenceReport:
    """The quotes of one entry, in the given order."""

    quotes: tuple[QuoteAlignment, ...]

    @property
    def aligned(self) -> bool:
        """Return whether there is evidence and all of it was found; the entry may then leave the stage candidate."""
        return bool(self.quotes) and all(q.alignment for q in self.quotes)

    @property
    def verifiable(self) -> bool:
        """Return whether it is aligned and each quote occurs only once; the entry can then be verified without a person."""
        return self.aligned and not any(q.alignment and q.alignment.ambiguous for q in self.quotes)

    @property
    def failed(self) -> tuple[QuoteAlignment, ...]:
        """Return the quotes that prevent verification."""
        return tuple(q for q in self.quotes if q.failure)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement at `start:end` of the response; `alignment` is in `sources[source_index]`, if any."""

    start: int
    end: int
    text: str
    source_index: int | None = None
    alignment: Alignment | None = None


@dataclass(frozen=True, slots=True)
class Grounding:
    """The share of a response that its sources support. `ratio` is None if it claims nothing."""

    claims: tuple[Claim, ...]
    ratio: float | None
