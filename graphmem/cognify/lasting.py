"""Decides whether a fact lasts: whether it will still be true, and no better source will tell it. What code looks like now
is for the code index to say, what a commit did for the commit, and what is broken this minute for the gotchas. An agent at
work says such things all day; what stays is what it found out about tools and platforms, why something failed, what was
settled, and values. A person's decisions, rules and preferences stay as they are. Patterns in English and Korean."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.cognify import cues
from graphmem.cognify.assertions import is_measured
from graphmem.cognify.claims import SAYS, Claim
from graphmem.model.text import EntityMention
from graphmem.patterns import compile_later

_I = re.IGNORECASE
_DESCRIBING = frozenset({"property", "failure"})
# What is true of the code, the work or the conversation right now.
_NOW = compile_later(
    r"\b(?:currently|already|right now|at (?:the moment|present)|anymore|pre-existing|as of now|still|now also"
    r"|cancell?ed|(?:relation|label|status|priority) set to|option [A-Z\d]|the same(?: root cause)? as|missing tests?|(?:agent"
    r"|user)'s own|phase \d|step \d|reproduc\w+|locally)\b"
    r"|\blines? \d+|\.\w{1,5}:\d+|\bL\d+\b|\b(?:is|are) (?:now )?failing\b|\b(?:the|our|this) (?:diff|report|review|plan|suggestion"
    r"|concern|idea|verdict|proposal)\b|\b(?:in|on|of) (?:this|the user's|my) (?:branch|pr|session|change)\b",
    _I,
)
# Lines of a list or of output that no mark separates.
_TWO_LINES = compile_later(r"[^.!?:;,\s-][ \t]*\n\s*(?:[A-Z][a-z]|[\d$>+*|])")
# What somebody thinks of it, or thinks of doing.
_JUDGED = compile_later(
    r"\b(?:is|are|was|were)(?: \w+ly| all| indeed| also)* (?:correct|right|fine|safe|valid|clean|good|expected|intended|intentional"
    r"|acceptable|consistent|identical|redundant|unnecessary|needed|confirmed|documented|real|legitimate|challenging|minimal"
    r"|available|similar|just|optional|clearly|implemented|verified|covered|in place|the way to go)\b"
    r"|\bcorrectly\b|\bworks? (?:identically|as (?:expected|intended)|automatically)\b"
    r"|\b(?:safest|cleanest|simplest|best|right|correct|proper|better|easiest|more reliable) (?:\w+ )?(?:fix|approach"
    r"|way|option|solution"
    r"|workaround|choice|pattern|than)\b|\b(?:good|valid|fair) (?:catch|point|question|idea|concern)\b|\bmore reliable\b",
    _I,
)
_PROPOSED = compile_later(
    r"\b(?:should(?:n't)?|could|would|might|consider|suggest\w*|recommend\w*|propos\w+)\b"
    r"|\b(?:the )?(?:team|agent|user|we|you|i)(?:'s)? (?:\w+ly )?(?:can|could|should|needs?|has to|have to|will|would|may|wants?)\b"
    r"|\bneed(?:s|ed)?\b|\bif \w+ (?:is|are) needed\b",
    _I,
)
_OURS = compile_later(r"\bneeds? to\b|\bthe (?:team|agent|user) (?:can|could|should)\b", _I)
_REVIEWED = compile_later(
    r"\b(?:verif(?:y|ies)|validates?|asserts?|checks?|ensures?|confirms?|covers?) (?:that |the |it |[`\w]+)", _I
)
_TEST = compile_later(
    r"\b(?:tests?|specs?|fixtures?|coverage|assertions?|mocks?)\b|\bTest[A-Z]\w+|\btest_\w+", re.ASCII
)
# "Two smaller notes: …", "Core duplication: …", "Good point — …": said of what follows.
_HEAD = compile_later(r"^(?P<head>.{3,60}?)(?:: +| [-–—] +)(?=\S)")
_NAMED_HEAD = compile_later(r"(?:(?:root )?cause|fix|decision|rule|policy)(?: of [^:]*?)?(?::| [-–—]) ", _I)
_FRAGMENT = compile_later(
    r"^(?:[a-z]+s(?= [\"'`])|or|and|but|nor|even|right|wrong|yes|no|then|also|wait|hmm+|ah|oh|whether|verified"
    r"|confirmed|checked|\d+|why"
    r"|what|how|which|who|could|can|should|would|one|two|three|several"
    r"|\S+ (?:is|was) that|(?:an? )?\w+ like|[a-z]+ [A-D](?:'s)?|have in mind|keep in mind|line \d|interesting\w*"
    r"|looking|based on|(?:the )?(?:one|only|main|key|first|next"
    r"|last) (?:thing|fix|point)|"
    r"[a-z]+ing (?:the|a|an)\b|(?:under|in|on|with|for|at)\b[^,]{2,40} that (?:must|should|has|is|was|needs)\b)(?!\w)",
    _I,
)
_REASON = compile_later(
    r"\b(?:because|due to|caused by|so that|to (?:avoid|prevent|stop|work around)|since|otherwise|which (?:broke|caused))\b"
    r"|때문|위해|않도록",
    _I,
)
# A work at hand, or what it shows.
_AT_HAND = compile_later(
    r"^(?:the |this )?(?:pr|pull request|branch|commit|change|diff|patch|refactor\w*|rebase|merge|migration)\b"
    r"|\b(?:transcript|logs?|output|trace|screenshot|results?|diagnostics?) (?:shows?|says?|contains?|must be|about)\b"
    r"|\b(?:has been |have been |was |were )?(?:moved|renamed|extracted|relocated) (?:from|to|into)\b",
    _I,
)
_GUESSED = compile_later(
    r"\bmust (?:be|have been|have) (?:stale|wrong|missing|some\w*|due|coming|old|outdated|cached|a |an )", _I
)
_IMPERATIVE = compile_later(r"^(?:record|verify|check|move|require|(?:re)?write|guard|return|treat|store)\b", _I)
_WORKED = compile_later(
    r"^(?:the (?:agent|team) )?(?:\w+ly )?(?:added|updated|changed|merged|renamed|created|removed|moved|switched"
    r"|wired|committed|pushed|posted|filed"
    r"|opened|closed|reverted|rebased)\b",
    _I,
)
_MADE_WORK = compile_later(
    r"^(?:the (?:agent|team|user) )?(?:\w+ly )?(?:fixed|solved|resolved|repaired|corrected|worked around)\b"
    r"|\bfixed (?:in|by|since|with)\b"
    r"|고쳤|해결|수정",
    _I,
)
_PLACED = compile_later(
    r"^(?:the )?(?:\w+ )?(?:problem|issue|bug|cause|culprit)(?: (?:in|with) (?:\w+ ){1,3}?)? ?(?:is|was) (?:in|at|with"
    r"|here)\b(?:[^—–:;]|:\d)*$",
    _I,
)
_HASH = compile_later(r"`[0-9a-f]{7,40}`")
_LIST_ITEM = compile_later(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_LOGGED = compile_later(
    r"^\[?\d{4}-\d\d-\d\d|(?<!is )(?<!now )(?<!to )(?<!not )(?<!: )(?<![은는] )(?<!이제 )"
    r"\b(?:ERROR|WARN|INFO|DEBUG)\b(?! level)|\bexit (?:status |code )?\d|\(exit \d",
    re.ASCII,
)
_ENDS_OPEN = compile_later(r"\b(?:it|them|this|that)(?:[.)]*$| \()", _I)
_GENERIC = frozenset("cli ci api ui ide lsp sdk mcp app gui tui ci/cd".split())
_WENT_WRONG = compile_later(
    r"\b(?:fail\w*|crash\w*|error\w*|exception|broke\w*|break\w*|bug|race|leak\w*|dead-?lock\w*|hang\w*|hung|slow\w*"
    r"|timed? ?out|time-?outs?"
    r"|missing|lost|wrong\w*|stale|flaky|corrupt\w*|overwr\w+|clobber\w*|duplicat\w+|conflict\w*|reject\w*|denied|refus\w+|ignor\w+"
    r"|cannot|can't|couldn't|could not|didn't|did not|doesn't|does not|don't|do not|won't|isn't|wasn't|aren't|never"
    r"|not|no longer|lacked"
    r"|lacks?|unsupported|mismatch\w*|root cause|issue|problem)\b|실패|오류|에러|때문|깨|누락|느렸|막혔",
    _I,
)
_DECIDED = compile_later(
    r"\b(?:decid(?:ed|es)|agreed|chose|opted (?:for|to)|settled|picked|standardi[sz]ed|went with|ended up|(?:going"
    r"|sticking) with)\b"
    r"|기로 |결정|합의|선택|확정|^(?:the )?(?:team|user|agent|we)\b(?: (?:is|are|was|were))?(?: now| always| only)? "
    r"(?:uses?|keeps?|goes|stays?|prefers?|drops?|stores?|tests?|builds?|ships?|runs?"
    r"|(?:switch|mov|migrat|dropp|adopt|retir|replac)(?:ing|ed))\b",
    _I,
)
_BINDS = compile_later(
    r"\b(?:must(?: not|n't)?|may (?:only|not)|only [\w `-]{2,40} (?:may|can)|(?:has|have) to|is to be|(?:is"
    r"|are) (?:required|mandatory"
    r"|forbidden|not allowed)|do not|don't|shall)\b|^(?:never|always|only)\b"
    r"|반드시|절대|금지|해야|항상|언제나|말 ?것|마세요|안 ?됩|안 ?된",
    _I,
)
_OPINION = compile_later(r"^(?:since|with|given|by|if|when|as|under|for)\b", _I)
_AT_PRESENT = compile_later(r"\b(?:is|are|isn't|aren't)(?: not| now)? (?:being|failing)\b", _I)
_VERB = compile_later(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|cannot|can't|will|must|may|never|always|only|\w+n't|(?!this"
    r"|its|his|process)[a-z]+(?<![su])s)\b(?!')"
)
_AUXILIARY = compile_later(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|cannot|will|must|may|never|always|only|\w+n't)\b"
)
_OUTSIDE = frozenset({"application", "library", "language", "operating_system", "website", "org", "command"})
_CODE = frozenset({"file", "function", "class", "variable", "flag", "file_type"})
_MARKED = compile_later(r"`[^`]*`|\b\w+(?:_\w+)+\b|\b[a-z]+[A-Z]\w*|\w+\(\)|(?<!\w)[\w-]*/[\w./-]+|\b\w+\.[a-z]\w+\b")
_ARTICLE = compile_later(r"^(?:the|an?|this|that|any|all|each|every|its|their|our|some|no)\b ?", _I)
_WORD = compile_later(r"[^\W_][\w'’-]*")
_SPECIFIC = _OUTSIDE | frozenset("file function class variable flag error url issue commit version key".split())


def lasting_kind(
    kind: str,
    content: str,
    speaker: str,
    mentions: Sequence[EntityMention],
    claim: Claim | None,
    text: str = "",
    raw: str = "",
) -> str:
    """Return the kind under which a statement is kept, which an agent's words may limit; "" if it does not last. `raw` is the
    sentence as it was said, `text` what it was said in, which tells names from other words."""
    if speaker == "commit":
        return "" if kind == "change" and _is_chore(content) else kind
    if kind in _DESCRIBING and is_two_lines(raw):
        return ""
    told = claim is not None and claim.predicate != SAYS
    if speaker == "user":
        return kind if _person_means(kind, content, mentions, claim) else ""
    strict = (told or (claim is not None and claim.reported)) and is_value(claim)
    kind = told_kind(kind, content)
    if (
        is_fragment(content, "")
        or _AT_HAND.search(content)
        or _GUESSED.search(content)
        or (kind not in ("decision", "rule") and content.endswith("!"))
        or (kind == "fix" and re.search(r"\blines? \d", content))
    ):
        return ""
    if kind not in ("fix", "change") and (
        (is_headed(content) and not (claim and claim.reported)) or (kind != "cause" and _NOW.search(content))
    ):
        return ""
    if (_ENDS_OPEN.search(content) and not strict) or (
        kind not in ("fix", "change", "cause") and _WORKED.match(content)
    ):
        return ""
    if kind in (*_DESCRIBING, "cause") and not strict and (_LIST_ITEM.match(raw) or _HASH.search(content)):
        return ""  # a step of a walk through the code
    if kind not in ("rule", "change") and (_OURS.search(content) if strict else _PROPOSED.search(content)):
        return ""
    if _JUDGED.search(content):
        return ""
    if kind == "cause":
        wrong = (_WENT_WRONG.search(content) or _WENT_WRONG.search(raw)) and not _PLACED.match(content)
        return (
            kind
            if strict
            or (
                wrong
                and not _OPINION.match(content)
                and not _AT_PRESENT.search(content)
                and (_names(mentions) or _names_in_korean(content))
            )
            else ""
        )
    return kind if _lasts(kind, content, mentions, text, strict=strict) else ""


def told_kind(kind: str, content: str) -> str:
    """Return the kind of what an agent says: a decision was made, and a rule demands something."""
    decides = kind != "decision" or _DECIDED.search(content)
    return kind if decides and (kind != "rule" or _demands(content)) else "property"


def is_passing(content: str) -> bool:
    """Return whether an agent says how the work stands at this moment: a conflict being merged, what is still wrong, what is
    already right."""
    return any(pattern.search(content) for pattern in (_PASSES, _OF_THE_WORK, _NUMBERED))


# "Both timeouts are set to 60 seconds": of what was named before. "The pattern is already fixed", "is still too broad".
_PASSES = compile_later(
    r"^(?:both|neither|either|these|those|(?:all|some|none) of (?:them|these|those))\b|^conflict \d|\bHEAD (?:has|contains)\b"
    r"|\bincoming (?:branch|changes?)\b|\b(?:is|are|was|were) still (?:too|not|\w+ing|there|present|broken|open)\b"
    r"|\b(?:is|are|was|were) (?:already|now) (?:fixed|done|correct|handled|in place|resolved|complete|working|passing|clean"
    r"|updated)\b"
    r"|\bwhich means (?:they|it)(?:'re|'s| are| is)\b|\bmay show\b"
    r"|^(?:the )?(?:\w+ )?(?:problem|issue|bug|culprit)(?: (?:in|with) (?:[\w-]+ ){1,3}?)? ?(?:is|was) (?:in|at|with"
    r"|here)\b(?![^.]*\bbecause\b)"
    r"|\)'s\b|\bworks?(?: now| fine)?,? but\b.*\b(?:never|not|n't|still)\b",
    _I,
)


# "R1–R4 are covered", "deferred to S4/S8", "the list in §7(b)": of numbered parts of a document, which the statement does not tell.
_NUMBERED = compile_later(
    r"\b(?P<series>[A-Z]{1,3}-?)\d{1,3}[–/-](?P=series)\d{1,3}\b"
    r"|\b(?!S3\b|R2\b|T[34]\b|Q[1-4]\b)(?:R|S|T|Q|AC|OQ|US|FR|NFR)-?\d{1,3}\b(?![.\w])|§ ?\w"
)
# "Always uses the current layer": a line of a list without its subject. "The CLI is trying to import …": how the code is at this
# moment. "The best fix is …", "If more schemas are required …", "Since the team just added …": proposals and reports of the work.
_OF_THE_WORK = compile_later(
    r"^(?:always|never) (?:[a-z]+(?<!s)s|\w+ed|invoked)\b(?! (?:files?|the|any|a)\b)"
    r"|^(?:actually|honestly|looking at|one caveat|the only (?:\w+ )?(?:thing|improvement|change|issue|difference)|problem is\b"
    r"|the (?:best|safest|cleanest|simplest|easiest|recommended|proper|correct|right) (?:\w+ )?(?:fix|approach|solution|way|option"
    r"|practice)\b"
    r"|if (?:more|the team|any other)\b|once\b|missing [\w ]+:|(?:problem|issue|bug|fix|step|option) ?#?\d)"
    r"|^(?:the |an? )?(?:[\w`'./-]+ ){1,6}?(?:is|are) (?:now |still |currently |actually |just )?(?:trying|sending|looking"
    r"|calling|getting|blocking|passing|attempting|showing|throwing|returning|failing|complaining|hitting|missing|pointing)\b"
    r"|\bthe team(?:'s)? (?:just|only|then|already|also|first|currently|now|previously) \w+|\bsince the team\b"
    r"|\b(?:has|have) been (?:set back|added to|updated|corrected|fixed|moved to|reverted|renamed)\b|\bfix description\b"
    r"|\bset (?:a |the )?new default\b|\bneeds? to have a\b|\bso it must\b|\bthe final answer\b"
    r"|\bmust be (?:wrapping|doing|using|coming|getting|inherit\w*)\b",
    _I,
)


def is_fragment(content: str, kind: str) -> bool:
    """Return whether a statement begins in the middle of a thought, has no subject, is a title, or orders what comes."""
    if _FRAGMENT.match(content) or cues.SUBJECTLESS.match(content) or _is_title(content):
        return True
    orders = cues.COMMIT_VERB.match(content) or _IMPERATIVE.match(content)
    return kind in ("fix", "cause") and orders is not None and not orders[0].endswith(("ed", "t"))


def _is_title(content: str) -> bool:
    words = [word for word in re.findall(r"[A-Za-z][\w'-]*", _TICKED.sub("", content)) if len(word) > 3][1:]
    return len(words) > 4 and sum(word[0].isupper() for word in words) > 0.8 * len(words)


_TICKED = compile_later(r"`[^`]*`")


def _person_means(kind: str, content: str, mentions: Sequence[EntityMention], claim: Claim | None) -> bool:
    """Return whether a person means it for good, rather than reporting what the code does or asking for a change of it."""
    if cues.HANGUL.search(content):
        return True
    if kind not in (*_DESCRIBING, "rule", "cause"):
        if kind == "change":  # of the code, which tells it itself, unless with the reason or the value before
            claimed = claim is not None and (claim.predicate != SAYS or claim.changed)
            return (claimed or _REASON.search(content) is not None) and not _REPORTED.match(content)
        return not (kind in ("preference", "decision") and _CHOSEN.search(content))
    if _HASH_TOLD.search(content) or _LOGGED.search(content) or _HOPED.search(content) or _ASKS_WHY.match(content):
        return False
    of_code = "`" in content or any(m.type in ("function", "class", "flag") for m in mentions)
    if claim and (claim.predicate != SAYS or claim.changed or claim.reported):
        return not (of_code and _NOW.search(content))
    if kind == "rule" and (content.startswith("Must ") or _NEVER_DID.search(content)):
        return False  # a line of a list, which does not say what must; or what happened
    if kind == "rule":
        return _demands(content) or (not _NOW.search(content) and not is_about_code(content, mentions))
    if claim and re.search(r"\d", claim.value):
        return not is_about_code(content, mentions)
    of_code = of_code or is_about_code(content, mentions)
    return not (of_code or _FRAGMENT.match(content) or cues.COMMIT_VERB.match(content) or _WISHED.search(content))


_NEVER_DID = compile_later(
    r"\b(?:never|always) (?!based|limited|required|allowed|supposed)[a-z]+ed\b|^(?:\w+ ){1,3}(?:has|have) gotten\b", _I
)
_HASH_TOLD = compile_later(
    r"\b(?:sha|hash|head|commit)\b.{0,12}\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b", _I
)
_CHOSEN = compile_later(  # of what the agent offered just now
    r"\boption [A-Z\d]\b|\bwith (?:the|that|this|your|the agent's) (?:\w+ ){0,2}(?:approach|recommendation|suggestion|option|plan"
    r"|idea|solution|proposal)\b[^,;]*$",
    _I,
)
_REPORTED = compile_later(r"^[A-Z]\w+ed (?:\w+ ){1,3}(?:['\"`]|\w+: \S)")  # by a program: "Created branch 'x'"
_HOPED = compile_later(
    r"\bso (?:it|they) should\b|\bshould(?:n't| not) be (?:too |that )?(?:hard|difficult|an? (?:issue|problem|big)|easy)",
    _I,
)
_ASKS_WHY = compile_later(r"(?:why|how)\b", _I)
_WISHED = compile_later(r"\b(?:should(?:n't)?|asks? (?:if|whether)|expect(?:ed|ation)s?|why)\b", _I)


def is_two_lines(raw: str) -> bool:
    """Return whether a statement as it was said has lines of a list or of output that no mark separates."""
    return _TWO_LINES.search(raw) is not None


def is_value(claim: Claim | None) -> bool:
    """Return whether a claim of an agent names a value, rather than what something needs or can do."""
    if claim is None or not claim.value or claim.predicate.startswith(("requires", "supports")):
        return False
    return bool(claim.subject) or _VALUE.search(claim.value) is not None


_VALUE = compile_later(r"\d|^\S*[/:@]\S*$|[가-힣]")


def _demands(content: str) -> bool:
    """Return whether the main clause demands something, rather than telling what always or never happens."""
    if cues.HANGUL.search(content):
        return _BINDS.search(content) is not None
    demand, verb = _BINDS.search(content), _VERB.search(_masked(content))
    return demand is not None and (verb is None or demand.start() <= verb.end())


def is_headed(content: str) -> bool:
    """Return whether the words before a colon or a dash have no verb: "Two smaller notes: …"."""
    head = _HEAD.match(content)
    return head is not None and not _NAMED_HEAD.match(content) and _verb_at(head["head"]) < 0


def _lasts(kind: str, content: str, mentions: Sequence[EntityMention], text: str, *, strict: bool) -> bool:
    if kind == "fix":
        return _names(mentions) and _MADE_WORK.search(content) is not None
    if kind == "change":
        return (strict and _SPOKEN_FOR.match(content) is not None) or (
            bool(_REASON.search(content)) and not _is_chore(content)
        )
    if (kind == "decision" and _SPOKEN_FOR.match(content)) or (kind == "property" and strict):
        return True
    if kind in ("decision", "rule", "preference"):
        return _is_specific(content, mentions)
    if cues.HANGUL.search(content) or (kind == "failure" and _MENDED.search(content) and _names(mentions)):
        return True
    if cues.COMMIT_VERB.match(content) or (_REVIEWED.search(content) and _TEST.search(content)):
        return False
    measured = kind == "property" and is_measured(content) and _is_specific(content, mentions)
    return (measured and not is_about_code(content, mentions)) or is_about_tool(content, mentions, text)


# "It crashed on empty input; `read` returns early now": the failure is over, and this says how.
_MENDED = compile_later(
    r"\b(?:crashed|failed|broke|hung|leaked|timed out|raised|threw|lost)\b.{0,200}?[;,—–-].{0,200}?\bnow\b", _I
)
_SPOKEN_FOR = compile_later(r"(?:the )?(?:team|user|agent|we|I)\b", _I)


def _names(mentions: Sequence[EntityMention]) -> bool:
    return any(m.type in _SPECIFIC for m in mentions)


def _names_in_korean(content: str) -> bool:
    """Return whether a Korean statement names something: a word in Latin letters is a name there."""
    return cues.HANGUL.search(content) is not None and _LATIN.search(content) is not None


_LATIN = compile_later(r"[A-Za-z]{2}")


def _is_chore(content: str) -> bool:
    """Return whether a change is only of tests, comments, imports or formatting: nobody asks for it later."""
    return bool(_CHORE.match(content)) and not (_REASON.search(content) and not _TEST.search(content))


_CHORE = compile_later(
    r"^(?:the agent |the team |we |i )?(?:\w+ly )?(?:added|updated|created|removed|fixed|included|extended|extracted"
    r"|renamed|moved|wrote"
    r"|improved|adjusted|cleaned|simplified|used|reformatted|bumped|deleted|changed|wired)(?: up)?"
    r"(?: (?:the|an?|some|more|new|missing|unused|all|comprehensive|dead|\d+))* (?:`[^`]*` |[\w/.-]+ ){0,3}?"
    r"(?:tests?|specs?|fixtures?|test (?:cases?|coverage|helpers?)|coverage|helpers?|comments?|imports?|formatting"
    r"|whitespace|typos?|docs?"
    r"|documentation|docstrings?|README\w*|CHANGELOG\w*|CSS|styles?|styling|doc comments?|changelog"
    r"|lint(?:er)? (?:warnings?|errors?|issues?))\b",
    _I,
)


def _subject(content: str) -> tuple[int, int]:
    """Return where the words before the main verb are, about."""
    verb = _verb_at(content)
    other = None if verb >= 0 else _VERB.search(_masked(content))
    return 0, verb if verb >= 0 else other.start() if other else 0


def _verb_at(content: str) -> int:
    """Return where the first word that is surely a verb begins, -1 if there is none."""
    masked = _masked(content)
    found = (_AUXILIARY.search(masked), cues.KIND_CUES["property"].search(masked))
    return min((match.start() for match in found if match), default=-1)


def _masked(content: str) -> str:
    """Return a text with its pieces of code blanked, so that no verb is found in them."""
    return _MARKED.sub(lambda match: "X" * len(match[0]), content)


def is_about_code(content: str, mentions: Sequence[EntityMention]) -> bool:
    """Return whether a symbol or file is what a statement is about: the code itself answers that."""
    begin, end = _subject(content)
    head = _ARTICLE.sub("", content[begin:end]).strip(" ,")
    return bool(head) and (_MARKED.search(head) is not None or any(m.type in _CODE and m.start < end for m in mentions))


def is_about_tool(content: str, mentions: Sequence[EntityMention], text: str) -> bool:
    """Return whether a program, library, language or platform is what a statement is about."""
    begin, end = _subject(content)
    named = [m for m in mentions if begin <= m.start < end]
    outside = [m for m in named if m.type in _OUTSIDE and m.text.lower() not in _GENERIC]
    inside = [m for m in named if m.type in _CODE and not any(o.start <= m.start and m.end <= o.end for o in outside)]
    return not inside and (bool(outside) or _is_name(_ARTICLE.sub("", content[begin:end]), text))


def _is_name(subject: str, text: str) -> bool:
    """Return whether a subject starts with a name: a word that is written with a capital within sentences, too, and never
    without one."""
    word = _NAME.match(subject)
    if word is None or re.search(rf"(?<!\w){word[0].lower()}s?(?!\w)", text):
        return False
    return re.search(rf"(?<=[a-z,;(] ){re.escape(word[0])}(?!\w)", text) is not None


_NAME = compile_later(r"[A-Z][a-z]{2,}(?![A-Za-z])")


def _is_specific(content: str, mentions: Sequence[EntityMention]) -> bool:
    """Return whether the subject is named: by an entity, or by two words rather than "the tests"."""
    begin, end = _subject(content)
    if any(m.type in _SPECIFIC and begin <= m.start < end for m in mentions) or _MARKED.search(content[begin:end]):
        return True
    return cues.HANGUL.search(content) is not None or len(_WORD.findall(_ARTICLE.sub("", content[begin:end]))) > 1
