"""Answers how to write one's own of something ("how do I write my own enricher?"): the type to extend, what it asks for, and what
extends it already, the shortest first, because that is the example to start from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile
from shlex import quote

from graphmem.ask.evidence import (
    FEW,
    ROWS,
    Evidence,
    Sources,
    command_name,
    hit_line,
    place_of,
    ref_of,
    rest_line,
    shortened,
    show_rows,
)
from graphmem.ask.types import OWN, OWN_KOREAN, Question
from graphmem.model.code import Symbol
from graphmem.model.results import Hit
from graphmem.retrieve.stems import stem

_MAX_WORDS = 3  # of what is to be written
_WORD = re.compile(r"[A-Za-z]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_KOREAN_NAME = re.compile(r"[A-Za-z]\w+", re.ASCII)
_OWN_WORDS = frozenset(("own", "custom", "a", "an", "the", "my", "our", "your"))
_ENDS = frozenset(  # words that no longer name it
    "and are as at by can do for from has have i if in inside into is it of on or so than that the then to using we when which"
    " while with within without you".split()
)
_TELLS_OWN = re.compile(r"\b(?:own|custom\w*|writ\w+|creat\w+|implement\w*|extend\w*|develop\w*)\b", re.I)


def extended_thing(text: str) -> tuple[str, ...]:
    """Return the words for what a question wants to write, singular; empty if it does not say.

    >>> extended_thing("how do I write my own output formatter for JSON?")
    ('output', 'formatter')
    """
    if found := OWN.search(text):
        words = _PART.findall(text[found.end() :].partition("?")[0].split(",")[0])
    elif OWN_KOREAN.search(text):
        words = _PART.findall(next(iter(_KOREAN_NAME.findall(text)[-1:]), ""))
    else:
        return ()
    words = list(dropwhile(_OWN_WORDS.__contains__, map(str.lower, words)))
    end = next((at for at, word in enumerate(words) if word in _ENDS), len(words))
    named = words[: min(end, _MAX_WORDS)]
    return (*named[:-1], named[-1].removesuffix("s")) if named else ()


def find_extension(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the type that one extends to write one's own of something, and what extends it in the tree and in tests, the
    shortest first. Before it the section among the hits that tells how."""
    words = extended_thing(question.text)
    found = sources.code.extended_types(words) if words else []
    if not found:
        return None
    symbol, own, tests = found[0]
    lines = [hit_line(hit) for hit in hits if tells_own(words, hit)][:1]
    lines += [f"extend {place_of(symbol)}", shortened(symbol.signature)]
    lines.append(shortened(symbol.doc.strip().partition("\n\n")[0]))
    lines += [f"{len(own)} in the tree, shortest first:", *_rows(own, ROWS)] if own else []
    lines += [f"{len(tests)} in tests:", *_rows(tests, FEW)] if tests else []
    lines += [f"also: {place_of(other)}" for other, *_ in found[1:3]] + rest_line(len(found), 3)
    name, example = command_name(symbol, sources), (own or tests)[0]
    commands = (
        f"graphmem code implementations {quote(name)}",
        f"graphmem code source {quote(command_name(example, sources))}",
    )
    return Evidence(tuple(filter(None, lines)), commands, True, (ref_of(symbol), ref_of(example)))


def tells_own(words: Sequence[str], hit: Hit) -> bool:
    """Return whether a section is about writing one's own of something."""
    if hit.kind != "document":
        return False
    heading = {stem(word) for word in _WORD.findall(hit.title.rpartition(" › ")[2].lower())}
    told = f"{hit.title}\n{hit.content[:500]}"
    return stem(words[-1]) in heading and bool(_TELLS_OWN.search(told))


def _rows(symbols: Sequence[Symbol], most: int) -> list[str]:
    return show_rows([(one.file, one.line, one.name) for one in symbols], len(symbols), most)
