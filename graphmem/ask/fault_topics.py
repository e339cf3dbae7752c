"""Fixes of a kind of fault ("which bugs in concurrency were fixed?"): commits that name the kind or something near it (deadlocks,
races, locks), and say that they fix something, those first that say it most clearly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from graphmem.code import authors
from graphmem.model.code_answers import Revision

_FIXES = re.compile(r"\b(?:fix|bug|fault|defect|regress|crash|broke|hotfix|repair)\w*|버그|고친|고쳐|수정|결함", re.I)
_MENDS = re.compile(
    r"\b(?:correct(?:ly|s)?|prevent\w*|avoid\w*|restor\w+|don't|do not|never|no longer|properly|guard\w*|handl\w+|ensur\w+"
    r"|make sure|must not|disallow\w*|incorrect\w*|wrong\w*|missing|miss(?:ed|es)|leak\w*|deadlock\w*|race conditions?|racy"
    r"|corrupt\w*|overflow\w*|resilient|gracefully|workaround|hang(?:s|ing)?|hung|stuck|still)\b",
    re.I,
)
# Subjects of commits that change nothing that the program does, and such that bring something new.
_OTHER = re.compile(
    r"^(?:docs?|chore|tests?|ci|style|build|deps|refactor|perf)\b[(:!]|^document\w*\b|^(?:unit |add(?:ed|s)? )?tests?\b|\btests?$"
    r"|\btest_\w+|\bci\b|^fix\w* (?:\w+ ){0,3}tests?\b|\b(?:lint\w*|typos?|grammar|spelling|docstrings?|docs?|documentation"
    r"|readme|changelog|flake8|ruff|black|isort|pyright|mypy|prettier|eslint|gofmt|clippy|travis|(?:github|gh) actions?|workflow"
    r"|typings?|translations?|i18n|icons?|css|style fixes|dockerfile|dependenc(?:y|ies)|bump|type hints?)\b",
    re.I,
)
_NEW = re.compile(
    r"^(?:feat\b|add(?:s|ed)?\b|introduc\w+|support\w*|implement\w*|new\b|allow\w*|upgrad\w*|rename\w*|document\w*)",
    re.I,
)
_TRAILER = re.compile(r"(?m)^[A-Z][a-z]*(?:-[A-Za-z]+)+: .*$")
_MAX_EXAMPLES = 12  # words that are named
_NAMED, _NEAR, _OF_BODY, _OTHER_WORD = 2.0, 1.2, 0.5, 1.0  # a word in the subject, and its part in the body
_FIX, _MEND = 2.0, 1.2
_LEAST = 2.0  # of a commit that is listed: it names a near word and says that it fixes something


class Topic(NamedTuple):
    """A kind of fault: the words that name it, the words near it, as they are written, and a pattern for each."""

    certain: tuple[str, ...]
    near: tuple[str, ...]
    named: re.Pattern[str]
    nearly: re.Pattern[str]


class TopicFixes(NamedTuple):
    """Commits about topics that fix something, surest first; how many other commits name them; some words that were looked for."""

    fixes: list[Revision]
    others: int
    words: tuple[str, ...]


@cache
def _topics() -> tuple[Topic, ...]:
    text = (Path(__file__).parent / "data" / "fault_topics.txt").read_text("utf-8")
    found = []
    for line in text.splitlines():
        if not line.startswith("#"):
            certain, near = (tuple(half.split()) for half in line.split("|"))
            found.append(Topic(certain, near, _pattern(certain), _pattern(near)))
    return tuple(found)


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    forms = (re.escape(word).replace(r"\*", r"\w*").replace("_", "[ _-]?") for word in words)
    return re.compile(rf"(?<![A-Za-z])(?:{'|'.join(forms)})(?![A-Za-z])", re.I)


def find_topics(words: Sequence[str]) -> list[Topic]:
    """Return the topics that words of a question name.

    >>> [topic.certain[0] for topic in find_topics(["races", "windows"])]
    ['concurren*']
    """
    return [topic for topic in _topics() if any(topic.named.fullmatch(word) for word in words)]


def find_topic_fixes(
    root: Path, topics: Sequence[Topic], words: Sequence[str], is_asked: Callable[[datetime], bool]
) -> TopicFixes:
    """Return the commits about topics. Words of the question that name no topic ("in the scheduler") put a commit forward."""
    rest = [word for word in words if not any(topic.named.fullmatch(word) for topic in topics)]
    further = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(map(re.escape, rest))})", re.I) if rest else None
    scored, others = list[tuple[float, Revision]](), 0
    for commit, body in authors.read_messages(root):
        if not is_asked(commit.at):
            continue
        body = _TRAILER.sub("", body)
        about = max(_score(topic, commit.subject, body) for topic in topics)
        if not about:
            continue
        if further and further.search(commit.subject):
            about += _OTHER_WORD
        score = about + _mends(commit.subject, body)
        if score >= _LEAST:
            scored.append((score, commit))
        else:
            others += 1
    scored.sort(key=lambda one: -one[0])  # they were newest first
    examples = [word.replace("*", "").replace("_", " ") for topic in topics for word in topic.certain if word.isascii()]
    return TopicFixes([commit for _, commit in scored], others, tuple(dict.fromkeys(examples))[:_MAX_EXAMPLES])


def _score(topic: Topic, subject: str, body: str) -> float:
    """Return how clearly a message is about a topic, 0 if not."""
    of_subject = _NAMED if topic.named.search(subject) else _NEAR if topic.nearly.search(subject) else 0.0
    of_body = _NAMED if topic.named.search(body) else _NEAR if topic.nearly.search(body) else 0.0
    return of_subject + _OF_BODY * of_body


def _mends(subject: str, body: str) -> float:
    """Return how clearly a message says that its commit fixes what the program does; below 0 if it says something else."""
    says = _FIX if _FIXES.search(subject) else _MEND if _MENDS.search(subject) else 0.0
    of_body = _OF_BODY * (_FIX if _FIXES.search(body) else _MEND if _MENDS.search(body) else 0.0)
    against = 2 * _FIX if _OTHER.search(subject) else _FIX / 2 if _NEW.search(subject) and not says else 0.0
    return says + of_body - against
