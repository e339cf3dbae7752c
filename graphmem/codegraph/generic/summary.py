"""What the generic front end keeps of one file for its linker: scopes with the names they bind, references, imports, and
expressions lowered to small tuples that no longer know the language. Plain tuples and strings throughout, so that a
summary pickles fast and can be cached by content hash.

Expressions (and types, which are expressions that name a class) are tuples that start with a tag:

    ("name", id)                ("attr", expr, id)         ("call", expr, args)     args: a tuple of expressions, or ()
    ("call", expr, args, types)  with explicit type arguments
    ("new", type, args)         ("this",)  ("super",)      ("lit", type name)       ("str", text)
    ("attr", expr, id, "key")   a member named by a text: `m["id"]`
    ("name", id, "type") and ("attr", expr, id, "type")   where types have a name space of their own
    ("index", expr)             ("item", expr, n)          ("either", expr, expr)   ("fn", start byte)  ("obj", start byte)
    ("array", (exprs...), start byte)       ("spread", expr) within one, or within arguments
    ("slice", expr, n)  all from the n-th   ("yield", expr) and ("yieldall", expr) among the results of a function
    ("list", type)              ("gen", type, (types...))  ("tuple", (types...))    ("cast", type)      ("func", type)
    ("as", type, expr)  a value that is said to have a type
    ("named", id, expr)                     ("or", expr, expr)   the second if nothing is known of the first
    ("default", expr, expr)   a part that a pattern takes, and what it is where there is none
    ("expected", call, n, name, count)      the type of parameter n, or of that name, in a call with as many arguments
    ("func", result, (types...))            ("handed", call, argument, n, count) and ("accepts", type, n): parameter n of a function
    ("rest", type)  of parameters, all that follow       ("context", place, n)  by the type of a place, see `contexts`
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

Expr = tuple[Any, ...]
ELEMENT = "[]"  # the name of the member that an index reads
CALLED = "()"  # of the members that are call signatures
ANY_KEYWORD = "**"  # of the parameters one that takes any keyword; the name of a keyword ends with ":"
CONVERSION = "<as>"  # and of the types that a class converts from and to


class Binding(NamedTuple):
    """One name in a scope. `kind`: "def" (a definition), "var", "param", "field", "import", "decl" (declared here, defined
    elsewhere). Indices are -1 if there is none."""

    kind: str
    at: int  # start byte: which of several bindings of one name is meant depends on the place of use
    symbol: int = -1  # index into FileFacts.symbols
    scope: int = -1  # what the definition opens; of an import its index in `imports`; of a field where it is assigned
    type: Expr | None = None
    value: Expr | None = None


class Scope(NamedTuple):
    """A region with names of its own. `kind`: "module", "namespace", "class", "function", "object", "block", or
    "extension": members that belong to the type named by `target` (impl, Go methods, out-of-class definitions)."""

    kind: str
    parent: int
    symbol: int  # index of the symbol it belongs to: its own, or that of the nearest scope around it
    names: dict[str, tuple[Binding, ...]]
    bases: tuple[tuple[str, Expr], ...] = ()  # ("extends" | "implements", type)
    target: Expr | None = None
    returns: Expr | None = None  # declared type of the result; of an object literal its own
    results: tuple[Expr, ...] = ()  # returned expressions, where nothing is declared
    parameters: tuple[str, ...] = ()
    required: int = 0  # parameters for which something has to be given
    rest: bool = False  # whether the last parameter takes any number of arguments
    static: bool = False


class Reference(NamedTuple):
    """A place that mentions something: `kind` "call", "new", "type", "value", "read" (of a member, of a local
    too), "write" (of a member), "update" (both), "key" (a field that a literal sets, unless its keys are values) or
    "macro"."""

    kind: str
    scope: int
    expr: Expr
    line: int
    column: int
    at: int


class Import(NamedTuple):
    """One imported name. `name` is "" for the module itself, "*" for all its names; `local` is what it is called here ("" if
    it binds nothing); `exported` says that it is passed on to those who import this file."""

    line: int
    source: str
    name: str
    local: str
    exported: bool = False
    scope: int = 0


class Summary(NamedTuple):
    """Everything of one file that links depend on."""

    scopes: tuple[Scope, ...]
    references: tuple[Reference, ...]
    imports: tuple[Import, ...]
    exports: dict[str, Expr]  # names given to others by another name or expression (`module.exports = x`)
    namespaces: tuple[tuple[str, int], ...]  # dotted namespace -> scope that adds to it
    scope_at: dict[int, int]  # start byte of an anonymous function or object -> its scope
    extensions: tuple[tuple[str, int], ...]  # last part of the extended type's name -> extension scope
    mentions: frozenset[str]  # every name that this file's links may depend on
    interface: dict[str, frozenset[str]]  # a name that others can see -> fingerprint and names its meaning depends on
    test: bool = False
    manifest: dict[str, Any] | None = None


def names_in(expr: Expr | None) -> Iterator[str]:
    """Yield every name in an expression."""
    if not expr:
        return
    tag = expr[0]
    if tag == "name":
        yield expr[1]
    elif tag == "attr":
        yield expr[2]
        yield from names_in(expr[1])
    else:
        for part in expr[1:]:
            if isinstance(part, tuple):
                yield from names_in(part) if part and isinstance(part[0], str) else _names_in_all(part)


def _names_in_all(parts: tuple[Expr | None, ...]) -> Iterator[str]:
    for part in parts:
        yield from names_in(part)


def last_name(expr: Expr | None) -> str:
    """Return the last part of a name or member, or ""."""
    return str(expr[2] if expr[0] == "attr" else expr[1]) if expr and expr[0] in ("name", "attr") else ""


def written_name(expr: Expr | None) -> str:
    """Return the dotted name that an expression is, or ""."""
    if expr and expr[0] == "name":
        return str(expr[1])
    if expr and expr[0] == "attr":
        owner = written_name(expr[1])
        return f"{owner}.{expr[2]}" if owner else ""
    return ""


def spelled(expr: Expr | None) -> str:
    """Return the dotted spelling of a name or attribute."""
    if not expr:
        return "?"
    if expr[0] == "attr":
        owner = spelled(expr[1])
        return f"{owner}.{expr[2]}" if owner else str(expr[2])
    if expr[0] in ("gen", "list", "cast"):
        return spelled(expr[1])
    return str(expr[1]) if len(expr) > 1 else str(expr[0])


def label_of(parameter: str) -> str:
    """Return the name that a caller writes for a parameter: Swift's `at index` is called with `at:`."""
    return parameter.partition(" ")[0]


def inner_name(parameter: str) -> str:
    """Return the name of a parameter within its function."""
    return parameter.rpartition(" ")[2]
