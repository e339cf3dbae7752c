"""Finds secrets that people keep for later and programs print whole: recovery codes, seed phrases, keys for a second factor,
cookies of a jar, links that reset a password, and what a command prints that reads one secret."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from graphmem.model.text import Span
from graphmem.privacy import judge
from graphmem.privacy.patterns import compile_pattern, find_words
from graphmem.privacy.printing import command_prefixes, find_printed

_LINES = (
    r"[ \t]{0,3}(?:(?i:is|are)\b)?[ \t]{0,3}(?:[:：=—–-]|은|는|は)?[^\n:]{0,40}?:?[ \t*`]{0,4}(?:\r?\n[ \t]{0,20}){0,3}"
)
_GROUP = r"[A-Za-z0-9]{3,10}"
_ITEM = r"(?:(?:[-*•]|\d{1,2}[.):])[ \t]{1,3})?[`\"']?"
_CODE = rf"{_GROUP}(?:[- ]{_GROUP}){{0,7}}"
_CODES = rf"(?P<all>(?:{_ITEM}{_CODE}[`\"']?[ \t]{{0,6}}(?:[,;|/]|\r?\n|[ ]{{2,8}}|\Z)[ \t\r\n]{{0,12}}){{1,40}})"
_SEED = (
    r"(?P<all>(?:(?:\d{1,2}[.):]?[ \t]{0,3})?[a-z]{3,8}+(?:[ \t]*(?:\r?\n|,)[ \t]*|[ \t]{1,8}+|\Z|(?=[^a-z]))){12,24}+)"
)
_BASE32 = r"[\"'`]?(?P<value>[A-Za-z2-7]{4}(?:[ -][A-Za-z2-7]{4}){3,15}(?![A-Za-z0-9])|[A-Z2-7]{16,128}(?![A-Za-z0-9])|[a-z2-7]{16,128}(?![A-Za-z0-9]))"
_FACTOR = r"(?i:2fa|totp|otp|mfa|two-factor|authenticator|authentication|setup|set-up|manual entry|manual|enrol?lment)"
_RANDOM = r"[A-Za-z0-9_~.-]{16,400}"


class _Kept(NamedTuple):
    """What stands at one of some anchors in lower case; the secret is the group `value`, or each code within `all`."""

    kind: str
    anchors: tuple[str, ...]
    pattern: str


_KEPT: tuple[_Kept, ...] = (
    _Kept(
        "recovery_code",
        (
            "recovery",
            "backup",
            "scratch",
            "rescue",
            "emergency",
            "one-time",
            "single-use",
            "복구",
            "백업",
            "wiederherstellung",
        ),
        rf"(?i:(?:recovery|backup|scratch|rescue|emergency|one-time|single-use)[ _-]?(?:2fa[ ]|mfa[ ]|login[ ])?(?:pass)?(?:codes?|keys?)|(?:복구|백업)[ ]?(?:코드|키)|wiederherstellungs(?:codes?|schlüssel))(?!\w){_LINES}{_CODES}",
    ),
    _Kept(
        "seed_phrase",
        (
            "seed",
            "mnemonic",
            "recovery",
            "secret phrase",
            "backup phrase",
            "wallet",
            "passphrase",
            "시드",
            "니모닉",
            "복구",
            "助记词",
            "複元",
        ),
        rf"(?i:(?:wallet[ ])?(?:seed|mnemonic|recovery|secret recovery|secret|backup)(?:[ _-](?:phrase|words?|seed|key))?s?|mnemonic|wallet|passphrase|(?:시드|복구)[ ]?(?:구문|문구|단어)|니모닉|助记词){_LINES}[\"'`]?{_SEED}",
    ),
    _Kept(
        "otp_secret",
        (
            "2fa",
            "totp",
            "otp",
            "mfa",
            "two-factor",
            "authenticator",
            "setup",
            "set-up",
            "manual",
            "authentication",
            "enrol",
        ),
        rf"{_FACTOR}[ _-](?:app[ ]|setup[ ]|entry[ ])?(?i:keys?|secrets?|seed|codes?)(?:[ ](?:for|of|on)[ ][\w.-]+){{0,2}}[ \t]{{0,2}}(?:(?i:is)\b)?[ \t]{{0,2}}(?:[:=]|->)?[ \t]{{0,3}}(?:\n[ \t]{{0,8}})?{_BASE32}",
    ),
    _Kept(
        "cookie",
        ("\ttrue\t", "\tfalse\t"),
        r"\t(?i:true|false)\t/[^\t\n]{0,200}\t(?i:true|false)\t\d{1,20}\t[^\t\n]{1,200}\t(?P<value>[^\s]{6,4096}+)",
    ),
    _Kept(  # of a connection string: `Account Key=x;`
        "api_key",
        (" key=", " secret=", " token=", " password=", " pwd=", " pass="),
        r"(?<=[A-Za-z])[ ](?i:key|secret|token|password|pwd|pass)=(?P<value>[^;\s\"'<>]{6,400}+)(?=;|[\"']|\r?\n|\Z)",
    ),
    _Kept(
        "link_token",
        (
            "reset",
            "confirm",
            "verify",
            "verification",
            "activat",
            "invit",
            "magic",
            "unlock",
            "login",
            "signin",
            "recover",
            "hooks",
            "join",
            "sso",
            "passwordless",
            "webhook",
        ),
        r"(?i:reset|confirm(?:ation)?|verify|verification|activat(?:e|ion)|invit(?:e|ation)s?|magic|unlock|log-?in|sign-?in|recover(?:y)?|hooks?|join|sso|passwordless|webhooks?)"
        rf"(?:[\w.-]{{0,40}}/){{1,4}}?(?P<value>{_RANDOM})(?![\w/.-])",
    ),
)
_ANCHORS = tuple(dict.fromkeys([*(anchor for kept in _KEPT for anchor in kept.anchors)]))


def find_keepsakes(text: str, lower: str) -> Iterator[Span]:
    """Yield the secrets of these kinds. `lower`: the text in lower case, every character at its place. Linear in the length of
    `text`."""
    done: dict[str, int] = {}
    for at, anchor in find_words(lower, (*_ANCHORS, *command_prefixes())):
        if at < done.get(anchor, 0):
            continue
        if anchor in command_prefixes():
            spans = list(find_printed(text, at, anchor))
        else:
            spans = [span for kept in _KEPT if anchor in kept.anchors for span in _kept(text, at, kept)]
        yield from spans
        done[anchor] = max((span.end for span in spans), default=0)


def _kept(text: str, at: int, kept: _Kept) -> Iterator[Span]:
    if text[max(0, at - 1) : at].isalpha() and text[at].isalpha() and kept.kind != "link_token":
        return
    match = compile_pattern(kept.pattern).match(text, at)
    if match is None:
        return
    if kept.kind == "recovery_code":
        codes = list(compile_pattern(_CODE).finditer(match["all"]))
        shapes = Counter(_shape(code[0]) for code in codes)
        for code in codes:
            if _is_code(code[0]) or ("-" in code[0] and shapes[_shape(code[0])] > 1):
                yield Span(match.start("all") + code.start(), match.start("all") + code.end(), kept.kind)
    elif kept.kind == "seed_phrase":
        yield Span(match.start("all"), match.start("all") + len(match["all"].rstrip()), kept.kind)
    elif _is_value(text, at, match["value"], kept.kind):
        yield Span(*match.span("value"), kept.kind)


def _shape(code: str) -> tuple[int, ...]:
    return tuple(map(len, code.split("-")))


def _is_code(code: str) -> bool:
    """Return whether a code is groups of letters and digits, and no words or dates."""
    groups = code.replace(" ", "-").split("-")
    letters = "".join(groups)
    digits = sum(map(str.isdigit, letters))
    if len(letters) < 8 or judge.is_sequential(letters):
        return False
    if digits == len(letters):
        return len(set(map(len, groups))) == 1 and len(letters) != 14
    return digits >= 1 or (len(groups) > 1 and len(set(map(len, groups))) == 1 and judge.nonword_share(code) > 0.9)


def _is_value(text: str, at: int, value: str, kind: str) -> bool:
    if judge.is_placeholder(value):
        return False
    if kind == "otp_secret":
        return any(map(str.isdigit, value)) or value.isupper() or (" " in value and judge.nonword_share(value) > 0.3)
    if kind == "api_key":
        return judge.is_chosen(value) and judge.is_stated(value, 3, False)
    if kind == "link_token":
        line = text[max(text.rfind("\n", max(0, at - 200), at), at - 200, 0) : at]
        return "://" in line and judge.looks_random(value) and not judge.is_uuid(value)
    return len(value) >= 8 and any(map(str.isdigit, value)) and not value.isdigit()
