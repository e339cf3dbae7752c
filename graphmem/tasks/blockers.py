"""Resolves the text of a blocker: an artifact, an explicit task, a strict title match, otherwise a condition with
candidate tasks. Never creates stub tasks; new conditions and artifacts are returned as drafts for the caller to record
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

STRICT_SCORE, STRICT_GAP = 0.92, 0.03
CONDITION_CONFIDENCE = 0.5
_CANDIDATES = 5
_TOKEN = re.compile(r"(?<![\w#])#?[\w./:%+-]*\w")
Match = Callable[[str, tuple[str, ...]], MatchResult]


@dataclass(slots=True)
class Resolved:
    """The resolved blockers, and the conditions and artifacts to declare for them."""

    refs: list[BlockerRef] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)


class Resolver:
    """Resolves blocker names with the task book."""

    def __init__(self, ledger: Ledger, match: Match) -> None:
        self._ledger = ledger
        self._match = match

    @property
    def match(self) -> Match:
        """What finds the tasks that a text refers to, without those given."""
        return self._match

    def known(self, title: str) -> str | None:
        """Return the id of the task that a title certainly refers to."""
        result = self._match(title, ())
        return result.best.task.id if result.best and result.confidence == "high" else None

    def resolve(self, named: Iterable[Any] | Any, *, task: str = "") -> Resolved:
        """Resolve names: each is an entity, a BlockerRef or text. `task` is the waiting task, which never blocks itself."""
        resolved = Resolved()
        if isinstance(named, str | Task | Condition | Artifact | BlockerRef):
            named = [named]
        for each in named:
            self._one(each, task, resolved)
        seen: set[str] = set()
        resolved.refs = [ref for ref in resolved.refs if not (ref.id in seen or seen.add(ref.id))]  # type: ignore[func-returns-value]
        return resolved

    def _one(self, named: Any, task: str, resolved: Resolved) -> None:
        if isinstance(named, BlockerRef):
            resolved.refs.append(named)
        elif isinstance(named, Task):
            resolved.refs.append(BlockerRef("task", named.id, named.title))
        elif isinstance(named, Condition):
            resolved.refs.append(BlockerRef("condition", named.id, named.text))
        elif isinstance(named, Artifact):
            resolved.refs.append(BlockerRef("artifact", named.id, named.text))
        elif (text := self._ledger.safe(str(named)).strip()) and not self._known(text, task, resolved):
            self._matched(text, task, resolved)

    def _known(self, text: str, task: str, resolved: Resolved) -> bool:
        """Add to `resolved` the entity that the text names by its id, or else all task ids and artifacts anywhere in the text;
        return whether there is any."""
        book = self._ledger.book()
        if (kind := _kind(book, text)) is not None:
            label = "task_id" if kind == "task" else "given"
            resolved.refs.append(BlockerRef(kind, text, book.title_of(text), 1.0, label))  # type: ignore[arg-type]
            return True
        found = [BlockerRef("task", id_, text, 1.0, "task_id") for id_ in mentioned_blockers(book, text) if id_ != task]
        named = {book.tasks[ref.id].ref.lower() for ref in found}
        for artifact in find_artifacts(text):
            words = text[artifact.start : artifact.end]
            if words.lower() not in named:
                payload = {"artifact": artifact.key, "kind": artifact.kind, "text": words}
                key = f"artifact_declared:{artifact.key}"
                resolved.drafts.append(self._ledger.draft("artifact_declared", payload, key))
                found.append(BlockerRef("artifact", artifact.key, text, 1.0, "artifact"))
        resolved.refs += found
        return bool(found)

    def _matched(self, text: str, task: str, resolved: Resolved) -> None:
        """Resolve the text to the only open task of that title, otherwise to a condition."""
        result = self._match(text, (task,) if task else ())
        scores = [each.score for each in result.candidates]
        gap = scores[0] - scores[1] if len(scores) > 1 else 1.0
        best = result.best
        if best and result.confidence == "high" and best.task.open and best.score >= STRICT_SCORE and gap >= STRICT_GAP:
            resolved.refs.append(BlockerRef("task", best.task.id, text, round(best.score, 4), "title"))
            return
        likely = [each.task.id for each in result.candidates[:_CANDIDATES]] if result.confidence != "none" else []
        key = condition_key(self._ledger.project, text)
        resolved.drafts.append(self.declaration(key, text, likely))
        resolved.refs.append(BlockerRef("condition", key, text, CONDITION_CONFIDENCE, "condition", tuple(likely)))

    def placeholder(self, task: str, title: str) -> Resolved:
        """Return the condition for an unnamed blocker (`auto_placeholder`, confidence 0)."""
        text = f"unknown blocker of {title}"
        key = condition_key(self._ledger.project, f"placeholder {task}")
        draft = self.declaration(key, text, [], placeholder=True, task=task)
        return Resolved([BlockerRef("condition", key, text, 0.0, "placeholder")], [draft])

    def condition(self, text: str) -> tuple[str, Draft]:
        """Return the key of a condition from its text, and its declaration."""
        text = self._ledger.safe(text)
        key = condition_key(self._ledger.project, text)
        return key, self.declaration(key, text, [])

    def artifact(self, text: str, key: str = "") -> tuple[str, Draft]:
        """Return the key of an artifact from its text, and its declaration; "generic" if it is neither a URL nor an
        issue."""
        text = self._ledger.safe(text)
        key = key or artifact_key(text)
        kind = key.split(":")[1]
        draft = self._ledger.draft("artifact_declared", {"artifact": key, "kind": kind, "text": text},
                                   f"artifact_declared:{key}")  # fmt: skip
        return key, draft

    def declaration(
        self, key: str, text: str, candidates: list[str], *, placeholder: bool = False, task: str = ""
    ) -> Draft:
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
