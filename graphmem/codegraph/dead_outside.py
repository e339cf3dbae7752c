"""What only code from outside of the tree could use: methods of classes with a base from outside that nothing names, filters and
tags of Django's templates that no template uses; and members that templates name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from graphmem.codegraph import languages
from graphmem.codegraph.mentions import find_mentions
from graphmem.codegraph.view import View, of_type
from graphmem.model.code import Symbol
from graphmem.patterns import compile_later

TEMPLATE = compile_later(
    r"\.(?:html?|xhtml|jinja2?|j2|djhtml|ejs|hbs|handlebars|erb|haml|slim|twig|liquid|tmpl|gohtml|tpl|mustache|vue|svelte|blade\.php)$"
)
INSIDE = compile_later(r"\{\{|\{%|<%|\{!!|#\{")  # a line with this has an expression
_MEMBER = compile_later(r"\.([A-Za-z_]\w{2,})")
_DOCUMENTS = (".md", ".rst", ".txt", ".adoc", ".html-fragment")
_TAG = compile_later(r"(?:\w+\.)*register\.(?:filter|simple_tag|inclusion_tag|simple_block_tag|tag)\b")
_GIVEN = compile_later(r"\bregister\.\w+\(\s*(?:name\s*=\s*)?[\"'](\w+)[\"']")
_ABOVE = 6  # lines above a function in which its decorators stand
_USED = compile_later(r"\|\s{0,4}([A-Za-z_]\w*)|\{%-?\s{0,4}([A-Za-z_]\w*)")
# Methods that frameworks look for by name, of which a tree of a program hardly names any.
_HOOK = compile_later(
    r"(?:visit|leave|depart|on|do|handle|pre|post|before|after|get|set|clean|validate|has|test|setup|teardown|render|format|process"
    r"|perform|save|delete|create|update|list|retrieve|destroy|dispatch|init|to|from)_|__\w+__$"
    r"|(?:run|handle|clean|save|delete|ready|dispatch|emit|close|start|stop|main|forward|build|render|setup|teardown|setUp|tearDown|call"
    r"|compose|execute|invoke|accept|apply|onCreate\w*|on[A-Z]\w*|component\w+|shouldComponent\w+|get[A-Z]\w*|set[A-Z]\w*)$"
)


def base_from_outside(view: View, symbol: Symbol) -> str:
    """Return the name of a base from outside that may call a method, "" if its class has none or it looks like a hook."""
    if symbol.kind != "method" or _HOOK.match(symbol.name):
        return ""
    seen, queue = set[str](), [view.parent.get(symbol.key, "")]
    while queue:
        for edge in view.outgoing.get(queue.pop(), ()):
            if edge.type in ("EXTENDS", "IMPLEMENTS") and edge.target not in seen:
                if view.symbols[edge.target].external:
                    return view.symbols[edge.target].qualified_name
                seen.add(edge.target)
                queue.append(edge.target)
    return ""


def named_nowhere(
    view: View, found: Mapping[str, Symbol], files: list[tuple[str, str]], others: list[tuple[str, str]]
) -> list[Symbol]:
    """Return the symbols that no source, template or configuration names; documents do not count."""
    texts = [*files, *(one for one in others if not one[0].endswith(_DOCUMENTS))]
    named = find_mentions(view, found.values(), texts) if found else {}
    return [
        symbol
        for key, symbol in found.items()
        if named[key].source is None and named[key].test is None and named[key].offer is None
    ]


def members_in_templates(found: Mapping[str, Symbol], others: Iterable[tuple[str, str]]) -> dict[str, tuple[str, int]]:
    """Return, by key, where a template first names a method or field of these symbols: file and line."""
    wanted: dict[str, list[str]] = {}
    for key, symbol in found.items():
        if symbol.kind in ("method", "field", "property"):
            wanted.setdefault(symbol.name, []).append(key)
    places: dict[str, tuple[str, int]] = {}
    for path, text in others if wanted else ():
        for number, line in enumerate(text.split("\n"), 1) if TEMPLATE.search(path) else ():
            for name in _MEMBER.findall(line) if INSIDE.search(line) else ():
                for key in wanted.pop(name, ()):
                    places[key] = path, number
    return places


def given_to_calls(found: Mapping[str, Symbol], files: Iterable[tuple[str, str]]) -> list[str]:
    """JavaScript: return the keys of methods of object literals that a call is given (`new ReadableStream({ cancel() {} })`): what
    takes the object calls them by their names."""
    methods: dict[str, list[tuple[str, Symbol]]] = {}
    for key, symbol in found.items():
        if symbol.kind == "method" and languages.get_language(symbol.language).family == "javascript":
            methods.setdefault(symbol.file, []).append((key, symbol))
    given = list[str]()
    for path, text in files if methods else ():
        own = methods.get(path, ())
        root = languages.make_parser(own[0][1].language).parse(text.encode()).root_node if own else None
        lines = text.encode().split(b"\n")
        for key, symbol in own if root is not None else ():
            column = lines[symbol.line - 1].find(symbol.name.encode()) if symbol.line <= len(lines) else -1
            place = (symbol.line - 1, max(column, 0))
            node = root.named_descendant_for_point_range(place, place) if root is not None else None
            literal = node.parent.parent if node is not None and node.parent is not None else None
            if literal is not None and literal.type == "object" and literal.parent is not None:
                given += [key] if literal.parent.type == "arguments" else []
    return given


def is_template_tag(symbol: Symbol) -> bool:
    """Return whether a function is registered as a filter or tag of Django's templates."""
    return symbol.language == "python" and symbol.kind == "function" and any(map(_TAG.match, symbol.decorators))


def unused_template_tags(
    view: View, found: Mapping[str, Symbol], files: Sequence[tuple[str, str]], others: Iterable[tuple[str, str]]
) -> dict[str, Symbol]:
    """Return the filters and tags that no template uses and no code calls."""
    used = (
        {name for _, text in others for each in _USED.finditer(text) for name in each.groups() if name}
        if found
        else set()
    )
    called = {key for key in found if any(of_type(view.incoming.get(key, []), kind) for kind in ("CALLS", "REFERS_TO"))}
    texts = dict(files)
    return {
        key: symbol
        for key, symbol in found.items()
        if key not in called and used.isdisjoint(_names_of(symbol, texts.get(symbol.file, "")))
    }


def _names_of(symbol: Symbol, text: str) -> set[str]:
    """Return the name of a function, and the names that its decorators give to it."""
    above = text.split("\n")[max(0, symbol.line - 1 - _ABOVE) : symbol.line]
    return {symbol.name, *_GIVEN.findall("\n".join(above))}
