"""Converts the imperative of commit messages ("Add a cache") to the past tense ("Added a cache"): the first word of a
subject or list line. The rest of the sentence is unchanged."""

from __future__ import annotations

import re

from graphmem.patterns import compile_later

_IRREGULAR = {
    "make": "made", "set": "set", "split": "split", "keep": "kept", "send": "sent", "bind": "bound", "run": "ran", "put": "put",
    "show": "showed", "hide": "hid", "rewrite": "rewrote", "write": "wrote", "let": "let", "cut": "cut", "build": "built",
    "read": "read", "get": "got", "take": "took", "give": "gave", "reset": "reset", "upsert": "upserted", "input": "input",
}  # fmt: skip
# What may as well be a noun at the start of a sentence stays as it is.
_NOUNS = frozenset(
    """cache batch link links call calls load loads store stores guard guards support limit limits set sets run runs return
    returns handle handles display displays track tracks guide test tests""".split()
)
_FIRST = compile_later(r"(?P<verb>[A-Za-z]+)(?P<rest>\b.*)", re.S)
_DOUBLED = frozenset(
    {
        "drop",
        "stop",
        "unwrap",
        "wrap",
        "skip",
        "ship",
        "map",
        "trim",
        "strip",
        "swap",
        "pin",
        "plan",
        "refer",
        "log",
        "tag",
    }
)
_PAST = compile_later(r"(?:ed|ept|ent|ade|ote|ound)$")


def to_past_tense(sentence: str) -> str:
    """Return the sentence with its first verb in the past."""
    match = _FIRST.match(sentence)
    if match is None:
        return sentence
    verb = match["verb"].lower()
    if (
        verb in _NOUNS
        or verb in _IRREGULAR.values()
        or (_PAST.search(verb) and verb not in ("send", "rewrite", "embed"))
    ):
        return sentence
    stem = _base(verb)
    past = _IRREGULAR.get(stem) or _regular(stem)
    return past[:1].upper() + past[1:] + match["rest"]


def _base(verb: str) -> str:
    """ "adds" -> "add"."""
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("shes", "ches", "sses", "xes", "zes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us")) else verb


def _regular(verb: str) -> str:
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1]}ed" if verb in _DOUBLED else f"{verb}ed"
