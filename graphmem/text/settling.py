"""Measures how conclusive a text is: whether it states a decision, rule, cause, correction or exact value, or only asks,
guesses and proposes. Patterns in English and Korean, sentence by sentence; no model."""

from __future__ import annotations

import re

from graphmem.text.questions import is_request_for_answer

MAX_SCORE = 100
_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?。！？]+(?=\s|$)|\n|$|[.!?。！？]+)")
_MIN_SENTENCE_CHARS = 6  # characters of a sentence
_MAX_CHARS = 8_000  # characters that are read

# Each with what it is worth, of 100. They are matched with lower-case text: ignoring case takes `re` twice as long.
_SETTLES = tuple(
    (re.compile(pattern), worth)
    for pattern, worth in (
        (
            r"\b(?:(?:we|i|they|team|everyone)(?:'ve| have|'re| are|'ll| will| all)?(?: now| finally| just| also)? "
            r"(?:decid(?:ed|e)|agreed?|chos(?:e|en)|settled|concluded|standardi[sz]ed|go(?:ing)? with|went with"
            r"|stick(?:ing)? with"
            r"|picked|opted|switched|migrated|moved|dropped|rejected|ruled out|signed off)"
            r"|decision\b|decided (?:to|on|that|against)|agreed (?:to|on|that)|let's (?:go with|use|keep|stick|do|drop"
            r"|make it)"
            r"|final(?:ly|ised|ized)?\b[^.]{0,30}\b(?:answer|call|version|rule|plan|choice|is|use)|(?:is|are"
            r"|was) (?:final|settled|approved|agreed|decided)"
            r"|verdict|consensus|conclusion|conclu(?:de|ded|sion)|from now on|going forward|effective (?:immediately"
            r"|from)|merged as)"
            r"|하기로 (?:했|하|결정|합의|정)|기로 (?:했|하|결정|합의|정)|결정(?:했|됐|되었|은|이|입|:)|합의(?:했|됐"
            r"|된)|확정|결론|앞으로는|(?:로|으로) (?:갑시다|가자|가죠|갑니다|정했|통일)"
            r"|채택|승인(?:했|됐|함)",
            45,
        ),
        (
            r"\b(?:must(?:n't| not)?|never|always|only (?:if|when|after|for|the)|at (?:most|least)|no more than"
            r"|not allowed|forbidden"
            r"|required?|mandatory|do not|don't ever|has to|have to|needs? to be|is to be|shall|no longer|any ?more)\b"
            r"|반드시|절대|항상|언제나|꼭 |금지|해야 (?:한|합|됩|돼)|안 됩|안 된|하지 (?:않|말|마)|더 이상|만 (?:허용"
            r"|사용|씁)",
            22,
        ),
        (
            r"\b(?:because|since (?:it|the|we|that)|due to|caused by|root cause|reason (?:is|was|for)|turn(?:s|ed) out"
            r"|the (?:cause|culprit|problem|issue|bug) (?:is|was)"
            r"|that's why|which is why|so that|therefore|otherwise|in order to|the fix (?:is|was)|fixed (?:by|in|with)"
            r"|solved by|resolved by|works? now)\b"
            r"|때문|원인은|이유는|그래서|덕분|해결(?:했|됐|책은|되)|고쳤|알고 보니",
            22,
        ),
        (
            r"\b(?:instead of|rather than|in favou?r of|not .{2,40}, but|correction|actually,? (?:it|the|we|no)"
            r"|no[,:] (?:it|the|we|that)|replac(?:ed|es|ing)"
            r"|changed? (?:it )?(?:from|to)|revert(?:ed)?|overrul|supersed|scrap (?:that|it)|on second thought"
            r"|i was wrong|we were wrong)\b"
            r"|대신|정정|아니라|바꿨|바꾸(?:기|었)|변경(?:했|됐|되)|되돌렸|철회|취소(?:했|됐)",
            18,
        ),
        (
            r"`[^`\n]+`|\b\d+(?:[.,:]\d+)*\s?(?:%|ms|s|sec|seconds?|min(?:utes?)?|hours?|days?|weeks?|months?|mb|gb|kb"
            r"|px|users?)?\b",
            10,
        ),
    )
)
_OPEN = re.compile(
    r"[?？]\W*$|\b(?:maybe|perhaps|might|could we|can we|should we|shall we|what if|how about|what about"
    r"|not sure|i wonder|wondering|i guess"
    r"|propos(?:e|al|ing)|suggest(?:ion|ed|ing)?|one option|options? (?:are|is|would)|alternatively|we could"
    r"|you could|i could|would like to|i'm trying"
    r"|trying to|help me|please|let me know|tbd|undecided|open question|unclear)\b"
    r"|까요|어떨까|을까|ㄹ까|아마|혹시|것 같|듯(?:하|해|합)|제안|고민|모르겠|궁금|해 ?주세요|알려 ?주",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"\s*(?:yes|yep|yeah|agreed?|ok(?:ay)?|sounds good|works for me|\+1|lgtm|done|deal|exactly|right|correct"
    r"|perfect|great|makes sense|go ahead|approved"
    r"|fine by me|ship it)\b(?!.*\?)|\s*(?:네|예|응|좋아|좋습니다|좋네|동의|그래|그럽시다|그렇게 (?:하|합)"
    r"|맞아|맞습니다|확인|오케이|ㅇㅋ|찬성)",
    re.IGNORECASE,
)


def score_conclusiveness(text: str) -> int:
    """Return how conclusive `text` is, from 0 (it asks or guesses) to 100 (it states a decision with its reason)."""
    lower = text[:_MAX_CHARS].lower()
    possible = [(pattern, points) for pattern, points in _SETTLES if pattern.search(lower)]
    if not possible:  # as in most symbols and commits
        return 0
    best = rest = 0
    for match in _SENTENCE.finditer(lower):
        sentence = match[0]
        if len(sentence) < _MIN_SENTENCE_CHARS:
            continue
        worth = sum(points for pattern, points in possible if pattern.search(sentence))
        if worth and (_OPEN.search(sentence) or is_request_for_answer(sentence)):
            worth //= 4
        rest += min(best, worth)
        best = max(best, worth)
    return min(MAX_SCORE, best + rest // 8)


def starts_by_agreeing(text: str) -> bool:
    """Return whether a turn starts by agreeing with its predecessor."""
    return bool(_AGREES.match(text[:200]))
