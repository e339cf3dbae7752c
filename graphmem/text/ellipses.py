"""Reads corrections that leave out what they are about: "ah wait no, 50061", "not 5 but 8", "make that 25 instead of 50",
"30분이 아니라 45분으로 하자". `complete` puts their value into an earlier sentence, so that it says what is meant.
Whatever the sentence says beyond its opening and its values makes it no such correction: "no, 3 tests fail" is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from graphmem.patterns import compile_later
from graphmem.text.exact_spans import Span, find_spans
from graphmem.text.sentences import split_sentences

_I = re.IGNORECASE
_LONGEST = 120  # characters
_LONGEST_VALUE = 40
_LONGEST_TURN = 400
_LONG_NUMBER = 4  # digits of one that is not said of many things
_FARTHEST = 20  # times a bare number, for another to take its place
_FIRST_NUMBER = compile_later(r"^[^\d]*(\d+(?:\.\d+)?).*$")
_STOP = compile_later(r"[.!]\s+")
_CORRECTS = (
    r"(?:no|nope|nah|wait|hold on|sorry|oops|whoops|actually|correction|typo|scratch that|strike that|on second thought"
    r"|my (?:mistake|bad|fault)|i (?:misspoke|mistyped|was wrong|got (?:it|that) wrong)"
    r"|(?:that|this|it)(?:'s| is| was) (?:wrong|not right)"
    r"|아니(?:다|야|요|에요|지)?|아냐|잠깐(?:만)?(?:요)?|잠시만(?:요)?|미안(?:해|합니다|해요)?|죄송(?:해요|합니다)?"
    r"|정정(?:합니다|할게|할게요|하자면)?|오타(?:야|다|예요|네|입니다)?|다시|실수(?:야|다|네)?|착각했(?:어|네|습니다|어요)"
    r"|(?:내가 )?잘못 (?:말했|썼|적었|봤)(?:어|네|습니다|어요)?)"
)
_HESITATES = r"(?:ah|oh|hm+|um+|uh|er+m?|ugh|so|ok(?:ay)?|and|but|well|아|어|음|앗|엇|오)"
_OPENING = compile_later(
    rf"(?P<corrects>{_CORRECTS})(?![\w-])(?:[,.:;!…—–-]+|\.\.\.)?(?:\s+|$)|(?P<hesitates>{_HESITATES})(?![\w-])[,.:!…]*(?:\s+|$)|\*(?=\S)",
    _I,
)
_CLOSING = compile_later(
    rf"(?:,\s*| [-–—] ?|\s+)(?:(?P<corrects>{_CORRECTS}|i mean(?:t)?)|please|then|instead|after all|though|of course|thanks)$",
    _I,
)
# What leads to the value: "make that", "it should be", "I meant".
_FRAME = compile_later(
    r"(?:(?P<corrects>(?:let's |let us |please |we should |better )?(?:make|change|set|bump|raise|lower|increase|reduce)"
    r" (?:it|that|this)"
    r"(?: to| into)?|(?:it |that |this )?(?:should|must|ought to) (?:be|have been|read|say)"
    r"|i(?: actually| of course)? mean(?:t)?(?: to (?:say|write|type))?"
    r"|(?:i'd )?rather(?: say)?|the (?:right|correct) (?:value|one|number|name) is|i'd rather (?:say|have))"
    r"|let's (?:say|do|use|go with|take|have)|use|go with|take|(?:it|that|this|they)(?:'s|'re| is| are| was| were))[,:]? +",
    _I,
)
_TAIL_REASON = compile_later(r"[,;:] (?:because|since|as|as per|per|so that) .+$", _I)
_OLD = r"(?P<former>[^,;]{1,40}?)"
_NEW = r"(?P<value>[^,;]{1,40}?)"
# Which value takes the place of which.
_REPLACING = tuple(
    compile_later(pattern, _I)
    for pattern in (
        rf"^not {_OLD}(?:,? but(?: rather)?|,|;) {_NEW}$",
        rf"^{_NEW}(?:,)?(?: and)? not {_OLD}$",
        rf"^{_NEW},? (?:instead of|rather than|in place of) {_OLD}$",
        rf"^{_OLD} (?:should|must) (?:be|have been|read) {_NEW}$",
        rf"^{_OLD} ?(?:->|→|=>) ?{_NEW}$",
        rf"^i (?:said|wrote|typed) {_OLD}(?: for [\w' -]{{2,30}})?[,;:.]? (?:but )?(?:i )?(?:meant?|mean) {_NEW}$",
        rf"^(?:아까 )?{_OLD} ?(?:이?라고|으로|로) (?:했|말했|적었)는데,? {_NEW}$",
        rf"^{_OLD}(?:이|가|은|는|을|를)? ?(?:아니라|아니고|말고|대신(?:에)?)(?: ?는)?,? {_NEW}$",
    )
)
_DENYING = (_REPLACING[0], *_REPLACING[5:7])  # these can only correct
_KOREAN_END = compile_later(
    r" ?(?:(?P<changes>(?:으로|로|을|를)? ?(?:정정|수정|변경)(?:하자|할게|할게요|합니다|해 ?줘|해 ?주세요|하겠습니다|합시다)?"
    r"|(?:으로|로) ?(?:바꾸자|바꿀게|바꿀게요|바꿔 ?줘|바꿔 ?주세요|바꿉시다|고치자|고칠게|고쳐 ?줘|고쳐 ?주세요))"
    r"|(?:으로|로)(?: ?(?:하자|할게|할게요|하죠|합시다|해요|해 ?줘|해 ?주세요|하기로 하자|할래"
    r"|가자|갑시다|한다|합니다|정하자|부탁해))?"
    r"|(?:이|가|(?:으로|로)(?: 하는 게)?) (?:더 )?(?:맞아|맞아요|맞습니다|맞다"
    r"|낫겠(?:다|어|네|어요|습니다|지)|낫(?:다|지|네)|나아요?|나을 것 ?같(?:아|아요|다|습니다))"
    r"|이야|야|이다|다|입니다|이에요|예요|이요|요|임)$"
)
_NOT = compile_later(
    r"(?P<verb>\b(?:is|are|was|were))?(?:(?(verb)n't| not)|\bnot)(?P<be> be)? (?P<lead>(?:(?:on|at|in|to|for|the) )*)[`\"']?$",
    _I,
)
_BUT = compile_later(
    r"[`\"']?(?:,? but(?: rather)? |[,;] (?:but )?(?:it(?:'s| is) ))(?P<rest>(?:(?:on|at|in|to|for|the) )*[`\"']?)$", _I
)
_KOREAN_BUT = compile_later(
    r"[`\"']?(?:이|가|은|는|을|를|에|으로|로)? ?(?:아니라|아니고|말고|대신(?:에)?),? (?P<rest>(?:매주 |매일 )?[`\"']?)$"
)
_LEAD = compile_later(
    r"^(?:(?:to|at|on|in|by|for|every|of|with|after|from|until|the|an?|up to|at (?:most|least)|매주|매일|최대|최소) )+",
    _I,
)
_RATE = compile_later(
    r"(?:(?: per | an? |/)(?:second|minute|hour|day|week|month|year)| (?:이후|이전|까지|부터|이상|이하|이내|정도))$", _I
)
_BEFORE = compile_later(r"^(?P<words>[A-Za-z가-힣]+(?: [A-Za-z가-힣]+)?) ?$")
_TOPIC = compile_later(r"^(?P<topic>\S.*?)(?:은|는)$")
_PLAIN = compile_later(r"[a-z][a-z0-9]{1,20}|[가-힣]{2,6}", _I)
_TALK = frozenset(
    """it that this there here yes no ok okay wait stop sorry thanks please all one so true right wrong good fine done later now
    never always sure why what how who when where nothing anything everything both none more less again
    그거 그게 이거 이게 저거 그건 이건 그냥""".split()
)


class Ellipsis(NamedTuple):
    """The value that takes the place of `former`, "" where that is not said. `lead` are words that stand before the value: "iOS" of
    "iOS 16", or what both are said of: "캐시 TTL" of "캐시 TTL은 60초 말고 90초로 하자"."""

    value: str
    former: str = ""
    lead: str = ""


class Completed(NamedTuple):
    """An earlier sentence with the new value in the place of the `former` one; no text where it is unclear which is meant."""

    text: str
    former: str


_UNCLEAR = Completed("", "")


def find_ellipses(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the sentences of a turn that only correct a value, as `start, end, words`. "Wait. 24 hours." is one."""
    opening = -1  # where the sentence before begins, if it only opens a correction
    for start, end in split_sentences(text) if len(text) <= _LONGEST_TURN else ():
        begin = start if opening < 0 else opening
        words = _STOP.sub(", ", text[begin:end])
        if read_ellipsis(words):
            yield begin, end, words
        left, corrects, _ = _without_opening(f"{text[start:end].rstrip(' .!')} ")
        opening = start if corrects and not left else -1


def read_ellipsis(sentence: str) -> Ellipsis | None:
    """Return the value of a sentence that only corrects one; None if it says anything else.

    >>> read_ellipsis("wait, not 5 but 8."), read_ellipsis("no, 3 tests fail")
    (Ellipsis(value='8', former='5', lead=''), None)
    """
    text = " ".join(sentence.replace("`", "").replace("**", "").split()).rstrip(" .!")
    if not text or len(text) > _LONGEST or "?" in text:
        return None
    text, corrects, hesitates = _without_opening(_TAIL_REASON.sub("", text))
    text, closes = _without_closing(text)
    text, framed, reframed = _without_frame(text)
    corrects = corrects or closes or reframed
    for form in _REPLACING:
        match = form.match(text)
        found = _read_pair(match["value"], match["former"]) if match else None
        if found and (corrects or form in _DENYING or (_is_measure(found.value) and not framed)):
            return found  # "use ruff instead of flake8" says by itself what it is about
    stem, changes = _without_korean_end(text)
    if not (corrects or changes or hesitates):
        return None
    value = _read_value(stem)
    if value is None or (value.lead and not (corrects or changes)):
        return None
    points = (
        framed or stem != text or (value.value[0].isupper() and _LEAD.match(stem))
    )  # "no, by Jonas", but not "no, Jonas"
    if _is_plain(value.value) and not (points and corrects):
        return None
    return value


def without_contrast(sentence: str) -> str:
    """Return a sentence that tells a value and the one it is not, without the latter.

    >>> without_contrast("Wait, the pool size is not 5 but 8."), without_contrast("TTL은 60초가 아니라 90초로 하자.")
    ('The pool size is 8.', 'TTL은 90초로 하자.')
    """
    if len(sentence) > _LONGEST or "?" in sentence:
        return sentence
    spans = find_spans(sentence)
    for old, new in pairwise(spans):
        if old.kind != new.kind or old.key == new.key or (new.unit and old.unit and new.unit != old.unit):
            continue
        before, between = sentence[: old.start], sentence[old.end : new.start]
        if begin := _KOREAN_BUT.match(between):
            kept = before.removesuffix(begin["rest"]) if begin["rest"] else before
        elif (begin := _BUT.match(between)) and (denied := _NOT.search(before)):
            kept = f"{before[: denied.start()]}{denied['verb'] or ''}{denied['be'] or ''} ".lstrip()
        else:
            continue
        unit = sentence[old.count_end : old.end] if old.unit and not new.unit else ""
        told = f"{kept}{begin['rest']}{sentence[new.start : new.count_end]}{unit}{sentence[new.count_end :]}"
        whole = _without_opening(told)[0]
        return whole[:1].upper() + whole[1:] if told[:1].isupper() else whole
    return sentence


def _without_opening(text: str) -> tuple[str, bool, bool]:
    """Return a text without its opening, whether that corrects, and whether it hesitates."""
    corrects = hesitates = False
    while match := _OPENING.match(text):
        corrects = corrects or bool(match["corrects"]) or match[0] == "*"
        hesitates = hesitates or bool(match["hesitates"])
        text = text[match.end() :]
    return text, corrects, hesitates


def _without_closing(text: str) -> tuple[str, bool]:
    corrects = False
    while match := _CLOSING.search(text):
        corrects = corrects or bool(match["corrects"])
        text = text[: match.start()]
    return text, corrects


def _without_frame(text: str) -> tuple[str, bool, bool]:
    """Return a text without what leads to its value, whether something does, and whether that corrects."""
    framed = corrects = False
    while match := _FRAME.match(text):
        framed, corrects = True, corrects or bool(match["corrects"])
        text = text[match.end() :]
    return text, framed, corrects


def _without_korean_end(text: str) -> tuple[str, bool]:
    match = _KOREAN_END.search(text) if re.search(r"[가-힣]", text) else None
    return (text[: match.start()].strip(), bool(match["changes"])) if match else (text, False)


def _read_pair(value: str, former: str) -> Ellipsis | None:
    new, old = _read_value(_without_korean_end(value)[0]), _read_value(_without_korean_end(former)[0])
    if new is None or old is None or new.value.lower() == old.value.lower():
        return None
    if _kind_of(new.value) != _kind_of(old.value):
        return None
    topic = _TOPIC.match(old.lead)
    return new._replace(former=old.value, lead=topic["topic"] if topic else "")


def _read_value(text: str) -> Ellipsis | None:
    """Return a text that is one value, with at most two words before it."""
    text = _FRAME.sub("", text.strip().strip("\"'"), count=1)
    text = _RATE.sub("", _LEAD.sub("", text)).strip()
    if not text or len(text) > _LONGEST_VALUE:
        return None
    spans = find_spans(text)
    if len(spans) == 1 and spans[0].end == len(text):
        lead = text[: spans[0].start].strip()
        if lead and not _BEFORE.match(lead):
            return None
        return Ellipsis(text[spans[0].start :], lead=lead)
    if spans or not _PLAIN.fullmatch(text) or text.lower() in _TALK:
        return None
    return Ellipsis(text)


def _kind_of(value: str) -> str:
    spans = find_spans(value)
    return "plain" if not spans or spans[0].kind == "name" else spans[0].kind


def is_distinct(value: str) -> bool:
    """Return whether a value is hardly that of two things: with a unit, a clock time, a path, a date, or a long number."""
    spans = find_spans(value)
    return (
        bool(spans)
        and (bool(spans[0].unit) or spans[0].kind in ("clock", "path", "date") or len(spans[0].key) >= _LONG_NUMBER)
        and spans[0].kind != "name"
    )


def _is_measure(value: str) -> bool:
    return any(span.kind != "name" for span in find_spans(value))


def _is_plain(value: str) -> bool:
    """Return whether a value is a mere word or a name in capitals, which anybody may say for another reason."""
    spans = find_spans(value)
    return not spans or (spans[0].kind == "name" and value.isalpha())


def complete(ellipsis: Ellipsis, sentence: str, preferred: str = "") -> Completed | None:
    """Return a sentence with the value that a correction puts into it, None if no value of it can be meant. `preferred` is
    the value that the sentence is about.

    >>> complete(Ellipsis("8", "5"), "From now on the retry limit of the importer is 5.")
    Completed(text='From now on the retry limit of the importer is 8.', former='5')
    """
    if ellipsis.former and any(word not in sentence for word in ellipsis.lead.split()):
        return None
    new = next(iter(find_spans(ellipsis.value)), None)
    if new is None or (ellipsis.former and not find_spans(ellipsis.former)):
        return _with_plain(ellipsis, sentence, preferred)
    spans = find_spans(sentence)
    if any(span.key == new.key and _fits(new, span) for span in spans):
        return _UNCLEAR  # it says so already
    meant = list(_meant(ellipsis, new, sentence, spans))
    if len(meant) > 1:
        meant = [span for span in meant if sentence[span.start : span.end].lower() in preferred.lower()]
        if len(meant) != 1:
            return _UNCLEAR
    if not meant:
        return _with_plain(ellipsis, sentence, preferred) if new.kind == "name" and not ellipsis.lead else None
    span = meant[0]
    return _replaced(sentence, span.start, span.end if new.unit else span.count_end, ellipsis.value)


def _replaced(sentence: str, start: int, end: int, value: str) -> Completed:
    return Completed(sentence[:start] + value + sentence[end:], sentence[start:end])


def _meant(ellipsis: Ellipsis, new: Span, sentence: str, spans: tuple[Span, ...]) -> Iterator[Span]:
    """Yield the values of a sentence that may be meant."""
    former = next(iter(find_spans(ellipsis.former)), None)
    for span in spans:
        if former:
            if span.kind == former.kind and span.key == former.key and (not former.unit or _fits(former, span)):
                yield span
        elif _fits(new, span) and (not ellipsis.lead or _stands_after(ellipsis.lead, sentence, span)):
            yield span


def _fits(new: Span, old: Span) -> bool:
    """Return whether a value may take the place of another: a bare number that of any number, 5 MB that of no time."""
    if new.kind != old.kind or (new.unit and new.unit != old.unit):
        return False
    return new.kind != "number" or bool(new.unit) or _is_near(new.key, old.key)


def _is_near(one: str, other: str) -> bool:
    """Return whether two numbers may count the same: 5 is no port in the place of 50051."""
    small, large = sorted(float(_FIRST_NUMBER.sub(r"\1", key)) for key in (one, other))
    return large <= _FARTHEST * max(small, 1.0)


def _stands_after(lead: str, sentence: str, span: Span) -> bool:
    before = sentence[: span.start].lower()
    return before.rstrip().endswith(lead.lower())


def _with_plain(ellipsis: Ellipsis, sentence: str, preferred: str) -> Completed | None:
    """Return a sentence with a word in the place of the one that the correction names, else of the value it is about."""
    former = ellipsis.former or (preferred if _PLAIN.fullmatch(preferred) and _kind_of(preferred) == "plain" else "")
    if not former or re.search(rf"(?<![\w-]){re.escape(ellipsis.value)}(?![\w-])", sentence, _I):
        return None
    found = list(re.finditer(rf"(?<![\w-]){re.escape(former)}(?=[가-힣]{{0,4}}(?![\w-]))", sentence, _I))
    return _replaced(sentence, *found[0].span(), ellipsis.value) if len(found) == 1 else None
