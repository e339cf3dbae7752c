"""What a revision does to the graph and the index: a verdict for each rule that it ends, and a mark for the turns of the chat
that led to it, which are no longer shown as the last word."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime

from graphmem import resources
from graphmem.cognify.amendments import Amendment
from graphmem.cognify.groups import Place
from graphmem.cognify.revisions import RESTATES, Match
from graphmem.cognify.supersede import Claimed, Verdict, is_held_back
from graphmem.ports.graph import GraphStore
from graphmem.projections.names import session_id
from graphmem.text.revising import DROPS, ENDS, REPLACES, REVERSES
from graphmem.text.topics import topic_words

_TURNS = "queries/graph/read/session_turns.cypher"
_HOW = {DROPS: "dropped", ENDS: "ended", REVERSES: "reversed", REPLACES: "replaced", RESTATES: "replaced"}
_SHARED = 2  # words of a rule and its revision that a turn about them has
_GAP = 3  # turns from one that is about a rule to the next, between which short answers are about it, too
_MOSTLY = 0.5  # of the turns of a chat: it is about the rule as a whole, but for what else it states
_LONGEST_CHAT = 30  # turns; in a longer session, or one with tool calls, only the turn of the rule is marked


def revision_verdicts(
    matches: Iterable[Match], facts: Mapping[str, Claimed], decided: Mapping[tuple[str, str], bool]
) -> Iterator[Verdict]:
    """Yield the supersessions that follow from revisions. What a person decided wins; nobody revises a better source."""
    for revision, rule in matches:
        newer, older = facts.get(revision.fact), facts.get(rule.fact)
        if newer is None or older is None or newer.authority == 0:
            continue
        held_back = is_held_back(newer, older)
        if newer.authority < older.authority and not held_back:
            continue
        if decided.get((newer.fact, older.fact), True):
            both_stand = held_back or (newer.is_approved and older.is_approved and revision.how == RESTATES)
            yield Verdict(newer, older, not both_stand, f"{_HOW.get(revision.how, 'amended')} on {_day(newer.at)}")


def correction_verdicts(
    amended: Mapping[Place, Iterable[Amendment]],
    facts: Mapping[str, Claimed],
    decided: Mapping[tuple[str, str], bool],
) -> Iterator[Verdict]:
    """Yield the supersessions that follow from corrections of statements without a claim."""
    ends = ((one.fact["id"], old) for place in sorted(amended) for one in amended[place] for old in one.older)
    for new, old in ends:
        newer, older = facts.get(new), facts.get(old)
        if newer and older and 0 < newer.authority >= older.authority and decided.get((newer.fact, older.fact), True):
            yield Verdict(newer, older, True, f"corrected on {_day(newer.at)}")


def turns_before(
    graph: GraphStore, matches: Iterable[Match], ended: Collection[str], stating: Collection[str]
) -> frozenset[str]:
    """Return the ids of the turns of chats in which a rule was settled that a later session revised, as far as they are about
    that rule: a session may have settled other things, too. `ended` are the rules that no longer hold, `stating` the turns of
    which facts were made."""
    chats: dict[
        tuple[str, int, bool], set[str]
    ] = {}  # session, time of the revision, whether it changes but a value -> words
    for match in matches:
        rule, revision = match.rule, match.revision
        if rule.fact in ended and rule.place[1] and rule.place != revision.place:
            of_value = revision.how == RESTATES or not rule.is_binding
            chats.setdefault((rule.place[1], revision.at, of_value), set()).update(rule.words, revision.words)
    found: set[str] = set()
    for (session, until, of_value), words in chats.items():
        asked = {"id": session_id(session), "limit": _LONGEST_CHAT + 1, "offset": 0}
        turns = [(row[0], row[2], row[3], row[4]) for row in graph.query(resources.text(_TURNS), asked).rows]
        if len(turns) <= _LONGEST_CHAT and all(role != "tool" for _, role, _, _ in turns):
            said = [(turn, content or "") for turn, _, at, content in turns if _micro(at) < until]
            about = [place for place, (_, text) in enumerate(said) if len(words & topic_words(text)) >= _SHARED]
            marked = range(len(said)) if len(about) >= _MOSTLY * len(said) else _with_gaps(about)
            found |= {
                said[place][0]
                for place in marked
                if said[place][0] not in stating or (place in about and not of_value)  # others state something else
            }
    return frozenset(found)


def _with_gaps(places: list[int]) -> Iterator[int]:
    """Yield places, and those in short gaps between them."""
    for here, following in zip(places, [*places[1:], -1], strict=True):
        yield from range(here, following if here < following <= here + _GAP else here + 1)


def _day(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1_000_000, UTC):%Y-%m-%d}"


def _micro(at: datetime | int | None) -> int:
    if isinstance(at, datetime):
        return round(at.replace(tzinfo=at.tzinfo or UTC).timestamp() * 1_000_000)
    return at or 0
