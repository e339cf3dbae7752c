"""Draws conclusions from all derivations: gotchas, summaries, patterns, skills, duplicate facts and superseded facts.
They are a pure function of the ledger. Each process caches what it concluded, so that an update only recomputes what
changed and gives the same result as a replay."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from graphmem import resources
from graphmem.cognify.concluded import ConcludedNode
from graphmem.cognify.episodes import NAME as EPISODES
from graphmem.cognify.failures import Failure, failures_of
from graphmem.cognify.gotchas import failures_by_gotcha, make_gotcha
from graphmem.cognify.groups import Groups, Place
from graphmem.cognify.ledger import Ledger, ledger_of
from graphmem.cognify.packed_entries import Entry
from graphmem.cognify.patterns import find_patterns, pattern_commits
from graphmem.cognify.procedures import Run, runs_of
from graphmem.cognify.skills import make_skills
from graphmem.cognify.standing import FactStatuses
from graphmem.cognify.summaries import course_of, summarise_session
from graphmem.cognify.triggers import CONCLUSIONS
from graphmem.cognify.twins import Twin, find_twins, merge_twins, restore_former_twins
from graphmem.cognify.unapproved import Unapproved
from graphmem.log.approvals import MARKS
from graphmem.makeway import make_way
from graphmem.model.changes import Changes, EdgeKey
from graphmem.ports.graph import GraphStore
from graphmem.projections.runner import Log

_CONCLUDED = "queries/graph/read/gotchas_and_other_conclusions.cypher"
_TITLES = "queries/graph/read/task_titles.cypher"
_FACTS = "queries/graph/read/facts_identified.cypher"
LABELS = {"Gotcha": "gotchas", "Summary": "summaries", "Pattern": "patterns", "Skill": "skills"}  # label -> stage
_LEADS_TO = {
    "Gotcha": (("DERIVED_FROM", "Turn"), ("DERIVED_FROM", "Snapshot"), ("DERIVED_FROM", "TestRun"), ("FIXED_BY", "Turn"),
               ("FIXED_BY", "Commit"), ("ABOUT", "File"), ("FAILED_IN", "Snapshot"), ("FAILED_IN", "TestRun")),
    "Summary": (("DERIVED_FROM", "Fact"), ("ABOUT", "File")),
    "Pattern": (("DERIVED_FROM", "Commit"),),
    "Skill": (("DERIVED_FROM", "Turn"), ("DERIVED_FROM", "Snapshot")),
}  # fmt: skip
KINDS = ("fact", *(label.lower() for label in LABELS))  # of items
Name = tuple[str, str]  # label, id


class Conclusions:
    """What one process concluded from one ledger, and what of it changes next."""

    def __init__(
        self, ledger: Ledger, graph: GraphStore, *, again: bool, held: Mapping[str, str] | None = None
    ) -> None:
        again = again or held is not None
        self._ledger = ledger
        self._graph = graph
        self._held = held
        self._begun = ledger.begun
        self._pending: dict[str, set[Place]] = {stage: set(ledger.places) for stage in (*CONCLUSIONS, "twins")}
        rows = graph.query(resources.text(_CONCLUDED)).rows
        self._have: dict[Name, str] = {
            (label, identifier): "" if again else digest for label, identifier, digest in rows
        }
        self._unclaimed = dict.fromkeys(CONCLUSIONS, True)  # what nothing made yet is gone, once all is seen
        self._united: set[str] = set()
        self._execute_all = True
        self._failures: Groups[str, Failure] = Groups()
        self._changes: Groups[str, Entry] = Groups()
        self._runs: Groups[str, Run] = Groups()
        self._of_project: dict[Name, set[str]] = {}  # label and project -> ids of what all its sessions show together
        self._troubles: Groups[str, Failure] = Groups()
        self._unapproved = Unapproved(ledger, graph, again=again)
        self._standings = FactStatuses(ledger, graph, again=again)

    def fits(self, ledger: Ledger, graph: GraphStore) -> bool:
        """Return whether this cache belongs to this ledger and graph, and the ledger has not restarted since."""
        return self._graph is graph and self._ledger is ledger and self._begun == ledger.begun

    def changed(self, stages: Collection[str]) -> Changes:
        """Return the changes that bring the graph's conclusions up to the ledger. Only these stages are looked at."""
        fresh = self._ledger.take()
        for pending in self._pending.values():
            pending |= fresh
        changes = self._unapproved.changes()  # first: what is approved may be contradicted
        changes.extend(self._merge())
        for label, (touched, made) in self._drawn(stages).items():
            self._write(changes, label, touched, made)
        changes.removed_items += self._strays(stages)
        return changes

    def _strays(self, stages: Iterable[str]) -> list[str]:
        """Return what the index holds of conclusions that nobody draws."""
        held, self._held = self._held or {}, None
        kinds = {label.lower() for label, stage in LABELS.items() if stage in stages}
        stay = {identifier for _, identifier in self._have}
        return [i for i, event in held.items() if not event and i not in stay and i.partition(":")[0] in kinds]

    def _write(self, changes: Changes, label: str, touched: set[str], made: Iterable[ConcludedNode]) -> None:
        stage = LABELS[label]
        if self._unclaimed[stage]:
            self._unclaimed[stage] = False
            touched |= {identifier for kind, identifier in self._have if kind == label}
        sealed = {m.node.id: m.with_digest() for m in made if m.node.id not in self._ledger.buried}
        for identifier in sorted(touched | set(sealed)):
            name, have = (label, identifier), self._have.get((label, identifier))
            new = sealed.get(identifier)
            if new is None:
                if have is not None:
                    changes.removed_nodes.append(name)
                    changes.removed_items.append(identifier)
                    del self._have[name]
                    self._unapproved.drop(name)
                continue
            digest, status = str(new.node.properties["metadata"]), self._unapproved.conclude(name, new.learnt)
            if digest == have:
                continue
            if have is not None:  # what it leads to may be less than before
                changes.removed_edges += [EdgeKey(kind, label, identifier, target) for kind, target in _LEADS_TO[label]]
            node = new.node._replace(properties=new.node.properties | {"status": status}) if status else new.node
            changes.nodes.append(node)
            changes.edges += new.edges
            changes.items.append(new.item)
            if status:  # in the same transaction as the item
                changes.standings.append((identifier, 0, MARKS[status]))
            self._unapproved.wrote(name, status)
            self._have[name] = digest

    def _merge(self) -> Changes:
        """Twins give their evidence to the first and go, once; what is no twin any more comes back."""
        places, self._pending["twins"] = self._pending["twins"], set()
        found: list[Twin] = []
        stays: dict[str, Place] = {}
        for place in sorted(places):
            make_way()
            here, staying = find_twins(self._ledger.facts_by_place.of(place), self._ledger)
            found += here
            stays |= dict.fromkeys(staying, place)
        changes = Changes()
        new = [twin for twin in found if twin.fact not in self._united]
        gone = {twin.fact for twin in found} | self._ledger.buried
        if new or (self._execute_all and self._ledger.stone):
            present = {row[0] for row in self._graph.query(resources.text(_FACTS)).rows}
            shown = present if self._held is None else present & self._held.keys()
            missing: dict[Place, list[str]] = {}
            for fact in stays.keys() - shown - gone:
                missing.setdefault(stays[fact], []).append(fact)
            for place in sorted(missing):
                for back in restore_former_twins(sorted(missing[place]), self._ledger.facts_by_place.of(place), gone):
                    changes.extend(back)
            there = merge_twins(new)
            there.removed_nodes = [node for node in there.removed_nodes if node[1] in present]
            changes.extend(there)
            self._united |= {twin.fact for twin in new}
        self._execute_all = False
        places |= self._unapproved.changed_places()
        without = self._gone() | self._unapproved.facts()
        for place in places:
            make_way()
            self._standings.put(place, without)
        changes.extend(self._standings.changed())
        return changes

    def _gone(self) -> set[str]:
        return self._united | self._ledger.buried

    def _drawn(self, stages: Collection[str]) -> dict[str, tuple[set[str], list[ConcludedNode]]]:
        """By label: the conclusions that may have changed, and what they are now. Each place is read once."""
        pending = {stage: self._pending[stage] for stage in LABELS.values() if stage in stages}
        self._pending |= {stage: set() for stage in pending}
        running: set[str] = set()
        failing: set[str] = set()
        committed: set[str] = set()
        summaries: list[ConcludedNode] = []
        for place in sorted(set().union(*pending.values())):
            make_way()
            entries = self._ledger.of(place)
            wanted = {stage for stage, places in pending.items() if place in places}
            failures = failures_of(entries) if wanted & {"gotchas", "summaries", "skills"} else []
            if "gotchas" in wanted:
                failing |= self._failures.put(place, failures_by_gotcha(failures))
            if "summaries" in wanted and (course := course_of(place, entries)).is_worth_summary:
                summaries.append(summarise_session(course, failures, self._task_titles))
            if "patterns" in wanted:
                committed |= self._changes.put(place, pattern_commits(e for e in entries if e.step == EPISODES))
            if "skills" in wanted:
                runs = runs_of(entries)
                running |= self._runs.put(place, {place[0]: runs} if runs else {})
                self._troubles.put(place, {place[0]: failures} if runs else {})
        told = {f"summary:{project}:{session}" for project, session in pending.get("summaries", ())}
        drawn = {
            "Gotcha": (failing, [make_gotcha(one, found) for one in failing if (found := self._failures.of(one))]),
            "Summary": (told, summaries),
            "Pattern": self._patterns(committed),
            "Skill": self._skills(running),
        }
        return {label: found for label, found in drawn.items() if LABELS[label] in pending}

    def _task_titles(self, project: str, refs: list[str]) -> dict[str, str]:
        rows = self._graph.query(resources.text(_TITLES), {"project": project, "refs": refs}).rows
        return dict(rows)

    def _patterns(self, projects: set[str]) -> tuple[set[str], list[ConcludedNode]]:
        return self._of_projects("Pattern", {project: find_patterns(self._changes.of(project)) for project in projects})

    def _skills(self, projects: set[str]) -> tuple[set[str], list[ConcludedNode]]:
        made = {p: make_skills(p, self._runs.of(p), self._troubles.of(p)) for p in projects}
        return self._of_projects("Skill", made)

    def _of_projects(self, label: str, made: Mapping[str, list[ConcludedNode]]) -> tuple[set[str], list[ConcludedNode]]:
        """Return the ids that these projects had, and what they have now."""
        before = {one for project in made for one in self._of_project.get((label, project), ())}
        for project, nodes in made.items():
            self._of_project[label, project] = {one.node.id for one in nodes}
        return before, [one for nodes in made.values() for one in nodes]


_KEPT: WeakKeyDictionary[Any, Conclusions] = WeakKeyDictionary()


def draw_conclusions(
    log: Log,
    graph: GraphStore,
    stages: Iterable[str] = CONCLUSIONS,
    *,
    again: bool = False,
    held: Mapping[str, str] | None = None,
) -> Changes:
    """Return the changes that bring the conclusions in the graph up to date with the log. Apply them before the next
    call, or call `forget_conclusions`. `again` returns all conclusions, for a rebuilt index. `held` (item -> event)
    lists the items of an index that may differ from the graph: it does the same, and removes items without a
    conclusion."""
    ledger = ledger_of(log)
    ledger.follow(log, again=again)
    kept = _KEPT.get(log)
    if kept is None or again or held is not None or not kept.fits(ledger, graph):
        kept = _KEPT[log] = Conclusions(ledger, graph, again=again, held=held)
    return kept.changed(set(stages))


def forget_conclusions(log: Log) -> None:
    """Drop the cached conclusions of a log, to free memory or because the last changes were not applied. The next call
    draws all conclusions again."""
    _KEPT.pop(log, None)
