"""The one way into the log: every draft is redacted here before it is appended, whichever source it came from, so that
nothing private reaches the disk (REQUIREMENTS 10)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from itertools import chain, compress, islice
from typing import Any

from graphmem import privacy
from graphmem.errors import UsageError
from graphmem.model import bounds
from graphmem.model.events import EVENT_TYPES, Appended, Draft
from graphmem.ports.log import EventLog
from graphmem.privacy import PrivacySettings
from graphmem.text.recall import TAG, without_fences
from graphmem.trust.marking import marked

_BATCH = 500
_SHORTEST = 4  # characters; a shorter text hides nothing
_SHORT = 200  # characters; such texts repeat
_UNCLOSED = "unclosed"
# What other programs computed: hashes, names of types and the like. Redaction would only cost time. A caller may give the
# same names to what it likes, so this holds for what sources read alone, as does that the names are ours.
_READ = frozenset({"commit_observed", "document_observed", "tree_indexed", "source_ingested"})
# What terminals printed: there a secret name is enough, whatever its value.
_PRINTED = frozenset({"snapshot_captured"})
_TRUSTED = frozenset({"hash", "parents", "kind", "role", "digest", "hunks", "status", "priority", "blobs"})


class Recorder:
    """Appends redacted drafts. What was withheld is counted in the payload under `privacy`: `{"sections", "unclosed",
    "secrets", "kinds": {kind: secrets}}`, those that are not 0; never what it was."""

    def __init__(self, log: EventLog, settings: PrivacySettings | None = None) -> None:
        self._log = log
        self.settings = settings or PrivacySettings()

    def record(self, drafts: Sequence[Draft]) -> list[Appended]:
        """Redact and append all in one transaction. Raises UsageError for an unknown type, StoreError when nothing
        was written."""
        for draft in drafts:
            if draft.type not in EVENT_TYPES:
                raise UsageError(f"there is no event type `{draft.type}`", type=draft.type)
        drafts = [_bounded(draft) for draft in drafts]
        texts = [_texts(draft.payload, draft.type in _READ) for draft in drafts]
        known = self._known(own for draft, own in zip(drafts, texts, strict=True) if draft.type not in _PRINTED)
        safe = (
            draft
            if draft.type not in _PRINTED and known.issuperset(own)
            else replace(draft, payload=self._clean(draft, known))
            for draft, own in zip(map(self._named, drafts), texts, strict=True)
        )
        return self._log.append([marked(draft) for draft in safe])

    def _named(self, draft: Draft) -> Draft:
        """A draft with nothing to hide in whose it is: callers name sessions and projects as they like."""
        session, project, actor = map(self._name, (draft.session, draft.project, draft.actor))
        key = draft.dedupe_key and _whole(draft.dedupe_key)
        if (session, project, actor, key) == (draft.session, draft.project, draft.actor, draft.dedupe_key):
            return draft
        return replace(draft, session=session, project=project, actor=actor, dedupe_key=key)

    def _name(self, name: str) -> str:
        return name and _known_report(_whole(name), self.settings).text

    def _known(self, texts: Iterable[Sequence[str | None]]) -> set[str]:
        """Those that can be stored as they are. They are looked at together."""
        each = [text for text in dict.fromkeys(chain.from_iterable(texts)) if text is not None and _is_plain(text)]
        return set(compress(each, privacy.are_clean(each, self.settings)))

    def _clean(self, draft: Draft, known: Set[str]) -> dict[str, Any]:
        hidden: Counter[str] = Counter()
        trusted = _TRUSTED if draft.type in _READ else frozenset()
        settings = self.settings
        if draft.type in _PRINTED:
            settings, known = replace(settings, certain=True), frozenset()
        safe: dict[str, Any] = redact_draft(draft.payload, settings, hidden, known=known, trusted=trusted)
        return safe | {"privacy": _counted(hidden)} if hidden else safe

    def clean_foreign(self, event_type: str, text: str) -> str:
        """A payload that another machine wrote, or with an empty type any text of its log, without secrets and private parts; the
        same text where there are none."""
        settings = replace(self.settings, certain=True) if event_type in _PRINTED else self.settings
        hidden: Counter[str] = Counter()
        try:
            value = json.loads(text)
            safe = redact_draft(value, settings, hidden)
        except (ValueError, RecursionError):
            return _text(text, settings, hidden)
        if not hidden:
            return text
        if event_type and isinstance(safe, dict):
            safe["privacy"] = _counted(hidden)
        return json.dumps(safe, ensure_ascii=False, separators=(",", ":"))

    def record_all(self, drafts: Iterable[Draft]) -> Iterator[tuple[Draft, Appended]]:
        """The same for a stream, in transactions of some hundreds; each draft with its outcome."""
        source = iter(drafts)
        while batch := list(islice(source, _BATCH)):
            yield from zip(batch, self.record(batch), strict=True)


def _bounded(draft: Draft) -> Draft:
    """A draft of which every number, time, text and depth is within the bounds; what was cut is marked in its payload."""
    payload, at = bounds.bound(draft.payload), bounds.clamp_time(draft.at)
    if not (type(draft.session) is type(draft.project) is type(draft.actor) is str):
        session, project, actor = map(bounds.name, (draft.session, draft.project, draft.actor))
        draft = replace(draft, session=session, project=project, actor=actor)
    if payload is draft.payload and at == draft.at:
        return draft
    if at != draft.at:
        payload = {**payload, bounds.MARK: {**payload.get(bounds.MARK, {}), "time": 1}}
    return replace(draft, payload=payload, at=at)


def redact_draft(
    value: Any,
    settings: PrivacySettings,
    hidden: Counter[str],
    key: str = "",
    known: Set[str] = frozenset(),
    trusted: Set[str] = frozenset(),
) -> Any:
    """A payload without secrets and private parts, also in its names, and with text that every encoder takes; counts what
    it hides. Texts that are `known`, and what has a `trusted` name, hold nothing to hide."""
    if isinstance(value, str):
        return value if value in known else _text(value, settings, hidden)
    if isinstance(value, dict):
        if key == "input":  # arguments of a tool: their names say which values are secret
            masked = privacy.mask_values(value)
            hidden.update(privacy.count_marks(masked) - privacy.count_marks(value))
            value = masked
        return {
            name if name in known or not isinstance(name, str) else _text(name, settings, hidden): inner
            if name in trusted
            else _named_text(name, inner, hidden) or redact_draft(inner, settings, hidden, name, known, trusted)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [redact_draft(inner, settings, hidden, known=known, trusted=trusted) for inner in value]
    return value


def _named_text(name: Any, value: Any, hidden: Counter[str]) -> str:
    """The mark for a text that its name says is secret, "" for any other."""
    kind = isinstance(name, str) and isinstance(value, str) and privacy.secret_kind(name, value)
    if not kind:
        return ""
    hidden[kind] += 1
    return f"[REDACTED:{kind}]"


def _texts(payload: dict[str, Any], read: bool) -> list[str | None]:
    """All that is to be looked at in a payload, of what a source `read` without what it computed; None for arguments of a
    tool, of which the names say what is secret."""
    found: list[str | None] = []
    rest: list[Any] = [payload]
    while rest:
        value = rest.pop()
        if isinstance(value, str):
            if len(value) >= _SHORTEST or not value.isascii():
                found.append(value)
        elif isinstance(value, dict):
            if read:
                rest += [inner for name, inner in value.items() if name not in _TRUSTED]
            else:
                rest += [*value, *value.values()]
            found += [None] * ("input" in value or any(map(_may_name, value)))
        elif isinstance(value, list | tuple):
            rest += value
    return found


@lru_cache(maxsize=4_096)
def _may_name(name: Any) -> bool:
    """Whether a name could say that its value is secret."""
    return isinstance(name, str) and bool(privacy.secret_kind(name, "x1-y2-z3-q8"))


def _is_plain(text: str) -> bool:
    """Whether nothing in it was recalled, and every encoder takes it."""
    try:
        return TAG not in text.lower() and (text.isascii() or bool(text.encode()))
    except UnicodeEncodeError:  # a lone surrogate
        return False


def _whole(text: str) -> str:
    """A text that every encoder takes: half a character (a lone surrogate) becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _text(value: str, settings: PrivacySettings, hidden: Counter[str]) -> str:
    value = _whole(value)
    if len(value) < _SHORTEST:
        return value
    value = without_fences(value)  # what was recalled into a text is not said again
    if not value:
        return value
    report = (_known_report if len(value) <= _SHORT else privacy.filter_text)(value, settings)
    if report.spans:
        hidden.update(span.kind for span in report.spans if span.kind != privacy.PRIVATE)
        hidden[privacy.PRIVATE] += report.sections
    if report.unclosed:
        hidden[_UNCLOSED] += 1
    return report.text


@lru_cache(maxsize=4_096)
def _known_report(value: str, settings: PrivacySettings) -> privacy.FilterReport:
    """Names of people, sessions and files come again and again in a history."""
    return privacy.filter_text(value, settings)


def _counted(hidden: Counter[str]) -> dict[str, Any]:
    """What a payload tells of what is not in it. A private section that was blank is none."""
    kinds = {kind: count for kind, count in sorted(hidden.items()) if kind not in (privacy.PRIVATE, _UNCLOSED)}
    told = {
        "sections": hidden[privacy.PRIVATE],
        "unclosed": hidden[_UNCLOSED],
        "secrets": sum(kinds.values()),
        "kinds": kinds,
    }
    return {name: value for name, value in told.items() if value}
