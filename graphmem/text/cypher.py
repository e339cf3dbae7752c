"""Decide whether Cypher from outside may run: reading clauses and listed functions only, one statement, no files and no
settings. The check errs on the side of refusal; a name in backticks is never taken for a clause.

It reads text as the lexer of the engines does, and refuses what the two could read differently: a comment with `**` in it, a
number with letters after it (`LIMIT 1DELETE n` is two clauses for the engine), an escape that is none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import NamedTuple

from graphmem.errors import ForbiddenQuery, UsageError
from graphmem.model.checked import reject_surrogates
from graphmem.plurals import counted

MAX_QUERY_CHARS = 100_000  # characters of a query
DEEPEST = 200  # brackets inside brackets: the engine's parser calls itself for each

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\r\n]*(?:\r?\n|\Z)|/\*(?:[^*]|\*[^*/])*\*/)"""
    r"""|(?P<text>'(?:\\(?:[\\'"bfnrtBFNRT]|[xX][0-9a-fA-F]{2}|[uU][0-9a-fA-F]{4})|[^'\\])*'"""
    r"""|"(?:\\(?:[\\'"bfnrtBFNRT]|[xX][0-9a-fA-F]{2}|[uU][0-9a-fA-F]{4})|[^"\\])*")"""
    r"""|(?P<quoted>`[^`]*`)|(?P<word>[^\W\d]\w*)"""
    r"""|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w))"""
    r"""|(?P<wrong>//|/\*|['"`\d])|(?P<sign>.)""",
    re.S,
)
_WRONG = {
    "/": "a comment is not closed, or contains `**`",
    "'": "a quotation mark of the query is not closed, or an escape in the text is none (write `\\\\` for a backslash)",
    '"': "a quotation mark of the query is not closed, or an escape in the text is none (write `\\\\` for a backslash)",
    "`": "a quotation mark of the query is not closed",
}
FIRST = frozenset({"MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL"})  # also after EXPLAIN
# Clauses that can follow a reading clause: also refused after AS, since `as` may be a variable.
CLAUSES = frozenset("CREATE MERGE SET DELETE DETACH REMOVE LOAD COPY DROP ALTER FOREACH PROFILE INSERT".split())
FORBIDDEN = CLAUSES | frozenset(
    "EXPORT IMPORT INSTALL UNINSTALL ATTACH USE BEGIN COMMIT ROLLBACK CHECKPOINT COMMENT TRUNCATE PROJECT_GRAPH"
    " PROJECT_GRAPH_CYPHER DROP_PROJECTED_GRAPH GRANT REVOKE DENY START STOP TERMINATE".split()
)
PROCEDURES = frozenset({"SHOW_TABLES", "TABLE_INFO", "SHOW_CONNECTION", "DB_VERSION", "SHOW_FUNCTIONS"})
# What the engines call scalar, aggregate and rewrite functions, but for those that read or write something else. Not every
# engine has each: Ladybug has those for JSON, and STEM, in extensions, which are never loaded.
REFUSED_FUNCTIONS = frozenset({"NEXTVAL", "CURRVAL", "COPY_JSON", "SETSEED"})
FUNCTIONS = frozenset(
    """ABS ACOS ALL ANY ARRAY_APPEND ARRAY_CAT ARRAY_CONCAT ARRAY_CONTAINS ARRAY_COSINE_SIMILARITY ARRAY_CROSS_PRODUCT
    ARRAY_DISTANCE ARRAY_DOT_PRODUCT ARRAY_EXTRACT ARRAY_HAS ARRAY_INDEXOF ARRAY_INNER_PRODUCT ARRAY_POSITION
    ARRAY_PREPEND ARRAY_PUSH_BACK ARRAY_PUSH_FRONT ARRAY_SLICE ARRAY_SQUARED_DISTANCE ARRAY_TO_JSON ARRAY_VALUE ASIN ATAN
    ATAN2 AVG BITSHIFT_LEFT BITSHIFT_RIGHT BITWISE_AND BITWISE_OR BITWISE_XOR BLOB CARDINALITY CAST CAST_TO_JSON CBRT CEIL
    CEILING CENTURY COALESCE COLLECT CONCAT CONCAT_WS CONSTANT_OR_NULL CONTAINS COS COST COT COUNT COUNT_IF COUNT_STAR
    CURRENT_DATE CURRENT_TIMESTAMP DATE DATEPART DATETRUNC DATE_PART DATE_TRUNC DAYNAME DECODE DEGREES DURATION ELEMENT_AT
    ENCODE ENDS_WITH END_NODE EPOCH_MS EQUALS ERROR EVEN EXISTS FACTORIAL FLOOR GAMMA GEN_RANDOM_UUID GREATER_THAN
    GREATER_THAN_EQUALS GREATEST HASH HISTOGRAM ID IFNULL INITCAP INTERNAL_ID INTERVAL IS_ACYCLIC IS_TRAIL JSON JSON_ARRAY
    JSON_ARRAY_LENGTH JSON_CONTAINS JSON_EXTRACT JSON_KEYS JSON_MERGE_PATCH JSON_OBJECT JSON_QUOTE JSON_STRUCTURE
    JSON_VALID KEYS LABEL LABELS LAST_DAY LCASE LEAST LEFT LENGTH LESS_THAN LESS_THAN_EQUALS LEVENSHTEIN LGAMMA
    LIST_ANY_VALUE LIST_APPEND LIST_CAT LIST_CONCAT LIST_CONTAINS LIST_CREATION LIST_DISTINCT LIST_ELEMENT LIST_EXTRACT
    LIST_FILTER LIST_HAS LIST_HAS_ALL LIST_HAS_ANY LIST_INDEXOF LIST_MAX LIST_MIN LIST_POSITION LIST_PREPEND LIST_PRODUCT
    LIST_REDUCE LIST_REVERSE LIST_REVERSE_SORT LIST_SLICE LIST_SORT LIST_SUM LIST_TO_STRING LIST_TRANSFORM LIST_UNIQUE LN
    LOG LOG10 LOG2 LOWER LPAD LTRIM MAKE_DATE MAP MAP_EXTRACT MAP_KEYS MAP_VALUES MAX MD5 MIN MONTHNAME NEGATE NODES NONE
    NOT_EQUALS NULLIF OCTET_LENGTH OFFSET PERCENTILECONT PERCENTILEDISC PI POW PREFIX PROPERTIES RADIANS RANDOM RANGE
    REGEXP_EXTRACT REGEXP_EXTRACT_ALL REGEXP_FULL_MATCH REGEXP_MATCHES REGEXP_REPLACE REGEXP_SPLIT_TO_ARRAY RELATIONSHIPS
    RELS REPEAT REPLACE REVERSE RIGHT ROUND ROWID ROW_TO_JSON RPAD RTRIM SHA256 SIGN SIN SINGLE SIZE SPLIT_PART SQRT
    STARTS_WITH START_NODE STEM STRING STRING_SPLIT STRING_TO_ARRAY STRUCT_EXTRACT STRUCT_PACK STR_SPLIT SUBSTR SUBSTRING
    SUFFIX SUM TAN TIMESTAMP TIME_BUCKET TOLOWER TOUPPER TO_BLOB TO_BOOL TO_DATE TO_DAYS TO_DOUBLE TO_EPOCH_MS TO_FLOAT
    TO_HOURS TO_INT128 TO_INT16 TO_INT32 TO_INT64 TO_INT8 TO_INTERVAL TO_JSON TO_MICROSECONDS TO_MILLISECONDS TO_MINUTES
    TO_MONTHS TO_SECONDS TO_SERIAL TO_STRING TO_TIMESTAMP TO_UINT128 TO_UINT16 TO_UINT32 TO_UINT64 TO_UINT8 TO_UUID
    TO_YEARS TRIM TYPEOF UCASE UNION_EXTRACT UNION_TAG UNION_VALUE UPPER UUID""".split()
)
# Functions of openCypher that only graph servers know; an embedded engine says so.
SERVER_FUNCTIONS = frozenset(
    """AVG DATETIME ELEMENTID EXP HEAD ISEMPTY ISNAN LAST LOCALDATETIME PERCENTILE_CONT RADIANS REDUCE SHORTESTPATH SPLIT
    STDEV TAIL TIME TOBOOLEAN TOFLOAT TOINTEGER TOSTRING TYPE""".split()
)
# Words of the grammar that a bracket may follow, and types that take one.
_BEFORE_BRACKET = frozenset(
    "MATCH WHERE AND OR XOR NOT IN RETURN WITH UNWIND DISTINCT BY WHEN THEN ELSE CASE LIMIT SKIP SHORTEST WSHORTEST TRAIL"
    " ACYCLIC HINT JOIN DECIMAL NUMERIC STRUCT UNION".split()
)


class Token(NamedTuple):
    """A token of a query: its kind ("text", "quoted", "word", "number", "sign") and its text."""

    kind: str
    text: str

    @property
    def name(self) -> str:
        """Return the name in capitals, without backticks."""
        return self.text.strip("`").upper()


_NOTHING = Token("sign", "")


def check_read_only(query: str, parameters: Collection[str] | None = None) -> None:
    """Check that the query only reads and, if `parameters` are named, uses no others: a parameter without a value would
    match anything. Raises ForbiddenQuery or UsageError with what to change."""
    reject_surrogates("query", query)
    if len(query) > MAX_QUERY_CHARS:
        raise UsageError(
            f"the query has {counted(len(query), 'character')}, but the limit is {MAX_QUERY_CHARS}: pass long values as parameters"
        )
    tokens = list(_tokens(query))
    while tokens and tokens[-1].text == ";":
        tokens.pop()
    if not tokens:
        raise UsageError("the query is empty")
    if ("sign", ";") in tokens:
        raise ForbiddenQuery("one statement at a time: remove the `;`")
    _check_start(tokens)
    _check_depth(tokens)
    if parameters is not None:
        _check_parameters(tokens, parameters)
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else _NOTHING
        after = tokens[place + 1] if place + 1 < len(tokens) else _NOTHING
        if token.kind == "word":
            _check_word(token.name, before, after, tokens[place + 2 : place + 3])
        if token.kind in ("word", "quoted") and after == ("sign", "(") and before.name != "CALL":
            _check_function(token, before)


def _tokens(query: str) -> Iterator[Token]:
    """Yield the pieces of a query without white space and comments, in one pass."""
    for match in _TOKEN.finditer(query):
        kind, text = match.lastgroup or "sign", match[0]
        if kind == "wrong":
            raise UsageError(_WRONG.get(text[0]) or f"write a space after the number at {_position(query, match)}")
        if (kind == "word" and not text.isidentifier()) or (kind == "sign" and not text.isprintable()):
            raise UsageError(f"unexpected character at {_position(query, match)}")
        if kind != "space":
            yield Token(kind, text)


def spans(query: str) -> Iterator[tuple[str, int, int]]:
    """Yield the pieces of a checked query with their places in it: text, start, end."""
    return ((match[0], match.start(), match.end()) for match in _TOKEN.finditer(query) if match.lastgroup != "space")


def _position(query: str, match: re.Match[str]) -> str:
    line, start = query.count("\n", 0, match.start()) + 1, query.rfind("\n", 0, match.start())
    return f"line {line}, column {match.start() - start}"


def _check_start(tokens: list[Token]) -> None:
    """Refuse a query that does not begin with a reading clause, also after EXPLAIN: to explain an export makes its folder."""
    names = [token.name if token.kind == "word" else token.text for token in tokens[:3]]
    if names[0] == "EXPLAIN":
        names = names[2 if names[1:2] == ["LOGICAL"] else 1 :] or [""]
    if names[0] not in FIRST:
        raise ForbiddenQuery(f"a query must start with MATCH, UNWIND, WITH, RETURN or CALL, not with `{names[0][:40]}`")


def _check_parameters(tokens: list[Token], given: Collection[str]) -> None:
    """Refuse a parameter without a value, and a value without a parameter."""
    pairs = pairwise(tokens)
    wanted = {token.text.strip("`") for sign, token in pairs if sign == ("sign", "$") and token.kind != "sign"}
    for name in sorted(wanted - set(given)):
        raise UsageError(f"the parameter `{name}` has no value: add {name}=VALUE", parameter=name)
    for name in sorted(set(given) - wanted):
        raise UsageError(f"the query has no `${name}`: omit that parameter", parameter=name)


def _check_depth(tokens: list[Token]) -> None:
    depth = 0
    for token in tokens:
        if token.kind == "sign":
            depth += (token.text in "([{") - (token.text in ")]}")
            if depth > DEEPEST:
                raise UsageError(f"the query has more than {DEEPEST} nested brackets")


def _check_word(word: str, before: Token, after: Token, beyond: list[Token]) -> None:
    is_name = before.text in (".", ":", "|", "$") or (before.text in ("{", ",") and after.text == ":")
    may_be_alias = before.name == "AS" and word not in CLAUSES
    if word in FORBIDDEN and not (is_name or may_be_alias):
        raise ForbiddenQuery(
            f"`{word}` is not allowed: queries are read-only (write `{word.lower()}` in backticks if it is a name)"
        )
    if word == "CALL" and not is_name and (after.text.upper() not in PROCEDURES or beyond != [("sign", "(")]):
        raise ForbiddenQuery(f"CALL is allowed for {', '.join(sorted(PROCEDURES))} only")


def _check_function(token: Token, before: Token) -> None:
    if before.text == ".":
        raise ForbiddenQuery(f"the function `{token.text}` of an extension is not allowed")
    if token.name in FUNCTIONS | SERVER_FUNCTIONS or (token.kind == "word" and token.name in _BEFORE_BRACKET):
        return
    if token.name in REFUSED_FUNCTIONS:
        raise ForbiddenQuery(f"the function `{token.text}` is not allowed: queries are read-only")
    raise UsageError(f"there is no function `{token.name}`: `CALL show_functions() RETURN name` lists them")
