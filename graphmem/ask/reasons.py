"""The operation that answers why something is as it is: the message of a commit that names it, or a comment in its code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from shlex import quote

from graphmem.ask.evidence import (
    FEW,
    Evidence,
    Sources,
    author_line,
    command_name,
    find_subject,
    place_of,
    ref_of,
    revision_line,
    shortened,
)
from graphmem.ask.types import Question
from graphmem.code import authors
from graphmem.model.code import Symbol
from graphmem.model.results import Hit
from graphmem.retrieve.stems import stem

_SAYS_WHY = "the code says: "
_IN_FILE = "the file that had it: "
_LEAST_SHARE = 0.5  # of the other words of the question that a comment has
_COMMENT = re.compile(r"\s*(?:#(?!!)|//+[!/]?|/?\*+|--|;+|%+)\s?(.*?)(?:\s*\*/)?\s*$")
_BEHIND = re.compile(r"[;,){}\w]\s+(?:#|//)\s+(\S.*)$")  # a comment at the end of a line of code
_QUOTES = re.compile(r"\"{3}|'{3}")
_MIN_PREFIX = 6  # letters of a word that begins another form of it
_CAUSE = re.compile(
    r"\b(?:because|since|so that|otherwise|(?:in order )?to (?:avoid|prevent|ensure|make sure|keep|allow)|prevents?|avoids?"
    r"|reasons?|due to|works? ?around|would|must|needs? to|cannot|can't|don't|doesn't|won't|not an?|instead of|thus)\b"
    r"|때문|위해|않도록|않음|므로|아니|막|오류|에러|방지|회피",
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
    return _find_comment(question, sources) or _find_removal(question, sources)


def tells_reason(evidence: Evidence) -> bool:
    """Return whether evidence was compared with the question already: a comment, or a change of the file that it is about."""
    return evidence.lines[-1].startswith((_SAYS_WHY, _IN_FILE))


def _named_symbol(question: Question, sources: Sources) -> Symbol | None:
    """Return the symbol that the question spells out; of a type and its member, both named, the member."""
    symbol = find_subject(question, sources) if question.exact else None
    if symbol is None or not any(name.endswith(symbol.name) and name in question.text for name in question.exact):
        return None
    inside = (sources.code.known(f"{symbol.qualified_name}.{name}") for name in question.exact if name != symbol.name)
    return next((known[0] for known in inside if len(known) == 1), symbol)


def _find_comment(question: Question, sources: Sources) -> Evidence | None:
    """Return the comment in the symbol that the question spells out which gives a reason, or has another name of the question, and
    has most of its other words."""
    if (symbol := _named_symbol(question, sources)) is None:
        return None
    others = [name for name in question.exact if not name.endswith(symbol.name) and name not in symbol.qualified_name]
    own = _stems(" ".join(name for name in question.exact if name not in others))
    asked = _stems(" ".join(question.subjects)) - own
    texts = [*symbol.doc.split("\n\n"), *_comments(sources.code.source(symbol.key).text)]
    telling = [text for text in texts if _CAUSE.search(text) or any(name in text for name in others)]
    said = [(_count_said(asked, _stems(text)), text) for text in telling]
    most, best = max(said, key=lambda each: each[0], default=(0, ""))
    if not most or most < _LEAST_SHARE * len(asked):
        return None
    lines = (place_of(symbol), f"{_SAYS_WHY}{shortened(best)}")
    command = f"graphmem code source {quote(command_name(symbol, sources))}"
    return Evidence(lines, (command,), refs=(ref_of(symbol),))


def _find_removal(question: Question, sources: Sources) -> Evidence | None:
    """Return the last commit that took another text that the question spells out from the file of the symbol that it is about:
    why it is not used there any more."""
    if (symbol := _named_symbol(question, sources)) is None:
        return None
    root, source = sources.code.root(), sources.code.source(symbol.key).text
    for text in question.exact:
        if text.endswith(symbol.name) or text in source or sources.code.known(text):
            continue
        if changes := authors.find_text_changes(root, text, [symbol.file]):
            body = authors.read_message(root, changes[0].hash).partition("\n")[2].strip()
            lines = [f"`{text}` was taken from {place_of(symbol)} by {author_line(changes[0])}"]
            lines += [f"message: {shortened(body)}"] if body else []
            command = f"graphmem show {changes[0].hash[:10]}"
            return Evidence((*lines, f"{_IN_FILE}{symbol.file}"), (command,), refs=(changes[0].hash,))
    return None


def _count_said(asked: Set[str], said: Set[str]) -> int:
    """Return how many stems a text has, also as the beginning of a longer form (transactional: transactionality)."""
    long = [word for word in said if len(word) >= _MIN_PREFIX]
    return sum(
        word in said or (len(word) >= _MIN_PREFIX and any(other.startswith(word) for other in long)) for word in asked
    )


def _comments(source: str) -> Iterator[str]:
    """Yield the comments and paragraphs of docstrings, each run of lines as one."""
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
        yield from filter(None, (text, behind[1] if behind else ""))


def _stems(text: str) -> set[str]:
    return {stem(word.lower()) for word in _WORD.findall(text)}
