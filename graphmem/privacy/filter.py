"""Makes a text safe to store: private sections first, then secrets, then (if wanted) what names a person.
`redact` is the simple face of `filter_text`; what is found is decided in `tags`, `scan` and `anonymize`."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from graphmem.errors import UsageError
from graphmem.model.text import Redaction, Span
from graphmem.privacy.anonymize import find_personal
from graphmem.privacy.patterns import compile_pattern
from graphmem.privacy.scan import find_secrets, merge_spans
from graphmem.privacy.tags import Section, private_sections

MARKERS = ("[PRIVATE]", "[REDACTED]", "")
ROUNDS = 16  # a bound that no text has been seen to reach: two or three rounds settle


@dataclass(frozen=True, slots=True)
class PrivacySettings:
    """How to filter. `marker` replaces a private section and is one of `MARKERS`. `strict` hides everything after a tag
    that is never closed, even one that is only mentioned. `preserve_lines` keeps the number of lines. `anonymize` hides
    e-mail addresses and user names. `names`: additional names whose values are secret. `certain`: a secret name suffices,
    whatever its value looks like; used for terminal snapshots. `printed`: the same outside of source code; used for the
    output of tools and tests."""

    marker: str = "[PRIVATE]"
    strict: bool = False
    preserve_lines: bool = False
    anonymize: bool = False
    names: tuple[str, ...] = ()
    certain: bool = False
    printed: bool = False

    def __post_init__(self) -> None:
        if self.marker not in MARKERS:
            raise UsageError(f"The privacy marker must be one of {', '.join(map(repr, MARKERS))}.", marker=self.marker)


@dataclass(frozen=True, slots=True)
class FilterReport:
    """`text` is safe to store; `spans` lie in the original, sorted and disjoint. `sections` counts private sections
    that were not blank, `patterns` the secrets and personal names; `unclosed`: a private tag was never closed."""

    text: str
    spans: tuple[Span, ...]
    sections: int
    unclosed: bool
    patterns: int


class _Edit(NamedTuple):
    """`text[start:end]` is to be replaced."""

    start: int
    end: int
    kind: str
    replacement: str
    sections: int = 0


DEFAULT = PrivacySettings()


def redact(text: str) -> Redaction:
    """Hide private sections and secrets with the default settings. Redacting the result again changes nothing."""
    report = filter_text(text)
    return Redaction(report.text, report.spans)


def filter_text(text: str, settings: PrivacySettings = DEFAULT) -> FilterReport:
    """Hide private sections and secrets and count them. Secrets are looked for in what the private sections leave, and again
    until none is left, because hiding one may uncover another that it touched."""
    edits: list[_Edit] = []
    unclosed = False
    for _ in range(ROUNDS):
        filtered, starts = _applied(text, edits)
        marked = private_sections(filtered, strict=settings.strict)
        unclosed = unclosed or bool(marked.unclosed)
        found = [_section_edit(filtered, section, settings) for section in marked.sections]
        if not found:
            found = [_Edit(*_span_of(span), f"[REDACTED:{span.kind}]") for span in _secrets(filtered, settings)]
        grown = _united(edits, [_in_original(edit, edits, starts) for edit in found])
        if [edit[:2] for edit in grown] == [edit[:2] for edit in edits]:
            break
        edits = grown
    filtered, _ = _applied(text, edits)
    return FilterReport(
        text=filtered,
        spans=tuple(Span(edit.start, edit.end, edit.kind) for edit in edits),
        sections=sum(edit.sections for edit in edits),
        unclosed=unclosed,
        patterns=sum(edit.kind != "private" for edit in edits),
    )


def _span_of(span: Span) -> tuple[int, int, str]:
    return span.start, span.end, span.kind


def _secrets(text: str, settings: PrivacySettings) -> tuple[Span, ...]:
    secrets = find_secrets(text, settings.names, certain=settings.certain, printed=settings.printed)
    return merge_spans([*secrets, *find_personal(text)]) if settings.anonymize else secrets


def _section_edit(text: str, section: Section, settings: PrivacySettings) -> _Edit:
    blank = not section.inner.strip()
    replacement = "" if blank else settings.marker
    if settings.preserve_lines:
        lines = text.count("\n", section.start, section.end)
        return _Edit(section.start, section.end, "private", replacement + "\n" * lines, int(not blank))
    start, end = section.start, section.end
    if not replacement:
        start, end = _vanishing(text, start, end)
    return _Edit(start, end, "private", replacement, int(not blank))


def _vanishing(text: str, start: int, end: int) -> tuple[int, int]:
    """Return what to take away with a section that leaves nothing: its line, if it had that alone, and a doubled
    blank."""
    line = start
    while line and text[line - 1] in " \t":
        line -= 1
    rest = compile_pattern(r"[ \t]*(?:\r?\n|\Z)").match(text, end)
    if rest is None or not (line == 0 or text[line - 1] == "\n"):
        return start, end + (text[start - 1 : start] == " " == text[end : end + 1])
    stop = rest.end()
    if line == 0 or text.endswith("\n\n", 0, line):
        blank = compile_pattern(r"(?:[ \t]*\r?\n)*").match(text, stop)
        stop = blank.end() if blank else stop
    return line, stop


def _applied(text: str, edits: list[_Edit]) -> tuple[str, list[int]]:
    """Return the edited text and where each of its pieces (kept, replaced, kept, ...) begins in it."""
    pieces = []
    at = 0
    for edit in edits:
        pieces += [text[at : edit.start], edit.replacement]
        at = edit.end
    pieces.append(text[at:])
    return "".join(pieces), [0, *accumulate(map(len, pieces))]


def _in_original(found: _Edit, edits: list[_Edit], starts: list[int]) -> _Edit:
    """Return an edit of the edited text as one of the original; one that touches a replacement takes in what that
    replaced."""

    def kept(at: int, piece: int) -> int:
        return at - starts[piece] + (edits[piece // 2 - 1].end if piece else 0)

    first = bisect_right(starts, found.start, hi=2 * len(edits) + 1) - 1
    last = bisect_right(starts, found.end - 1, hi=2 * len(edits) + 1) - 1
    start = edits[first // 2].start if first % 2 else kept(found.start, first)
    end = edits[last // 2].end if last % 2 else kept(found.end, last)
    return found._replace(start=start, end=end)


def _united(edits: list[_Edit], found: list[_Edit]) -> list[_Edit]:
    """Both lists as one, sorted and disjoint; of edits that overlap, the earlier found decides what is written."""
    result: list[_Edit] = []
    for edit in sorted([*edits, *found], key=lambda e: e.start):
        if result and edit.start < result[-1].end:
            last = result.pop()
            first = last if last.kind == "private" or edit.kind != "private" else edit
            result.append(first._replace(start=last.start, end=max(last.end, edit.end)))
        else:
            result.append(edit)
    return result
