"""The only write path to the log: every draft, from any source, is redacted here before it is appended, so that the log
contains no secret and no private text."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain, compress, islice
from typing import Any, Protocol

from graphmem import privacy
from graphmem.errors import UsageError
from graphmem.log.approvals import REQUIRED, Log, read_approvals
from graphmem.makeway import make_way
from graphmem.model import bounds
from graphmem.model.events import EVENT_TYPES, Appended, Draft
from graphmem.model.limits import MAX_TEXT_CHARS
from graphmem.ports.callers import USER
from graphmem.privacy import PrivacySettings
from graphmem.text.recall import TAG, without_fences
from graphmem.text.toolcalls import READERS, WRITERS
from graphmem.trust.marking import mark_suspicious

_BATCH_SIZE = 500
_MIN_SECRET_CHARS = 4  # characters; shorter texts cannot contain a secret
_MAX_CACHED_CHARS = 200  # characters; such texts repeat
_UNCLOSED = "unclosed"
_KEPT_END_CHARS = MAX_TEXT_CHARS // 2 - 50  # characters that are kept at each end of a longer text
_CUT_OVERLAP_CHARS = 65_536  # characters read beyond a cut: the longest secret, a private key, has half as many
# Fields computed by other programs: hashes, type names and so on, for which redaction is a waste of time. Callers may use
# the same names for anything, so this applies only to fields and text read by our own sources.
_SOURCE_EVENTS = frozenset({"commit_observed", "document_observed", "tree_indexed", "scip_indexed", "source_ingested"})
# Terminal output: here the name of a secret is sufficient, whatever its value.
_OUTPUT_EVENTS = frozenset({"snapshot_captured"})
# Output of tests: the same outside of source code. So is that of tools, except for those that quote files and pages.
_TEST_OUTPUT_EVENTS = frozenset({"test_run_observed"})
_QUOTING_TOOLS = frozenset({"Grep", "Glob", "LS", "WebFetch", "WebSearch", "Task", "Agent"})
_COMPUTED_FIELDS = frozenset(
    {"hash", "parents", "kind", "role", "digest", "hunks", "status", "priority", "blobs", "unparsed"}
)


class OwnLog(Log, Protocol):
    """A log that knows which machine it belongs to."""

    @property
    def origin(self) -> str: ...


class Recorder:
    """Appends redacted drafts. The payload's `privacy` entry counts what was redacted, never its content: `{"sections",
    "unclosed", "secrets", "kinds": {kind: secrets}}`, without zeros."""

    def __init__(
        self,
        log: OwnLog,
        settings: PrivacySettings | None = None,
        *,
        requires_approval: Callable[[bool], bool] | None = None,
    ) -> None:
        """`requires_approval` returns the setting `approval.required`, given what the log says of it; its changes are recorded
        before anything else. With None, it is not looked at."""
        self._log = log
        self.settings = settings or PrivacySettings()
        self._requires_approval = requires_approval

    def record(self, drafts: Sequence[Draft]) -> list[Appended]:
        """Redact and append all drafts in one transaction. Raises UsageError for an unknown type, StoreError if nothing
        was written."""
        for draft in drafts:
            if draft.type not in EVENT_TYPES:
                raise UsageError(f"there is no event type `{draft.type}`", type=draft.type)
        chosen = [self._settings_for(draft.type, draft.payload) for draft in drafts]
        hidden = [Counter[str]() for _ in drafts]
        drafts = [_without_printed(*each) for each in zip(drafts, hidden, strict=True)]
        drafts = [self._bounded(*each) for each in zip(drafts, chosen, hidden, strict=True)]
        texts = [_collect_texts(draft.payload, draft.type in _SOURCE_EVENTS) for draft in drafts]
        known = {
            settings: self._known((own for own, its in zip(texts, chosen, strict=True) if its == settings), settings)
            for settings in dict.fromkeys(chosen)
        }
        safe = (
            draft
            if not found and known[settings].issuperset(own)
            else replace(draft, payload=self._clean(draft, settings, known[settings], found))
            for draft, own, settings, found in zip(map(self._named, drafts), texts, chosen, hidden, strict=True)
        )
        switch = self._changed_setting()
        return self._log.append([*switch, *map(_marked, safe)])[len(switch) :]

    def follow_settings(self) -> None:
        """Record that the setting `approval.required` changed, if it did since the last event."""
        if switch := self._changed_setting():
            self._log.append(switch)

    def require_approval(self, required: bool) -> None:
        """Record that the setting `approval.required` was set, if that is a change."""
        if switch := self._changed_setting(required):
            self._log.append(switch)

    def _changed_setting(self, setting: bool | None = None) -> list[Draft]:
        """Return the event of a change. Stores may share a log, each with its settings: one that asks for approval is enough,
        and only the one that asked for it can take that back."""
        if self._requires_approval is None:
            return []
        known = read_approvals(self._log)
        required = self._requires_approval(known.is_required) if setting is None else setting
        if required == known.is_required or not (required or known.origins.get(self._log.origin)):
            return []
        return [Draft(REQUIRED, {"required": required}, time.time_ns() // 1_000, actor=USER)]

    @staticmethod
    def _bounded(draft: Draft, settings: PrivacySettings, hidden: Counter[str]) -> Draft:
        """Return a draft with all numbers, times, texts and depths within limits; changes are marked in the payload. What is
        cut off is redacted first, so that no secret is cut in two."""
        shorten = partial(_shorten_text, settings=settings, hidden=hidden)
        payload, at = bounds.bound(draft.payload, shorten=shorten), bounds.clamp_time(draft.at)
        if not (type(draft.session) is type(draft.project) is type(draft.actor) is str):
            session, project, actor = map(bounds.name, (draft.session, draft.project, draft.actor))
            draft = replace(draft, session=session, project=project, actor=actor)
        if payload is draft.payload and at == draft.at:
            return draft
        if at != draft.at:
            payload = {**payload, bounds.MARK: {**payload.get(bounds.MARK, {}), "time": 1}}
        return replace(draft, payload=payload, at=at)

    def _named(self, draft: Draft) -> Draft:
        """Return a draft with redacted session and project names, which callers choose freely."""
        session, project, actor = map(self._name, (draft.session, draft.project, draft.actor))
        key = draft.dedupe_key and _replace_surrogates(draft.dedupe_key)
        if (session, project, actor, key) == (draft.session, draft.project, draft.actor, draft.dedupe_key):
            return draft
        return replace(draft, session=session, project=project, actor=actor, dedupe_key=key)

    def _name(self, name: str) -> str:
        return name and _known_report(_replace_surrogates(name), self.settings).text

    def _settings_for(self, event_type: str, payload: Any) -> PrivacySettings:
        """Return how to redact an event: in output of programs and in configuration the name of a secret is sufficient."""
        if event_type in _OUTPUT_EVENTS:
            return replace(self.settings, certain=True)
        return replace(self.settings, printed=True) if _is_output(event_type, payload) else self.settings

    def _known(self, texts: Iterable[Sequence[str | None]], settings: PrivacySettings) -> set[str]:
        """Return the texts that need no redaction. They are checked in one batch."""
        if settings.certain:
            return set()
        each = [text for text in dict.fromkeys(chain.from_iterable(texts)) if text is not None and _is_plain(text)]
        return set(compress(each, privacy.are_clean(each, settings)))

    def _clean(self, draft: Draft, settings: PrivacySettings, known: Set[str], hidden: Counter[str]) -> dict[str, Any]:
        trusted = _COMPUTED_FIELDS if draft.type in _SOURCE_EVENTS else frozenset()
        safe: dict[str, Any] = redact_draft(draft.payload, settings, hidden, known=known, trusted=trusted)
        return safe | {"privacy": _privacy_counts(hidden)} if hidden else safe

    def clean_foreign(self, event_type: str, text: str) -> str:
        """Return a payload that another machine wrote, or with an empty type any text of its log, without secrets and
        private parts; the same text if there are none."""
        settings = self._settings_for(event_type, {})
        hidden: Counter[str] = Counter()
        try:
            value = json.loads(text)
            settings = self._settings_for(event_type, value)
            safe = redact_draft(value, settings, hidden)
        except (ValueError, RecursionError):
            return _redact_text(text, settings, hidden)
        if not hidden:
            return text
        if event_type and isinstance(safe, dict):
            safe["privacy"] = _privacy_counts(hidden)
        return json.dumps(safe, ensure_ascii=False, separators=(",", ":"))

    def record_all(self, drafts: Iterable[Draft]) -> Iterator[tuple[Draft, Appended]]:
        """Redact and append a stream of drafts, in transactions of some hundreds; yield each draft with its outcome."""
        source = iter(drafts)
        while batch := list(islice(source, _BATCH_SIZE)):
            yield from zip(batch, self.record(batch), strict=True)


def _marked(draft: Draft) -> Draft:
    make_way()
    return mark_suspicious(draft)


def _is_output(event_type: str, payload: Any) -> bool:
    """Return whether an event holds output of a program, or a file of configuration that a tool read or wrote."""
    if event_type in _TEST_OUTPUT_EVENTS:
        return True
    if event_type != "tool_observation" or not isinstance(payload, dict):
        return False
    tool, reads, writes = (payload.get(name) for name in ("tool", "reads", "writes"))
    if not isinstance(tool, str):
        return True
    if tool in READERS | WRITERS:
        files = [file for each in (reads, writes) if isinstance(each, list | tuple) for file in each]
        return any(isinstance(file, str) and privacy.is_configuration(file) for file in files)
    return tool not in _QUOTING_TOOLS


def _without_printed(draft: Draft, hidden: Counter[str]) -> Draft:
    """Return an event of a tool without the secret that its command, or the file that it read, is known to give."""
    if draft.type != "tool_observation" or not isinstance(draft.payload, dict):
        return draft
    command, output, reads = (draft.payload.get(name) for name in ("command", "content", "reads"))
    if not isinstance(command, str) and isinstance(reads, list) and reads and isinstance(reads[0], str):
        command = f"cat {reads[0]}"
    if not isinstance(command, str) or not isinstance(output, str):
        return draft
    shown, count = privacy.hide_printed(command, output)
    if not count:
        return draft
    hidden["secret"] += count
    return replace(draft, payload={**draft.payload, "content": shown})


def redact_draft(
    value: Any,
    settings: PrivacySettings,
    hidden: Counter[str],
    key: str = "",
    known: Set[str] = frozenset(),
    trusted: Set[str] = frozenset(),
) -> Any:
    """Return a payload, or a value in it, without secrets and private sections, also in its keys, and with valid text; count
    what was redacted. Texts in `known`, and fields with a `trusted` name, need no redaction."""
    if isinstance(value, str):
        return value if value in known else _redact_text(value, settings, hidden)
    if isinstance(value, dict):
        if key == "input":  # tool arguments: their names tell which values are secret
            masked = privacy.mask_values(value)
            hidden.update(privacy.count_marks(masked) - privacy.count_marks(value))
            value = masked
        return {
            name if name in known or not isinstance(name, str) else _redact_text(name, settings, hidden): inner
            if name in trusted
            else _named_text(name, inner, hidden) or redact_draft(inner, settings, hidden, name, known, trusted)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [redact_draft(inner, settings, hidden, known=known, trusted=trusted) for inner in value]
    return value


def _named_text(name: Any, value: Any, hidden: Counter[str]) -> str:
    """Return the placeholder for a text whose name marks it as secret, otherwise ""."""
    kind = isinstance(name, str) and isinstance(value, str) and privacy.secret_kind(name, value)
    if not kind:
        return ""
    hidden[kind] += 1
    return f"[REDACTED:{kind}]"


def _collect_texts(payload: dict[str, Any], read: bool) -> list[str | None]:
    """Return all texts in a payload to check, without computed fields of a source (`read`); None for tool arguments,
    where names tell which values are secret."""
    found: list[str | None] = []
    rest: list[Any] = [payload]
    while rest:
        value = rest.pop()
        if isinstance(value, str):
            if len(value) >= _MIN_SECRET_CHARS or not value.isascii():
                found.append(value)
        elif isinstance(value, dict):
            if read:
                rest += [inner for name, inner in value.items() if name not in _COMPUTED_FIELDS]
            else:
                rest += [*value, *value.values()]
            found += [None] * ("input" in value or any(map(_may_name, value)))
        elif isinstance(value, list | tuple):
            rest += value
    return found


@lru_cache(maxsize=4_096)
def _may_name(name: Any) -> bool:
    """Return whether a name could mark its value as secret."""
    return isinstance(name, str) and bool(privacy.secret_kind(name, "x1-y2-z3-q8"))


def _is_plain(text: str) -> bool:
    """Return whether a text contains no recalled text and can be encoded."""
    try:
        return TAG not in text.lower() and (text.isascii() or bool(text.encode()))
    except UnicodeEncodeError:  # a lone surrogate
        return False


def _replace_surrogates(text: str) -> str:
    """Return a text that can be encoded: lone surrogates become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _redact_text(value: str, settings: PrivacySettings, hidden: Counter[str]) -> str:
    value = _replace_surrogates(value)
    if len(value) < _MIN_SECRET_CHARS:
        return value
    value = without_fences(value)  # recalled text inside a text is not recorded again
    if not value:
        return value
    report = (_known_report if len(value) <= _MAX_CACHED_CHARS else privacy.filter_text)(value, settings)
    if report.spans:
        hidden.update(span.kind for span in report.spans if span.kind != privacy.PRIVATE)
        hidden[privacy.PRIVATE] += report.sections
    if report.unclosed:
        hidden[_UNCLOSED] += 1
    return report.text


def _shorten_text(value: str, settings: PrivacySettings, hidden: Counter[str]) -> str:
    """Return a text within the limit. It is redacted before it is cut: the rest of a secret or of a private section, without
    what stood before it, would not be recognised."""
    whole = bounds.text(value, most=len(value))
    if len(whole) <= MAX_TEXT_CHARS:
        return whole
    whole = without_fences(privacy.strip_private_sections(whole, strict=settings.strict))
    if len(whole) <= MAX_TEXT_CHARS:
        return whole
    head = _redact_text(whole[: _KEPT_END_CHARS + _CUT_OVERLAP_CHARS], settings, hidden)[:_KEPT_END_CHARS]
    tail = _redact_text(whole[-_KEPT_END_CHARS - _CUT_OVERLAP_CHARS :], settings, hidden)[_CUT_OVERLAP_CHARS:][
        -_KEPT_END_CHARS:
    ]
    return bounds.joined_ends(head, tail, max(len(whole), len(head) + len(tail)))


@lru_cache(maxsize=4_096)
def _known_report(value: str, settings: PrivacySettings) -> privacy.FilterReport:
    """Return the redaction of a name, cached: names of people, sessions and files repeat throughout a history."""
    return privacy.filter_text(value, settings)


def _privacy_counts(hidden: Counter[str]) -> dict[str, Any]:
    """Return the payload with counts of what was redacted. Empty private sections are not counted."""
    kinds = {kind: count for kind, count in sorted(hidden.items()) if kind not in (privacy.PRIVATE, _UNCLOSED)}
    told = {
        "sections": hidden[privacy.PRIVATE],
        "unclosed": hidden[_UNCLOSED],
        "secrets": sum(kinds.values()),
        "kinds": kinds,
    }
    return {name: value for name, value in told.items() if value}
