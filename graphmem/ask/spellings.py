"""How code spells a name in other places: as itself, in lower case with underscores, in capitals, as a part of other names."""

from __future__ import annotations

import re

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def spelling_pattern(name: str, *, in_compounds: bool = False) -> str:
    """Return a pattern for a name as a word, and in capitals as a part of a constant (`MY_JOB_KEY` of `jobKey`). `in_compounds`:
    also within longer names (`new_webdav`, `WebdavClient` of `webdav`).

    >>> [bool(re.search(spelling_pattern("jobKey"), text)) for text in ("jobKey", "job_key", "OPTIONS_JOB_KEY", "my_job_key")]
    [True, True, True, False]
    >>> [bool(re.search(spelling_pattern("webdav", in_compounds=True), text)) for text in ("my_webdav", "WebdavKey", "webdavs")]
    [True, True, False]
    """
    parts = _PART.findall(name) or [name]
    lower = "_".join(parts).lower()
    whole = f"(?:{re.escape(name)}|{re.escape(lower)})"
    upper = re.escape(lower.upper())
    if in_compounds:
        titled = re.escape("".join(part[:1].upper() + part[1:] for part in parts))
        return rf"(?<![A-Za-z0-9]){whole}(?![A-Za-z0-9])|{titled}(?![a-z0-9])|(?<![A-Z0-9]){upper}(?![A-Z0-9]{{2}})"
    return rf"(?<![\w$]){whole}(?![\w$])|(?<![A-Z0-9]){upper}(?![A-Z0-9]|_[A-Z])"
