"""The one way into the log: every draft is redacted here before it is appended, whichever source it came from, so that
nothing private reaches the disk (REQUIREMENTS 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from graphmem import privacy
from graphmem.errors import UsageError
from graphmem.model.events import EVENT_TYPES, Appended, Draft
from graphmem.ports.log import EventLog

_BATCH = 1_000
# What other programs computed: hashes, names of types and the like. Redaction would only cost time.
_TRUSTED = frozenset({"hash", "parents", "kind", "role", "ref", "digest", "hunks", "status", "priority"})


class Recorder:
    """Appends redacted drafts."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def record(self, drafts: Sequence[Draft]) -> list[Appended]:
        """Redact and append all in one transaction. Raises UsageError for an unknown type, StoreError when nothing
        was written."""
        for draft in drafts:
            if draft.type not in EVENT_TYPES:
                raise UsageError(f"there is no event type `{draft.type}`", type=draft.type)
        return self._log.append([replace(draft, payload=clean(draft.payload)) for draft in drafts])

    def record_all(self, drafts: Iterable[Draft]) -> Iterator[Appended]:
        """The same for a stream, in transactions of a thousand."""
        source = iter(drafts)
        while batch := list(islice(source, _BATCH)):
            yield from self.record(batch)


def clean(value: Any, key: str = "") -> Any:
    """A payload without secrets and private parts, and with text that every encoder takes."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        if key == "input":  # arguments of a tool: their names say which values are secret
            value = privacy.mask(value)
        return {name: inner if name in _TRUSTED else clean(inner, name) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [clean(inner) for inner in value]
    return value


def _text(value: str) -> str:
    if not value.isascii():
        value = value.encode("utf-8", "replace").decode("utf-8")
    return privacy.redact(value).text if len(value) > 3 else value
