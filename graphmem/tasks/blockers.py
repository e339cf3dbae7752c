"""Finds what the text of a blocker refers to: an artifact, an explicit task, a strict title match, otherwise a condition
with candidate tasks. Never creates stub tasks; new conditions and artifacts are returned as drafts for the caller to record
with its own event."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from graphmem.model.events import Draft
from graphmem.model.tasks import Artifact, BlockerRef, Condition, MatchResult, Task
from graphmem.tasks.book import TaskBook
from graphmem.tasks.ledger import Ledger
from graphmem.text.keys import artifact_key, condition_key, find_artifacts

_STRICT_SCORE, _STRICT_GAP = 0.92, 0.03  # minimum score of the best match, and its lead over the second
CONDITION_CONFIDENCE = 0.5
_CANDIDATES = 5
_TOKEN = re.compile(r"(?<![\w#])#?[\w./:%+-]*\w")
FindMatches = Callable[[str, tuple[str, ...]], MatchResult]  # arguments: a text, and ids of tasks to exclude


def is_strict_match(result: MatchResult) -> bool:
    """Return whether the best candidate is so certain that it is used without asking: a clear score and lead."""
    scores = [each.score for each in result.candidates]
    lead = scores[0] - scores[1] if len(scores) > 1 else 1.0
    return result.confidence == "high" and scores[0] >= _STRICT_SCORE and lead >= _STRICT_GAP


@dataclass(slots=True)
class FoundBlockers:
    """The blockers that names refer to, and the conditions and artifacts to declare for them."""

    refs: list[BlockerRef] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)


class BlockerLookup:
    """Finds the tasks, conditions and artifacts that names of blockers refer to. `find_matches` searches tasks by text."""

    def __init__(self, ledger: Ledger, find_matches: FindMatches) -> None:
        self._ledger = ledger
        self.find_matches = find_matches

    def find_certain_task(self, title: str) -> str | None:
        """Return the id of the task that a title certainly refers to."""
        result = self.find_matches(title, ())
        return result.best.task.id if result.best and result.confidence == "high" else None

    def find_blockers(self, named: Iterable[Any] | Any, *, task: str = "") -> FoundBlockers:
        """Return what the names refer to, each once: a name is an entity, a BlockerRef or text. `task` is the waiting task,
        which never blocks itself."""
        found = FoundBlockers()
        if isinstance(named, str | Task | Condition | Artifact | BlockerRef):
            named = [named]
        for each in named:
            self._add(each, task, found)
        seen: set[str] = set()
        found.refs = [ref for ref in found.refs if not (ref.id in seen or seen.add(ref.id))]  # type: ignore[func-returns-value]
        return found

    def _add(self, named: Any, task: str, found: FoundBlockers) -> None:
        if isinstance(named, BlockerRef):
            found.refs.append(named)
        elif isinstance(named, Task):
            found.refs.append(BlockerRef("task", named.id, named.title))
        elif isinstance(named, Condition):
            found.refs.append(BlockerRef("condition", named.id, named.text))
        elif isinstance(named, Artifact):
            found.refs.append(BlockerRef("artifact", named.id, named.text))
        elif (text := self._ledger.safe(str(named)).strip()) and not self._add_explicit(text, task, found):
            self._add_by_title(text, task, found)

    def _add_explicit(self, text: str, task: str, found: FoundBlockers) -> bool:
        """Add to `found` the entity that the text names by its id, or else all task ids and artifacts anywhere in the text;
        return whether there is any."""
        book = self._ledger.book()
        if (kind := _kind(book, text)) is not None:
            label = "task_id" if kind == "task" else "given"
            found.refs.append(BlockerRef(kind, text, book.title_of(text), 1.0, label))  # type: ignore[arg-type]
            return True
        refs = [BlockerRef("task", id_, text, 1.0, "task_id") for id_ in mentioned_blockers(book, text) if id_ != task]
        named = {book.tasks[ref.id].ref.lower() for ref in refs}
        for artifact in find_artifacts(text):
            words = text[artifact.start : artifact.end]
            if words.lower() not in named:
                payload = {"artifact": artifact.key, "kind": artifact.kind, "text": words}
                key = f"artifact_declared:{artifact.key}"
                found.drafts.append(self._ledger.draft("artifact_declared", payload, key))
                refs.append(BlockerRef("artifact", artifact.key, text, 1.0, "artifact"))
        found.refs += refs
        return bool(refs)

    def _add_by_title(self, text: str, task: str, found: FoundBlockers) -> None:
        """Add the only open task of that title, otherwise a condition."""
        result = self.find_matches(text, (task,) if task else ())
        best = result.best
        if best and best.task.open and is_strict_match(result):
            found.refs.append(BlockerRef("task", best.task.id, text, round(best.score, 4), "title"))
            return
        likely = [each.task.id for each in result.candidates[:_CANDIDATES]] if result.confidence != "none" else []
        key = condition_key(self._ledger.project, text)
        found.drafts.append(self.draft_condition(key, text, likely))
        found.refs.append(BlockerRef("condition", key, text, CONDITION_CONFIDENCE, "condition", tuple(likely)))

    def placeholder(self, task: str, title: str) -> FoundBlockers:
        """Return the condition for an unnamed blocker (`auto_placeholder`, confidence 0)."""
        text = f"unknown blocker of {title}"
        key = condition_key(self._ledger.project, f"placeholder {task}")
        draft = self.draft_condition(key, text, [], placeholder=True, task=task)
        return FoundBlockers([BlockerRef("condition", key, text, 0.0, "placeholder")], [draft])

    def declare_condition(self, text: str) -> tuple[str, Draft]:
        """Return the key of a condition from its text, and its declaration."""
        text = self._ledger.safe(text)
        key = condition_key(self._ledger.project, text)
        return key, self.draft_condition(key, text, [])

    def declare_artifact(self, text: str, key: str = "") -> tuple[str, Draft]:
        """Return the key of an artifact from its text, and its declaration; "generic" if it is neither a URL nor an
        issue."""
        text = self._ledger.safe(text)
        key = key or artifact_key(text)
        kind = key.split(":")[1]
        draft = self._ledger.draft("artifact_declared", {"artifact": key, "kind": kind, "text": text},
                                   f"artifact_declared:{key}")  # fmt: skip
        return key, draft

    def draft_condition(
        self, key: str, text: str, candidates: list[str], *, placeholder: bool = False, task: str = ""
    ) -> Draft:
        """Return the event that declares a condition; `candidates` are ids of tasks that it may refer to."""
        payload: dict[str, Any] = {"condition": key, "text": text, "candidates": candidates}
        if placeholder:
            payload |= {"placeholder": True, "auto_placeholder": True, "task": task}
        return self._ledger.draft("condition_declared", payload, f"condition_declared:{key}")


def _kind(book: TaskBook, text: str) -> str | None:
    if text in book.tasks:
        return "task"
    return "condition" if text in book.conditions else "artifact" if text in book.artifacts else None


def mentioned_blockers(book: TaskBook, text: str) -> list[str]:
    """Return ids of the tasks whose id or tracker id occurs in a text. A bare number does not count; `#12` refers to 12."""
    found: dict[str, None] = {}
    for match in _TOKEN.finditer(text):
        token = match.group()
        for form in (token, token.rstrip(".:/-"), token.lstrip("#")):
            if form.isdigit() and not token.startswith("#"):
                continue
            id_ = book.find(form) if form.startswith("#") else form if form in book.tasks else book.refs.get(form)
            if id_:
                found[id_] = None
                break
    if not found and (id_ := book.refs.get(text.strip())):
        found[id_] = None
    return list(found)
