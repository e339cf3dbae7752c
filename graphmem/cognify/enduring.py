"""Decides last whether a statement that the models and rules would keep endures: a wrong fact is worse than a missing one, so
what does not show that it will hold next month is left out. Of an agent: how the code, its tables and components stand, what
it reports, and why something fails that it is about to mend. What it found out about libraries and platforms, values, and
rules for the work stay. Of a person: what a long order says of the one task that it describes. English only: Korean rules are
narrow already."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from graphmem.cognify import cues
from graphmem.cognify.assertions import is_measured
from graphmem.cognify.lasting import is_about_code, is_about_tool, is_headed, is_two_lines
from graphmem.cognify.statements import Statement
from graphmem.model.text import EntityMention
from graphmem.patterns import compile_later

_I = re.IGNORECASE
_TOLD = frozenset({"fix", "change", "failure"})
_MENDING = frozenset({"cause", "fix"})
_BRIEF = 300  # characters of a person's turn that says little else
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
_FOR_GOOD = compile_later(
    r"\b(?:always|never|whenever|from now on|going forward|by default|instead of|no longer|any ?more|in general"
    r"|as a rule|decided"
    r"|must be (?:installed|kept|signed|reviewed|approved)|(?:every|each|any|(?:for|in|of|to|on) all) (?:new |the |our "
    r"|public )?"
    r"[\w/-]+)\b",
    _I,
)
_MARK = compile_later(r"^(?:[-*+•]|\d{1,2}[.)])\s+")
# What a person says in a few words of the work at hand.
_PASSES = compile_later(
    r"^(?:that|this|it)(?:'s| is| was)?(?: not)? |^(?:let'?s|lets) (?:go (?:on|ahead)|(?:get|start|move|continue"
    r"|work|try) (?:back|on|ahead|over|with))\b"
    r"|\b(?:just|only) (?:giving|telling|asking|showing|testing|trying)\b|^(?:yes|no|ok|okay)\b(?!,? (?:we|always|never|use))"
    r"|\b(?:up to date|needs? more|must[- ]fix(?:es)?|aider is|then (?:write|create|add|fix|implement)|just go back)\b"
    r"|^@\w+|^\w+ --\w|^(?:do not|don't) make any changes?\b|^(?:the )?must\b",
    _I,
)
_ONLY_HERE = compile_later(
    r"^(?:do not|don't|never|avoid|only) (?:ever )?(?:change|modify|remove|edit|touch|create|rewrite|add|alter|delete|write)\b"
    r"(?!.*\b(?:without|unless it|by hand|directly|manually|generated)\b)",
    _I,
)


_BY_SOMEBODY = compile_later(r"(?:the )?(?:team|user|agent)\b|(?:agreed|decision|decided)\b|we\b", _I)
# A piece of a list, or what a program printed.
_PRINTED = compile_later(r"^\s*[⎿└│—–·✓✗⏺]|[·✓✗] .*[·✓✗] ")
# An order for the page or text at hand.
_DO_NOW = compile_later(
    r"^(?:(?:nope|instead|before|now|then)\b|(?:move|put|extract|grab|shift|search|place|name)\b"
    r"|let'?s (?:also |just |now |first |please )?(?:add|build|change|check|clean|continue|create|debug|delete|do|edit|extract|fix"
    r"|focus|get|give|implement|look|make|modify|move|put|refactor|remove|rename|review|run|see|start|test|try|update"
    r"|write)\b)(?!.*\b(?:always|never|from now on)\b)"
    r"|\bstill\b",
    _I,
)
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
_WISHES = compile_later(
    r"\bshould (?:not |only |also )?(?:be (?:cleared|shown|displayed|hidden|visible|able|removed|updated|added|changed)"
    r"|show|display|appear"
    r"|have|look|open|go|return|contain|include)\b",
    _I,
)
_FEW_LINES = 3  # of a turn; one with more is the description of a task


class Kept(NamedTuple):
    """A statement that would be kept under a kind, as `content` in words that stand alone; `text` is what it is said in."""

    statement: Statement
    kind: str
    content: str
    text: str
    has_value: bool  # it claims a value of something

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
    return _agent_found(kept, mentions) if speaker == "agent" else _person_means(kept)


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


def _person_means(kept: Kept) -> bool:
    text, raw, begin = kept.text, _MARK.sub("", kept.raw), kept.statement.start
    if len(text) <= _BRIEF and sum(map(bool, map(str.strip, text.splitlines()))) <= _FEW_LINES:
        if kept.has_value:
            return True
        if _DO_NOW.search(raw) and kept.kind not in ("decision", "preference"):
            return False
        if kept.statement.revises:
            return True
        return not _PASSES.search(raw) and (not _WISHES.search(raw) or _FOR_GOOD.search(raw) is not None)
    if len(text) > _PASTED and min(begin, len(text) - kept.statement.end) > _BRIEF:
        return False
    return (_FOR_GOOD.search(raw) is not None and not _ONLY_HERE.match(raw)) or kept.has_value
