"""Decides whether a statement is worth keeping: what will still be true and useful to somebody who was not there. Moods,
praise, what somebody is doing right now, guesses at what would happen, and scraps of lists and of program output are not.
Applies to what is merely described or reported; what a person decides, orders or prefers is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from graphmem.cognify import cues
from graphmem.cognify.claims import CORRECTION, SAYS, claim_of
from graphmem.cognify.statements import Statement
from graphmem.patterns import compile_later
from graphmem.tasks.extract.prose import reminds, waits_for_somebody
from graphmem.text.revising import REPLACES

_I = re.IGNORECASE
_BINDING = frozenset({"decision", "preference", "rule"})
_DESCRIBING = frozenset({"property", "failure", "cause"})
_PRAISABLE = frozenset({"property", "decision", "fix", "failure"})
# Words to a person before what is said: "Hey Ben, …", "Wow, …", "Thanks for …".
_GREETING = compile_later(
    r"^(?:hey|hi|hello|hiya|wow|whoa|oh|ah|aw+|ooh?|ugh|haha|lol|omg|gosh|thanks|thank|congrats|congratulations"
    r"|sorry|glad"
    r"|happy|yay|woohoo|cheers|welcome|sounds|looking forward|can't wait|speaking of|hmm+|yeah|yep|no worries|exactly"
    r"|absolutely|totally|definitely|agreed|of course|그래|아하|와우|안녕|고마|감사)(?!\w|/|\.\w)",
    _I,
)
# The speaker's own activity or state of mind: "I was just looking at …", "I noticed", "My first thought was".
_NARRATED = compile_later(
    r"^(?:[^,]{0,60}, )?(?:and |but |so )?(?:I(?:'m|'ve|'d|'ll)?|my|mine|me)\b"
    r"|\b(?:I|we)(?: was| were|'m| am|'re| are|'ve been| have been| had been)(?: just| still| now| also"
    r"| only)? \w+ing\b"
    r"|\b(?:in my (?:view|opinion|experience)|I (?:recall|remember|noticed|feel|love|hope|wish|bet|doubt|swear))\b",
    _I,
)
# What a person says of himself that lasts: a role, or what he works with.
_LASTING = compile_later(
    r"^I(?:'m| am)? (?:(?:always|usually|mainly|mostly|also) )?(?:own|maintain|review|lead|manage|use|work|live"
    r"|deploy|run|commit"
    r"|responsible|in charge|on call|based|allergic)\b"
    r"|^my (?:name|role|job|team|machine|laptop|editor|timezone|time zone|working hours|setup|branch|e-?mail|handle|shell)\b",
    _I,
)
_DONE = compile_later(
    r"^I(?:'ve| have)? (?:just |now |also )?(?:fixed|resolved|added|removed|renamed|moved|replaced|migrated|rewrote"
    r"|implemented"
    r"|introduced|updated|upgraded|decided|chose|picked|opted|went with|settled|switched|reverted|disabled|enabled"
    r"|merged"
    r"|released|deployed|pinned|extracted|dropped|deprecated)\b",
    _I,
)
# Feelings of a person, whatever the verb: an event of a life is none.
_PERCEIVED = compile_later(
    r"^(?:[^,]{0,60}, )?I(?:'ve|'d| just| also| only| still| have| had)* (?:saw|see|seen|noticed?|remember|recall"
    r"|looked|look"
    r"|heard|hear|love|loved|wonder\w*|tried|thought|think|guess|read|reviewed|did not|didn't|don't)\b",
    _I,
)
_MOOD = compile_later(
    r"\bI(?:'m| am| was| feel| felt|'ve been| have been| keep| kept)(?: \w+ly| so| really| just| such| also| still"
    r"| pretty| a bit)* "
    r"(?!(?:in|on|at|from|using|working|responsible|allergic|based)\b)\w+",
    _I,
)
_FLATTERY = compile_later(r"\b(?:likes?|loves?) (?:how|the way|that|it|this|your|the idea|what) ?\b", _I)
_OWN = compile_later(r"^(?:[^,]{0,60}, )?(?:I|my)\b", _I)  # an agent of itself
_DEGREE = (
    r"(?:(?:so|very|really|pretty|quite|truly|extremely|super|too|such|an?|the|much|more|most|definitely|actually"
    r"|just|also"
    r"|always|perfectly|absolutely|exactly|even|far|highly|rather|somewhat|especially|particularly|incredibly|generally"
    r"|indeed|now|already|often|usually|not|one of the|clearly|simply|still|\w+ally) )*"
)
_PRAISED = (
    r"(?:good|great|nice|fine|solid|cleaner|better|best|worse|worst|awesome|amazing|wonderful|beautiful|fantastic"
    r"|special"
    r"|important|crucial|valuable|useful|helpful|interesting|impressive|striking|tricky|confusing|awkward|annoying|ugly"
    r"|overkill|elegant|neat|cool|fun|exciting|powerful|flexible|legitimate|natural|reasonable|sensible|worth\w*"
    r"|instrumental|fascinating|nuanced|honest|successful|smart|clever|sweet|perfect|perfectly|excellent|proud"
    r"|lovely|hard"
    r"|easier|easy|straightforward|dramatic|handy|intuitive|crazy|weird|odd|strange|redundant|(?:big|huge"
    r"|nice) (?:win|deal"
    r"|one|help)|mistake|surprise|shame|joy|(?:good|great|better) idea|mess|pain|(?:key|whole|main) (?:insight"
    r"|thing|idea"
    r"|point|goal|question)|qualitative|comprehensive|systematic|purely cosmetic|aligned)(?![-\w])"
)
_PRAISE = compile_later(
    rf"\b(?:is|are|was|were|be|been|'s|'re|feels?|felt|sounds?|remains?|becomes?|became|gets?"
    rf"|makes? \w+) {_DEGREE}{_PRAISED}"
    r"|\b(?:has|have|is|offers?) (?:now )?(?:a |an )?(?:much )?(?:cleaner|better|nicer|simpler|clearer)\b"
    r"|\b(?:makes?|made) (?:\w+ )?(?:sense|(?:a |all the )?(?:\w+ )?difference)\b"
    r"|\b(?:works?|goes|went|reads?|fits?|plays?) (?:well|great|fine|nicely|smoothly|beautifully|nice|out|perfectly"
    r"|across)\b"
    r"|\b(?:aligns?|fits?) (?:perfectly|well|nicely)\b|^(?:the )?(?:key |important |main |whole |nice |cool |funny )"
    r"(?:insight|thing|takeaway|lesson|point|idea|value|benefit|part)\b",
    _I,
)
# True for minutes: the state of the work, not of the thing.
_PASSING = compile_later(
    r"\bstill (?:fail\w*|broken|running|compiling|building|red|wrong)\b|\b(?:fails?|failing|broken|red) (?:again|now)\b"
    r"|\b(?:is|are|was|were) (?:still |currently |now )?(?:un(?:tracked|committed|staged|pushed)|(?:properly"
    r"|correctly|successfully) \w+ing)\b"
    r"|\b(?:aren't|isn't|not)(?: yet)?(?: been)? (?:committed|pushed|merged)\b"
    r"|\b(?:has|have) (?:now |just )?been (?:successfully )?(?:merged|pushed|committed|created|updated|saved)\b"
    r"|\b(?:in progress|at the moment|for now|right now|so far|this (?:morning|afternoon|session)|next step)\b"
    r"|\b(?:keeps?|kept) failing\b|^(?:지금|방금|아직) "
    r"|^(?:(?![은는이가] ).)*[을를] [가-힣]+고 있(?:습니다|어요|다)[.]?$",
    _I,
)
_TESTED = compile_later(
    r"\b(?:all|these|the|my|our|\d+)(?: \w+){0,2} (?:tests?|checks?|specs?)(?: (?:now|all|are|were))* "
    r"(?:pass(?:es|ed|ing)?|fail(?:s|ed|ing)?|green)\b(?! (?:when|if|unless|because|without|under|on|as|since))",
    _I,
)
_PROPOSED = compile_later(
    r"^(?:the |a |an )?(?:best|proper|right|cleanest|simplest|easiest|natural|obvious|real|better|clean|quick|main"
    r"|other|ideal"
    r"|objective|goal|cleanest|only)(?: \w+)? (?:fix|approach|solution|way|option|thing|bet|move|step"
    r"|choice)?\b[^,]{0,24}"
    r"\b(?:is|would be|:)|\bwe (?:just |only |still |also |simply )*(?:need|have|want)s? to\b"
    r"|\b(?:the )?(?:goal|objective|idea) (?:now )?is\b",
    _I,
)
# What a program printed, or code: never said.
_PRINTED = compile_later(
    r"^(?:E|>|\+|-|\$|#|%|\|)\s{2,}\S|^(?:E\s+)?(?:assert|raise|return|import|def|class|await|export|const|let"
    r"|var)\s+[\w(]"
    r"|^(?:[A-Z]\w*(?:Error|Exception|Warning)|Traceback|error\[|FAILED|PASSED)\b|\b(?:hook id|exit code): "
    r"|^[1-5]\d\d (?:[A-Z][a-z]+ ?)+$|^\[(?:[\w.:/+ -]{2,40})\] \S|^#(?=\w)|^:\w+: "
    r"|^(?:SELECT|INSERT|UPDATE|DELETE|GRANT|CREATE|ALTER|DROP) [A-Z]{2,}\b"
)
_SIGN = compile_later(r"^\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?[❌✗✘🚫👎]")
# A part of a list: a verb without its subject, an order among the steps of a plan, a thing without a verb.
_STEP = compile_later(
    r"^(?:always|never|do not|don't|make sure|ensure|avoid|only(?! [\w `-]{2,40} (?:may|can|must|should|is|are)\b)"
    r"|focus|keep|use|run|see|please|try|consider|check|update)\b",
    _I,
)
_CONDITION = compile_later(
    r"^(?:after|before|when|whenever|if|because|since|while|once|until|although|though|as)\b", _I
)
_OPTION = compile_later(
    r"^(?:pros?|cons?|risks?|benefits?|drawbacks?|trade-?offs?|impact|advantages?|what it does|장점|단점"
    r"|(?:task|step|phase|stage|day|part|option|approach|batch) ?#?(?:\d+\w?|[A-D]))(?!\w)",
    _I,
)
_POINTS = compile_later(r"(?:it|they|this|these|those|that|he|she|there)(?:'s)?\b", _I)
_BRACKETED = compile_later(r"\([^()]*\)")
_LABEL = compile_later(
    r"^(?![^:]*\b(?:is|are|was|were|has|have|must|may|can|should|will)\b)(?:[^\s`][^`:.!?,;]{1,50}|`[^`]+`[^:.!?,;]{0,30}): +(?=\S)"
)
_TICKED = compile_later(r"`[^`]*`")
_LAYOUT = compile_later(r"^\s*(?:[-*+•]\s|\d{1,3}[.)]\s|#{1,6}\s|\*\*|>\s|\||```)", re.M)
_THOUGHT = compile_later(r"<(?P<name>think(?:ing)?[\w-]*)>.*?(?:</(?P=name)>|\Z)", re.DOTALL)
_PASTED_LENGTH, _PASTED_LINES = 1_500, 6  # a prompt this long with this many lines of layout holds a pasted document
_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_NOMINAL = frozenset({"NN", "NNS", "NNP", "NNPS", "PRP", "CD", "DT", "FW", "EX", "WP", "ADD", "XX", "VBG"})
_CLAUSE_MARKS = frozenset({",", ":", ";", "—", "–", "-"})
_ENDS = frozenset({"NN", "NNS", "NNP", "NNPS", "VB"})  # of a noun phrase; the tagger takes some nouns for verbs
_PLURALS = frozenset({"are", "have", "do", "'re", "'ve", "am", "'m"})
_WHAT_IF = frozenset({"would", "could", "might", "'d"})


class Tag(NamedTuple):
    """A word and its part of speech (Penn Treebank)."""

    word: str
    tag: str


def is_worth_keeping(statement: Statement, raw: str, *, person: bool) -> bool:
    """Return whether a statement, as it was said, may be kept. `raw` is its text with layout; `person`: no agent said it."""
    if person and reminds(statement.content):
        return False
    if statement.is_labelled or statement.revises not in ("", REPLACES):
        return True
    content, kind = statement.content, statement.kind
    claim = claim_of(content)
    if _PRINTED.match(raw) or _PRINTED.match(content) or _SIGN.match(raw) or _OPTION.match(content):
        return False
    if claim is not None and claim.predicate == CORRECTION:
        return person
    if content.count('"') % 2 or _is_heading(content) or _GREETING.match(content) or _TESTED.search(content):
        return False
    if person and waits_for_somebody(content):
        return False
    if kind in _PRAISABLE and _PRAISE.search(content):
        return False
    if kind in _BINDING and person:
        return not (kind == "preference" and (_MOOD.match(content) or _FLATTERY.search(content)))
    if claim is not None and claim.predicate != SAYS:
        if person:
            return not (_MOOD.search(content) or _PERCEIVED.match(content))
        return _DONE.match(content) is not None or _OWN.match(content) is None
    if _PASSING.search(content) or (kind != "fix" and _PROPOSED.search(content)):
        return False
    if _NARRATED.search(content) and not (_DONE.match(content) or (person and _LASTING.match(content))):
        return False
    if person and kind in _DESCRIBING and raw.rstrip().endswith("!"):
        return False
    return person or not (kind in _BINDING and _STEP.match(content))


def _is_heading(content: str) -> bool:
    """Return whether the words are written as in a title: "Why the Cache Is Empty"."""
    words = [word for word in re.findall(r"[A-Za-z][\w'-]*", _TICKED.sub("", content)) if len(word) > 3]
    return len(words) > 2 and all(word[0].isupper() for word in words) and len(content) < 80


def is_sentence(content: str, tags: Sequence[Tag]) -> bool:
    """Return whether a statement is a full sentence: its main clause has a subject before its finite verb and is not
    hypothetical. `tags` are those of `taggable(content)`. Korean statements, and those without tags (no tagger
    installed), pass."""
    if not tags or cues.HANGUL.search(content):
        return True
    first = _main_verb(tags, _main_clause(tags) if _CONDITION.match(content) else 0)
    if first is None or _POINTS.match(content) or not any(tag.tag in _NOMINAL for tag in tags[:first]):
        return False
    after = tags[first + 1].word.lower() if len(tags) > first + 1 else ""
    return tags[first].word.lower() not in _WHAT_IF or after in ("n't", "not")


def points_outside(tags: Sequence[Tag]) -> bool:
    """Return whether "that" points at something which the sentence does not name: "that toast", "and that must stay"."""
    return any(tag.tag == "DT" and tag.word.lower() == "that" for tag in tags)


def _main_clause(tags: Sequence[Tag]) -> int:
    """Return where the main clause begins behind "When …, " or "Before every build the …"; the end if there is none."""
    for place, tag in enumerate(tags):
        if tag.word in _CLAUSE_MARKS:
            return place + 1
        if tag.tag == "DT" and place > 1 and tags[place - 1].tag in _ENDS:
            return place
    return len(tags)


def _main_verb(tags: Sequence[Tag], start: int) -> int | None:
    """Return the place of the first finite verb that no relative word before it takes."""
    taken = 0
    for place in range(start, len(tags)):
        tag = tags[place]
        if tag.tag in ("WDT", "WP", "WRB") and place > start:
            taken += 1
        elif tag.tag in _FINITE and not _is_noun(tags, place):
            if not taken:
                return place
            taken -= 1
    return None


def _is_noun(tags: Sequence[Tag], place: int) -> bool:
    """Return whether a plural verb is none, since a thing in the singular stands before it: "Watch mode support"."""
    one = tags[place]
    return (
        one.tag == "VBP"
        and one.word.lower() not in _PLURALS
        and place > 0
        and tags[place - 1].tag in ("NN", "NNP")
        and not any(tag.tag in ("CC", "NNS", "NNPS", "PRP", "WDT", "WP") for tag in tags[:place])
    )


def taggable(content: str) -> str:
    """Return the part of a statement in which its verb is looked for, for a tagger: without a label before it, and with a
    name for each piece of code."""
    text = _LABEL.sub("", content) if not cues.HANGUL.search(content) else content
    return _BRACKETED.sub("", _TICKED.sub("Name", text))


def pasted_spans(text: str) -> list[tuple[int, int]]:
    """Return the parts of a prompt that its author pasted: in a long one with the layout of a document, all but the first
    and the last paragraph."""
    if len(text) < _PASTED_LENGTH or len(_LAYOUT.findall(text)) < _PASTED_LINES:
        return []
    first, last = text.find("\n\n"), text.rstrip().rfind("\n\n")
    if _LAYOUT.match(text[last:].lstrip("\n")):
        last = len(text)
    return [(max(first, 0), last)]


def thought_spans(text: str) -> list[tuple[int, int]]:
    """Return the parts of an agent's text in which it only thinks: what it says there is no answer yet."""
    return [found.span() for found in _THOUGHT.finditer(text)] if "<think" in text else []
