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
_SUBJECT = 3  # words before "must be", which say what is done
_NAMED = 0.5  # share of what a rule is about that the command must name
_BINDING = compile_later(
    r"\b(?:never|always|must(?:\s+not|n't)?|do\s+not|don't|avoid|only)\s+(?:ever\s+)?(?P<be>be\s+)?(?P<what>[^.,;:!?\n]{1,200})",
    re.I,
)
# Where the condition of a rule begins: it is for the agent to weigh, and no command names it.
_CONDITION = compile_later(
    r"\b(?:without|before|after|when|whenever|while|unless|until|if|with|because|since|as|on|by|via|using|so|that|which)\b",
    re.I,
)
_KOREAN = compile_later(r"[^.!?\n]{0,200}(?:지\s?(?:말|마|않)|금지|절대|항상|반드시)[^.!?\n]{0,80}")
_KOREAN_VERBS = {"푸시": "push", "커밋": "commit", "병합": "merge", "머지": "merge", "합치": "merge", "합쳐": "merge",
                 "리베이스": "rebase", "배포": "deploy",
                 "게시": "publish", "릴리스": "release",
                 "삭제": "delete", "설치": "install"}  # fmt: skip
# What a rule says has to be so before or while something is done: "Always run mypy before a commit", "every release has notes".
_DUE = compile_later(
    r"\b(?:before|when(?:ever)?|with|in|for|on)\s+(?:(?:a|an|any|each|every|the|your|our|all|you|we|anybody|somebody|making|doing|ever)\s+)*"
    r"(?P<verb>[a-z]+)(?=\s*(?:$|[.,;:!)]|(?:to|on|into|from|in|anything|changes|code|something|it|them|messages?)\b))",
    re.I,
)
_DUE_KOREAN = compile_later(
    r"(?P<verb>[가-힣]{2,4}) ?(?:하기|할)? ?(?:전|직전|때|마다|시)(?:에|에는|엔|마다)?(?=[ ,]|$)"
)
_DEMANDS = compile_later(
    r"\b(?:always|must|never|make sure|ensure|every|each|required?|needs? to|has to|have to|don't forget|do not forget|run)\b"
    r"|항상|반드시|언제나|무조건|매번|해야|꼭",
    re.I,
)
# A package is added, and a rule says when that may be: "We never add a runtime dependency".
_ADDS = compile_later(
    r"\b(?:npm (?:install|i|add)|(?:pnpm|yarn|bun|uv|poetry|cargo|bundle) add|pnpm (?:install|i)|(?:pip3?|uv pip|gem) install"
    r"|go get)"
    r"(?P<flags>(?: -[\w-]+)*) (?!-)[\w@]"
)
_OF_DEPENDENCIES = compile_later(
    r"\b(?:add|install|introduc|pull in)\w*\s(?:[\w-]+\s){0,4}?dependenc(?:y|ies)\b|의존성\S{0,2} (?:\S+ ){0,2}?(?:추가|늘리|넣)",
    re.I,
)
_DEVELOPING = compile_later(r" (?:-D|--dev|--save-dev|--group[ =]dev)\b")
_SAME_ACT = {"releas": {"releas", "publish"}, "publish": {"publish", "releas"}}
# What an act writes: a rule about it concerns every such act.
_WRITES = {
    "commit": compile_later(r"\bcommit (?:messages?|subjects?|titles?|bodies)\b|커밋 ?(?:메시지|제목|본문)", re.I),
    "pr": compile_later(
        r"\b(?:PR|pull request) (?:titles?|descriptions?|texts?)\b|(?:PR|풀 ?리퀘스트) ?(?:제목|설명|본문)", re.I
    ),
    "issu": compile_later(r"\bissue (?:titles?|descriptions?|texts?)\b|이슈 ?(?:제목|설명|본문)", re.I),
}
_ON_BRANCH = frozenset({"commit", "merg", "rebas"})  # acts that change the current branch
_NOUN_FIRST = frozenset(("gh",))  # programs of which the verb may follow a noun: `gh pr merge`
_LATIN = re.compile(r"[A-Za-z][\w/-]*", re.ASCII)
_PARTS = re.compile(r"[^\W_]+")
_MANNER = {
    stem(word) for word in "directly straight manually ever again yourself branch branches repository anything".split()
}


class Act(NamedTuple):
    """What one step of a command does: the stem of its verb, and those of everything else that it names."""

    verb: str
    named: frozenset[str]


def concerns_act(rule: str, command: str, branch: str = "") -> bool:
    """Return whether a rule says how something must or must not be done that a command line does, what has to be so before it,
    or how what it writes must be. `branch` is the current one.

    >>> rule = "Never push directly to main, always open a pull request."
    >>> [concerns_act(rule, f"git push origin {name}") for name in ("main", "fix-sails")]
    [True, False]
    """
    acts, rule = acts_of(command), rule[:_LONGEST]
    if not acts:
        return False
    verbs = {verb for act in acts for verb in _SAME_ACT.get(act.verb, {act.verb})}
    if verbs & set(_due(rule)) or any(verb in verbs and text.search(rule) for verb, text in _WRITES.items()):
        return True
    if _ADDS.search(command) and _OF_DEPENDENCIES.search(rule):
        return not ("runtime" in rule and _DEVELOPING.search(command))
    here = frozenset(_stems(branch))
    there = [act._replace(named=act.named | here) if act.verb in _ON_BRANCH else act for act in acts]
    return any(_fits(words, act) for words in _clauses(rule) for act in there)


def changes_branch(command: str) -> bool:
    """Return whether a command line changes the branch that it runs on."""
    return any(act.verb in _ON_BRANCH for act in acts_of(command))


def terms_for(command: str) -> list[str]:
    """Return the words under which rules about what a command line does are found, in English and Korean."""
    verbs = {act.verb for act in acts_of(command)}
    added = ["dependency", "dependencies", "의존성"] if _ADDS.search(command) else []
    return [word for korean, verb in _KOREAN_VERBS.items() if stem(verb) in verbs for word in (verb, korean)] + added


def _due(rule: str) -> Iterator[str]:
    """Yield the stems of the acts before or during which a rule demands something."""
    if not _DEMANDS.search(rule):
        return
    for match in _DUE.finditer(rule):
        yield stem(match["verb"].lower())
    for match in _DUE_KOREAN.finditer(rule):
        yield from (stem(verb) for word, verb in _KOREAN_VERBS.items() if match["verb"].startswith(word))


@lru_cache(maxsize=16)  # asked once for each rule
def acts_of(command: str) -> tuple[Act, ...]:
    """Return what the steps of a command line do; a step without a verb of its own (`ls`, `cat`) is left out."""
    steps = ((key.split(), typed) for key, typed in steps_of(command))
    return tuple(
        Act(stem(verb.lower()), frozenset(_stems(typed)))
        for words, typed in steps
        if words[0] in TWO_WORDS
        for verb in words[1 : 3 if words[0] in _NOUN_FIRST else 2]
    )


def _clauses(rule: str) -> Iterator[list[str]]:
    """Yield the words of what a rule says must or must not be done, in order, the verb among the first."""
    for match in _BINDING.finditer(rule):
        words = _stems(_CONDITION.split(match["what"], maxsplit=1)[0])
        subject = _stems(rule[: match.start()])[-_SUBJECT:] if match["be"] else []  # "feature branches must be deleted"
        yield words + subject
    for match in _KOREAN.finditer(rule):
        names = _stems(" ".join(_LATIN.findall(match[0])))
        yield from ([stem(verb), *names] for word, verb in _KOREAN_VERBS.items() if word in match[0])
        yield from ([verb] for verb in dict.fromkeys(map(stem, _KOREAN_VERBS.values())) if verb in names)


def _fits(words: list[str], act: Act) -> bool:
    if act.verb not in words[: _BEFORE_VERB + 1]:
        return False
    at = words.index(act.verb)
    manner, about = words[:at], set(words[at + 1 :]) - _MANNER
    return act.named.issuperset(manner) and len(about & act.named) >= _NAMED * len(about)


def _stems(text: str) -> list[str]:
    return [stem(word) for word in content_words(" ".join(_PARTS.findall(text))) if word not in stopwords()]
