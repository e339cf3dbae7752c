"""Finds values assigned to secret names: `password = "x"`, `"api_key": "x"`, `--token x`, `X-Api-Key: x`, `<pw>x</pw>`.
Knows the forms of assignment in code, configuration, headers and URLs; `names` judges the name, `judge` the value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from graphmem.model.text import Span
from graphmem.privacy import judge, prose, surroundings
from graphmem.privacy.names import Secrecy, is_measure, secrecy_of
from graphmem.privacy.patterns import compile_pattern, find_words

# The words that can make a name secret, in lower-case text; markers come first, to be inert.
STEMS = (
    r"\[redacted(?::[a-z0-9_]{1,40})?\]|pa?ss?w|pass|pwd|psw|pw|secret|token|key|auth|cred|salt|nonce|api|sig|otp|psk|tok(?![a-z])"
    r"|jwt|bearer|cookie|session|webhook|sas\b|dsn|pat\b|비밀|비번|암호|패스워드|토큰|시크릿|인증|키|자격증명|パスワード|暗証番号|密码|密碼|口令"
)
# What each of them begins with: a cheap first look.
HEADS = (
    "[redacted pas pss psw pwd pw secret tok key auth cred salt nonce api sig otp psk jwt bearer cookie session webhook"
    " sas dsn pat 비밀 비번 암호 패스워드 토큰 시크릿 인증 키 자격증명 パスワード 暗証番号 密码 密碼 口令"
).split()
NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
NAME_LIMIT = 48  # characters on either side of a stem
JUDGED = 256  # characters of a value that are judged; an accepted value is followed to its end

TAIL = rf"[\w-]{{0,{NAME_LIMIT}}}+"
CLOSE = r"(?:\[\d{0,3}\])?(?:\\{0,4}[\"'`])?[\])]?\??"
TYPED = (
    r"(?:[ \t]{0,4}:[ \t]{0,4}(?:&(?:'\w+ )?)?[A-Za-z_][\w.<>\[\]?|*&, ]{0,40}(?=[ \t]{0,4}=[^=])|[ "
    r"\t]{1,4}(?:string|String|str|char)(?=[ \t]{0,4}=[ \t]{0,4}[\"'`]))?"
)
SIGN = r"(?::=|<-|=>|={1,3}|!={1,2}|:(?!:)|->|→|%3[Dd]|\|=)"
GAP = r"[ \t]{0,16}"
# A constructor around a literal: `[]byte("...")`
MADE = r"(?:(?:\[\]byte|Buffer\.from|SecretStr|bytes|String|new \w{3,20}|\w{1,20}\.from)\((?=[\"'`]))?"
# Any other call or block around one
CALLED = r"(?:(?:new[ ])?[&*]?[A-Za-z_][\w.:!<>]{0,60}[ \t]{0,2}[({][ \t]{0,4})"
CONTINUED = r"(?:\\\r?\n[ \t]{0,40})?"  # shell: the line continues
CLOSED = r"(?=[^<>]{1,4096}+(?:</|\]\]>))"  # the text of an element
OTHERWISE = r"(?:(?<!\w)or\b|\|\||\?[?:])"  # between a value and what stands in for it
AFTER_NAME = frozenset("\"'`\\[]()?: \t=!-→%|>,{\n")  # the first characters of all forms


class Form(NamedTuple):
    """`separator` is between name and value, and `before` (if any) before the name, right after one of the `signs`. A
    `doubtful` form is also that of plain code and prose, so that the value must look random or chosen. `sure`: it gives
    values, never variables. `strict`: a call may take anything, so that the value must look random."""

    separator: str
    before: str = ""
    signs: str = ""
    doubtful: bool = False
    sure: bool = False
    strict: bool = False


# also YAML's block scalars
SIGNED = Form(
    rf"{CLOSE}{TYPED}{GAP}{SIGN}{GAP}{CONTINUED}(?:[|>][-+]?\n[ \t]{{1,40}}|[\[(]{{1,2}}\s{{0,40}}(?=[\"'`]))?{MADE}"
)
FLAG = Form(rf"[ \t]{{1,3}}{CONTINUED}(?![-|&;])", before=r"(?:\A|\s)--?\Z", signs="-", sure=True)
# name = Some("value"), val name by lazy { "value" }
BEHIND_CALL = Form(
    rf"{CLOSE}(?:[ \t]?:[ \t]?[A-Za-z_][\w.<>\[\]?|*& ]{{0,40}})?{GAP}(?:{SIGN}|\bby\b){GAP}{CALLED}{{1,3}}(?=[\"'`])",
    strict=True,
)
FORMS: tuple[Form, ...] = (
    Form(  # name = getenv("NAME", "value"), name = other or "value", name = on ? "value" : ""
        rf"{CLOSE}{TYPED}{GAP}{SIGN}{GAP}[^\n\"'=;]{{0,60}}"
        rf"(?:[(\[][\"'][\w.-]{{1,60}}[\"'](?:[)\]]{{1,2}}[ \t]{{0,4}}\{{|[)\]]{{0,2}}[ \t]{{0,4}}(?:,|{OTHERWISE}))"
        rf"|{OTHERWISE}|[ \t]\?)"
        r"[ \t]{0,4}(?=[\"'])"
    ),
    Form(  # "name": {"type": "string", "value": "x"}
        r"[\"']\s{0,4}:\s{0,4}\{[^{}]{0,240}?[\"']value[\"']\s{0,4}:\s{0,4}(?=[\"'])",
        before=r"[\"']\Z",
        signs="\"'",
        sure=True,
    ),
    Form(r"[\"']\][ \t]?=>\s{1,9}string\(\d{1,4}\)[ \t](?=[\"'])", before=r"[\"']\Z", signs="\"'", sure=True),  # of PHP
    BEHIND_CALL,
    SIGNED,
    Form(
        r"(?:\s[^<>\n]{0,120})?>\s{0,80}(?:<[a-z!\[CDAT]{1,12}>?\s{0,80})?" + CLOSED,
        before=r"<\Z",
        signs="<",
        sure=True,
    ),
    Form(
        r"[\"'][^<>/\n]{0,80}>(?:\s{0,80}<value>)?" + CLOSED,
        before=r"(?:name|key|id)\s?=\s?[\"']\Z",
        signs="\"'",
        sure=True,
    ),
    FLAG,
    Form(
        r"[ \t]{1,4}(?=[^\s=:])",
        before=r"(?m)^[ \t]*(?:ENV|ARG|setenv|setx|SETX|set -\w{1,3})[ \t]{1,4}\Z",
        signs=" \t",
        sure=True,
    ),
    Form(
        r"[\"']?,?[\s+-]{1,40}[\"']?value[\"']?[ \t]{0,4}[:=][ \t]{0,4}",
        before=r"(?:name|key)[\"']?\s{0,2}[:=]\s{0,2}[\"']?\Z",
        signs="\"' \t\n:=",
        sure=True,
    ),
    Form(r"[ \t]{1,3}<<<[ \t]{0,2}(?=[^\s$])", before=r"\bread[ \t](?:-\w{1,4}[ \t]){0,3}\Z", signs=" ", sure=True),
    Form(  # npm config set NAME VALUE
        r"[\"']?[ \t]{1,4}(?=[^\s=:|;&-])",
        before=r"\b(?:set|config|put)[ \t]{1,4}(?:--?[\w-]{1,20}[ \t]{1,3}){0,2}[\"']?[\w./:@-]{0,60}\Z",
        signs=" \t\"':/",
        doubtful=True,
    ),
    Form(  # variable "token" { default = "value" }
        r"[\"']\s{0,4}\{[^{}]{0,240}?\bdefault\s{0,16}=\s{0,4}(?=[\"'])", before=r"variable\s{1,4}[\"']\Z", signs="\"'"
    ),
    Form(  # props.put("name", "value")
        r"[\"'],[ \t]{0,8}(?=[\"'])", before=r"(?:\bput(?:env)?|[sS]et\w{0,20}|\bdefine)\(\s{0,8}[\"']\Z", signs="\"'"
    ),
    Form(rf",{GAP}(?=[\"'])", before=r"[(,\s]:\Z", signs=":"),  # set(:name, "value")
    Form(rf"\\?[\"'][ \t]{{0,4}},{GAP}(?:value[\"']?[ \t]{{0,4}}[:=]{GAP})?(?=[\"'])", doubtful=True),
    Form(r"[ \t]{1,16}(?=[\"'])", before=r"[%#]\s?(?:define|global)\s{1,8}\Z", signs=" \t"),
    Form(r"[ \t]{1,16}", before=r"[%#]\s?(?:define|global)\s{1,8}\Z", signs=" \t", doubtful=True),
    Form(r"[\"']?\((?=[\"'])", doubtful=True),
    Form(r"[^\"'\n%{]{0,30}(?:%[a-z]|\{\w{0,20}\})[^\"'\n]{0,12}[\"'],[ \t]{0,4}(?=[\"'])", doubtful=True),
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
# Base64 that continues in the next lines, unless those begin with names of their own.
WRAPPED = r"(?:[\"'+ \t\\]{0,20}\r?\n[ \t\"'+]{0,80}[A-Za-z0-9+/_-]{16,}+={0,3}+(?![\"']?[ \t]{0,9}[:(.=]|[A-Za-z0-9])){1,400}+"
SCHEME = r"(?:(?i:bearer|basic|token|digest|apikey|api-key|negotiate|key|splunk|sso-key|hmac)[ \t:]{1,4}(?=\S))?"
ANY_SCHEME = r"(?:[A-Za-z][\w-]{2,24}[ \t]{1,4}(?=\S{8}))?"  # in an Authorization header any word may name the scheme
ENDS = r"[\"'`]?(?:[,;)}\]>|][^\w(]|[,;)}\]>|]?[ \t]*(?:\r?\n|\Z)|[ \t]+[\w.-]{1,40}[=:]|\\[nr])"  # behind a value in output
CHAINED = r"[)\]}](?=\.[A-Za-z_]\w{0,60}\()"  # `connect(password=None).cursor()`
BRACKETS = {")": "(", "]": "[", "}": "{"}


class _Named(NamedTuple):
    """A name in the text, and how secret it is."""

    start: int
    end: int
    secret: Secrecy


def find_assignments(
    text: str,
    names: tuple[str, ...] = (),
    *,
    certain: bool = False,
    printed: bool = False,
    lower: str | None = None,
) -> Iterator[Span]:
    """Yield secrets that a name gives away, in order of their place; linear in the length of `text`. `names` are further
    names whose values are secret; `certain`: the name alone is enough, whatever the value; `printed`: the same outside of
    source code; `lower`: what `lowered` makes of the text, if that is known."""
    stems = compile_pattern("|".join([STEMS, *map(re.escape, map(str.lower, names))]))
    tail = compile_pattern(TAIL)
    lower = lower_in_place(text) if lower is None else lower
    at = 0
    for start, _ in find_words(lower, (*HEADS, *map(str.lower, names))):
        stem = stems.match(lower, start) if start >= at else None
        if stem is None:
            continue
        at = stem.end()
        if lower[start] == "[":
            continue
        if rest := tail.match(text, at):
            at = rest.end()
        span = _assigned(text, start, at, names, certain, printed) if text[at : at + 1] in AFTER_NAME else None
        if span is None:
            span = prose.find_stated(text, start, at)
        if span is not None:
            yield span
            at = span.end


def lower_in_place(text: str) -> str:
    """Return the text in lower case with every character at its place: a few letters (such as `İ`) would grow."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _assigned(text: str, start: int, end: int, names: tuple[str, ...], certain: bool, printed: bool) -> Span | None:
    """Return the secret assigned to the name around `text[start:end]`, if that is an assignment and a secret."""
    before = text[max(0, start - NAME_LIMIT) : start]
    name = before[len(before.rstrip(NAME)) :] + text[start:end]
    bare = name.lstrip("-.")
    configured = bool(names) and any(wanted.lower() in name.lower() for wanted in names)
    secret = Secrecy(3, "secret") if configured else secrecy_of(bare)
    if text.endswith("::", 0, end - len(bare)) and not bare.isupper() and not bare.islower():
        return None  # the name of a type: `"AWS::KMS::Key": ...`
    if not secret.level or compile_pattern(ANY_FORM).match(text, end) is None:
        return None
    named = _Named(end - len(bare), end, secret)
    for form in FORMS:
        if form.signs and (not named.start or text[named.start - 1] not in form.signs):
            continue
        separator = compile_pattern(form.separator).match(text, end)
        if separator is None or separator.end() == len(text):
            continue
        if form.before and not compile_pattern(form.before).search(text[max(0, start - 2 * NAME_LIMIT) : named.start]):
            continue
        value = _value(text, separator.end(), named, form, certain or configured, printed)
        if value is not None or not form.strict:
            return value
    return None


def _value(text: str, at: int, name: _Named, form: Form, certain: bool, printed: bool) -> Span | None:
    numbers = compile_pattern(BYTES).match(text, at)
    if numbers is not None:
        return Span(*numbers.span(1), name.secret.kind) if judge.key_bytes(numbers[1], name.secret.level) else None
    is_header = text[name.start : name.end].lower().endswith("authorization")
    scheme = compile_pattern(ANY_SCHEME if is_header else SCHEME)
    quoted = compile_pattern(QUOTED).match(text, at)
    if quoted is not None:
        start, end = quoted.span(quoted.lastgroup or 0)
        start = _skipped(scheme, text, start, end)
    else:
        start = _skipped(scheme, text, at, len(text))
        if (plain := compile_pattern(PLAIN).match(text, start)) is None:
            return None
        end = start + len(_trimmed(plain[0]))
    is_quoted = quoted is not None
    if judge.is_number(text[start:end]) and is_measure(text[name.start : name.end]):
        return None
    if end <= start or not (
        _accepted(text, start, end, name, form, is_quoted, certain)
        or (printed and form is SIGNED and _is_printed(text, start, end, name, is_quoted))
    ):
        return None
    return Span(start, _followed(text, start, end), name.secret.kind)


def _skipped(scheme: re.Pattern[str], text: str, start: int, end: int) -> int:
    """Return where the value begins after the word that names a scheme, as in `Bearer abc`."""
    match = scheme.match(text, start)
    return match.end() if match and match.end() < end else start


def _trimmed(value: str) -> str:
    """Return an unquoted value without what ends the sentence, or closes the bracket around it, or is called on that."""
    for found in compile_pattern(CHAINED).finditer(value):
        head = value[: found.start()]
        if head.count(BRACKETS[found[0]]) <= head.count(found[0]):
            value = head
            break
    value = value.rstrip(".,:")
    while value and value[-1] in BRACKETS and value.count(BRACKETS[value[-1]]) < value.count(value[-1]):
        value = value[:-1]
    return value


def _accepted(text: str, start: int, end: int, name: _Named, form: Form, quoted: bool, certain: bool) -> bool:
    value = text[start : min(end, start + JUDGED)]
    if (form.doubtful and not judge.is_chosen(value)) or (form.strict and not judge.is_scattered(value)):
        return False
    if form is FLAG and value.isalpha() and not certain and not surroundings.is_prompt(text, name.start):
        return name.secret.level == 3 and prose.is_flag_value(text, name.start, start, end)
    if certain and not form.doubtful:
        place = judge.Place.CERTAIN
    elif form.sure:
        place = judge.Place.SURE
    else:
        place = surroundings.place_of(text, name.start, name.end, start, end, quoted=quoted, signed=form is SIGNED)
    if place < judge.Place.CERTAIN and (
        (not quoted and _is_name(value)) or _letters(text[name.start : name.end]).endswith(_letters(value))
    ):
        return False
    return judge.is_assigned_secret(value, name.secret.level, name.secret.kind, place, quoted=quoted)


def _is_printed(text: str, start: int, end: int, name: _Named, quoted: bool) -> bool:
    """Return whether the output of a program gives this value of a secret: the name is enough where no source code is."""
    value = text[start : min(end, start + JUDGED)]
    if _is_name(value) or prose.describes_password(value):
        return False
    between = text[name.end : start]
    member = quoted and between[:1] in ("'", '"') and ":" in between
    variable = between == "=" and text[name.start : name.end].isupper() and text[max(0, name.start - 1)] in "\n "
    if not (member or variable) and surroundings.is_code_line(text, name.start, start, end):
        return False
    if not quoted and compile_pattern(ENDS).match(text, end) is None:
        return False
    return judge.is_assigned_secret(value, name.secret.level, name.secret.kind, judge.Place.SURE, quoted=quoted)


def _is_name(value: str) -> bool:
    """Return whether a value is the name of a secret itself: `token = access_token`."""
    return value.isidentifier() and "_" in value and secrecy_of(value).level > 1 and judge.nonword_share(value) < 0.34


def _letters(name: str) -> str:
    """Return what two spellings of a name have in common: `API_KEY` and `apiKey`."""
    return "".join(filter(str.isalnum, name)).lower()


def _followed(text: str, start: int, end: int) -> int:
    """Return the end of a value that is longer than what was matched, or continues in the next lines."""
    if end - start >= JUDGED and (rest := compile_pattern(REST).match(text, end)):
        end = rest.end()
    if (
        end - start >= 40
        and compile_pattern(BASE64).fullmatch(text, start, end)
        and (more := compile_pattern(WRAPPED).match(text, end))
    ):
        end = more.end()
    return end
