"""Java, Kotlin, Scala, C#, PHP: an import names a class by its package, a member by its class, or a whole package."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphmem.codegraph.generic import names, visible
from graphmem.codegraph.generic.entities import External, Found, Namespace
from graphmem.codegraph.generic.lower import text_of
from graphmem.codegraph.generic.summary import Import

if TYPE_CHECKING:
    from tree_sitter import Node

    from graphmem.codegraph.generic.resolver import Resolver


def clause(node: Node, line: int) -> Iterator[Import]:
    """Handle Scala's `import a.b.{C, D => E}`, `import a.b._`, `import a.b.C`, and several of them after one `import`."""
    path: list[str] = []
    rest: list[Node] = []
    for child in node.children:
        if child.type == ",":
            yield from _one(path, rest, line)
            path, rest = [], []
        elif child.type in ("namespace_selectors", "namespace_wildcard"):
            rest.append(child)
        elif child.type in ("identifier", "operator_identifier"):
            path.append(text_of(child))
    yield from _one(path, rest, line)


def _one(path: list[str], rest: list[Node], line: int) -> Iterator[Import]:
    source = ".".join(path)
    if not rest:
        package, _, name = source.rpartition(".")
        yield Import(line, package, name, name)
    for part in rest:
        if part.type == "namespace_wildcard":
            yield Import(line, source, "*", "")
            continue
        for selector in part.named_children:
            if selector.type == "arrow_renamed_identifier":
                old, new = selector.child_by_field_name("name"), selector.child_by_field_name("alias")
                if old is not None and new is not None:
                    yield Import(line, source, text_of(old), text_of(new).strip("_"))
            elif selector.type == "namespace_wildcard":
                yield Import(line, source, "*", "")
            else:
                yield Import(line, source, text_of(selector), text_of(selector))


def resolve(resolver: Resolver, path: str, item: Import) -> Found | None:
    """Return the target of an import."""
    family = resolver.language(path).family
    dotted = item.source if item.name in ("", "*") else f"{item.source}.{item.name}" if item.source else item.name
    found = _descend(resolver, family, dotted, item.name not in ("", "*"))
    if found is None and (resolver.language(path).partial or resolver.language(path).nested_packages):
        found = _nearby(resolver, path, item, dotted)
    if found is None and resolver.language(path).nested_packages:
        found = _through_imported(resolver, path, item, dotted)
    if found is None and resolver.language(path).imported_extensions:
        found = visible.imported(resolver, family, item.source, item.name)
    if found is not None:
        return found
    return Found(entity=External(dotted), how="import", sure=0.95)


def _nearby(resolver: Resolver, path: str, item: Import, dotted: str) -> Found | None:
    """C#, Scala: return what a name means within the namespace of the import: `using Tools;` in `Shop` may open
    `Shop.Tools`."""
    summary, family = resolver.program.summaries[path], resolver.language(path).family
    around = [name for name, at in summary.namespaces if at == item.scope] or [resolver.program.facts[path].package]
    parts = around[-1].split(".") if around[-1] else []
    for n in range(len(parts), 0, -1):
        found = _descend(resolver, family, ".".join((*parts[:n], dotted)), item.name not in ("", "*"))
        if found is not None:
            return found
    return None


def _through_imported(resolver: Resolver, path: str, item: Import, dotted: str) -> Found | None:
    """Scala: return what an import means that starts with an imported name: `import a.b, b._`."""
    first, *rest = dotted.split(".")
    for index, other in enumerate(resolver.program.summaries[path].imports):
        if other.local == first and other.line <= item.line and (other.source, other.name) != (item.source, item.name):
            found = names.imported(resolver, path, index)
            for part in rest:
                entity = resolver.entity(found) if found is not None else None
                found = resolver.member(entity, part) if entity is not None else None
            if found is not None and not isinstance(found.entity, External):
                return found
    return None


def _descend(resolver: Resolver, family: str, dotted: str, named: bool) -> Found | None:
    """Resolve the longest known package, then member by member."""
    parts = dotted.split(".")
    program = resolver.program
    if named and len(parts) > 1 and (family, dotted.rpartition(".")[0]) in program.by_namespace:
        found = names.in_namespace(resolver, family, ".".join(parts[:-1]), parts[-1])
        if found is not None and found.binding is not None:  # a class may have the name of a namespace
            return found
    for n in range(len(parts), 0, -1):
        package = ".".join(parts[:n])
        if (family, package) not in program.by_namespace and not (
            n == len(parts) and (family, package) in program.namespace_parents
        ):
            continue
        found = Found(entity=Namespace(family, package), how="import")
        for part in parts[n:]:
            entity = resolver.entity(found) if found else None
            if isinstance(entity, Namespace):
                found = names.in_namespace(resolver, entity.family, entity.name, part)
            else:
                found = resolver.member(entity, part)
        if found is not None:
            return found
    if len(parts) == 1 and (family, "") in program.by_namespace:
        return names.in_namespace(resolver, family, "", dotted)
    return None
