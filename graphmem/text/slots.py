"""Reads what a sentence says of one attribute of one thing, as people say it to a coding agent: "prod is postgres 16 since the
weekend", "ah wait no, 50061", "auth belongs to Ines". Each clause is a slot: the words of its topic, its typed values, what it
gives up, and whether it asserts, changes, corrects, ends or restores. `text/slot_changes.py` compares two of them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from graphmem.patterns import compile_later
from graphmem.text.questions import is_request_for_answer
from graphmem.text.slot_values import Value, find_slot_values
from graphmem.text.slot_words import (
    ENVIRONMENTS,
    LIGHT,
    has_hangul,
    stems_of,
    unify,
)

_I = re.IGNORECASE
_MOST_CHARS = 320
_MOST_CLAUSES = 5
_DATED = compile_later(r" \(\d{4}-[^)]{0,24}\)")  # the date that was added to a relative time
# What only introduces a statement.
_NOISE = compile_later(
    r"^(?:(?:ok(?:ay)?|so|hey|hi|yo|btw|fyi|heads[- ]?up|hm+|ah|oh|um+|uh|well|right|alright|and|pls|please|note|good news|just"
    r"|quick (?:note|update)|reminder|temporar(?:y|ily)|(?:\w+ )?update|decision|q|news|by the way|before (?:we|you) start"
    r"|for the record|remember|참고로|아|음|그리고|근데|일단 알아둬)(?![\w-])[,:;.!]*(?: [-–—])? ?)+",
    _I,
)
# What is asked, supposed, planned, quoted, only shown, or told of long ago. It says nothing about now.
_NOT_SO = compile_later(
    r"\?|[\"“][^\"”]{4,}[\"”]|\b(?:if|unless|whether|would|could|might|should (?:we|i)|suppose|imagine|maybe|perhaps|propos\w+"
    r"|suggest\w*|wonder\w*|consider\w*|(?:am |are |is |'m |'re )?(?:thinking|planning) (?:of|about|to)|one day|some ?day"
    r"|for example|in (?:the old|another|a different|their|his|her) \w+|(?:nobody|no one|someone|somebody) \w+|e\.g\."
    r"|(?:in|as) (?:my|this|the|an) example|example:|hypothetical\w*|back then|at that time|\w+ years? ago|used to"
    r"|back in (?:19|20)\d\d"
    r"|in (?:19|20)\d\d(?=,| (?:our|the|we|it)\b)|last (?:year|month)(?:'s)?|(?:those|these) were"
    r"|(?:article|blog|book|paper|talk|video|tutorial|colleague|friend|customer|competitor|vendor'?s? blog|someone|somebody)"
    r" (?:of mine |of ours )?(?:says?|said|wrote|writes|has|claims?|thinks?|recommends?|uses?)"
    r"|write (?:a|the|some) tests?|where the|such that|make sure|tried|asked (?:if|whether|about)|also|as well"
    r"|too(?=[.,!]?$)|both"
    r"|additionally|another|almost|nearly"
    r"|(?:do not|don't|never|won't|will not|cannot|can't|shouldn't|should not|didn't|did not|haven't|hasn't|have not"
    r"|has not|not yet|nobody|no one|none of us) (?:yet )?(?:ever )?"
    r"(?:change|move|switch|set|bump|raise|lower|migrate|drop|replac|upgrad|touch|renam)\w*)\b"
    r"|다면|라면|으면|하면|면 어떻|만약|까요|을까|ㄹ까|면 어떨|지 않았|예를 들|도 함께|예전에|당시|(?:19|20)\d\d년에"
    r"|했었|작년|냐고|누군가|아무도|다고 (?:했|한|물|말)",
    _I,
)
# Talk about the work at hand, which is over when it is done.
_NARRATES = compile_later(
    r"^(?:[-*•#>|]|/(?=\w+(?: |$))|(?:based on|looking at|since i|given|instead of|starting|all the)\b|\d+[.)] "
    r"|\[[ x-]\]|[^\w\s가-힣\"'(`/~@*.-]|(?:(?:now|ok|okay|next|first|then|great|perfect|also|so|good|alright|and"
    r"|finally|excellent"
    r"|done|yes|yeah|hmm)[,.!:]? )*(?:let me|let's (?!(?:use|go with|cap"
    r"|make (?:it|(?:the|our|every|each) [^.!?]{2,40} (?=\d))|set|call|stick|switch|stay"
    r"|keep (?:the|it)|name|limit|target)\b)"
    r"|let us|i'll|i will|i'm (?!on\b|in\b|using\b)|i am|i need|we need to|we should (?!use|be|go|run|keep|have)"
    r"|need to|we'll need|i want|i would|i'd|i think"
    r"|i can|i have to|i see|i notice|here(?:'s| is| are)|this|these|those|there|that(?!'s)|can you|could you|would you|thanks"
    r"|thank|looks? like|it (?:looks|seems|appears|works)|look|take|read|ran|edited|wrote|searched|listed|opened"
    r"|check|checking|marking|run(?:ning)? (?!e2e)|review|fix|implement|add|create|update the|continue"
    r"|please (?!use|make|set|change|switch|cap|target|rename|keep|limit|bump|raise|lower|increase|reduce|rewrite"
    r"|don't|stop|replace|drop)\w+"
    r"|be sure|make sure|remember to|try (?!\d)|trying to|step|phase|task|test)\b)",
    _I,
)
_STANDING = compile_later(r"\b(?:each|every|always|never|from now on|whenever|any ?more|no longer)\b", _I)
_PROGRESS = compile_later(
    r"\b(?:pass(?:es|ed|ing)?|fail(?:s|ed|ing|ure)?|error\w*|bug\w*|broken?|crash\w*|stuck|complete[d]?|clean|working"
    r"|worked|succe\w+"
    r"|in progress|todo|still|yet|issue|problem|warnings|exit(?:ed|s)?|found|shows?|see(?:ing)?|missing)\b|✅|❌|오류"
    r"|에러|실패|통과",
    _I,
)
# Words that say that something is otherwise from now on.
_CHANGED = compile_later(
    r"\b(?:now|nowadays|these days|from now on|as of|from (?:today|this|next|v?\d)|since|starting|going forward"
    r"|henceforth|instead"
    r"|from here on|effective|after all|no longer|any ?more|any longer|no more|again|back|like before|as before"
    r"|new(?= [\w-]+(?: [\w-]+)?(?:[:,]|$| is ))|a new"
    r"|chang\w+|mov(?:e|ed|es|ing)|switch\w*|migrat(?:e|es|ed|ing)|upgrad\w+|downgrad\w+|rais(?:e|ed|ing)|lower(?:ed"
    r"|ing)?|increas\w+"
    r"|reduc\w+|decreas\w+|extend\w*|shorten\w*|cut|bump\w*|doubled|halved|grew|shrank|went|replac\w+|renam\w+|rewr\w+"
    r"|port(?:ed|ing)|enough|left|made|make|set|took over|takes over|handed|slipped|pushed|postponed|delayed|dropped|cap|let's"
    r"|decided|wants?|try|trying|revert\w*|restor\w+|roll(?:ed)? back|go with|goes? through|got|gets|moved|as of this|only"
    r"|should (?:be|run|use|go|have)|pls|please|you can target|this (?:quarter|week|month|sprint|year)"
    r"|said|merged|belongs? to|will be shut off|being retired|is gone)\b|→|->"
    r"|이제|부터|대신|말고|앞으로|다시|옮[겼기김겨]|변경|바[꿨뀌뀐꾸꿔]|교체|이[전관]했|연기|앞당|올[렸리려라림]"
    r"|내[렸리려]|늘[렸리었어]|줄[였이었어]"
    r"|업그레이드|전환|되돌|넘[겼기]|더 ?이상|기로 했|밀[렸려]|상향|하향|원복|롤백|돌아|끝났|폐기|중단|해지|새로",
    _I,
)
_CORRECTS = compile_later(
    r"^(?:(?:ah|oh|um|no|nope|nah|wait|hold on|sorry|oops|whoops|actually|correction|typo|not quite|my (?:mistake|bad)"
    r"|i (?:meant?|misread|mistyped|misspoke|was wrong|mixed (?:that|it|them|this) up|looked (?:it|that) up|got (?:it|that) wrong"
    r"|checked)(?: again)?"
    r"|(?:that|this|it)(?:'s| is| was) (?:wrong|not (?:right|correct|true)|incorrect|outdated)|wrong"
    r"|forget what i said about [\w ]{2,30}"
    r"|scratch that(?= ?[,.;:-]|$)|아|아니(?:다|야|요|에요|고)?|잠깐|정정(?:합니다|할게|하자면)?|오타(?:야|다|예요"
    r"|입니다)?|미안|그거 틀렸어|틀렸(?:어|어요|습니다)"
    r"|확인해 ?보니(?:까)?|사실(?:은)?|착각했(?:어|네)|내가 잘못 (?:말했|알았)(?:어"
    r"|네)?)(?![\w-])[,.:;!]*(?: [-–—])? ?)+(?=\S)|^\*(?=\S)"
    r"|\b(?:actually|in fact)$|^(?:it was|it's) (?=[A-Z])",
    _I,
)
_ACTUALLY = compile_later(r"\b(?:actually|in fact)\b", _I)
_IT_WAS = compile_later(
    r"^it (?:was|is)(?: actually)? (?=\S+(?: \S+)? who\b)|^(?:it(?:'s| is| was)|they(?:'re| are)) ", _I
)
_CLAUSE = compile_later(
    r"[;:](?:\s|$)|\s[-–—]\s|\.\s+(?=\S)|,\s+|[!]\s+"
    r"|\s(?=(?:because|so that|so (?=the|our|we|it|they|you|i|[\w-]+s? (?:is|are)\b)|but|while|until|unless|which"
    r"|although|though|when merging)\b)"
    r"|\s(?:and|&)\s(?=(?:the|our|we|it|they|you|i|[\w-]+) (?:is|are|was|has|have|can|runs?|goes|uses?|lives?|leads?|owns?)\b)"
    r"|(?<=[가-힣]고) (?=\S+[은는이가을를] )|(?<=으니) |(?<=어서) (?=\S+ \S+[은는을를]? )",
    _I,
)
_REASON = compile_later(
    r"^(?:because|so that|as (?:the|it|we)|since (?:the|it|we|they)|while|although|though|which)\b", _I
)
# What somebody did so that something is otherwise.
_SHIFTS = compile_later(
    r"\b(?:changed|moved|switched|migrated|upgraded|downgraded|bumped|raised|lowered|increased|reduced|decreased"
    r"|extended|shortened"
    r"|renamed|replaced|reverted|restored|rolled back|set|swapped|ported|dropped|took over|handed|transferred|now"
    r"|no longer|any ?more)\b"
    r"|→|->|이제|옮[겼기]|변경|바[꿨뀌뀐꾸]|교체|이전했|올[렸리]|내[렸리]|늘[렸리]|줄[였이]|업그레이드|전환|되돌|원복|롤백",
    _I,
)
# Of a passing event, and of what was so.
_PAST = compile_later(r"\b(?:was|were|wasn't|weren't)\b|\b(?:closed|found|broke|crashed)$", _I)
_SOURCE_NOUN = (
    r"(?:wiki|docs?|documentation|read ?me|handbook|manual|runbook|page|spec(?:ification)?|schema|ticket|contract"
    r"|changelog|files?"
    r"|guide|diagram|config|dashboard|confluence|faq|slides?|e-?mail|sheet|spreadsheet|table|calendar|intranet|console|agreement"
    r"|announcement|letter|report|notes?|minutes|codeowners|vendor|manifest|swagger|openapi|pipeline|dockerfile"
    r"|makefile|\S+\.(?:md"
    r"|ya?ml|toml|json|txt|rst|cfg|conf))"
)
# Another source than the speaker, of which nobody knows when it was written.
_SOURCE = compile_later(
    rf"^(?i:but |and |hm+,? )?(?:(?i:according to|per|as per) (?i:the "
    rf"|our )?(?P<a>[\w'/. -]{{2,30}}?),? (?=\S+ ?\S* (?:is|are|takes?|has"
    r"|have|runs?|goes|lasts?|uses?|owns?|\S+s)\b)"
    rf"|(?i:the |our )?(?P<b>(?:[\w-]+ ){{0,2}}?(?i:{_SOURCE_NOUN}))(?: (?:from|of|by|in|for|on) [\w' -]{{2,20}}?)?"
    r" (?:says?|states?|claims?|lists?|mentions?|shows?|still says|has|gives|tells)(?: that| a| an|:)? "
    r"|(?P<c>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?) (?:says|said|claims|claimed|thinks|believes|insists|insisted|wrote"
    r"|told (?:me|us))(?: that|:)? "
    rf"|(?i:in|on) (?:the |our )?(?P<d>(?:[\w-]+ )?(?i:{_SOURCE_NOUN}))[, ]+(?=(?:the|our|a) )"
    r"|(?P<e>\S+(?: \S+)?)(?:에 ?따르면|에 ?의하면|에는|에서는)[, ]+)"
)
_FROM_NOW = compile_later(r"\b(?:now|from now on|as of|starting|from (?:today|this|next))\b", _I)
_QUOTED_KOREAN = compile_later(
    r"(?:이라고|라고|다고) (?:(?:되어|돼|적혀|쓰여|나와) ?있(?:다|어|어요|습니다)|해|한다|하던데)$"
)
_LISTS_AS = re.compile(r"^(?P<value>\S+(?: \S+)?) as (?P<rest>(?:the |our )?[\w -]+)$")
_KIND_END = (
    r"(?:gone|dead|over|dropped|removed|closed|retired|history|ended|shut (?:off|down)|obsolete|abolished|lifted"
    r"|decommissioned|done(?! \w)"
    r"|scrapped|cancell?ed|discontinued|deprecated|finished|being retired|out|off the table|(?:no longer|not) "
    r"(?:needed|required|valid|in force|supported|reachable|available|used|allowed|active)(?: any ?more| any longer)?)"
)
_NAME = r"(?:the |our |that |this |my |old )*(?P<thing>[\w`./+#@-]+(?: [\w`./+#@-]+){0,3}?)"
_GENERIC_THING = compile_later(
    r" (?:account|contract|experiment|idea|rule|plan|thing|cluster|subscription|licen[cs]e|trial)s?$", _I
)
# What a clause gives up.
_FORMER = tuple(
    compile_later(form, _I)
    for form in (
        rf"^{_NAME} (?:is|are|was|were|has been|have been|got)(?: now| finally)? {_KIND_END}\b",
        rf"^{_NAME} (?:ended|expired|failed|won't do(?: any ?more)?|was too \w+|is too \w+|moved to \w+|left)\b",
        r"^(?:no more|no|drop|ditch|scrap|kill|forget|forget about) (?:the |our )?(?P<thing>[\w`./+#-]+(?: [\w`./+#-]+)?)"
        r"(?= after all|$|[,:]| for\b)",
        r"\b(?:(?<=are )done with|(?<='re )done with|(?<='m )done with|left|(?:moved|migrated|switched|went|got"
        r"|come) (?:\w+ ){0,2}?off|dropped|ditched|abandoned"
        r"|retired|got rid of|moved away from|away from|stopped using)"
        r" (?:the |our )?(?P<thing>[\w`./+#-]+)(?=$|[,. ])",
        r"\b(?:replaced|replacing) (?:the |our )?(?P<thing>[\w`./+#-]+(?: and [\w`./+#-]+)?) (?:by|with)\b",
        r"\b(?:instead of|rather than|in place of|away from|out of|off of|upgraded from) (?:the |our )?(?P<thing>[\w`./+#-]+)",
        r"\bfrom (?:the )?(?P<thing>[\w`./+#:-]+(?: [\w%]+)?) (?:over )?to\b",
        r"(?P<thing>[\w./+#-]+) (?:→|->) [\w./+#-]+",
        r"(?:^|,? )not (?P<thing>[\w./-]+)(?=$|,| for\b)",
        r"\bminds? (?:on|about) (?:the )?(?P<thing>[\w./+#-]+)$",
        r"\btook over .{2,60}? from (?P<thing>[A-Z][\w.-]+)",
        r"^(?P<thing>[A-Z][\w.-]+) (?:moved to|left|is on (?:\w+ )?leave|handed|passed|gave|stepped down|is away)\b",
        r"\b(?:don't|do not|not) (?:run|use|call) (?P<thing>[\w./+#-]+) any ?more",
        r"(?P<thing>[\w.+#가-힣-]+?)(?:을|를|은|는|이|가)? ?(?:대신(?:에)?|말고)(?= |$)",
        r"(?P<thing>[\w.+#-]+?)에서(?= \S+(?: \S+)?(?:으로|로) )",
        r"^(?P<thing>[\w.+#-]+?)(?:이|가|은|는) (?:문제가|너무|더 ?이상)\b",
    )
)
# A rule, a state or a thing that no longer is.
_ENDS = (
    compile_later(rf"^{_NAME} (?:is|are|was|were|has been|have been)(?: now| finally)? {_KIND_END}(?:,| |$)", _I),
    compile_later(
        r"^(?:i(?:'ve| have)? |we(?:'ve| have)? )?changed? (?:my|our|the \w+'s) minds? (?:on|about) (?P<thing>.{3,50})$",
        _I,
    ),
    compile_later(rf"^{_NAME} (?:support )?(?:ended|expired|was dropped|is dropped)\b", _I),
    compile_later(
        r"^(?:scratch|scrap|drop|forget|cancel|revoke|ignore) (?:about )?(?:that |the |this )?(?:rule |requirement "
        r"|thing )?(?:about |on |for |of )?"
        r"(?P<thing>[\w`./+# -]{3,50})$",
        _I,
    ),
    compile_later(
        r"^(?:you|we|i|they|people|nobody|the (?:team|user))(?:'ll)? (?:don't|do not|no longer|doesn't"
        r"|never) (?:have to |need to "
        r"|needs? )?(?P<thing>.{4,60}?)"
        r"(?: any ?more| any longer|$)",
        _I,
    ),
    compile_later(
        r"^(?P<thing>.{3,50}?) (?:doesn't|does not|don't|do not|isn't|is not|aren't) (?P<more>.{0,40}?) ?(?:any ?more"
        r"|any longer)$",
        _I,
    ),
    compile_later(r"^(?P<thing>.{3,50}?) (?:is|are) no longer (?P<more>.{3,40})$", _I),
    compile_later(
        r"^(?P<thing>\S+(?: \S+){0,3}?)(?:은|는|이|가|을|를)? ?(?:이제 )?(?:끝났|종료|해제|폐지|취소|중단|철회)\S*$"
    ),
    compile_later(
        r"^(?:이제 )?(?P<thing>\S.{2,40}?)(?:은|는|을|를)? (?:더 ?이상 |이제 )?(?:안 \S+도 (?:돼|됩니다|된다)"
        r"|\S+지 않아도 (?:돼|됩니다|된다))\S*$"
    ),
    compile_later(r"^(?P<thing>\S.{1,40}?)(?:은|는|을|를|이|가)? 더 ?이상 (?P<more>\S+?)지 않\S*$"),
)
_ENDS_FOR_GOOD = compile_later(
    r"\b(?:any ?more|any longer|no longer|have to|need to|not required)\b|더 ?이상|이제|안 |않아도", _I
)
_RESTORES = compile_later(
    r"\b(?:again|back|like before|as before|revert\w*|restor\w+|(?:are|is) back)\b|다시|원복|돌아|되돌|복구|롤백", _I
)
_DENIES = compile_later(
    r"\b(?:not|no|don't|doesn't|isn't|aren't|won't|never|cannot|can't)\b|지 않|안 |못|금지|면 안", _I
)
_LEADING_CONDITION = compile_later(r"^(?:when|whenever|in case|as long as|until|once) ", _I)
_ADDITION = compile_later(
    r"^(?:not |for |of |after |in the |in |at |on |per |to )(?!.* (?:is|are|has|runs?|goes|use|uses)\b)", _I
)
_SINCE = compile_later(
    r"\b(?:since|as of|starting(?: with)?|from) (?:the |last |this |next )?[\w-]+(?: [\w-]+)? ?$", _I
)
_IS_SUBJECT = compile_later(
    r"'?s? (?:(?:[a-z]+ ){0,2}(?:is|are|has|should|must|defaults?)|runs?|goes|uses?|takes?|now)\b"
    r"|(?: ?[가-힣]+){0,2}[은는이가] ",
    _I,
)
_KOREAN_VERB = re.compile(r"[가-힣]+(?:다|요|어|아|자|해|줘|돼|됨|함|지|야)$")


class Slot(NamedTuple):
    """What one clause says: `values` of `topic`; `former` is each name that it gives up; `ended` the stems of what it says is no
    longer so. `order` has the stems of the topic as they were said, `where` environments, `source` who says so if not the
    speaker."""

    topic: frozenset[str]
    order: tuple[str, ...]
    values: tuple[Value, ...]
    former: tuple[frozenset[str], ...] = ()
    ended: tuple[str, ...] = ()
    where: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    is_changed: bool = False
    corrects: bool = False
    restores: bool = False
    denies: bool = False
    source: str = ""
    shifts: bool = False  # somebody made it so


@lru_cache(maxsize=16_384)
def read_slots(sentence: str) -> tuple[Slot, ...]:
    """Return the slots of a sentence in order; none for what is asked, supposed, quoted, or told of the past."""
    text = _DATED.sub("", " ".join(sentence.replace("`", "").replace("**", "").split())).rstrip(" .!")
    text = _NOISE.sub("", text, count=1)
    if (
        not text
        or len(text) > _MOST_CHARS
        or (_NARRATES.match(text) and not _STANDING.search(text))
        or is_request_for_answer(text)
    ):
        return ()
    corrects = bool(_CORRECTS.search(text))
    text = _CORRECTS.sub("", text, count=1) if corrects else text
    source, text = _source_of(text)
    if _LEADING_CONDITION.match(text):
        return ()
    is_changed = bool(_CHANGED.search(text))
    found: list[Slot] = []
    for part in _clauses(text):
        slot = _read(_NOISE.sub("", part), corrects=corrects, is_changed=is_changed, source=source)
        if slot and found and _completes(slot, found[-1]):
            found[-1] = _joined(found[-1], slot)
        elif slot:
            found.append(slot)
    return tuple(found)


def _clauses(text: str) -> list[str]:
    parts: list[str] = []
    for part in filter(None, map(str.strip, filter(None, _CLAUSE.split(text)))):
        if parts and _ADDITION.match(part):
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    return parts[:_MOST_CLAUSES]


def _completes(slot: Slot, before: Slot) -> bool:
    """Return whether a clause only gives the value of what the one before names: "it has a new address, pypi.eng.lan"."""
    if slot.ended or slot.former or before.former or before.ended:
        return False
    bare = frozenset[str]().union(*(value.stems for value in slot.values))
    if slot.topic - bare:
        return False
    return bool(slot.values) and not any(value.is_exact for value in before.values)


def _joined(before: Slot, slot: Slot) -> Slot:
    return before._replace(
        values=(*before.values, *slot.values), words=before.words | slot.words, where=before.where | slot.where,
        corrects=before.corrects or slot.corrects,
    )  # fmt: skip


def _source_of(text: str) -> tuple[str, str]:
    """Return whom a sentence cites, "" for the speaker, and what they say."""
    quoted = _QUOTED_KOREAN.search(text) if has_hangul(text) else None
    match = _SOURCE.match(text)
    if match is None or (match["e"] and not quoted and "따르면" not in match[0] and "의하면" not in match[0]):
        return "", text
    name = " ".join(next(part for part in match.groups() if part).lower().split())
    if match["c"] and _FROM_NOW.search(text):
        return "", text[match.end() :]  # "Legal says … now": they decide
    rest = text[match.end() :]
    if quoted:
        rest = _QUOTED_KOREAN.sub("", rest)
    elif listed := _LISTS_AS.match(rest):
        rest = f"{listed['rest']} is {listed['value']}"
    return name, rest


def _read(text: str, *, corrects: bool, is_changed: bool, source: str) -> Slot | None:
    if inner := _CORRECTS.match(text):
        corrects, text = True, text[inner.end() :]
    corrects = corrects or bool(_ACTUALLY.search(text))
    text = _ACTUALLY.sub("", text).strip() if corrects else text
    if not text or _REASON.match(text) or _NOT_SO.search(text) or (_PROGRESS.search(text) and not corrects):
        return None
    if corrects:
        text = _IT_WAS.sub("", text)
    former, gone = _given_up(text)
    ended = _ended(text)
    if not (corrects or former or ended) and _PAST.search(text):
        return None
    values = tuple(value for value in find_slot_values(text) if not any(a <= value.start < b for a, b in gone))
    words = stems_of(text)
    left = _SINCE.sub("", _without_values(text, values))
    carried = frozenset[str]().union(*former)
    order = tuple(stem for stem in unify(left) if stem not in LIGHT and stem not in carried)
    chosen = frozenset[str]().union(
        *(value.stems for value in values if value.anchor in ("to", "is", "use", "로", "이다"))
    )
    where = frozenset(stems_of(left) & ENVIRONMENTS) - chosen
    topic = frozenset(order) - where
    if not values and not former and not ended and not topic:
        return None
    return Slot(
        topic, order, values, former, ended, where, words, is_changed, corrects,
        bool(_RESTORES.search(text)), bool(_DENIES.search(text)), source, bool(_SHIFTS.search(text)),
    )  # fmt: skip


def _without_values(text: str, values: tuple[Value, ...]) -> str:
    """Return the words of a clause without typed values and identifiers, and without the verb that ends a Korean one."""
    for value in sorted(values, key=lambda one: -one.start):
        end = value.start + len(value.raw)
        if value.kind in ("identifier", "variable", "file") and _IS_SUBJECT.match(text, end):
            continue
        if value.is_exact or value.kind in ("identifier", "variable", "file"):
            text = f"{text[: value.start]} {text[value.start + len(value.raw) :]}"
    return _KOREAN_VERB.sub("", text) if has_hangul(text) else text


def _given_up(text: str) -> tuple[tuple[frozenset[str], ...], list[tuple[int, int]]]:
    names, places = [], []
    for form in _FORMER:
        for match in form.finditer(text):
            thing = _GENERIC_THING.sub("", match["thing"])
            stems = stems_of(thing) - LIGHT
            if stems and len(thing) > 1:
                names.append(stems)
                places.append((match.start("thing"), match.end("thing")))
    return tuple(dict.fromkeys(names)), places


def _ended(text: str) -> tuple[str, ...]:
    for form in _ENDS:
        if match := form.match(text):
            parts = " ".join(filter(None, match.groupdict().values()))
            stems = tuple(stem for stem in unify(parts) if stem not in LIGHT)
            weak = form in _ENDS[4:6] and not _ENDS_FOR_GOOD.search(text)
            if stems and not weak:
                return stems
    return ()
