"""Looks a second time at the few sentences of agents that `classifier` would keep, now with what it cannot afford for every
sentence: the entities that a sentence names, the layout around it (`layout`), and what a report says of the work at hand.
Two linear models in whole numbers: one for long reports, which corrects the first one, and one for shorter texts, where the
first one is hardly better than chance. Only what both find worth keeping becomes a fact. Without the file of its weights,
the first one decides alone. No model has read Korean: the rules decide there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from pathlib import Path

from graphmem.cognify import cues
from graphmem.cognify.classifier import UNIT, load_model, score_of
from graphmem.cognify.features import Read, features_of
from graphmem.cognify.layout import features_around
from graphmem.model.text import EntityMention
from graphmem.patterns import compile_later

WEIGHTS = Path(__file__).with_name("second_look.json")
SHORT_WEIGHTS = Path(__file__).with_name("second_look_short.json")
# Least worth; chosen for few wrong ones, which costs some right ones (`guides/benchmarks`).
_KEPT = round(0.38 * UNIT)
_LONG = 1_000  # characters; a shorter text has hardly any layout


class Grounds(Enum):
    """Why a statement would be kept: for the worth of its words alone, because the rules know it, or because it settles or
    claims something, too."""

    WORTH = auto()
    RULES = auto()
    SETTLED = auto()


_LEAST_SHORT = {
    Grounds.WORTH: round(0.3 * UNIT),
    Grounds.RULES: round(-0.05 * UNIT),
    Grounds.SETTLED: round(-0.35 * UNIT),
}
_I = re.IGNORECASE
_MOST_NAMED = 4
_NAMED_FIRST = 5  # characters before what a sentence is about
_HOLDS = {
    "order first": (
        r"^(?:use|add|create|ensure|make|check|verify|modify|update|implement|include|consider|define|set|run|convert"
        r"|access|change|remove|return|provide|avoid|keep|write|test|install|configure|look|review|open|click|navigate"
        r"|start|stop|select|choose|find|get|put|move|call|pass|handle|show|display|store|save|load|read|import|export"
        r"|build|deploy|please|try|style|refactor|place|go)\b"
    ),
    "order after label": (
        r"^(?-i:[A-Z])[\w /&'-]{2,40}: (?:use|add|create|ensure|make|check|implement|include|consider|define|set|separate"
        r"|target|configure|clear|log|tailor|instead)\b"
    ),
    "article first": r"^the ",
    "name first": r"^(?-i:[A-Z][a-z]+) ",
    "gerund first": r"^\w+ing\b",
    "limitation": (
        r"\b(?:does(?:n't| not)|do(?:n't| not)|cannot|can't|isn't|aren't|not) (?:\w+ )?(?:support|allow|work|provide|have"
        r"|expose|accept|return|handle|require|respect|apply|persist|need)\w*"
    ),
    "needs": r"\b(?:requires?|expects?|needs?|must|has to|have to|only accepts?)\b",
    "was done": r"\b(?:was|were|wasn't|weren't) (?:being |not )?\w+(?:ed|ing)\b",
    "enables": r"\b(?:allows?|helps?|makes? it|enables?|provides?|ensures?|can be used|useful|essential|important)\b",
    "intends": r"\b(?:will|'ll|going to|gonna|plan(?:s|ned)? to|trying to|wants? to)\b",
    "was run": (
        r"\b(?:re-?built|re-?started|re-?created|re-?installed|installed on|deployed|exit code"
        r"|(?:is|are|was|were|now) (?:\w+ly )?(?:running|up|live|started|working|accessible|reachable|successful|healthy)"
        r"|(?:completed|ran|started|passed|finished|loads?|working|respond\w*) (?:\w+ly )?"
        r"(?:successfully|correctly|fine|properly)"
        r"|(?:tests?|checks?|build|syntax) (?:\w+ )?(?:pass\w*|green|succe\w+))\b"
    ),
    "user is doing": (
        r"\bthe user (?:is|was) (?:\w+ly )?\w+ing\b"
        r"|^the user (?:reports?|wants|asks?|asked|restarted|tried|says|said)\b"
    ),
    "reads output": (
        r"\b(?:the )?(?:error|url|logs?|output|screenshot|console|message|page|test|build|trace|response|user)"
        r"(?: message| log| output)? (?:shows?|says?|indicates?|means|confirms?|suggests?)\b"
    ),
    "observed": r"\b(?:shows?|confirms?|indicates?|reveals?|detected|found|scann\w+|verified|confirmed)\b",
    "what is next": r"\b(?:will|'ll|going to|next|then|now let|need(?:s)? to|have to|should|once)\b",
    "participle first": r"^(?:\w+: )?(?-i:[A-Z])\w+(?:ing|ed)\b",
    "capability": (
        r"\b(?:does(?:n't| not)|do(?:n't| not)|cannot|can't|only|must|requires?|expects?|needs?|supports?|accepts?|rejects?"
        r"|ignores?|allows?|never|always) "
    ),
    "incapability": (
        r"\b(?:does(?:n't| not)|do(?:n't| not)|cannot|can't|won't|isn't|aren't|not) (?:\w+ )?(?:support\w*|allowed|work\w*"
        r"|accept\w*|enforce\w*|respect\w*|provide\w*|expose\w*|bind\w*|guarantee\w*|override\w*|convert\w*|load\w*"
        r"|return\w*|cancel\w*|apply|valid)\b"
    ),
    "must": r"\bmust (?:not )?(?:be|use|match|include|have|exist)\b",
    "result": r"\bso (?:that )?(?:it|the|they|every|each|no|all|both|words|\w+s)\b",
    "was doing": r"\b(?:was|were) (?:\w+ing|being)\b",
    "caused": r"\b(?:because|caused by|came from|comes from|due to|since)\b",
    "of this work": r"\b(?:the|this) (?:new|old|current|previous|updated|existing|latest|same|other|above|following|only)\b",
    "release": r"\b\d+\.\d+\.\d+",
    "date put in": r"\(20\d\d-\d\d-\d\d",
    "name is subject": (
        r"^(?:in |on |for |when )?(?:the )?`?(?-i:[A-Z])[\w.+-]+`?(?: (?-i:[A-Z])[\w.]*)? (?:does|do|is|are|has|have|uses?"
        r"|requires?|expects?|supports?|needs|only|cannot|can|runs?|blocks?|stores?|must|will|rejects?|loads?|returns?)\b"
    ),
    "code is subject": (
        r"^(?:the )?`[^`]+` (?:\w+ ){0,2}?(?:does|do|is|are|has|have|uses?|requires?|expects?|supports?|needs|only|cannot"
        r"|can|runs?|must|will|rejects?|loads?|returns?|was|were)\b"
    ),
    "emoji": r"[\U0001F300-\U0001FAFF✅❌✓★]",
    "numbered bug": r"\b(?:bug|issue)[- ]\d",
    "doc comment": r"^(?:@|//)",
    "line of a file": r"\bon line \d|\(line \d|:\d+\)",
    "default value": r"\bdefaults? (?:to|changed|is|was)\b|\bdefault \w+",
    "size or colour": r"#[0-9a-f]{6}\b|\b\d+(?:px|sp|dp|rem|ms|s)\b",
    "quotes": r"[\"“]",
    "group is subject": r"^(?:all|both|these|those|some|most|several|many|no|other|any) ",
    "thing is": r"^the [a-z]+(?: [a-z]+)? (?:is|are|was|were|has|have)\b",
    "passing": r"\b(?:currently|already|still|now|yet|just|again|anymore|so far)\b",
    "is doing": r"\b(?:is|are) (?:not )?\w+ing\b",
    "complaint": (
        r"\b(?:doesn'?t|does not|isn'?t|is not|can'?t|cannot|not|still|too|wrong|broken|missing|messed|buggy|bug|fails?"
        r"|failing|error\w*|crash\w*|issue|problem)\b"
    ),
    "log line": (
        r"\b(?-i:ERROR|WARN(?:ING)?|INFO|DEBUG|FAILED|Error:|error:)|^\S+@\S+|^\d{1,4}[-:]\d\d|\.\w{1,4}:\d+\b|^\["
    ),
}
_SAID = {
    "let us": r"^(?:so |okay,? |ok,? |now,? )?let(?:'s|’s)\b",
    "small first": r"^(?-i:[a-z])",
}
_HOLDS_PATTERNS = tuple((f"has {name}", compile_later(pattern, _I)) for name, pattern in _HOLDS.items())
_SAID_PATTERNS = tuple((f"was {name}", compile_later(pattern, _I)) for name, pattern in _SAID.items())


def is_long(text: str) -> bool:
    """Return whether an agent's text is a report that has room for a layout."""
    return len(text) > _LONG


def has_look(content: str, text: str) -> bool:
    """Return whether a model judges what an agent says in such a text."""
    return not cues.HANGUL.search(content) and load_model(WEIGHTS if is_long(text) else SHORT_WEIGHTS) is not None


def look_again(read: Read, mentions: Sequence[EntityMention], grounds: Grounds = Grounds.WORTH) -> bool:
    """Return whether a statement of an agent that `classifier` would keep is still worth keeping. `mentions` are the entities
    that it names; `grounds` is why it would be kept. True where no model judges it."""
    if is_long(read.text):
        model, least = load_model(WEIGHTS), _KEPT
    else:
        model = load_model(SHORT_WEIGHTS) if has_look(read.content, read.text) else None
        least = _LEAST_SHORT[grounds]
    return model is None or score_of(model, all_features(read, mentions)) >= least


def all_features(read: Read, mentions: Sequence[EntityMention]) -> dict[str, int]:
    """Return the features of a statement that are not 0: those of the first model, its names and the layout around it."""
    raw = read.text[read.start : read.end]
    found = {name for name, pattern in _HOLDS_PATTERNS if pattern.search(read.content)}
    found |= {name for name, pattern in _SAID_PATTERNS if pattern.search(raw)}
    found |= features_around(read.text, read.start)
    found |= {f"names {mention.type}" for mention in mentions}
    found |= {f"begins with {mention.type}" for mention in mentions if mention.start <= _NAMED_FIRST}
    counted = {"names": min(_MOST_NAMED, len(mentions))} if mentions else {}
    return features_of(read) | dict.fromkeys(sorted(found), 1) | counted
