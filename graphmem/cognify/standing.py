"""Updates the status of superseded and contested facts in the graph: status, both end times, and SUPERSEDES and
CONTRADICTS edges with their reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from datetime import UTC, datetime
from typing import Any

from graphmem import resources
from graphmem.cognify.amended import correction_verdicts, revision_verdicts, turns_before
from graphmem.cognify.amendments import Amendment, is_correction, resolve_corrections, with_amendments
from graphmem.cognify.claims import Claim
from graphmem.cognify.groups import Groups, Place
from graphmem.cognify.ledger import Ledger
from graphmem.cognify.mended import Ending, find_mended, has_states
from graphmem.cognify.packed_entries import Entry
from graphmem.cognify.reach import Reach
from graphmem.cognify.revisions import Match, Revisions
from graphmem.cognify.slot_revisions import SlotMatch, SlotRevisions, slot_verdicts
from graphmem.cognify.stated import is_unmade, read_stated
from graphmem.cognify.supersede import (
    Claimed,
    FactStatus,
    Verdict,
    fact_statuses,
    manual_verdicts,
    supersession_verdicts,
    topics_of,
)
from graphmem.log.approvals import APPROVE
from graphmem.model.changes import Changes, Edge, EdgeKey, Node
from graphmem.ports.graph import GraphStore
from graphmem.projections.registry import project_derivation
from graphmem.trust.origin import may_bind

_STANDING = "queries/graph/read/facts_not_active.cypher"
_EDGES = "queries/graph/read/facts_replaced_or_contested.cypher"
_AGENT = 0.6  # confidence up to which a fact is an agent's word
_RECENT = 10 * 86_400 * 1_000_000  # microseconds
_NONE = Claim("", "", "")
_ACTIVE = FactStatus("active")
_CARRIES_SUPERSEDED = 2  # mark of an item most of whose facts no longer hold: it is shown, below the others
_AMENDED_LATER = 3  # mark of what was said in a chat whose decision a later one revised
Subject = tuple[str, str]  # project, what claims are compared under


class FactStatuses:
    """How facts stand, by what this process read and wrote."""

    def __init__(self, ledger: Ledger, graph: GraphStore, *, again: bool) -> None:
        self._ledger = ledger
        self._claims: Groups[Subject, Claimed] = Groups()
        self._facts: dict[str, Claimed] = {}
        self._verdicts: dict[Subject, list[Verdict]] = {}
        self._touched: set[Subject] = set()
        self._decided: dict[tuple[str, str], bool] | None = None
        self._amended: dict[Place, list[Amendment]] = {}
        self._reach = Reach()
        self._without: Set[str] = frozenset()
        self._unwritten: list[Amendment] = []
        self._unmade: set[str] = set()  # facts of corrections of which it is no longer clear what they correct
        self._turns: dict[str, str] = {}  # fact -> the turn that says it
        self._said: dict[str, list[str]] = {}  # turn -> its facts
        self._revisions = Revisions()
        self._slots = SlotRevisions()
        self._slot_matches: list[SlotMatch] = []
        self._graph = graph
        self._matches: list[Match] = []
        self._mended: dict[Place, dict[str, Ending]] = {}  # facts that their own session ended
        self._is_mended_anew = False
        self._is_amended_anew = False
        self._amended_turns: frozenset[str] = frozenset()  # of chats whose decision was revised later
        rows = graph.query(resources.text(_STANDING)).rows
        self._have = {row[0]: FactStatus("" if again else row[1], *map(_micro, row[2:4])) for row in rows}
        self._edges: dict[tuple[str, str, str], str] = {
            (kind, newer, older): reason for kind, newer, older, reason in graph.query(resources.text(_EDGES)).rows
        }

    def put(self, place: Place, without: Set[str]) -> None:
        """Read the claims of a place again; facts `without` are gone."""
        entries = self._ledger.facts_by_place.of(place)
        self._without = without
        if not self._reach.note(place, entries):
            self._put(place, entries)

    def _put(self, place: Place, entries: list[Entry], before: Iterable[Entry] = ()) -> None:
        without, found = self._without, dict[Subject, list[Claimed]]()
        amended = [one for one in resolve_corrections(entries, before) if one.fact["id"] not in without]
        self._unwritten += [one for one in amended if one not in self._amended.get(place, ())]
        self._unmade |= {one.fact["id"] for one in self._amended.get(place, ())} - {one.fact["id"] for one in amended}
        self._is_amended_anew |= amended != self._amended.get(place, [])
        self._amended[place] = amended
        corrected = {one.fact["id"]: one.fact for one in amended}
        whole = with_amendments(entries, amended)
        self._revisions.put(place, whole, without)
        self._slots.put(place, whole, without)
        mended = find_mended(self._ledger.of(place)) if has_states(entries) else {}
        self._is_mended_anew |= mended != self._mended.get(place, {})
        self._mended[place] = mended
        for entry in entries:
            self._note_turn(entry)
            for claimed in map(self._vouched, _claimed(entry, corrected)):
                if claimed.fact not in without:
                    self._facts[claimed.fact] = claimed
                    if claimed.claim is not _NONE:
                        for topic in topics_of(claimed.claim):
                            found.setdefault((claimed.project, topic), []).append(claimed)
        self._touched |= self._claims.put(place, found)

    def _stated_in(self, places: Iterable[Place]) -> list[Entry]:
        """Return what was stated in these places, corrections completed, without what is gone."""
        found = []
        for place in places:
            for entry in with_amendments(self._ledger.facts_by_place.of(place), self._amended.get(place, ())):
                facts = [fact for fact in entry.body["facts"] if fact["id"] not in self._without]
                found.append(entry._replace(body=entry.body | {"facts": facts}))
        return found

    def _vouched(self, claimed: Claimed) -> Claimed:
        """Return a claim with a person's authority if a person approved it."""
        verdict, _ = self._ledger.approvals.decided.get(claimed.fact, ("", 0))
        return claimed._replace(authority=2, is_approved=True) if verdict == APPROVE and claimed.authority else claimed

    def _note_turn(self, entry: Entry) -> None:
        if entry.body.get("label") not in ("Turn", "Commit"):
            return
        if facts := list(dict.fromkeys([*(fact["id"] for fact in entry.body["facts"]),
                                        *(one.id for one in read_stated(entry.body, entry.body["source"]))])):  # fmt: skip
            self._said[entry.body["source"]] = facts
            self._turns |= dict.fromkeys(facts, entry.body["source"])

    def changed(self) -> Changes:
        """Return what to write, since the last call."""
        changes = Changes()
        for place, others in self._reach.take():
            self._put(place, self._ledger.facts_by_place.of(place), self._stated_in(others))
        for amendment in self._unwritten:
            entry = amendment.entry
            body = entry.body | {"facts": [amendment.fact]}
            changes.extend(project_derivation(entry._replace(body=body).derivation))
        changes.removed_nodes += [("Fact", fact) for fact in sorted(self._unmade - self._without)]
        changes.removed_items += sorted(self._unmade - self._without)
        self._unwritten, self._unmade = [], set()
        decided = self._ledger.decided
        before = self._decided
        if decided != before:
            self._touched |= set(self._verdicts)
            told = [claimed for pair in decided for claimed in map(self._facts.get, pair) if claimed]
            self._touched |= {(claimed.project, topic) for claimed in told for topic in topics_of(claimed.claim)}
            self._decided = dict(decided)
        matches = list(self._revisions.matches())
        slot_matches = list(self._slots.matches())
        same = matches == self._matches and slot_matches == self._slot_matches
        same = same and not (self._is_mended_anew or self._is_amended_anew)
        if decided == before and not self._touched and same:
            return changes
        self._is_mended_anew = self._is_amended_anew = False
        self._matches, self._slot_matches = matches, slot_matches
        for subject in self._touched:
            latest = {claimed.fact: claimed for claimed in self._claims.of(subject)}  # said again with a ref: the last
            self._verdicts[subject] = supersession_verdicts(latest.values(), decided)
        self._touched = set()
        compared = (verdict for group in self._verdicts.values() for verdict in group)
        revised = (
            *revision_verdicts(matches, self._facts, decided),
            *correction_verdicts(self._amended, self._facts, decided),
        )
        read = slot_verdicts(slot_matches, self._facts, decided)
        pairs = {(v.newer.fact, v.older.fact): v for v in (*read, *revised) if v.newer.fact != v.older.fact}
        for verdict in compared:  # what tells of a change leaves no contradiction
            pair = verdict.newer.fact, verdict.older.fact
            if verdict.replaces or pair not in pairs:
                pairs[pair] = verdict
        found = [*pairs.values(), *manual_verdicts(decided, self._facts, pairs)]
        statuses = self._ended() | dict(fact_statuses(found))
        if self._ledger.stone and before is None:
            self._release(changes, statuses)
        self._tell(changes, statuses)
        ended = {verdict.older.fact for verdict in revised if verdict.replaces}
        self._mark_amended(changes, turns_before(self._graph, matches, ended, self._said.keys()))
        self._relate(changes, found)
        return changes

    def _ended(self) -> dict[str, FactStatus]:
        """Return how the facts stand that their own session ended, but for those that a person approved."""
        return {
            fact: FactStatus("superseded", ending.at, ending.clock, ending.at)
            for mended in self._mended.values()
            for fact, ending in mended.items()
            if fact in self._facts and not self._facts[fact].is_approved
        }

    def _release(self, changes: Changes, want: dict[str, FactStatus]) -> None:
        """Take marks off turns of which no fact was made, once in a process if something was forgotten: the graph does not know
        which of them an earlier process marked."""
        held = {turn for fact, turn in self._turns.items() if fact in want}
        turns = {turn for fact, turn in self._turns.items() if is_unmade(fact)} - held
        changes.standings += [(turn, 0, 0) for turn in sorted(turns)]

    def _mark_amended(self, changes: Changes, amended: frozenset[str]) -> None:
        """Mark the turns of chats whose decision was revised later, with what was derived from them."""
        for turn in sorted(amended ^ self._amended_turns):
            mark = _AMENDED_LATER if turn in amended else 0
            said = self._said.get(turn, [])
            carries = said and all(self._have.get(fact, _ACTIVE).status == "superseded" for fact in said)
            changes.standings += [(fact, 0, mark) for fact in said if fact not in self._have and not is_unmade(fact)]
            changes.standings.append((turn, 0, _CARRIES_SUPERSEDED if carries else mark))
        self._amended_turns = amended

    def _tell(self, changes: Changes, want: dict[str, FactStatus]) -> None:
        turns: dict[str, None] = {}
        for fact in sorted(want.keys() | self._have.keys()):
            new, old = want.get(fact, _ACTIVE), self._have.get(fact)
            if old is None or new[:3] != old[:3]:
                turns |= {self._turns[fact]: None} if fact in self._turns else {}
                if is_unmade(fact):
                    continue
                changes.standings.append((fact, new.until, int(new.status == "contested")))
                properties: dict[str, Any] = {"status": new.status, "valid_to": new.valid_to or None,
                                              "retired_at": new.retired_at or None}  # fmt: skip
                changes.nodes.append(Node("Fact", fact, properties))
        self._have = want
        for turn in turns:
            ended = [fact for fact in self._said[turn] if fact in want and want[fact].status == "superseded"]
            contested = any(fact in want and want[fact].status == "contested" for fact in self._said[turn])
            carries = bool(ended) and 2 * len(ended) >= len(self._said[turn])
            mark = _CARRIES_SUPERSEDED if carries else _AMENDED_LATER if turn in self._amended_turns else int(contested)
            changes.standings.append((turn, 0, mark))

    def _relate(self, changes: Changes, found: list[Verdict]) -> None:
        want: dict[tuple[str, str, str], str] = {}
        for verdict in found:
            kind = "SUPERSEDES" if verdict.replaces else "CONTRADICTS"
            newer, older = verdict.newer.fact, verdict.older.fact
            if is_unmade(newer) or is_unmade(older):
                continue
            want[kind, newer, older] = verdict.reason
            if self._edges.get((kind, newer, older)) != verdict.reason:
                properties: dict[str, Any] = {"at": max(verdict.newer.recorded, verdict.older.recorded)}
                told = (
                    {"reason": verdict.reason}
                    if verdict.replaces
                    else {"confidence": 0.7, "resolution": verdict.reason}
                )
                changes.edges.append(Edge(kind, "Fact", newer, "Fact", older, properties | told))
        for kind, newer, older in self._edges.keys() - want.keys():
            changes.removed_edges.append(EdgeKey(kind, "Fact", newer, "Fact", older))
        self._edges = want


def _claimed(entry: Entry, corrected: dict[str, dict[str, Any]]) -> Iterator[Claimed]:
    body, at = entry.body, entry.at
    if body.get("explicit"):
        claim = Claim(*body["claim"]) if body.get("claim") else _NONE
        authority = 2 if body.get("origin", "person") == "person" else 1
        yield Claimed(body["explicit"], *entry.place, claim, at, entry.clock, at, authority, True)
    for derived in body["facts"]:
        fact = corrected.get(derived["id"], derived)
        if fact is derived and is_correction(derived):
            continue
        claim = Claim(*fact["claim"]) if fact.get("claim") else _NONE
        told_by_agent = fact["confidence"] <= _AGENT and body["label"] != "Commit" and fact.get("speaker") != "user"
        stranger = not may_bind(fact.get("origin") or "person")
        valid = at + fact.get("valid", 0) * 1_000_000
        if claim.changed and 0 < at - valid <= _RECENT:
            valid = at  # "upgraded yesterday" ends what was said yesterday
        yield Claimed(
            fact["id"], *entry.place, claim, valid, entry.clock, at, 0 if stranger else 1 if told_by_agent else 2
        )
    binds = may_bind(body.get("origin") or "person")
    by_agent = body.get("origin") == "agent"
    for one in read_stated(body, body["source"]):
        if is_unmade(one.id):
            authority = 0 if not binds else 1 if by_agent else 2
            yield Claimed(one.id, *entry.place, _NONE, at, entry.clock, at, authority)


def _micro(time: datetime | None) -> int:
    return round(time.astimezone(UTC).timestamp() * 1_000_000) if time else 0
