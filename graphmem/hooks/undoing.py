"""Decides whether an edit undoes what a person corrected: "use `upload` instead of `file`" says which value replaced which, and the
edit takes out the new one and puts in the former one."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem.cognify.claims import claim_of
from graphmem.patterns import compile_later

_LONGEST = 400  # characters of a correction that are read
_VALUE = r"(?:`[^`\n]{1,60}`|\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|\d[\w.]*|[A-Za-z_][\w./-]*)"
_INSTEAD = compile_later(rf"\b(?:instead of|rather than|in place of|not) (?:the |an? )?(?P<former>{_VALUE})")
_KOREAN = compile_later(
    rf"(?P<former>{_VALUE})\S{{0,2}}? ?(?:말고|대신(?:에)?|(?:이|가) 아니라|아니라) (?:\S+ ){{0,3}}?(?P<value>{_VALUE})"
)
_MARKED = compile_later(r"`[^`\n]{1,60}`|\"[^\"\n]{1,60}\"|\d[\w.]*")
_WORD = compile_later(r"[A-Za-z_][A-Za-z0-9_]*|\d+|[가-힣]+")
_LIGHT = frozenset("the a an use to of in as it is be and or for with this that by on".split())


def undoes(correction: str, old: str, new: str) -> bool:
    """Return whether an edit from an old to a new text puts back what a correction replaced.

    >>> undoes("Use `upload` as the stem instead of `file`.", 'name = f"upload{ext}"', 'name = f"file{ext}"')
    True
    >>> undoes("Use `upload` as the stem instead of `file`.", 'name = f"file{ext}"', 'name = f"upload{ext}"')
    False
    """
    had, has = edit_words(old), edit_words(new)
    taken, put = had - has, has - had
    return any(
        bool(value and former) and value <= taken and former <= put for value, former in _pairs(correction[:_LONGEST])
    )


def edit_words(text: str) -> set[str]:
    """Return the words of a text, names in code undivided."""
    return {word.lower() for word in _WORD.findall(text)}


def _pairs(correction: str) -> Iterator[tuple[set[str], set[str]]]:
    """Yield the words of each value that a correction states, and of the one that it replaces."""
    claim = claim_of(correction)
    if claim and claim.former and claim.value:
        yield _named(claim.value), _named(claim.former)
    for match in _INSTEAD.finditer(correction):
        marked = [one[0] for one in _MARKED.finditer(correction, 0, match.start())]
        for value in marked or _WORD.findall(correction, 0, match.start())[-1:]:
            yield _named(value), _named(match["former"])
    for match in _KOREAN.finditer(correction):
        yield _named(match["value"]), _named(match["former"])


def _named(value: str) -> set[str]:
    """Return the words of a value; of a number with a unit, the number."""
    words = edit_words(value) - _LIGHT
    return {word for word in words if word.isdigit()} or words
