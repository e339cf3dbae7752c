"""Classifies words by their spelling: paths, calls, versions, identifiers. The shape is determined in `words.py`;
`neighbours.py` considers context."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

from graphmem.text.entities.entity_scan import EntityScan
from graphmem.text.entities.wordlists import word_set, words_of

SAME = ("url", "email", "issue", "tag", "file", "flag", "date", "version", "commit", "error", "file_type", "website")
OTHERS = {
    "sigil": "variable",
    "constant": "variable",
    "scoped": "library",
    "call": "function",
    "class": "class",
    "generic": "class",
}
TYPES = {shape: shape for shape in SAME} | OTHERS
IN_CODE_BLOCKS = frozenset(("url", "file", "error", "commit", "issue", "email"))

VERB_START = re.compile(
    r"_*(?:get|set|is|has|on|add|remove|create|update|delete|load|save|init|find|make|do|to|run|handle|fetch|parse|read|write"
    r"|send|check|should|will|did|view(?=Did|Will)|can|close|open|start|stop|build|render|validate|test|use|show|hide|push|pop"
    r"|insert|append|select|execute|process|convert|compute|calc|calculate|apply|register|bind|print|put|post|call|invoke"
    r"|generate|configure|setup|prepare|resolve|reset|clear|copy|move|sort|filter|map|reduce|merge|split|join|replace|trigger"
    r"|dispatch|emit|subscribe|connect|download|upload|import|export|encode|decode|format|refresh|reload|toggle|animate|edit"
    r"|install|list|log|query|ask|try|wait|await|next|count|contains|equals|touch|mouse|key|group|fit)(?=[A-Z_])"
)
NOUN_END = re.compile(r"_(?:id|name|status|path|date|time|key|value|type|types|count|size|code|url|file|list|data)$")
PASCAL_VERB = re.compile(
    r"(?:Get|Set|Is|Has|Add|Remove|Create|Update|Delete|Load|Save|Find|Do|To|Read|Write|Send|Post|Open|Show|Draw|Parse|Convert"
    r"|Execute|Call|Start|Stop|Begin|End|Try)[A-Z][a-z]+"
)
PASCAL_NOUN = re.compile(
    r"[a-z](?:ID|Id|IDs|Name|Key|Path|Date|Count|Number|Code|Status|Url|URL|No|Address|Index|Value|Width|Height|Size|Culture"
    r"|String|Text)$"
)
DOMAINS = word_set("org com io net java javax android androidx kotlin scala dev de edu gov sun jakarta")
COLOURED = ("color", "colour", "background", "border", "fill", "stroke")
BEFORE_HANDLES = word_set("by to with from for ask asked tell told cc thanks thank and , hi hey ping")
RECEIVERS = word_set("this self e event obj window document req res")


def shaped_words(scan: EntityScan) -> None:
    """Claim each free word with a distinctive shape."""
    for i, shape in enumerate(scan.words.shapes):
        if not shape or shape in ("mark", "title", "korean") or i in scan.claimed:
            continue
        if i in scan.quiet and shape not in IN_CODE_BLOCKS:
            continue
        kind = _type_of(scan, i, shape)
        if kind:
            scan.claim(i, i + 1, kind)


def _type_of(scan: EntityScan, i: int, shape: str) -> str:
    word = scan.words.texts[i]
    if shape in ("camel", "snake"):
        return identifier_type(word)
    if shape == "class":
        return pascal_type(word)
    if shape == "mixed":
        return "class" if word[:2].istitle() and len(word) > 3 else "variable"
    if shape == "dotted":
        return dotted_type(word)
    if shape == "annotation":
        return _at_sign(scan, i, word)
    if shape == "hyphen" and scan.low(i) in css_properties():
        return "variable"
    if shape == "issue" and _is_colour(scan, i):
        return ""
    if shape == "flag" and scan.touches(i) and scan.low(i + 1) in (":", ")"):
        return "variable"  # a custom property of CSS
    return TYPES.get(shape, "")


def _is_colour(scan: EntityScan, i: int) -> bool:
    """Return whether "#334455" is a colour and no issue."""
    digits = len(scan.low(i)) - 1 if scan.low(i)[0] == "#" else 0
    told = scan.low(i + 1) == ";" or any(scan.low(i - k).endswith(COLOURED) for k in (1, 2))
    return digits == 6 or (digits == 3 and told)


def identifier_type(word: str) -> str:
    """Return "function" or "variable" for a camelCase or snake_case word."""
    if VERB_START.match(word):
        return "function"
    return "function" if word in builtin_functions() and not NOUN_END.search(word) else "variable"


def pascal_type(word: str) -> str:
    """Return "function" for GetValue, "variable" for UserId, otherwise "class"."""
    if PASCAL_VERB.match(word):
        return "function"
    return "variable" if PASCAL_NOUN.search(word) else "class"


def dotted_type(word: str) -> str:
    """Return the type of names joined by dots or arrows: `a.b`, `a::b`, `a->b`."""
    parts = re.split(r"\.|::|->", word)
    last = parts[-1]
    if parts[0] in RECEIVERS:
        return "function" if VERB_START.match(last) else "variable"
    if last[:1].isupper():
        return "function" if PASCAL_VERB.match(last) else "class"
    if len(parts) > 2 and word.islower():
        return "library" if parts[0] in DOMAINS else "variable"
    return "function"


def _at_sign(scan: EntityScan, i: int, word: str) -> str:
    """Return a person who is addressed, an annotation, or neither ("@doc")."""
    if scan.low(i)[1:] in decorators() or scan.touches(i - 1):
        return ""
    addressed = scan.opens_sentence(i) or scan.low(i + 1) in (",", ":") or scan.low(i - 1) in BEFORE_HANDLES
    if "_" in word and scan.low(i + 1) not in (",", ":"):
        return "variable"
    return "person" if addressed else "" if word[1:].islower() else "class"


@cache
def decorators() -> frozenset[str]:
    """Claim words after an @ in code."""
    return frozenset(words_of("decorators"))


@cache
def builtin_functions() -> frozenset[str]:
    """Return names of PHP functions, from Pygments."""
    modules = _table("_php_builtins", "MODULES")
    return frozenset(name for names in modules.values() for name in names) if modules else frozenset()


@cache
def css_properties() -> frozenset[str]:
    """Return names of hyphenated CSS properties, from Pygments."""
    return frozenset(name for name in _table("_css_builtins", "_css_properties") or () if "-" in name)


def _table(module: str, name: str) -> Any:
    """Return a table of names that Pygments keeps for its lexers; None should a later version keep it elsewhere."""
    try:
        return getattr(import_module(f"pygments.lexers.{module}"), name, None)
    except ImportError:
        return None
