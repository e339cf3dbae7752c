"""Determines the subject of a fact whose claim does not name one: the file or symbol in it, or its first noun phrase.
Rules only."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from graphmem.patterns import compile_later

_WORD = r"(?:`[^`]+`|[\w'./@:+-]+)"
_LEADING_CLAUSE = compile_later(
    r"^(?:correction: |정정: )?(?:(?:in|since|when|if|while|as|because|although|after|before|for|on|with) [^,]{2,160}, )?",
    re.I,
)
_ASIDE = compile_later(r" \([^()]*\)")
_LEADING_PHRASE = compile_later(
    rf"(?P<phrase>(?:(?:the|an?|our|all|every|each) )?{_WORD}(?: {_WORD}){{0,4}}?) "
    r"(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|will|would|must|should|may|never|always|now"
    r"|no longer"
    r"|\w+(?<![su])s|\w+ed|broke|takes?|runs?|uses?|needs?|owns?)\b"
    r"(?! (?:are|were|have|is|was|has|can|must|should|will|fail|failed|pass|passed)\b)",
    re.I,
)
# What was done: the thing it was done to, up to the word that begins another part.
_STOP = (
    r"(?!(?:to|from|with|in|for|at|by|of|instead|so|that|which|and|or|when|where|because|via|using|on|onto|into|as"
    r"|during|after"
    r"|before|now|not|until|through|over|per|rather|but|if|is|was|were|has|are|been)(?![\w-]))"
)
_DONE = compile_later(
    r"(?:(?:the )?(?:team|user|agent) (?:has |have |just )*)?"
    r"(?:[a-z]+ed|rewrote|rewritten|wrote|built|made|split|set|kept|ran|put|hid|cut|sent|bound|reset|got|took|gave"
    r"|let) "
    rf"(?P<phrase>(?:(?:the|an?|all|our|both|some) )?{_STOP}{_WORD}(?: {_STOP}{_WORD}){{0,4}})(?=[\s,;:.()]|$)",
    re.I,
)
_ORDER = compile_later(
    r"(?:(?:please|never|always|do not|don't|avoid|use|prefer|only|run|keep|put|write)\s+)+"
    r"(?P<phrase>[\w`./@+-]+(?: (?!(?:to|instead|for|in|on|with|as|at|into|from|before|after|over|rather|the|a)\b)[\w`./@+-]+)?)",
    re.I,
)
_KOREAN = compile_later(r"(?P<phrase>[\w`./@+-]+(?: [\w`./@+-]+){0,2}?)(?:은|는|이|가|을|를)(?= )")
_ARTICLE = compile_later(r"^(?:the|an?|our|all|every|each)\s+", re.I)
_WORTHLESS = compile_later(
    r"(?:it|this|that|there|what|which|who|here|if|when|(?:the )?(?:user|agent|team)|one|some|none|사용자|에이전트|팀)",
    re.I,
)
# A worktree of the same project elsewhere: its files are those of the project.
_WORKTREE = compile_later(r"^.*?(?:^|/)(?:\.?worktrees|[\w.-]+-worktrees)/[\w.-]+/(?=.|$)")
_ROOT_FILE = compile_later(
    r"(?:[A-Z]\w*file|[\w.-]+\.(?:toml|cfg|ini|lock|json|ya?ml|md|txt|xml|gradle|mod|sum|env)|\.[\w.-]+)", re.I
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
    text = _ASIDE.sub("", content)
    text = text[_LEADING_CLAUSE.match(text).end() :]  # type: ignore[union-attr]  # may be empty: it always matches
    pattern = next((each for each in (_ORDER, _DONE) if each.match(text)), _LEADING_PHRASE)
    match = pattern.match(text) or _KOREAN.search(text)
    if match is None:
        return ""
    phrase = " ".join(_ARTICLE.sub("", match["phrase"]).replace("`", "").split()).strip("'\" .,:")
    return noun_phrase(phrase)


def noun_phrase(phrase: str) -> str:
    """Return the noun phrase that a phrase begins with, "" where it begins with none."""
    return "" if _NO_PHRASE.match(phrase) else _PHRASE_END.sub("", phrase).strip("'\" .,:")


# What is no noun phrase ends before such a word, or is none from its first word on.
_PHRASE_END = compile_later(
    r" (?:(?:the )?(?:user|agent|team)(?!'s)|that|which|who|where|when|then|just|only|also|really|still|now|got"
    r"|went|saw|did"
    r"|currently|already|actually|fundamentally|[a-z]+(?:tely|ally|ctly|itly|ently|ully|ously)|doesn't|didn't|isn't"
    r"|can't"
    r"|don't|must|with|while)\b.*$",
    re.I,
)
_NO_PHRASE = compile_later(
    r"(?:(?:if|then|that|that's|locally|especially|always|thanks|looking|glad|treating|letting|taking|having|make"
    r"|noticed|neither"
    r"|every|half|once|speaking|only|remembers?|returns?|right|up|good|but|and|or|so|as|because|for|to)\b"
    r"|(?:the )?(?:user|agent|team)(?!'s)\b)",
    re.I,
)


def as_written(key: str, content: str) -> str:
    """Return the words of a content that have this key ("live2 helper": "live/2 helper"), or the key."""
    match = re.search(r"[^\w\s]*".join(map(re.escape, key)), content, re.I)
    return match[0].replace("`", "") if match else key


def is_file_path(path: str) -> bool:
    """Return whether a path has a directory or is a known root file."""
    return "/" in path or bool(_ROOT_FILE.fullmatch(path))


def relative_path(path: str, root: str = "") -> str:
    """Return one spelling of a path: relative to the project's folder where that is known, "" for a path elsewhere."""
    text = posixpath.normpath(path.strip("`'\"").replace("\\", "/")) if path.strip("`'\" ") else ""
    text = _WORKTREE.sub("", text)
    root = _WORKTREE.sub("", root.replace("\\", "/").rstrip("/") + "/").rstrip("/")
    if root and text.startswith(f"{root}/"):
        text = text[len(root) + 1 :]
    return "" if text in (".", "") or text.startswith("../") else text
