"""Tells what a person orders or complains about for the work at hand from what holds for good. "I want the cells centred" and
"Do not skip verification" are over with the task; "I want tests for every fix" is not."""

from __future__ import annotations

import re

from graphmem.patterns import compile_later

_I = re.IGNORECASE
_LASTS = compile_later(
    r"\b(?:always|never|every|each|any|all|ever|anymore|any more|no longer|from now on|going forward|in general|generally"
    r"|usually|by default|as a rule|whenever|instead of|rather than|prefer\w*|unless|until|because|otherwise)\b",
    _I,
)
_WANTS = compile_later(r"\b(?:I|we)(?:'d| would)? (?:really |also |just |now |only )?(?:want|need|would like)\b", _I)
_AT_HAND = compile_later(
    r"^(?:so that|if (?:not|so)|failure to do so)\b"
    r"|^(?:no (?:change|difference|effect|luck|output|response|result|error|warning|issue|problem)s?)\b"
    r"|^(?:(?:ok|okay|yes|no|now|so|and|then)[,.]? )?(?:go ahead|continue|proceed|(?:do not|don't) stop until|plan (?:adding|to)"
    r"|i mean|help(?: me)?|(?:i'm |i am )?trying to"
    r"|(?:yes,? )?please (?:fully|provide|make|give|update|fix|add|amend|check|understand|write|implement|continue))\b"
    r"|, help\W*$|\b(?:now|finally) works?\b|\bworks? now\b",
    _I,
)
_FOR_NOW = compile_later(r"\bfor now\b|\bI(?:'m| am) (?:worried|afraid|not sure|wondering|trying)\b", _I)
_COMPLAINS = compile_later(
    r"\b(?:is|are|looks?|gets?) (?:still |also |now |not )?(?:truncated|broken|missing|gone|empty|wrong|working|cut off|hidden"
    r"|invisible|blank|stuck|ugly|messy|misaligned|(?:a little |a bit )?too \w+)\b"
    r"|\bneeds? to (?:be|look|format|fit|work|show|match|move|go|align|scroll|open|close|stay)\b"
    r"|\b(?:is|are) (?:now |still |already )?(?:installed|active|running|started|logged in|incorrect|wrong|correct|missing"
    r"|empty|ready|closed|(?:very|too|so) \w+|done(?! (?:with|by|in|via|using)\b)|ok|back|selected|visible|hidden|gone|connected"
    r"|loaded)\b(?: (?:in|on|as|with|by) [^,;\d]*)?[.!]*$"
    r"|^(?:(?:that|it|this) )?(?:looks?|works?|seems?|feels?) (?:much |a (?:bit|little) |so )?(?:better|good|great|fine|nice|ok)\b"
    r"|\bkeeps? [a-z]+ing\b|\bcannot be found in\b|^from now on (?:I(?:'m| am|'ll)|the user is)\b"
    r"|\bworks?(?: now| fine)?,? but\b.*\b(?:never|not|n't|still)\b"
    r"|(?:^|\s)(?:안|또) (?:열|보|보이|되|돼|눌|나|뜨|떠|먹|느|깨)[가-힣]*[.!]*$",
    _I,
)
# A question that ends without its mark.
_ASKS = compile_later(
    r"^(?:(?:so|and|but|or|also|wait|well)[,]? )*(?:(?:should|is|are|was|were|does|did|can|could|would|will)(?:n't|nt)?"
    r" (?:not )?(?:the|there|it|its|we|i|you|they|he|she|this|that|these|those|my|our|your|a|an|all|any)\b"
    r"|(?:what|why|how|where|who|which) (?:does|do|did|is|are|can|could|would|should|will|if)\b(?! (?:needed|shown)))",
    _I,
)
# The first word of a single piece of work, whatever it is about.
_TASK = compile_later(
    r"^(?:[a-z]+, ?)?(?:(?:ok|okay|yes|no|great|perfect|and|also|but|now|then|so|please|just|pls) ?,? )*"
    r"(?:change|create|write|fix|check|update|remove|delete"
    r"|show|give|find|look|try|implement|adjust|suggest|describe|explain|analy[sz]e|review|provide|generate|convert|refactor"
    r"|compare|draft|summari[sz]e|organi[sz]e|optimi[sz]e|complete|load|split|turn (?:on|off)|separate|scratch|reformat|sort"
    r"|improve|enhance|re-?write|redo|revert|undo|restore|investigate|debug|search|scan|read|add|make(?! sure)|set"
    r"|go|help|tell|list|build|design|pay attention|let'?s (?:create|add|start|begin|build|write|fix|implement|look|see|check"
    r"|remove|update|do|try|make|work|focus|move on|continue|debug|get|discuss|kick"
    r"|pick ?up|resume|proceed|jump|review|test|take a|get back|go (?:ahead|back|on|through|with (?:the|your)\b)))\b"
    r"(?! (?:of|is|are|was|were|has|must)\b|:)",
    _I,
)
_PLEASE = compile_later(
    r"^(?:[a-z]+,? )?(?:please|pls|can you|could you|feel free to) (?!(?:never|always|do not|don't|only|use|prefer|avoid|note"
    r"|remember|be|keep|mind|consider)\b)[a-z]+ ",
    _I,
)
_FOR_GOOD = compile_later(
    r"\b(?:always|never|ever|anymore|any more|no longer|from now on|going forward|in general|by default|as a rule|whenever"
    r"|instead of|rather than|every (?:time|commit|pr|change|release|test|file|endpoint|module|function|new)|each (?:time|new)"
    r"|decid\w+|because)\b",
    _I,
)
_ALWAYS = compile_later(
    r"\b(?:always|never|ever|any ?more|no longer|from now on|going forward|in general|by default|as a rule|whenever"
    r"|every (?:time|commit|pr|change|release|test|file|endpoint|module|function|new)|each (?:time|new)|because"
    r"|instead of (?!other|the other))\b",
    _I,
)
_SEEN = compile_later(
    r"^(?:in|on) the (?:attached )?(?:image|screenshot|picture|video|logs?|terminal|console)\b"
    r"|\bshould(?:n't| not) (?:happen|be happening|have happened)\b|\bmessed up\b"
    r"|\b(?:is|are)(?:n't| not) \w+ing\b.*\b(?:properly|correctly|right)\b",
    _I,
)
_ASKED_KOREAN = compile_later(r"[가-힣] ?(?:줘|줘요|주세요|줄래|달라|다오)[.!]*$")
_FOR_GOOD_KOREAN = compile_later(
    r"항상|언제나|매번|반드시|절대|무조건|앞으로|이제부터|지금부터|마다|모든|기본|대신|말고|우선|금지|않|마세요|지 ?마"
    r"|로 (?:통일|고정|작성|써)"
)
_ORDER = compile_later(r"^(?:do not|don't|only)\b", _I)
_NAMED = compile_later(r"`|[/_\d]|[a-z][A-Z]|\(\)|\w\.\w|.\b[A-Z][a-z]|[가-힣]")
_BRIEF = 300  # characters; a longer prompt with orders is mostly the specification of one task


# "Don't write code": orders whose object is only the work itself.
_WORK_ITSELF = compile_later(
    r"^(?:(?:please|so|and|but|ok|okay|now),? )*(?:do not|don't) (?:write|change|edit|touch|implement|modify|make|generate"
    r"|start|run|do|code|take"
    r"|create|continue|build|fix|add)\b(?: (?:any|the|more|other|further|new|yet|code|coding|anything(?: else)?|changes?|it"
    r"|this|that|actions?|steps?"
    r"|files?|yet|now|for now|implementation|here|until \w+ \w+))*(?:[.!]*$|,? (?:just|only|but)\b)",
    _I,
)
# What a person answers: "Ok the message is now appearing when …".
_FEEDBACK = compile_later(
    r"^(?:ok(?:ay)?|yes|yep|yeah|hmm+|great|nice|cool|perfect|awesome|good|alright|thanks?)\b[,. !]+"
    r"(?!(?:we|the team|from|use|always|never|it(?:'s| is) \S*\d|\S*\d\S*[.!]?$)\b)"
    r"|[:;]-?[/(|\\](?:\s|$)",
    _I,
)


def is_order_at_hand(raw: str) -> bool:
    """Return whether what a person says only starts, ends or reports a piece of work."""
    return _AT_HAND.search(raw) is not None or _ASKS.search(raw) is not None


def is_task(raw: str) -> bool:
    """Return whether a person orders a piece of work."""
    return _TASK.match(raw) is not None


def is_for_now(content: str, raw: str, kind: str, text: str) -> bool:
    """Return whether what a person says concerns only the work at hand. `raw` is what was said in `text`, `content` the same in
    words that stand alone."""
    if is_order_at_hand(raw) or (kind in ("property", "failure") and _COMPLAINS.search(content)):
        return True
    if (kind != "decision" and _FOR_NOW.search(raw)) or (kind not in ("decision", "preference") and _SEEN.search(raw)):
        return True
    if _WORK_ITSELF.match(raw) or (kind in ("property", "failure") and _FEEDBACK.search(raw)):
        return True
    if (
        (_PLEASE.match(raw) and not _ALWAYS.search(raw))
        or (is_task(raw) and not _FOR_GOOD.search(raw))
        or (_ASKED_KOREAN.search(content) and not _FOR_GOOD_KOREAN.search(content))
    ):
        return True
    if _LASTS.search(raw):
        return False
    if kind == "preference" and _WANTS.search(raw):
        return True
    return len(text) > _BRIEF and _ORDER.match(content) is not None and not _NAMED.search(content)
