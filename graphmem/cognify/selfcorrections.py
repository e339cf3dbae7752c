"""Corrections within one turn: "The default editor is vim. No, nano.", "The limit is 10 MB, no wait, 25 MB", "기본 편집기는
vim 이다. 아니, nano 로 하자." What was corrected at once was never meant, so that it becomes no fact: the sentence is read with
the corrected value. Rules only; where the value that is replaced is not clear, both sentences stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from graphmem.cognify.claims import claim_of
from graphmem.patterns import compile_later
from graphmem.text.ellipses import without_contrast

_LONGEST = 400  # characters of a sentence that may be corrected
_I = re.IGNORECASE
_NO = (
    r"(?:(?:(?:hmm+|oh|ah|er+m?|uh)[,.]? )?"
    r"(?:no(?!\w|\s+(?!wait|sorry|actually|scratch|make|i mean|on second)\w)"  # "no lock file" corrects nothing
    r"|nope|wait|sorry|oops|whoops|actually|hold on|scratch that|correction"
    r"|my (?:mistake|bad))(?:,? (?:no|wait|sorry|actually|scratch that|on second thought))*"
    r"|on second thought|i mean(?:t)?|make (?:it|that)|아(?:,|\.)? ?아니(?:다|요|에요|야)?|아니(?:다|요|에요|야)?|아냐"
    r"|잠깐(?:만(?:요)?)?|정정(?:합니다|할게요|하자면)?)"
)
_FRAME = (
    r"(?:(?:let's|let us|please|better|rather|we should|we) )*(?:(?:make (?:it|that)|use|go with|take|pick|set it to"
    r"|change it to|it(?: is|'s| should be)|i mean(?:t)?) )*"
)
_VALUE = r"(?P<value>(?:the |an? )?[\w`'./:+#%@-]+(?: [\w`'./:+#%@-]+){0,2}?)"
_KOREAN_VALUE = (
    r"(?P<korean>[\w`'./:+#%@-]+?) ?(?:(?:으로|로) (?:하자|합시다|하죠|해요|해 ?줘|해 ?주세요|한다|합니다|바꾸자|가자|정하자)"
    r"|이다|입니다|이에요|예요|이야|야|다)"
)
_BARE = compile_later(
    rf"{_NO}\s*[,.:;!—–-]*\s*(?:{_KOREAN_VALUE}|{_FRAME}{_VALUE}(?: instead| then| please| after all)?)[.!]?$", _I
)
_INLINE = compile_later(
    rf"^(?P<said>.{{8,}}?)\s*(?:,|—|–|\.\.\.|…| - )\s*{_NO}\s*[,.:—–-]*\s*(?:{_KOREAN_VALUE}|{_FRAME}{_VALUE})(?P<end>[.!]?)$",
    _I,
)
# What is no value: talk, a verb, or the beginning of another sentence.
_TALK = compile_later(
    r"\b(?:is|are|was|were|has|have|do(?:es)?|did|can|will|must|should|not|don't|it|that|this|we|i|you|they|he|she|there|thanks?"
    r"|problem|worries|idea|need|way|more|longer|yes|no|ok(?:ay)?|wait|please|never|about|sure|why|what|how|where|when|who|later"
    r"|sorry|fine|right|wrong|stop|hurry|rush|doubt|matter|chance|one|comment|then|else|also|anything|nothing|everything"
    r"|work|happen|clear|possible|so|easy|better|faster|simpler|pass|fail|run)\b|^(?:그|이|저)(?:건|거|것|게)?$|[가-힣](?:고|서|면|지)$",
    _I,
)
_QUANTITY = compile_later(r"(?:v?\d[\w.,:/%-]*)(?: ?(?:[a-z]+|[가-힣]+))?", _I)
_UNIT = compile_later(r"\d[\d.,:]* ?[a-z%가-힣]+", _I)
_NAMED = compile_later(
    r"(?:\b(?:is|are|to|use|uses|using|with|choose|pick|take|prefers?|be|in|on|by|as|like) |[은는이가을를] )"
    r"(?P<value>(?:(?:the|an?|now|set to) )*`?[\w./+#@-]+`?)"
)
_KOREAN_NAMED = compile_later(
    r"(?P<value>[\w./+#@-]+?)(?= ?(?:으로|로) (?:하자|합시다|하기로|정했|한다|합니다)| ?(?:이다|입니다|이에요|예요)[.!]?$"
    r"|(?:을|를) (?:쓰자|사용하자|쓴다|사용한다))"
)


def merge_corrections(text: str, sentences: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, words) of sentences; one that the next one corrects is yielded together with it, with the
    corrected value in its words."""
    held: tuple[int, int, str] | None = None
    for start, end in sentences:
        raw = text[start:end]
        if held:
            near = not text[held[1] : start].strip() and "\n\n" not in text[held[1] : start]
            corrected = _corrected(held[2], raw) if near else ""
            if corrected:
                held = held[0], end, corrected
                continue
            yield held
        held = start, end, without_contrast(_corrected_within(raw))
    if held:
        yield held


def _corrected(sentence: str, correction: str) -> str:
    """Return a sentence with the value that the next sentence puts in the place of its own, "" if that one corrects none."""
    match = _BARE.match(" ".join(correction.split())) if len(sentence) <= _LONGEST else None
    if match is None or sentence.rstrip().endswith(("?", ":")):
        return ""
    return _replaced(sentence, (match["korean"] or match["value"]).strip())


def _corrected_within(sentence: str) -> str:
    match = _INLINE.match(sentence) if len(sentence) <= _LONGEST else None
    if match is None:
        return sentence
    corrected = _replaced(match["said"], (match["korean"] or match["value"]).strip())
    return f"{corrected}{match['end']}" if corrected else sentence


def _replaced(sentence: str, value: str) -> str:
    if _TALK.search(value):
        return ""
    span = _replaceable(sentence, value)
    if span is None or sentence[span[0] : span[1]].lower() == value.lower():
        return ""
    return sentence[: span[0]] + value + sentence[span[1] :]


def _replaceable(sentence: str, value: str) -> tuple[int, int] | None:
    """Return where the value is that another one of the same shape replaces: that of the sentence's claim, else its last
    number or name."""
    numeric = any(character.isdigit() for character in value)
    claim = claim_of(sentence)
    if claim and claim.holds and claim.value and any(c.isdigit() for c in claim.value) == numeric:
        found = list(re.finditer(rf"(?<![\w.]){re.escape(claim.value)}(?!\w)", sentence, re.I))
        if found:
            begin, end = found[-1].span()
            number = None if not numeric or _UNIT.search(value) else re.search(r"\d[\d.,:]*", sentence[begin:end])
            return (begin + number.start(), begin + number.end()) if number else (begin, end)
    if numeric:
        pattern = _QUANTITY if _UNIT.search(value) else re.compile(r"\d[\d.,:]*(?<![.,:])")
        spans = [match.span() for match in pattern.finditer(sentence)]
    else:
        named = (_NAMED, _KOREAN_NAMED) if re.search(r"[가-힣]", sentence) else (_NAMED,)
        spans = [m.span("value") for pattern in named for m in pattern.finditer(sentence)]
    return spans[-1] if spans and (numeric or len(value.split()) <= 2) else None
