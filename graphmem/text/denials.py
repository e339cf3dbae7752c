"""Reads sentences that end or reject what was so: "The team no longer supports the WPL format", "Forget the temp file idea:
…", "pnpm instead of npm", "더 이상 WPL 형식을 지원하지 않는다". Patterns in English and Korean; no model."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from graphmem.patterns import compile_later

_I = re.IGNORECASE
_PROJECT = r"(?:we|i|the (?:team|user|project|repo(?:sitory)?)|우리(?: 팀)?|저희|팀|프로젝트)"
_PREPOSITION = r"(?:in|on|at|for|to|by|with|from|before|after|via|per|when|as|during|into|over|through|anywhere)"
_CLAUSE_END = compile_later(
    r"(?:[,;:(]|\.(?:\s|$)|\s[-–—]\s|\b(?:because|since|so that|as of|which|while|but)\b).*$", _I | re.S
)
_TAIL = compile_later(r" (?:any ?more|from now on|now|at all|instead|either)(?=[.!]?$)", _I)
# Of a thing, only what it is made for can end; that it "no longer works" is a bug.
_ENDING = (
    r"(?:support|accept|need|require|use|allow|offer|provide|include|contain|ship|depend|own|maintain|send|store|write|read"
    r"|run|return|publish|export|import|keep|serve|cover|handle|sign|deploy|log)"
)
_HEAD = r"(?:(?:so|and|but|ok|okay|correction|update|from now on|as of (?:now|today))[,:]? )?"
_SUBJECT = r"(?P<subject>(?!(?:it|this|that|he|she|they|there|if|when)\b)[\w'`./-]+(?: [\w'`./-]+){0,4}?)"
_GONE = r"(?:removed|dropped|ended|discontinued)"
_DENIAL = tuple(
    compile_later(f"{_HEAD}{form}$", _I)
    for form in (
        rf"(?P<subject>{_PROJECT}) no longer (?P<verb>(?!know|see|care|have|has|want|get|understand)[a-z]+) (?P<object>.+)",
        rf"{_SUBJECT} no longer (?P<verb>{_ENDING})s? (?P<object>.+)",
        rf"(?P<subject>{_PROJECT}) (?:do not|don't|does not|doesn't) (?P<verb>[a-z]+) (?P<object>.+?) any ?more\b.*",
        rf"{_SUBJECT} (?:do not|don't|does not|doesn't) (?P<verb>{_ENDING}) (?P<object>.+?) any ?more\b.*",
        rf"(?P<subject>{_PROJECT}) (?:has |have )?stopped (?P<verb>[a-z]+ing) (?P<object>.+)",
        rf"{_SUBJECT} (?:has |have )?(?:now )?(?:dropped|ended|discontinued|removed(?= (?:the )?support\b)) (?:the )?"
        r"(?:support (?:for|of) )?(?P<object>.+)",
        rf"(?:the )?support (?:for|of) (?P<object>.+?) (?:was|is|has been|got) (?:now )?{_GONE}(?P<rest>.*)",
        r"(?P<object>(?!(?:it|this|that|they|there|we|i)\b)[\w'`./ -]{2,60}?) (?:is|are) no longer "
        r"(?P<verb>(?!need|know|valid)[a-z]+ed|sent|kept|run|built|read|written)(?P<rest>.*)",
    )
)
_DENIAL_KOREAN = compile_later(
    r"^(?P<before>(?:\S+ ){0,5}?)(?:이제 )?(?:더 ?이상|더는|이제는?) (?P<after>(?:\S+ ){0,5}?)(?P<verb>[가-힣]+?)지 ?"
    r"(?:않는다|않습니다|않아요|않음"
    r"|않기로 \S+|않을 것이다)[.!]?$"
)
_KOREAN_TEAM = compile_later(r"^(?:우리(?: 팀)?|저희|팀|프로젝트|이제)(?:은|는|이|가)? ")
# What a sentence rejects: up to the words that say where or why.
_STOP = rf"(?=[,;:.!]|\s[-–—]\s| (?:{_PREPOSITION}|because|since|and|so|but|now|altogether|entirely)\b|$)"
_REJECTED = (
    compile_later(
        r"^(?:(?:ok|okay|no|actually|please|let's|we should)[,:]? )*(?:forget|scrap|drop|ditch|abandon|discard|never mind"
        r"|no more)(?: about)? (?:the |that |our |using |with )?(?P<what>(?!(?:that|this|it|what)\b)[^:;,.—–]{2,60}?)"
        r"(?: idea| plan| approach| thing| decision| rule)?(?:[:;,]|\s[-–—])\s*(?=\S.{6,})",
        _I,
    ),
    compile_later(
        rf"\b(?:instead of|rather than|in place of) (?:the |an? |our )?(?P<what>[^,;:.]{{2,40}}?){_STOP}", _I
    ),
    compile_later(
        r"(?:^|(?<= ))(?P<what>\S+(?: \S+){0,2}?)(?:은|는|을|를)? (?:취소하고|취소하기로|버리고|그만두고|접고|포기하고|없애고)"
    ),
    compile_later(r"(?:^|(?<= ))(?P<what>\S+?)(?:을|를)? (?:대신(?:에)?|말고) "),
    compile_later(r"(?:^|(?<= ))(?P<what>\S+(?: \S+)?)지 않고 "),
)
_CHOOSES = compile_later(
    r"^(?:(?:ok|okay|so|no|actually|correction|from now on|going forward|please|always)[,:]? )*(?:let's|let us|use|prefer"
    r"|keep|store|put|write|run|deploy|publish|save|send|go with|switch"
    r"|(?:we|i|the (?:team|user))(?:'re| are| is| will| should|'ll| now| have| has)?(?: now)? (?:decided|agreed|use|uses|using"
    r"|go|goes|going|switch\w*|mov\w+|deploy\w*|publish\w*|store\w?|sav\w+|build\w*|run\w*"
    r"|prefer\w*|writ\w+|keep\w*|send\w*))\b",
    _I,
)
_TURNS = compile_later(
    r"\bafter all\b|\bon second thought\b|\b(?:changed|change) (?:my|our|the (?:user|team)'s) minds?\b"
    r"|\b(?:go|goes|going|went|switch(?:ed|ing)?|mov(?:ed?|ing)|revert(?:ed|ing)?|chang(?:ed?|ing)|fall(?:ing)?) back to\b"
    r"|다시 생각해 ?보니|생각을 바꿔|마음이 바뀌|(?:으로|로) (?:다시 )?(?:돌아가|되돌리)",
    _I,
)
_NOT_YET = compile_later(
    r"\bfor (?:a (?:moment|second|minute|while)|now|today)\b|\b(?:also|as well|too)\b|\?|\bboth\b|일단|잠시|도 함께|도 같이",
    _I,
)
_REVERSES_KOREAN = compile_later(r"(?:하자|쓰자|기로|한다|합니다|바꾸|바꿨|변경|전환|하세요|쓰세요|해 ?주세요|해 ?줘)")


class Denial(NamedTuple):
    """What no longer holds: `subject` ("" for the project), `verb`, `target` and its circumstances `rest`."""

    subject: str
    verb: str
    target: str
    rest: str


@lru_cache(maxsize=4096)
def denial_of(sentence: str) -> Denial | None:
    """Return what a sentence says that no longer holds, None if it says no such thing."""
    text = _TAIL.sub("", " ".join(sentence.replace("`", "").split()).rstrip(" .!"))
    if korean := _DENIAL_KOREAN.match(text):
        told = _KOREAN_TEAM.sub("", f"{korean['before']}{korean['after']}").strip()
        return Denial("", korean["verb"], told, "") if told else None
    original = " ".join(sentence.replace("`", "").split()).rstrip(" .!")
    for form in _DENIAL:
        match = form.match(original) or form.match(text)
        if match is None:
            continue
        parts = match.groupdict()
        target, rest = _split(_CLAUSE_END.sub("", parts["object"]), _CLAUSE_END.sub("", parts.get("rest") or ""))
        subject = parts.get("subject") or ""
        if not target:
            return None
        return Denial(
            "" if re.fullmatch(_PROJECT, subject, _I) else subject, parts.get("verb") or "support", target, rest
        )
    return None


def _split(target: str, rest: str) -> tuple[str, str]:
    """Split what is denied from its circumstances: "the digest by mail"."""
    match = re.search(rf" {_PREPOSITION}\b", target, _I)
    if match:
        return target[: match.start()].strip(), f"{target[match.end() :]} {rest}".strip()
    return _TAIL.sub("", target).strip(), rest.strip()


@lru_cache(maxsize=4096)
def rejected_of(sentence: str) -> str:
    """Return the words of what a sentence gives up for something else, "" if it names none."""
    text = " ".join(sentence.split())
    return " ".join(match["what"] for form in _REJECTED for match in form.finditer(text))


def without_rejected(sentence: str) -> str:
    """Return a sentence without what it rejects and without its reason: what holds from now on."""
    text = " ".join(sentence.split())
    for form in _REJECTED:
        text = form.sub(" ", text)
    begun = text.lstrip(" ,;:-–—")
    return _CLAUSE_END.sub("", begun) or begun


def turns_round(sentence: str) -> bool:
    """Return whether the words themselves say that somebody goes back on something: "after all", "forget the …: …"."""
    return bool(_TURNS.search(sentence) or _REJECTED[0].match(sentence)) and not _NOT_YET.search(sentence)


def is_reversal(sentence: str) -> bool:
    """Return whether a person goes back on an earlier decision: a turn of mind, or one thing chosen in place of another."""
    text = " ".join(sentence.split())
    if _NOT_YET.search(text):
        return False
    if turns_round(text):
        return True
    return bool(rejected_of(text)) and bool(
        (_REVERSES_KOREAN if re.search(r"[가-힣]", text) else _CHOOSES).search(text)
    )
