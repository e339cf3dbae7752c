"""Operations about the commits of a kind: those that name something, those that fixed it, and those that added one more of
it, with the files that they changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from shlex import quote
from textwrap import shorten
from typing import NamedTuple

from graphmem.ask.evidence import FEW, ROWS, Evidence, Sources, hit_line, rest_line, revision_line
from graphmem.ask.fault_topics import Topic, find_topic_fixes, find_topics
from graphmem.ask.periods import find_period
from graphmem.ask.siblings import describe_siblings, find_siblings
from graphmem.ask.types import Question
from graphmem.code import authors
from graphmem.code.commit_reasons import read_reasons
from graphmem.model.code_answers import Revision
from graphmem.model.results import Hit
from graphmem.plurals import counted
from graphmem.retrieve.stems import stem

_FIXES = re.compile(r"\b(?:fix|bug|fault|defect|regress|crash|broke|hotfix|repair)\w*|버그|고친|고쳐|수정|결함", re.I)
# What the subject of a commit that fixes something says, if none of those words.
_MENDS = re.compile(
    r"^(?:[\w()/!, -]{1,40}: *)?(?:correct|prevent|avoid|restore|don't|do not|never|no longer|properly|guard against)\w*\b"
    r"|\b(?:incorrect|wrong(?:ly)?|missing|leak(?:s|ed|ing)?|deadlock|race condition|corrupt\w*|off by one|overflow\w*)\b",
    re.I,
)
# What a commit fixes that changes nothing that the program does.
_STYLE = re.compile(
    r"\b(?:lint\w*|typos?|format\w*|grammar|spelling|docstrings?|auto[- ]?fix\w*|flake8|ruff|black|isort|pyright|mypy|prettier|"
    r"eslint|gofmt|clippy|warnings?|tests?|ci|workflow)\b|auto fixes",
    re.I,
)
_OR = re.compile(r"\bor\b|또는|혹은|이나\b|거나")
_SAYING = re.compile(rf"{_FIXES.pattern}|(?:name|mention|concern|relat|touch|about|regard)\w*", re.I)
_PLURAL = re.compile(r"(?<![sui])s$")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")  # of a symbol that the question spells in words
_NOUNS = re.compile(r"\b(?:dependenc(?:y|ies)|arguments?|parameters?|settings?)\b", re.I)  # which mean little elsewhere
_COMMITS = 200  # that are looked at
_COMMITS_OF_PERIOD = 5_000  # of which those of a period are looked at
_REASON = 140  # characters of a reason
_MAX_ROWS = 30  # commits that are shown
_MAX_TOPIC_ROWS = 40  # of which a part is wrong
_LEAST_PART = 0.6  # of the words of a question, for a commit that has not all of them
_LARGEST_PART = 0.5  # of the files of a tree, for a place that a word names
_PLACES = 200  # folders and files of one question
_SHOWN_PLACES = 6
_DOCUMENTS = (".md", ".rst", ".txt", ".adoc")
_ADDS = re.compile(r"\b(?:feat|add|support|introduc|implement|new|wire)\w*|추가|지원|도입|구현", re.I)
_ADDING = re.compile(
    r"(?:add|support|introduc|implement|touch|chang|edit|updat|need|requir)\w*|must|new|another|further|more|one|third|fourth"
    r"|have|steps?|places?|kind|type",
    re.I,
)
_EXAMPLES = 8  # newest commits that added one
_LARGEST = 120  # files of such a commit; a larger one did more than that
_LEAST_SHARE = 0.4  # of these commits that changed a file
_TELLS = 0.3  # probability of a document that may tell how


def find_commits(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the commits whose message has every word that the question is about, in any form, those that have them in the
    subject first; asked for fixes, those whose subject says so, then fixes of the files that the words name ("which bugs in
    the SQL were fixed?"), then the others. If these are few, those that have most of the words. If the question names a period,
    only those of it."""
    period = find_period(question.text)
    asked = _asked_words(question, period.words.lower() if period else "")
    words = list(dict.fromkeys(map(name_root, asked)))
    if not words:
        return None
    root, of_fixes = sources.code.root(), bool(_FIXES.search(question.text))
    places, naming = _named_places(words, authors.list_files(root)) if of_fixes else ([], set[str]())
    changes = authors.find_changes_of(root, places) if places else []
    left = [word for word in words if word not in naming]
    is_asked = period.holds if period else lambda at: True
    touched = [commit for commit in changes if is_asked(commit.at) and _is_real_fix(commit.subject, left)]
    if of_fixes and (topics := find_topics(asked)):
        return _fixes_of_topics(topics, asked, touched, _Asked(words, places, is_asked, sources))
    is_any = len(words) > 1 and _OR.search(question.text) is not None
    most = _COMMITS if period is None else _COMMITS_OF_PERIOD
    found = [
        commit
        for commit in _mentioning(sources, words, most, is_any=is_any)
        if not commit.subject.startswith("Merge ") and is_asked(commit.at)
    ]
    enough = any if is_any else all
    named = [commit for commit in found if enough(word in commit.subject.lower() for word in words)]
    rows = [*named, *(commit for commit in found if commit not in named)]
    what = (" or " if is_any else " and ").join(f"`{word}`" for word in asked) + (
        f" ({period.words})" if period else ""
    )
    where = f", {len(named)} of them in the subject: these first" if 0 < len(named) < len(rows) else ""
    many = "+" if len(found) == _COMMITS else ""
    lines = [f"{len(rows)}{many} commit{'s name' if len(rows) != 1 else ' names'} {what}{where}, newest first"]
    if of_fixes:
        lines, rows = _tell_fixes(lines, rows, touched, _Asked(words, places, is_asked, sources))
    else:
        lines += _listed(rows)
    partly = _naming_most(sources, words) if len(words) > 1 and len(rows) < FEW else []
    partly = [commit for commit in partly if commit not in rows and is_asked(commit.at)]
    lines += (
        [f"{len(partly)} more name most of these words, most of them first:", *_listed(partly, ROWS)] if partly else []
    )
    span = period.flags if period else ""
    grep = " ".join(f"--grep={quote(word)}" for word in words)
    command = f"git log{span} -i --fixed-strings{'' if is_any else ' --all-match'} {grep}"
    if touched and len(places) <= _SHOWN_PLACES:
        command = f"git log{span} --no-merges -- {' '.join(map(quote, places))}"
    refs = tuple(commit.hash for commit in (rows or partly)[:FEW])
    answers = bool(rows) and not of_fixes and not (is_any and found)  # a fix may be one without saying so
    return Evidence(tuple(lines), (command,), answers, refs) if refs else None


class _Asked(NamedTuple):
    """What a question about fixes asks for: words, the places that they name, and the period."""

    words: Sequence[str]
    places: Sequence[str]
    is_in_period: Callable[[datetime], bool]
    sources: Sources


def _fixes_of_topics(
    topics: Sequence[Topic], words: Sequence[str], touched: Sequence[Revision], asked: _Asked
) -> Evidence | None:
    """Return the fixes of a kind of fault, by any word that names the kind or is near it; then fixes of the places that the words
    name, and of the code whose names have them. Never sure: messages need not name what they fix."""
    found = find_topic_fixes(asked.sources.code.root(), topics, words, asked.is_in_period)
    what = " or ".join(f"`{word}`" for word in words)
    lines = [
        f"{counted(len(found.fixes), 'fix names', 'fixes name')} {what} or what is near it ({', '.join(found.words)}, …),"
        " the surest first; read the doubtful ones:",
        *_with_reasons(found.fixes, asked.sources, _MAX_TOPIC_ROWS),
    ]
    touched = _those_naming_most(touched, asked.words, found.fixes)
    if touched:
        lines += [
            f"{counted(len(touched), 'more fix', 'more fixes')} changed {', '.join(asked.places[:_SHOWN_PLACES])}:"
        ]
        lines += _listed(touched, ROWS)
    of_code, _ = _changes_of_code([*found.fixes, *touched], asked)
    if of_code:
        lines += [f"{counted(len(of_code), 'more fix', 'more fixes')} changed code whose names have these words:"]
        lines += _listed(of_code, ROWS)
    if found.others:
        lines.append(f"{counted(found.others, 'more commit names', 'more commits name')} it and no fix")
    refs = tuple(commit.hash for commit in (*found.fixes, *touched, *of_code)[:FEW])
    pattern = "|".join(found.words)
    return (
        Evidence(tuple(lines), (f"git log --no-merges -i -E --grep={quote(pattern)}",), False, refs) if refs else None
    )


def _tell_fixes(
    lines: list[str], rows: Sequence[Revision], touched: Sequence[Revision], asked: _Asked
) -> tuple[list[str], list[Revision]]:
    """Return the lines about fixes, and these commits: of those that name the words, of the places, and of the code whose names
    have the words; then what changed the same and does not say that it is a fix."""
    fixes = [commit for commit in rows if _is_fix(commit.subject)]
    others = [commit for commit in rows if commit not in fixes]
    touched = _those_naming_most(touched, asked.words, fixes)
    told = _with_reasons(fixes, asked.sources)
    lines = told if touched and not rows else [*lines, *told]
    if touched:
        shown = ", ".join(asked.places[:_SHOWN_PLACES]) + (" …" if len(asked.places) > _SHOWN_PLACES else "")
        lines += [
            f"{counted(len(touched), 'fix', 'fixes')} changed {shown}:",
            *_with_reasons(touched, asked.sources),
        ]
    of_code, unsaid = _changes_of_code([*fixes, *touched, *others], asked)
    if of_code:
        said = f"{counted(len(of_code), 'more fix', 'more fixes')} changed functions or types whose names have these words:"
        lines += [said, *_with_reasons(of_code, asked.sources)]
    if others:
        few = FEW if fixes or touched else _MAX_ROWS
        lines += [f"{len(others)} more, whose subject names no fix:", *_listed(others, few)]
    if unsaid:
        said = (
            "more commits changed functions or types whose names have these words, without a subject that names a fix:"
        )
        lines += [f"{len(unsaid)} {said}", *_listed(unsaid)]
    return lines, [*fixes, *touched, *of_code, *others]


def _changes_of_code(known: Sequence[Revision], asked: _Asked) -> tuple[list[Revision], list[Revision]]:
    """Return the commits that changed functions and types whose names have these words, without those that are known: those whose
    subject names a fix, and the others."""
    hashes = {commit.hash for commit in known}
    found = [
        commit
        for commit in asked.sources.code.commits_of_named(asked.words)
        if commit.hash not in hashes and asked.is_in_period(commit.at) and not commit.subject.startswith("Merge ")
    ]
    fixes = [commit for commit in found if _is_real_fix(commit.subject, ())]
    return fixes, [commit for commit in found if commit not in fixes]


def _with_reasons(commits: Sequence[Revision], sources: Sources, most: int = _MAX_ROWS) -> list[str]:
    """Return commits with the first sentence of the bodies of their messages."""
    shown = commits[:most]
    said = read_reasons(sources.code.root(), [commit.hash for commit in shown])
    lines = [
        revision_line(c) + (f" — {shorten(said[c.hash], _REASON, placeholder=' …')}" if c.hash in said else "")
        for c in shown
    ]
    return lines + rest_line(len(commits), len(shown))


def _asked_words(question: Question, of_period: str) -> list[str]:
    """Return the words that commits are asked to have, without those for the period."""
    said = question.text.lower()
    spoken = (one if one.lower() in said else " ".join(_PARTS.findall(one)) for one in question.subjects)
    words = (*" ".join(spoken).split(), *_NOUNS.findall(question.text))
    subjects = [word.lower() for word in words if not _SAYING.fullmatch(word)]
    return [_PLURAL.sub("", word) for word in subjects if word not in of_period]


def _mentioning(sources: Sources, words: Sequence[str], most: int, *, is_any: bool) -> list[Revision]:
    """Return the newest commits whose message has all words, or any of them."""
    root = sources.code.root()
    if not is_any:
        return authors.find_mentions(root, list(words), most)
    found = {commit.hash: commit for word in words for commit in authors.find_mentions(root, [word], most)}
    return sorted(found.values(), key=lambda commit: commit.at, reverse=True)[:most]


def _named_places(words: Sequence[str], files: Sequence[str]) -> tuple[list[str], set[str]]:
    """Return the folders and files that words name, and these words: by their path, else by a part of it in any form
    (`migration` for `db/migrations`), or by their ending. What most files have names no place.

    >>> files = ["db/a.sql", "db/b.py", "db/migrations/c.py", "web/d.py", "web/e.py"]
    >>> _named_places(["lock", "migr"], files)
    (['db/migrations'], {'migr'})
    """
    places: dict[str, dict[str, set[str]]] = {}  # part of a path -> the folders and files named so -> their files
    paths = set[str]()
    for file in files:
        *folders, name = file.split("/")
        base, _, ending = name.rpartition(".") if "." in name[1:] else (name, "", "")
        within = ["/".join(folders[: depth + 1]) for depth in range(len(folders))]
        paths.update((file, *within))
        parts = [*zip(folders, within, strict=True), (base, file), *([(ending, file)] if ending else [])]
        for part, place in parts:
            places.setdefault(name_root(part.lower().removesuffix("s")), {}).setdefault(place, set()).add(file)
    roots = {name_root(path.lower().removesuffix("s")): path for path in paths}
    if exact := [word for word in words if "/" in word and word in roots]:
        within_paths = {name_root(part.removesuffix("s")) for word in exact for part in roots[word].lower().split("/")}
        return [roots[word] for word in exact], within_paths.union(exact)
    most = _LARGEST_PART * len(files)
    known = {word: places[word] for word in words if word in places}
    few = {word: named for word, named in known.items() if len(set().union(*named.values())) <= most}
    chosen = {place for named in few.values() for place in named}
    code = {place for place in chosen if not place.lower().endswith(_DOCUMENTS)}
    return sorted(code or chosen)[:_PLACES], set(few)


def _those_naming_most(
    commits: Sequence[Revision], words: Sequence[str], without: Sequence[Revision]
) -> list[Revision]:
    """Return commits except some, those whose subject has most of the words first; they were newest first."""
    left = [commit for commit in commits if commit not in without]
    return sorted(left, key=lambda commit: -sum(word in commit.subject.lower() for word in words))


def _listed(commits: Sequence[Revision], most: int = _MAX_ROWS) -> list[str]:
    return [*map(revision_line, commits[:most]), *rest_line(len(commits), most)]


def _naming_most(sources: Sources, words: Sequence[str]) -> list[Revision]:
    """Return the commits whose message has most of some words, those with the most first, then the newest."""
    root = sources.code.root()
    commits, counts = dict[str, Revision](), Counter[str]()
    for word in words:
        for commit in authors.find_mentions(root, [word], _COMMITS):
            if commit.subject.startswith("Merge "):
                continue
            commits[commit.hash] = commit
            counts[commit.hash] += 1
    found = (commit for hash_, commit in commits.items() if counts[hash_] >= _LEAST_PART * len(words))
    return sorted(found, key=lambda commit: (-counts[commit.hash], -commit.at.timestamp()))


def name_root(word: str) -> str:
    """Return what nouns and verbs of a word begin with.

    >>> name_root("redaction"), name_root("parsing"), name_root("sums")
    ('redact', 'pars', 'sum')
    """
    found = stem(word)
    return found[:-3] if found.endswith("ion") and len(found) > 6 else found


def _is_fix(subject: str) -> bool:
    return not subject.startswith("Merge ") and bool(_FIXES.search(subject) or _MENDS.search(subject))


def _is_real_fix(subject: str, words: Sequence[str]) -> bool:
    """Return whether a commit fixes what the program does, and has one of the words if there are any."""
    is_fix = _is_fix(subject) and not _STYLE.search(subject)
    return is_fix and (not words or any(word in subject.lower() for word in words))


def find_additions(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return what it takes to add one more of something, from the commits that did: their subjects say so, and they bring new
    files. First documents that tell how, and the places that name several of what there is."""
    words = [name_root(word.lower().removesuffix("s")) for word in question.subjects if not _ADDING.fullmatch(word)]
    root = sources.code.root()
    found = authors.find_mentions(root, words, _COMMITS) if words else []
    said = [commit for commit in found if _ADDS.search(commit.subject)]
    files = authors.find_changed_files(root, [commit.hash for commit in said])
    added = [
        commit
        for commit in said
        if len(files[commit.hash]) <= _LARGEST and any(change == "A" for change, _ in files[commit.hash])
    ]
    added.sort(key=lambda commit: not all(word in commit.subject.lower() for word in words))
    examples = added[:_EXAMPLES]
    if not examples:
        return None
    lines = [hit_line(hit) for hit in hits if hit.kind == "document" and hit.probability >= _TELLS][:2]
    new = [[path for change, path in files[commit.hash] if change == "A"] for commit in examples]
    if siblings := find_siblings(authors.list_files(root), new):
        lines += describe_siblings(siblings, sources)
    lines.append(
        f"{counted(len(examples), 'commit that adds one and brings', 'commits that add one and bring')} new files:"
    )
    lines += [revision_line(commit) for commit in examples[:FEW]] + rest_line(len(examples), FEW)
    changed = Counter(path for commit in examples for _, path in files[commit.hash])
    often = [(path, count) for path, count in changed.most_common() if count >= max(2, _LEAST_SHARE * len(examples))]
    lines += ["files that several of them changed:"] * bool(often)
    lines += [f"{path} in {count}" for path, count in often[: 2 * ROWS]] + rest_line(len(often), 2 * ROWS)
    usual = {path for path, _ in often}
    best = max(examples, key=lambda commit: len(usual.intersection(path for _, path in files[commit.hash])))
    brought = new[examples.index(best)]
    lines.append(f"new in {best.hash[:10]}: {', '.join(brought[:ROWS])}" + (" …" if len(brought) > ROWS else ""))
    command = f"git show --stat {best.hash[:10]}"
    return Evidence(tuple(lines), (command,), False, tuple(commit.hash for commit in examples))
