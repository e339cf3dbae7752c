"""Finds values that a sentence gives to a label across some words, in any tense and many languages: `set the root password on
db1 to x`, `토큰은 x로 바꿨습니다`, `пароль от базы: x`. The value must look random or chosen; `labels` tells what a label is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphmem.model.text import Span
from graphmem.privacy import judge
from graphmem.privacy.labels import secrecy_at
from graphmem.privacy.patterns import compile_pattern, find_words

_REACH = 160  # characters behind a label
_WORDS = 9  # between a label and what joins it to the value
_VALUE = r"[!#-&*-;=?-Z^-z|~]{6,200}+"
_BETWEEN = (
    r"(?:[ \t,]{1,3}+[\w'’/@«»“”-]{1,60}+(?:\.\w{1,60}+){0,4}+|[ \t]?\([^()\n]{1,60}\)"
    r"|[.!;][ ](?i:it|now|the new one|new one|this|that)\b|[^\W\d_a-zA-Z]{1,60}+){0,9}+[ \t,;!.~]{0,3}"
)
_SIGN = r"[ \t]?(?:[:=：→➜⇒]|[=-]{1,2}>|[ ][—–-])[ \t]{0,3}"
_IS = (
    r"(?<![\w'-])(?:is|was|are|be|to|now|as|becomes?|became|equals|reads|with|via|using|lautet|ist|auf|zu|mit|es|est|sera|à|por|con|é"
    r"|è|jest|"
    r"na|это|теперь|на|равен|är|er|on|till|til|naar|met|olarak|là|adalah)[ ]{1,2}"
)
_NOW = r"(?:(?:jetzt|nun|nu|désormais|maintenant|ahora|adesso|agora|теперь)[ ])?"
_SUFFIX = r"(?:[은는이가을를로값]|으로|は|が|を|に|へ|是|为|為|成|了|到|叫|用|换|變|变)[ ]?"
_JOINED = rf"(?:{_SIGN}|{_IS}{_NOW}|{_SUFFIX})(?:[\"'`“‘„‚‹「『*«(_]{{0,3}})\Z"
_HEX = r"[0-9a-f]{7,64}"
_WEAK = frozenset("to as on na auf zu en a til till naar with via using mit por con".split())  # join other things, too
_CHANGED = r"[\"'`]?(?:으로|로)[ ]?(?:바꿨|바꾸|바뀌|변경|설정|교체|갱신|했)"
_ADDRESS = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_ADVISORY = r"[A-Z]{2,6}-\d{2,5}(?:-\w{1,10})*"  # CVE-2024-1, JIRA-123
_TAIL = ".,;:?)*"
_SIGNS = frozenset("!#$%^&*?~+")
_LOGIN = ("log in", "login", "log into", "sign in", "logged in")
_WITH = r"[ ](?:[\w@.'-]+[ ]){0,6}(?:with|using|via)[ ](?:\w{1,12}[ ]){0,2}[\"'`]?"
_BEFORE = (
    r"(?<![!-~])(?P<value>[!#-&*-;=?-Z^-z|~]{6,60})[\"'`]?(?:으로|로|을|를|이|が|を|に)[ ]?(?:[가-힣]{1,6}[ ]){0,3}\Z"
)


def find_told_values(text: str, lower: str, labels: Iterable[tuple[int, str]]) -> Iterator[Span]:
    """Yield values that a sentence tells of a label. `lower`: the text in lower case, every character at its place; `labels`:
    where labels are. Linear in the length of `text`."""
    done = 0
    for at, phrase in labels:
        end = at + len(phrase)
        if at >= done and (span := _told(text, at, end, phrase) or _told_before(text, at, end, phrase)) is not None:
            yield span
            done = span.end
    for at, word in find_words(lower, _LOGIN):
        match = compile_pattern(_WITH).match(text, at + len(word))
        value = match and compile_pattern(_VALUE).match(text, match.end())
        if value and _is_told(bare := value[0].rstrip(_TAIL), True):
            yield Span(value.start(), value.start() + len(bare), "password")


def _told(text: str, at: int, end: int, phrase: str) -> Span | None:
    limit = text.find("\n", end, end + _REACH)
    limit = min(len(text), end + _REACH) if limit < 0 else limit
    if compile_pattern(r"\d").search(text, end, limit) is None:
        return None
    for match in compile_pattern(_VALUE).finditer(text, end, limit):
        start = match.start()
        joined = compile_pattern(_JOINED).search(text, max(end, start - 24), start)
        if start == end or not (joined or compile_pattern(_CHANGED).match(text, match.end())):
            continue
        first = max(end, joined.start()) if joined else start
        if compile_pattern(_BETWEEN).fullmatch(text, end, first) is None:
            return None
        whole = compile_pattern(_VALUE).match(text, start)
        value = (whole or match)[0].rstrip(_TAIL)
        if not _is_told(value, joined is None or joined[0].strip().lower() not in _WEAK):
            continue
        secret = secrecy_at(text, at, phrase)
        return Span(start, start + len(value), secret.kind) if secret.level > 1 else None
    return None


def _told_before(text: str, at: int, end: int, phrase: str) -> Span | None:
    """Return a value before its label: `x로 비밀번호를 바꿨어`."""
    if phrase.isascii():
        return None
    match = compile_pattern(_BEFORE).search(text, max(0, at - 90), at)
    if match is None or not _is_told(match["value"], True):
        return None
    return Span(*match.span("value"), secrecy_at(text, at, phrase).kind or "password")


def _is_told(value: str, sign: bool) -> bool:
    """Return whether a value looks random or chosen; `sign`: a sign joins it to its label."""
    if (
        len(value) < 6
        or not any(map(str.isdigit, value))
        or not judge.is_stated(value, 3, False)
        or "://" in value
        or judge.is_sequential(value)
    ):
        return False
    if compile_pattern(_ADDRESS).fullmatch(value) or compile_pattern(_ADVISORY).fullmatch(value):
        return False
    if not sign and (len(value) < 24 or len(value) == 40) and compile_pattern(_HEX).fullmatch(value):
        return False
    if "(" in value or "/" in value[:1] or judge.is_uuid(value):
        return False
    return judge.is_token(value) or (
        judge.looks_chosen(value)
        and (not _SIGNS.isdisjoint(value) or (sign and value.isalnum() and judge.is_scattered(value)))
    )
