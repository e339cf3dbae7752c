"""The engine that runs the rules over a text: prefilter by literal anchors, match, check, merge. Formats are in `rules`
and `formats`, names in `assignments`; `filter` changes the text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from operator import itemgetter
from typing import NamedTuple

from graphmem.model.text import Span
from graphmem.privacy import assignments, provider_names
from graphmem.privacy.commands import COMMANDS
from graphmem.privacy.disguise import undo_disguise
from graphmem.privacy.formats import Format, Literal, Run, anchor_of, class_of, load_formats, pattern_of
from graphmem.privacy.judge import CHECKS, MARKER
from graphmem.privacy.keepsakes import find_keepsakes
from graphmem.privacy.labels import find_labelled_values, find_labels
from graphmem.privacy.manifests import secret_values
from graphmem.privacy.pairs import find_paired_values
from graphmem.privacy.patterns import compile_pattern, find_words
from graphmem.privacy.pem import private_keys
from graphmem.privacy.rules import END, PRINTED, RULES, START, Rule
from graphmem.privacy.runs import IDENTITY, RUN, decoded_text, is_prefixed
from graphmem.privacy.sentences import find_told_values
from graphmem.privacy.tables import find_column_secrets

LAYERS = 2  # of Base64
OPEN = 200  # characters: a run that may be as long ends where its alphabet does
PIECE = 60  # characters of Base64 before a match that tell that it is a piece of that
BASE64_BEFORE = rf"(?=[a-z0-9/]*[A-Z])(?=[^+]*\+|[^0-9]*[0-9])[A-Za-z0-9+/]{{{PIECE}}}\Z"
BEFORE = 300  # characters before a match that a rule may look at
ENDING = r"\.(?:png|jpe?g|gif|svg|ico|webp|css|m?js|map|woff2?|ttf)\b"
ESCAPE = r"(?<=\\)[nrtbf]|(?<=\x1b\[)[0-9;]{1,8}m"  # the letters of `\n` or of a terminal colour are no part of a run


def find_secrets(
    text: str,
    names: tuple[str, ...] = (),
    *,
    certain: bool = False,
    printed: bool = False,
    without: frozenset[str] = frozenset(),
) -> tuple[Span, ...]:
    """Return all secrets of `text`, sorted and disjoint; `names` are further names whose values are secret;
    `certain`: a secret name is enough, whatever its value; `printed`: the text is output of a program, where it is
    enough outside of source code; the formats of the providers `without` are not used. Where
    two rules meet, the union is one secret of the more specific kind."""
    how = _How(names, certain, printed, without)
    return merge_spans(_around_markers(text, _found(text, how, LAYERS)))


class _How(NamedTuple):
    """As `find_secrets` was asked."""

    names: tuple[str, ...]
    certain: bool
    printed: bool
    without: frozenset[str]


def _found(text: str, how: _How, layers: int) -> list[Span]:
    found = _in_plain(text, how)
    if (plain := undo_disguise(text)) is not None:
        found += map(plain.original, _in_plain(plain.text, how))
    for run in compile_pattern(RUN).finditer(text):
        if (
            is_prefixed(run[0])
            and compile_pattern(IDENTITY).search(text, max(0, run.start() - 40), run.start()) is None
        ):
            found.append(Span(*run.span(), "token"))
        elif layers and (decoded := decoded_text(run[0])) is not None and _found(decoded, how, layers - 1):
            found.append(Span(*run.span(), "encoded_secret"))
    return found


def _in_plain(text: str, how: _How) -> list[Span]:
    lower = assignments.lower_in_place(text)
    labels = find_labels(lower)
    return [
        *private_keys(text),
        *_shaped(text, how.without, how.certain),
        *secret_values(text),
        *find_column_secrets(text, lower, map(itemgetter(0), labels)),
        *assignments.find_assignments(text, how.names, certain=how.certain, printed=how.printed, lower=lower),
        *provider_names.find_named_values(text, lower, how.without),
        *find_labelled_values(text, labels, printed=how.printed or how.certain),
        *find_paired_values(text, lower, labels),
        *find_told_values(text, lower, labels),
        *find_keepsakes(text, lower),
    ]


def _shaped(text: str, without: frozenset[str], certain: bool) -> Iterator[Span]:
    rules = _rules_by_head(without, certain)
    done = 0
    for at, head in find_words(text, tuple(rules)):
        if at < done:
            continue
        first, rows = rules[head]
        if first and compile_pattern(first).match(text, at) is None:
            continue
        found = [
            span
            for anchor, row in rows
            if text.startswith(anchor, at) and (span := _match(_rule(row), text, at)) is not None
        ]
        yield from found
        done = min((span.end for span in found), default=done)


@cache
def _rules_by_head(without: frozenset[str], certain: bool) -> dict[str, tuple[str, list[tuple[str, Rule | Format]]]]:
    """Return the anchors and rules to try wherever the head, the shortest anchor that begins them, is in the
    text; and the pattern of a first look that tells most places where none of them matches, "" where one of them
    begins before its anchor."""
    pairs: list[tuple[str, int, Rule | Format]] = []
    for known in load_formats():
        if not known.beside and known.provider not in without:
            pairs += [(anchor, len(pairs), known) for anchor in anchor_of(known.parts)[1]]
    for rule in (*RULES, *COMMANDS, *(PRINTED if certain else ())):
        pairs += [(anchor, len(pairs), rule) for anchor in rule.anchors]
    rules: dict[str, list[tuple[str, Rule | Format]]] = {}
    head = "\0"
    for anchor, _, row in sorted(pairs, key=itemgetter(0, 1)):
        head = head if anchor.startswith(head) else anchor
        rules.setdefault(head, []).append((anchor, row))
    return {head: (_first(rows), rows) for head, rows in rules.items()}


def _first(rows: list[tuple[str, Rule | Format]]) -> str:
    """Says in one go what all rules need: what they say themselves; else, of tokens, that nothing is before them that they
    would continue from, and an anchor."""
    glances = {row.glance if isinstance(row, Rule) else "" for _, row in rows}
    if "" not in glances:
        return "|".join(sorted(glances))
    if not all(
        row.pattern.startswith(START) if isinstance(row, Rule) else anchor_of(row.parts)[0] == 0 for _, row in rows
    ):
        return ""
    return f"{START}(?:{'|'.join(sorted({re.escape(anchor) for anchor, _ in rows}))})"


@cache
def _rule(row: Rule | Format) -> Rule:
    """Return the rule that a format makes; it is made when its anchor is first met."""
    if isinstance(row, Rule):
        return row
    at, anchors = anchor_of(row.parts)
    before = [part for part in row.parts[:at] if isinstance(part, Run)]
    last = row.parts[-1]
    rest = f"[{class_of(last.characters)}]*+" if isinstance(last, Run) and last.most >= OPEN else ""
    rule = Rule(
        row.label, anchors, f"{START}{pattern_of(row.parts)}{'' if rest else _end(last)}", check=row.check, rest=rest
    )
    if all(part.least == part.most for part in before):
        texts = [part.texts[0] for part in row.parts[:at] if isinstance(part, Literal)]
        return rule._replace(back=sum(part.most for part in before) + sum(map(len, texts)))
    characters = "".join(part.characters for part in before)
    return rule._replace(run=characters, reach=sum(part.most for part in before))


def _end(last: Literal | Run) -> str:
    """Return what may not follow a value: more of what it consists of."""
    dash = isinstance(last, Run) and "-" in last.characters and "_" in last.characters
    return r"(?![A-Za-z0-9_-])" if dash else END


def _match(rule: Rule, text: str, at: int) -> Span | None:
    if rule.back:
        at -= rule.back
        if at < 0:
            return None
    if rule.run:
        before = text[max(0, at - rule.reach) : at]
        at -= len(before) - len(before.rstrip(rule.run))
        if escape := compile_pattern(ESCAPE).match(text, at):
            at = escape.end()
    match = compile_pattern(rule.pattern).match(text, at)
    if match is None:
        return None
    if rule.before and compile_pattern(rule.before).search(text, max(0, at - BEFORE), at) is None:
        return None
    group = match.lastindex or 0
    if not CHECKS[rule.check](*[match[i] for i in range(1, group + 1)] or [match[0]]):
        return None
    while group > 1 and not match[group]:  # an empty password: the name before it is the secret
        group -= 1
    end = match.end(group)
    if _is_part(text, match.start(group), end):
        return None
    if rule.rest and (rest := compile_pattern(rule.rest).match(text, end)):
        end = rest.end()
    return Span(match.start(group), end, rule.kind)


def _is_part(text: str, start: int, end: int) -> bool:
    """Return whether a match is only a piece of something longer that no token is a part of: Base64, such as of a
    picture, or the name of a file."""
    if text[start - 1 : start] in ("/", "+") and start:
        return compile_pattern(BASE64_BEFORE).search(text, max(0, start - PIECE), start) is not None
    return text[start - 1 : start] == "." and compile_pattern(ENDING).match(text, end) is not None


def _around_markers(text: str, spans: list[Span]) -> Iterator[Span]:
    """Markers of earlier redaction are nothing to hide: spans within one are dropped, others take it in whole."""
    markers = [match.span() for match in compile_pattern(MARKER).finditer(text)] if spans else []
    for span in spans:
        start, end = span.start, span.end
        inside = False
        first = bisect_right(markers, start, key=itemgetter(1))
        for marker in markers[first : bisect_left(markers, end, key=itemgetter(0))]:
            inside = inside or (marker[0] <= start and end <= marker[1])
            start, end = min(start, marker[0]), max(end, marker[1])
        if not inside:
            yield Span(start, end, span.kind)


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return spans sorted and made disjoint; overlapping ones become one, of the kind that came first among the spans."""
    result: list[tuple[Span, int]] = []
    for rank, span in sorted(enumerate(spans), key=lambda item: (item[1].start, item[0])):
        if result and span.start < result[-1][0].end:
            last, best = result[-1]
            kind = last.kind if best <= rank else span.kind
            result[-1] = (Span(last.start, max(last.end, span.end), kind), min(best, rank))
        else:
            result.append((span, rank))
    return tuple(span for span, _ in result)
