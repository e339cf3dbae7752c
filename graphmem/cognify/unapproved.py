"""Keeps the status of what waits for a person's approval, or was rejected, in the graph and the index. Facts, agents' memories and
conclusions are new if their sources were recorded after approval became required (`log/approvals.py`)."""

from __future__ import annotations

from graphmem import resources
from graphmem.cognify.groups import Place
from graphmem.cognify.ledger import Ledger
from graphmem.log.approvals import MARKS
from graphmem.model.changes import Changes, Node
from graphmem.ports.graph import GraphStore

_UNAPPROVED = "queries/graph/read/unapproved.cypher"
_FACTS = "queries/graph/read/facts_identified.cypher"
Name = tuple[str, str]  # label, id


class Unapproved:
    """What this process wrote, and the clocks of the conclusions that it drew."""

    def __init__(self, ledger: Ledger, graph: GraphStore, *, again: bool) -> None:
        self._ledger = ledger
        self._graph = graph
        self._clocks: dict[Name, int] = {}  # of conclusions: from when each could be drawn
        self._held: set[str] = set()  # facts that wait or were rejected
        known = () if again or not ledger.approvals.origins else graph.query(resources.text(_UNAPPROVED)).rows
        self._have: dict[Name, str] = {(str(label), str(id)): str(status) for label, id, status in known}

    def conclude(self, name: Name, clock: int) -> str:
        """Note a conclusion, and return its status: "" if agents may be shown it."""
        self._clocks[name] = clock
        return self._ledger.approvals.status_of(name[1], clock)

    def drop(self, name: Name) -> None:
        """Note that a conclusion is gone."""
        self._clocks.pop(name, None)
        self._have.pop(name, None)

    def wrote(self, name: Name, status: str) -> None:
        """Note the status that was written with a conclusion."""
        if status:
            self._have[name] = status
        else:
            self._have.pop(name, None)

    def facts(self) -> set[str]:
        """Return the facts that wait or were rejected: they neither replace nor contradict others."""
        return {id for id, (label, clock) in self._ledger.learnt.items()
                if label == "Fact" and self._ledger.approvals.status_of(id, clock)}  # fmt: skip

    def changed_places(self) -> set[Place]:
        """Return the places with facts that came to wait, or no longer do, since the last call."""
        now = self.facts()
        changed, self._held = now ^ self._held, now
        return {place for fact in changed if (place := self._ledger.learnt_at.get(fact))}

    def changes(self) -> Changes:
        """Return what brings graph and index up to date with the decisions."""
        want = self._wanted()
        changes = Changes()
        if want == self._have:
            return changes
        facts = {str(row[0]) for row in self._graph.query(resources.text(_FACTS)).rows}
        want = {name: status for name, status in want.items() if name[0] != "Fact" or name[1] in facts}
        for name in sorted(want.keys() | self._have.keys()):
            status = want.get(name, "")
            if status != self._have.get(name, "") and (name[0] != "Fact" or name[1] in facts):
                changes.nodes.append(Node(name[0], name[1], {"status": status or "active"}))
                changes.standings.append((name[1], 0, MARKS.get(status, 0)))
        self._have = want
        return changes

    def _wanted(self) -> dict[Name, str]:
        if not self._ledger.approvals.is_required:
            return {}
        approvals = self._ledger.approvals
        # What an earlier process concluded, and this one has not looked at yet, is as new as it was.
        clocks = dict.fromkeys((name for name in self._have if name[0] != "Fact"), approvals.since + 1)
        clocks |= self._clocks | {(label, id): clock for id, (label, clock) in self._ledger.learnt.items()}
        found = {name: approvals.status_of(name[1], clock) for name, clock in clocks.items()}
        return {name: status for name, status in found.items() if status and name[1] not in self._ledger.buried}
