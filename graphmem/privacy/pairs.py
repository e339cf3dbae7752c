"""Finds secrets whose name and value are fields of their own: `{"name": "API_TOKEN", "value": "x"}`, `- name: X\\n  value: x`,
`<key>x</key><value>y</value>`, in either order and with other fields between. `names` judges the name, `judge` the value."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice

from graphmem.model.text import Span
from graphmem.privacy import judge
from graphmem.privacy.names import Secrecy, secrecy_of
from graphmem.privacy.patterns import compile_pattern, find_words
from graphmem.privacy.prose import describes_password

_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@[]"
_LONGEST_NAME = 60  # characters before or behind a label
_AROUND = 400  # characters between a name and its value
_KEYS = 4  # fields next to a name that may hold its value
_QUOTE = r"(?:\\{0,4}[\"'])?"
_NAMING = (
    r"(?:[\w-]{0,24}(?:name|key|field|label|title|property|setting|header|param|parameter|variable|attribute|option|secretid)"
    r"|id|k|n|var|env)"
)
# What is before a name that is the value of a field, and what begins another such field
_BEFORE = (
    rf"(?i)(?:(?<![\w-]){_NAMING}{_QUOTE}\s{{0,3}}(?:[:=]|=>)\s{{0,3}}{_QUOTE}|<(?:\w{{1,12}}:)?{_NAMING}>\s{{0,20}})\Z"
)
_ANOTHER = rf"(?i:[\"'\s,]{_NAMING}{_QUOTE}\s{{0,3}}[:=]|<{_NAMING}>)"
_AFTER = r"(?:\\{0,4}[\"'])?[ \t]{0,4}(?:[,;}<>/\r\n]|\s[\w\"'<>/-]|\Z)"
_VALUE_KEY = (
    r"(?i)(?<![A-Za-z0-9_-])(?P<sure>[\w-]{0,20}?(?:value|val|secretstring))"
    r"|(?<![A-Za-z0-9_-])(?:plaintext|content|data|default|v)"
)
_VALUE = (
    rf"(?:\]?{_QUOTE}\s{{0,3}}(?:[:=]|=>)\s{{0,3}}|>\s{{0,20}}(?:<!\[CDATA\[)?|(?P<line>{_QUOTE}:[ \t]{{1,8}}[|>]-?\n\s{{1,40}}))"
    r"(?:\\{1,4}[\"'](?P<a>[^\"'\\\n]{3,600})|\"(?P<b>(?:[^\"\\\n]|\\.){3,600}+)\"|'(?P<c>(?:[^'\\\n]|\\.){3,600}+)'"
    r"|(?P<d>[^\s\"'<>,;{}&\\]{3,600}+))"
)
_JUDGED = 600  # characters of a value
_REST = r"[^\s\"'<>,;{}&\\]*+"
_NEXT = r"[{}\0]|\n[ \t]{0,60}- |\n[ \t]{0,8}\n"  # where another thing begins
_SCHEME = r"(?:(?i:bearer|basic|token|apikey)[ ]{1,2})?"
_HEADERS = ("authorization", "cookie")  # whose values are secret in any request that is shown
_HEADER = Secrecy(2, "credential")


def find_paired_values(text: str, lower: str, labels: Iterable[tuple[int, str]]) -> Iterator[Span]:
    """Yield values in a field next to one that names a secret. `lower`: the text in lower case, every character at its
    place; `labels`: where labels of secrets are. Linear in the length of `text`."""
    done = 0
    for at, phrase in labels:
        if at >= done and (found := _paired(text, at, at + len(phrase))) is not None:
            yield found[0]
            done = found[1]
    for at, name in find_words(lower, _HEADERS):
        if (found := _paired(text, at, at + len(name), _HEADER)) is not None:
            yield found[0]


def _paired(text: str, at: int, end: int, secret: Secrecy | None = None) -> tuple[Span, int] | None:
    """Return the value that goes with a name, and where the name ends."""
    before = text[max(0, at - _LONGEST_NAME) : at]
    start = at - len(before) + len(before.rstrip(_NAME))
    if text[start - 1 : start] not in ("'", '"', ">", " ", "=", "\t", "\n") or not start:
        return None
    match = compile_pattern(_BEFORE).search(text, max(0, start - 48), start)
    if match is None:
        return None
    rest = text[end : end + _LONGEST_NAME]
    end += len(rest) - len(rest.lstrip(_NAME))
    if compile_pattern(_AFTER).match(text, end) is None:
        return None
    secret = secret or secrecy_of(text[start:end])
    if secret.level < 2:
        return None
    span = _behind(text, end, secret) or _ahead(text, match.start(), secret)
    return (span, max(end, span.end)) if span else None


def _behind(text: str, end: int, secret: Secrecy) -> Span | None:
    stop = compile_pattern(_NEXT).search(text, end, end + _AROUND)
    limit = stop.start() if stop else min(len(text), end + _AROUND)
    another = compile_pattern(_ANOTHER).search(text, end + 1, limit)
    limit = another.start() if another else limit
    for key in islice(compile_pattern(_VALUE_KEY).finditer(text, end, limit), _KEYS):
        if (span := _value(text, key.end(), bool(key["sure"]), secret, len(text))) is not None:
            return span
    return None


def _ahead(text: str, start: int, secret: Secrecy) -> Span | None:
    """Return the value in the fields before the name."""
    first = max(0, start - _AROUND)
    for stop in compile_pattern(f"{_NEXT}|{_ANOTHER}").finditer(text, first, start):
        first = stop.end()
    for key in deque(compile_pattern(_VALUE_KEY).finditer(text, first, start), _KEYS):
        span = _value(text, key.end(), bool(key["sure"]), secret, start)
        if span is not None and span.end <= start:
            return span
    return None


def _value(text: str, at: int, sure: bool, secret: Secrecy, limit: int) -> Span | None:
    match = compile_pattern(_VALUE).match(text, at, limit)
    if match is None:
        return None
    group = next(name for name in "abcd" if match[name] is not None)
    start, end = match.span(group)
    if end - start >= _JUDGED and (rest := compile_pattern(_REST).match(text, end)):
        end = rest.end()
    scheme = compile_pattern(_SCHEME).match(text, start, end)
    start = scheme.end() if scheme else start
    value = text[start : min(end, start + _JUDGED)]
    alone = group != "d" or ">" in match[0][:3] or "\n" in text[end : end + 2] or end == len(text)
    if (
        describes_password(value)
        or judge.is_placeholder(value)
        or (secrecy_of(value).level > 1 and judge.nonword_share(value) < 0.34)
    ):
        return None
    if secret is _HEADER:
        return Span(start, end, secret.kind) if len(value) >= 8 and any(map(str.isdigit, value)) else None
    if secret.kind == "credential" and not judge.is_token(value):
        return None
    if not (sure and alone) and not judge.is_chosen(value):
        return None
    kind = "secret" if secret.kind == "credential" else secret.kind
    return (
        Span(start, end, kind)
        if judge.is_assigned_secret(value, secret.level, kind, judge.Place.SURE, quoted=True)
        else None
    )
