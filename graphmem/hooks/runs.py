"""Decides whether a standing rule about running something ("never run the slack tests locally") concerns a command, by the
words of what it says must or must not run and those of the paths and names that the command runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from graphmem.cognify.episodes import TWO_WORDS, steps_of
from graphmem.patterns import compile_later
from graphmem.retrieve.stems import stem
from graphmem.text.toolcalls import runs_tests
from graphmem.text.words import content_words, stopwords

_LONGEST = 600  # characters of a rule that are read
_SHARE = 0.5  # share of the words of what tests a rule names
# Programs that do not run what they are given.
_HANDLERS = frozenset(
    """git gh ls cat head tail less more grep rg egrep fgrep find fd wc tree file stat diff cmp sed awk jq vim vi nano code rm cp mv
    mkdir touch chmod chown ln tar zip unzip which echo printf black ruff mypy isort prettier eslint""".split()
)
_LEFT_OUT = compile_later(r"--(?:ignore(?:-glob)?|deselect|exclude|skip)[= ]\S+")
_VERB = r"(?:re-?)?(?:run|execut|start|launch|invok|trigger)(?:e|ed|s|ing|ning)?"
_ACTIVE = compile_later(
    rf"\b(?:never|always|not|only|must|avoid|forbidden|prohibited|\w+n't)\s+(?:\w+\s+){{0,3}}?{_VERB}\b(?P<what>[^.;:!?\n]*(?:\.\w[^.;:!?\n]*)*)",
    re.I,
)
_PASSIVE = compile_later(
    rf"(?P<what>[^.;:!?\n]*?(?:\.\w[^.;:!?\n]*?)*)\b(?:must|should|may|can|shall|are|is)(?:\s+(?:never|not|only|always)|n't|not)\b(?:\s+\w+){{0,2}}?\s+{_VERB}\b",
    re.I,
)
_KOREAN = compile_later(
    r"[^.!?\n]*(?:\.\w[^.!?\n]*)*(?:(?:실행|구동|돌리|돌려)[^.!?\n]*(?:금지|마세요|마십시오|말|마라|않|안\s?[돼되])"
    r"|(?:절대|항상|반드시|금지)[^.!?\n]*(?:실행|구동|돌리|돌려))"
)
_FORBIDS = compile_later(r"\b(?:never|not|\w+n't)\b|금지|마세요|마십시오|마라|지 ?마|지 ?말|않", re.I)
# How the tests must always be run, whichever they are: it concerns every run of tests.
_BY = r"(?:with|through|via|from|using|in|under|by)\b"
_BOUND, _RUNS = "(?:반드시|항상|언제나|무조건|꼭)", r"[^.!?\n]*(?:\.\w[^.!?\n]*)*(?:실행|구동|돌리|돌려)"
_HOW = compile_later(
    r"\b(?:always|must|only|make sure (?:to|you))\s+(?:\w+\s+){0,3}?(?:re-?)?run(?:s|ning)?\s+(?:(?:all|the|our|any|unit)\s+)*"
    rf"tests?\s+{_BY}|(?:^|[.!?,:] ?)(?:(?:always|please|only)\s+)*use\s[^.!?\n]{{2,60}}?\s"
    rf"(?:for|to run)\s+(?:(?:all|the|our|any|unit)\s+)*tests?\b"
    rf"|\b(?:the |our |all )?tests (?:must|should|have to|need to) (?:always |only )?(?:be )?run {_BY}"
    rf"|(?:^|[.!?,:] ?)(?:모든 |우리 )?테스트(?:는|를|들은|들을|은)?(?: \S+){{0,3}}? {_BOUND}{_RUNS}"
    rf"|{_BOUND} (?:모든 |우리 )?테스트[는를]? [^.!?\n]*(?:으로|로|에서) ?(?:실행|구동|돌리|돌려)",
    re.I,
)
_DENIED = compile_later(r",? (?:and |but )?(?:not|never) .*$", re.I | re.S)
# A program that a rule gives up for another: "use pnpm, not npm", "npm 말고 pnpm".
_GIVEN_UP = (
    r"(?:\b(?:not|never|instead of|rather than)(?: (?:with|use|using|via|through|run|by))? `?{program}`?"
    r"(?=[.,;:!)]|$| (?:for|to|in|on|as|any|directly|manually|by)\b)"
    r"|(?<![\w-])`?{program}`? ?(?:을|를|은|는)? ?(?:직접 )?(?:말고|대신|쓰지|사용하지|금지))"
)
_LATIN = compile_later(r"[A-Za-z][\w./-]*", re.ASCII)
# Where a clause about the reason, the place or the manner begins.
_REST = compile_later(
    r",\s*(?:they|it|we|you|this|that|these|those|but|so|use|unless|please)\b"
    r"|\b(?:because|since|as|without|before|after|when|whenever|while|unless|if|until|with|against|from|on|to|that|which|where|by|via|using"
    r"|but|so|they|it)\b",
    re.I,
)
_EITHER = compile_later(r",|/(?=\s)|\b(?:and|or|nor)\b", re.I)
_PATH = compile_later(r"[/.:]")
_PARTS = compile_later(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_TESTS = frozenset({"test", "spec", "테스"})
_GENERAL = _TESTS | {
    stem(word)
    for word in """run suite file folder directory script command program case job local locally here all any every whole full
    entire complete python python3 py node bash sh src lib bin own ever again directly manually machine""".split()
}


@dataclass(frozen=True, slots=True)
class RunCommand:
    """What a command runs: the stems of its words, and those of the words before any path; whether it runs tests."""

    words: frozenset[str]
    program: frozenset[str]
    tests: bool

    @classmethod
    def of(cls, command: str) -> RunCommand | None:
        """Return what a command line runs; None if it only looks at files or moves them."""
        line = _LEFT_OUT.sub(" ", command)
        steps = [key for key, _ in steps_of(line) if key.split(" ")[0] not in _HANDLERS]
        words = frozenset(_stems(" ".join(steps)))
        heads = (word for key in steps for word in takewhile(lambda word: not _PATH.search(word), key.split()))
        return cls(words, frozenset(_stems(" ".join(heads))), runs_tests(line)) if words else None


def is_about(rule: str, run: RunCommand) -> bool:
    """Return whether a rule says that something must, must only or must not run, and the command runs it.

    >>> rule = "Never run the slack tests locally, they need a token."
    >>> [is_about(rule, RunCommand.of(f"pytest tests/{name}_test.py")) for name in ("slack", "webhooks")]
    [True, False]
    """
    rule = rule[:_LONGEST]
    if run.tests and _HOW.search(rule) and not _FORBIDS.search(_DENIED.sub("", rule)):
        return True
    return any(_is_run(what, run) for what in _things(rule))


def names_command(rule: str, command: str) -> bool:
    """Return whether a rule names a command that a command line runs, by its program and what follows, or gives up its program.

    >>> rule = "Tests must run with `make check`, not with npm test. Use pnpm, not yarn, for installing."
    >>> [names_command(rule, one) for one in ("npm test", "cd a && make check", "yarn add left-pad", "npm run build")]
    [True, True, True, False]
    """
    rule = rule[:_LONGEST]
    for key, _ in steps_of(command):
        words = key.split()
        program, named = re.escape(words[0]), " ".join(map(re.escape, words[:2]))
        if len(words) > 1 and words[0] in TWO_WORDS and re.search(rf"(?<![\w./-]){named}(?![\w-])", rule):
            return True
        if f"`{words[0]}`" in rule or re.search(_GIVEN_UP.format(program=program), rule):
            return True
    return False


def _is_run(what: str, run: RunCommand) -> bool:
    words = _stems(what)
    telling = words - _GENERAL
    shared = len(telling & run.words)
    if words & _TESTS:
        return run.tests and 0 < shared >= _SHARE * len(telling)
    return bool(telling) and telling <= (
        run.program if run.tests else run.words
    )  # the tests of a program do not run it


def _things(rule: str) -> Iterator[str]:
    """Yield what a rule says must or must not run."""
    for pattern in (_ACTIVE, _PASSIVE):
        for match in pattern.finditer(rule):
            whole = _REST.split(match["what"], maxsplit=1)[0] if pattern is _ACTIVE else match["what"]
            parts = _EITHER.split(whole)
            tests = " tests" if _stems(whole) & _TESTS else ""  # "the slack and telegram tests"
            yield from (part + tests for part in parts)
    for match in _KOREAN.finditer(rule):
        kind = " tests" if "테스트" in match[0] else ""
        yield " ".join(_LATIN.findall(match[0])) + kind


def _stems(text: str) -> set[str]:
    """Return the stems of the words of a text, also of those inside names and paths."""
    words = content_words(" ".join(_PARTS.findall(text)))
    return {stem(word) for word in words if len(word) > 1 and word not in stopwords()}
