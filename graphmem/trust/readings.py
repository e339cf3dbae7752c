"""Returns a text as its reader understands it: without invisible characters, in plain letters, and with words put together
that shell quoting or separators take apart (`c''url`, `c-u-r-l`). Rules are applied to these forms too."""

from __future__ import annotations

import re
import unicodedata

from graphmem.trust.hidden import fold_lookalikes, hides_text, unmask

_COMBINING = re.compile("[\u0300-\u036f]+")
_SPLIT_WORD = re.compile("[A-Za-z][\u200b-\u200f\u2060-\u2064\ufeff\u00ad\u034f]+[A-Za-z]")
# Cyrillic and Latin letters in one word. Greek letters also occur in names such as "Δt".
_MIXED_WORD = re.compile("[A-Za-z][\u0300-\u036f]?[\u0400-\u052f]|[\u0400-\u052f][\u0300-\u036f]?[A-Za-z]")
_QUOTED = re.compile(r"(?<=\w)(?P<q>[\"'])\w{0,20}(?P=q)|(?P<p>[\"'])\w{0,20}(?P=p)(?=\w)")
_ESCAPED = re.compile(r"(?<=\w)\\(?=\w)")
_FIELD_SEPARATOR = re.compile(r"\$\{?IFS\b\}?")
_BRACES = re.compile(r"\{([\w./:-]{1,80}(?:,[\w./:-]{1,80}){1,8})\}")
_SPELLED = re.compile(
    r"(?<![\w.'-])[A-Za-z](?:[-._][A-Za-z]){1,12}(?![\w'-])|(?<![\w.'-])[A-Za-z](?: [A-Za-z]){2,12}(?![\w'-])"
)


def is_disguised(text: str) -> bool:
    """Return whether a text is written so that a person reads something else than a program: invisible characters within
    words, a turned direction, or letters of two scripts in one word."""
    if text.isascii():
        return False
    return bool(_SPLIT_WORD.search(text) or _MIXED_WORD.search(text)) or hides_text(text)


def possible_readings(text: str) -> tuple[str, ...]:
    """Return the different forms in which a text may be read, beginning with the text itself."""
    forms = [text]
    if not text.isascii():
        plain = _COMBINING.sub("", unmask(unicodedata.normalize("NFKC", text)))
        forms += [plain, fold_lookalikes(plain)]
    forms += [_unquoted(form) for form in forms]
    return tuple(dict.fromkeys(forms))


def _unquoted(text: str) -> str:
    """Return the text as a shell reads its words."""
    text = _FIELD_SEPARATOR.sub(" ", text)
    text = _BRACES.sub(lambda match: match[1].replace(",", " "), text)
    text = _ESCAPED.sub("", _QUOTED.sub(lambda match: match[0][1:-1], text))
    return _SPELLED.sub(lambda match: re.sub(r"[-._ ]", "", match[0]), text)
