"""Decides whether a standing rule concerns what a command does to the work: the rule's verb is the command's own ("git push",
"npm publish"), and the command names what the rule is about. "Never push directly to main" concerns `git push origin main`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from graphmem.cognify.episodes import TWO_WORDS, steps_of
from graphmem.patterns import compile_later
from graphmem.retrieve.stems import stem
from graphmem.text.words import content_words, stopwords

_LONGEST = 600  # characters of a rule that are read
_BEFORE_VERB = 1  # words of the manner that may stand before the verb: "force-push"
_NAMED = 0.5  # share of what a rule is about that the command must name
_BINDING = compile_later(
    r"\b(?:never|always|must(?:\s+not|n't)?|do\s+not|don't|avoid|only)\s+(?:ever\s+|be\s+)?(?P<what>[^.,;:!?\n]{1,200})",
    re.I,
)
# Where the condition of a rule begins: it is for the agent to weigh, and no command names it.
_CONDITION = compile_later(
    r"\b(?:without|before|after|when|whenever|while|unless|until|if|with|because|since|as|on|by|via|using|so|that|which)\b",
    re.I,
)
_KOREAN = compile_later(r"[^.!?\n]{0,200}(?:지\s?(?:말|마|않)|금지|절대|항상|반드시)[^.!?\n]{0,80}")
_KOREAN_VERBS = {"푸시": "push", "커밋": "commit", "병합": "merge", "머지": "merge", "리베이스": "rebase", "배포": "deploy",
                 "게시": "publish", "삭제": "delete", "설치": "install"}  # fmt: skip
_LATIN = re.compile(r"[A-Za-z][\w/-]*", re.ASCII)
_PARTS = re.compile(r"[^\W_]+")
_MANNER = {
    stem(word) for word in "directly straight manually ever again yourself branch branches repository anything".split()
}


class Act(NamedTuple):
    """What one step of a command does: the stem of its verb, and those of everything else that it names."""

    verb: str
    named: frozenset[str]


def concerns_act(rule: str, command: str) -> bool:
    """Return whether a rule says how something must or must not be done that a command line does.

    >>> rule = "Never push directly to main, always open a pull request."
    >>> [concerns_act(rule, f"git push origin {name}") for name in ("main", "fix-sails")]
    [True, False]
    """
    acts = acts_of(command)
    return bool(acts) and any(_fits(words, act) for words in _clauses(rule[:_LONGEST]) for act in acts)


@lru_cache(maxsize=16)  # asked once for each rule
def acts_of(command: str) -> tuple[Act, ...]:
    """Return what the steps of a command line do; a step without a verb of its own (`ls`, `cat`) is left out."""
    steps = ((key.split(), typed) for key, typed in steps_of(command))
    return tuple(
        Act(stem(words[1].lower()), frozenset(_stems(typed)))
        for words, typed in steps
        if len(words) > 1 and words[0] in TWO_WORDS
    )


def _clauses(rule: str) -> Iterator[list[str]]:
    """Yield the words of what a rule says must or must not be done, in order, the verb among the first."""
    for match in _BINDING.finditer(rule):
        yield _stems(_CONDITION.split(match["what"], maxsplit=1)[0])
    for match in _KOREAN.finditer(rule):
        names = _stems(" ".join(_LATIN.findall(match[0])))
        yield from ([verb, *names] for word, verb in _KOREAN_VERBS.items() if word in match[0])


def _fits(words: list[str], act: Act) -> bool:
    if act.verb not in words[: _BEFORE_VERB + 1]:
        return False
    at = words.index(act.verb)
    manner, about = words[:at], set(words[at + 1 :]) - _MANNER
    return act.named.issuperset(manner) and len(about & act.named) >= _NAMED * len(about)


def _stems(text: str) -> list[str]:
    return [stem(word) for word in content_words(" ".join(_PARTS.findall(text))) if word not in stopwords()]
