"""Reads plain statements of what is so as frames: the stems of a clause, what stands behind each preposition or before each Korean
particle, and its typed values. What is asked, supposed, planned or told of the past is no such statement. Patterns, no model."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from graphmem.patterns import compile_later
from graphmem.text.questions import is_request_for_answer
from graphmem.text.topics import stem_of
from graphmem.text.typed_values import TypedValue, find_values
from graphmem.text.words import stopwords

_I = re.IGNORECASE
_MOST_CHARS = 220
_DATED = compile_later(r" \(\d{4}-[^)]{0,24}\)")  # the date that was added to a relative time
_NO_NOUN = "".join(f"(?<!{letter})" for letter in "시속온빈용한제지각강농밀이정선요뢰상")  # "재시도", "속도", "우선도"
# What is no plain statement of what is so.
_NOT_SO = compile_later(
    r"\?|[\"“][^\"”]{8,}[\"”]|\b(?:if|unless|whether|would|could|might|suppose|imagine|maybe|perhaps|propos\w+|suggest\w*"
    r"|wonder\w*|consider\w*|plan(?:s|ned|ning)? to|going to|want(?:s|ed)? to|try(?:ing)? to|tried|thinking (?:of|about)"
    r"|also|as well|too(?=[.,!]?$)|both|additionally|in addition|another|for (?:a (?:moment|while|minute)|now|today|this)"
    r"|temporar\w+"
    r"|used to|back then|at that time|originally|last (?:year|month|week)|next (?:year|month|week)|(?:did|has|have|is|are"
    r"|do|does)(?: not|n't)"
    r"|should (?:we|i)|example|said|says|asked|claims?|according)\b"
    rf"|다면|라면|만약|까요|을까|ㄹ까|면 어떨|지 않았|예를 들|잠시|일단|도 함께|예전|당시"
    rf"|했었|였었|다고|(?<=[가-힣]){_NO_NOUN}도(?= )",
    _I,
)
_PAST = compile_later(
    r"\b(?:was|were)\b(?! (?:moved|changed|switched|raised|lowered|rewritten|replaced|migrated|upgraded|renamed|reduced|increased))"
)
# What is about the moment or the speaker, and what goes wrong.
_CLAUSE = compile_later(
    r"[;:(]\s|\s[-–—]\s|\.\s+(?=[A-Z가-힣])|,\s+"
    r"|\s(?=(?:because|since|so that|after (?:the|a|an|we|it|they|our)|as (?:the|we|it)|when|while|which|where|though"
    r"|although|but|due to)\b)",
    _I,
)
_OPENING = compile_later(
    r"^(?i:(?:the (?:team|user)|we|i)(?: have|'ve| has)? (?:decided|agreed) (?:that|to) )?"
    r"(?i:(?:correction|update|sorry|oops|actually|no|ok|okay|so|and|heads up|fyi|note)[,:]? )*(?i:for [\w ]{1,25} reasons?,? )?"
    r"(?:(?i:since|from|as of|after|starting|beginning|effective) (?i:the |our |my |an? |last |this |next |now |today )*"
    r"[\w.-]*(?: (?:on|review|audit|release|incident|meeting|sprint|migration))?,? "
    r"(?=(?:the|our|we|all|every|each|you|[a-z]+s|[A-Z]\w+)\b))?"
)
_MARKS = compile_later(
    r"\b(?:now(?:adays)?|currently|these days|again|only|just|already|instead|exclusively|as of [\w ]{2,20}$|from (?:now|this"
    r"|today|the next|next)\b[\w ]{0,20}|from [A-Z]\w+ on|since [\w.]+(?: \w+){0,2}$|any ?more|no more than|at (?:most|least)|up to"
    r"|a (?:max\w*|min\w*) of|always|exactly|about|in total)\b|이제(?:는|부터)?|지금은|현재(?:는)?|앞으로(?:는)?|다시"
    r"|최대|최소|약 ",
)
_CHANGED = compile_later(
    r"\b(?:now|nowadays|these days|instead|from now on|as of|since|only|no longer|any ?more|again|back|new|from (?:this"
    r"|next|[A-Z]\w+ on)"
    r"|chang\w+|mov(?:ed|ing)|switch\w*|migrat\w+|upgrad\w+|downgrad\w+|rais(?:ed|ing)|lower(?:ed|ing)|increas\w+|reduc\w+"
    r"|decreas\w+"
    r"|extend\w*|shorten\w*|cut|bump\w*|doubled|halved|grew|shrank|went|replac\w+|renam\w+|rewr\w+|port(?:ed|ing)|enough|left)\b"
    r"|이제|부터|대신|앞으로|다시|옮[겼기]|변경|바[꿨뀌뀐꾸]|교체|이전했|연기|앞당|올[렸리]|내[렸리]|늘[렸리었]|줄[였이었]|업그레이드|전환|되돌[렸리]"
    r"|넘[겼기]|더 ?이상|기로 했",
    _I,
)
_EXCLUSIVE = compile_later(
    r"\b(?:instead|no longer|only|switch\w*|mov(?:ed|ing)|migrat\w+|replac\w+|exclusively)\b|대신|옮[겼기]|바[꿨꾸]|교체|전환",
    _I,
)
_PREPOSITIONS = frozenset(
    "in on at to from with by via over of under behind for as per through into within without between until till against"
    " every before".split()
)
SKIPPED = frozenset(
    "the a an our its their your my we i us is are be been being am team user all this that these those it they there".split()
)
_TOKEN = compile_later(r"[^\s,;:()\"“”]+")
_HANGUL = compile_later(r"[가-힣]")
_NAMED = compile_later(r"[A-Z0-9#/@_`.-]")
_GIVES_UP = compile_later(
    r"\b(?:no longer|any ?more|stop(?:s|ped|ping)?|drop(?:s|ped|ping)?|ditch(?:ed|ing)?|scrap(?:ped|ping)?|retir(?:ed?|ing)"
    r"|abandon(?:ed|ing)?|gone|history|dead|(?:switched|turned|phased|moved|migrated?|come|came|got) (?:off|out|away)"
    r"|shut(?:ting)? down"
    r"|read-only|deprecated|obsolete|removed?|deleted?|replac(?:ed|es|ing)|instead of|rather than|away from|in place of"
    r"|not (?:from|in|with|on|to|by|via|over|at|through)|takes? over|took over|left|handed|passed|in favou?r of"
    r"|(?:too|got|was|were) (?:too |so )?(?:slow|expensive|flaky|unreliable|old|costly|a (?:pain|mess|mistake)|buggy|limited))\b"
    r"|더 ?이상|대신|말고|버리|버렸|없애|없앴|그만|에게서|한테서|빼고|접고|접었|끝났|폐기|중단|해지|떠났|퇴사",
    _I,
)
# Words around what is given up that tell of nothing else.
_TOLD = compile_later(r"[.!]+$")


_IRREGULAR = {
    "sent": "send", "kept": "keep", "written": "write", "wrote": "write", "built": "build", "made": "make", "ran": "run",
    "held": "hold", "taken": "take", "took": "take", "paid": "pay", "sold": "sell", "drawn": "draw", "given": "give",
    "shown": "show", "chosen": "choose", "chose": "choose", "led": "lead", "brought": "bring", "bought": "buy", "taught": "teach",
    "rewritten": "rewrite", "hidden": "hide", "driven": "drive", "spoken": "speak", "left": "leave", "sung": "sing",
}  # fmt: skip


# Of these there are many, each with a number.
_COUNTED = frozenset(
    "attempt batch bug build case chapter commit customer day epic epoch error example experiment figure floor group host incident"
    " instance invoice issue item iteration job level line message milestone order page part phase pr question replica request"
    " requirement room round row run scenario section server shard shop slide sprint stage station step story table task team test"
    " ticket tier trial try unit user week worker"
    " 빌드 단계 스프린트 이슈 티켓 작업 태스크 서버 워커 샤드 라인 줄 페이지 회차 주차 챕터 항목 테스트 케이스 호기".split()
)
_KOREAN_LABELS = frozenset(("number of 번", "number of 회", "number of 명"))  # "12번 빌드"
_MEASURES = frozenset(
    f"number of {unit}"
    for unit in ("s", "ms", "min", "hour", "day", "week", "month", "year", "mb", "gb", "kb", "%", "tim")
)
_BEFORE_NUMBER = compile_later(r"^(.*?)([^\W\d_]+) ?(?:#|no\.? ?|number )?$", re.I | re.S)
_ONLY_DETERMINERS = compile_later(r"\s*(?:the|a|an|our|my|in|on|for|at|of|this)?\s*", re.I)


class Frame(NamedTuple):
    """What a clause says: the stems of its `core`, what follows each preposition (or stands before a Korean particle), its typed
    values, the words of its object where it orders something, and whether it gives a name in each place."""

    core: frozenset[str]
    order: tuple[str, ...]
    places: tuple[tuple[str, frozenset[str]], ...]
    values: tuple[TypedValue, ...]
    thing: frozenset[str]
    named: frozenset[str]  # stems that are written like a name
    labels: frozenset[tuple[str, str]] = frozenset()  # numbers that say which one of many it is about: ("build", "12")

    @property
    def words(self) -> frozenset[str]:
        """Return all stems."""
        return self.core.union(*(words for _, words in self.places), self.thing)


class Reading(NamedTuple):
    """A sentence as frames of its clauses, the first of which is what it states; the stems of the clauses that give something up;
    whether it tells of a change, and whether of one thing in place of another."""

    frames: tuple[Frame, ...]
    given_up: tuple[frozenset[str], ...]
    words: frozenset[str]
    is_changed: bool
    is_exclusive: bool


@lru_cache(maxsize=8_192)
def read_statement(sentence: str) -> Reading | None:
    """Return how a plain statement reads, None for what is asked, supposed, planned or told of the past."""
    text = _TOLD.sub("", _DATED.sub("", " ".join(sentence.split())))
    if not text or len(text) > _MOST_CHARS or _NOT_SO.search(text) or is_request_for_answer(text):
        return None
    clauses = [part.strip() for part in _CLAUSE.split(_OPENING.sub("", text, count=1)) if part and part.strip()]
    if not clauses or _PAST.search(clauses[0]):
        return None
    korean = bool(_HANGUL.search(text))
    frames: list[Frame] = []
    given_up: list[frozenset[str]] = []
    words: set[str] = set()
    for place, clause in enumerate(clauses):
        frame = _read_korean(clause) if korean else _read(clause)
        words |= frame.words
        if _GIVES_UP.search(clause):
            given_up.append(_stems(clause))
        elif place == 0 or not re.match(
            r"(?:because|since|so|as|when|while|which|where|though|although|after)\b", clause, _I
        ):
            frames.append(frame)
        if place and not frames:
            frames.append(frame)
    return Reading(
        tuple(frames[:3]),
        tuple(given_up),
        frozenset(words).union(*given_up),
        bool(_CHANGED.search(text)),
        bool(_EXCLUSIVE.search(text)),
    )


def _read(clause: str) -> Frame:
    text = _MARKS.sub(" ", clause)
    values = tuple(value for value in find_values(text) if value.kind != "name")
    core: list[str] = []
    places: list[tuple[str, set[str]]] = []
    named: set[str] = set()
    verb, ordered = "", False
    is_open = False
    for number, match in enumerate(_TOKEN.finditer(text)):
        raw = match[0].strip("`'*.!")
        word = raw.lower().removesuffix("'s").removesuffix("’s")
        if not word or any(value.start <= match.start() < value.end for value in values):
            if ordered and not is_open and word and not word.isdigit():
                core.append(stem_of(word))  # "Use two spaces"
            is_open = is_open and not (word and places and not places[-1][1])
            continue
        if word in _PREPOSITIONS:
            places.append((word, set()))
            is_open = True
            continue
        if word in SKIPPED or (word in stopwords() and word not in ("new", "old")):
            is_open = is_open and word not in ("is", "are", "be", "been")
            continue
        stem = _stem(word)
        if number == 0 and word in ("use", "run", "put", "write", "store", "keep", "send", "name", "call", "save"):
            verb, ordered = stem, True
            continue
        if (_NAMED.search(raw) and number) or re.search(r"[\d#/@_]", raw):
            named.add(stem)
        if is_open:
            places[-1][1].add(stem)
        else:
            core.append(stem)
    thing = frozenset(core) if ordered else frozenset[str]()
    kept = [verb] if ordered else core
    return Frame(
        frozenset(kept),
        tuple(kept),
        tuple((prep, frozenset(words)) for prep, words in places if words),
        values,
        thing,
        frozenset(named),
        _labels(text, values),
    )


def _labels(text: str, values: tuple[TypedValue, ...]) -> frozenset[tuple[str, str]]:
    """Return the numbers that name one of many things of a kind: behind a noun that counts ("the goal of sprint 7", "PR #41"), or
    behind the first noun of a clause ("Shop 3 sells books"), unless it is a version with a dot or something changes there."""
    found = set()
    for value in values:
        if value.kind.startswith("version of "):
            noun, before = value.kind.removeprefix("version of ").split()[-1], text[: value.start]
        elif value.kind.startswith("number") and (words := _BEFORE_NUMBER.search(text[: value.start])):
            noun, before = words[2], words[1]
        elif value.kind in _KOREAN_LABELS and not text[: value.start].strip():
            found.add((value.kind, value.text))
            continue
        else:
            continue
        if _HANGUL.search(noun) and noun.endswith(_TOPICS):  # "포트는 8080이다"
            continue
        is_first = not before.strip() or _ONLY_DETERMINERS.fullmatch(before) is not None
        is_bare = "number of" not in value.kind or (noun.isupper() and value.kind not in _MEASURES)
        if noun.lower() in _COUNTED or (is_first and is_bare and "." not in value.text and not _CHANGED.search(text)):
            found.add((noun.lower(), value.text))
    return frozenset(found)


def is_counted(noun: str) -> bool:
    """Return whether there are many of a thing, each with a number: "step", "issue"."""
    return noun in _COUNTED


def _stem(word: str) -> str:
    return stem_of(_IRREGULAR.get(word, word)) if word[0].isalnum() else word


# Words that carry no topic: auxiliaries, who decides, verbs of change.
LIGHT = frozenset(
    map(
        stem_of,
        """may can must should shall will need needs use uses used do does done go goes went get gets got take takes run runs set
        change changed move moved moving switch switched migrate migrated upgrade upgraded downgrade downgraded raise raised lower
        lowered increase increased reduce reduced decrease decreased extend extended shorten shortened cut bump bumped double
        doubled halve halved grow grew shrink shrank back enough limit limited limits maximum minimum max min long old value
        setting allow allowed keep kept today time times become became serve served accept hold holds
        인원 횟수 개수 시간 값 요일 크기 위치 주기 간격 기간 방식 장소 제한 줄여 늘려 늘어 옮겨 바꿔 바뀌 올려 내려 변경 전환 교체
        이전
        넘겨 올리 하 쓰""".split(),
    )
)
_CASES = (("로", ("으로", "로")), ("에", ("에게서", "한테서", "에서", "에게", "한테", "에")), ("을", ("을", "를")))
_TOPICS = ("은", "는", "이", "가", "의")
_KOREAN_COPULA = compile_later(r"(?:이다|입니다|이에요|예요|임)$")
_KOREAN_SKIPPED = compile_later(
    r"^(?:우리|저희|팀|있다|있습니다|했다|합니다|하고|것|수|때|까지|마다|동안|정도|하는|된다|한다|이다|입니다|쓰지|않고)[은는이가의]?$"
)


def _read_korean(clause: str) -> Frame:
    text = _MARKS.sub(" ", clause)
    values = tuple(value for value in find_values(text) if value.kind != "name")
    tokens = list(_TOKEN.finditer(text))
    core: list[str] = []
    places: list[tuple[str, frozenset[str]]] = []
    named: set[str] = set()
    before: list[str] = []  # words without a particle, which belong to the next one: "docs 폴더에"
    for number, match in enumerate(tokens):
        word = match[0].strip("`'.!").lower()
        if not word or _KOREAN_SKIPPED.match(word) or any(v.start <= match.start() < v.end for v in values):
            continue
        is_last = all(_KOREAN_SKIPPED.match(one[0].strip(".!")) for one in tokens[number + 1 :])
        end = next((end for _, ends in _CASES for end in ends if word.endswith(end) and len(word) > len(end)), "")
        case = next((name for name, ends in _CASES if end in ends), "")
        if is_last and not end and (copula := _KOREAN_COPULA.search(word)) and copula.start():
            end, case = copula[0], "이다"
        if is_last and not end and re.search(r"[가-힣]$", word):
            core += [*before, _verb(word)]
            before = []
            continue
        topic = not end and len(word) > 1 and word.endswith(_TOPICS)
        stem = word[: -len(end)] if end else word[:-1] if topic else word
        if re.search(r"[a-z0-9]", stem):
            named.add(stem)
        if end and stem not in LIGHT:
            places.append((case, frozenset({*before, stem})))
            before = []
        elif end or (topic and not word.endswith("의")):
            core += [*before, stem]
            before = []
        else:
            before.append(stem)
    core += before
    return Frame(
        frozenset(core), tuple(core), tuple(places), values, frozenset(), frozenset(named), _labels(text, values)
    )


def _verb(word: str) -> str:
    """Return what the forms of a Korean verb share: "남긴다", "남기기로" are "남기", "쓴다", "쓰지" are "쓰"."""
    if len(word) < 2:
        return word
    if match := re.match(r"([가-힣]{2,})(?:하|한|할|했|해|합|되|된|될|됐|됩)", word):
        return match[1]
    first, second = word[0], word[1]
    if second in "다는고기지며면게던습도자어아요음":
        return _without_coda(first)
    return first + _without_coda(second)


def _without_coda(letter: str) -> str:
    if not "가" <= letter <= "힣":
        return letter
    coda = (ord(letter) - 0xAC00) % 28
    return chr(ord(letter) - coda) if coda in (4, 8, 17, 20) else letter  # ㄴ, ㄹ, ㅂ, ㅆ


@lru_cache(maxsize=8_192)
def _stems(clause: str) -> frozenset[str]:
    found = set()
    for match in _TOKEN.finditer(clause):
        word = match[0].strip("`'*.!").lower().removesuffix("'s")
        if word and word not in stopwords():
            found.add(_stem(word) if word.isascii() else word)
            for _, ends in _CASES:
                found |= {word[: -len(end)] for end in (*ends, *_TOPICS) if word.endswith(end) and len(word) > len(end)}
    return frozenset(found)
