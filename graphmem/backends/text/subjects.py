"""Names what an item is about: its title, and the subject of its first sentence. If another text mentions that name,
search follows it to the item, even if the two share no other word."""

from __future__ import annotations

import re

PREFIX = "about:"  # of the entity ids of subjects
_MOST_WORDS = 9
_BRACKET = re.compile(r"\s*[(\[（].*?[)\]）]\s*")
_LEAD = re.compile(
    r"""["'“‘`*\s]*(?P<article>(?:The|An?)\s+)?(?P<name>[^\W_][^!?;:\n(（\[]*?)["'”’`*]*\s*
    (?:[(（\[]|,|\saka\s|\salso\sknown|["'”’`]?\s+(?:is|was|are|were|refers?|has|had|became|means?|stands|consists?|served|will|can|may)\b
    |[은는란]\s)""",
    re.VERBOSE,
)
_ALSO = re.compile(
    r"""\b(?:known\s(?:\w+\s)?(?:as|by(?:\s\w+){1,4})|aka|a\.k\.a\.|called|nicknamed|born|née|stylized\sas|abbreviated(?:\sas)?|formerly|or)
    \s+["'“‘]?\s*(?P<name>(?:[A-Z0-9][\w'’.&-]*|of|the|de|van|von|and|al)(?:\s(?:[A-Z0-9][\w'’.&-]*|of|the|de|van|von|and|al))*)""",
    re.VERBOSE,
)
_NICKNAME = re.compile(r"""\A(?P<first>\S.*?)\s*["“]\s*(?P<nick>[^"”]{2,20}?)\s*["”]\s*(?P<last>\S.*)\Z""")
_DATE = re.compile(
    r"[a-z]|\d+(?:\s|\Z)|(?:January|February|March|April|May|June|July|August|(?:Sept|Octo|Nov|Dec)\w+)\b"
)
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_SAID = 400  # characters about a symbol that are embedded
_HEAD = 300  # characters in which a text says what it is about


def subject_names(title: str, text: str) -> list[str]:
    """Return the names of the subject, the fullest first; none if the text does not begin with one.

    >>> subject_names("", "Ada Lovelace (1815-1852) was a mathematician.")
    ['Ada Lovelace']
    >>> subject_names("", "William Henry Gates III, known as Bill Gates, is an American.")
    ['William Henry Gates III', 'William Gates', 'William III', 'Bill Gates']
    """
    names = [title, _BRACKET.sub(" ", title)] if title else []
    head = text[:_HEAD]
    match = _LEAD.match(head)
    if match:
        name = match["name"].strip(" \"'“”‘’`*")
        words = name.split()
        if 0 < len(words) <= _MOST_WORDS and _is_name(words, bool(match["article"])):
            names += [f"{match['article'] or ''}{name}", name, *_short(name)]
            names += [found["name"] for found in _ALSO.finditer(head.split(". ")[0]) if not _DATE.match(found["name"])]
    return [name for name in dict.fromkeys(" ".join(name.split()) for name in names) if name]


def symbol_names(name: str) -> list[str]:
    """Return the names of a symbol: qualified, alone, and with its owner.

    >>> symbol_names("harbour.crane.Crane.lift")
    ['harbour.crane.Crane.lift', 'lift', 'Crane.lift']
    """
    parts = name.split(".")
    return list(dict.fromkeys((name, parts[-1], ".".join(parts[-2:]))))


def symbol_in_words(name: str, text: str) -> str:
    """Return a symbol in plain words: its name with that of its owner, and its docstring.

    >>> symbol_in_words("harbour.crane.CraneDriver.lift_box", "def lift_box(self)\\nLift one box.")
    'Crane Driver lift box. Lift one box.'
    """
    own = " ".join(_NAME_PART.findall(".".join(name.split(".")[-2:])))
    return f"{own}. {text.partition(chr(10))[2]}"[:_SAID].strip()


def _short(name: str) -> list[str]:
    """Return short forms of a name: without middle names, and with a nickname given in quotes."""
    nickname = _NICKNAME.match(name)
    if nickname:
        first, nick, last = nickname["first"], nickname["nick"], nickname["last"]
        return [f"{first} {last}", f"{nick} {last}", f"{first.split()[0]} {last.split()[-1]}"]
    words = name.split()
    if len(words) < 3 or not all(word[0].isupper() for word in words):
        return []
    return [f"{words[0]} {words[-2 if words[-1] in _SUFFIXES else -1]}", f"{words[0]} {words[-1]}"]


def _is_name(words: list[str], after_article: bool) -> bool:
    """Return whether words are a name: capitals mark one; where a script has none, anything short may be one. "It" and "This"
    are none."""
    if len(words) == 1 and words[0].lower() in _NOT_NAMES:
        return False
    if words[0][0].islower():
        return False
    return not after_article or any(word[0].isupper() or word[0].isdigit() for word in words)


_SUFFIXES = frozenset({"Jr.", "Jr", "Sr.", "Sr", "II", "III", "IV", "Esq."})
_NOT_NAMES = frozenset(
    "he she it they we you i this that these those there here his her its their our my if when while after before in on at as "
    "for from with by to what who how why where which".split()
)
