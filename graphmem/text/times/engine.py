"""A cascade of finite-state grammars: rules are regular expressions over tokens instead of characters.
Every word and every kind of node has one private character, so an island of tokens is a short string and a level of
rules is one compiled alternation over it. Knows nothing about time; the words and rules are in `lexicon` and `grammar`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# A name to capture, then a CLASS or KIND in capitals or a literal word: `day=DAYNUM`, `MONTH`, `of`.
_ELEMENT = re.compile(r"(?:([a-z]\w*)=)?(?:([A-Z][A-Z0-9]*)|([a-z'가-힣]+))")
_FIRST_SYMBOL = 0xE000


@dataclass(slots=True)
class Node:
    """A token, or what a rule made of several: `text[start:end]`; `word` for words, `value` for numbers and results."""

    symbol: str
    start: int
    end: int
    word: str = ""
    value: Any = None


@dataclass(frozen=True, slots=True)
class Rule:
    """`pattern` becomes one node of `kind`; its named captures are the arguments of `build`, which may return None
    to refuse."""

    kind: str
    pattern: str
    build: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Typed:
    """A result that chooses its own kind: a number's kind depends on its size."""

    kind: str
    value: Any


def rule(kind: str, pattern: str, build: Callable[..., Any]) -> Rule:
    """Return a row of a rule table."""
    return Rule(kind, pattern, build)


class Alphabet:
    """Gives every word and kind its character and every class its members. `common` words and kinds occur in any text."""

    def __init__(
        self,
        classes: Mapping[str, Mapping[str, Any]],
        unions: Mapping[str, Iterable[str]],
        common: Iterable[str] = (),
    ) -> None:
        self._symbols: dict[str, str] = {}
        self._members: dict[str, str] = {}
        self._classes = classes
        self._unions = {name: tuple(members) for name, members in unions.items()}
        self._common = frozenset(self.symbol(name) for name in common)
        for words in classes.values():
            for word in words:
                self.symbol(word)

    def symbol(self, name: str) -> str:
        """Return the character of a word or kind; a new one for a new name."""
        found = self._symbols.get(name)
        if found is None:
            found = self._symbols[name] = chr(_FIRST_SYMBOL + len(self._symbols))
        return found

    def words(self) -> dict[str, str]:
        """Return all words known so far with their characters (kinds are in capitals and so are no words)."""
        return {word: symbol for word, symbol in self._symbols.items() if not word.isupper()}

    def kinds(self) -> dict[str, str]:
        """Return the names of all kinds of nodes by their characters."""
        return {symbol: name for name, symbol in self._symbols.items() if name.isupper()}

    def members(self, name: str) -> str:
        """Return the characters that count as `name`: the kind itself, the words of the class, the members of a
        union."""
        found = self._members.get(name)
        if found is None:
            own = self.symbol(name) + "".join(self.symbol(word) for word in self._classes.get(name, ()))
            found = self._members[name] = own + "".join(self.members(member) for member in self._unions.get(name, ()))
        return found

    def names(self) -> list[str]:
        """Return all words and kinds."""
        return list(self._symbols)

    def charset_of(self, names: Iterable[str]) -> str:
        """Return a regular expression for one character of exactly these words and kinds, without members of
        classes."""
        return f"[{''.join(sorted(self.symbol(name) for name in names))}]"

    def frequency(self, name: str) -> tuple[bool, int]:
        """Return a sort key for classes, kinds and words by how often they may occur: those with a common member are last."""
        members = self.members(name)
        return not self._common.isdisjoint(members), len(members)

    def charset(self, names: Iterable[str]) -> str:
        """Return a regular expression for one character of any of these classes, kinds and words."""
        return f"[{''.join(sorted({symbol for name in names for symbol in self.members(name)}))}]"

    def regex(self, pattern: str, prefix: str = "") -> str:
        """Return a pattern of elements as a regular expression over characters; captures get `prefix` before their
        names."""

        def element(match: re.Match[str]) -> str:
            charset = self.charset([match[2] or match[3]])
            return f"(?P<{prefix}{match[1]}>{charset})" if match[1] else charset

        grouped = re.sub(r"\((?!\?)", "(?:", pattern)
        return _ELEMENT.sub(element, grouped).replace(" ", "")

    def value(self, name: str, node: Node) -> Any:
        """Return what `node` means when it is read as `name`."""
        words = self._classes.get(name)
        if words is not None and node.word in words:
            return words[node.word]
        for member in self._unions.get(name, ()):
            if node.symbol in self.members(member):
                return self.value(member, node)
        return node.value


class Level:
    """One level of the cascade: its rules are tried together from left to right, earlier rows first."""

    def __init__(self, rules: Iterable[Rule], alphabet: Alphabet) -> None:
        self._rules = tuple(rules)
        self._alphabet = alphabet
        self._captures: list[list[tuple[str, str, str]]] = []
        for row in self._rules:
            alphabet.symbol(row.kind)  # so that every kind is known before the first text
        branches = [f"(?P<r{number}>{self._compile(number, row.pattern)})" for number, row in enumerate(self._rules)]
        self._regex = re.compile("|".join(branches))
        # Most islands lack what the rules of most levels need, which one character class tells at once.
        self._needed = re.compile(alphabet.charset({self._key(row.pattern) for row in self._rules}))

    def _compile(self, number: int, pattern: str) -> str:
        captures = [(match[1], f"r{number}_{match[1]}", match[2] or match[3]) for match in _ELEMENT.finditer(pattern)]
        self._captures.append([capture for capture in captures if capture[0]])
        return self._alphabet.regex(pattern, f"r{number}_")

    def _key(self, pattern: str) -> str:
        """Return the rarest element without which `pattern` cannot match."""
        needed = mandatory_elements(pattern)
        return min(needed, key=self._alphabet.frequency)

    def apply(self, nodes: list[Node], symbols: str) -> list[Node]:
        """Return the nodes with every match reduced; the same list when nothing matches. `symbols` are those of the
        nodes. Linear in the nodes."""
        if self._needed.search(symbols) is None:
            return nodes
        match = self._regex.search(symbols)
        if match is None:
            return nodes
        reduced: list[Node] = []
        done = 0
        while match is not None:
            node = self._reduce(match, nodes)
            if node is None:
                match = self._regex.search(symbols, match.start() + 1)
                continue
            reduced += nodes[done : match.start()]
            reduced.append(node)
            done = match.end()
            match = self._regex.search(symbols, done)
        return reduced + nodes[done:] if reduced else nodes

    def _reduce(self, match: re.Match[str], nodes: list[Node]) -> Node | None:
        number = int((match.lastgroup or "r0")[1:])
        arguments = {}
        for name, group, kind in self._captures[number]:
            index = match.start(group)
            if index >= 0:
                arguments[name] = self._alphabet.value(kind, nodes[index])
        row = self._rules[number]
        try:
            value = row.build(**arguments)
        except (ValueError, OverflowError):
            return None  # "31 June" and the like: no date, so no reduction
        if value is None:
            return None
        kind = row.kind
        if isinstance(value, Typed):
            kind, value = value.kind, value.value
        first, last = nodes[match.start()], nodes[match.end() - 1]
        return Node(self._alphabet.symbol(kind), first.start, last.end, "", value)


def mandatory_elements(pattern: str) -> list[str]:
    """Return the elements that every match of `pattern` contains: those outside parentheses and without `?` or `*`."""
    found = []
    depth = 0
    for match in re.finditer(rf"[()]|{_ELEMENT.pattern}", pattern):
        if match[0] in "()":
            depth += 1 if match[0] == "(" else -1
        elif depth == 0 and pattern[match.end() :].lstrip()[:1] not in ("?", "*"):
            found.append(match[2] or match[3])
    return found
