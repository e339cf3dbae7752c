"""Converts a finished reading to the facts of a file: closed scopes, pruned references, and a fingerprint of everything
visible to other files, by which an edit finds the files it affects."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from graphmem.codegraph.generic import passing, words
from graphmem.codegraph.generic.program import accessor, is_partial
from graphmem.codegraph.generic.summary import (
    CALLED,
    Binding,
    Expr,
    Reference,
    Scope,
    Summary,
    inner_name,
    last_name,
    names_in,
)
from graphmem.codegraph.records import FileFacts

if TYPE_CHECKING:
    from graphmem.codegraph.generic.reader import Mention, OpenScope, Reader

_VISIBLE = frozenset({"module", "namespace", "class", "extension", "object"})
_EVERY_TIME = frozenset({"call", "new", "macro", "construct"})
_LOCAL = frozenset({"function", "block"})
_EVERYWHERE = "#*"  # C#: stands for the imports that one file makes for all
Passes = dict[str, list[Expr]]


def facts(reader: Reader) -> FileFacts:
    """Return the facts of a completely read file."""
    _complexity(reader)
    if reader.exports:
        _mark_exports(reader)
    kept = _renumber(reader)
    references = _references(reader)
    scopes, number = _compact(reader, kept)
    summary = Summary(
        scopes=scopes,
        references=tuple(Reference(k, number[kept[s]], e, *place) for k, s, e, *place in references),
        imports=tuple(i._replace(scope=number[kept[i.scope]]) for i in reader.imports),
        exports=reader.exports,
        namespaces=tuple((name, number[scope]) for name, scope in reader.namespaces),
        scope_at={at: number[kept[scope]] for at, scope in reader.scope_at.items()},
        extensions=tuple(
            (_last(s.target), number[i]) for i, s in enumerate(reader.scopes) if s.kind == "extension" and s.target
        ),
        mentions=_mentions(reader),
        interface=_interface(reader),
        test=reader.is_test,
    )
    lines = len(reader.lines) - (1 if reader.lines and not reader.lines[-1] else 0)
    return FileFacts(
        reader.path, reader.language.name, tuple(reader.symbols), lines, reader.errors, reader.package, summary
    )


def _complexity(reader: Reader) -> None:
    for index, symbol in enumerate(reader.symbols):
        if symbol.kind in ("function", "method"):
            reader.symbols[index] = symbol._replace(complexity=1 + reader.branches.get(index, 0))


def _mark_exports(reader: Reader) -> None:
    """Mark exports such as `export { a }` and `module.exports = a`, which follow the definition."""
    named = {e[1] for e in reader.exports.values() if e[0] == "name"}
    at = {e[1] for e in reader.exports.values() if e[0] in ("fn", "obj")}
    scopes = {reader.scope_at[a] for a in at if a in reader.scope_at}
    for scope in scopes:
        if reader.scopes[scope].kind == "function":
            _export(reader, reader.scopes[scope].symbol)
        for bindings in reader.scopes[scope].names.values():
            for binding in bindings:
                if reader.scopes[scope].kind == "object":
                    _export(reader, binding.symbol)
                    if binding.value and binding.value[0] == "name":  # `module.exports = { a, b: c }`
                        named.add(binding.value[1])
    for name in named:
        for binding in reader.scopes[0].names.get(name, ()):
            _export(reader, binding.symbol)


def _export(reader: Reader, symbol: int) -> None:
    if symbol > 0:
        reader.symbols[symbol] = reader.symbols[symbol]._replace(exported=True, visibility="public")


def _renumber(reader: Reader) -> list[int]:
    """Return for each scope the scope that represents it: blocks without bindings are dropped, but those in the body of a class
    of Ruby, which may run on an instance."""
    kept: list[int] = []
    for index, scope in enumerate(reader.scopes):
        is_body = reader.language.module_members and scope.parent >= 0 and reader.scopes[scope.parent].kind == "class"
        is_own = scope.parent >= 0 and scope.symbol != reader.scopes[scope.parent].symbol  # a test with a title
        is_empty = scope.kind == "block" and not scope.names and not is_body and not is_own
        kept.append(kept[scope.parent] if is_empty else index)
    return kept


def _compact(reader: Reader, kept: list[int]) -> tuple[tuple[Scope, ...], dict[int, int]]:
    live = [i for i in range(len(reader.scopes)) if kept[i] == i]
    number = {old: new for new, old in enumerate(live)}
    out = []
    for i in live:
        s = reader.scopes[i]
        names = {n: tuple(_renumbered(b, number, kept) for b in bs) for n, bs in s.names.items()}
        parent = number[kept[s.parent]] if s.parent >= 0 else -1
        out.append(Scope(s.kind, parent, s.symbol, names, tuple(s.bases), s.target, s.returns, tuple(s.results),
                         tuple(s.parameters), s.required, s.rest, s.static))  # fmt: skip
    return tuple(out), number


def _renumbered(binding: Binding, number: dict[int, int], kept: list[int]) -> Binding:
    if binding.scope < 0 or binding.kind == "import":
        return binding
    return binding._replace(scope=number[kept[binding.scope]])


def _references(reader: Reader) -> list[Mention]:
    """Return the references, without those to local variables, each value and type once per symbol. A member of a local
    is kept: it may be a method passed as a value, or run a getter."""
    out: list[Mention] = []
    seen: set[tuple[int, str, Expr]] = set()
    for r in reader.references:
        kind, scope, expr = r[0], r[1], r[2]
        if kind == "bare":
            if _is_local(reader, scope, expr[1]):
                continue
        elif kind not in _EVERY_TIME:
            mark = (reader.scopes[scope].symbol, kind, expr)
            if mark in seen:
                continue
            seen.add(mark)
            if kind == "value" and _is_local(reader, scope, expr):
                if expr[0] != "attr":
                    continue
                r = ("read", *r[1:])
        out.append(r)
    return out


def _is_local(reader: Reader, index: int, root: Expr | None) -> bool:
    while root and root[0] in ("attr", "index", "gen"):
        root = root[1]
    if not root or root[0] != "name":
        return bool(not root or root[0] not in ("this", "super"))
    while index >= 0:
        scope = reader.scopes[index]
        if scope.kind in _LOCAL and root[1] in scope.names:
            return scope.names[root[1]][0].kind in ("var", "param")
        index = scope.parent
    return False


def _mentions(reader: Reader) -> frozenset[str]:
    found = set(reader.lower.names)
    for scope in reader.scopes:
        if scope.kind in ("class", "extension"):  # what overrides what, and which interface is fulfilled
            found.update(scope.names)
            found.update(names_in(scope.target))
            if scope.kind == "class":
                found.add(reader.symbols[scope.symbol].name)
    for imported in reader.imports:
        found.add("#" + _stem(imported.source))
    if reader.language.value_flow:
        found |= passing.taken(reader)
    if reader.language.guesses:
        found.update(words.mentioned(reader.lower.names))
    if reader.language.partial:
        found.add(_EVERYWHERE)
    for imported in reader.imports:
        if "::" in imported.source:  # Rust: any module of a path may end to be one
            found.update(imported.source.split("::"))
    return frozenset(found)


def _interface(reader: Reader) -> dict[str, frozenset[str]]:
    """Return for every name visible to other files the names that its meaning depends on, and a mark that changes with
    the definition (it starts with "=", which no name does)."""
    out: dict[str, set[str]] = {}
    passes = _passes(reader)
    for scope in reader.scopes:
        if scope.kind not in _VISIBLE:
            continue
        for name, bindings in scope.names.items():
            if name == CALLED and scope.kind == "class":  # nobody names it: to call what has a type depends on the type
                name = reader.symbols[scope.symbol].name
            for binding in bindings:
                _describe(reader, scope, binding, passes, out.setdefault(name, set()))
        if scope.kind in ("class", "extension") and scope.symbol >= 0:
            owner = reader.symbols[scope.symbol].name if scope.kind == "class" else _last(scope.target)
            about = out.setdefault(owner, set())
            about.add(f"={zlib.crc32(repr((scope.bases, scope.target)).encode()):x}")
            for _, base in scope.bases:
                about.update(names_in(base))
            if scope.kind == "extension":  # whom a member is lent to is part of what it means
                for name in scope.names:
                    out[name].add(f"=+{owner}")
            elif is_partial(reader.symbols[scope.symbol]):
                about.add("=partial")
            if reader.language.structural:  # which interfaces are fulfilled depends on all the methods of both
                about.add(f"={sorted(scope.names)}")
                for name in scope.names:
                    out.setdefault(name, set()).add(owner)
    for dotted, at in reader.namespaces:
        if reader.scopes[at].kind == "namespace":  # a qualified name starts with the first part
            out.setdefault(dotted.partition(".")[0], set()).add(f"={dotted} {reader.path}")
    module = out.setdefault("#" + _stem(reader.path), set())
    module.add(f"={reader.path} {reader.package}")
    folder = reader.path.rpartition("/")[0]
    out.setdefault("#" + folder.rpartition("/")[2], set()).add(f"={reader.path}")
    for imported in reader.imports:
        if imported.exported and reader.language.partial:
            out.setdefault(_EVERYWHERE, set()).add(f"={reader.path} {imported.source}")
        if imported.name == "*" or imported.exported:
            module.update((f"=*{imported.source}:{imported.name}", "#" + _stem(imported.source)))
    for name, value in reader.exports.items():
        about = out.setdefault(name, set())
        about.add(f"=e{zlib.crc32(repr(_placeless(value)).encode()):x}")
        about.update(names_in(value))
        if name == "=":
            module.add(name)
    if reader.language.guesses:
        _by_words(reader, out)
    if reader.language.value_flow:
        out |= passing.passed_on(reader)
    return {name: frozenset(about) for name, about in out.items()}


def _by_words(reader: Reader, out: dict[str, set[str]]) -> None:
    """Add what guesses depend on: variables on the class that they are named like, methods on their class or module with its bases,
    those of a module also on the classes that include it."""
    for scope in reader.scopes:
        if scope.kind not in ("class", "namespace") or scope.symbol < 0:
            continue
        owner = reader.symbols[scope.symbol].name
        for name in scope.names:
            out[name].update((owner, words.INCLUDED + owner))
        if scope.kind == "class":
            out.setdefault(words.MARK + words.of_class(owner), set()).update((owner, f"={reader.path}"))
            for _, base in scope.bases:
                out.setdefault(words.INCLUDED + last_name(base), set()).add(f"={owner}")


def _describe(reader: Reader, scope: OpenScope, binding: Binding, passes: Passes, about: set[str]) -> None:
    owner = reader.symbols[scope.symbol].key if scope.symbol >= 0 else ""
    key = reader.symbols[binding.symbol].key if binding.symbol >= 0 else ""
    marks: tuple[object, ...] = reader.symbols[binding.symbol].decorators if binding.symbol >= 0 else ()
    if binding.symbol >= 0 and (role := accessor(reader.symbols[binding.symbol])):
        marks = (role, *marks)
    said: list[object] = [binding.kind, scope.kind, owner, key, marks, reader.path]
    said += (_placeless(binding.type), _placeless(binding.value))
    about.update(names_in(binding.type))
    about.update(names_in(binding.value))
    if binding.value and binding.value[0] == "obj" and binding.value[1] in reader.scope_at:
        written = reader.scopes[reader.scope_at[binding.value[1]]].returns
        about.update(names_in(written))
        said.append(_placeless(written))
    if binding.kind == "import":
        found = reader.imports[binding.scope]
        said.append((found.source, found.name))
        about.update((found.name, "#" + _stem(found.source)))
    elif binding.scope >= 0 and binding.kind != "field":
        inner = reader.scopes[binding.scope]
        said.append(
            (
                _placeless(inner.returns),
                [_placeless(r) for r in inner.results],
                inner.parameters,
                inner.required,
                inner.rest,
            )
        )
        if reader.language.overloads:
            for parameter in map(inner_name, inner.parameters):
                for its in inner.names.get(parameter, ()):
                    said.append(_placeless(its.type))
                    about.update(names_in(its.type))
        about.update(names_in(inner.returns))
        if inner.results:
            for value in reader.depends.get(inner.symbol, ()):
                about.update(names_in(value))
                said.append(_placeless(value))
            _passed(reader, passes, reader.symbols[inner.symbol].name, about, said)
    elif binding.scope >= 0:  # what is assigned to a field may have been passed to the function that does it
        function = reader.symbols[reader.scopes[binding.scope].symbol].name
        _passed(reader, passes, function if function != "constructor" else owner.rpartition(".")[2], about, said)
    about.add(f"={zlib.crc32(repr(said).encode()):x}")


def _passed(reader: Reader, passes: Passes, function: str, about: set[str], said: list[object]) -> None:
    """Add what calls in the file pass to a function: what it gives back may depend on it."""
    for argument in passes.get(function, ()):
        about.update(names_in(argument))
        said.append(_placeless(argument))


def _passes(reader: Reader) -> Passes:
    """Return by the last name of a callee what the calls in the file pass, in languages whose values are followed."""
    found: Passes = {}
    if reader.language.value_flow:
        for r in reader.references:
            expr = r[2]
            if r[0] in ("call", "new") and expr[0] in ("call", "new") and expr[1] and expr[1][0] in ("name", "attr"):
                found.setdefault(expr[1][-1], []).extend(a for a in expr[2] if a and a[0] not in ("lit", "str"))
    return found


def _placeless(expr: Expr | None) -> object:
    """Return an expression without positions, so that moving a definition is not a change."""
    if not expr:
        return None
    if expr[0] in ("fn", "obj"):
        return expr[0]
    if expr[0] == "array":
        expr = expr[:2]
    return tuple(_placeless(p) if isinstance(p, tuple) and p and isinstance(p[0], str) else
                 tuple(_placeless(q) for q in p) if isinstance(p, tuple) else p for p in expr)  # fmt: skip


def _last(expr: Expr | None) -> str:
    while expr and expr[0] in ("gen", "list", "cast"):
        expr = expr[1]
    return last_name(expr) or (str(expr[-1]) if expr else "")


def _stem(path: str) -> str:
    last = path.replace("::", "/").rstrip("/").rpartition("/")[2]
    return last.partition(".")[0]
