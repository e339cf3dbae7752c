"""Finds the sentences of a text that state something on their own: no plans, questions, hedges, chatter, code or tables.
It only chooses, and strips marks of layout; what a pronoun means is resolved in `selfcontained`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from graphmem.cognify import cues
from graphmem.cognify.claims import SAYS, claim_of, is_correcting
from graphmem.cognify.selfcorrections import merge_corrections
from graphmem.patterns import compile_later
from graphmem.text.demands import demands_for_good
from graphmem.text.denials import turns_round
from graphmem.text.replacements import read_replacing
from graphmem.text.restating import gives_up, states_value
from graphmem.text.revising import AMENDS, ENDS, REPLACES, REVERSES, revision_by_person, revision_of
from graphmem.text.sentences import split_sentences

_SHORTEST, _SHORTEST_KOREAN, _LONGEST = 24, 12, 320  # characters
_SHORTEST_CLAIM = 8
_BRIEF = 300  # characters of a turn in which any change of a value counts; a longer one tells of the work
_LONGEST_RAW = 2_000  # characters with layout: of more, no statement is left
_LEAD = compile_later(r"(?:[-*+•·▪◦‣]\s+|\d{1,3}[.)]\s+|[a-zA-Z][.)]\s+|#{1,6}\s+|>\s*|✅\s*|✓\s*)+")
_BOLD = compile_later(r"\*\*|__(?=\w)|(?<=\w)__")
# A line of a log, and what a program asks: "(Y)es/(N)o [Yes]: ".
_PRINTED = compile_later(
    r"\W{0,3}\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\W{0,3}\d\d:\d\d:\d\d[.,\d]* |.{0,80}(?:\([Yy]\)(?:es)?/\([Nn]\)|\[[Yy]/[Nn]\])"
)
_COMMAND = compile_later(r"/[a-z][a-z-]*(?: |$)(?!.* (?:is|are|has|must)\b)")  # "/drop src/a.py", typed to an agent
_LABEL = compile_later(
    r"(?:note|important|nb|warning|tip|caveat|result|fix|cause|problem|issue|참고|주의|중요)\**:\**\s+", re.I
)
_CONNECTIVE = compile_later(
    r"(?:(?:(?:oh|ah),? and (?=\S)|(?:(?:and|also|oh)[,:]? )?(?:one (?:more|other|last|final)|another|last|a final)"
    r" (?:thing|point|rule|note|request|ask)\s*(?:[,:.!]|—|–| -)\s+|(?:please )?remember (?:to )?(?=(?:always|never)\b)"
    r"|(?:and|also|plus|btw|by the way)[,:]? (?=(?:always|never|do not|don't|please)\b)"
    r"|(?:그리고|또한?|아,?|참,?) (?=\S)|(?:그리고 |참,? )?(?:한 ?가지|하나)(?:만)? 더\s*(?:[,:]|—|–| -|\.)\s+)"
    r"|(?:however|also|so|and|but|then|thus|therefore|hence|besides|moreover|additionally|furthermore|actually|indeed"
    r"|meanwhile|otherwise|instead|still|plus|btw|by the way|(?:first|second|third|fourth|last|final)(?:ly)?"
    r"|that said|in short|in fact|of course|note that|unfortunately|good"
    r"|great|right"
    r"|expected|perfect|ok|okay|yes|no|done|interesting|understood|got it|noted|alright|all right|sure|will do|roger"
    r"|good to know|makes sense|confirmed|acknowledged|알겠습니다|알겠어요|확인했습니다|네|예"
    r"|그래서|그리고|하지만|그런데|또한|따라서)\b\s*(?:,|—|–|:|\.|!)\s+|(?:so|and|but)\s+(?!that\b))+",
    re.I,
)
# "…; remember it.": said to the memory, and no part of what it must hold.
_ASIDE = compile_later(
    r"\s*[,;]\s+(?:please\s+)?(?:remember|note|기억해(?:\s?(?:줘|둬))?)(?:\s+(?:it|this|that))?(?=[.!]?$)", re.I
)
_CODE_LIKE = compile_later(r"[{}=<>|│┃└├─→]|&&|;(?! \w)|->|=>|::\s|\\n|https?://\S+$")
_SETTING = compile_later(r"(?<![\w=<>!])[A-Za-z_][\w.-]*=[\w./:-]+(?![\w(=])")  # "SameSite=None", a setting in prose
_URL = compile_later(r"https?://[^\s,;)]+")
# "Decision: …": the label says what it is.
_LABELLED = compile_later(
    r"^(?:(?:ok|okay|so|and|then|final|understood|makes sense|right|good)[,:]? (?:[-–—] )?)*"
    r"(?:we (?:have )?(?=decided|agreed|settled))?"
    r"(?:(?P<label>decision|decided|agreed|settled|rule|policy|preference|fix|root cause|cause|결정|합의|확정|규칙|원인|해결)"
    r"(?: then| now)?(?P<of> (?:of|for) [^:]{2,60}?)?(?: (?:is|was))?"
    r"|(?P<revised>(?:amend|updat|revis|chang)(?:ed|ing|ment)[^:;.!?]{0,80}"
    r"|(?:new|final|corrected) (?:rule|policy|decision)[^:;.!?]{0,60}"
    r"|update (?:to|of) [^:;.!?]{4,80}|[^:;.!?]{0,30}(?:규칙|방침|결정|정책)[을를]? ?(?:변경|수정|개정)[^:;.!?]{0,12}))"
    r"(?::| [-–—]) (?P<rest>\S.*)$",
    re.I | re.S,
)
_LABELS = {"decided": "decision", "agreed": "decision", "settled": "decision", "policy": "rule", "root cause": "cause",
           "결정": "decision", "합의": "decision", "확정": "decision", "규칙": "rule", "원인": "cause", "해결": "fix"}  # fmt: skip
_SET = compile_later(r"\{[\w, ./-]{1,60}\}")  # "exactly {429, 408}", a set in prose
_BACKTICKED = compile_later(r"`[^`]*`")
_WORD = compile_later(r"[^\W\d_]{2,}")
_COMMIT_HEAD = compile_later(r"(?P<type>[a-z]+)(?:\([^)]*\))?!?: ")
_TRAILER = compile_later(r"^(?:[A-Z][\w-]+-[Bb]y|Co-authored-by|Closes|Refs?|Fixes|Change-Id|See[- ]also)\s*:", re.M)


class Statement(NamedTuple):
    """`text[start:end]` of the original, `content` without layout, and the kind that its words tell."""

    start: int
    end: int
    content: str
    kind: str
    is_labelled: bool = False  # "Decision: …", "Settled: …", or what a person demands for good in a short turn
    revises: str = ""  # `AMENDS`, `DROPS`, `REVERSES`, `ENDS` or `REPLACES` where it revises what was said earlier


def find_statements(text: str, *, commit: bool = False, standing_orders: bool = False) -> Iterator[Statement]:
    """Yield sentences that may become facts, in order. `standing_orders`: what a person orders for good is a rule."""
    settles = ""  # the kind of the labelled statement before: what follows it in one breath belongs to it
    leaves = False  # the sentence leaves work for later; what that waits for is told with the task
    corrects, rejects = False, ""  # whether the sentence before only corrects what follows; what it rejected
    brief = standing_orders and len(text) <= _BRIEF
    for start, end, raw in merge_corrections(text, split_sentences(text)):
        corrected, corrects = corrects, end - start <= _LONGEST_RAW and is_correcting(raw)
        if end - start > _LONGEST_RAW:
            continue
        rejected, rejects = rejects, _rejected(raw) if brief else ""
        if choice := _chosen(raw, rejected) if brief else "":
            yield Statement(start, end, choice, "decision", True, REPLACES)
            continue
        if _is_no_sentence(raw, commit=commit):
            continue
        mended = standing_orders and raw != text[start:end]  # a person corrected it in one breath, so that it is meant
        left, leaves = leaves, not commit and cues.TASK_LINE.match(_without_layout(raw)) is not None
        if leaves or (left and _WAITS.search(raw)) or (commit and _TRAILER.match(raw)):
            continue
        content = strip_markup(raw)
        framed = None if commit else _FRAMED.match(content)
        if framed:
            content = _sentence_case(content[framed.end() :])
        if corrected:
            content = f"{'정정' if cues.HANGUL.search(content) else 'Correction'}: {content}"
        labelled = None if commit else _LABELLED.match(_without_layout(raw))
        if labelled and is_statement(labelled["rest"], order=True) and not _is_title(raw, labelled, standing_orders):
            told = content if labelled["of"] else _sentence_case(labelled["rest"])
            revises = revision_of(raw) or (AMENDS if labelled["revised"] else "")
            settles = _kind_of_label(labelled["label"])
            yield Statement(start, end, told, settles, True, revises)
            continue
        if not commit and _ANNOUNCES.match(content):
            continue
        revises = "" if commit or cues.HEDGE.search(content) else _revision(content, standing_orders)
        if revises and is_statement(content, order=True) and not cues.PLAN.match(content):
            yield _revising(Statement(start, end, content, "", revises=revises), order=standing_orders)
            continue
        claim = None if commit or cues.HEDGE.search(content) else claim_of(content)
        claimed = claim is not None and (claim.predicate != SAYS or standing_orders)
        demanded = brief and demands_for_good(content) and not cues.PLAN.match(content)
        if standing_orders and (demanded or cues.STANDING_ORDER.search(content)) and not cues.HEDGE.search(content):
            if is_statement(content, order=True):
                yield Statement(start, end, content, _order_kind(content), demanded)
            continue
        kind = kind_of(content, commit=commit) or ("property" if claimed else "")
        if framed and framed["why"] and kind in ("property", "failure"):
            kind = "cause"
        if (claimed and is_statement(content, order=True)) or (
            kind and is_statement(content) and not (cues.FRAGMENT if commit else cues.SUBJECTLESS).search(content)
        ):
            settled = mended and (claimed or kind in ("decision", "rule", "preference"))
            kind = "decision" if (settles, kind) == ("decision", "property") else kind
            replaces = brief and not claimed and read_replacing(content) is not None
            yield Statement(start, end, content, kind, settled, REPLACES if replaces else "")
        elif brief and (_replaces(content) or (gives_up(content) and not cues.PLAN.match(content))):
            yield Statement(start, end, content, kind or "property", revises=REPLACES)
        elif brief and states_value(content) and not cues.HEDGE.search(content):
            yield Statement(start, end, content, "property")


def _kind_of_label(label: str | None) -> str:
    name = (label or "decision").lower()
    return _LABELS.get(name, name)


def _rejected(sentence: str) -> str:
    """Return what a sentence rejects and nothing else: "No, not 1024.", "Redis 말고."; "" if it does more."""
    found = _REJECTS.match(sentence)
    return (found["english"] or found["korean"]).rstrip(" .") if found else ""


def _chosen(sentence: str, rejected: str) -> str:
    """Return what a person orders in place of what somebody proposed: "No, use 4096 bytes.", or after "Not 1024."; else ""."""
    found = _CHOOSES.match(sentence)
    if found is None or not (found["no"] or rejected) or not is_statement(found["order"], order=True):
        return ""
    order = found["order"]
    if not rejected:
        return _sentence_case(order)
    return (
        f"{rejected} 말고: {order}" if cues.HANGUL.search(order) else f"Not {rejected}: {order[:1].lower()}{order[1:]}"
    )


_NO_STATEMENT = compile_later(r"(?:no,? )?not (?:now|yet|today|really|quite|sure)[.!]?$", re.I)  # an answer
_REJECTS = compile_later(
    r"(?:(?:no|nope|wait|sorry)[,.!]? )?not (?P<english>(?!(?:yet|now|sure|that|this|really|quite|at all|only|so)\b)"
    r"(?:[\w.`'/+-]+ ?){1,4})[.!]?$"
    r"|(?:아니(?:요|야|에요)?[,.]? )?(?P<korean>[^\s,.]{1,30}) ?말고[.!]?$",
    re.I,
)
# What is chosen must be named: a number, or a name as it is written.
_CHOOSES = compile_later(
    r"(?P<no>(?:no|nope|wrong)[,.!:;]? (?:(?:that|this)(?:'s| is| was) (?:wrong|incorrect|not right)[,.:;]? )?"
    r"|(?:that|this)(?:'s| is| was) (?:wrong|incorrect|not right)[,:;] )?"
    r"(?P<order>(?i:use|take|make it|go with|set it to|it must be|it should be) (?=(?:[\w-]+ ){0,3}?(?:`|\d|(?-i:[A-Z])))"
    r"(?!.*\b(?:for now|this time|first|again|please)\b).*)$",
    re.I | re.S,
)


def _revision(content: str, by_person: bool) -> str:
    """Return how a sentence revises what was said earlier; "" if it does not."""
    revises = (revision_by_person if by_person else revision_of)(content)
    return (
        "" if revises == REVERSES and not turns_round(content) else revises
    )  # "pnpm instead of npm": any other choice


def _is_no_sentence(raw: str, *, commit: bool) -> bool:
    """Return whether a sentence is code, a table, an answer in two words, or leads to what follows."""
    if not commit and (_COMMAND.match(raw) or _PRINTED.match(raw)):
        return True
    cut = raw.rstrip().endswith((":", "…", "...", ","))
    return cut or raw.startswith(("```", "~~~", "|", "    ")) or _NO_STATEMENT.match(raw) is not None


def _replaces(content: str) -> bool:
    """Return whether a person puts a new value in the place of an earlier one, in words that no other rule knows."""
    if not is_statement(content, order=True) or cues.PLAN.match(content) or (found := read_replacing(content)) is None:
        return False
    is_only_opening = bool(found.values) and all(
        value.start == 0 for value in found.values
    )  # "Same with X instead of Y"
    return not (found.former and is_only_opening)


def find_sentences(text: str) -> Iterator[Statement]:
    """Yield all sentences that may state something, whatever they say, in order: for those of which no rule knows whether
    they do."""
    for start, end in split_sentences(text):
        raw = text[start:end]
        if (
            end - start > _LONGEST
            or raw.startswith(("```", "~~~", "|", "    "))
            or raw.endswith((":", "…", "...", ","))
            or cues.TASK_LINE.match(_without_layout(raw))
        ):
            continue
        content = strip_markup(raw)
        if framed := _FRAMED.match(content):
            content = _sentence_case(content[framed.end() :])
        if is_statement(content) and not cues.SUBJECTLESS.search(content) and _KNOWN_LANGUAGE.search(content):
            yield Statement(start, end, content, kind_of(content) or "property")


# The words of a sentence that can be read: English and Korean.
_KNOWN_LANGUAGE = compile_later(
    r"\b(?:the|an?|is|are|was|has|have|in|of|to|and|or|not|for|with|on|by|be|must|never|always|only|don't|do(?:es)?|from|as"
    r"|at|it|uses?|requires?)\b|[가-힣]",
    re.I,
)


_WAITS = compile_later(r"\b(?:blocked|stuck|held up|waiting) (?:by|on|for)\b|막혔|막혀|차단", re.I)


def _is_title(raw: str, labelled: re.Match[str], standing_orders: bool) -> bool:
    """Return whether the label only names a piece of work: "# Fix: walk the parents" is no fix that somebody made, and
    "1. Updated the call in `send` - takes a list" of an agent amends nothing."""
    if raw.startswith("#") and (labelled["label"] or "").lower() in ("fix", "cause", "root cause"):
        return True
    revised = labelled["revised"]
    return bool(revised) and not standing_orders and not _AGREED_ON.search(revised) and not revision_of(raw)


_AGREED_ON = compile_later(
    r"rule|polic|decision|limit|convention|agreement|contract|plan|setting|default|deadline|owner|port|version|budget|schedule"
    r"|규칙|방침|결정|정책|기준",
    re.I,
)


# "The issue is that …", "It turns out that …": what follows is what is stated.
_FRAMED = compile_later(
    r"(?:(?P<why>(?:the |my )?(?:real |actual |main |core |only |key |root )*(?:issue|problem|cause|reason|catch"
    r"|explanation)(?: here)?"
    r" (?:is|was) (?:that|because) )|(?:it )?(?:turns|turned) out (?:that )?|(?:the )?(?:key "
    r"|important )?(?:insight|thing|point|takeaway)"
    r"(?: here)? (?:is|was) that |I (?:just )?(?:found|see|noticed|discovered|learned|realised|realized|confirmed"
    r"|verified) that "
    r"|(?:this|that|which) means (?:that )?|(?:알고 보니|확인해 보니|문제는|원인은) )(?=\S)",
    re.I,
)


def _without_layout(sentence: str) -> str:
    lead = _LEAD.match(sentence)  # at the start only: "(same day) and" holds no list item
    return " ".join(_BOLD.sub("", sentence[lead.end() :] if lead else sentence).split())


def without_opening(sentence: str) -> str:
    """Return a sentence without words that only add it to the one before: "Also: …", "And one more thing: …", "그리고 …".

    >>> without_opening("And one more thing: never push to main."), without_opening("한 가지 더: main에 푸시하지 마.")
    ('Never push to main.', 'main에 푸시하지 마.')
    """
    opening = _CONNECTIVE.match(sentence)
    return _sentence_case(sentence[opening.end() :]) if opening else sentence


def strip_markup(sentence: str) -> str:
    """Return a sentence without bullets, emphasis, labels and words that only tie it to the one before."""
    text = sentence
    for layout in (_LEAD, None, _LABEL, _CONNECTIVE):
        if layout is None:
            text = _BOLD.sub("", text)
        elif match := layout.match(text):
            text = text[match.end() :]
    text = _ASIDE.sub("", " ".join(text.split()))
    head = _COMMIT_HEAD.match(text)
    if head and head["type"] in cues.COMMIT_INTENTS:
        text = text[head.end() :]
    text = _DESCRIBED.sub(lambda m: f"{m['name']} {m['how']}{m['first'].lower()}", text)
    return _sentence_case(text)


def _sentence_case(text: str) -> str:
    if cues.HANGUL.search(text):  # "main에 푸시하지 마": a Korean sentence begins with a name as it is written
        return text
    return text[:1].upper() + text[1:] if text[:1].islower() and not _CODE_NAME.match(text) else text


# "`send/2` - Sends input", "send: sends input": what is described is the subject.
_DESCRIBED = compile_later(
    r"^(?P<name>`[^`]+`|[A-Za-z_][\w.:/-]*[\w/])(?: [-–—] |: )"
    r"(?P<how>(?:[a-z]+ly )?)(?P<first>(?!(?:is|as|has|this|its)\b)[A-Za-z][a-z]+(?<![su])s(?= [a-z`\"]))"
)
_LISTED = compile_later(
    r"^(?:`[^`]+`|[\w./-]+)(?: \([^)]*\))?(?: [-–—] |: )"
)  # "name - a noun": a line of a list, no sentence
_CODE_NAME = compile_later(r"\w*[a-z][A-Z_.]\w|\w+[(/:.]\w|\w+_\w")


def kind_of(content: str, *, commit: bool = False) -> str:
    """Return the kind of fact that the words tell, "" for none. The subject of a commit orders what it did."""
    if commit and cues.COMMIT_VERB.match(content) and not cues.KIND_CUES["decision"].search(content):
        return "change"
    return next((kind for kind, cue in cues.KIND_CUES.items() if cue.search(content)), "")


# "Two updates to the retry policy we settled a while back.": what changes is said later.
_ANNOUNCES = compile_later(
    r"(?:[\w-]+ ){0,4}?(?:amendments?|updates?|changes?|revisions?|corrections?) (?:to|of|for|in) (?:the|our|my) "
    r"(?!.*\b(?:is|are|must|should|needs?|requires?|may|can|will|has to|have to|goes?|takes?)\b)[^:;,]*$",
    re.I,
)


def _revising(found: Statement, *, order: bool) -> Statement:
    """Return a statement that revises something, with its kind."""
    kind = kind_of(found.content)
    orders = cues.STANDING_ORDER.search(found.content) or demands_for_good(found.content)
    if order and found.revises == AMENDS and orders:
        kind = _order_kind(found.content)  # "앞으로 … 항상 … 써 줘": what holds from now on is a rule
    elif found.revises == ENDS and not _DECIDES.match(found.content):
        kind = "property"  # that a thing no longer does something binds nobody
    elif kind not in ("rule", "preference"):
        kind = "decision"
    return found._replace(kind=kind)


_DECIDES = compile_later(r"(?:we|the team|우리|저희|팀)(?![\w-])|.*기로 ", re.I)


def _order_kind(content: str) -> str:
    return "preference" if cues.KIND_CUES["preference"].search(content) else "rule"


# Two words that neither English nor Korean has: what is said cannot be read.
_FOREIGN = compile_later(
    r"\b(?:je|tu|nous|vous|les|des|une|pour|avec|est|dans|qui|sont|el|los|las|una|para|por|pero|und|der|das|nicht|ist|wird"
    r"|jest|nie|się|że|oraz|não|uma|della|sono)\b|\b[^\W\d_]*[ąćęłńśźżěřůőű][^\W\d_]*|[\u3040-\u30ff\u4e00-\u9fff]{2}|[а-яё]{3}",
    re.I,
)
_MOST_FOREIGN = 1


def is_statement(content: str, *, order: bool = False) -> bool:
    """Return whether the sentence states something rather than plans, asks, hedges or shows code. An order for good
    or a claim may be shorter."""
    korean = bool(cues.HANGUL.search(content))
    if len(_FOREIGN.findall(content)) > _MOST_FOREIGN:
        return False
    if not (_SHORTEST_CLAIM if order else _SHORTEST_KOREAN if korean else _SHORTEST) <= len(content) <= _LONGEST:
        return False
    if cues.PLAN.match(content) or cues.PLAN_INSIDE.search(content) or cues.HEDGE.search(content):
        return False
    if (not order and cues.CHATTER.search(content)) or (korean and cues.PLAN_KOREAN.search(content)):
        return False
    if content.endswith((":", ",", "(")) or (not order and _LISTED.match(content)):
        return False
    prose = _SETTING.sub("value", _BACKTICKED.sub(" ", content))
    code = min(2, content.count("`") // 2)  # a piece of code is a word, too
    if order:
        prose = _SET.sub("set", _URL.sub("address", prose))
    if _CODE_LIKE.search(prose) or content.count("`") % 2 or content.count("(") != content.count(")"):
        return False
    words = _WORD.findall(prose)
    letters = sum(map(len, words))
    return len(words) + code >= (2 if korean or order else 4) and letters >= (0.3 if order else 0.5) * len(
        prose.replace(" ", "")
    )
