"""Operations about names that no symbol has: variables of the environment, signals, messages. The answer is the code around
the lines that hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from shlex import quote

from graphmem.ask.environment_patterns import READS
from graphmem.ask.environment_reads import is_mention
from graphmem.ask.evidence import FEW, Evidence, Sources, ref_of, rest_line, shortened
from graphmem.model.code_answers import TextMatch

_OCCURRENCES = 60  # lines with a name that are looked at
_MAX_OWNERS = 3  # symbols around a name, above which none of them is the place


def find_occurrences(text: str, sources: Sources) -> Evidence | None:
    """Return the lines that hold a text as a whole word, and the symbols around them: code before tests and documents, lines that
    read it from the environment first, comments and imports last. It is exact if few symbols of the code have it."""
    found = sources.code.text(rf"(?<!\w){re.escape(text)}(?!\w)", is_regex=True, limit=_OCCURRENCES)
    if not found.total:
        return None
    rows = sorted(found.matches, key=_worth, reverse=True)
    used = [row for row in rows if row.kind == "code" and not is_mention(row)]
    reading = [row for row in used if READS.search(row.text)]
    owners = list(dict.fromkeys((row.path, row.symbol) for row in reading or used))
    lines = [f"{row.path}:{row.line}: {shortened(row.text)}" for row in rows[:FEW]]
    lines += rest_line(found.total, len(lines))
    is_exact = not used or len(owners) <= _MAX_OWNERS
    return Evidence(tuple(lines), (f"graphmem code text {quote(text)}",), is_exact, refs_of(reading or used, sources))


def _worth(row: TextMatch) -> tuple[bool, bool, bool]:
    return row.kind == "code", not is_mention(row), bool(READS.search(row.text))


def refs_of(rows: Iterable[TextMatch], sources: Sources) -> tuple[str, ...]:
    """Return the refs of the symbols around these lines."""
    refs = dict[str, None]()
    for name, path in dict.fromkeys((row.symbol, row.path) for row in rows if row.symbol):
        refs |= {ref_of(symbol): None for symbol in sources.code.known(name) if symbol.file == path}
    return tuple(refs)
