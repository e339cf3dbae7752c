"""Numbers with their noun, in the singular for one."""

from __future__ import annotations


def counted(number: float, noun: str, plural: str = "") -> str:
    """Return a number with its noun. `plural` is needed where it is not formed by rule, or where a verb follows.

    >>> counted(1, "new event"), counted(0, "category"), counted(1_200, "text waits", "texts wait")
    ('1 new event', '0 categories', '1,200 texts wait')
    """
    return f"{number:,} {noun if number == 1 else plural or _plural(noun)}"


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"
