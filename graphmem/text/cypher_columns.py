"""Names the columns of a Cypher query as it writes them, as openCypher does. The engine names a column without an alias after
its own form of the expression, such as `COUNT(s._ID)` or `+(s.name,!)`."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.text.cypher import spans

_ENDS = frozenset({"ORDER", "SKIP", "LIMIT", "UNION"})


def name_columns(query: str, columns: Sequence[str]) -> list[str]:
    """Return the names of the columns of a checked query: aliases as the engine has them, other expressions as they are
    written. If the query does not list its columns (`RETURN *`), return the engine's names.

    >>> name_columns("MATCH (s) RETURN count(s), s.name AS name", ["COUNT(s._ID)", "name"])
    ['count(s)', 'name']
    """
    items = _returned(query)
    if len(items) != len(columns) or any(expression == "*" for expression, _ in items):
        return list(columns)
    return [column if alias else expression for (expression, alias), column in zip(items, columns, strict=True)]


def list_columns(query: str) -> list[str]:
    """Return the names of the columns of a query, also if it finds nothing; none of `RETURN *`.

    >>> list_columns("MATCH (s) RETURN count(s), s.name AS name ORDER BY name")
    ['count(s)', 'name']
    """
    items = _returned(query)
    return [] if any(expression == "*" for expression, _ in items) else [alias or name for name, alias in items]


def _returned(query: str) -> list[tuple[str, str]]:
    """Return the expressions after the first RETURN, each with its alias, "" if it has none."""
    items: list[tuple[str, str]] = []
    begin, depth, alias, before = -1, 0, "", ""
    for text, start, end in spans(query):
        depth += (text in "([{") - (text in ")]}") if len(text) == 1 else 0
        word = text.upper() if depth == 0 and before not in (".", "AS") else ""
        if begin < 0:
            begin = end if word == "RETURN" else -1
        elif word == "DISTINCT" and before == "RETURN":
            begin = end
        elif word in (",", ";") or word in _ENDS:
            items.append((" ".join(query[begin:start].split()), alias))
            if word != ",":
                return items
            begin, alias = end, ""
        elif before == "AS" and depth == 0:
            alias = text.strip("`")
        before = text.upper()
    return [*items, (" ".join(query[begin:].split()), alias)] if begin >= 0 else []
