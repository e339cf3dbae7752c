"""What a revision does to the graph and the index: a verdict for each rule that it ends, and a mark for the turns of the chat
that led to it, which are no longer shown as the last word."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime

from graphmem import resources
from graphmem.cognify.amendments import Amendment
from graphmem.cognify.groups import Place
from graphmem.cognify.revisions import Match
from graphmem.cognify.supersede import Claimed, Verdict
from graphmem.ports.graph import GraphStore
from graphmem.projections.names import session_id
from graphmem.text.revising import DROPS, ENDS, REVERSES

_TURNS = "queries/graph/read/session_turns.cypher"
_HOW = {DROPS: "dropped", ENDS: "ended", REVERSES: "reversed"}
_LONGEST_CHAT = 30  # turns; in a longer session, or one with tool calls, only the turn of the rule is marked


def revision_verdicts(
    matches: Iterable[Match], facts: Mapping[str, Claimed], decided: Mapping[tuple[str, str], bool]
) -> Iterator[Verdict]:
    """Yield the supersessions that follow from revisions. What a person decided wins; nobody revises a better source."""
    for revision, rule in matches:
        newer, older = facts.get(revision.fact), facts.get(rule.fact)
        if newer is None or older is None or newer.authority < older.authority or newer.authority == 0:
            continue
        if decided.get((newer.fact, older.fact), True):
            yield Verdict(newer, older, True, f"{_HOW.get(revision.how, 'amended')} on {_day(newer.at)}")


def correction_verdicts(
    amended: Mapping[Place, Iterable[Amendment]],
    facts: Mapping[str, Claimed],
    decided: Mapping[tuple[str, str], bool],
) -> Iterator[Verdict]:
    """Yield the supersessions that follow from corrections of statements without a claim."""
    for amendment in (one for place in sorted(amended) for one in amended[place] if one.older):
        newer, older = facts.get(amendment.fact["id"]), facts.get(amendment.older)
        if newer and older and 0 < newer.authority >= older.authority and decided.get((newer.fact, older.fact), True):
            yield Verdict(newer, older, True, f"corrected on {_day(newer.at)}")


def turns_before(graph: GraphStore, matches: Iterable[Match], ended: Collection[str]) -> frozenset[str]:
    """Return the ids of the turns of chats in which a rule was settled that a later session revised; `ended` are the rules
    that no longer hold."""
    chats = {
        (match.rule.place, match.revision.at): None
        for match in matches
        if match.rule.fact in ended and match.rule.place[1] and match.rule.place != match.revision.place
    }
    found: set[str] = set()
    for (_, session), until in chats:
        asked = {"id": session_id(session), "limit": _LONGEST_CHAT + 1, "offset": 0}
        turns = [(row[0], row[2], row[3]) for row in graph.query(resources.text(_TURNS), asked).rows]
        if len(turns) <= _LONGEST_CHAT and all(role != "tool" for _, role, _ in turns):
            found |= {turn for turn, _, at in turns if _micro(at) < until}
    return frozenset(found)


def _day(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1_000_000, UTC):%Y-%m-%d}"


def _micro(at: datetime | int | None) -> int:
    if isinstance(at, datetime):
        return round(at.replace(tzinfo=at.tzinfo or UTC).timestamp() * 1_000_000)
    return at or 0
