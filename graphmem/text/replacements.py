"""Recognises sentences of a person that put a new value in the place of an earlier one, in whatever words: "Ops asked me to
shift the nightly backup to 04:15", "Priya handed the search roadmap over to Tomasz", "Kong is gone". No form of a sentence is
needed, but words that tell of a change, a value of the same kind, and the words of the earlier statement's topic."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from graphmem.patterns import compile_later
from graphmem.text.questions import is_request_for_answer
from graphmem.text.topics import GENERIC, stem_of, subject_words
from graphmem.text.typed_values import TypedValue, find_values

_I = re.IGNORECASE
_MOST_CHARS = 240
_DATED = compile_later(r" \(\d{4}-[^)]{0,24}\)")  # the date that was added to a relative time
# Words that say that something is otherwise than before.
_MARKED = compile_later(
    r"\b(?:now|from now on|as of (?:now|today|this|the|next|v?\d)|going forward|henceforth|effective"
    r"|since (?:yesterday|today|this|last|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|june|july|august|september|october|november|december|v?\d)"
    r"|starting (?:now|today|tomorrow|with|from|next|on|this)|from (?:this|the next|next|today|tomorrow)\b|as from"
    r"|instead(?! of\b)|in (?:place|favou?r) of|back (?:to|on|at)|again|new \w+:)(?!\w)"
    r"|\b(?:changed|moved|switched|migrated|upgraded|downgraded|bumped|raised|lowered|increased|reduced|decreased|cut|extended"
    r"|shortened|renamed|replaced|dropped|ditched|postponed|delayed|pushed (?:back|out)|brought forward|rescheduled|shift(?:ed)?"
    r"|handed|passed|transferred|reassigned|took over|taken over|takes over|ported|relocated|rewritten|rewrote|reverted|rolled back"
    r"|adopted|standardi[sz]ed on|gone from|went (?:from|back|up|down)|grew|shrank|doubled|halved|bumping|moving|switching"
    r"|abolished|decommissioned|retired|shut down|superseded)\b"
    r"|^(?:correction|update|change of plans?|sorry|oops|actually|wait)\b[^.]*?[,:—–-]"
    r"|이제|부터|대신|앞으로|다시|옮[겼기]|변경|바[꿨뀌뀐꾸]|교체|이[전관]했|연기|앞당|올[렸리]|내[렸리]|늘[렸리었]|줄[였이었]|업그레이드|전환|되돌[렸리]|넘[겼기]|인계|정정",
    _I,
)
# What only might be, was asked, or was so for a while.
_NOT_SO = compile_later(
    r"^(?:nobody|no one|none|someone|somebody|누군가)\b|[\"“][^\"”]{8,}[\"”]|\basked (?:if"
    r"|whether|about)\b|냐고|다고 (?:했|한|물|말)"
    r"|\b(?:if|unless|whether|would|could|might|should (?:we|i)|suppose|imagine|maybe|perhaps|propos\w+|suggest\w*|wonder\w*"
    r"|consider\w*|plan(?:s|ned|ning)? to|going to|want(?:s|ed)? to|try(?:ing)? to|tried|thinking (?:of"
    r"|about)|(?:did|has|have|was|were|is)(?: not|n't)"
    r"|not yet|no longer|any ?more|also|as well|too|additionally|in addition|for (?:a (?:moment"
    r"|while|minute)|now|today|this)|temporarily|used to"
    r"|example|test run|back then|at that time|years? ago|originally|in (?:19|20)\d\d|last year)\b|\?"
    r"|다면|라면|만약|까요|을까|ㄹ까|지 않았|예를 들|더 ?이상|잠시|일단|도 함께|예전|당시",
    _I,
)
_CORRECTS = compile_later(
    r"^(?:correction|sorry|oops|actually|no|wait|i (?:misread|mistyped|misspoke|was wrong)[^,:;.]{0,20}"
    r"|정정(?:합니다)?|아니[다요]?|사실은?)(?:[,:;.!]| [-–—])"
    r"|, not (?P<not>[\w./-]+(?: [\w./-]+)?)[.!]?$",
    _I,
)
_THING = r"(?:the |our |that |this )?(?P<thing>[\w`./+#-]+(?: [\w`./+#-]+){0,3}?)"
_ENDED = (
    r"(?:(?:is|are|was|were|has been|have been|got) (?:now |finally |hereby )?(?:gone|abolished"
    r"|lifted|decommissioned|retired|shut down"
    r"|scrapped|cancell?ed|dropped|removed|discontinued|deprecated|revoked|off the table|history|over"
    r"|dead|obsolete|replaced)|(?:has |have )?left\b)"
)
# What a sentence says is given up.
_FORMER = (
    compile_later(rf"^(?:[\w ]{{0,20}}, )?{_THING} {_ENDED}\b(?! by\b)", _I),
    compile_later(
        r"\b(?:off|away from|from(?= .* to )|instead of|in place of|rather than|replac(?:ing"
        r"|es?|ed)(?= .* (?:by|with) )|superseding) "
        r"(?:the |our )?(?P<thing>[\w`./+#-]+(?: [A-Z][\w+#-]*)*)",
    ),
    compile_later(
        r"^(?P<thing>[\w.+#-]+(?: [\w.+#-]+)?) (?:was|turned out (?:to be )?) (?:a|the wrong"
        r"|an?) (?:mistake|choice|error|bad idea)\b",
        _I,
    ),
    compile_later(
        r"\b(?:dropp?(?:ed|ing)?|ditch(?:ed|ing)?|scrapp?(?:ed|ing)?|retir(?:ed|ing)|abandon(?:ed"
        r"|ing)|stopped using|gave up(?: on)?"
        r"|chang(?:ed|ing)? (?:my|our|the user's|the team's) minds? about|forget(?: about)?) (?:the |our )?(?P<thing>[\w`./+#-]+)",
        _I,
    ),
    compile_later(
        r"^(?P<thing>[A-Z][\w.-]+(?: [A-Z][\w.-]+)?) (?:has |have |just )*(?:handed|passed"
        r"|transferred|gave|turned|left|stepped down)\b"
    ),
    compile_later(r"\btook over [^.]*? from (?P<thing>[A-Z][\w.-]+)"),
    compile_later(r", not (?P<thing>[\w./-]+(?: [A-Z][\w./-]+)?)[.!]?$"),
    compile_later(
        r"(?P<thing>[\w.+#가-힣-]+?)(?:을|를|은|는|이|가)? ?(?:대신(?:에)?|말고|에서(?= \S+(?: \S+)?(?:으로|로) ))"
    ),
)
_IN_FAVOUR = compile_later(r"\b(?:in favou?r of|replaced (?:by|with)) (?:the |our )?(?P<name>[\w./+#-]+)", _I)
_AUXILIARY = compile_later(
    r"\b(?:is|are|was|were|has|have|had|will|must|should|can|may|do|does)\b|(?<=[가-힣])[은는이가] ", _I
)
_PLACED = frozenset("in on at to for from by with via under of behind".split())
_WORD = compile_later(r"[^\W_]+(?:[./_-][^\W_]+)*")
_LEADING = _PLACED | frozenset(
    "is are be use uses using run runs choose chose pick picked adopt adopted write prefer support supports".split()
)
_OBJECT_PARTICLES = ("을", "를", "로", "으로")
_ARTICLES = frozenset("the a an our now".split())
_SHARE = 0.6  # of the topic of the earlier statement that the new one must name
# Words that say little about what a statement is about.
_LIGHT = GENERIC | frozenset(
    map(
        stem_of,
        """move shift switch migrate upgrade downgrade bump raise lower increase reduce decrease extend shorten rename replace
        postpone delay
        push hand pass transfer reassign took over port relocate revert roll adopt call name ask become happen start finally decide
        announce user say said says want minimum maximum mistake wrong pull read listen publish own owns lead
        led everything rest whole
        company gone left abolish lift decommission retire shut history dead obsolete cancel remove discontinue drop ditch scrap
        abandon mind enough off one two three four five six seven eight nine ten every each
        옮기 옮겼다 바꾸 바꿨다 변경 실행 사용 시간 이제 다시 정하 쓰기 쓰기로
        쓴다 쓰다 했다 했어요 하기로 되돌렸다 올렸다 내렸다""".split(),
    )
)


class Replacing(NamedTuple):
    """What a sentence puts in place of something: `values` are those that hold now, `former` the stems of each name that it gives
    up, `topic` the stems of what it is about, `corrects` whether it says that the earlier statement was never right."""

    values: tuple[TypedValue, ...]
    former: tuple[frozenset[str], ...]
    topic: frozenset[str]
    corrects: bool


@lru_cache(maxsize=4_096)
def read_replacing(sentence: str) -> Replacing | None:
    """Return what a sentence puts in place of something earlier, None for a sentence that tells of no change."""
    text = _plain(sentence)
    if len(text) > _MOST_CHARS or is_request_for_answer(text):
        return None
    corrects = _CORRECTS.search(text)
    former = [match for form in _FORMER for match in form.finditer(text)]
    if _NOT_SO.search(text) or not (corrects or former or _MARKED.search(text)):
        return None
    gone = [(match.start("thing"), match.end("thing")) for match in former]
    clause = _main_clause(text)
    values = tuple(
        value
        for value in find_values(text)
        if clause[0] <= value.start < clause[1]
        and not any(a <= value.start < b or value.start <= a < value.end for a, b in gone)
    )
    names = tuple(words for match in former if (words := subject_words(match["thing"])))
    if not values and not names:
        return None
    return Replacing(values, names, subject_words(text), bool(corrects))


def replacement_strength(new: Replacing, text: str, old: str) -> float:
    """Return how strongly the sentence `text` takes the place of the earlier statement `old`, in [0, 1]; 0 if both can hold."""
    text, old = _plain(text), _plain(old)
    said, before = subject_words(text), subject_words(old)
    old_values = [value for value in find_values(old) if not _names(value) <= said or _is_given_up(value, new)]
    new_values = [value for value in new.values if not _names(value) <= before or value.kind != "name"]
    pairs = [
        (ours, theirs)
        for ours in new_values
        for theirs in old_values
        if ours.kind == theirs.kind and ours.text != theirs.text and theirs.text not in {v.text for v in new.values}
    ]
    gone = [names for names in new.former if names <= before]
    chosen = subject_words(" ".join(match["name"] for match in _IN_FAVOUR.finditer(text)))
    worn = chosen.union(*(_names(value) for value in (*old_values, *new.values)), *gone)
    about, topic = before - worn - _LIGHT, said - worn - _LIGHT
    shared = about & topic
    subject = subject_words(_AUXILIARY.split(old, maxsplit=1)[0]).difference(*gone, _LIGHT)
    if (subject and not gone and not subject & topic) or _contrasts(text, old, shared, chosen.union(*gone)):
        return 0.0
    if gone:
        fits = 2 * len(shared) >= len(topic) if topic else _is_value_of(gone[0], old) or _is_subject_of(gone[0], old)
        return (1.0 + len(shared)) / (1.0 + len(about)) if fits else 0.0
    if not pairs or not about or not shared or len(shared) < _SHARE * len(about):
        return 0.0
    exact = any(ours.kind != "name" for ours, _ in pairs)
    if not exact and not any(_same_slot(text, ours, old, theirs) for ours, theirs in pairs) and shared != about:
        return 0.0
    return len(shared) / len(about)


def _plain(sentence: str) -> str:
    return _DATED.sub("", " ".join(sentence.split()))


def _main_clause(text: str) -> tuple[int, int]:
    """Return the place of the clause that tells of the change: what stands behind ";" or "because" explains it."""
    end = re.search(r";|(?:,)? (?:because|since the|since we|as the|so that|after the)\b", text)
    return (0, end.start()) if end and _MARKED.search(text[: end.start()]) else (0, len(text))


def _tokens(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _names(value: TypedValue) -> frozenset[str]:
    """Return the stems of a value, as `subject_words` has them."""
    return subject_words(value.raw)


def _is_given_up(value: TypedValue, new: Replacing) -> bool:
    stems = subject_words(value.text)
    return any(names <= stems for names in new.former) or value.kind != "name"


def _is_value_of(names: frozenset[str], old: str) -> bool:
    """Return whether a statement says something with these names, rather than of them."""
    words = [word for word in _tokens(old) if word not in _ARTICLES]
    places = [place for place, word in enumerate(words) if subject_words(word) & names]
    if not places or places[0] == 0:
        return False
    return words[places[0] - 1] in _LEADING or words[places[0]].endswith(_OBJECT_PARTICLES)


def _is_subject_of(names: frozenset[str], old: str) -> bool:
    """Return whether a statement is about the thing with these names, of which there are several: "the code freeze"."""
    words = [stem for word in _tokens(old) for stem in subject_words(word)]
    return len(names) > 1 and frozenset(words[: len(names)]) == names


def _contrasts(new: str, old: str, shared: frozenset[str], named: frozenset[str]) -> bool:
    """Return whether both speak of different things of one sort: "the admin service", "the billing service"; "in staging", "in
    production"."""
    ours, theirs = _qualifiers(new, shared, named), _qualifiers(old, shared, named)
    return any(ours[word] and theirs[word] and not ours[word] & theirs[word] for word in ours.keys() & theirs.keys())


def _qualifiers(text: str, shared: frozenset[str], named: frozenset[str]) -> dict[str, frozenset[str]]:
    """Return for each shared word the words that stand directly before it, and for "in" and "for" what follows, without values
    and verbs that say little."""
    values = find_values(text)
    worn = {(value.start, value.end) for value in values if value.kind != "name"}
    found: dict[str, set[str]] = {}
    before, preposition, end = "", "", 0
    for match in _WORD.finditer(text):
        before = before if not re.search(r"[,.:;!?]", text[end : match.start()]) else ""
        end = match.end()
        word = match[0].lower()
        stem = stem_of(word)
        is_value = any(a <= match.start() < b for a, b in worn)
        if stem in shared and before:
            found.setdefault(stem, set()).add(before)
        if preposition in ("in", "for") and not is_value and stem in subject_words(word):
            found.setdefault(f"{preposition} …", set()).add(stem)
        preposition = word if word in _PLACED else preposition if word in ("the", "our", "a") else ""
        telling = stem in subject_words(word) - named - _LIGHT and not is_value
        before = stem if telling else ""
    return {word: frozenset(words) for word, words in found.items()}


def _same_slot(new: str, ours: TypedValue, old: str, theirs: TypedValue) -> bool:
    """Return whether both values stand behind the same preposition or verb."""
    one, other = _word_before(new, ours.start), _word_before(old, theirs.start)
    return one == other


def _word_before(text: str, place: int) -> str:
    words = [word for word in _tokens(text[:place]) if word not in _ARTICLES]
    return stem_of(words[-1]) if words else ""
