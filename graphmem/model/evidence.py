"""Results of checking quotes and answers against the messages they claim to come from (requirement 4). Produced by
`language/align.py`; the pipeline stores them with the `evidence_aligned` event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graphmem.model.text import Alignment

AlignmentFailure = Literal["not_found", "below_threshold", "ambiguous", "empty_quote", "invalid_index"]


@dataclass(frozen=True, slots=True)
class QuoteAlignment:
    """One quote and where it stands in message `message_index`. Exactly one of `alignment` and `failure` is set.

    `quote_hash` is the full sha256 of the quote; `closest` the best similarity seen (equal to the confidence where
    aligned, except that it is not capped); `alternatives` counts further places where the quote stands as well.
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
    """The quotes of one entry, in the order given."""

    quotes: tuple[QuoteAlignment, ...]

    @property
    def aligned(self) -> bool:
        """There is evidence and all of it was found: the entry may leave the stage candidate."""
        return bool(self.quotes) and all(q.alignment for q in self.quotes)

    @property
    def verifiable(self) -> bool:
        """Aligned, and each quote has one place only: the entry may be verified without a person."""
        return self.aligned and not any(q.alignment and q.alignment.ambiguous for q in self.quotes)

    @property
    def failed(self) -> tuple[QuoteAlignment, ...]:
        """The quotes that block verification."""
        return tuple(q for q in self.quotes if q.failure)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement at `start:end` of the response; `alignment` lies in `sources[source_index]`, if anywhere."""

    start: int
    end: int
    text: str
    source_index: int | None = None
    alignment: Alignment | None = None


@dataclass(frozen=True, slots=True)
class Grounding:
    """How much of a response its sources say. `ratio` is None where nothing is claimed."""

    claims: tuple[Claim, ...]
    ratio: float | None
