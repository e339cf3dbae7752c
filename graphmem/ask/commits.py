"""Operations about the commits of a kind: those that name something, those that fixed it, and those that added one more of
it, with the files that they changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from shlex import quote

from graphmem.ask.evidence import FEW, ROWS, Evidence, Sources, hit_line, rest_line, revision_line
from graphmem.ask.types import Question
from graphmem.code import authors
from graphmem.model.code_answers import Revision
from graphmem.model.results import Hit
from graphmem.retrieve.stems import stem

_FIXES = re.compile(r"\b(?:fix|bug|fault|defect|regress|crash|broke|hotfix|repair)\w*|버그|고친|고쳐|수정|결함", re.I)
# What the subject of a commit that fixes something says, if none of those words.
_MENDS = re.compile(
    r"^(?:[\w()/!, -]{1,40}: *)?(?:correct|prevent|avoid|restore|don't|do not|never|no longer|properly|guard against)\w*\b"
    r"|\b(?:incorrect|wrong(?:ly)?|missing|leak(?:s|ed|ing)?|deadlock|race condition|corrupt\w*|off by one|overflow\w*)\b",
    re.I,
)
_SAYING = re.compile(rf"{_FIXES.pattern}|(?:name|mention|concern|relat|touch|about|regard)\w*", re.I)
_COMMITS = 200  # that are looked at
_MAX_ROWS = 30  # commits that are shown
_LEAST_PART = 0.6  # of the words of a question, for a commit that has not all of them
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
    subject first; asked for fixes, those whose subject says so, then the others. If these are few, those that have most of
    the words."""
    asked = [word.lower().removesuffix("s") for word in question.subjects if not _SAYING.fullmatch(word)]
    words = list(dict.fromkeys(map(_root, asked)))
    if not words:
        return None
    found = [
        commit
        for commit in authors.find_mentions(sources.code.root(), words, _COMMITS)
        if not commit.subject.startswith("Merge ")
    ]
    named = [commit for commit in found if all(word in commit.subject.lower() for word in words)]
    rows = [*named, *(commit for commit in found if commit not in named)]
    what = " and ".join(f"`{word}`" for word in asked)
    where = f", {len(named)} of them in the subject: these first" if 0 < len(named) < len(rows) else ""
    many = "+" if len(found) == _COMMITS else ""
    lines = [f"{len(rows)}{many} commit{'s name' if len(rows) != 1 else ' names'} {what}{where}, newest first"]
    if _FIXES.search(question.text):
        fixes = [commit for commit in rows if _is_fix(commit.subject)]
        others = [commit for commit in rows if commit not in fixes]
        lines += [
            *_listed(fixes),
            *([f"{len(others)} more, whose subject names no fix:"] if others else []),
            *_listed(others),
        ]
        rows = [*fixes, *others]
    else:
        lines += _listed(rows)
    partly = _naming_most(sources, words) if len(words) > 1 and len(rows) < FEW else []
    partly = [commit for commit in partly if commit not in rows]
    lines += (
        [f"{len(partly)} more name most of these words, most of them first:", *_listed(partly, ROWS)] if partly else []
    )
    command = f"git log -i --fixed-strings --all-match {' '.join(f'--grep={quote(word)}' for word in words)}"
    refs = tuple(commit.hash for commit in (rows or partly)[:FEW])
    return Evidence(tuple(lines), (command,), bool(rows), refs) if refs else None


def _listed(commits: Sequence[Revision], most: int = _MAX_ROWS) -> list[str]:
    return [*map(revision_line, commits[:most]), *rest_line(len(commits), most)]


def _naming_most(sources: Sources, words: Sequence[str]) -> list[Revision]:
    """Return the commits whose message has most of some words, those with the most first, then the newest."""
    root = sources.code.root()
    commits, counts = dict[str, Revision](), Counter[str]()
    for word in words:
        for commit in authors.find_mentions(root, [word], _COMMITS):
            commits[commit.hash] = commit
            counts[commit.hash] += 1
    found = (commit for hash_, commit in commits.items() if counts[hash_] >= _LEAST_PART * len(words))
    return sorted(found, key=lambda commit: (-counts[commit.hash], -commit.at.timestamp()))


def _root(word: str) -> str:
    """Return what nouns and verbs of a word begin with.

    >>> _root("redaction"), _root("parsing"), _root("sums")
    ('redact', 'pars', 'sum')
    """
    found = stem(word)
    return found[:-3] if found.endswith("ion") and len(found) > 6 else found


def _is_fix(subject: str) -> bool:
    return not subject.startswith("Merge ") and bool(_FIXES.search(subject) or _MENDS.search(subject))


def find_additions(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return what it takes to add one more of something, from the commits that did: their subjects say so, and they bring new
    files. First documents that tell how."""
    words = [_root(word.lower().removesuffix("s")) for word in question.subjects if not _ADDING.fullmatch(word)]
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
    lines.append(f"{len(examples)} commits that add one and bring new files:")
    lines += [revision_line(commit) for commit in examples[:FEW]] + rest_line(len(examples), FEW)
    changed = Counter(path for commit in examples for _, path in files[commit.hash])
    often = [(path, count) for path, count in changed.most_common() if count >= max(2, _LEAST_SHARE * len(examples))]
    lines += ["files that several of them changed:"] * bool(often)
    lines += [f"{path} in {count}" for path, count in often[: 2 * ROWS]] + rest_line(len(often), 2 * ROWS)
    usual = {path for path, _ in often}
    best = max(examples, key=lambda commit: len(usual.intersection(path for _, path in files[commit.hash])))
    new = [path for change, path in files[best.hash] if change == "A"]
    lines.append(f"new in {best.hash[:10]}: {', '.join(new[:ROWS])}" + (" …" if len(new) > ROWS else ""))
    command = f"git show --stat {best.hash[:10]}"
    return Evidence(tuple(lines), (command,), False, tuple(commit.hash for commit in examples))
