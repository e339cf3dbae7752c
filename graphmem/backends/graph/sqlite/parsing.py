"""Parses the openCypher of graphmem's queries into the tree of `syntax`. What it does not know raises Unsupported: a query is
answered as a graph engine would, or not at all."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeVar

from graphmem.backends.graph.sqlite import syntax as s

_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<number>\d+\.\d+(?:[eE][+-]?\d+)?|\d+)"
    r"|(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<quoted>`[^`]+`)"
    r"|(?P<parameter>\$\w+)"
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<sign><=|>=|<>|\.\.|[-<>=+*/%(){}\[\],.:|;])",
    re.S,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_MOST_HOPS = 30
_MOST_NESTED = 60  # expressions inside of each other
_COMPARED = {"=", "<>", "<", "<=", ">", ">="}
_ENDS = frozenset("MATCH OPTIONAL UNWIND WITH RETURN MERGE DETACH DELETE UNION WHERE SET CREATE CALL LOAD COPY".split())
Found = TypeVar("Found")


class Token(NamedTuple):
    """A token: its kind, text and place."""

    kind: str
    text: str
    start: int
    end: int


@lru_cache(maxsize=256)
def parse_query(cypher: str) -> s.Statement:
    """Return the tree of a query. Raises Unsupported for what is not part of the subset."""
    try:
        return _Parser(cypher).statement()
    except RecursionError:
        raise s.Unsupported("Cypher: expressions are nested too deeply") from None


def _tokens(cypher: str) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(cypher):
        match = _TOKEN.match(cypher, at)
        if match is None:
            raise s.Unsupported(f"Cypher: unexpected `{cypher[at]}` at {_place(cypher, at)}")
        if match.lastgroup != "space":
            found.append(Token(match.lastgroup or "", match[0], at, match.end()))
        at = match.end()
    return [*found, Token("end", "", at, at)]


def _place(cypher: str, at: int) -> str:
    line = cypher.count("\n", 0, at) + 1
    return f"line {line}, column {at - cypher.rfind(chr(10), 0, at) - 1}"


class _Parser:
    def __init__(self, cypher: str) -> None:
        self._cypher = cypher
        self._tokens = _tokens(cypher)
        self._at = 0
        self._depth = 0

    # -- tokens

    @property
    def _now(self) -> Token:
        return self._tokens[self._at]

    def _is(self, *words: str) -> bool:
        """Return whether these keywords or signs come next."""
        for number, word in enumerate(words):
            token = self._tokens[min(self._at + number, len(self._tokens) - 1)]
            if token.kind not in ("word", "sign") or token.text.upper() != word:
                return False
        return True

    def _take(self, *words: str) -> bool:
        if not self._is(*words):
            return False
        self._at += len(words)
        return True

    def _need(self, *words: str) -> None:
        if not self._take(*words):
            self._refuse()

    def _refuse(self) -> None:
        token = self._now
        if token.kind == "end":
            raise s.Unsupported("Cypher: the query ends too early")
        raise s.Unsupported(f"Cypher: unexpected `{token.text[:40]}` at {_place(self._cypher, token.start)}")

    def _name(self) -> str:
        token = self._now
        if token.kind not in ("word", "quoted"):
            self._refuse()
        self._at += 1
        return token.text.strip("`")

    def _separated(self, one: Callable[[], Found], sign: str = ",") -> tuple[Found, ...]:
        found = [one()]
        while self._take(sign):
            found.append(one())
        return tuple(found)

    # -- clauses

    def statement(self) -> s.Statement:
        parts = [self._part()]
        unions: set[bool] = set()
        while self._take("UNION"):
            unions.add(self._take("ALL"))
            parts.append(self._part())
        self._take(";")
        if self._now.kind != "end" or len(unions) > 1:
            self._refuse()
        return s.Statement(tuple(parts), is_distinct=unions == {False})

    def _part(self) -> tuple[s.Clause, ...]:
        clauses: list[s.Clause] = []
        while True:
            if self._take("RETURN"):
                return (*clauses, self._projection())
            if self._is("MERGE") or self._is("DETACH") or self._is("DELETE"):
                return (*clauses, *self._writes())
            if self._take("WITH"):
                clauses.append(self._projection(is_with=True))
            elif self._take("UNWIND"):
                values = self._expression()
                self._need("AS")
                clauses.append(s.Unwind(values, self._name()))
            else:
                clauses.append(self._match())

    def _match(self) -> s.Match:
        optional = self._take("OPTIONAL")
        self._need("MATCH")
        paths = self._separated(self._path)
        return s.Match(paths, self._expression() if self._take("WHERE") else None, optional)

    def _projection(self, is_with: bool = False) -> s.Projection:
        distinct = self._take("DISTINCT")
        items = self._separated(self._item)
        order: tuple[tuple[s.Expression, bool], ...] = ()
        if self._take("ORDER", "BY"):
            order = self._separated(self._sort_key)
        skip = self._expression() if self._take("SKIP") else None
        limit = self._expression() if self._take("LIMIT") else None
        where = self._expression() if is_with and self._take("WHERE") else None
        return s.Projection(items, distinct, order, skip, limit, where)

    def _item(self) -> s.Item:
        start = self._now.start
        value = self._expression()
        text = self._cypher[start : self._tokens[self._at - 1].end]
        return s.Item(value, self._name() if self._take("AS") else text)

    def _sort_key(self) -> tuple[s.Expression, bool]:
        value = self._expression()
        descending = self._take("DESC") or self._take("DESCENDING")
        if not descending and not self._take("ASC"):
            self._take("ASCENDING")
        return value, descending

    def _writes(self) -> tuple[s.Clause, ...]:
        if self._take("DETACH", "DELETE") or self._take("DELETE"):
            return (s.Delete(self._name()),)
        found: list[s.Clause] = []
        while self._take("MERGE"):
            path = self._path()
            (relation,) = path.relations
            given = self._separated(self._assignment) if self._take("SET") else ()
            if relation.direction != "->" or len(relation.types) != 1:
                self._refuse()
            source, target = (node.variable for node in path.nodes)
            found.append(s.Merge(relation.variable, relation.types[0], source, target, given))
        return tuple(found)

    def _assignment(self) -> tuple[str, s.Expression]:
        self._name()
        self._need(".")
        name = self._name()
        self._need("=")
        return name, self._expression()

    # -- patterns

    def _path(self) -> s.Path:
        variable = ""
        if self._tokens[self._at + 1].text == "=":
            variable = self._name()
            self._need("=")
        nodes, relations = [self._node()], list[s.RelationPattern]()
        while self._is("-") or self._is("<"):
            relations.append(self._relation())
            nodes.append(self._node())
        return s.Path(variable, tuple(nodes), tuple(relations))

    def _node(self) -> s.NodePattern:
        self._need("(")
        variable = "" if self._is(":") or self._is(")") or self._is("{") else self._name()
        labels = self._alternatives()
        properties: tuple[tuple[str, s.Expression], ...] = ()
        if self._take("{"):
            properties = self._separated(self._pair)
            self._need("}")
        self._need(")")
        return s.NodePattern(variable, labels, properties)

    def _pair(self) -> tuple[str, s.Expression]:
        name = self._name()
        self._need(":")
        return name, self._expression()

    def _alternatives(self) -> tuple[str, ...]:
        """Names after `:`, separated by `|`, `:` or `|:`."""
        found: list[str] = []
        while self._take(":") or (found and self._take("|")):
            self._take(":")
            found.append(self._name())
        return tuple(found)

    def _relation(self) -> s.RelationPattern:
        inward = self._take("<")
        self._need("-")
        variable, types, hops, shortest = "", tuple[str, ...](), None, False
        if self._take("["):
            variable = "" if any(map(self._is, (":", "]", "*"))) else self._name()
            types = self._alternatives()
            if self._take("*"):
                shortest = self._take("SHORTEST")
                hops = self._hops()
            self._need("]")
        self._need("-")
        outward = self._take(">")
        if inward and outward:
            self._refuse()
        return s.RelationPattern(variable, types, "<-" if inward else "->" if outward else "-", hops, shortest)

    def _hops(self) -> tuple[int, int]:
        least, most = 1, _MOST_HOPS
        if self._now.kind == "number":
            least = most = self._number()
        if self._take(".."):
            most = self._number() if self._now.kind == "number" else _MOST_HOPS
        if most > _MOST_HOPS:
            raise s.Unsupported(f"Cypher: a path has at most {_MOST_HOPS} relations")
        return least, most

    def _number(self) -> int:
        token = self._now
        if not token.text.isdigit():
            self._refuse()
        self._at += 1
        return int(token.text)

    # -- expressions, from the loosest operator to the tightest

    def _expression(self) -> s.Expression:
        self._depth += 1
        if self._depth > _MOST_NESTED:
            raise s.Unsupported("Cypher: expressions are nested too deeply")
        try:
            return self._binary(("OR",), lambda: self._binary(("XOR",), lambda: self._binary(("AND",), self._negation)))
        finally:
            self._depth -= 1

    def _binary(self, signs: tuple[str, ...], operand: Callable[[], s.Expression]) -> s.Expression:
        left = operand()
        while sign := next((sign for sign in signs if self._take(sign)), ""):
            left = s.Call(sign, (left, operand()))
        return left

    def _negation(self) -> s.Expression:
        return s.Call("NOT", (self._negation(),)) if self._take("NOT") else self._comparison()

    def _comparison(self) -> s.Expression:
        left = self._sum()
        if self._now.text in _COMPARED:
            sign = self._now.text
            self._at += 1
            return s.Call(sign, (left, self._sum()))
        if self._take("IS", "NULL"):
            return s.Call("IS NULL", (left,))
        if self._take("IS", "NOT", "NULL"):
            return s.Call("IS NOT NULL", (left,))
        for words in (("STARTS", "WITH"), ("ENDS", "WITH"), ("CONTAINS",), ("IN",)):
            if self._take(*words):
                return s.Call(" ".join(words), (left, self._sum()))
        return left

    def _sum(self) -> s.Expression:
        return self._binary(("+", "-"), lambda: self._binary(("*", "/", "%"), self._sign))

    def _sign(self) -> s.Expression:
        return s.Call("NEGATE", (self._sign(),)) if self._take("-") else self._atom()

    def _atom(self) -> s.Expression:
        token = self._now
        if token.kind in ("number", "text", "parameter"):
            self._at += 1
            if token.kind == "parameter":
                return s.Parameter(token.text[1:])
            return s.Literal(_unquoted(token.text) if token.kind == "text" else _value_of(token.text))
        if self._take("("):
            inner = self._expression()
            self._need(")")
            return inner
        if self._take("["):
            items = () if self._is("]") else self._separated(self._expression)
            self._need("]")
            return s.ListOf(items)
        for word, value in (("TRUE", True), ("FALSE", False), ("NULL", None)):
            if self._take(word):
                return s.Literal(value)
        if self._take("CASE"):
            return self._case()
        if self._take("EXISTS", "{"):
            match = self._match()
            self._need("}")
            return s.Exists(match)
        if token.kind == "word" and token.text.upper() in _ENDS:
            self._refuse()
        return self._named()

    def _named(self) -> s.Expression:
        name = self._name()
        if self._take("("):
            return self._call(name.lower())
        if self._take("."):
            return s.Property(name, self._name())
        return s.Variable(name)

    def _call(self, name: str) -> s.Expression:
        if self._take("*", ")"):
            return s.Call(name, ())
        distinct = self._take("DISTINCT")
        arguments = () if self._is(")") else self._separated(self._expression)
        if name == "cast" and self._take("AS"):
            kind = self._name().upper()
            self._need(")")
            return s.Cast(arguments[0], kind)
        self._need(")")
        return s.Call(name, arguments, distinct)

    def _case(self) -> s.Expression:
        subject = None if self._is("WHEN") else self._expression()
        branches: list[tuple[s.Expression, s.Expression]] = []
        while self._take("WHEN"):
            condition = self._expression()
            self._need("THEN")
            branches.append((s.Call("=", (subject, condition)) if subject else condition, self._expression()))
        otherwise = self._expression() if self._take("ELSE") else None
        self._need("END")
        return s.Case(tuple(branches), otherwise)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text[1:-1], flags=re.S)


def _value_of(text: str) -> int | float:
    return int(text) if text.isdigit() else float(text)
