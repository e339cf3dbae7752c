"""The operation that answers why something is as it is: the message of a commit that names it, or a comment in its code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from shlex import quote

from graphmem.ask.evidence import (
    FEW,
    Evidence,
    Sources,
    command_name,
    find_subject,
    place_of,
    ref_of,
    revision_line,
    shortened,
)
from graphmem.ask.types import Question
from graphmem.code import authors
from graphmem.model.results import Hit
from graphmem.retrieve.stems import stem

_SAYS_WHY = "the code says: "
_LEAST_SHARE = 0.5  # of the other words of the question that a comment has
_COMMENT = re.compile(r"\s*(?:#(?!!)|//+[!/]?|/?\*+|--|;+|%+)\s?(.*?)(?:\s*\*/)?\s*$")
_BEHIND = re.compile(r"[;,){}\w]\s+(?:#|//)\s+(\S.*)$")  # a comment at the end of a line of code
_QUOTES = re.compile(r"\"{3}|'{3}")
_CAUSE = re.compile(
    r"\b(?:because|since|so that|otherwise|(?:in order )?to (?:avoid|prevent|ensure|make sure|keep|allow)|prevents?|avoids?"
    r"|reasons?|due to|works? ?around|would|must|needs? to|cannot|can't|don't|doesn't|won't|not an?|instead of|thus)\b"
    r"|때문|위해|않도록|므로|아니|막",
    re.I,
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


def find_reason(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the newest commit whose message has every word that the question is about, and gives a reason; else a comment that
    gives one in the code that the question names."""
    root = sources.code.root()
    words = [*question.subjects] if question.exact else []
    for commit in authors.find_mentions(root, words, FEW) if words else ():
        body = authors.read_message(root, commit.hash).partition("\n")[2].strip()
        if body:
            lines = (revision_line(commit), f"message: {shortened(body)}")
            return Evidence(lines, (f"graphmem show {commit.hash[:10]}",), refs=(commit.hash,))
    return _find_comment(question, sources)


def tells_reason(evidence: Evidence) -> bool:
    """Return whether evidence is a comment, which was compared with the question already."""
    return evidence.lines[-1].startswith(_SAYS_WHY)


def _find_comment(question: Question, sources: Sources) -> Evidence | None:
    """Return the comment in the symbol that the question spells out which gives a reason and has most of its other words."""
    symbol = find_subject(question, sources) if question.exact else None
    if symbol is None or not any(name.endswith(symbol.name) and name in question.text for name in question.exact):
        return None
    own = _stems(" ".join(question.exact))
    asked = _stems(" ".join(question.subjects)) - own
    said = [(len(asked & _stems(text)), text) for text in _comments(sources.code.source(symbol.key).text)]
    most, best = max(said, key=lambda each: each[0], default=(0, ""))
    if not most or most < _LEAST_SHARE * len(asked):
        return None
    lines = (place_of(symbol), f"{_SAYS_WHY}{shortened(best)}")
    command = f"graphmem code source {quote(command_name(symbol, sources))}"
    return Evidence(lines, (command,), refs=(ref_of(symbol),))


def _comments(source: str) -> Iterator[str]:
    """Yield the comments and paragraphs of docstrings that give a reason, each run of lines as one."""
    run: list[str] = []
    is_quoted = False
    for line in [*source.split("\n"), ""]:
        whole = _COMMENT.match(line)
        said = whole[1] if whole else _QUOTES.sub("", line).strip() if is_quoted else ""
        is_quoted ^= len(_QUOTES.findall(line)) % 2 == 1
        if said:
            run.append(said)
            continue
        text, run = " ".join(run), []
        behind = _BEHIND.search(line)
        yield from (each for each in (text, behind[1] if behind else "") if _CAUSE.search(each))


def _stems(text: str) -> set[str]:
    return {stem(word.lower()) for word in _WORD.findall(text)}
