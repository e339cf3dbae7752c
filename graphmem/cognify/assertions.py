"""Plain assertions that no form of claims fits: "Releases are cut every two weeks", "We deploy with Ansible", "릴리스는 매주
금요일에 나간다". An assertion claims nothing exclusive by itself; it gives way only to one of the same subject and verb that says
that something changed (or cites another source) and differs in one place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from graphmem.patterns import compile_later

_MOST_WORDS = 16
_EXACT_COUNT = (
    r"(?:exactly |at (?:least|most) |up to |about )?(?:\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|no)\b)"
)
_MOODS = (
    "excited|interested|worried|tired|confused|annoyed|pleased|concerned|bored|stuck|blocked|scared|supposed|used to|based"
    "|convinced|surprised|finished|needed|related|expected|called \\w+$|done(?! (?:with|by|in|via|using|through)\\b)|happen"
    "|open(?:ed)?\\b|red|need|indeed|even"
)
_PARTICIPLE = (
    rf"(?!(?:{_MOODS})\b)(?:[a-z]+(?:ed|en)|cut|done|run|put|set|built|kept|held|sent|made|told|sold|read|led|paid) \S"
)
# verb -> how what follows must begin, for it to say something that holds for long
_VERBS = {
    "is|are|will be|must be|has to be|have to be|should be": (
        rf"{_EXACT_COUNT}|[\w.+-]+@\w|(?-i:[A-Z])[\w.+-]*$|[\w-]+\.\w+$|(?:in|behind) \S+$|{_PARTICIPLE}"
        r"|(?:in|at|on|under|with|by|every|from|valid|due|limited|restricted) (?-i:\S*[A-Z\d/]|\S+ by \S)"
    ),
    "has|have|must have|must contain|can have|may have|needs?|requires?|takes?|contains?|includes?|allows?|accepts?"
    "|supports?": _EXACT_COUNT,
    "goes|go|pulls?|reads?|fetch|fetches|comes|come|connects?|subscribes?|depends?|points?|belongs?|listens?|talks?|speaks?"
    "|publish|publishes": r"(?:to|from|on|in|over|via|at|every|by|with)\b",
    "runs?|starts?|begins?|ends?|happens?|opens?|closes?|meets?|expires?|lasts?|works? (?=from|in|at)": (
        r"(?:on|at|in|by|every|each|to|from|with|for|after|before|until|under|via|over|through|daily|weekly|monthly|hourly|\d)"
    ),
    "uses?|owns?|maintains?|reviews?|handles?|targets?|prefers?|likes?|hates?|stores?|writes?|keeps?|sends?|returns?|logs?|costs?"
    "|leads|manages?|approves?|serves?|lives?|forwards?|hosts?|tracks?|routes?|monitors?|delivers?|exposes?|polls?"
    "|rotates?|ships?|signs?|tags?|deploys?|releases?|bumps?|squash|squashes|lints?|formats?|tests?|builds?|archives?|mirrors?|pins?"
    "|vendors?|translates?|measures?|freezes?": r"(?!\w+ed\b)\S",
}
_ASSERTION = compile_later(
    r"(?P<subject>[\w`'./@+-]+(?: [\w`'./@+-]+){0,5}?) (?:(?:always|usually) )?"
    rf"(?:(?P<no>does not|doesn't|do not|don't|no longer|never) (?P<base>[a-z]+)|(?P<verb>{'|'.join(_VERBS)})) "
    r"(?!(?:are|is|were|was|have|has|do|must|should|can|will)\b)"
    r"(?P<no2>not |no longer )?(?:(?:always|usually) )?(?P<rest>.+)$",
    re.I,
)
_MARKS = compile_later(
    r"\b(?:now|currently|nowadays|these days|any ?more|as of (?:now|today|this \w+)|from now on|today|instead(?! of)|only|just"
    r"|since (?:the )?[\w.]+(?: \w+)?|(?:instead of|rather than) .+)\b"
    r"|[(][^)]*[)]",
    re.I,
)
_NOT_SUBJECT = compile_later(
    r"(?:never|always|please|only|don't|do|no|it|this|that|these|those|there|here|what|which|who|where|when|how|why|if|he|she"
    r"|they|one|nothing|everything|something|someone|anyone|nobody|everyone|you|let|and|but|so|also|then)\b",
    re.I,
)
_VAGUE_SUBJECT = compile_later(
    r"(?:the |that |this )?(?:output|result|error|problem|issue|bug|fix|reason|cause|idea|plan|question|answer|point|thing|rest"
    r"|port|version|timeout|limit|url|host|path|value|number|size|name|default)",
    re.I,
)
_VERB_INSIDE = compile_later(
    r"\b(?:is|are|was|were|that|which|who|because|if|when|while|than|and|or|not|to|be|been|will|would"
    r"|can|must|should|may|could)\b",
    re.I,
)
_LEMMAS = {
    "are": "is",
    "will be": "is",
    "must be": "is",
    "has to be": "is",
    "have to be": "is",
    "should be": "is",
    "has": "have",
    "goes": "go",
}
_ADDS = frozenset("have use need require handle accept allow support contain include cover".split())
_PREPOSITION = frozenset("for in on at with by from to as of under per when if until via over".split())
_NOISE = frozenset("the a an our its their user's team's".split())
_KOREAN = compile_later(r"(?P<subject>[^\s,]+?(?: [^\s,]+?){0,3}?)(?:은|는|이|가|을|를|도) (?P<rest>\S.*)$")
_KOREAN_MARKS = compile_later(
    r"(?<!\S)(?:이제(?:는|부터)?|지금은|현재(?:는)?|앞으로(?:는)?|더 ?이상|다시|오늘부터)(?!\S)"
)
_KOREAN_END = compile_later(
    r"(?:고 있습니다|고 있다|[합습]니다|한다|해요|하기로 했다|이다|입니다|이에요|예요|ㄴ다|다|요|음|함)$"
)
_KOREAN_PAST = compile_later(r"[았었였했됐졌갔왔났랐웠쳤겼]다?[.!]?$|[았었였했됐졌]습니다[.!]?$")
_KOREAN_DENIAL = compile_later(
    r"(?:지 않는다|지 않습니다|지 않아요?|지 않음|가 아니다|이 아니다|가 아닙니다|이 아닙니다)$"
)


class Assertion(NamedTuple):
    """`subject` as it is written, what it does in normal words, and whether it is denied."""

    subject: str
    words: str
    holds: bool


def read_assertion(text: str) -> Assertion | None:
    """Return what a plain sentence asserts, None if it is no assertion that could hold for long."""
    if re.search(r"[가-힣]", text):
        return _read_korean(text)
    text = " ".join(_MARKS.sub("", text).split())
    match = _ASSERTION.match(text)
    if match is None or len(text.split()) > _MOST_WORDS or _NOT_SUBJECT.match(text):
        return None
    subject, verb = match["subject"], (match["base"] or match["verb"]).lower()
    if _VERB_INSIDE.search(subject) or _VAGUE_SUBJECT.fullmatch(subject) or not _lasts(verb, match["rest"]):
        return None
    words = _words(match["rest"])
    if not words or re.search(r"[,;:!?]|\b(?:and|or|but)\b", _ADDRESS.sub("address", match["rest"]), re.I):
        return None
    holds = not (match["no"] or match["no2"])
    return Assertion(subject, " ".join([_lemma(verb), *words]), holds)


def _read_korean(text: str) -> Assertion | None:
    match = _KOREAN.match(" ".join(_KOREAN_MARKS.sub("", text).split()))
    if match is None or len(text.split()) > _MOST_WORDS or _KOREAN_PAST.search(text):
        return None
    words = " ".join(match["rest"].split()).lower()
    holds = not _KOREAN_DENIAL.search(words)
    stem = _KOREAN_END.sub("", _KOREAN_DENIAL.sub("", words)).strip()
    if not stem or re.search(r"[,;:!?]", words):
        return None
    return Assertion(match["subject"], stem, holds)


def _lasts(verb: str, rest: str) -> bool:
    """Return whether what the verb says can hold for long: "is published at …", but not "is broken" or "has a bug"."""
    wanted = next((begin for verbs, begin in _VERBS.items() if re.fullmatch(verbs, verb, re.I)), None)
    return wanted is not None and bool(re.match(wanted, rest, re.I))


def _lemma(verb: str) -> str:
    if verb in _LEMMAS:
        return _LEMMAS[verb]
    return re.sub(r"(?<=(?:sh|ch))es$|(?<!s)s$", "", verb) if verb != "is" else verb


def _words(rest: str) -> list[str]:
    words = (word.strip("`'\".") for word in rest.lower().split())
    return [singular(word) for word in words if word and word not in _NOISE]


def singular(word: str) -> str:
    """Return an English word without the ending of its plural."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


_MEASURE = compile_later(
    r"\d+(?:[.,]\d+)? ?(?:%|(?:ms|s|sec|min|h|days?|hours?|minutes?|seconds?|weeks?|months?|years?"
    r"|[kmgt]i?b|requests?|users?|rows?)\b"
    r"|초|분|시간|일|주|개월|년|회|명|건)",
    re.I,
)


def is_measured(text: str) -> bool:
    """Return whether a text gives a number with its unit."""
    return bool(_MEASURE.search(text))


def differ_in_one_place(new: str, old: str) -> bool:
    """Return whether two assertions of one subject say the same except for one value: the same verb, and one short place
    where they differ that no preposition opens up."""
    one, other = new.split(), old.split()
    if one == other:
        return False
    start = _common(one, other)
    end = _common(one[start:][::-1], other[start:][::-1])
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    if not left or not right or max(len(left), len(right)) > 4 or not (start or end):
        return False
    if {tuple(left), tuple(right)} == {("with",), ("without",)}:
        return True
    korean = bool(re.search(r"[가-힣]", new))
    if not korean and not start:
        return False
    if korean or {*left, *right} & _PREPOSITION:
        return korean and (start + end) * 2 >= len(one) - 1
    exact = all(re.search(r"\d", " ".join(part)) or part[0] in _COUNTS for part in (left, right))
    return exact or one[0] not in _ADDS or (end > 0 and bool(_PREPOSITION & set(one[len(one) - end :])))


def differ_in_number(new: str, old: str) -> bool:
    """Return whether two assertions are the same except for one number."""
    one, other = new.split(), old.split()
    unlike = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
    return len(one) == len(other) and len(unlike) == 1 and all(a[0].isdigit() or a in _COUNTS for a in unlike[0])


_ADDRESS = compile_later(r"https?://\S+")
_COUNTS = frozenset("zero one two three four five six seven eight nine ten every no".split())


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count
