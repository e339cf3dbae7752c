"""Decides whether foreign Cypher may run: reading clauses only, one statement, no files, no settings (DESIGN 7.6). The
check errs on the side of refusal; quoting a name with backticks always helps a refused one."""

from __future__ import annotations

import re
from collections.abc import Collection

from graphmem.errors import ForbiddenQuery, UsageError
from graphmem.model.checked import whole

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)|(?P<text>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|(?P<quoted>`[^`]*`)"""
    r"""|(?P<word>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<sign>.)""",
    re.S,
)
FIRST = frozenset({"MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL", "EXPLAIN"})
FORBIDDEN = frozenset(
    "CREATE MERGE SET DELETE DETACH REMOVE DROP ALTER COPY LOAD EXPORT IMPORT INSTALL UNINSTALL ATTACH USE BEGIN COMMIT"
    " ROLLBACK CHECKPOINT COMMENT INSERT TRUNCATE PROJECT_GRAPH PROJECT_GRAPH_CYPHER DROP_PROJECTED_GRAPH PROFILE"
    " FOREACH GRANT REVOKE DENY START STOP TERMINATE NEXTVAL".split()
)
PROCEDURES = frozenset({"SHOW_TABLES", "TABLE_INFO", "SHOW_CONNECTION", "DB_VERSION", "SHOW_FUNCTIONS"})


def check(query: str, parameters: Collection[str] | None = None) -> None:
    """Return when the query only reads and, where `parameters` are named, uses no others: the engine would take one that
    has no value for anything at all. Raises ForbiddenQuery or UsageError with what to change."""
    whole("query", query)
    tokens = [(match.lastgroup, match[0]) for match in _TOKEN.finditer(query) if match.lastgroup != "space"]
    while tokens and tokens[-1][1] == ";":
        tokens.pop()
    if not tokens:
        raise UsageError("the query is empty")
    if any(sign in ("'", '"', "`") for kind, sign in tokens if kind == "sign"):
        raise UsageError("a quotation mark of the query is not closed")
    if ("sign", ";") in tokens:
        raise ForbiddenQuery("one statement at a time: remove the `;`")
    if tokens[0][1].upper() not in FIRST:
        raise ForbiddenQuery(f"a query starts with MATCH, UNWIND, WITH, RETURN or CALL, not with `{tokens[0][1][:40]}`")
    for place, (kind, word) in enumerate(tokens):
        if kind == "word":
            _check_word(tokens, place, word.upper())
            if parameters is not None and place and tokens[place - 1] == ("sign", "$") and word not in parameters:
                raise UsageError(f"the parameter `{word}` has no value: add {word}=VALUE", parameter=word)


def _check_word(tokens: list[tuple[str | None, str]], place: int, word: str) -> None:
    before = tokens[place - 1][1].upper() if place else ""
    after = tokens[place + 1][1] if place + 1 < len(tokens) else ""
    name = before in (".", ":", "|", "$", "AS") or (before in ("{", ",") and after == ":")
    if word in FORBIDDEN and not name:
        raise ForbiddenQuery(
            f"`{word}` is refused: queries from outside only read (write `{word.lower()}` in backticks if it is a name)"
        )
    if (
        word == "CALL"
        and not name
        and (after.upper() not in PROCEDURES or tokens[place + 2 : place + 3] != [("sign", "(")])
    ):
        raise ForbiddenQuery(f"CALL is allowed for {', '.join(sorted(PROCEDURES))} only")
