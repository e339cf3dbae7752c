"""Decides last whether a statement that the models and rules would keep endures: a wrong fact is worse than a missing one, so
what does not show that it will hold next month is left out, by the model of `last_look`. It has read real work alone, where
hardly anybody states something in a few careful words; who does means it, and no model is asked. What an agent found out about
libraries and platforms, values, and rules for the work are told from how the code stands by rules, which the model weighs.
English only: Korean rules are narrow already."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from graphmem.cognify import cues
from graphmem.cognify.assertions import is_measured
from graphmem.cognify.features import Read
from graphmem.cognify.last_look import look_last
from graphmem.cognify.lasting import is_about_code, is_about_tool, is_headed, is_two_lines
from graphmem.cognify.person_look import is_plain_sentence
from graphmem.cognify.statements import Statement, without_opening
from graphmem.model.text import EntityMention
from graphmem.patterns import compile_later
from graphmem.text.restating import states_value
from graphmem.text.typed_values import gives_exact_value

_I = re.IGNORECASE
_TOLD = frozenset({"fix", "change", "failure"})
_BINDING = frozenset({"decision", "preference", "rule"})
_MENDING = frozenset({"cause", "fix"})
_LITTLE = 40  # characters of a turn besides its only statement: "Understood: …"
_BRIEF = 300  # characters of a person's turn that says little else
_FEW_WORDS = 4
_PASTED = 1_500  # characters of a person's turn from which on it is a specification that somebody pasted
# How something stands at this moment, which the next edit ends.
_STATE = compile_later(
    r"\b(?:has|have|had|there (?:is|are|was|were)) (?:currently |still |also )?(?:no|not|never|only|yet to)\b"
    r"|\b(?:is|are|was|were|isn't|aren't|wasn't|weren't)(?: not)?(?: \w+ly| yet| just| also)? (?:defined|configured"
    r"|closed|used|set"
    r"|shipped|implemented|wired|handled|validated|populated|scaffolded|exported|imported|registered|called|created|added|gone"
    r"|hard-?coded|missing|empty|undefined|broken|unused|duplicated|outdated|overwritten|appropriate|treated|ready)\b"
    r"(?! (?:in|by|from|with|via|as|at|to|on) )"
    r"|\b(?:is|are) (?:being|open|correctly|catching)\b|\bbecomes? \w+er\b|``(?!`)"
    r"|\b(?:is|are) (?:fully|completely|entirely|100 ?%)|\beither[;.,]|\bconfirms\b|\bmust-\w+"
    r"|\b(?:but|yet|and|so) (?:is|are|was|were)?(?:n't| not)\b|\bnot (?:yet |\w+ly )?(?:used|implemented|shipped|wired"
    r"|tested|covered)\b"
    r"|\bnow\b|\bstill\b|\bcurrently\b|\bno longer\b(?=.{0,40}$)|\bremaining\b|\bpreviously\b|\bfor now\b|\bplaceholder\b"
    r"|\b(?:was|were) (?:only |just |never |being |\w+ly )?\w+ing\b"
    r"|\b(?:returned|applied|deferred|overwritten|updated|completed|finished|skipped) (?:verdict|items?|cleanly)\b"
    r"|\bexpects?\b.{0,120}?\bbut\b|\bshows?\b.{0,120}?\b(?:correctly|but|while)\b",
    _I,
)
_AT_PRESENT = compile_later(
    r"\b(?:now|still|currently|yet|remaining|previously)\b|\b(?:but|so) (?:\w+ )?(?:is|are|was|were)?(?:n't| not)\b",
    _I,
)
_FAILED = compile_later(
    r"\b(?:crashed|failed|broke|hung|leaked|timed out|raised|threw|lost|was (?:slow|wrong|stale|empty|missing|broken|flaky))\b",
    _I,
)
# Why something fails at this moment.
_FAILS_NOW = compile_later(
    r"^(?:the |this |that )?(?:\w+ ){0,3}?(?:error|issue|problem|bug|failure|warning|reason|crash|exception)s?\b"
    r"(?! (?:was|were)\b)"
    r"|\b(?:doesn't|does not|do not|don't|isn't|is not|fails?|failing|errors?)\b.{0,80}?\b(?:because|since|due to)\b",
    _I,
)
# A line of a list under a heading that says what it is about.
_ITEM = compile_later(
    r"^(?:must|should|could|nice to|required|optional|good to)[- ](?:have|pass|fix|fail)\w*:"
    r"|^\W*(?:potential )?(?:issue|note|tip)s?:"
    r"|^[\U00002600-\U0001FAFF]|^(?:always|never) (?:[a-z]+(?:able|ible|ful|ed)|present|consistent|relevant)\b"
    r"|\bthe \S+ error\b|^(?:if|when|because|since|also|then)\b",
    _I,
)
_DEMANDS = compile_later(
    r"^(?:never|always)\b|\b(?:must(?!-)|required|mandatory|forbidden|not allowed|cannot|can't)\b", _I
)
_LIMIT = compile_later(
    r"\b(?:does|do|can)(?:n't| not) (?:support|allow|accept|respect|enforce)\b|\bcannot (?:support|handle)\b", _I
)
_VALUE = compile_later(
    r"\b(?:defaults?(?: \w+)? (?:is|to)|port|version|limit|timeout|maximum|minimum)\b.{0,60}?[\d:/`]",
    _I,
)
_BY_SOMEBODY = compile_later(r"(?:the )?(?:team|user|agent)\b|(?:agreed|decision|decided)\b|we\b", _I)
# A piece of a list, or what a program printed.
_PRINTED = compile_later(r"^\s*[⎿└│—–·✓✗⏺]|[·✓✗] .*[·✓✗] ")
# What an agent goes on with at once: the sentence before is what it is about to mend.
_GOES_ON = compile_later(
    r"[\s*_`.:]*(?:(?:so|now|first|therefore)[, ]+)?(?:let me|let'?s|i'?ll|i will|i need to|i(?:'m| am) going to"
    r"|we need to|this suggests)\b",
    _I,
)
# Of our own program, whatever it is made with: "The FastAPI app has no …".
_OURS = compile_later(
    r"^(?:the|our|this) (?:\S+ ){1,3}?(?:app|application|server|service|project|backend|frontend|component|page|form"
    r"|code|implementation"
    r"|tests?|suite|build|script|config\w*|setup|module|hook|endpoint|route|table|interface|UI)\b",
    _I,
)
# Two sentences that nothing parts: "runtime config.From now on …".
_RUN_ON = compile_later(
    r"[a-z]{3}\.[\"“']?(?:From|The|We|It|This|In|On|If|Never|Always|Do|Use|Please|And|But|You|I)\b "
)


_MARK = compile_later(r"^(?:[-*+•]|\d{1,2}[.)])\s+")
_SMALL = compile_later(r"[a-z]")
_FROM_NOW_ON = compile_later(r"\b(?:from now on|going forward)\b", _I)
_SETTLED = compile_later(
    r"\b(?:we|I|they|the team|the user) (?:have |has |had )?(?:already |also |just )?(?:decided|agreed|chose|settled)\b",
    _I,
)
_CHATTY = compile_later(
    r"^(?:again|also|assuming|better|changed|decent|great|honestly|instead|nope|oof|still|very|wait|wow|yeah|yep)\b|^@"
    r"|^I(?:'ve|'m| have| am)? (?:also |just |now )?(?!agreed|decided|changed)\w+(?:ed|ing)\b|\bstill \w+ing\b",
    _I,
)


class Kept(NamedTuple):
    """A statement that would be kept under a kind, as `content` in words that stand alone; `text` is what it is said in."""

    statement: Statement
    kind: str
    content: str
    text: str
    has_value: bool  # it claims a value of something
    marks: frozenset[str] = frozenset()  # how it came so far, for the last look

    @property
    def raw(self) -> str:
        """Return the sentence as it was said."""
        return self.text[self.statement.start : self.statement.end]


def endures(kept: Kept, speaker: str, mentions: Sequence[EntityMention]) -> bool:
    """Return whether a statement will hold beyond the work at hand."""
    if cues.HANGUL.search(kept.content) or speaker == "commit":
        return True
    if kept.statement.is_labelled:  # the cause of one fault, in a report that somebody pasted, is none of a project
        return speaker == "agent" or kept.kind not in _MENDING or len(kept.text) <= _BRIEF
    if _RUN_ON.search(kept.raw) or is_two_lines(kept.raw) or _PRINTED.search(kept.content):
        return False
    statement = kept.statement
    read = Read(kept.content, kept.kind, speaker, kept.text, statement.start, statement.end)
    is_all = len(kept.text.strip()) <= len(kept.raw) + _LITTLE
    if speaker == "user":
        is_meant = _is_meant(kept, read, is_all=is_all) or _FROM_NOW_ON.search(kept.raw) is not None
        return is_meant or look_last(read, mentions, kept.marks)
    found = _agent_found(kept, mentions)
    if kept.kind == "decision" and _SETTLED.search(kept.raw):
        return found  # what the model has read are intentions ("let's ..."), no reports of what was decided
    return found if is_all else look_last(read, mentions, kept.marks | ({"found"} if found else frozenset()))


def _is_meant(kept: Kept, read: Read, *, is_all: bool) -> bool:
    """Return whether a person says in a few words, with care, what is to hold: demands, decides or claims something, or says
    nothing else."""
    raw = without_opening(_MARK.sub("", kept.raw).strip())
    if len(kept.text) > _PASTED or _SMALL.match(raw) or _CHATTY.search(raw):
        return False
    is_whole = raw.endswith((".", "!"))
    if len(kept.text) > _BRIEF:
        return is_whole and (kept.has_value or kept.kind == "preference" or {"claimed", "revises"} <= kept.marks)
    if "claimed" in kept.marks or kept.kind == "preference":
        return is_whole or (is_all and len(raw.split()) >= _FEW_WORDS)
    is_settled = kept.kind in _BINDING or (states_value(kept.content) and gives_exact_value(kept.content))
    return is_whole and (is_all or is_settled) and is_plain_sentence(read)


def _agent_found(kept: Kept, mentions: Sequence[EntityMention]) -> bool:
    content = kept.content
    if kept.kind in _TOLD:
        return len(kept.text) <= _BRIEF or kept.has_value or _FAILED.search(content) is not None
    if kept.kind in ("decision", "preference"):
        return _BY_SOMEBODY.match(content) is not None
    if _ITEM.match(content):
        return False
    if kept.kind != "rule" and _GOES_ON.match(kept.text, kept.statement.end) and not _LIMIT.search(content):
        return False
    if kept.kind == "cause":
        return not _FAILS_NOW.search(content) and (_FAILED.search(content) is not None or not _STATE.search(content))
    if kept.kind == "rule":
        return not is_headed(content) and not _STATE.search(content)
    if is_about_tool(content, mentions, kept.text) and not _OURS.match(content):
        return not _AT_PRESENT.search(content)
    if _STATE.search(content):
        return False
    if kept.has_value or _VALUE.search(content) or _LIMIT.search(content):
        return True
    return not is_about_code(content, mentions) and (is_measured(content) or _DEMANDS.search(content) is not None)
