"""Where one more option or parameter has to be named that is like one that there is ("a per-task option like timeout"): the places
that name the options which stand beside it in signatures and types, and whether each of these places names the given one, too."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from graphmem.ask.evidence import ROWS, Evidence, Sources, rest_line, revision_line, shortened
from graphmem.ask.types import Question
from graphmem.code import authors
from graphmem.errors import SourceError
from graphmem.model.code_answers import TextMatch
from graphmem.plurals import counted

_ONE = r"[`'\"]?[A-Za-z_][\w.]*[`'\"]?"
_LIKE = re.compile(
    rf"\b(?:like|such as|similar to|beside|e\.g\.,?|for example)\s+({_ONE}(?:(?:\s*,\s*(?:or |and )?|\s+(?:or|and)\s+){_ONE})*)",
    re.I,
)
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_LINKS = frozenset({"or", "and", "that", "which", "the", "a", "an", "to", "in", "for", "with", "is"})
_LINES = 6_000  # lines with an option's name that are looked at
_MOST = 24  # options beside the given one
_GROUPS = 2  # signatures and types that two options share, to be siblings
_LEAST, _PART = 2, 3  # options that a place names: so many, and of many one in so many
_FILES = 8  # documents and tests that are named
_COMMITS = 4  # that brought the option
_RANKS = {"code": 0, "other": 1, "config": 1, "document": 2, "example": 3, "test": 4, "vendored": 5}
_ASIDE = {  # kinds of files whose places are only counted
    "other files": {"other", "config"}, "documents": {"document"}, "tests and examples": {"test", "example", "vendored"}
}  # fmt: skip
_PLAIN = frozenset(  # parameters that functions of any kind have
    "self cls this args kwargs options opts id name key value data func fn callback ctx context request response result obj item"
    " items index text path file url type kind size count limit offset n x y a b".split()
)


def options_named(text: str) -> list[str]:
    """Return the options that a question gives as examples.

    >>> options_named("what must change to add a per-task option like timeout or retry_delay?")
    ['timeout', 'retry_delay']
    """
    found = _LIKE.search(text)
    names = [name.rpartition(".")[2] for name in _NAME.findall(found[1])] if found else []
    return [name for name in names if name.lower() not in _LINKS]


def find_options_like(question: Question, sources: Sources) -> Evidence | None:
    """Return the places that name the options beside the one that a question gives as an example, sources before documents and
    tests, each with how many it names and whether the given one is among them; then the commits that brought that one."""
    for name in options_named(question.text):
        groups = sources.code.named_together(name)
        if not groups:
            continue
        beside = Counter(other for _, names in groups for other in names if other != name and other not in _PLAIN)
        least = min(_GROUPS, len(groups))
        siblings = [other for other, count in beside.most_common() if count >= least][:_MOST]
        if len(siblings) < _LEAST:
            continue
        lines = [f"`{name}` stands beside {counted(len(siblings), 'option')}: {', '.join(siblings)}"]
        declared = (f"{symbol.short_name} {symbol.file}:{symbol.line}" for symbol, _ in groups)
        where = counted(len(groups), "signature or type", "signatures and types")
        lines.append(f"in {where}: {', '.join([*declared][:ROWS])}" + " …" * (len(groups) > ROWS))
        files = _add_places(lines, name, siblings, sources)
        lines += _commits(name, files, sources)
        command = f"graphmem code text '{'|'.join((name, *siblings[:3]))}' --regex --no-tests"
        refs = tuple(f"{symbol.file}:{symbol.line}" for symbol, _ in groups[:ROWS])
        return Evidence(tuple(lines), (command,), False, refs)
    return None


def _add_places(lines: list[str], name: str, siblings: Sequence[str], sources: Sources) -> list[str]:
    """Add a line for each place that names some of the options, or the given one beside one of them; return the files of sources
    that do."""
    options = (name, *siblings)
    words = {option: re.compile(_spelt(option)) for option in options}
    every = "|".join(_spelt(option) for option in options)
    found = sources.code.text(every, is_regex=True, limit=_LINES).matches
    places = defaultdict[tuple[str, str, str], dict[str, TextMatch]](dict)
    for row in found:
        owner = ".".join(row.symbol.split(".")[-2:]) if row.kind in ("code", "test") else ""
        for option, word in words.items():
            if word.search(row.text):
                places[row.kind, row.path, owner].setdefault(option, row)
    least = max(_LEAST, len(siblings) // _PART)
    kept = {place: named for place, named in places.items() if len(named) >= least}
    order = sorted(kept, key=lambda place: (_RANKS[place[0]] > 2, _RANKS[place[0]], -len(kept[place]), place))
    lacking = sum(name not in kept[place] for place in order)
    naming = f"{counted(len(order), 'place names', 'places name')} {least} or more of these {len(options)}"
    lines.append(f"{naming}, {lacking} of them without `{name}`; most first:")
    sources_of = [place for place in order if place[0] == "code"]
    for place in sources_of[: 2 * ROWS]:
        named = kept[place]
        first = min(named.values(), key=lambda row: row.line)
        own = named.get(name)
        said = f"`{name}` at {own.line}: {shortened(own.text)}" if own else f"without `{name}`"
        lines.append(f"{place[1]}:{first.line} {place[2] or place[0]}: {len(named)}, {said}")
    lines += rest_line(len(sources_of), 2 * ROWS)
    for what, kinds in _ASIDE.items():
        files = Counter(place[1] for place in order if place[0] in kinds)
        if files:
            said = ", ".join([*files][:_FILES]) + " …" * (len(files) > _FILES)
            lines.append(f"{counted(files.total(), 'place')} in {what}: {said}")
    return list(dict.fromkeys(path for kind, path, _ in order if kind == "code"))


def _spelt(name: str) -> str:
    """Return a pattern for an option as a word, or behind a prefix (`default_timeout`)."""
    return rf"(?<![A-Za-z0-9]){re.escape(name)}(?![\w$])"


def _commits(name: str, files: Sequence[str], sources: Sources) -> list[str]:
    """Return the first commits that brought an option into these files, or into further places of them."""
    try:
        found = authors.find_text_changes(sources.code.root(), name, files) if files else []
    except SourceError:
        return []
    changed = authors.find_changed_files(sources.code.root(), [commit.hash for commit in found[-_COMMITS:]])
    lines = [
        f"{revision_line(commit)}; files: {', '.join(path for _, path in changed.get(commit.hash, ())[:ROWS])}"
        for commit in reversed(found[-_COMMITS:])
    ]
    return (
        [
            f"{counted(len(found), 'commit')} changed how often these files name `{name}`, the first {len(lines)}:",
            *lines,
        ]
        if lines
        else []
    )
