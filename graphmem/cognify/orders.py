"""Tells what a person orders or complains about for the work at hand from what holds for good. "I want the cells centred" and
"Do not skip verification" are over with the task; "I want tests for every fix" is not."""

from __future__ import annotations

import re

_I = re.IGNORECASE
_LASTS = re.compile(
    r"\b(?:always|never|every|each|any|all|ever|anymore|any more|no longer|from now on|going forward|in general|generally"
    r"|usually|by default|as a rule|whenever|instead of|rather than|prefer\w*|unless|until|because|otherwise)\b",
    _I,
)
_WANTS = re.compile(r"\b(?:I|we)(?:'d| would)? (?:really |also |just |now |only )?(?:want|need|would like)\b", _I)
_AT_HAND = re.compile(
    r"^(?:(?:ok|okay|yes|no|now|so|and|then)[,.]? )?(?:go ahead|continue|proceed|(?:do not|don't) stop until|plan (?:adding|to)"
    r"|i mean|help(?: me)?|(?:i'm |i am )?trying to"
    r"|(?:yes,? )?please (?:fully|provide|make|give|update|fix|add|amend|check|understand|write|implement|continue))\b"
    r"|, help\W*$|\b(?:now|finally) works?\b|\bworks? now\b",
    _I,
)
_FOR_NOW = re.compile(r"\bfor now\b|\bI(?:'m| am) (?:worried|afraid|not sure|wondering|trying)\b", _I)
_COMPLAINS = re.compile(
    r"\b(?:is|are|looks?|gets?) (?:still |also |now |not )?(?:truncated|broken|missing|gone|empty|wrong|working|cut off|hidden"
    r"|invisible|blank|stuck|ugly|messy|misaligned|(?:a little |a bit )?too \w+)\b"
    r"|\bneeds? to (?:be|look|format|fit|work|show|match)\b",
    _I,
)
_ORDER = re.compile(r"^(?:do not|don't|only)\b", _I)
_NAMED = re.compile(r"`|[/_\d]|[a-z][A-Z]|\(\)|\w\.\w|.\b[A-Z][a-z]|[가-힣]")
_BRIEF = 300  # characters; a longer prompt with orders is mostly the specification of one task


def is_order_at_hand(raw: str) -> bool:
    """Return whether what a person says only starts, ends or reports a piece of work."""
    return _AT_HAND.search(raw) is not None


def is_for_now(content: str, raw: str, kind: str, text: str) -> bool:
    """Return whether what a person says concerns only the work at hand. `raw` is what was said in `text`, `content` the same in
    words that stand alone."""
    if is_order_at_hand(raw) or (kind in ("property", "failure") and _COMPLAINS.search(content)):
        return True
    if kind != "decision" and _FOR_NOW.search(raw):
        return True
    if _LASTS.search(raw):
        return False
    if kind == "preference" and _WANTS.search(raw):
        return True
    return len(text) > _BRIEF and _ORDER.match(content) is not None and not _NAMED.search(content)
