"""What a fact is about where its claim does not say: the file or symbol that it names, or the noun phrase that it begins
with. Rules only."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

_LEADING_PHRASE = re.compile(
    r"(?:In [^,]{2,40}, )?(?P<phrase>(?:(?:the|an?|our|all|every|each) )?[\w`'./@+-]+(?: [\w`'./@+-]+){0,4}?) "
    r"(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|will|would|must|should|may|never|always|now|no longer"
    r"|\w+(?<![su])s|\w+ed|broke|takes?|runs?|uses?|needs?|owns?)\b",
    re.I,
)
_ORDER = re.compile(
    r"(?:(?:please|never|always|do not|don't|avoid|use|prefer|only|run|keep|put|write)\s+)+"
    r"(?P<phrase>[\w`./@+-]+(?: [\w`./@+-]+)?)",
    re.I,
)
_KOREAN = re.compile(r"(?P<phrase>[\w`./@+-]+(?: [\w`./@+-]+){0,2}?)(?:은|는|이|가|을|를)(?= )")
_ARTICLE = re.compile(r"^(?:the|an?|our|all|every|each)\s+", re.I)
_WORTHLESS = re.compile(
    r"(?:it|this|that|there|what|which|who|here|if|when|the user|the agent|the team|사용자|에이전트)", re.I
)
_NAMING = ("file", "function", "class", "variable", "command", "library", "flag")  # entities that facts are about


def subject_of(content: str, fact: Mapping[str, Any]) -> str:
    """Return what a fact is about, "" where its words do not say. `fact` has its files and entities."""
    phrase = _phrase(content)
    if phrase and not _WORTHLESS.fullmatch(phrase):
        return phrase
    if fact.get("files"):
        return str(fact["files"][0])
    for wanted in _NAMING:
        for kind, name in fact.get("entities", ()):
            if kind == wanted:
                return str(name)
    for _, name in fact.get("entities", ()):
        return str(name)
    return phrase


def _phrase(content: str) -> str:
    match = (_ORDER if _ORDER.match(content) else _LEADING_PHRASE).match(content) or _KOREAN.search(content)
    if match is None:
        return ""
    return _ARTICLE.sub("", match["phrase"]).strip("`'\" .,")


def relative_path(path: str, root: str = "") -> str:
    """Return one spelling of a path: relative to the project's folder where that is known, "" for a path elsewhere."""
    text = posixpath.normpath(path.strip("`'\"").replace("\\", "/")) if path.strip("`'\" ") else ""
    root = root.replace("\\", "/").rstrip("/")
    if root and text.startswith(f"{root}/"):
        text = text[len(root) + 1 :]
    return "" if text in (".", "") or text.startswith("../") else text
