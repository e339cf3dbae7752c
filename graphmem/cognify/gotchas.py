"""Gotchas: failures with their trigger, what caused them, and the resolution found in what followed. Each is concluded
from all episodes in their order, so a later fix revises it and a replay ends with the same (REQUIREMENTS 19)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from graphmem.cognify.episodes import same_work
from graphmem.cognify.ledger import Entry
from graphmem.cognify.made import Made, node_of
from graphmem.language.toolcalls import shorten
from graphmem.model.changes import Edge, Item
from graphmem.projections import names

NOT_FOUND = "No resolution was found in what followed."
_TELLING = ("cause", "failure")  # kinds of facts that explain, best first
_WORD = re.compile(r"\w{5,}")
_SOON = 4  # answers within which an explanation is about the failure


@dataclass(slots=True)
class Failure:
    """One occurrence, and what happened until it was overcome."""

    at: int
    session: str
    label: str
    node: str
    command: str
    key: str
    error: str
    file: str = ""
    files: dict[str, None] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)  # kind -> first fact
    answers: int = 0  # of the agent since it happened
    solved_by: tuple[str, str] = ("", "")  # (label, node) of the success
    solved_command: str = ""
    commit: tuple[str, str] = ("", "")

    @property
    def solved(self) -> bool:
        """Whether the same work succeeded later."""
        return bool(self.solved_by[1])


@dataclass(slots=True)
class Trouble:
    """All occurrences of one error in one project."""

    project: str
    signature: str
    failures: list[Failure] = field(default_factory=list)


def troubles(entries: Iterable[Entry]) -> dict[str, Trouble]:
    """Troubles by the id of their gotcha, from episodes and facts in their order."""
    found: dict[str, Trouble] = {}
    open_: dict[tuple[str, str], list[Failure]] = {}  # by (project, session)
    fixed: dict[tuple[str, str], list[Failure]] = {}  # overcome, but not committed yet
    for entry in entries:
        body = entry.body
        place = (body["project"], body["session"])
        if entry.step.startswith("facts"):
            _explain(body["facts"], open_.get(place, ()))
        elif body["kind"] == "tell":
            for failure in open_.get(place, ()):
                failure.answers += 1
        elif body["kind"] == "write":
            for failure in open_.get(place, ()):
                failure.files |= dict.fromkeys(body["files"])
        elif body["kind"] == "run":
            _run(entry, place, open_, fixed, found)
        elif body["kind"] == "tests":
            _tests(entry, place, open_, found)
    return found


def _explain(facts: Iterable[dict[str, str]], failures: Iterable[Failure]) -> None:
    """What is said soon after a failure is about it."""
    for failure in failures:
        if failure.answers < _SOON:
            words = _words(f"{failure.error} {failure.command}")
            for fact in (fact for fact in facts if words & _words(fact["content"])):
                failure.said.setdefault(fact["kind"], fact["content"])


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _run(
    entry: Entry,
    place: tuple[str, str],
    open_: dict[tuple[str, str], list[Failure]],
    fixed: dict[tuple[str, str], list[Failure]],
    found: dict[str, Trouble],
) -> None:
    body = entry.body
    if not body["ok"]:
        key = body["keys"][-1] if body["keys"] else ""
        _failed(entry, place, body, key, open_, found)
        return
    left = []
    for failure in open_.get(place, ()):
        if failure.key and any(same_work(failure.key, key) for key in body["keys"]):
            failure.solved_by, failure.solved_command = (entry.body["label"], entry.body["node"]), body["command"]
            fixed.setdefault(place, []).append(failure)
        else:
            left.append(failure)
    open_[place] = left
    for hash_, subject in body.get("commits", ()):
        for failure in fixed.pop(place, ()):
            failure.commit = (hash_, subject)


def _failed(
    entry: Entry,
    place: tuple[str, str],
    failed: dict[str, str],
    key: str,
    open_: dict[tuple[str, str], list[Failure]],
    found: dict[str, Trouble],
) -> None:
    body = entry.body
    program = key.split(" ")[0]
    failure = Failure(entry.at, place[1], body["label"], body["node"], str(body.get("command") or body.get("name") or ""),
                      key, failed["error"], failed.get("file", ""))  # fmt: skip
    open_.setdefault(place, []).append(failure)
    found.setdefault(
        _id(place[0], program, failed["signature"]), Trouble(place[0], failed["signature"])
    ).failures.append(failure)


def _tests(
    entry: Entry, place: tuple[str, str], open_: dict[tuple[str, str], list[Failure]], found: dict[str, Trouble]
) -> None:
    """A run of the same tests in which a failure is gone overcomes it."""
    body, left = entry.body, []
    failing = {f"test {body['name']} {failure['name']}" for failure in body["failures"]}
    for failure in open_.get(place, ()):
        if failure.key.startswith(f"test {body['name']} ") and failure.key not in failing:
            failure.solved_by, failure.solved_command = (body["label"], body["node"]), body["name"]
        elif failure.key not in failing:
            left.append(failure)
    open_[place] = left
    for failed in body["failures"]:
        _failed(entry, place, failed, f"test {body['name']} {failed['name']}", open_, found)


def _id(project: str, program: str, signature: str) -> str:
    return f"gotcha:{hashlib.sha256(f'{project}|{program}|{signature}'.encode()).hexdigest()[:20]}"


def gotchas(found: dict[str, Trouble]) -> list[Made]:
    """A node, its edges and its item for each trouble."""
    return [_gotcha(identifier, trouble) for identifier, trouble in found.items()]


def _gotcha(identifier: str, trouble: Trouble) -> Made:
    first, last = trouble.failures[0], trouble.failures[-1]
    solved = [failure for failure in trouble.failures if failure.solved]
    best = solved[-1] if solved else last
    cause = next((f.said[kind] for f in (best, first) for kind in _TELLING if kind in f.said), "")
    resolution = resolution_of(best) if solved else NOT_FOUND
    trigger = shorten(last.command, 300)
    description = f"`{trigger}` failed: {last.error}" if trigger else last.error
    content = "\n".join(filter(None, [description, cause and f"Cause: {cause}", f"Resolution: {resolution}"]))
    properties = {
        "project": trouble.project,
        "title": shorten(last.error, 160),
        "content": content,
        "description": description,
        "trigger": trigger,
        "resolution": resolution,
        "signature": trouble.signature,
        "recurrence": len(trouble.failures),
        "resolved": last.solved,
        "confidence": 0.8 if solved else 0.5,
        "level": 1,
        "stage": "working",
        "status": "active",
        "at": first.at,
        "last_at": last.at,
    }
    item = Item(identifier, "gotcha", shorten(last.error, 160), content, last.at, "", last.session, trouble.project)
    return Made(node_of("Gotcha", identifier, properties), _edges(identifier, trouble), item)


def resolution_of(failure: Failure) -> str:
    """What was different when it worked."""
    parts = [f"`{shorten(failure.solved_command, 200)}` succeeded later"]
    if failure.files:
        named = ", ".join(list(failure.files)[:6])
        parts.append(f"after changes to {named}{' and more' if len(failure.files) > 6 else ''}")
    if failure.commit[0]:
        parts.append(f"in commit {failure.commit[0]} ({failure.commit[1]})")
    return f"{' '.join(parts)}."


def _edges(identifier: str, trouble: Trouble) -> list[Edge]:
    edges = []
    for failure in trouble.failures:
        at = {"at": failure.at}
        edges.append(Edge("DERIVED_FROM", "Gotcha", identifier, failure.label, failure.node, at))
        edges.append(Edge("EVIDENCE_OF", failure.label, failure.node, "Gotcha", identifier, {"confidence": 1.0, **at}))
        if failure.label in ("Snapshot", "TestRun"):
            edges.append(Edge("FAILED_IN", "Gotcha", identifier, failure.label, failure.node, at))
        if failure.solved_by[0] == "Turn":
            edges.append(
                Edge("FIXED_BY", "Gotcha", identifier, "Turn", failure.solved_by[1], {**at, "confidence": 0.7})
            )
        if failure.commit[0]:
            commit = names.commit(failure.commit[0])
            edges.append(Edge("FIXED_BY", "Gotcha", identifier, "Commit", commit, {**at, "confidence": 0.7}))
        for path in [failure.file, *(failure.files if failure.solved else ())]:
            if path:
                file = names.file(trouble.project, path)
                edges.append(Edge("ABOUT", "Gotcha", identifier, "File", file, {"confidence": 0.7}))
    return edges
