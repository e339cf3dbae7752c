"""Tells whether work waits for somebody (an approval, the DBA, a design team) or code for code: a lock, a server's reply."""

from __future__ import annotations

import re

from graphmem.patterns import compile_later

# What somebody else has to give: "legal's approval", "until the vendor answers". A lock or a proxy blocks code, not work.
_AWAITED = compile_later(
    r"\b(?:approv\w+|sign(?:s|ed)?[- ]?offs?|confirm\w*|reviews?|reviewed|permission|consent|licen[cs]es?|contracts?"
    r"|credentials?|quotes?"
    r"|answers?|answered|repl(?:y|ies|ied)|decisions?|decides?|feedback|sends?|delivers?|deliver(?:y|ies)|ships?|provides?|grants?|pays?"
    r"|payments?|invoices?|vendor|legal|legal's|customer|client)\b|승인|결재|확인|검토|답변|회신|허가|동의|계약|결정|인증서|심사|피드백|입금|납품",
    re.IGNORECASE,
)
_TEAM = (
    r"(?i:DBAs?|ops|devops|sysadmins?|security|design(?:ers?)?|qa|infra|infosec|hr|finance|accounting|marketing|sales|procurement"
    r"|compliance|management|support|platform|sre|product owner|admins?|auditors?|reviewers?|maintainers?|manager|lead|boss|ceo|cto"
    r"|partner|supplier|bank|translators?|contractors?)(?: (?:team|department|office|folks|people|guys))?"
    r"|(?:[\w-]+ ){0,2}(?:team|department|office)"
)
_SUBJECT = r"(?:'s)?(?= (?:to |ha[sv]|is|are|does|do|can|finally |\w+s\b|gives?|\w+ (?:the|a|an)\b))"
_GIVE = (
    r"sign|approve|answer|reply|respond|confirm|send|review|decide|merge|grant|provide|agree|share|come back|get back"
)
_GIVES = r"signs|approves|answers|replies|responds|confirms|sends|reviews|decides|merges|grants|provides|agrees|shares|gets back"
_GIVEN = r"signed|approved|answered|replied|confirmed|sent|reviewed|decided|agreed"
# Who has to give it: "the DBA", "our design team", "Dana signs off", "디자인팀".
_SOMEBODY = compile_later(
    rf"^(?:the |our |their |my |your )?(?:{_TEAM}){_SUBJECT}"
    rf"|^[A-Z][a-z]{{1,15}}(?: [A-Z][a-z]{{1,15}})?(?: (?:from|of|in) [\w ]{{2,20}})? "
    rf"(?:(?:{_GIVES}|is back|comes back)\b|has(?:n't)? (?:{_GIVEN})\b|to (?:{_GIVE})\b)"
    r"|(?:팀|부서|업체|담당자|거래처|본사|카드사|은행|통신사|고객사|벤더|[가-힣]{2,4} ?(?:님|씨))"
    r"(?:의|이|가|에서|쪽|한테서?|께서)? |시안|견적|서명|번역본",
)
# What programs do is no matter of people, whatever the verb: "the server sends the header".
_PROGRAM = compile_later(
    r"\b(?:servers?|client|workers?|brokers?|threads?|process|prox(?:y|ies)|sockets?|kernel|browser|database|cache|queue|consumer"
    r"|producer|peer|scheduler|api|endpoint|locks?|mutex|transaction|requests?|response|handler|callback|hook|loop|upstream|driver"
    r"|daemon|container|pod|node|replica|leader|compiler|parser|stream|buffer|i/o|timeout|heartbeat|collector|packets?|ack"
    r"|bytes|redis|postgres\w*|mysql|kafka|docker|nginx|kubernetes|jenkins|terraform|webpack|celery|rabbitmq)\b"
    r"|스레드|프로세스|프록시|소켓|서버의? ?응답|락[이을]|큐[가를]|캐시|버퍼|트랜잭션|브라우저|^서버|워커",
    re.IGNORECASE,
)
_OF_PEOPLE = compile_later(
    r"\b(?:team|department|office|client(?:'s)? (?:approv|answer|feedback|sign)\w*)", re.IGNORECASE
)


def is_for_somebody(title: str, why: str) -> bool:
    """Return whether work waits for what a person or a team has to give.

    >>> is_for_somebody("The migration", "the DBA adds the index"), is_for_somebody("The request", "the server sends it")
    (True, False)
    """
    if not _OF_PEOPLE.search(why) and _PROGRAM.search(why):
        return False
    return bool(_AWAITED.search(why) or _SOMEBODY.search(why))
