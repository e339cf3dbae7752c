"""Finds values assigned to secret names: `password = "x"`, `"api_key": "x"`, `--token x`, `X-Api-Key: x`, `<pw>x</pw>`.
Knows the forms of assignment in code, configuration, headers and URLs; `names` judges the name, `judge` the value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from graphmem.model.text import Span
from graphmem.privacy import judge
from graphmem.privacy.names import Secrecy, secrecy
from graphmem.privacy.patterns import compiled, places

# The words that can make a name secret, in lower-case text; markers come first, to be inert.
STEMS = (
    r"\[redacted(?::[a-z0-9_]{1,40})?\]|pa?ss?w|pass|pwd|psw|pw|secret|token|key|auth|cred|salt|nonce|api|sig|otp|psk"
    r"|jwt|bearer|cookie|session|webhook|sas\b|dsn|pat\b|비밀|비번|암호|패스워드|토큰|시크릿|인증|키|자격증명"
)
# What each of them begins with: a cheap first look.
HEADS = (
    "[redacted pas pss psw pwd pw secret token key auth cred salt nonce api sig otp psk jwt bearer cookie session webhook"
    " sas dsn pat 비밀 비번 암호 패스워드 토큰 시크릿 인증 키 자격증명"
).split()
NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
NAME_LIMIT = 48  # characters on either side of a stem
JUDGED = 256  # characters of a value that are judged; an accepted value is followed to its end

TAIL = rf"[\w-]{{0,{NAME_LIMIT}}}+"
CLOSE = r"(?:\[\d{0,3}\])?(?:\\{0,4}[\"'`])?[\])]?\??"
TYPED = r"(?:[ \t]{0,4}:[ \t]{0,4}[A-Za-z_][\w.<>\[\]?|*&, ]{0,40}(?=[ \t]{0,4}=[^=]))?"
SIGN = r"(?::=|=>|={1,3}|!={1,2}|:(?!:)|->|→|%3[Dd]|\|=)"
GAP = r"[ \t]{0,16}"
OTHERWISE = r"(?:or\b|\|\||\?\?)"
AFTER_NAME = frozenset("\"'`\\[]()?: \t=!-→%|>,\n")  # the first characters of all forms


class Form(NamedTuple):
    """`separator` stands between name and value, and `before` (if any) before the name. A `doubtful` form is also that
    of plain code and prose, so that the value must look random or chosen."""

    separator: str
    before: str = ""
    doubtful: bool = False


SIGNED = Form(rf"{CLOSE}{TYPED}{GAP}{SIGN}{GAP}(?:[|>][-+]?\n[ \t]{{1,40}})?")  # also YAML's block scalars
FLAG = Form(r"[ \t]{1,3}(?![-|&;])", before=r"(?:\A|\s)--?\Z")
FORMS: tuple[Form, ...] = (
    Form(  # name = getenv("NAME", "value"), name = other or "value"
        rf"{CLOSE}{GAP}{SIGN}{GAP}[^\n\"'=;]{{0,60}}"
        rf"(?:\([\"'][\w.-]{{1,60}}[\"']\)?[ \t]{{0,4}}(?:,|{OTHERWISE})|\b{OTHERWISE})[ \t]{{0,4}}(?=[\"'])"
    ),
    SIGNED,
    Form(r"(?:\s[^<>\n]{0,120})?>\s{0,80}(?:<[a-z!\[CDAT]{1,12}>?\s{0,80})?", before=r"<\Z"),
    FLAG,
    Form(
        r"[\"']?,?\s{1,40}[\"']?value[\"']?[ \t]{0,4}[:=][ \t]{0,4}",
        before=r"(?:name|key)[\"']?\s{0,2}[:=]\s{0,2}[\"']?\Z",
    ),
    Form(rf"\\?[\"'][ \t]{{0,4}},{GAP}(?:value[\"']?[ \t]{{0,4}}[:=]{GAP})?(?=[\"'])", doubtful=True),
    Form(r"[ \t]{1,16}", before=r"[%#]\s?(?:define|global)\s{1,8}\Z", doubtful=True),
    Form(r"[\"']?\((?=[\"'])", doubtful=True),
    Form(r"\((?=[^\s()]{4,80}\))", doubtful=True),
    Form(r"(?:[ \t]|\\t){1,16}(?=\\?[\"'])", doubtful=True),
)
ANY_FORM = "|".join(form.separator for form in FORMS)
QUOTED = (
    r"(?:[bBrRuUfFL@$]{1,2}(?=[\"']))?(?:"
    r"\\{1,4}[\"'](?P<a>[^\"'\\\n]{1,512})"
    r"|\"(?:\"\")?(?P<b>(?:[^\"\\\n]|\\.){1,512}+)"
    r"|'(?:'')?(?P<c>(?:[^'\\\n]|\\.){1,512}+)"
    r"|`(?P<d>[^`\n]{1,512}+))"
)
# A key written as numbers: `{0x1f, 0x8b, ...}`, `new byte[] { (byte) 0x1f, ...}`, `bytes([31, 139, ...])`.
_BYTE = r"(?:\([a-z]{4,8}\)[ \t]{0,2})?(?:0x[0-9A-Fa-f]{1,2}|-?\d{1,3})[uUL]{0,2}"
BYTES = rf"(?:[\w.]{{2,12}}[ \t(\[\]]{{0,8}}){{0,3}}[\[{{(]\s{{0,9}}({_BYTE}(?:[ \t]{{0,4}},[\s\\]{{0,80}}{_BYTE}){{11,600}}+)"
# Ends where the next name begins: in `a=1&b=2`, `a=1, b=2`.
PLAIN = r"(?:[^\s\"'`<>;,&\\]{1,120}+|\\(?![nrt\"'])|\\$|[,&](?![\w.\-\"' ]{0,40}[=:]|\s|$)){1,12}+"
REST = r"[^\s\"'`<>;,&\\]*+"
BASE64 = r"[A-Za-z0-9+/=_-]{40,}"
# Base64 that goes on in the next lines, unless those begin with names of their own.
WRAPPED = r"(?:[\"'+ \t\\]{0,20}\r?\n[ \t\"'+]{0,80}[A-Za-z0-9+/_-]{16,}+={0,3}+(?![\"']?[ \t]{0,9}[:(.=]|[A-Za-z0-9])){1,400}+"
SCHEME = r"(?:(?i:bearer|basic|token|digest|apikey|api-key|negotiate|key|splunk|sso-key|hmac)[ \t:]{1,4}(?=\S))?"
ANY_SCHEME = r"(?:[A-Za-z][\w-]{2,24}[ \t]{1,4}(?=\S{8}))?"  # in an Authorization header any word may name the scheme
LINE = r"[\s\-#]*(?:(?i:export|set|env|arg) )?[\"']?[\w.\-]+[\"']?\s*[:=]+\s*"  # up to the value
LINE_END = r"[;&]|[ \t]*(?:#|//|\\|\r?\n|\Z)|[ \t]+[\w.-]+="
LINE_LIMIT = 160
BRACKETS = {")": "(", "]": "[", "}": "{"}


def find(text: str, names: tuple[str, ...] = ()) -> Iterator[Span]:
    """Secrets that a name gives away, in order of their place; linear in the length of `text`. `names` are further
    names whose values are secret."""
    stems = compiled("|".join([STEMS, *map(re.escape, map(str.lower, names))]))
    tail = compiled(TAIL)
    lower = _lower(text)
    at = 0
    for start, _ in places(lower, (*HEADS, *map(str.lower, names))):
        stem = stems.match(lower, start) if start >= at else None
        if stem is None:
            continue
        at = stem.end()
        if lower[start] == "[":
            continue
        if rest := tail.match(text, at):
            at = rest.end()
        if text[at : at + 1] in AFTER_NAME and (span := _assigned(text, start, at, names)) is not None:
            yield span
            at = span.end


def _lower(text: str) -> str:
    """Lower case with every character at its place: a few letters (such as `İ`) would grow."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _assigned(text: str, start: int, end: int, names: tuple[str, ...]) -> Span | None:
    """The secret assigned to the name around `text[start:end]`, if that is an assignment and a secret."""
    if compiled(ANY_FORM).match(text, end) is None:
        return None
    for form in FORMS:
        separator = compiled(form.separator).match(text, end)
        if separator is None or separator.end() == len(text):
            continue
        before = text[max(0, start - NAME_LIMIT) : start]
        head = before.rstrip(NAME)
        name = before[len(head) :] + text[start:end]
        bare = name.lstrip("-.")
        if form.before:
            before = text[max(0, start - 2 * NAME_LIMIT) : end - len(bare)]
            if not compiled(form.before).search(before):
                continue
        configured = any(wanted.lower() in name.lower() for wanted in names)
        secret = Secrecy(3, "secret") if configured else secrecy(bare)
        return _value(text, separator.end(), bare, secret, form) if secret.level else None
    return None


def _value(text: str, at: int, name: str, secret: Secrecy, form: Form) -> Span | None:
    numbers = compiled(BYTES).match(text, at)
    if numbers is not None:
        return Span(*numbers.span(1), secret.kind) if judge.key_bytes(numbers[1], secret.level) else None
    scheme = compiled(ANY_SCHEME if name.lower().endswith("authorization") else SCHEME)
    quoted = compiled(QUOTED).match(text, at)
    if quoted is not None:
        start, end = quoted.span(quoted.lastgroup or 0)
        start = _skipped(scheme, text, start, end)
    else:
        start = _skipped(scheme, text, at, len(text))
        if (plain := compiled(PLAIN).match(text, start)) is None:
            return None
        end = start + len(_trimmed(plain[0]))
    if end <= start or not _accepted(text, start, end, secret, form, quoted is not None):
        return None
    return Span(start, _followed(text, start, end), secret.kind)


def _skipped(scheme: re.Pattern[str], text: str, start: int, end: int) -> int:
    """Where the value begins after the word that names a scheme, as in `Bearer abc`."""
    match = scheme.match(text, start)
    return match.end() if match and match.end() < end else start


def _trimmed(value: str) -> str:
    """An unquoted value without what ends the sentence or closes the bracket around it."""
    value = value.rstrip(".,:")
    while value and value[-1] in BRACKETS and value.count(BRACKETS[value[-1]]) < value.count(value[-1]):
        value = value[:-1]
    return value


def _accepted(text: str, start: int, end: int, secret: Secrecy, form: Form, quoted: bool) -> bool:
    value = text[start : min(end, start + JUDGED)]
    if form.doubtful and not (judge.mixed(value) or judge.looks_random(value)):
        return False
    alone = 1 if form is FLAG else _alone(text, start, end) if form is SIGNED and not quoted else 0
    return judge.assigned(value, secret.level, quoted=quoted, alone=alone)


def _alone(text: str, start: int, end: int) -> int:
    """Whether a line holds only a name, a sign and a value: 2 as configuration writes it, 1 as code may, else 0."""
    if not compiled(LINE_END).match(text, end):
        return 0
    line = text[max(0, start - LINE_LIMIT) : start]
    line = line[line.rfind("\n") + 1 :]
    if line.endswith("=") and not line.endswith((" =", "==")):
        return 2
    if len(line) == LINE_LIMIT or not compiled(LINE).fullmatch(line):
        return 0
    return 2 if line.rstrip().endswith(":") else 1


def _followed(text: str, start: int, end: int) -> int:
    """The end of a value that is longer than what was matched, or goes on in the next lines."""
    if end - start >= JUDGED and (rest := compiled(REST).match(text, end)):
        end = rest.end()
    if (
        end - start >= 40
        and compiled(BASE64).fullmatch(text, start, end)
        and (more := compiled(WRAPPED).match(text, end))
    ):
        end = more.end()
    return end
