"""Operations about people: who wrote the lines of a symbol or file, who worked on a topic, who maintains the repository."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from shlex import quote

from graphmem.ask.about import is_acronym
from graphmem.ask.commits import name_root
from graphmem.ask.evidence import (
    FEW,
    FIELDS,
    Evidence,
    Sources,
    evidence_of,
    find_file,
    find_subject,
    place_of,
    rest_line,
    revision_line,
)
from graphmem.ask.types import Question
from graphmem.code import authors
from graphmem.model.code import Symbol
from graphmem.model.code_answers import Authorship
from graphmem.model.results import Hit
from graphmem.plurals import counted
from graphmem.text.bots import is_bot

_COMMITS = 500  # that name a topic
_LEAST_COMMITS = 2  # from which they tell who knows it


def find_owners(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return who wrote the lines of the file or symbol as they are; of a topic, who made the commits that name it."""
    if (file := find_file(question, sources)) is not None:
        lines_of_file = len(sources.code.source(file).text.split("\n"))
        whole = authors.blame_lines(sources.code.root(), file, 1, lines_of_file)
        said = (f"`{file}` has {counted(lines_of_file, 'line')}:", *_author_lines(whole)) if whole else ()
        return Evidence(said, (f"graphmem code history {quote(file)}",), refs=(file,)) if said else None
    symbol = find_subject(question, sources)
    if symbol is None and _OF_ALL.issuperset(map(str.lower, question.subjects)):
        return _owners_of_all(sources)
    if symbol is None or not _names_whole(question, symbol):
        return _find_topic_owners(question, sources)
    if (
        symbol.kind in FIELDS
        and all(map(is_acronym, question.exact))
        and (topic := _find_topic_owners(question, sources))
    ):
        return topic  # an ordinary word is the name of a field by chance
    found = sources.code.owners(symbol.key)
    if found is None:
        return None
    total = sum(count for _, count, _ in found.authors)
    lines = [f"{place_of(symbol)} has {counted(total, 'line')}:", *_author_lines(found)]
    return evidence_of(question, symbol, sources, lines, "code history")


_OF_ALL = frozenset({"repository", "project", "code", "codebase", "this", "here", "it", "all"})


def _owners_of_all(sources: Sources) -> Evidence | None:
    """Return who made most commits, and who the files say is responsible."""
    root = sources.code.root()
    people, total = authors.count_commits(root)
    if not people:
        return None
    lines = [f"{counted(total, 'commit')} by {counted(len(people), 'person', 'people')}, most first:"]
    lines += [f"{who}: {counted(count, 'commit')}, last on {day}" for who, count, day in people[:FEW]]
    lines += rest_line(len(people), FEW)
    named = (sources.code.file(name) for name in ("CODEOWNERS", "MAINTAINERS", "MAINTAINERS.md", "AUTHORS"))
    lines += [f"see also {file}" for file in named if file]
    return Evidence(tuple(lines), ("git shortlog -sne --no-merges",))


def _author_lines(found: Authorship) -> list[str]:
    """Return the first authors of lines."""
    lines = [f"{who}: {counted(count, 'line')}, last on {day}" for who, count, day in found.authors[:FEW]]
    return lines + rest_line(len(found.authors), FEW)


def _names_whole(question: Question, symbol: Symbol) -> bool:
    """Return whether the name of a symbol, or its place, says all that a question is about."""
    place = f"{symbol.file} {symbol.qualified_name}".lower()
    spelt = any(name.endswith(symbol.name.rstrip("?!")) and not is_acronym(name) for name in question.exact)
    return spelt or all(word.lower() in place for word in question.subjects)


def _find_topic_owners(question: Question, sources: Sources) -> Evidence | None:
    """Return who made the commits whose message names every word that the question is about, most first."""
    words = [word if word in question.exact else name_root(word.lower()) for word in question.subjects]
    if not words:
        return None
    found = [
        commit
        for commit in authors.find_mentions(sources.code.root(), words, _COMMITS)
        if not commit.subject.startswith("Merge ") and not is_bot(commit.author)
    ]
    if not found:
        return None
    counts = Counter(commit.author for commit in found)
    best = [commit for commit in found if commit.author == counts.most_common(1)[0][0]]
    what = " and ".join(f"`{word}`" for word in question.subjects)
    many = "+" if len(found) == _COMMITS else ""
    lines = [f"{len(found)}{many} commit{'s name' if len(found) != 1 else ' names'} {what}; by whom, most first:"]
    for author, count in counts.most_common(FEW):
        last = next(commit for commit in found if commit.author == author)
        lines.append(f"{author}: {count}, last on {last.at:%Y-%m-%d}")
    lines += [*rest_line(len(counts), FEW), f"last of {best[0].author}: {revision_line(best[0])}"]
    command = (
        f"git shortlog -sn -i --fixed-strings --all-match {' '.join(f'--grep={quote(word)}' for word in words)} HEAD"
    )
    return Evidence(tuple(lines), (command,), len(found) >= _LEAST_COMMITS, tuple(commit.hash for commit in best[:FEW]))
