"""Makes a sentence understandable without its context: replaces pronouns and "the bug" by their antecedents, relative times
by dates, and "I" and "we" by the speaker. If a reference stays unresolved, the sentence is rejected: a fact with a dangling
pronoun is worse than no fact."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from graphmem.cognify import cues
from graphmem.cognify.claims import CORRECTION, claim_clause, claim_of
from graphmem.cognify.statements import Statement
from graphmem.model.text import Reference
from graphmem.patterns import compile_later
from graphmem.text.references import resolve_many
from graphmem.text.times import anchor_times

_CONTEXT = 600  # characters before a sentence in which its references are looked for: some five sentences
_BRIEF = 1_500  # characters of a text in which every statement is resolved
_MINOR = frozenset({"property"})  # of longer ones, nine in ten statements: parsing them took most of all time
_CODE = compile_later(r"(?ms)^\s*(```|~~~).*?(?:^\s*\1|\Z)")
_INK = compile_later(r"\S")
_PERSONAL = compile_later(r"it|its|they|them|their|theirs", re.I)
_WORDS_BEFORE = 5  # words of a sentence from which on its pronouns are taken to mean one of them
_POINTING = frozenset({"this", "that", "these", "those"})  # by itself, it mostly means what was said and no thing
_MEANS_NOTHING = compile_later(r"^(?:it|this|that|they|he|she|the \w+)$", re.I)
_BARE = compile_later(r"(?-i:[a-z])[a-z]+(?<!s)$", re.I)  # "folder": a thing of which the words before are lost
_LONGEST_ANTECEDENT = 80
_FIRST = compile_later(
    r"\b(?:I(?!\.e\b)|we|me|us|my|our|ours|mine|myself|ourselves|let's)\b(?:'(?:ve|m|re|d|ll))?", re.I
)
# "I write it myself": the word only stresses who does it; "I ask myself" and "by myself" say something else.
_EMPHATIC = compile_later(
    r"(?P<said>\b(?:I|we)\b"
    r"(?:(?: [\w'`./-]+){1,5} (?!(?:by|for|to|of|with|at|in|on|about|from|than|as|and|or|but|not)\b)[\w'`./-]+)?)"
    r" (?:myself|ourselves)\b",
    re.I,
)
_YOU = compile_later(r"\b(?:you|yours|yourself)\b", re.I)
_SECOND = compile_later(r"\b(?:you|your|yours|yourself)\b", re.I)
_POSSESSIVE = {"its", "their", "his", "her"}
_AUXILIARY = {"am": "is", "are": "is", "'m": "is", "'re": "is", "have": "has", "'ve": "has",
              "'ll": "will", "'d": "would", "do": "does", "don't": "does not",
              "were": "was", "haven't": "has not", "aren't": "is not", "dont": "does not", "havent": "has not",
              "arent": "is not", "cant": "cannot", "wont": "will not", "didnt": "did not"}  # fmt: skip
# Verbs that take no -s: past tenses and auxiliaries; and words between "I" and its verb.
_UNCHANGED = compile_later(
    r"(?!(?:need|feed|seed|speed|heed|embed|exceed|proceed|succeed|sound|round)$)"
    r"\w+(?:ed|ught|ound|ade|ote|ook|ent|ept|elt|ame|ave|old|osed)$|(?:chose|ran|saw|put|set|let|did|was|had|got|can|said|told|made|gave|went|built|sent|began|wrote|won|lost|felt|met|no|not|cannot"
    r"|could|will|would|must|should|may|did|[a-z]+n't)$"
)
_BETWEEN = (
    r"no longer|never|always|also|now|already|just|only|both|all|still|often|sometimes|seldom|soon|therefore|however|then|thus"
    r"|hereby|"
    r"(?!(?:re|ap|im|com|sup|mul)p?ly|rely|fly|tally|rally|bully\b)[a-z]+ly"
)
_REGULAR = compile_later(r"(?:s|x|z|ch|sh|o)$")
_KOREAN_SPEAKER = compile_later(r"(?<![가-힣])(?:저는|나는|제가|내가)(?=\s)")
_KOREAN_TEAM = compile_later(r"(?<![가-힣])(?:우리|저희)(?P<role>는|가)(?=\s)")
_DAY = compile_later(r"(?P<year>\d{4})(?P<rest>-\d\d-\d\d)")
_CALENDAR = compile_later(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|\d+ ?월", re.I
)
_RELATIVE = compile_later(r"\d{4}")  # what names a year needs no date


# What every project has: "use `make check` for the tests" needs no other sentence.
_OF_PROJECT = compile_later(
    r"\b(?:the (?:tests?|test suite|code|documentation|docs|commits|changelog)"
    r"|(?:the|this|our) (?:codebase|repo|repository|project))\b"
    r"(?! that| you)",
    re.I,
)


class Speaker(NamedTuple):
    """Who said it when: `speaker` is "user", "agent" or "commit"; `at` microseconds since 1970 UTC; `name` what the
    speaker is called, where that is known."""

    speaker: str
    at: int
    name: str = ""


class SelfContained(NamedTuple):
    """A sentence that stands alone; `valid` is the offset in seconds from when it was said to when it holds from."""

    content: str
    valid: int | None


class Antecedents(NamedTuple):
    """The antecedents of the pronouns of one sentence: `outer` maps to something before it, `inner` (lower case) to
    something within it."""

    outer: tuple[Reference, ...] = ()
    inner: frozenset[str] = frozenset()


NOWHERE = Antecedents()


def resolve_pronouns(pages: Sequence[tuple[str, Sequence[Statement]]]) -> list[dict[int, Antecedents]]:
    """Return, for each text, the antecedents of its statements' pronouns, by statement number. All texts are parsed in
    one batch, and only the parts that contain something to resolve."""
    found: list[dict[int, Antecedents]] = [{} for _ in pages]
    wanted, jobs = [], []
    for page, (text, chosen) in enumerate(pages):
        needy = [
            number
            for number, statement in enumerate(chosen)
            if (len(text) <= _BRIEF or statement.kind not in _MINOR) and _needs(statement.content)
        ]
        prose = _CODE.sub(lambda code: _INK.sub(" ", code[0]), text) if needy else text  # nobody is named in code
        for begin, group in _near(chosen, needy):
            wanted.append((page, begin, group))
            jobs.append(prose[begin : chosen[group[-1]].end])
    for (page, begin, needy), resolved in zip(wanted, resolve_many(jobs), strict=True):
        for number in needy:
            first, last = pages[page][1][number].start - begin, pages[page][1][number].end - begin
            own = [reference for reference in resolved if first <= reference.start and reference.end <= last]
            found[page][number] = Antecedents(
                tuple(r for r in own if not first <= r.antecedent_start < last),
                frozenset(r.text.lower() for r in own if first <= r.antecedent_start < last),
            )
    return found


def _near(chosen: Sequence[Statement], needy: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield (start of the text to read, statements in it): statements whose contexts overlap are read together."""
    group: list[int] = []
    for number in needy:
        if group and chosen[number].start - _CONTEXT > chosen[group[-1]].end:
            yield max(0, chosen[group[0]].start - _CONTEXT), group
            group = []
        group.append(number)
    if group:
        yield max(0, chosen[group[0]].start - _CONTEXT), group


def _needs(content: str) -> bool:
    return bool(
        cues.DANGLING_REFERENCE.search(content)
        or cues.VAGUE_REFERENCE.search(content)
        or cues.VAGUE_KOREAN.search(content)
    )


def make_self_contained(statement: Statement, points: Antecedents, said: Speaker) -> SelfContained | None:
    """Return a statement that can be understood without other sentences; None if that is impossible. If only one
    clause makes a claim, that clause is sufficient."""
    found = _resolved(statement, points, said)
    if found is None and (part := claim_clause(statement.content)):
        found = _resolved(statement._replace(content=part), NOWHERE, said)
    return found


def _resolved(statement: Statement, points: Antecedents, said: Speaker) -> SelfContained | None:
    content, own = statement.content, set(points.inner)
    claim = claim_of(content)
    if claim and claim.predicate == CORRECTION:
        return SelfContained(content, None)  # what it corrects is found in its thread
    if claim and re.search(r"\bone\b", claim.value):
        own.add("one")  # a number: "one approval"
    if claim and claim.former and " used to be " in content:
        own.add("it")  # what used to be otherwise
    for reference in sorted(points.outer, key=lambda reference: -reference.start):
        meant = " ".join(reference.antecedent.strip("*`\"' ").split())
        if (
            reference.text.lower() in _POINTING
            or not meant
            or len(meant) > _LONGEST_ANTECEDENT
            or _MEANS_NOTHING.match(meant)
            or _BARE.match(meant)
            or cues.DANGLING_REFERENCE.search(meant)
        ):
            return None
        if re.search(
            rf"(?<!\w){re.escape(meant)}(?!\w).*(?<!\w){re.escape(reference.text)}(?!\w)", content, re.I | re.S
        ):
            own.add(reference.text.lower())  # the sentence has said it itself: it stands alone as it is
            continue
        content = _replaced(content, reference.text, meant)
    if not cues.HANGUL.search(content):
        content = _addressed(content, statement.kind, said.speaker)
        spoken = _speaker(content, said.speaker, said.name)
        if spoken is None:
            return None
        content = spoken
    else:
        one = said.name or ("사용자" if said.speaker == "user" else "에이전트")
        content = _KOREAN_TEAM.sub(lambda m: "팀은" if m["role"] == "는" else "팀이", content)
        content = _KOREAN_SPEAKER.sub(f"{one}는", content)
    told = _OF_PROJECT.sub("project", content) if statement.is_labelled and statement.kind == "rule" else content
    if any(
        match.group().lower() not in own and not (statement.is_labelled and _is_within(told, match))
        for match in cues.DANGLING_REFERENCE.finditer(told)
    ):
        return None
    if cues.VAGUE_REFERENCE.search(told) or cues.VAGUE_KOREAN.search(content):
        return None
    return _dated(content, said.at, ahead=claim is not None and bool(_CALENDAR.search(claim.value)))


def _is_within(content: str, pronoun: re.Match[str]) -> bool:
    """Return whether a pronoun late in a sentence means something that the sentence has named."""
    return bool(_PERSONAL.fullmatch(pronoun[0])) and len(content[: pronoun.start()].split()) >= _WORDS_BEFORE


def _replaced(content: str, mention: str, meant: str) -> str:
    possessive = mention.lower() in _POSSESSIVE
    words = f"{meant}'s" if possessive and not meant.endswith("'s") else meant
    return re.sub(rf"(?<!\w){re.escape(' '.join(mention.split()))}(?!\w)", lambda _: words, content, count=1)


# Behind "you" where that is no subject: "giving you instructions", "belongs to you as a courier".
_NO_VERB = compile_later(
    r"(?:\w+ing|\w*[^su\W]s|an?|the|as|at|by|for|from|in|into|of|off|on|out|over|to|up|with|about|than|and|or|but|if|so|that|this"
    r"|these|those|which|what|how|why|when|where|who|more|some|any|all|both|each|every|one|it|them|my|our|not)$",
    re.I,
)
_GENERIC = compile_later(r"^(?:when|whenever|once|after|before) you\b", re.I)
_BINDING = frozenset({"rule", "preference", "decision"})


def _addressed(content: str, kind: str, speaker: str) -> str:
    """Second persons become who is addressed where that is clear: the agent by an order of a person, the user where an agent
    describes what is the user's ("your terminal") or what happens when something is done."""
    if speaker == "user" and kind in _BINDING:
        one = "the agent"
        # "Always sign your commits": whoever reads it.
        content = re.sub(r"\byour (?=(?:\w+ )?\w+[^s\W]s\b)", "", content, flags=re.I)
    elif speaker == "agent" and kind not in _BINDING and (_GENERIC.match(content) or not _YOU.search(content)):
        one = "the user"
    else:
        return content
    text = re.sub(r"\byour\b", f"{one}'s", content, flags=re.I)
    text = re.sub(
        r"\b(you)\b(?: (never|always|also|just|only))?(?:('re|'ve|'ll|'d)| (\w+n't|\w+))?",
        lambda m: _third(m, one, one) if m[3] or (m[4] and not _NO_VERB.match(m[4])) else f"{one} {m[4] or ''}".strip(),
        text,
        flags=re.I,
    )
    return text[:1].upper() + text[1:] if _SECOND.match(content) else text


def _speaker(content: str, speaker: str, name: str = "") -> str | None:
    """First persons become the speaker; a sentence that addresses somebody is none. Code stays: `i` is no person."""
    code = _TICKED.findall(content)
    prose = iter(range(len(code)))
    spoken = _spoken(_TICKED.sub(lambda _: f"`{next(prose)}`", content), speaker, name)
    return None if spoken is None else _NUMBERED.sub(lambda match: code[int(match[1])], spoken)


_TICKED, _NUMBERED = compile_later(r"`[^`]*`"), compile_later(r"`(\d+)`")


def _spoken(content: str, speaker: str, name: str) -> str | None:
    if _SECOND.search(content):
        return None
    if not _FIRST.search(content):
        return content
    if speaker == "commit":
        return None
    one, many = ("The user", "the team") if speaker == "user" else ("The agent", "the team")
    one = name or one
    text = _EMPHATIC.sub(r"\g<said>", content)
    text = re.sub(r"\blet's\s+", "the team decided to ", text, flags=re.I)
    text = re.sub(r"\b(?:my|mine)\b", f"{name or one.lower()}'s", text, flags=re.I)
    text = re.sub(r"\b(?:our|ours)\b", f"{many}'s", text, flags=re.I)
    text = re.sub(
        rf"\b(I(?!\.e\b)|we)\b(?:\s+({_BETWEEN})\b)?(?:\s*('m|'re|'ve|'ll|'d)|\s+(\w+n't|\w+))?",
        lambda m: _third(m, name or one.lower(), many),
        text,
        flags=re.I,
    )
    text = _COORDINATED.sub(lambda m: f"{m['head']}{_singular(m['verb'])}", text)
    text = re.sub(r"\b(?:me|myself)\b", name or one.lower(), text)
    text = re.sub(r"\b(?:us|ourselves)\b", many, text)
    if _FIRST.search(text):
        return None
    return text[:1].upper() + text[1:]


def _third(match: re.Match[str], one: str, many: str) -> str:
    """ "I use" -> "the user uses"."""
    who = (one if match[1] in "Ii" else many) + (f" {match[2]}" if match[2] else "")
    if match[3]:
        return f"{who} {_AUXILIARY[match[3].lower()]}"
    verb = match[4] or ""
    low = verb.lower()
    if not verb or low in _AUXILIARY or _UNCHANGED.match(low):
        return f"{who} {_AUXILIARY.get(low, verb)}".rstrip()
    return f"{who} {_singular(verb)}"


def _singular(verb: str) -> str:
    """Return the third person of a verb: "carries", "pushes", "uses"."""
    low = verb.lower()
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}{'es' if _REGULAR.search(low) else 's'}"


# "The team builds with uv and deploy with Ansible": the second verb has the same subject, if no other clause is between.
_COORDINATED = compile_later(
    r"(?P<head>\bthe (?:team|user|agent) (?:(?:no longer|never|always|also|now|usually) )?[a-z]+s\b(?! to\b)[^,;:.]{2,80}?"
    r" (?:and|but|or) (?:(?:never|always|then|also|only|now) )?)"
    r"(?P<verb>use|deploy|run|keep|store|write|read|publish|push|send|test|build|ship|sign|tag|review|merge|squash|lint|format|host"
    r"|prefer|require|need|support|avoid|pin|cache|log|call|add|put|set|check|start|stop|update|release|rotate|archive|maintain)"
    r"(?= (?:the|an?|it|them|with|to|from|in|on|via|every|each|all|only|no|by|for|both|its|their|[A-Z`\d]))",
    re.I,
)


_WEEKDAY = compile_later(
    r"(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?: (?:morning|afternoon|evening|night)s?)?"
    r"(?:,? (?:at )?\d[\d:]* ?(?:[ap]\.?m\.?)?)?"
    r"|[월화수목금토일]요일(?: ?(?:오전|오후|아침|저녁|밤))?(?: ?\d{1,2}(?:시(?: ?\d{1,2}분| ?반)?|:\d\d))?",
    re.I,
)
# What comes round every week: "the standup is on Monday at 9", "backups run on Sunday", "백업은 일요일에 돈다".
_ROUND = compile_later(
    r"\b(?:stand-?ups?|retros?|weekl(?:y|ies)|cron ?jobs?|backups?|office hours|maintenance windows?|on-?call rotation"
    r"|recurring|regular)\b"
    r"|^(?:the |our |all )?(?:\w+ ){0,2}\w+[^s\W]s (?:run|start|go out|happen|fire|rotate|land|close|open|execute|take place)\b"
    r"|정기|정례|주간 |스탠드업|회고|백업|크론|당직|(?:돈다|돌아|돌아가|실행된다)[.!]?$",
    re.I,
)
_THIS_ONE = compile_later(r"\b(?:next|this|coming|last|tomorrow|new)\b|다음|이번|지난|오는|내일|처음", re.I)
_PART_OF_DAY = compile_later(r"T[A-Z]{2}$")  # of a TIMEX value: "2026-09-18TAF"
_HABIT = compile_later(
    r"\b(?:never|always|must|every|only|not|n't|no longer|unless)\b|n't\b|않|금지|항상|매번|에만|에는|마다|반드시"
    r"|(?:쓴|쉰|모인|열린|닫는)다[.!]?$|비어 ?있(?:다|어|어요|습니다)[.!]?$",
    re.I,
)
# A month that may be a person: "the owner is Jun", but "in June".
_MONTH = compile_later(r"(?:jan|mar|april|may|june?|august|avril)\b\.?", re.I)
_IN_TIME = compile_later(
    r"(?:\b(?:in|by|until|till|since|during|before|after|of|this|next|last|early|mid|late|through|each|every)[ -])$",
    re.I,
)


# Who is named next is a person, also with the name of a month: "the owner of team 3 is May".
_WHO = compile_later(
    r"\b(?:owners?|reviewers?|maintainers?|contacts?|leads?|managers?|authors?|assignees?|admins?|heads?|developers?|designers?|bosse?s?"
    r"|approvers?|colleagues?|mentors?|who)\b[^,;]* (?:is|are|was|will be|:)(?: now)? $",
    re.I,
)
# A time of day without its day.
_CLOCK = compile_later(
    r"(?:at )?\d{1,2}(?::\d\d){0,2} ?(?:[ap]\.?m\.?)?(?: ?(?:UTC|GMT|[A-Z]{2,4}T|Z))?|noon|midnight"
    r"|(?:오전|오후|새벽|아침|저녁|밤|낮|정오|자정)? ?\d{1,2}시(?: ?\d{1,2}분| ?반)?",
    re.I,
)


def _dated(content: str, at: int, *, ahead: bool) -> SelfContained:
    """Relative times get their date behind them. `ahead`: the date is what is claimed (a deadline), so one without a year is
    still to come."""
    valid = None
    moment = datetime.fromtimestamp(at / 1_000_000, UTC)
    for mention in reversed(anchor_times(content, moment)):
        if mention.begin is None or mention.value.startswith("P"):
            continue
        if mention.text.endswith("now") and content.startswith(" on", mention.end):
            continue  # "to 15 minutes from now on" says since when
        if _WEEKDAY.fullmatch(mention.text) and (
            _HABIT.search(content) or (_ROUND.search(content) and not _THIS_ONE.search(content))
        ):
            continue  # "never deploy on Friday" means every Friday
        before = content[: mention.start]
        if _MONTH.fullmatch(mention.text) and (_WHO.search(before) or not (ahead or _IN_TIME.search(before))):
            continue
        if _CLOCK.fullmatch(mention.text):
            continue  # "builds start at 02:00": every day
        valid = int((mention.begin - moment).total_seconds())
        if not _RELATIVE.search(mention.text):
            value = _PART_OF_DAY.sub("", mention.value)
            if ahead and mention.begin < moment and (day := _DAY.fullmatch(value)):
                value = f"{int(day['year']) + 1}{day['rest']}"
            content = f"{content[: mention.end]} ({value}){content[mention.end :]}"
    return SelfContained(content, valid)
