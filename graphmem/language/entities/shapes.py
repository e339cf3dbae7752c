"""The pass that gives a type to words whose letters give them away: paths, calls, versions, identifiers. What shape a
word has is found in `scan.py`; what its neighbours say about it comes later, in `neighbours.py`."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

from graphmem.language.entities.page import Page
from graphmem.language.entities.wordlists import word_set

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
PASCAL_VERB = re.compile(
    r"(?:Get|Set|Is|Has|Add|Remove|Create|Update|Delete|Load|Save|Find|Do|To|Read|Write|Send|Post|Open|Show|Draw|Parse|Convert"
    r"|Execute|Call|Start|Stop|Begin|End|Try)[A-Z][a-z]+"
)
PASCAL_NOUN = re.compile(
    r"[a-z](?:ID|Id|IDs|Name|Key|Path|Date|Count|Number|Code|Status|Url|URL|No|Address|Index|Value|Width|Height|Size|Culture"
    r"|String|Text)$"
)
RECEIVERS = word_set("this self e event obj window document req res")


def shaped_words(page: Page) -> None:
    """Claims each word that is free and has a telling shape."""
    for i, shape in enumerate(page.words.shapes):
        if not shape or shape in ("mark", "title", "korean") or i in page.claimed:
            continue
        if i in page.quiet and shape not in IN_CODE_BLOCKS:
            continue
        kind = _type_of(page, i, shape)
        if kind:
            page.claim(i, i + 1, kind)


def _type_of(page: Page, i: int, shape: str) -> str:
    word = page.words.texts[i]
    if shape in ("camel", "snake"):
        return identifier_type(word)
    if shape == "class":
        return pascal_type(word)
    if shape == "mixed":
        return "class" if word[:2].istitle() and len(word) > 3 else "variable"
    if shape == "dotted":
        return dotted_type(word)
    if shape == "annotation":
        return _at_sign(page, i, word)
    if shape == "hyphen" and page.low(i) in css_properties():
        return "variable"
    return TYPES.get(shape, "")


def identifier_type(word: str) -> str:
    """ "function" or "variable" for a camelCase or snake_case word."""
    return "function" if VERB_START.match(word) or word.lower() in builtin_functions() else "variable"


def pascal_type(word: str) -> str:
    """ "function" for GetValue, "variable" for UserId, else "class"."""
    if PASCAL_VERB.match(word):
        return "function"
    return "variable" if PASCAL_NOUN.search(word) else "class"


def dotted_type(word: str) -> str:
    """The type of names joined by dots or arrows: `a.b`, `a::b`, `a->b`."""
    parts = re.split(r"\.|::|->", word)
    last = parts[-1]
    if parts[0] in RECEIVERS:
        return "function" if VERB_START.match(last) else "variable"
    if last[:1].isupper():
        return "function" if PASCAL_VERB.match(last) else "class"
    if len(parts) > 2 and word.islower():
        return "library"
    return "function"


def _at_sign(page: Page, i: int, word: str) -> str:
    """A person who is addressed, or an annotation."""
    if page.opens_sentence(i) or page.low(i + 1) in (",", ":") or word[1:].islower():
        return "person"
    return "class"


@cache
def builtin_functions() -> frozenset[str]:
    """Names of PHP's functions, from Pygments."""
    modules = _table("_php_builtins", "MODULES")
    return frozenset(name for names in modules.values() for name in names) if modules else frozenset()


@cache
def css_properties() -> frozenset[str]:
    """Names of CSS properties with a hyphen, from Pygments."""
    return frozenset(name for name in _table("_css_builtins", "_css_properties") or () if "-" in name)


def _table(module: str, name: str) -> Any:
    """A table of names that Pygments keeps for its lexers; None should a later version keep it elsewhere."""
    try:
        return getattr(import_module(f"pygments.lexers.{module}"), name, None)
    except ImportError:
        return None
