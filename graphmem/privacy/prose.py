"""Finds secrets that sentences tell, in English and Korean: `the token is abc`, `비밀번호는 abc 입니다`. The value must not
be a word that could stand there anyway."""

from __future__ import annotations

import re

from graphmem.model.text import Span
from graphmem.privacy import judge
from graphmem.privacy.patterns import compile_pattern

ENGLISH_NOUN = r"(?i)(?:pass(?:word|phrase|code|wd)?|secret|token|key|credential|pw|pwd)s?\Z"
KOREAN_NOUN = r"비밀번호|비밀키|비번|암호|패스워드|토큰|시크릿|인증키|접근키|키"
SURELY = r"(?i)pass|pw|비밀번호|비번|암호|패스워드"
KEY = r"(?i)key\Z|키\Z"
AFTER = (" ", "\t", ":", "→", "-", "\n", "\r")
JOINED = r"[\w.]*[_.-]\Z"  # before a noun that is a part of a name
OWNER = (
    r"(?i)(?:api|access|secret|private|auth|master|account|shared|signing|encryption|service|app|personal|client|bot|license|admin|deploy"
    r"|접근|액세스|시크릿|비밀|인증|개인|서비스|보안)[ _-]?\Z"
)
LONGEST = 200  # characters of a value that are judged
VALUE = rf"(?P<value>[!#-&(-;=?-_a-~]{{4,{LONGEST}}})"
# `the token abc` of something random
DIRECT = rf"[ \t]{{1,2}}[\"'`(*_„“«「]{{0,3}}(?P<quote>)(?P<value>[A-Za-z0-9_+/=~.-]{{16,{LONGEST}}})"
# On a line of its own below the noun
BELOW = (
    r":?[ \t]{0,2}(?:\r?\n){1,2}[ \t>`*-]{0,8}(?P<quote>)"
    rf"(?P<value>[A-Za-z0-9_+/=~.-]{{16,{LONGEST}}})(?=[ \t`*]{{0,8}}(?:\r?\n|\Z))"
)
# What ends a Korean sentence that tells it
TELLS = (
    r"[\"'`”’」*]{0,2}[ \t]?(?:입니다|이에요|이예요|예요|이다|임\b|이고|이며|이라고|라고"
    r"|(?:으)?로 (?:설정|바꿨|바꾸|변경|교체|했|로그인|접속|되어|지정))"
)
DESCRIBING = frozenset(
    "incorrect invalid wrong required expired correct strong weak hashed encrypted hidden visible empty changed missing "
    "optional secure plain plaintext shared rotated stored masked redacted passwordless unknown "
    # predicates that no ending tells
    "safe unsafe insecure right fine okay good great best better worse worst short shorter long longer simple complex stronger "
    "weaker newer older default null none blank same different unique random constant ready easy tricky lengthy crappy "
    "risky faulty guessy sticky dummy gone lost known unset reset absent present kept sent held built shown given taken "
    "written chosen broken forgotten stolen leaked public common obsolete stale fresh active inactive safer obscure opaque "
    "alone enough below above there here elsewhere nowhere everywhere never always again often still later today "
    "garbage rubbish nonsense nothing everything something anything mine yours ours theirs text string value word words "
    "input output field option argument parameter flag first last next only also too instead twice once alright legit "
    "available mandatory necessary sensitive".split()
)
ADJECTIVE = r"(?:ed|ing|able|ible|al|ive|ous|ful|less|ic|ary|ory|ent|ant|ly|like|proof|free)\Z"
STATED = r"(?i)[ \t](?:is|was)(?:[ \t](?:now|still|just|simply|currently))?[ \t]{1,3}\Z"
STOP = r"[.!]?(?:[ \t]*(?:\n|\Z)|[.!][ \t])"  # a word that ends its sentence
GOES_ON = r"[ \t]*(?:\n|\Z|[`&|;>)]|[ \t]-|[ \t][a-z]{2,8}://|[ \t][/~.@][\w/.@-])"  # as a command does
COMMAND = r"(?:\A[ \t]*(?:[$#>][ \t]+)?|[`;&|(][ \t]*)[a-z./~][\w./~-]+[ \t][^`;&|]{0,160}\Z"
ABOUT_FLAG = (
    r"(?i)\b(?:the|an?|this|that|our|use|using|with|option|flag|pass|passing|set|add|and|or|via|of)[ \t]+[`\"']?--?\Z"
)
REST = r"[!#-&(-;=?-_a-~]*+"
OPENING = r"(?P<quote>[\"'`“‘「*]{1,2})?"
ENGLISH = (
    r"(?:[ \t](?:for|of|on|in|to|at|here|now|then|again|below|used|we|is|was|the|this|that|our|my|its?|just|still"
    r"|currently|new|temporary"
    r"|account|server|user|database|[a-z]{2,14}){1}(?=[ \t:])){0,6}?"
    r"(?:[ \t]{1,2}(?:is|was|to|as|are|be|becomes?|equals|with)(?:[ \t](?:now|still|just|set to|simply|currently))?:?"
    r"|[ \t]?:|[ \t]?→|[ \t]->)[ \t]{1,3}"
)
ASIDE = r"(?:[ \t]\([^()\n]{1,40}\)(?=[ \t]?(?:is|:|=)))?"  # my token (expires on Friday): abc
KOREAN = r"[ \t]?(?:은|는|이|가|을|를|로|으로|도|의 값은|값은|값|의 값)?[ \t]{0,2}(?:지금|현재|바로|아래|:|=|→|\(|「)?[ \t]{0,2}"


def find_stated(text: str, start: int, end: int) -> Span | None:
    """Return the value told of the noun in `text[start:end]`, if there is one."""
    korean = compile_pattern(KOREAN_NOUN).match(text, start)
    if korean is None and (
        text[end : end + 1] not in AFTER
        or not compile_pattern(ENGLISH_NOUN).search(text, start, end)
        or compile_pattern(JOINED).search(text, max(0, start - 24), start)
    ):
        return None
    stop = korean.end() if korean else end
    noun = text[max(0, start - 12) : stop]
    if compile_pattern(KEY).search(noun) and not compile_pattern(OWNER).search(
        text, max(0, stop - 16), stop - (1 if korean else 3)
    ):
        return None
    match = compile_pattern((KOREAN if korean else ASIDE + ENGLISH) + OPENING + VALUE).match(text, stop)
    if match is None:
        match = compile_pattern(DIRECT).match(text, stop) or compile_pattern(BELOW).match(text, stop)
        if match is None or not judge.looks_random(match["value"]):
            return None
    quoted = bool(match["quote"])
    value = match["value"].rstrip("*" if quoted else ".,:;!?)*")
    level = 3 if compile_pattern(SURELY).search(noun) else 2
    begin = match.start("value")
    end = begin + len(value)
    if len(value) < 4 or not (
        judge.is_stated(value, level, quoted) or (level == 3 and _is_plain_word(text, match, value, bool(korean)))
    ):
        return None
    if len(value) == LONGEST and (rest := compile_pattern(REST).match(text, end)):
        end = rest.end()
    return Span(begin, end, "password" if level == 3 else "token")


def _is_plain_word(text: str, match: re.Match[str], value: str, korean: bool) -> bool:
    """Return whether a plain word can only be the password itself: in quotes behind `is`, or before the end of a
    Korean sentence."""
    if len(value) < 5 or not value.isalnum() or not value.isascii() or judge.is_placeholder(value):
        return False
    if korean:
        return compile_pattern(TELLS).match(text, match.start("value") + len(value)) is not None
    if match["quote"] or not value.islower():
        return bool(match["quote"]) and value.islower() and value not in DESCRIBING
    stated = compile_pattern(STATED).search(text, match.start(), match.start("value")) is not None
    end = match.start("value") + len(value)
    return stated and not describes_password(value) and compile_pattern(STOP).match(text, end) is not None


def is_flag_value(text: str, flag: int, start: int, end: int) -> bool:
    """Return whether a word behind `--password` is the password: in a command, not in a sentence about the option."""
    value = text[start:end]
    if (
        len(value) < 4
        or not value.islower()
        or describes_password(value)
        or judge.is_placeholder(value)
        or judge.is_filler(value)
    ):
        return False
    line = text[max(text.rfind("\n", 0, flag) + 1, flag - 200) : flag]
    if not compile_pattern(COMMAND).search(line) or compile_pattern(ABOUT_FLAG).search(line):
        return False
    return compile_pattern(GOES_ON).match(text, end) is not None


def describes_password(word: str) -> bool:
    """Return whether a word says something about a password: `is expired`, `is easy`."""
    return word in DESCRIBING or compile_pattern(ADJECTIVE).search(word) is not None
