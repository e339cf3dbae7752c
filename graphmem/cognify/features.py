"""What a linear model sees of a statement that may become a fact: small whole numbers, mostly whether a pattern occurs. They
are cheap, need no tagger, and are the same on every machine. The weights are in `classifier`."""

from __future__ import annotations

import re
from typing import NamedTuple

from graphmem.cognify import cues
from graphmem.patterns import compile_later

_I = re.IGNORECASE
_TICKED = compile_later(r"`[^`]*`")
_IDENTIFIER = compile_later(
    r"`[^`]+`|\b\w+(?:_\w+)+\b|\b[a-z]+[A-Z]\w*|\w+\(\)|(?<!\w)[\w-]*/[\w./-]+|\b\w+\.[a-z]\w+\b"
)
_KINDS = ("decision", "preference", "rule", "fix", "cause", "failure", "change", "property")
_LENGTHS = (50, 80, 120, 180)  # characters
_TURN_LENGTHS = (120, 250, 600, 1_500, 4_000)  # characters
_MOST_COUNTED = 3

# In the statement, with its pieces of code blanked: what it says.
_SAYS = {
    "reason": (
        r"\b(?:because|due to|since|caused by|so that|to avoid|to prevent|otherwise|which (?:is why|means"
        r"|makes))\b|때문|위해|않도록"
    ),
    "binding": r"\b(?:must|never|always|only|cannot|can't|do not|don't|required?|has to|have to)\b|반드시|절대|항상|금지|해야",
    "now": (
        r"\b(?:now|currently|already|still|just|today|yet|again|anymore|right now|at the moment|previous(?:ly)?"
        r"|latest|remaining)\b|이제|현재|아직|지금"
    ),
    "modal": (
        r"\b(?:should|could|would|might|may|will|'ll|going to|need(?:s|ed)? to|let's|let me|want(?:s|ed)?)\b|겠습니다"
    ),
    "agent": r"\b(?:the agent|the agent's|에이전트)\b",
    "team": r"\bthe team\b|팀",
    "user": r"\bthe user(?:'s|’s)?\b|사용자",
    "test": r"\btests?\b|\bspecs?\b|테스트",
    "line": r"\blines? \d|:\d+\b|\bL\d+\b",
    "done": (
        r"\b(?:fixed|added|removed|updated|created|changed|moved|renamed|implemented|committed|pushed|merged"
        r"|documented|completed|refactored|improved|successfully|verified|done|complete)\b|완료|추가|수정|했습니다"
    ),
    "trouble": (
        r"\b(?:error|fail\w*|bug|broken|crash\w*|issue|problem|wrong|missing|invalid|exception|timeout|hang\w*)\b"
        r"|오류|에러|실패|문제"
    ),
    "default": r"\b(?:defaults? to|by default|default)\b|기본",
    "negative": r"\b(?:not|n't|no|without|instead of|rather than|unless|except)\b|않|없",
    "quantity": r"\b(?:all|every|each|any|both|most|several|some|many|few)\b",
    "uses": (
        r"\b(?:uses?|requires?|expects?|supports?|returns?|stores?|runs? (?:on|in|at)|lives? in|lists?|depends? on"
        r"|needs?)\b|사용|필요"
    ),
    "decided": (
        r"\b(?:decid\w+|agreed|chose|settled|prefer\w*|going with|went with|use [`\w@/-]+ (?:instead|for)"
        r"|approved)\b|결정|기로"
    ),
    "work": r"\b(?:task|phase|step|option|approach|stage|story|epic|pr|ticket|section|plan)\b",
    "pointing": r"\b(?:this|that|these|those|here|above|below|following)\b",
    "common subject": (
        r"^the (?:error|issue|problem|fix|tests?|code|file|function|component|script|docs?|changes?|output|user"
        r"|agent|team|app|page|button|filter|query|result|root|key|main)\b"
    ),
    "praise": (
        r"\b(?:clear|clean|great|good|perfect|excellent|comprehensive|robust|solid|nice|better|best|proper(?:ly)?"
        r"|correct(?:ly)?|ready|easy|simple|simpler|consistent|modern)\b"
    ),
    "uncertain": (
        r"\b(?:if|when|whether|probably|likely|maybe|perhaps|possibly|almost certainly|seems?|appears?|looks? like"
        r"|potential|can sometimes)\b|면 |수 있"
    ),
    "request": r"\b(?:your?|you're|please)\b|세요|해줘",
    "platform": (
        r"\b(?:windows|linux|macos|mac|docker|postgres\w*|sqlite|mysql|redis|node(?:\.js)?|python|bash|git|github"
        r"|npm|yarn|bun|chrome|safari|webkit|aws|vercel|supabase|ci|kubernetes|nginx|react|next\.js|typescript"
        r"|claude|cursor)\b"
    ),
}
# In the statement as it is.
_HOLDS = {
    "demand": (
        r"\b(?:must(?: not|n't)?|may (?:only|not)|only [\w `-]{2,40} (?:may|can)|(?:has|have) to|is to be|(?:is"
        r"|are) (?:required|mandatory|forbidden|not allowed)|do not|don't|shall)\b|^(?:never|always|only)\b|반드시|절대"
        r"|금지|해야|항상|언제나|말 ?것|마세요|안 ?됩|안 ?된"
    ),
    "state now": (
        r"\b(?:currently|already|right now|at present|anymore|pre-existing|as of now|still|locally|reproduc\w+"
        r"|missing tests?|option [A-Z\d]|phase \d|step \d)\b|\.\w{1,5}:\d+|\b(?:is|are) (?:now )?failing\b"
        r"|\b(?:the|our|this) (?:diff|report|review|plan|suggestion|idea|verdict|proposal)\b"
    ),
    "speaker first": r"^(?:the )?(?:team|user|agent|we|I)\b",
    "settled": (
        r"\b(?:decid(?:ed|es)|agreed|chose|opted (?:for|to)|settled|picked|standardi[sz]ed|went with|ended up"
        r"|(?:going|sticking) with)\b|기로 |결정|합의|선택|확정"
    ),
    "checks": (
        r"\b(?:verif(?:y|ies)|validates?|asserts?|checks?|ensures?|confirms?|covers?) (?:that |the |it |[`\w]+)"
    ),
    "went wrong": (
        r"\b(?:fail\w*|crash\w*|error\w*|exception|bro?ke\w*|break\w*|race|leak\w*|hang\w*|slow\w*|lost|stale"
        r"|flaky|corrupt\w*|conflict\w*|reject\w*|denied|ignor\w+|cannot|can't|didn't|did not|doesn't|does not"
        r"|don't|won't|isn't|wasn't|never|not|no longer|lacks?|unsupported|mismatch\w*|root cause)\b|실패|오류|에러|때문"
        r"|누락"
    ),
    "doing": r"\b(?:is|are|was|were|'s)(?: now| currently| still| not)? \w+ing\b",
    "bad state": (
        r"\b(?:is|are) (?:empty|missing|broken|incorrect|undefined|null|outdated|duplicated?|not (?:set|found"
        r"|defined|installed|configured|covered))\b"
    ),
    "past": r"\b(?:was|were|had|did|didn't|wasn't)\b",
    "changed now": r"\bnow \w+s\b|\b(?:will|'ll) now\b|\bno longer\b",
    "document": r"\b(?:the )?(?:docs?|documentation|readme|spec|story|log|output|error message|report)\b",
    "only when": r"\bonly (?:when|if|for|in|on|from|via|by|the)\b|\bunless\b",
    "contrast": r"(?:,| [—–-]|;) not\b|\bnot (?:just|only)\b|\binstead of\b|\brather than\b",
    "condition first": r"^(?:if|when|for|in|on|before|after|under|with)\b[^,]{3,60},",
    "so": r"\bso (?:the|a|an|any|it|that|no|each|every|\w+ing)\b|, so\b|\bwhich means\b",
    "value": r"`?\w+`? ?(?:=|:|is|at|to) ?`?\d",
    "address": r"\bports?\b|localhost|https?://",
    "setting": r"\b(?-i:[A-Z]{2,}(?:_[A-Z0-9]+)+)\b",
    "version": r"\bv?\d+\.\d+(?:\.\d+)?\b",
    "both": r"\bboth\b",
    "in general": r"\b(?:always|never|must|any|every)\b",
    "exists": r"\b(?:exists?|there (?:is|are|'s))\b",
    "stored": (
        r"\b(?:stored?|lives?|located|kept|saved|written|defined|configured|handled|sourced|deployed|hosted"
        r"|published)\b"
    ),
    "step first": (
        r"^(?:add|adding|added|use[sd]?|using|create[sd]?|creating|implement\w*|test\w*|fix\w*|update\w*|remove\w*"
        r"|ensure\w*|support\w*|handle\w*|include\w*|provide\w*|review|run\w*|check\w*|set|setup|make|apply|modify"
        r"|extract|treats?|shows?|maintains?|describes?|explains?|emphasi[sz]es?|establish\w*|replac\w*|increas\w*"
        r"|simplif\w*|enhanc\w*|verif\w*|resolv\w*|document\w*)\b"
    ),
    "label": r"^(?-i:[A-Z])[\w &/+-]{2,40}: ",
    "dash label": r"^(?-i:[A-Z])[\w &/()+-]{2,40} [-–—] ",
    "printed": r"\b(?:Uncaught|TypeError|ReferenceError|Traceback|Exception)\b|^at \w",
    "team decided": r"^the team decided to\b",
    "decided on work": (
        r"^the team decided to (?:get started|start|talk|continue|discuss|review|proceed|take|look|move|consider"
        r"|do|try|make sure|see|check|think|work|focus|create|update|complete|finish|go|switch gears|debug"
        r"|investigate|write|put|hold|keep (?:going|debugging)|add|remove|fix|implement|restore|figure)\b"
    ),
    "agent acts": r"^the agent(?:'s|’s)? \w+",
    "user acted": r"^the user(?:'s)? (?:\w+ed|has|have|had|does|is|was|needs?|wants?)\b",
    "team acted": r"^the team(?:'s)? (?:has|had|is|was|does|did|needs?|can|could|set|used?|\w+ed)\b",
    "theirs": r"\bthe (?:team|user|agent)['’]s\b",
    "later": r"\b(?:todo|next|later|future|remaining|pending|phase \d|step \d|task \d)\b",
    "own path": r"/(?:Users|home)/|[A-Z]:\\",
    "hash": r"\b[0-9a-f]{7,40}\b",
    "counted": r"\b\d+ (?:tests?|files?|lines?|words|of|out|total|failed|passed|sessions?)\b",
    "percent": r"\d%",
    "usually": r"\b(?:typically|usually|often|sometimes|generally|commonly)\b",
    "caution": r"\b(?:trap|gotcha|catch|caveat|careful|note|constraint|limitation|important|critical)\b",
    "code first": r"^(?:`[^`]+`|[\w.]+\(\)|the `[^`]+` \w+) ",
    "named thing does": (
        r"^(?:the )?(?:(?-i:[A-Z])[\w.+-]*|[a-z]+(?:\.js|\.io))(?: (?-i:[A-Z])\w*)* (?:is|has|does|uses|requires"
        r"|expects|supports|doesn|only|can|cannot|prefers|runs|stores|takes)\b"
    ),
    "korean": r"[가-힣]",
    "piece of code": r"`",
    "number": r"\d",
    "measure": r"\d ?(?:%|ms|s|sec|min\w*|h|days?|hours?|weeks?|[kmg]i?b)\b",
    "identifier first": rf"^(?:the |an? )?(?:{_IDENTIFIER.pattern})",
    "mark first": r"^(?:\[[ x~-]?\]|[✅✗❌⏳✨🚀])",
    "full stop": r"[.!]$",
    "exclamation": r"!$",
    "question": r"\?\s*$",
    "colon": r": ",
    "dash": r" [—–-] ",
    "bracket": r"\(",
    "quote": r'"',
    "semicolon": r";",
    "small first": r"^(?-i:[a-z])",
}
# In the sentence as it was said, with its layout.
_LAID_OUT = {
    "list item": r"^\s*(?:[-*+•]|\d{1,3}[.)])\s",
    "checkbox": r"^\s*(?:[-*+•]\s)?\s*\[[ x~-]\]",
    "bold": r"\*\*",
    "heading": r"^\s*#",
}
_SAYS_PATTERNS = tuple((f"says {name}", compile_later(pattern, _I)) for name, pattern in _SAYS.items())
_HOLDS_PATTERNS = tuple((f"has {name}", compile_later(pattern, _I)) for name, pattern in _HOLDS.items())
_LAYOUT_PATTERNS = tuple((f"was {name}", compile_later(pattern, _I)) for name, pattern in _LAID_OUT.items())


class Read(NamedTuple):
    """A statement that stands alone, and where it was said: `text[start:end]`. `speaker` is "user" or "agent"."""

    content: str
    kind: str
    speaker: str
    text: str
    start: int
    end: int


def features_of(read: Read) -> dict[str, int]:
    """Return the features of a statement that are not 0."""
    content, raw = read.content, read.text[read.start : read.end]
    prose, words = _TICKED.sub("X", content), content.split()
    before = read.text[max(0, read.start - 40) : read.start].rstrip()
    found = {name for name, pattern in _SAYS_PATTERNS if pattern.search(prose)}
    found |= {name for name, pattern in _HOLDS_PATTERNS if pattern.search(content)}
    found |= {name for name, pattern in _LAYOUT_PATTERNS if pattern.search(raw)}
    found |= {f"longer than {limit}" for limit in _LENGTHS if len(content) > limit}
    found |= {f"turn longer than {limit}" for limit in _TURN_LENGTHS if len(read.text) > limit}
    told = {
        f"kind {read.kind if read.kind in _KINDS else 'property'}": True,
        "by user": read.speaker == "user",
        "few words": len(words) < 7,
        "many words": len(words) > 24,
        "first of turn": read.start < 3,
        "after colon": before.endswith(":"),
        "after code": before.endswith("```"),
        "dangling": cues.DANGLING_REFERENCE.search(content) is not None,
        "chatter": cues.CHATTER.search(content) is not None,
    }
    counted = {
        "identifiers": min(_MOST_COUNTED, len(_IDENTIFIER.findall(content))),
        "commas": min(_MOST_COUNTED, content.count(",")),
        "fifths of turn before": 5 * read.start // max(1, len(read.text)),
        "tenths of words with capital": 10 * sum(word[:1].isupper() for word in words) // max(1, len(words)),
    }
    binary = found | {name for name, holds in told.items() if holds}
    return dict.fromkeys(sorted(binary), 1) | {name: count for name, count in counted.items() if count}
