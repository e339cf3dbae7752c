"""Finds standing rules that a prompt, an edit or a command concerns: those that name a symbol in it, a folder or file of it,
most of its words, or what it runs or does. A rule is injected when it matters, not only when it is alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphmem.hooks.acts import acts_of, changes_branch, concerns_act, terms_for
from graphmem.hooks.completed import facts_of_event
from graphmem.hooks.runs import RunCommand, is_about, names_command
from graphmem.hooks.undoing import edit_words, undoes
from graphmem.hooks.warnings import current_branch
from graphmem.ports.text import ItemFilter, Stored
from graphmem.retrieve.stems import stem
from graphmem.text.hangul import find_originals, strip_endings
from graphmem.text.placenames import named_files, named_symbols
from graphmem.text.words import content_words

if TYPE_CHECKING:
    from graphmem.context import HookContext

_CANDIDATES = 60  # facts that are read
_MAX_CHARS = 4_000  # characters of a text that are compared
_KINDS = frozenset({"rule", "preference"})
_MIN_WORDS, _MIN_SHARE = 3, 0.6  # words of a rule in a text, and their share, where it names no place
_SHORT_NAME = 3  # characters of a name that says little: `str`, `map`
_BINDS = re.compile(
    r"\b(?:never|always|must|do not|don't|not allowed|forbidden|instead of|prefer)\b|절대|반드시|항상|금지|하지 (?:않|말|마)|대신",
    re.I,
)
# What rules about tests, and rules at all, are found by.
_OF_NEW = ("새", "모든", "파일", "수정", "edit")  # the words of a rule may be Korean, and those of a path are not
_OF_TESTS = ("test", "tests", "테스트")
_BINDING = ("always", "never", "must", "반드시", "항상", "절대")
_NEW = re.compile(
    r"\b(?:every|each|all|any) (?:new )?(?P<thing>[a-z][\w-]{2,}) |(?<![가-힣])(?:새|새로운|모든) (?P<korean>[가-힣]{2,8})",
    re.I,
)
# Files of a kind that a rule protects: "마이그레이션 파일은 절대 수정하지 마", "never edit migration files".
_KEPT = re.compile(
    r"\b(?:edit|touch|modify|change|rewrite) (?:(?:the|any|existing|old|applied) ){0,2}(?P<thing>[a-z][\w-]{2,})"
    r" (?:files?|folder|code)\b"
    r"|(?<![가-힣])(?P<korean>[가-힣]{2,8}) ?(?:파일|폴더|디렉터리)\S{0,2} (?:\S+ ){0,3}?"
    r"(?:수정|편집|고치|건드리|손대|바꾸|변경|만지)",
    re.I,
)
_PART = re.compile(r"[a-z]+")
_FOLDER = re.compile(r"(?<![\w/.-])(?:[\w.-]+/)+[\w.-]*\w", re.ASCII)


def rules_for(host: HookContext, text: str, paths: Sequence[str], session: str) -> list[Stored]:
    """Return the rules and preferences of persons, stated in other sessions, that a text or paths (relative to the repository)
    concern; the most exactly named first. Lookups only, no search by meaning."""
    text = text[:_MAX_CHARS]
    words = {stem(word) for word in content_words(text)}
    found = []
    for one in _candidates(host, " ".join([text, *paths, *(_OF_NEW if paths else ())]), session):
        if weight := _weigh(one.item.text, text, words, paths):
            found.append((weight, one))
    found.sort(key=lambda pair: (-pair[0], -pair[1].item.at))
    return [one for _, one in found if _binds(host, one)]


def rules_about_running(host: HookContext, command: str, session: str, folder: str = "") -> list[Stored]:
    """Return the rules of persons, stated in other sessions, about running what a command runs or doing what it does (in
    `folder`), the latest first."""
    command = command[:_MAX_CHARS]
    run = RunCommand.of(command)
    if run is None and not acts_of(command):
        return []
    words = [
        *sorted(run.words if run else ()),
        *terms_for(command),
        *(_OF_TESTS if run and run.tests else ()),
        *_BINDING,
    ]
    named = _candidates(host, " ".join([command, *words]), session)
    branch = current_branch(folder) if named and changes_branch(command) else ""

    def is_concerned(rule: str) -> bool:
        return (
            (run is not None and is_about(rule, run))
            or names_command(rule, command)
            or concerns_act(rule, command, branch)
        )

    return sorted(
        (one for one in named if is_concerned(one.item.text) and _binds(host, one)), key=lambda one: -one.item.at
    )


def corrections_undone(host: HookContext, arguments: Mapping[str, Any], session: str) -> list[Stored]:
    """Return what persons corrected in other sessions and an edit would undo, the latest first."""
    old, new = (str(arguments.get(name) or "")[:_MAX_CHARS] for name in ("old_string", "new_string"))
    changed = edit_words(old) ^ edit_words(new)
    if not (old and new and changed):
        return []
    found = [one for one in _candidates(host, " ".join(sorted(changed)), session) if undoes(one.item.text, old, new)]
    return sorted((one for one in found if _is_by_person(host, one)), key=lambda one: -one.item.at)


def _is_by_person(host: HookContext, one: Stored) -> bool:
    facts = _facts_of(host, one)
    return (
        one.item.id == one.item.event if not facts else any(fact.get("origin", "person") == "person" for fact in facts)
    )


def _facts_of(host: HookContext, one: Stored) -> list[dict[str, Any]]:
    """Return the derivations of a fact; none of one that was saved by `remember`, or by a person in other words."""
    facts = facts_of_event(host, one.item.event) if one.item.event else ()
    return [fact for fact in facts if fact["id"] == one.item.id]


def _candidates(host: HookContext, words: str, session: str) -> list[Stored]:
    index = host.retriever.ports.text
    terms = dict.fromkeys(index.terms(words), 1.0)
    where = ItemFilter(kinds=("fact",), project=host.project, outside=session or None)
    rows = [match.row for match in index.search(terms, where, _CANDIDATES)] if terms else []
    return [one for one in index.items(rows) if one.status in ("active", "contested")]


def _weigh(rule: str, text: str, words: set[str], paths: Sequence[str]) -> float:
    """Return how exactly a rule names what a text or paths are about; 0 if it does not."""
    plain = _BINDS.search(rule) is not None  # a plain word in code marks may also be an example
    symbols = [name for name in named_symbols(rule) if len(name) > _SHORT_NAME and (plain or not name.islower())]
    if any(re.search(rf"(?<![\w.]){re.escape(name)}(?![A-Za-z0-9_])", text) for name in symbols):
        return 3.0
    places = [place.rstrip("/") for place in dict.fromkeys([*_FOLDER.findall(rule), *named_files(rule)])]
    if places and any(_is_below(path, places[0]) for path in paths):
        return 2.0
    if any(_is_made(rule, path) for path in paths):
        return 2.0
    stated = {stem(word) for word in content_words(rule)}
    shared = len(stated & words)
    return 1.0 if shared >= _MIN_WORDS and shared >= _MIN_SHARE * len(stated) else 0.0


def _is_made(rule: str, path: str) -> bool:
    """Return whether a path names what a rule demands something of wherever it is made ("every new util needs a test"), or
    what it protects ("never edit migration files")."""
    parts = [part for part in _PART.findall(path.lower()) if len(part) >= _SHORT_NAME]
    stems = {stem(part) for part in parts}
    for match in (*_NEW.finditer(rule), *_KEPT.finditer(rule)):
        if (match["thing"] and stem(match["thing"].lower()) in stems) or (
            match["korean"] and find_originals(strip_endings(match["korean"]), parts)
        ):
            return True
    return False


def _is_below(path: str, place: str) -> bool:
    return f"/{place}/" in f"/{path}/"


def _binds(host: HookContext, one: Stored) -> bool:
    """Return whether a fact is a rule or preference that a person stated."""
    facts = _facts_of(host, one)
    if not facts:
        return one.item.id == one.item.event and bool(_BINDS.search(one.item.text))
    return any(fact.get("origin", "person") == "person" and _is_rule(fact) for fact in facts)


def _is_rule(fact: dict[str, Any]) -> bool:
    return fact["kind"] in _KINDS or (fact["kind"] == "decision" and bool(_BINDS.search(fact["content"])))
