"""The floor of `graphmem bench questions`: what somebody finds who knows git well and searches for the words of a question.
Places are functions and sections, ranked by the rarity of the words that `git grep` finds in them; commits are ranked by
the rarity of the words in their messages. No index, no synonyms."""

from __future__ import annotations

import math
import re
import subprocess
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from graphmem.extract.headings import find_headings
from graphmem.text.words import content_words

_DOCUMENTS = (".md", ".rst", ".adoc", ".txt")
_MOST_LINES = 20_000  # that hold a word; more: it says nothing
_MAX_WORDS = 12
_NAME = re.compile(r"\w+_\w+|_\w+|[A-Za-z]+[a-z][A-Z]\w*")  # written as code
_LINE = re.compile(r"^(.+?)([:=])(\d+)\2(.*)$", re.MULTILINE)  # of `git grep -n -p`


class Found(NamedTuple):
    """What git found: a place with the name and lines of its function or section, or a commit with its author."""

    path: str = ""
    text: str = ""
    commit: str = ""
    author: str = ""


class GitFloor:
    """Searches a work tree and its history with git."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree
        self._sections: dict[str, list[tuple[int, str]]] = {}

    def grep(self, question: str, most: int = 10) -> list[Found]:
        """Return the functions and sections with most of the rare words, best first."""
        holding: dict[tuple[str, str], dict[str, list[str]]] = {}
        lines = dict[str, int]()
        for word in _words(question):
            found = self._lines_with(word)
            lines[word] = len(found)
            if len(found) > _MOST_LINES:
                continue
            for path, context, line in found:
                holding.setdefault((path, context), {}).setdefault(word, []).append(line)
        scores = {place: sum(1 / math.log(2 + lines[word]) for word in words) for place, words in holding.items()}
        best = sorted(scores, key=lambda place: (-scores[place], place))[:most]
        return [
            Found(path, "\n".join([context, *(line for said in holding[path, context].values() for line in said)]))
            for path, context in best
        ]

    def log(self, question: str, most: int = 10) -> list[Found]:
        """Return the commits with most of the rare words in their messages, best first, newest first among equals."""
        words = _words(question)
        having = {word: {at for at, one in enumerate(self._commits) if word in one.text} for word in words}
        scores = dict[int, float]()
        for places in having.values():
            for at in places:
                scores[at] = scores.get(at, 0.0) + math.log((2 + len(self._commits)) / (1 + len(places)))
        best = sorted(scores, key=lambda at: (-scores[at], at))[:most]
        return [self._commits[at] for at in best if scores[at] > 0]

    def _lines_with(self, word: str) -> list[tuple[str, str, str]]:
        """Return path, function or section, and text of the lines that have a word."""
        said = self._git("grep", "-I", "-i", "-n", "-p", "-F", "-e", word)
        found, context, last = [], "", ""
        for match in _LINE.finditer(said):
            path, mark, number, text = match.groups()
            context = context if path == last else ""
            last = path
            if mark == "=":  # the line of the function that holds the next one
                context = text.strip()
                continue
            section = self._section(path, int(number)) if path.lower().endswith(_DOCUMENTS) else context
            found.append((path, section, text.strip()))
        return found

    def _section(self, path: str, line: int) -> str:
        """Return the heading above a line of a document."""
        if path not in self._sections:
            text = (self._tree / path).read_bytes().decode("utf-8", "replace")
            self._sections[path] = [(one.first, one.title) for one in find_headings(text.split("\n"), path)]
        return next((title for first, title in reversed(self._sections[path]) if first <= line), "")

    @cached_property
    def _commits(self) -> Sequence[Found]:
        said = self._git("log", "--format=%H%x1f%an%x1f%B%x1e")
        rows = (record.strip("\n").split("\x1f") for record in said.split("\x1e") if "\x1f" in record)
        return [Found("", message.lower(), hash_, author) for hash_, author, message in rows]

    def _git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "--no-pager", "-C", str(self._tree), *arguments], capture_output=True, check=False
        )
        return done.stdout.decode("utf-8", "replace")


def _words(question: str) -> list[str]:
    """Return the names in a question as they are written, then its other words."""
    unique = dict.fromkeys([*map(str.lower, _NAME.findall(question)), *content_words(question)])
    return [word for word in unique if len(word) > 1][:_MAX_WORDS]
