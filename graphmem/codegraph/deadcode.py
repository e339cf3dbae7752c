"""Finds unused code. Avoids false alarms: whatever could be used in a way the graph cannot see (exports, decorators,
entry points, overrides, unresolved calls of the same name) is excluded, and counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable
from typing import NamedTuple

from graphmem.codegraph import languages
from graphmem.codegraph.dead_followers import find_followers
from graphmem.codegraph.dead_outside import (
    base_from_outside,
    given_to_calls,
    is_template_tag,
    members_in_templates,
    named_nowhere,
    unused_template_tags,
)
from graphmem.codegraph.mentions import find_mentions, is_offering
from graphmem.codegraph.protocols import STRUCTURAL
from graphmem.codegraph.scan import is_foreign
from graphmem.codegraph.tests_of import FROM_TESTS, is_outside_sources
from graphmem.codegraph.view import CLASSES, FUNCTIONS, View, of_type
from graphmem.model.code import CallSite, CodeEdge, Symbol
from graphmem.patterns import compile_later

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
_MAGIC = re.compile(
    r"^__\w+__$|^[<\[]|^_[a-z]\w*_$"
)  # `_repr_html_`, `[Symbol.iterator]`: frameworks and the language look for such names
_BY_CONVENTION = frozenset(  # methods that libraries call on any object: files, locks, mappings, handlers
    "acquire release locked read readline readlines readinto write writelines flush close seek tell truncate fileno isatty "
    "readable writable seekable send throw keys items values get pop update append emit filter format "
    "Error Unwrap String GoString Format Read Write Close Len Less Swap Scan ServeHTTP MarshalJSON UnmarshalJSON MarshalYAML "
    "UnmarshalYAML MarshalText UnmarshalText toJSON toString".split()
)
_KEPT = re.compile(r"(?:allow|expect)\((?:[\w:, ]*\b)?(?:dead_code|unused\w*)")  # Rust
_OF_RUBY = frozenset(  # methods that the language calls
    "inherited included extended prepended method_added method_removed singleton_method_added method_missing respond_to_missing?"
    " const_missing initialize_copy initialize_dup initialize_clone marshal_dump marshal_load coerce to_s to_str inspect to_proc"
    " to_ary to_a to_h hash eql? each call".split()
)
_OF_GO = frozenset(  # methods of interfaces of Go's library, which it looks for at run time (`w.(http.Pusher)`)
    "Push Flush FlushError Hijack CloseNotify SetReadDeadline SetWriteDeadline ReadFrom WriteTo ReadAt WriteAt WriteString ReadByte"
    " WriteByte UnreadByte ReadRune UnreadRune RoundTrip GobEncode GobDecode MarshalBinary UnmarshalBinary Is As Timeout Temporary"
    " Scan Value LogValue ModTime IsDir Sys".split()
)
_OF_JAVA = frozenset(  # methods, private ones too, that the serialization of Java looks for
    "writeObject readObject readObjectNoData writeReplace readResolve writeExternal readExternal".split()
)
_ON_JVM = frozenset({"java", "kotlin", "scala"})
_IMPLICIT = compile_later(r"(?:\w+ )*(?:implicit|given)\b")  # Scala: the compiler puts it in where a type asks for it
_OPEN = "unresolved calls of that name"
_LOOKED_UP = "looked up by name"
_CALLBACK = "callback of an object"
_GENERATED = "declared in code that is generated or conditional"
_CALLS_NOTHING = re.compile(  # bases whose own code calls no method of a class below them, but those with special names
    r"ext:(?:(?:<builtin>|builtins)\.(?:[oO]bject|\w*(?:Error|Exception|Warning))|typing(?:_extensions)?\.(?:Generic|NamedTuple)|abc\.ABC"
    r"|java\.lang\.(?:Object|Record|\w*(?:Error|Exception)))(?:\[.*\])?"
)
_RARE = 2  # lines that have the name of a public symbol that nothing is known to use
_LATE = frozenset(
    {_OPEN, _LOOKED_UP, _CALLBACK, _GENERATED}
)  # reasons that do not count for what others may use anyway
_OF_OBJECTS = frozenset({"javascript", "typescript", "tsx"})  # their objects have methods without a class
_VALUES = frozenset({"field", "constant", "variable"})
_FOR_TESTS = re.compile(r"(^|/)testing(/|\.\w+$)")  # test support that a package offers to others


class Dead(NamedTuple):
    """An unused symbol, and its size in lines."""

    symbol: Symbol
    lines: int


class Doubt(NamedTuple):
    """A symbol that nothing in the tree is known to use, where its name occurs first, and in how many lines; of one that nothing
    names, the base from outside that may call it, and line 0."""

    symbol: Symbol
    file: str
    line: int
    lines: int = 1


class DeadCode(NamedTuple):
    """The report. `spared` counts by reason symbols without a visible use that are not reported; `only_tests` are those
    that only tests use; `values` are fields, constants and variables that nothing names; `doubts` are the spared ones whose
    name occurs elsewhere; `offered` are those that only a package's own file for this names, to pass them on; `followers` are
    used only by the dead ones and those of tests; `public` are functions and classes that nothing in the tree uses, but other
    programs may, where those were not asked for."""

    dead: tuple[Dead, ...]
    spared: dict[str, int]
    only_tests: tuple[Dead, ...] = ()
    values: tuple[Dead, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    offered: tuple[Dead, ...] = ()
    followers: tuple[Dead, ...] = ()
    public: tuple[Dead, ...] = ()


class _Candidates:
    """Symbols without a visible use, by key: `found` nothing uses, `tested` only tests, `offered` is only passed on to other
    programs, `values` are no functions or classes, and `doubted` is where an unresolved call has the name."""

    def __init__(self) -> None:
        self.found: dict[str, Symbol] = {}
        self.tested: dict[str, Symbol] = {}
        self.offered: dict[str, Symbol] = {}
        self.values: dict[str, Symbol] = {}
        self.doubted: dict[str, Doubt] = {}
        self.outside: dict[str, Symbol] = {}  # only a base from outside may call them
        self.tags: dict[str, Symbol] = {}  # of templates
        self.spared: Counter[str] = Counter()
        self.public: set[str] = set()  # those that other programs may use


def dead_code(
    view: View, *, exported: bool = False, texts: Iterable[tuple[str, str]] = (), entry_points: Container[str] = (),
    wanted: Callable[[Symbol], bool] = lambda symbol: True, others: Iterable[tuple[str, str]] = (),
) -> DeadCode:  # fmt: skip
    """Return functions, methods and classes that nothing in the tree uses, largest first. With `exported` also those that
    only external code could use, and values. `texts` are files of the tree with contents: symbols named in them outside
    of their own lines are excluded, because an attribute of an unknown object, a template or a string may refer to them.
    `others` are the texts that are no sources: a method of a class with a base from outside is doubtful if they do not name it,
    either. `entry_points` are keys of symbols that other programs call. Only `wanted` symbols are listed and counted."""
    some = _candidates(view, entry_points, exported, wanted)
    files = list(texts)
    asked = {**some.found, **some.tested, **some.offered, **(some.values if files else {})}
    named = find_mentions(view, asked.values(), files)
    dead: dict[str, Symbol] = {}
    tested: dict[str, Symbol] = {}
    for key, symbol in (*some.found.items(), *some.offered.items()):
        place = named[key].source or named[key].test or (None if key in some.offered else named[key].offer)
        if place is None:
            dead[key] = symbol
        elif key not in some.offered:
            some.spared["name occurs elsewhere"] += 1
            some.doubted[key] = Doubt(symbol, *place, named[key].lines)
    _add_outside(view, some, dead, files, rest := list(others))
    for key, symbol in some.tested.items():
        if named[key].source is None and named[key].offer is None:
            tested[key] = symbol
    values = {k: s for k, s in some.values.items() if files and named[k].source is None and named[k].offer is None}
    tested |= {key: symbol for key, symbol in values.items() if named[key].test is not None}
    values = {key: symbol for key, symbol in values.items() if key not in tested}
    _spare_for_templates(some, dead, values, rest)
    for key in given_to_calls(dead, files):
        some.spared["given to a call"] += 1
        del dead[key]
    doubted, public = some.doubted, dict[str, Symbol]()
    if not exported:
        public = {key: symbol for key, symbol in dead.items() if key in some.public and key not in some.offered}
        some.spared["exported"] += len(some.public & (dead.keys() | values.keys()))
        some.spared["exported, used by tests alone"] += len(some.public & tested.keys())
        dead, tested, values = (
            {key: symbol for key, symbol in rows.items() if key not in some.public} for rows in (dead, tested, values)
        )
        doubted = {key: doubt for key, doubt in doubted.items() if key not in some.public or _is_doubtful(view, doubt)}
    offered = {key: symbol for key, symbol in dead.items() if key in some.offered}
    dead = {key: symbol for key, symbol in dead.items() if key not in offered}
    followers = find_followers(view, {**dead, **offered, **tested}, files)
    followers = {
        key: symbol
        for key, symbol in followers.items()
        if key not in entry_points and (exported or key not in some.public) and wanted(symbol)
        if not _spare(view, symbol, view.symbols.get(view.parent.get(key, "")))
    }
    doubts = tuple(sorted(doubted.values(), key=lambda doubt: (doubt.lines, doubt.symbol.key)))
    spared = {reason: count for reason, count in sorted(some.spared.items()) if count}
    lists = (_largest_first(view, rows) for rows in (dead, tested, values, offered, followers, public))
    unused, only_tests, unread, passed_on, following, open_to_others = lists
    return DeadCode(unused, spared, only_tests, unread, doubts, passed_on, following, open_to_others)


def _add_outside(
    view: View,
    some: _Candidates,
    dead: dict[str, Symbol],
    files: list[tuple[str, str]],
    others: list[tuple[str, str]],
) -> None:
    """Add what only code from outside could use and no text names: unused tags of templates, and doubtful methods."""
    rest = others if some.outside or some.tags else []
    tags = unused_template_tags(view, some.tags, files, rest) if rest else {}
    dead.update(tags)
    some.spared["decorated"] -= len(tags)
    for symbol in named_nowhere(view, some.outside, files, rest) if files and rest else ():
        some.doubted[symbol.key] = Doubt(symbol, base_from_outside(view, symbol), 0)
        some.spared["overrides"] -= 1


def _spare_for_templates(
    some: _Candidates, dead: dict[str, Symbol], values: dict[str, Symbol], others: list[tuple[str, str]]
) -> None:
    """Make members that a template names doubtful."""
    for key, (file, line) in members_in_templates({**dead, **values}, others).items():
        symbol = dead.pop(key) if key in dead else values.pop(key)
        some.doubted[key] = Doubt(symbol, file, line)
        some.spared["name occurs elsewhere"] += 1


def _is_overriding(view: View, symbol: Symbol) -> bool:
    edges = (*view.outgoing.get(symbol.key, ()), *view.incoming.get(symbol.key, ()))
    return any(edge.type == "OVERRIDES" for edge in edges)


def _is_doubtful(view: View, doubt: Doubt) -> bool:
    """Return whether a public symbol with a name that occurs elsewhere may be unused all the same: in few lines, and not as what an
    interface asks for."""
    parent = view.symbols.get(view.parent.get(doubt.symbol.key, ""))
    return doubt.lines <= _RARE and (parent is None or parent.kind != "interface")


def _candidates(
    view: View, entry_points: Container[str], exported: bool, wanted: Callable[[Symbol], bool]
) -> _Candidates:
    used, by_sources, by_name = _used(view), _used(view, sources_only=True), _modules_read_by_name(view)
    wanting = _used(view, offers=False)
    closed = _closed_folders(view)

    def visible(symbol: Symbol, parent: Symbol | None) -> bool:
        is_closed = symbol.kind != "method" and symbol.file.rpartition("/")[0] in closed  # libraries may call methods
        return not is_closed and _visible(symbol, parent)

    some = _Candidates()
    for symbol in view.graph.symbols:
        key = symbol.key
        is_needed = key in by_sources and key in wanting
        if symbol.external or not wanted(symbol):
            continue
        if is_needed and symbol.kind in CLASSES | FUNCTIONS:
            if visible(symbol, view.symbols.get(view.parent.get(key, ""))):
                some.public.add(key)
            continue
        parent = view.symbols.get(view.parent.get(key, ""))
        if symbol.kind in _VALUES:
            if _is_value(view, symbol, parent) and (key not in used or symbol.kind == "field"):
                some.values[key] = symbol  # the text decides whether a field is read: who writes it uses it as well
        elif symbol.kind in FUNCTIONS | CLASSES:
            reason = "entry point" if key in entry_points else _spare(view, symbol, parent)
            reason = reason or (_LOOKED_UP if symbol.file in by_name else "")
            if key in by_sources:  # by nothing but imports that pass it on
                some.offered |= {} if reason or not visible(symbol, parent) else {key: symbol}
            elif key in used:
                some.tested |= {} if reason else {key: symbol}
            elif reason:
                some.spared[reason] += exported or reason not in _LATE or not visible(symbol, parent)
                if reason == "decorated" and is_template_tag(symbol):
                    some.tags[key] = symbol
                elif reason == "overrides" and not _is_overriding(view, symbol) and base_from_outside(view, symbol):
                    some.outside[key] = symbol
                if sites := view.open_sites.get(symbol.name) if reason == _OPEN else None:
                    some.doubted[key] = Doubt(symbol, sites[0].file, sites[0].line, len(sites))
            else:
                some.found[key] = symbol
        if visible(symbol, parent):
            some.public.add(key)
    return some


def _largest_first(view: View, found: dict[str, Symbol]) -> tuple[Dead, ...]:
    """Return the outermost of these symbols."""
    dead = [Dead(s, s.end_line - s.line + 1) for k, s in found.items() if not _inside(view, k, found)]
    return tuple(sorted(dead, key=lambda d: (-d.lines, d.symbol.key)))


def _used(view: View, *, sources_only: bool = False, offers: bool = True) -> set[str]:
    """Return the keys of symbols used by anything outside of themselves, and their enclosing symbols. Code used only by
    unused code counts as used: it is reported when its user is gone. With `sources_only`, uses in tests do not count; without
    `offers`, imports do not by which a package passes a symbol on."""
    used: set[str] = set()
    for target, edges in view.incoming.items():
        unused = [key for key in view.within(target) if key not in used]
        for edge in edges if unused else ():
            if sources_only and (edge.source in view.tests or edge.strategy == FROM_TESTS):
                continue
            if not offers and edge.strategy == "import" and _is_offer(view.symbols[edge.source]):
                continue
            if edge.type in _USED and _is_use(edge):
                around = set(view.within(edge.source))  # what only its own parts use is unused
                used.update(key for key in unused if key not in around)
                unused = [key for key in unused if key in around]
                if not unused:
                    break
    for symbol in view.graph.symbols:  # what the language or a test framework calls by name keeps its class alive
        language = languages.all_languages().get(symbol.language)
        if symbol.key in view.tests or (language is not None and symbol.name in language.entry_points):
            used.update(list(view.within(symbol.key))[1:])
    # overloads and build-tag variants share a name: a call of one may mean another
    names = {view.symbols[k].qualified_name for k in used if k in view.symbols and not view.symbols[k].external}
    return used | {s.key for s in view.graph.symbols if s.qualified_name in names}


def _is_offer(source: Symbol) -> bool:
    """Return whether an import by this symbol may only pass the imported one on."""
    return source.kind == "module" and is_offering(source.file)


def _is_use(edge: CodeEdge) -> bool:
    """Return whether a relation is a use. Who meets a protocol without naming it does not use it."""
    return (edge.type, edge.strategy) != ("IMPLEMENTS", STRUCTURAL)


def _modules_read_by_name(view: View) -> set[str]:
    """Return files of modules that look up their own functions by name, as in `globals()[f"_{kind}"]`."""
    return {
        view.symbols[edge.source].file
        for symbol in view.graph.symbols
        if symbol.external and symbol.qualified_name in _BY_NAME
        for edge in view.incoming.get(symbol.key, ())
    }


def _spare(view: View, symbol: Symbol, parent: Symbol | None) -> str:
    """Return why a symbol without a visible use is not reported, or ""."""
    language = languages.all_languages().get(symbol.language)
    reasons = (
        ("declaration", symbol.file.endswith(languages.DECLARING)),
        ("vendored or generated", is_foreign(symbol.file)),
        ("kept on purpose", any(map(_KEPT.match, symbol.decorators))),
        ("has extension methods", _extends_others(view, symbol)),
        ("named by a typedef", _has_typedef(view, symbol)),
        ("special name", symbol.language == "ruby" and (symbol.name in _OF_RUBY or symbol.name.endswith("="))),
        ("special name", symbol.language in _ON_JVM and symbol.name in _OF_JAVA),
        ("used implicitly", _is_implicit(symbol)),
        ("test", symbol.key in view.tests or _is_suite(view, symbol)),
        ("entry point", language is not None and symbol.name in language.entry_points),
        ("special name", bool(_MAGIC.match(symbol.name))),
        ("constructor", _is_constructor(symbol, parent)),
        ("decorated", _is_decorated(symbol, parent)),
        ("called by convention", symbol.kind == "method" and symbol.name in _BY_CONVENTION),
        ("called by convention", symbol.kind == "method" and symbol.language == "go" and symbol.name in _OF_GO),
        ("overrides", _overrides(view, symbol, parent)),
        ("test helper", symbol.visibility == "public" and bool(_FOR_TESTS.search(symbol.file))),
        (_OPEN, any(_may_mean(site, symbol, parent) for site in view.open_sites.get(symbol.name, ()))),
        (_LOOKED_UP, _is_answered(view, symbol, parent)),
        (_CALLBACK, _of_an_object(view, symbol, parent)),
        (_GENERATED, parent is None and symbol.kind == "method"),
    )
    return next((name for name, holds in reasons if holds), "")


def _is_implicit(symbol: Symbol) -> bool:
    return symbol.language == "scala" and _IMPLICIT.match(symbol.signature) is not None


def _is_suite(view: View, symbol: Symbol) -> bool:
    """Return whether it is a class of tests with a base from outside, which a test framework finds by that."""
    if symbol.kind not in CLASSES or not is_outside_sources(symbol.file, symbol.language):
        return False
    return any(view.symbols[edge.target].external for edge in of_type(view.outgoing.get(symbol.key, []), "EXTENDS"))


def _may_mean(site: CallSite, symbol: Symbol, parent: Symbol | None) -> bool:
    """Return whether an unresolved call may be one of a symbol. A function of a Go package is called by its name alone, or with
    that of the package in front."""
    if symbol.language != "go" or (parent is not None and parent.kind in CLASSES):
        return True
    receiver = site.text.rpartition(".")[0]
    return receiver in ("", symbol.qualified_name.split(".")[-2:][0])


def _is_value(view: View, symbol: Symbol, parent: Symbol | None) -> bool:
    """Return whether a field, constant or variable without a use is worth a report: one of a class or type, or of a module that
    others import. What is written to files or read from them by its name has a tag or a decorated class."""
    if parent is None or symbol.key in view.tests or symbol.decorators or _is_implicit(symbol):
        return False
    if _MAGIC.match(symbol.name) or not symbol.name.isidentifier():  # `#private`, `[computed]`
        return False
    if is_outside_sources(symbol.file, symbol.language) or is_foreign(symbol.file) or "`" in symbol.signature:
        return False
    if parent.kind in CLASSES:
        return not any(not _HARMLESS.match(d) and not _MAKES_METHODS.match(d) for d in parent.decorators)
    return parent.kind == "module" and any(e.type == "IMPORTS" for e in view.incoming.get(parent.key, ()))


def _extends_others(view: View, symbol: Symbol) -> bool:
    """C#: return whether a class has extension methods, which are called without its name."""
    if symbol.kind != "class" or symbol.language != "csharp":
        return False
    members = (view.symbols[edge.target] for edge in of_type(view.outgoing.get(symbol.key, []), "DEFINES"))
    return any(each.name == "extension" or "(this " in each.signature for each in members if each.kind in FUNCTIONS)


def _has_typedef(view: View, symbol: Symbol) -> bool:
    """C: return whether it is a tag (`typedef struct tag { … } name;`), which nothing needs to name."""
    if symbol.language not in ("c", "cpp") or symbol.kind not in CLASSES:
        return False
    last = symbol.end_line
    return any(
        s.kind == "type" and s.line <= last <= s.end_line and s.key != symbol.key
        for s in view.by_file.get(symbol.file, ())
    )


def _is_answered(view: View, symbol: Symbol, parent: Symbol | None) -> bool:
    """Return whether it is declared for its class's `__getattr__`, which answers every name."""
    if symbol.kind != "method" or parent is None or symbol.visibility != "public":
        return False
    return f"{parent.key}.__getattr__" in view.symbols or f"{parent.key}.__getattribute__" in view.symbols


def _of_an_object(view: View, symbol: Symbol, parent: Symbol | None) -> bool:
    """Return whether it is assigned to a variable, to an external object (`window.onload = ...`), or part of an object without a
    name, for others to call."""
    if parent is None or parent.kind in ("variable", "constant", "field"):
        return parent is not None
    is_loose = symbol.language in _OF_OBJECTS or symbol.key.rpartition(".")[0] not in view.symbols
    return symbol.kind == "method" and parent.kind == "module" and is_loose


def _is_decorated(symbol: Symbol, parent: Symbol | None) -> bool:
    """Return whether a decorator, which may register it, was applied to a symbol or to the class of a method."""
    own = [d for d in symbol.decorators if symbol.kind not in CLASSES or not _MAKES_METHODS.match(d)]
    return any(not _HARMLESS.match(d) for d in (*own, *_registered(symbol, parent)))


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
    if _is_overriding(view, symbol):
        return True
    if symbol.kind not in ("method", "type") or parent is None or _private_for_sure(symbol) or symbol.language == "go":
        return False  # in Go, what a struct embeds does not call the methods of the struct
    seen, queue = {parent.key}, [parent.key]
    while queue:
        for edge in view.outgoing.get(queue.pop(), ()):
            if edge.type in ("EXTENDS", "IMPLEMENTS") and edge.target not in seen:
                if view.symbols[edge.target].external and not _CALLS_NOTHING.fullmatch(edge.target):
                    return True
                seen.add(edge.target)
                queue.append(edge.target)
    return False


def _private_for_sure(symbol: Symbol) -> bool:
    """Return whether the language itself, not just a naming convention, prevents bases from calling it."""
    language = languages.all_languages().get(symbol.language)
    by_word = language is not None and language.visibility in ("package", "private", "public", "internal")
    return by_word and symbol.visibility == "private" and symbol.language not in ("python", "c", "cpp", "ruby")


def _closed_folders(view: View) -> frozenset[str]:
    """Return the folders of Go whose exported names no other module can import: programs, and what lies below `internal`."""
    files = [path for path, record in view.index.records.items() if record.language == "go"]
    inner = {path.rpartition("/")[0] for path in files if "internal" in path.split("/")[:-1]}
    mains = (symbol for symbol in view.named.get("main", ()) if symbol.kind == "function" and symbol.language == "go")
    return frozenset(inner.union(symbol.file.rpartition("/")[0] for symbol in mains))


def _visible(symbol: Symbol, parent: Symbol | None) -> bool:
    """Return whether external code could use it: exported itself, or a public member of something exported."""
    language = languages.all_languages().get(symbol.language)
    if language is not None and language.visibility == "capital":
        return symbol.exported
    if (
        symbol.kind in ("method", "field", *CLASSES)
        and parent is not None
        and parent.kind not in ("module", "namespace")
    ):
        if symbol.visibility == "protected":
            return parent.exported
        offered = parent.exported or (parent.language == "python" and parent.visibility == "public")
        return symbol.visibility == "public" and (offered or parent.kind in ("function", "method", "variable"))
    top = parent is None or parent.kind == "module"
    return symbol.exported or (top and symbol.file.endswith("/__init__.py") and not symbol.name.startswith("_"))


def _inside(view: View, key: str, found: dict[str, Symbol]) -> bool:
    return any(k in found for k in list(view.within(key))[1:])
