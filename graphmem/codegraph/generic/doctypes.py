"""Types that a doc comment states where a language declares few: PHPDoc's `@param`, `@return` and `@var`. Purely
syntactic; the linker resolves the names like those of declared types."""

from __future__ import annotations

import re

from graphmem.codegraph.generic.summary import Expr

_DEEPEST = 6  # levels of a written type
_TAG = re.compile(r"@(?:phpstan-|psalm-)?(param|return|var)\s+(?=[\w\\?($])")
_VARIABLE = re.compile(r"\s*(?:&|\.\.\.)*(\$\w+)")
_NAME = re.compile(r"\\?[A-Za-z_][\w\\-]*")
_CHOSEN = re.compile(r"\(\s*\$?\w+ is [^?]{1,80}\?\s*")  # `($x is true ? A : B)`
_LISTS = frozenset({"list", "non-empty-list", "array", "non-empty-array", "iterable", "Generator", "Traversable", "Iterator",
                    "IteratorAggregate", "ArrayIterator"})  # fmt: skip
VAGUE = frozenset({"array", "iterable", "mixed", "object", "callable", "null", "false", "true", "void", "string", "int", "bool",
                    "float", "resource", "scalar", "never", "class-string", "Traversable",
                    "Iterator", "Generator"})  # fmt: skip


class DocTypes:
    """The types in one comment."""

    __slots__ = ("end", "parameters", "returns", "variables")

    def __init__(self, text: str, end: int) -> None:
        self.end = end
        self.returns: Expr | None = None
        self.parameters: dict[str, Expr] = {}
        self.variables: dict[str, Expr] = {}
        for tag in _TAG.finditer(text):
            type_, after = _union(text, tag.end(), 0)
            if type_ is None:
                continue
            if tag[1] == "return":
                self.returns = type_
                continue
            name = _VARIABLE.match(text, after)
            into = self.parameters if tag[1] == "param" else self.variables
            into[name[1] if name else ""] = type_


def _union(text: str, at: int, depth: int) -> tuple[Expr | None, int]:
    """Read `A|B|null`; return the type, None if it names no class, and where it ends."""
    out: Expr | None = None
    while True:
        type_, at = _single(text, at, depth)
        out = type_ if out is None else ("either", out, type_) if type_ is not None else out
        if at >= len(text) or text[at] not in "|&":
            return out, at
        at += 1


def _single(text: str, at: int, depth: int) -> tuple[Expr | None, int]:
    at += text[at : at + 1] == "?"
    if depth > _DEEPEST:
        return None, len(text)
    type_: Expr | None
    if text[at : at + 1] == "(":
        chosen = _CHOSEN.match(text, at)
        type_, end = _union(text, chosen.end() if chosen else at + 1, depth + 1)
        at = _closing(text, end)
    elif text.startswith("$this", at):
        type_, at = ("this",), at + 5
    else:
        name = _NAME.match(text, at)
        if name is None:
            return None, at
        type_, at = _named(text, name[0], name.end(), depth)
    while text.startswith("[]", at):
        type_, at = ("list", type_) if type_ is not None else None, at + 2
    return type_, at


def _named(text: str, name: str, at: int, depth: int) -> tuple[Expr | None, int]:
    given: list[Expr | None] = []
    opened = text[at : at + 1]
    if opened == "<":
        while text[at : at + 1] in ("<", ","):
            at += 1
            while text[at : at + 1].isspace():
                at += 1
            type_, at = _union(text, at, depth + 1)
            given.append(type_)
        at = _closing(text, at)
    elif opened in ("{", "("):  # a shape, or a callable: neither names a class
        return None, _closing(text, at + 1)
    if name in _LISTS:
        return (("list", given[-1]) if given and given[-1] is not None else None), at
    if name in VAGUE or "-" in name:
        return None, at
    out: Expr | None = None
    for part in name.strip("\\").split("\\"):
        out = ("name", part) if out is None else ("attr", out, part)
    return (("gen", out, tuple(given)) if given and out else out), at


def _closing(text: str, at: int) -> int:
    """Return the place after the bracket that closes the one before `at`."""
    depth = 1
    while at < len(text) and depth:
        depth += (text[at] in "<({") - (text[at] in ">)}")
        at += 1
    return at
