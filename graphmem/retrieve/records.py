"""The immutable records that the stages of a search pass on. `retriever.run_search` shows their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from graphmem.model.results import Confidence
from graphmem.ports.text import ItemFilter, Match

if TYPE_CHECKING:
    import numpy as np


_MIN_HEAD = 10


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller asks for."""

    query: str
    k: int  # number of hits
    where: ItemFilter
    now: datetime  # when the query is asked: "yesterday" is the day before
    budget: int | None = None  # tokens of the context; None: the default
    min_score: float = 0.0  # hits with a lower score are left out
    weights: Mapping[str, float] = field(default_factory=dict)  # signal -> weight in the score (`rank.WEIGHTS`)
    is_past: bool = False  # asked as of an earlier time, when what was replaced since still held
    least: int = 200  # minimum number of candidates to request from a channel

    @property
    def depth(self) -> int:
        """Return the number of candidates to request from a channel."""
        return max(self.least, 4 * self.k)

    @property
    def head_size(self) -> int:
        """Return the number of hits that the stages judge: at least `_MIN_HEAD`, so that the first hit does not depend on
        how many are asked for."""
        return max(self.k, _MIN_HEAD)


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the query says: the result of `analyse_query`, adapted to one family of kinds by `translate_query`."""

    terms: Mapping[str, float] = field(default_factory=dict)  # word -> weight
    related: Mapping[str, float] = field(default_factory=dict)  # synonym -> weight
    names: Mapping[str, float] = field(default_factory=dict)  # `name_key` -> probability that it is a name
    aliases: Mapping[str, float] = field(default_factory=dict)  # `name_key` of another name of the same -> strength
    merged: Mapping[str, float] = field(
        default_factory=dict
    )  # entity that is merged with a name of the query -> strength
    span: tuple[int, int] | None = None  # the period that the query asks about: microseconds, half-open
    wanted: tuple[str, ...] = ()  # kinds that the query asks for, of those that the store has
    vector: np.ndarray | None = None
    unrelated: float = 0.0  # the cosine of unrelated texts
    about_code: bool = False  # a short question, searched among code, documents or commits
    failures: Mapping[str, str] = field(default_factory=dict)  # part -> why it failed


@dataclass(frozen=True, slots=True)
class ChannelResults:
    """What the channels found, by row of the text index."""

    channels: Mapping[str, Mapping[int, float]]  # "words", "vectors", "entities" or "hop" -> row -> score
    matches: Mapping[int, Match]  # row -> how its words match
    failures: Mapping[str, str]  # channel -> why it failed

    @property
    def rows(self) -> list[int]:
        """Return the rows that any channel found, in a stable order."""
        return list(dict.fromkeys(row for scores in self.channels.values() for row in scores))


class Candidate(NamedTuple):
    """An item, or a passage of one, that may become a hit."""

    row: int  # of the text index
    signals: Mapping[str, float]  # signal -> value, mostly in [0, 1] (`rank.WEIGHTS`, `concepts.SIGNALS`)
    match: Match | None = None  # how its words match
    score: float = 0.0  # in [0, 1]: rank within the result; 0 far down
    why: Mapping[str, float] = {}  # signal -> share of the score
    features: Mapping[str, float] = {}  # what the probability is estimated from
    probability: float = 0.0  # that it answers the query; 0 without features


@dataclass(frozen=True, slots=True)
class Family:
    """The candidates of one family of kinds, best first, and the request and analysis that they were found with."""

    request: Request
    analysis: Analysis
    ranked: Sequence[Candidate]
    failures: Mapping[str, str]  # channel -> why it failed


@dataclass(frozen=True, slots=True)
class Merged:
    """The candidates of all families, best first."""

    ranked: Sequence[Candidate]
    leading: int = 0  # number of candidates that stay first, whatever their probability
    about_code: bool = False  # whether the query is a question about code in any family


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the result answers the query."""

    confidence: Confidence = "none"
    probability: float = 0.0  # that the answer is there
    unknown: Mapping[str, str] = field(default_factory=dict)  # name in the query that nothing has -> what that means


def sort_scores(ordered: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates in the given order, with their scores redistributed so that they fall."""
    scores = sorted((one.score for one in ordered), reverse=True)
    return [one._replace(score=score) for one, score in zip(ordered, scores, strict=True)]


def scale_scores(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates with their scores scaled so that the highest is 1."""
    highest = max((one.score for one in ranked), default=0.0) or 1.0
    return [one._replace(score=one.score / highest) if one.score else one for one in ranked]
