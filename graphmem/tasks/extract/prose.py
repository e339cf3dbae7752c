"""Extracts from text of people and agents TODO lines and what blocks what, in English and Korean. Only explicit forms
count; sentences that need interpretation are ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmem.model.tasks import LEFT_BY_AGENT, SUGGESTED
from graphmem.patterns import compile_later
from graphmem.tasks.extract.awaited import is_for_somebody
from graphmem.tasks.formats.records import TaskRecord
from graphmem.text.sentences import sentences

MAX_EXTRACTED_TITLE_CHARS = 160  # characters; a longer "title" is a paragraph
_TODO = compile_later(  # at the start of a line or of a sentence; "Later: the build failed" tells a story
    r"(?:^[ \t>*+-]{0,20}|(?<=[.!?]\s))(?:\*\*)?(?:TODO|TO DO|FIXME|ACTION ITEM|(?:as a )?FOLLOW[- ]?UPS?|REMINDER"
    r"|NOTE TO (?:SELF|MYSELF)|LATER(?=(?:\*\*)?[ \t]*[:：](?!(?:\*\*)?\s*(?:the|an?|it|we|i|they|he|she|this|that|there)\b))"
    r"|(?:나중에 |추후 ?)?(?:할 ?(?:일|것)|해야 ?할 ?(?:일|것))|나중에|추후|후속 ?작업)"
    r"(?: (?:for )?(?:later|next|tomorrow|now|(?:the )?next (?:week|sprint|release|session)|the future))?"
    r"(?:\((?P<who>[^)\n]{1,40})\))?(?:\*\*)?(?:\s*[:：](?:\*\*)?\s*|(?<=(?-i:TODO))[ \t]+[-–—][ \t]+)(?P<title>\S[^\n]*)",
    re.MULTILINE | re.IGNORECASE,
)
_FENCED = compile_later(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_CLAUSE = r"[^.!?;\n]"
# "The release is still blocked by the licence check."
_BLOCKED = compile_later(
    rf"""(?:^|(?<=[.!?;:]\s)|(?<=\n))           # the start of a sentence
    [ \t>*+-]{{0,20}}(?P<task>{_CLAUSE}{{0,120}}?)\s*
    \b(?:(?:is|are|was|were|remains?|stays?|still|currently|now|,)\s+)*
    (?:blocked|stuck|held\ up)\s+(?:by|on|until|because\ of|waiting\ (?:for|on))[: ]\s*
    (?P<why>[^;\n]{{3,200}}?)(?=\.?\s*(?:\n|$)|[.!?;]\s)""",
    re.IGNORECASE | re.VERBOSE,
)
# "배포는 라이선스 확인 때문에 막혔다"
_BLOCKED_KOREAN = compile_later(
    r"""(?:^|(?<=[.!?]\s)|(?<=\n))
    [\s>*+-]*(?:(?P<task>[^.!?\n]{2,80}?)(?:은|는|이|가)\s+)?
    (?P<why>[^.!?\n]{2,120}?)
    (?:\s*(?:때문에|으로\ 인해|로\ 인해|에\ 의해|에|[을를]\ 기다리(?:느라|고\ 있어서|는\ 중이라서?|다가?)))\s*
    (?:작업이\s*|지금\s*|현재\s*)?
    (?:막혔|막혀|막힌|차단됐|차단되|차단돼|블록됐|블록되|중단됐|중단되|멈춰|멈췄|보류)""",
    re.VERBOSE,
)
# "The release can't ship until QA signs off"
_UNTIL = compile_later(
    rf"""^[ \t>*+-]{{0,20}}(?P<task>(?:(?!\b(?:can't|cannot|can\ not)\b){_CLAUSE}){{1,120}}?)
    \s+(?:can't|cannot|can\ not|must\ not)\s+(?P<act>(?:be\s+)?[a-z]+{_CLAUSE}{{0,60}}?)
    \s(?:until|before)\s+(?P<why>{_CLAUSE}{{3,200}}?)\.?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
# "We're stuck on the search rewrite because Ops hasn't opened the port yet"
_STUCK = compile_later(
    rf"""^[ \t>*+-]{{0,20}}(?:we|i)(?:\s+are|\s+am|'re|'m)\s+(?:still\s+|currently\s+)?(?:stuck|blocked|held\ up)\s+(?:on|with)\s+
    (?P<task>{_CLAUSE}{{3,80}}?)\s+(?:because|since|as)\s+(?P<why>{_CLAUSE}{{3,200}}?)\.?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
# "결제 연동은 카드사 답변이 와야 진행할 수 있어"
_ONCE_KOREAN = compile_later(
    r"""(?:^|(?<=[.!?]\s)|(?<=\n))[\s>*+-]*(?P<task>[^.!?\n]{2,60}?)(?:은|는)\s+(?P<why>[^.!?\n]{2,60}?)(?:이|가|을|를)?\s+
    (?:(?:먼저|다|모두|전부|완전히)\s)?[가-힣]*(?:와야|나야|나와야|받아야|져야|돼야|해야|줘야|내야|어야|아야)(?:만|지)?\s+
    (?:진행|시작|착수|배포|출시|오픈|머지|작업|마무리|릴리스|다음|할|될|풀)[^.!?\n]{0,12}?(?:수\s?있|가능|진행|시작|된다|돼)""",
    re.VERBOSE,
)
# "We are waiting for the licence"
_WAITING = compile_later(
    rf"""^[ \t>*+-]{{0,20}}(?P<task>{_CLAUSE}{{1,120}}?)
    \s+(?:is|are|am|'s|'re)\s+(?:still\s+)?waiting\s+(?:for|on)\s+
    (?P<why>{_CLAUSE}{{3,200}}?)\.?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
# "라이선스 확인 대기"
_WAITING_KOREAN = compile_later(
    r"""^[\s>*+-]*(?:(?P<task>[^.!?\n:]{2,80}?)(?:은|는|이|가|:)\s+)?
    (?P<why>[^.!?\n]{2,60}?)(?:을|를)?\s*
    (?:대기\ ?중|대기|기다리는\ 중|기다리고\ 있(?:다|어|어요|음|습니다))(?:이다|이야|입니다|이에요|예요)?[.]?\s*$""",
    re.VERBOSE,
)
# "We still need to upgrade jest to 30": what is open and not asked for now. Only these forms; "we need to" mostly asks.
_STILL = compile_later(
    r"""(?:^|(?<=[.!?;]\s)|(?<=\n))[ \t>*+-]{0,20}(?:(?:ok|okay|so|and|but|also|later|note|remember)[,:]?\s+)*
    (?:(?:we|i)\s+(?:also\s+)?(?:still\s+(?:also\s+)?(?:need|have)|have\s+yet)\s+to
    |(?:please\s+)?(?:don't|do\s+not)\s+forget(?:\s+that\s+we\s+(?:need|have))?\s+to)\s+
    (?P<title>(?!be\b|have\b|understand|know|see|think|check\ (?:if|whether)|figure|find\ out|look|decide|wait
    |keep\ in\ mind|use\b|get\b|do\b)
    [a-z][a-z-]+\s[^.!?;\n]{3,150}?)
    (?=,?\s+(?:because|since|before|once|when|so\ that|next\ week|tomorrow|later|first)\b|,|[.!;]\s|[.!;]?\s*(?:\n|$))""",
    re.IGNORECASE | re.VERBOSE,
)
# "Let's rotate the keys later.": not what is only talked about, nor "we'll do it later".
_LATER = compile_later(
    r"""(?:^|(?<=[.!?;]\s)|(?<=\n))[ \t>*+-]{0,20}(?:(?:ok|okay|so|and|but|also|then)[,:]?\s+)*
    (?:let's|let\s+us|(?:we|i)(?:'ll|\s+will|\s+should|\s+can))\s+
    (?P<title>(?!be\b|do\b|have\b|see\b|look|think|talk|speak|discuss|decide|come\b|get\b|go\b|return|worry|deal|ask|tell|check\b
    |try\b)
    [a-z][a-z-]+\s(?!it\b|that\b|this\b|them\b)[^.!?,;\n]{3,120}?)\s+later(?:\s+on)?[ \t]*(?=[.!]?\s*(?:\n|$)|[.!]\s)""",
    re.IGNORECASE | re.VERBOSE,
)
# "키 교체는 나중에 하자", "나중에 키를 교체하자"
_LATER_KOREAN = compile_later(
    r"(?:^|(?<=[.!?]\s)|(?<=\n))[\s>*+-]*(?:(?P<title>(?!이건|그건|이것|그것|저것|나머지)[^\s.!?:\n][^.!?:\n]{1,60}?)"
    r"(?:은|는)\s+(?:나중에|추후에?)\s+(?:하자|합시다|할게요?|하겠습니다|하기로 (?:하자|합시다|했다|했습니다))"
    r"|(?:나중에|추후에?)\s+(?P<what>(?:[^\s.!?:\n]+\s+){0,6}?[^\s.!?:\n]+[을를]\s+(?!이야기|얘기|논의|생각|결정|확인)[^\s.!?:\n]*?"
    r"(?:하자|합시다|할게요?|하겠습니다)))[.!]?(?=\s|$)"
)
_STILL_KOREAN = compile_later(
    r"(?:^|(?<=[.!?]\s)|(?<=\n))[\s>*+-]*(?:아직|나중에|다음에)\s+(?P<title>(?:[^\s.!?:\n]+\s+){1,8}?[^\s.!?:\n]*?[가-힣]+(?:해야|어야|아야|여야|워야|려야|겨야|꿔야)"
    r" ?(?:한다|합니다|해요|해|함|할 것이다))[.!]?(?=\s|$)"
)
# The end of an agent's answer that lists what it left: "**Left for later:**", "### Not done", "남은 작업:".
_LEFT_HEAD = compile_later(
    r"^[ \t]{0,3}(?:#{1,6}[ \t]+)?(?:[-*][ \t]+)?(?:\*\*|__)?(?:what(?:'s| is| I) )?"
    r"(?:left (?:for (?:later|a follow-?up|another time)|open|undone|out)"
    r"|(?:deliberately |intentionally )?(?:not done|deferred|postponed)"
    r"|(?:still )?(?:remaining|outstanding|open) (?:work|tasks?|items?|points)|remaining|still (?:open|to do|missing)|follow-?ups?"
    r"|(?:for|to do) later|남은 (?:일|작업|것)|미완료|후속 ?작업|나중에 할 ?일)(?: \([^)\n]{1,40}\)| for later| yet)?"
    r"(?:\*\*|__)?[ \t]*[:：]?(?:\*\*|__)?[ \t]*$",
    re.IGNORECASE,
)
_ITEM = compile_later(r"^[ \t]{0,8}(?:[-*+•]|\d{1,2}[.)])[ \t]+(?:\[(?P<mark>[ xX])\][ \t]+)?(?P<title>\S[^\n]*)$")
_LEFT_LINE = compile_later(  # the same in one line: "Left for later: port the exporter."
    r"^(?:[-*][ \t]+)?(?:\*\*|__)?(?:left (?:for (?:later|a follow-?up)|to do|undone)|(?:deliberately )?not done(?: yet)?"
    r"|남은 (?:일|작업))[ \t]*[:：](?:\*\*|__)?[ \t]+(?P<title>\S[^\n]*)$",
    re.IGNORECASE,
)
# "I left the migration guide for later", "The Windows path is deferred to a follow-up".
_LEFT = compile_later(
    r"""^(?:(?:note\ that|also|but|so|and|however|only),?\s+)*
    (?:(?:I|we)(?:\s+have|'ve)?\s+(?:deliberately\s+|intentionally\s+)?(?:left|deferred|postponed)\s+(?P<done>[^.!?;\n]{3,140}?)
    |(?P<is>[^.!?;,\n]{3,140}?)\s+(?:is|are|was|were)\s+(?:deliberately\s+|intentionally\s+)?(?:left|deferred|postponed))
    \s+(?:for|to|until)\s+(?:later|(?:a|another|the\ next|a\ later|a\ separate|a\ future)\s+
    (?:follow-?up|PR|pull\ request|change|commit|session|release|iteration|step|time))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_MOST_LEFT = 5  # of one answer; a longer list is a plan
_CLOSING_CHARS = 2_500  # of an answer in which it tells what it left
_SELF_BLOCKED = compile_later(
    r"^(?:(?:it|this|that)(?:'s|\s+is|\s+remains)?\s+(?:still\s+|currently\s+)?)?"
    r"(?:blocked|stuck|held up|waiting)\s+(?:by|on|for)\s+(?P<why>[^.;\n]{3,200}?)[.!]?$"
    r"|^(?P<korean>[^.!?\n]{2,80}?)(?:\s*(?:때문에|으로 인해|로 인해))\s*"
    r"(?:막혔|막혀|차단됐|차단되|중단됐)\S*[.!]?$",
    re.IGNORECASE,
)
_NEEDED = compile_later(r"\bha(?:s|ve)(?:n't| not) |\b(?:still|yet)\b ?", re.IGNORECASE)
_WE = compile_later(r"(?:we|i)\Z", re.IGNORECASE)
_ACT = compile_later(
    r"(?!(?:be|know|say|see|tell|do|go|have|get|use|start|continue|proceed|move)\b)[a-z]{3,}\s+(?!(?:it|this|that|them|anything|until)\b)\S",
    re.IGNORECASE,
)
_NO_TITLE = compile_later(
    r"\A(?:i|we|he|she|it|this|that|these|those|they|everything|nothing|which|who|what|이거|그거|저거|우리|나|저)\b",
    re.IGNORECASE,
)
# "Legal approved it", "the vendor's answer arrived", "법무팀 승인이 났어": what was waited for is there.
_MET = compile_later(
    r"\b(?:\w{2,}ed|sent|gave|c[ao]me|done|made|put|got|paid|built|wrote|ran|chose|found|let|set|(?:is|are)\s+(?:now\s+|finally\s+)?(?:in|here))\b"
    r"|\S\s*(?:났|왔|받았|줬|했|떨어졌|됐|되었|보냈)(?:어|다|습니다|음|네|대|지|고)",
    re.IGNORECASE,
)
# Nothing is there yet, or it will not be: "legal delayed its approval", "승인을 요청했어".
_NOT_MET = compile_later(
    r"\?|n't\b|\b(?:not|no|never|nothing|nobody|yet|if|when|once|until|before|after|unless|will|would|should|must|needs?|needed|wait(?:s|ed|ing)"
    r"|delayed|postponed|refused|rejected|denied|declined|asked|requested|wanted|promised|planned|expected|required|cancel\w+|failed|forgot"
    r"|scheduled|blocked|stuck|pending|missed|wished|almost|nearly)\b"
    r"|아직|(?<![가-힣])[안못] |못했|없|않|[으이]?면\s|까지|전에|나중에|해야|요청|부탁|신청|문의|거절|반려|거부|지연|미뤄"
    r"|미뤘|늦|기다|물어|막혔|막혀|취소|실패",
    re.IGNORECASE,
)
_MAX_MET_CHARS = 300
# "Remind me to ask Hana for the certificate", "하나한테 인증서 물어보라고 알려 줘"
_REMIND = compile_later(
    r"(?:^|(?<=[.!?;]\s)|(?<=\n))[ \t>*+-]{0,20}(?:(?:ok|okay|so|and|but|also|please)[,:]?\s+)*"
    r"(?:remind\s+(?:me|us)\s+(?:(?:later|tomorrow|next\s+\w+|on\s+\w+)\s+)?|(?:don't|do\s+not)\s+let\s+(?:me|us)\s+forget\s+)to\s+"
    r"(?P<title>[a-z][a-z-]*\s[^.!?;\n]{3,150}?)[ \t]*(?=[.!]?\s*(?:\n|$)|[.!]\s)",
    re.IGNORECASE,
)
_REMIND_KOREAN = compile_later(
    r"(?:^|(?<=[.!?]\s)|(?<=\n))[\s>*+-]*(?:나중에|내일|다음에)?\s*"
    r"(?P<title>(?!(?:항상|언제나|매번|절대|앞으로|늘)\s|(?:커밋|푸시|머지|배포|PR) ?전)"
    r"[^\s.!?:\n](?:(?!마다|[할을] 때|기 전|한 뒤|한 후)[^.!?:\n]){3,80}?)"
    r"(?:(?P<order>라고|자고|는\s?(?:거|것|일)[을를]?)|던?\s?(?:거|것|일)[을를]?)?\s+(?:나중에\s+|내일\s+|꼭\s+)?"
    r"(?:(?:상기시켜|리마인드해|알림해|기억나게\s?해|잊지\s?않게\s?해)\s?(?:줘|주세요)|잊지\s?(?:마(?:라|세요)?|말(?:자|아\s?줘|고)?))[.!]?(?=\s|$)"
)
_BOX = compile_later(r"^[ \t]{0,8}(?:[-*+]|\d{1,2}[.)]) \[(?P<mark>[ xX])\] (?P<title>\S[^\n]*)$", re.MULTILINE)
_CUE = compile_later(
    r"blocked|stuck|held up|막[혔혀힌]|차단|블록|중단|waiting|until|before|대기|기다리|[와나져돼해줘내어아]야[만지]? ",
    re.IGNORECASE,
)
_MAX_BLOCKED_TITLE_CHARS = 80
_MAX_LINE_CHARS = 1_000  # characters; longer lines are data
_OWN = compile_later(
    r"\A(?:i|we|it|this|that|work|progress|저|우리|이것|그것|이 작업|작업)?\s*(?:am|are|is|'m|'re)?\Z", re.IGNORECASE
)
_MARKS = compile_later(r"[*`]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)")


def tasks_of_todos(text: str) -> Iterator[TaskRecord]:
    """Yield tasks from TODO lines outside of code blocks, each with what the next sentence says it waits for."""
    text = _FENCED.sub("", text)
    for match in _TODO.finditer(text):
        first, *others = sentences(match["title"])
        title = _clean(first)
        if 3 <= len(title) <= MAX_EXTRACTED_TITLE_CHARS:
            fields = {"title": title} | ({"assignee": match["who"].strip()} if match["who"] else {})
            waits = [_clean(m["why"] or m["korean"]) for each in others[:1] if (m := _SELF_BLOCKED.match(each))]
            yield TaskRecord("", fields, waits=waits, source="text")


def tasks_left_open(text: str) -> Iterator[TaskRecord]:
    """Yield what a person says is still to be done: "we still need to …", "don't forget to …", "나중에 …해야 한다"."""
    prose = _FENCED.sub("", text)
    if len(prose) > _MAX_LINE_CHARS or "```" in prose:
        return  # a long prompt describes one piece of work
    forms = (_STILL, _STILL_KOREAN, _LATER, _LATER_KOREAN, _REMIND, _REMIND_KOREAN)
    for match in (match for form in forms for match in form.finditer(prose)):
        named = match.groupdict()
        title = _clean(named["title"] or named.get("what") or "") + ("기" if named.get("order") else "")
        if 3 <= len(title) <= MAX_EXTRACTED_TITLE_CHARS and not prose[match.end() :].lstrip().startswith("?"):
            yield TaskRecord("", {"title": f"{title[:1].upper()}{title[1:]}"}, source="text")


def tasks_left_by_agent(text: str) -> list[TaskRecord]:
    """Return what an agent says at the end of an answer that it left for later, as suggestions with its words; none of a list
    that is too long to be meant."""
    prose = _FENCED.sub("", text)[-_CLOSING_CHARS:]
    left: dict[str, str] = {}
    listing = False
    for line in prose.split("\n"):
        if len(line) > _MAX_LINE_CHARS:
            continue
        if _LEFT_HEAD.match(line):
            listing = True
        elif listing and (item := _ITEM.match(line)):
            if (item["mark"] or "") not in ("x", "X"):
                left[_clean(item["title"])] = line.strip()
        elif line.strip():
            listing = False
            if inline := _LEFT_LINE.match(line.strip()):
                left[_clean(sentences(inline["title"])[0])] = line.strip()
                continue
            for sentence in sentences(line):
                if found := _LEFT.match(sentence.strip()):
                    left[_clean(found["done"] or found["is"])] = sentence.strip()
    titles = [title for title in left if 3 <= len(title) <= MAX_EXTRACTED_TITLE_CHARS and not _OWN.match(title)]
    if len(titles) > _MOST_LEFT:
        return []
    return [
        TaskRecord(
            "",
            {
                "title": f"{title[:1].upper()}{title[1:]}",
                "description": f"Left for later by an agent: “{left[title]}”",
                "labels": [SUGGESTED],
            },
            source=LEFT_BY_AGENT,
        )
        for title in titles
    ]


def tasks_of_checklist(text: str) -> Iterator[TaskRecord]:
    """Yield the tasks of a checklist of at least two boxes, outside of code blocks: open, or done where the box is ticked."""
    boxes = list(_BOX.finditer(_FENCED.sub("", text)))
    for match in boxes if len(boxes) > 1 else ():
        title = _clean(match["title"])
        if 3 <= len(title) <= MAX_EXTRACTED_TITLE_CHARS:
            yield TaskRecord("", {"title": title}, "done" if match["mark"] in "xX" else "pending", source="text")


def blocked(text: str, *, by_person: bool = False) -> Iterator[TaskRecord]:
    """Yield what is blocked and by what (`waits`). An empty title means the current work; what a TODO waits for is told
    with it. What a person says to wait for somebody else is a task of its own, if no known task is meant."""
    lines = [
        line
        for line in _TODO.sub("", _FENCED.sub("", text)).split("\n")
        if len(line) <= _MAX_LINE_CHARS and _CUE.search(line)
    ]
    forms = (_BLOCKED, _BLOCKED_KOREAN, _UNTIL, _WAITING, _WAITING_KOREAN)
    told = (_STUCK, _ONCE_KOREAN) if by_person else ()
    for line in lines:
        spoken = [match for form in told for match in form.finditer(line)]
        for match in spoken or [match for form in forms for match in form.finditer(line)]:
            if record := _blocked_record(match, by_person=by_person):
                yield record


def _blocked_record(match: re.Match[str], *, by_person: bool) -> TaskRecord | None:
    named = match.groupdict()
    title, why = _clean(named["task"] or ""), _clean(_NEEDED.sub("", named["why"]))
    if not why or len(title) > MAX_EXTRACTED_TITLE_CHARS:
        return None
    awaits = by_person and is_for_somebody(title, named["why"].strip())
    if awaits and _WE.match(title) and _ACT.match(named.get("act") or ""):
        act = _clean(named["act"] or "")
        title = f"{act[:1].upper()}{act[1:]}"
    title = "" if _OWN.match(title) else title
    is_new = awaits and 3 <= len(title) <= _MAX_BLOCKED_TITLE_CHARS and not _NO_TITLE.match(title)
    return TaskRecord(
        "", {"title": title}, "", waits=[why], source="text", only_known=True, unknown_title=title if is_new else ""
    )


def waits_for_somebody(text: str) -> bool:
    """Return whether a person says that work waits for somebody else: that is a task, and ends with it."""
    return any(record.unknown_title for record in blocked(text, by_person=True))


def reminds(text: str) -> bool:
    """Return whether a person asks to be reminded of something: that is a task, and no rule."""
    return any(form.search(text) for form in (_REMIND, _REMIND_KOREAN))


def announcements(text: str) -> list[str]:
    """Return the sentences of a person which say that something is there that work waited for: an approval, an answer."""
    lines = (line for line in _FENCED.sub("", text).split("\n") if len(line) <= _MAX_LINE_CHARS and _MET.search(line))
    found = (sentence for line in lines for sentence in sentences(line) if len(sentence) <= _MAX_MET_CHARS)
    return [sentence for sentence in found if _MET.search(sentence) and not _NOT_MET.search(sentence)]


def _clean(words: str) -> str:
    return _MARKS.sub("", words).strip(" \t,:–—-.").strip()
