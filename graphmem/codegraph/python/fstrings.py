"""F-strings as Python 3.12 reads them (PEP 701: any quote, backslash, line end or comment in a field), and `t"…"`, for an
interpreter that refuses them: each is taken out of the text, and what is in its fields is parsed at its own place and put
into the tree instead. What the running grammar reads is never touched."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping

_STRING = r"""#[^\n]*|(?:(?<!\w)([rbuftRBUFT]{1,2}))?("{3}|'{3}|["'])"""
_STRINGS = re.compile(_STRING)
_TOKENS = re.compile(rf"{_STRING}|[()\[\]{{}}:!]")
_FIELDS = re.compile(r"(?<!\w)(?:[rR]?[fFtT]|[fFtT][rR])['\"]")
_SIGNS = re.compile(r"""[\\{}\n"']""")
_ENDS = {
    quote: re.compile(rf"\\.|{quote}" + ("|\n" if len(quote) == 1 else ""), re.S) for quote in ("'", '"', "'''", '"""')
}
_NAMED = re.compile(r"N\{[^{}\n]*\}")
_CONVERSION = re.compile(r"!\s*[rsa]\s*")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_COMPARED = ("==", "!=", "<=", ">=")
_LONGEST = 20_000  # characters of one f-string
_ENDLESS = 20  # f-strings without an end, after which no more are looked for

Span = tuple[int, int]
Taken = dict[str, list[ast.expr]]


def replace_fstrings(text: str) -> tuple[str, Taken]:
    """Return the text with every f-string that cannot be read replaced by one with a single name, on as many lines
    and, where there is room, as long; and by these names what was in the fields."""
    taken: Taken = {}
    if not _FIELDS.search(text):
        return text, taken
    mark = "_f"
    while mark in text:
        mark += "_"
    pieces, done, at, endless = [], 0, 0, 0
    while found := _STRINGS.search(text, at):
        at = found.end()
        if found[2] is None:  # a comment
            continue
        at = _end_of_string(text, at, found[2])
        if not _FIELDS.match(found[0]) or endless == _ENDLESS:
            continue
        try:
            fields, at = _Reader(text, found).read()
        except (SyntaxError, RecursionError):
            endless += 1
            continue
        literal = text[found.start() : at]
        if not _is_parseable(literal):
            name = f"{mark}{len(taken)}"
            taken[name] = [one for one in (_expression(text, *field) for field in fields) if one is not None]
            pieces += [text[done : found.start()], _placeholder(name, literal)]
            done = at
    return "".join([*pieces, text[done:]]), taken


def restore_fstrings(tree: ast.Module, taken: Mapping[str, list[ast.expr]]) -> None:
    """Insert the expressions of replaced f-strings into the tree."""
    if taken:
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                node.values = [one for value in node.values for one in _restored_values(value, taken)]


def _restored_values(value: ast.expr, taken: Mapping[str, list[ast.expr]]) -> Iterator[ast.expr]:
    inner = value.value if isinstance(value, ast.FormattedValue) else None
    if not isinstance(inner, ast.Name) or inner.id not in taken:
        yield value
        return
    for one in taken[inner.id]:
        yield ast.copy_location(ast.FormattedValue(value=one, conversion=-1), one)


def _placeholder(name: str, literal: str) -> str:
    """Columns are counted in bytes."""
    lines = literal.split("\n")
    if len(lines) == 1:
        return f"f'{{{name}}}'".ljust(len(literal.encode()))
    return f"f'''{{{name}" + "\n" * (len(lines) - 1) + "}'''".rjust(len(lines[-1].encode()))


def _is_parseable(literal: str) -> bool:
    try:
        _parsed(f"({literal}\n)")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _expression(text: str, start: int, end: int) -> ast.expr | None:
    """Return the expression of a field with its position in the text; None if it cannot be parsed."""
    code = text[start:end].rstrip()
    if code.endswith("=") and not code.endswith(_COMPARED):  # `{name=}`
        code = code[:-1]
    column = len(text[text.rfind("\n", 0, start) + 1 : start].encode())
    try:
        again, taken = replace_fstrings(f"(\n{' ' * column}{code}\n)")
        tree = _parsed(again)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    restore_fstrings(tree, taken)
    statement = tree.body[0]
    if len(tree.body) > 1 or not isinstance(statement, ast.Expr):
        return None
    ast.increment_lineno(statement, text.count("\n", 0, start) - 1)
    return statement.value


def _end_of_string(text: str, at: int, quote: str) -> int:
    """Return the offset after a plain string whose content begins here, even if it is unterminated."""
    for found in _ENDS[quote].finditer(text, at):
        if found[0] == quote:
            return found.end()
        if found[0] == "\n":
            return found.start()
    return len(text)


class _Reader:
    """Reads one f-string. `fields` are the places of what is in braces, those of format specifications as well."""

    def __init__(self, text: str, opening: re.Match[str]) -> None:
        self.text = text
        self.at = opening.end()
        self.most = opening.start() + _LONGEST
        self.quote: str = opening[2]
        self.raw = "r" in opening[1].lower()
        self.fields: list[Span] = []

    def read(self) -> tuple[list[Span], int]:
        """Return the fields, and the offset after the f-string. Raises SyntaxError if it is none."""
        self._content(self.quote, self.raw)
        return self.fields, self.at

    def _content(self, quote: str, raw: bool, *, spec: bool = False) -> None:
        """Read text and its braces, up to the closing quote, or for a format specification up to the closing brace."""
        while found := _SIGNS.search(self.text, self.at, self.most):
            sign, after = found[0], found.end()
            double = not spec and self.text.startswith(sign * 2, found.start())
            self.at = after
            if sign == "\\":
                named = None if raw else _NAMED.match(self.text, after)
                self.at = named.end() if named else after + (self.text[after : after + 1] not in "{}")
            elif sign == "{":
                if double:
                    self.at += 1
                else:
                    self._field(quote, raw)
            elif sign == "}":
                if spec:
                    self.at = found.start()
                    return
                if not double:
                    break
                self.at += 1
            elif self.text.startswith(quote, found.start()):
                if spec:
                    break
                self.at = found.start() + len(quote)
                return
            elif sign == "\n" and len(quote) == 1:
                break
        raise SyntaxError

    def _field(self, quote: str, raw: bool) -> None:
        """Read a field, from after its opening brace to after its closing one."""
        start, closing = self.at, [""]
        self.fields.append((start, start))
        number = len(self.fields) - 1
        while found := _TOKENS.search(self.text, self.at, self.most):
            sign = found[0]
            if closing == [""] and (
                sign in ("}", ":") or (sign == "!" and self.text[found.end() : found.end() + 1] != "=")
            ):
                break
            self.at = found.end()
            if found[2] is not None:
                self._string(found)
            elif sign in _CLOSING:
                closing.append(_CLOSING[sign])
            elif sign in (")", "]", "}") and sign != closing.pop():
                raise SyntaxError
        if found is None:
            raise SyntaxError
        self.fields[number] = start, found.start()
        converted = _CONVERSION.match(self.text, found.start())
        self.at = converted.end() if converted else found.start()
        if self.text.startswith(":", self.at):
            self.at += 1
            self._content(quote, raw, spec=True)
        if not self.text.startswith("}", self.at):
            raise SyntaxError
        self.at += 1

    def _string(self, opening: re.Match[str]) -> None:
        """Read a string inside a field; its own fields belong to it."""
        if not _FIELDS.match(opening[0]):
            self.at = _end_of_string(self.text, self.at, opening[2])
            return
        known = len(self.fields)
        self._content(opening[2], "r" in opening[1].lower())
        del self.fields[known:]
