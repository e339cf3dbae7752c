"""Recognises questions and requests for information, even without a question mark, which prompts to agents often lack.
Patterns in English and Korean."""

from __future__ import annotations

import re

from graphmem.patterns import compile_later

_MARK = compile_later(r"[?？][\"'”’)\]*_`.!]*$")
_AUX = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|should|shall|would|will|might|must)(?:n'?t)?"
_LEAD = (
    r"\W*(?:(?:and|but|so|ok(?:ay)?|hey|hi|hello|well|now|please|again|also|quick question|question)\b[,:.! -]*){0,3}"
)
_ASKS = compile_later(
    rf"{_LEAD}(?:"
    rf"(?:what|which|whose|who|whom|why|where|when|how)(?:'s|'re|'d)?\s+{_AUX}\b"
    rf"|(?:what|which|whose)\s+(?!we\b|i\b|you\b|they\b|it\b|he\b|she\b|the\b|this\b|that\b|means\b)\w+(?:\s+\w+)?\s+{_AUX}\b"
    rf"|how\s+(?:many|much|long|often|far|come|about)\b|what\s+about\b|(?:what|who|where|how|when)'s\b|why\s+(?:not\b|no\b)"
    r"|(?:should|shall)\s+(?:we|i|you|this|that|these|those)\s"
    r"|(?:is|are|was|were|could|would|can|did|does)(?:n'?t)?\s+(?:we|i|you|it|he|she|they|there|this|that|these|those|any\w*"
    r"|the|our|my|your)\s"
    r"|(?:do|have|has|had|will)(?:n'?t)?\s+(?:we|i|you|they|anybody|anyone)\s"
    r"|(?:(?:can|could|would|will)\s+(?:you|we)\s+)?(?:tell|remind|show)\s+(?:me|us)\b"
    r"|(?:i\s+(?:want|need|would like)\s+to\s+know|i'?d\s+like\s+to\s+know|i\s+wonder|any\s+idea)\b"
    r"|do\s+you\s+(?:know|remember|recall)\b"
    r"|(?:explain|look\s+up|find\s+out|check)\s+(?:what|which|who|why|how|where|when|whether|if)\b)",
    re.IGNORECASE,
)
_ANSWERS = compile_later(
    rf":\s*\S|;|,\s+(?:so|then|but|and)\b|\s{_AUX}\s+(?:that|to|because)\b|\bbecause\b", re.IGNORECASE
)
_SECOND = compile_later(rf"\s{_AUX}\s", re.IGNORECASE)
_BRIEF = 12  # words
_KOREAN_WORD = compile_later(r"무엇|무슨|뭐|뭘|왜|어떻게|어디|언제|누가|누구|어느|어떤|어떠|몇|얼마")
_KOREAN_END = compile_later(
    r"(?:습니까|ㅂ니까|입니까|합니까|됩니까|까요|나요|가요|는지요?|을까|ㄹ까|일까|할까|인가|던가|건가|더라|뭐야|뭐지|뭐였지|뭔가"
    r"|(?:알려|말해|설명해|보여|찾아|요약해) ?(?:줘|줘요|주세요|주십시오|달라|줄래)|궁금(?:해|해요|합니다))[.!\s\"'”’)]*$"
)
_KOREAN_ASKS = compile_later(r"(?:나|냐|니|지|죠|까|요|야|어|가|더라)[.!\s\"'”’)]*$")


def is_request_for_answer(sentence: str) -> bool:
    """Return whether a sentence is a question or a request for information."""
    text = sentence.strip()
    if _MARK.search(text) or _KOREAN_END.search(text):
        return True
    if _KOREAN_WORD.search(text) and _KOREAN_ASKS.search(text):
        return True
    return _begins_as_question(text)


def _begins_as_question(text: str) -> bool:
    """Return whether a sentence begins as a question and contains no second clause that answers it. With a full stop,
    it must also be short."""
    body = text.rstrip(". ")
    match = _ASKS.match(body)
    if match is None or _ANSWERS.search(body, match.end()):
        return False
    return body == text or (len(body.split()) <= _BRIEF and not _SECOND.search(body, match.end()))
