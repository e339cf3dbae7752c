"""Queries about kinds of things: what is extended, which fields and parameters stand together, what several files use."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.code.change_reader import ChangeReader
from graphmem.code.filters import is_of_tests
from graphmem.code.line_history import known_commits
from graphmem.codegraph import implementations
from graphmem.codegraph.parameters import parameter_names
from graphmem.codegraph.view import CLASSES, FUNCTIONS
from graphmem.model.answers import Place
from graphmem.model.checked import check_arguments
from graphmem.model.code import Symbol
from graphmem.model.code_answers import Revision

_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TEST_FOLDER = re.compile(r"(?:^|/)(?:tests?|specs?|benchmarks?)/", re.I)
_FIELDS = frozenset({"field", "property", "variable", "constant"})
_FEWEST_FIELDS = 3  # of a type, for one more to be of their kind
_MOST_NAMED = 400  # symbols with some words; more are no kind of their own
_LIKE = 4  # letters with which two words begin that mean the same
_SHARED = {"IMPLEMENTS": "implement", "EXTENDS": "extend", "CALLS": "call"}


@check_arguments
class KindReader(ChangeReader):
    """What `CodeReader` can also say about things of one kind."""

    def extended_types(self, words: Sequence[str]) -> list[tuple[Symbol, list[Symbol], list[Symbol]]]:
        """Return the types whose names end with these words (else with the last of them) and that others extend or implement,
        the most extended first. With each what does so, the shortest first: in sources, and in tests."""
        view = self._view()
        for wanted in dict.fromkeys((tuple(words), tuple(words[-1:]))):
            found = []
            for name, symbols in view.named.items():
                if not name.lower().endswith(wanted[-1]) or _parts_of_name(name)[-len(wanted) :] != wanted:
                    continue
                for symbol in symbols:
                    if symbol.kind not in CLASSES or symbol.external or is_of_tests(view, symbol):
                        continue
                    rows = implementations.find_implementations(view, [symbol])
                    below = {row.cls: view.symbols[row.cls] for row in rows if row.port == symbol.key}
                    by_size = sorted(below.values(), key=lambda one: (one.end_line - one.line, one.key))
                    tests = [one for one in by_size if is_of_tests(view, one) or _TEST_FOLDER.search(one.file)]
                    found.append((symbol, [one for one in by_size if one not in tests], tests))
            found = [one for one in found if one[1] or one[2]]
            if found:
                return sorted(found, key=lambda one: (-len(one[1]) - len(one[2]), one[0].key))
        return []

    def named_members(self, words: Sequence[str]) -> tuple[Symbol, list[Symbol]] | None:
        """Return the type outside of tests whose name has all these words, or begins of them ("crontab" and `CronOptions`), and
        that has the most fields, with these. None if no such type has three."""
        view, best = self._view(), list[tuple[int, str, Symbol, list[Symbol]]]()
        for name, symbols in view.named.items():
            parts = _parts_of_name(name)
            if not all(any(_is_like(word, part) for part in parts) for word in words):
                continue
            for symbol in symbols:
                if symbol.kind in CLASSES and not symbol.external and not is_of_tests(view, symbol):
                    defined = (
                        view.symbols[edge.target]
                        for edge in view.outgoing.get(symbol.key, ())
                        if edge.type == "DEFINES"
                    )
                    fields = [one for one in defined if one.kind in _FIELDS]
                    best.append((-len(fields), symbol.key, symbol, fields))
        most = min(best, default=None, key=lambda one: one[:2])
        return (most[2], most[3]) if most is not None and len(most[3]) >= _FEWEST_FIELDS else None

    def named_together(self, name: str) -> list[tuple[Place, list[str]]]:
        """Return the functions outside of tests with a parameter of this name, and the types with such a field, those with the most
        first; each with the names of its parameters or fields."""
        view = self._view()
        found = dict[str, list[str]]()
        for symbol in view.symbols.values():
            is_meant = symbol.kind in FUNCTIONS and name in symbol.signature and not symbol.external
            if is_meant and name in (parameters := parameter_names(symbol)):
                found[symbol.key] = parameters
        for symbol in view.named.get(name, ()):
            owner = view.symbols.get(view.parent.get(symbol.key, ""))
            if symbol.kind in _FIELDS and owner is not None and owner.kind in CLASSES:
                members = (view.symbols[edge.target] for edge in view.outgoing[owner.key] if edge.type == "DEFINES")
                found[owner.key] = [each.name for each in members if each.kind in _FIELDS]
        rows = [(key, names) for key, names in found.items() if not is_of_tests(view, view.symbols[key])]
        return [(view.place(key), names) for key, names in sorted(rows, key=lambda row: (-len(row[1]), row[0]))]

    def commits_of_named(self, words: Sequence[str]) -> list[Revision]:
        """Return the commits that changed functions and types whose qualified names have all of these words (lower case), newest
        first; none where too many symbols have them."""
        view = self._view()
        kinds = FUNCTIONS | CLASSES
        named = [
            symbol
            for symbols in view.named.values()
            for symbol in symbols
            if symbol.kind in kinds
            and not symbol.external
            and all(word in symbol.qualified_name.lower() for word in words)
        ]
        own = [symbol for symbol in named if not is_of_tests(view, symbol)]
        if not words or not own or len(own) > _MOST_NAMED:
            return []
        return [Revision(*row[:4]) for row in known_commits(self._parts, own).rows]

    def shared_uses(self, files: Sequence[str], part: float) -> list[tuple[Place, str]]:
        """Return the functions and types of the tree outside of some files that this part of them, or more, implements, extends or
        calls ("implement", "extend", "call"), those that most do first."""
        view = self._view()
        users: dict[tuple[str, str], set[str]] = {}
        for file in files:
            for symbol in view.by_file.get(file, ()):
                for edge in view.outgoing.get(symbol.key, ()):
                    target = view.symbols[edge.target]
                    if edge.type in _SHARED and not target.external and target.file not in files:
                        users.setdefault((edge.type, edge.target), set()).add(file)
        many = [(key, using) for key, using in users.items() if len(using) >= max(2, part * len(files))]
        many.sort(key=lambda one: (-len(one[1]), list(_SHARED).index(one[0][0]), one[0]))
        return [(view.place(key), _SHARED[relation]) for (relation, key), _ in many]


def _parts_of_name(name: str) -> tuple[str, ...]:
    """Return the words of a compound name, in lower case.

    >>> _parts_of_name("ILogEventEnricher"), _parts_of_name("json_path")
    (('i', 'log', 'event', 'enricher'), ('json', 'path'))
    """
    return tuple(word.lower() for word in _NAME_PART.findall(name))


def _is_like(word: str, part: str) -> bool:
    """Return whether a word and a part of a name are the same but for an ending."""
    return word == part or (min(len(word), len(part)) >= _LIKE and (word.startswith(part) or part.startswith(word)))
