"""Patterns of the sensor: values, names, times, changes of topic, and commitments, in English and Korean. Used by
`sensor`."""

from __future__ import annotations

import re

from graphmem.patterns import compile_later

_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_UNIT = (
    r"(?:%|percent|per cent|[kmgt]i?b(?:/s)?|ms|us|ns|s|sec(?:ond)?s?|min(?:ute)?s?|h|hours?|hrs?|days?|weeks?|months?|years?"
    r"|yrs?|miles?|km|cm|mm|m|ft|feet|inch(?:es)?|kg|g|lbs?|pounds?|degrees?|°[cf]?|dollars?|euros?|bucks|usd|eur|krw|rpm|qps|rps"
    r"|tokens?|lines?|rows?|files?|tests?|people|kids|times|x)"
)
_COUNTED = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred|thousand|dozen|half"
VALUE = compile_later(
    rf"""
    \d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?                                                # a date, with its time
    | [$€£₩¥]\ ?\d[\d,]*(?:\.\d+)?(?:\ ?(?:k|m|bn|thousand|million|billion|만|억)\b)?               # money
    | \b(?:\d{{1,2}}(?:st|nd|rd|th)?\ (?:of\ )?)?{_MONTH}\.?\ \d{{1,4}}(?:st|nd|rd|th)?(?:,?\ \d{{4}})?\b
    | \b\d{{1,2}}(?:st|nd|rd|th)?\ (?:of\ )?{_MONTH}\b(?:,?\ \d{{4}}\b)?
    | \d+(?:\.\d+)?(?:년|월|일|시|분|초|명|개|번|건|원|만|억|배|회|주|달|개월)(?:\ ?\d+(?:월|일|시|분|초))*
    | (?<![\w.])(?<!\w-)v?\d+(?:[.,:/x×-]\d+)*(?:\ ?{_UNIT}\b|%|(?:st|nd|rd|th)\b)?
    | \b(?:{_COUNTED})\b
    """,
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip
VALUED = compile_later(
    rf"\d|\b(?:{_COUNTED})\b", re.IGNORECASE
)  # present in every value: text without it is skipped quickly
TEMPORAL = compile_later(
    r"\b(?:today|tonight|yesterday|tomorrow|ago|last|this|next|past|recently|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend)\b"
    r"|어제|오늘|내일|그제|모레|지난|이번|다음|전에|주말|요일",
    re.IGNORECASE,
)
_CALENDAR = r"(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December)"
NAME = compile_later(rf"(?<=[a-z,;:] ){_CALENDAR}[A-Z][\w’'-]*[a-z]\w*(?: (?:of |the |and |de )?[A-Z][\w’'-]*\w)*")
SHIFT = compile_later(
    r"\s*(?:[A-Z]\w* ?,? )?(?:by the way|btw|anyways?|speaking of (?:which|something)|on (?:another|a different) (?:note|topic|subject)"
    r"|(?:let's|let us) (?:switch|change|move on|talk about something)|moving on|changing (?:the )?(?:topic|subject)"
    r"|new (?:topic|task|question|subject)|next (?:task|topic|question)|(?:a )?(?:different|unrelated|separate) (?:question|topic|task)"
    r"|now (?:for|to) something|forget (?:about )?that|그건 그렇고|그나저나|다른 (?:이야기|얘기|질문|주제|작업)|화제를|그런데 말이야|다음 (?:작업|주제|질문)|참,)",
    re.IGNORECASE,
)  # fmt: skip
ASKS = compile_later(
    r"\?\s*$|^(?:who|what|when|where|why|which|how|is|are|do|does|did|can|could|would|should)\b|(?:까요|나요|가요|니까)[?.]?\s*$",
    re.I | re.M,
)
# commitments for later work, as opposed to general remarks
BINDS = compile_later(
    r"(?:^|[.!?,;:–—-] |\b(?:please|you|we|must|should) )(?:always|never|do not|don't|make sure|remember (?:to|that)|avoid|only use|from now on)\b"
    r"|\b(?:must(?:n't| not)?|not allowed|is forbidden|mandatory)\b|반드시|절대|하지 ?마|앞으로는|해야 (?:한다|합니다|해요)",
    re.IGNORECASE,
)
