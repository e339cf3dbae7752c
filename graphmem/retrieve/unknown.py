"""Finds the names in a question about code that the store does not know: who asks about them asks about something that is not
there. Other words may be said differently."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphmem.model.changes import Item
from graphmem.ports.text import ItemFilter
from graphmem.retrieve.concepts import split_words
from graphmem.retrieve.expand import ABOUT
from graphmem.retrieve.kinds import SYMBOLS
from graphmem.retrieve.ports import Ports, Reader
from graphmem.text.words import name_key, stopwords

_NAME = re.compile(r"\b[A-Z]{3,}\b|(?<=[a-z,] )[A-Z][a-z]*[A-Z]?[a-z]+\b|(?<=[가-힣(] )?[A-Z][A-Za-z]{2,}(?=[가-힣)])")
_IDENTIFIER = re.compile(
    r"(?<![\w.@/-])(?:[A-Za-z]\w*_\w+|_\w+|[A-Za-z]*[a-z][A-Z]\w*)(?![\w@/])"
    r"|(?<![\w-])--(?:no-)?([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?![\w-])",
    re.ASCII,
)
_MEMBER = re.compile(
    r"(?<![\w.:#/@-])(?:[A-Za-z_]\w*(?:\.|::|#))*?([A-Za-z_]\w*)(\.|::|#)([A-Za-z_]\w{2,})(?![\w/:#-]|\.\w)", re.ASCII
)
_FILE_ENDINGS = frozenset(
    "cc cfg conf cpp css csv gif hpp html ini java jpg json jsonl jsx kts lock log lua md mdx mjs php png pyi pyx rst scss sh sql"
    " svg swift toml tsx txt vue xml yaml yml zip".split()
)
_HAS_BASE = re.compile(
    r"(?:export |abstract |public |final |default |pub )*(?:class|interface|struct|trait|object)\s+[\w.]+\s*"
    r"(?:[(<:] *\w|extends\b|implements\b)"
)


def find_unknown(reader: Reader, query: str, rows: Sequence[int]) -> list[str]:
    """Return the names in a question that the store does not know. `rows` are its first hits, whose texts may have them."""
    items = [one.item for one in reader.load(rows)]
    members = _unknown_members(reader, query, items)
    inside = {member for name in members for member in re.split(r"\W+", name)}
    found = [name for name in _unknown_identifiers(reader, query, items) if name not in inside]
    return list(dict.fromkeys([*_unknown_names(reader.ports, query), *found, *members]))


def _unknown_names(ports: Ports, query: str) -> list[str]:
    """Return the acronyms and capitalised words of a question that occur nowhere."""
    names = [found[0] for found in _NAME.finditer(query)]
    names = [name for name in dict.fromkeys(names) if name.lower() not in stopwords()]
    return [name for name in names if ports.text.unknown([name.lower()])]


def _unknown_identifiers(reader: Reader, query: str, items: Sequence[Item]) -> list[str]:
    """Return the names in a question that are written as code or as an option of a command line, are the name of no symbol, and
    are neither in the text of these items, nor all of their parts in the code of one."""
    asked = {found[0]: found[1] or found[0] for found in _IDENTIFIER.finditer(query)}
    asked = {written: name for written, name in asked.items() if name_key(name)}
    if not asked:
        return []
    named = _keys_of(reader, list(asked.values()))
    texts = [f"{item.title}\n{item.ref}\n{item.text}".lower() for item in items]
    bodies = [set(item.body.split()) for item in items]
    return [
        written
        for written, name in asked.items()
        if name_key(name) not in named
        and not any(form in text for form in _spellings(name) for text in texts)
        and not any(split_words(name) <= body for body in bodies)
    ]


def _spellings(name: str) -> set[str]:
    return {name.lower(), name.lower().replace("-", "_"), name.lower().replace("-", "")}


def _unknown_members(reader: Reader, query: str, items: Sequence[Item]) -> list[str]:
    """Return the members in a question ("Tank#drain", "Tank.drain") that a type or module of the store does not have, as far as
    its name, these items and the names elsewhere tell."""
    found = []
    for written, owner, member in _members(query):
        named = reader.ports.mentions.named([name_key(one) for one in (owner, member, owner + member)])
        keys = {one.entity for one in named}
        if ABOUT + name_key(owner) not in keys or ABOUT + name_key(owner + member) in keys:
            continue
        is_elsewhere = ABOUT + name_key(member) in keys
        if is_elsewhere and _may_inherit(reader, owner):
            continue
        if not any(_has_member(item, owner, member, is_elsewhere=is_elsewhere) for item in items):
            found.append(written)
    return found


def _members(query: str) -> Iterator[tuple[str, str, str]]:
    """Yield what a question spells as a type or module with its member: the whole, its owner, and the member.

    >>> list(_members("which tests cover Cellar::Tank#drain in tank.rb?"))
    [('Tank#drain', 'Tank', 'drain')]
    """
    for found in _MEMBER.finditer(query):
        owner, mark, member = found.groups()
        is_type = owner[:1].isupper() or mark != "." or member[:1].isupper() or "_" in member
        if is_type and member.lower() not in _FILE_ENDINGS:
            yield f"{owner}{mark}{member}", owner, member


def _has_member(item: Item, owner: str, member: str, *, is_elsewhere: bool) -> bool:
    """Return whether a text names a member with its owner or, if no other symbol has the name (`is_elsewhere`), as a member or a
    call; or the code of the owner has its parts."""
    text = f"{item.title}\n{item.text}"
    name = re.escape(member)
    forms = [rf"(?<!\w){re.escape(owner)}(?:\.|::|#){name}(?!\w)"]
    forms += [] if is_elsewhere else [rf"[.:#]{name}(?!\w)", rf"(?<!\w){name}\("]
    if re.search("|".join(forms), text):
        return True
    return owner in re.split(r"\W+", item.title) and split_words(member) <= set(item.body.split())


def _may_inherit(reader: Reader, owner: str) -> bool:
    """Return whether a type has bases, or cannot be read."""
    where = reader.ports.mentions.mentioning([ABOUT + name_key(owner)], ItemFilter(kinds=SYMBOLS), 1)
    signatures = [one.item.text for one in reader.load(row for _, row in where)]
    return not signatures or any(_HAS_BASE.match(text) for text in signatures)


def _keys_of(reader: Reader, names: Sequence[str]) -> set[str]:
    return {name_key(one.name) for one in reader.ports.mentions.named([name_key(name) for name in names])}
