"""Finds unused code. Avoids false alarms: whatever could be used in a way the graph cannot see (exports, decorators,
entry points, overrides, unresolved calls of the same name) is excluded, and counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from graphmem.codegraph import languages
from graphmem.codegraph.pasted_names import LANGUAGES as PASTING
from graphmem.codegraph.pasted_names import PastedNames
from graphmem.codegraph.protocols import STRUCTURAL
from graphmem.codegraph.scan import is_foreign
from graphmem.codegraph.tests_of import FROM_TESTS
from graphmem.codegraph.view import CLASSES, FUNCTIONS, View
from graphmem.model.code import CodeEdge, Symbol

_USED = frozenset({"CALLS", "REFERS_TO", "USES", "EXTENDS", "IMPLEMENTS", "IMPORTS"})
_HARMLESS = re.compile(
    r"^(staticmethod|classmethod|property|override|Override|final|inline|must_use|doc|allow|derive|cold|track_caller"
    r"|deprecated|Deprecated|SuppressWarnings|non_exhaustive|functools\.(cache|lru_cache|wraps|cached_property)|cached_property"
    r"|typing\.|overload|inlinable|discardableResult|VisibleForTesting|Nullable|NonNull)\b"
)
_MAKES_METHODS = re.compile(
    r"^(\w+\.)*(dataclass|define|frozen|mutable|attrs|s|total_ordering|unique|runtime_checkable)\b"
)
_BY_NAME = frozenset({"<builtin>.globals", "<builtin>.vars", "<builtin>.locals"})
_WORD = re.compile(r"[^\W\d]\w*")
_DOLLAR_WORD = re.compile(r"(?:[^\W\d]\w*)?\$[\w$]*")
_BEGINNING = re.compile(r"[\"'`]([^\W\d]\w{2,}_)(?:[%{\"'`]|\$\{)")
_MAGIC = re.compile(r"^__\w+__$|^<|^_[a-z]\w*_$")  # `_repr_html_`, `_missing_`: frameworks look for such names
_BY_CONVENTION = frozenset(  # methods that libraries call on any object: files, locks, mappings, handlers
    "acquire release locked read readline readlines readinto write writelines flush close seek tell truncate fileno isatty "
    "readable writable seekable send throw keys items values get pop update append emit filter format".split()
)
_SHORT_STEM = 3
_FOR_TESTS = re.compile(r"(^|/)testing(/|\.\w+$)")  # test support that a package offers to others


class Dead(NamedTuple):
    """An unused symbol, and its size in lines."""

    symbol: Symbol
    lines: int


class DeadCode(NamedTuple):
    """The report. `spared` counts by reason symbols without a visible use that are not reported; `only_tests` are those
    that only tests use."""

    dead: tuple[Dead, ...]
    spared: dict[str, int]
    only_tests: tuple[Dead, ...] = ()


def dead_code(
    view: View, *, exported: bool = False, texts: Iterable[tuple[str, str]] = (), entry_points: Container[str] = ()
) -> DeadCode:
    """Return functions, methods and classes that nothing in the tree uses, largest first. With `exported` also those that
    only external code could use. `texts` are files of the tree with contents: symbols named in them outside their own
    lines are excluded, because an attribute of an unknown object, a template or a string may refer to them.
    `entry_points` are keys of symbols that other programs call."""
    used, by_sources, by_name = _used(view), _used(view, sources_only=True), _modules_read_by_name(view)
    spared: Counter[str] = Counter()
    found: dict[str, Symbol] = {}
    tested: dict[str, Symbol] = {}  # what tests alone use
    for symbol in view.graph.symbols:
        if symbol.external or symbol.kind not in FUNCTIONS | CLASSES or symbol.key in by_sources:
            continue
        reason = "entry point" if symbol.key in entry_points else _spare(view, symbol, exported)
        reason = reason or ("looked up by name" if symbol.file in by_name else "")
        if symbol.key in used:
            tested |= {} if reason else {symbol.key: symbol}
        elif reason:
            spared[reason] += 1
        else:
            found[symbol.key] = symbol
    for key in _named_elsewhere(view, found, tested, texts):
        spared["name occurs elsewhere"] += key in found
        found.pop(key, None)
        tested.pop(key, None)
    return DeadCode(_largest_first(view, found), dict(sorted(spared.items())), _largest_first(view, tested))


def _largest_first(view: View, found: dict[str, Symbol]) -> tuple[Dead, ...]:
    """Return the outermost of these symbols."""
    dead = [Dead(s, s.end_line - s.line + 1) for k, s in found.items() if not _inside(view, k, found)]
    return tuple(sorted(dead, key=lambda d: (-d.lines, d.symbol.key)))


def _used(view: View, *, sources_only: bool = False) -> set[str]:
    """Return the keys of symbols used by anything outside of themselves, and their enclosing symbols. Code used only by
    unused code counts as used: it is reported when its user is gone. With `sources_only`, uses in tests do not count."""
    used: set[str] = set()
    for target, edges in view.incoming.items():
        for edge in edges:
            if sources_only and (edge.source in view.tests or edge.strategy == FROM_TESTS):
                continue
            if edge.type in _USED and edge.source != target and _is_use(view, edge):
                used.update(view.within(target))
                break
    for symbol in view.graph.symbols:  # what the language or a test framework calls by name keeps its class alive
        language = languages.all_languages().get(symbol.language)
        if symbol.key in view.tests or (language is not None and symbol.name in language.entry_points):
            used.update(list(view.within(symbol.key))[1:])
    # overloads and build-tag variants share a name: a call of one may mean another
    names = {view.symbols[k].qualified_name for k in used if k in view.symbols}
    return used | {s.key for s in view.graph.symbols if s.qualified_name in names}


def _is_use(view: View, edge: CodeEdge) -> bool:
    """Return whether a relation is a use from elsewhere. Who meets a protocol without naming it does not use it."""
    return (edge.type, edge.strategy) != ("IMPLEMENTS", STRUCTURAL) and edge.target not in view.within(edge.source)


def _named_elsewhere(
    view: View, found: Mapping[str, Symbol], tested: Mapping[str, Symbol], texts: Iterable[tuple[str, str]]
) -> set[str]:
    """Return the keys of symbols whose name, or a prefix from which a name is computed (`get_` in `"get_%s"`), occurs in
    a line that is not their own; for `tested` symbols, in a line of a source."""
    both = {**found, **tested}
    tables = [(_by_name(some.values()), _families(some.values())) for some in (both, found)]
    named: set[str] = set()
    pasted = PastedNames()
    for path, text in texts:
        symbols = view.by_file.get(path)
        if symbols and symbols[0].language in PASTING:
            pasted.read(text, _words(text))
        by_name, families = tables[symbols is not None and symbols[0].key in view.tests]
        for stem, members in families.get(path, {}).items():
            if f'"{stem}"' in text or f"'{stem}'" in text:
                named |= members
        beginnings = tuple({match[1] for match in _BEGINNING.finditer(text)})
        named |= {s.key for name in by_name if beginnings and name.startswith(beginnings) for s in by_name[name]}
        if by_name.keys().isdisjoint(_words(text)):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for name in by_name.keys() & _words(line):
                named |= {s.key for s in by_name[name] if s.file != path or not s.line <= number <= s.end_line}
    return named | {key for key, s in both.items() if s.language in PASTING and pasted.may_make(s.name)}


def _by_name(found: Iterable[Symbol]) -> dict[str, list[Symbol]]:
    by_name: dict[str, list[Symbol]] = {}
    for symbol in found:
        by_name.setdefault(symbol.name, []).append(symbol)
    return by_name


def _words(text: str) -> set[str]:
    """Return the names in a text. A dollar may belong to one (`$reset`) or precede it (`"$name"` in Kotlin): both count."""
    words = set(_WORD.findall(text))
    return words.union(_DOLLAR_WORD.findall(text)) if "$" in text else words


def _families(found: Iterable[Symbol]) -> dict[str, dict[str, set[str]]]:
    """Return by file and prefix the keys of methods of a class with a common prefix, such as `_lost_IDLE` and
    `_lost_BUSY`: if the prefix occurs in quotes, their names are probably computed."""
    families: dict[str, dict[str, set[str]]] = {}
    for symbol in found:
        stem = symbol.name.lstrip("_").partition("_")[0]
        if symbol.kind == "method" and len(stem) > _SHORT_STEM and stem != symbol.name.lstrip("_"):
            families.setdefault(symbol.file, {}).setdefault(stem, set()).add(symbol.key)
    return families


def _modules_read_by_name(view: View) -> set[str]:
    """Return files of modules that look up their own functions by name, as in `globals()[f"_{kind}"]`."""
    return {
        view.symbols[edge.source].file
        for symbol in view.graph.symbols
        if symbol.external and symbol.qualified_name in _BY_NAME
        for edge in view.incoming.get(symbol.key, ())
    }


def _spare(view: View, symbol: Symbol, exported: bool) -> str:
    """Return why a symbol without a visible use is not reported, or ""."""
    language = languages.all_languages().get(symbol.language)
    parent = view.symbols.get(view.parent.get(symbol.key, ""))
    reasons = (
        ("declaration", symbol.file.endswith(languages.DECLARING)),
        ("vendored or generated", is_foreign(symbol.file)),
        ("test", symbol.key in view.tests),
        ("entry point", language is not None and symbol.name in language.entry_points),
        ("special name", bool(_MAGIC.match(symbol.name))),
        ("constructor", _is_constructor(symbol, parent)),
        ("decorated", any(not _HARMLESS.match(d) for d in (*symbol.decorators, *_registered(symbol, parent)))),
        ("called by convention", symbol.kind == "method" and symbol.name in _BY_CONVENTION),
        ("overrides", _overrides(view, symbol, parent)),
        ("test helper", symbol.visibility == "public" and bool(_FOR_TESTS.search(symbol.file))),
        ("exported", not exported and _visible(view, symbol, parent)),
        ("unresolved calls of that name", symbol.name in view.open_sites),
        ("looked up by name", _is_answered(view, symbol, parent)),
        ("callback of an object", _of_an_object(view, symbol, parent)),
        ("declared in code that is generated or conditional", parent is None and symbol.kind == "method"),
    )
    return next((name for name, holds in reasons if holds), "")


def _is_answered(view: View, symbol: Symbol, parent: Symbol | None) -> bool:
    """Return whether it is declared for its class's `__getattr__`, which answers every name."""
    if symbol.kind != "method" or parent is None or symbol.visibility != "public":
        return False
    return f"{parent.key}.__getattr__" in view.symbols or f"{parent.key}.__getattribute__" in view.symbols


def _of_an_object(view: View, symbol: Symbol, parent: Symbol | None) -> bool:
    """Return whether it is assigned to a variable, or to an external object (`window.onload = ...`), for others to call."""
    if parent is None or parent.kind in ("variable", "constant", "field"):
        return parent is not None
    return symbol.kind == "method" and parent.kind == "module" and symbol.key.rpartition(".")[0] not in view.symbols


def _registered(symbol: Symbol, parent: Symbol | None) -> tuple[str, ...]:
    """Return the decorators of a method's class: `@implementer(Protocol)` declares its methods to others."""
    if symbol.kind != "method" or parent is None:
        return ()
    return tuple(d for d in parent.decorators if not _MAKES_METHODS.match(d))


def _is_constructor(symbol: Symbol, parent: Symbol | None) -> bool:
    language = languages.all_languages().get(symbol.language)
    if symbol.kind != "method" or language is None:
        return False
    own = parent is not None and "=" in language.constructors and symbol.name.lstrip("~") == parent.name
    return own or symbol.name in language.constructors or symbol.name.startswith("~")


def _overrides(view: View, symbol: Symbol, parent: Symbol | None) -> bool:
    """Return whether a base may call it: it overrides something known, or its class has an external base."""
    if any(e.type == "OVERRIDES" for e in (*view.outgoing.get(symbol.key, ()), *view.incoming.get(symbol.key, ()))):
        return True
    if symbol.kind not in ("method", "type") or parent is None or _private_for_sure(symbol):
        return False
    seen, queue = {parent.key}, [parent.key]
    while queue:
        for edge in view.outgoing.get(queue.pop(), ()):
            if edge.type in ("EXTENDS", "IMPLEMENTS") and edge.target not in seen:
                if view.symbols[edge.target].external:
                    return True
                seen.add(edge.target)
                queue.append(edge.target)
    return False


def _private_for_sure(symbol: Symbol) -> bool:
    """Return whether the language itself, not just a naming convention, prevents bases from calling it."""
    language = languages.all_languages().get(symbol.language)
    by_word = language is not None and language.visibility in ("package", "private", "public", "internal")
    return by_word and symbol.visibility == "private" and symbol.language not in ("python", "c", "cpp", "ruby")


def _visible(view: View, symbol: Symbol, parent: Symbol | None) -> bool:
    """Return whether external code could use it: exported itself, or a public member of something exported."""
    language = languages.all_languages().get(symbol.language)
    if language is not None and language.visibility == "capital":
        return symbol.exported
    if symbol.kind in ("method", *CLASSES) and parent is not None and parent.kind not in ("module", "namespace"):
        if symbol.visibility == "protected":
            return parent.exported
        offered = parent.exported or (parent.language == "python" and parent.visibility == "public")
        return symbol.visibility == "public" and (offered or parent.kind in ("function", "method", "variable"))
    top = parent is None or parent.kind == "module"
    return symbol.exported or (top and symbol.file.endswith("/__init__.py") and not symbol.name.startswith("_"))


def _inside(view: View, key: str, found: dict[str, Symbol]) -> bool:
    return any(k in found for k in list(view.within(key))[1:])
