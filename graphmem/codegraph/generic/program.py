"""All files of the tree for the linker: lazily built tables from names of modules, packages and types to their
definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from graphmem.codegraph import languages
from graphmem.codegraph.generic import words
from graphmem.codegraph.generic.entities import Def
from graphmem.codegraph.generic.summary import Binding, Scope, Summary, last_name
from graphmem.codegraph.records import FileFacts
from graphmem.model.code import Symbol

Place = tuple[str, int, Binding]  # a file, a scope, and a definition in it


def whole_name(facts: FileFacts, symbol: Symbol) -> str:
    """Return the name that the declarations of a class with several parts share. Ruby: without that of its file, because constants
    belong to the whole program."""
    is_global = languages.get_language(facts.language).module_members and symbol is not facts.symbols[0]
    return (
        symbol.qualified_name.removeprefix(f"{facts.symbols[0].qualified_name}.")
        if is_global
        else symbol.qualified_name
    )


class Program:
    """The facts of all files, with lookup tables."""

    def __init__(self, facts: Mapping[str, FileFacts]) -> None:
        self.facts = facts
        self.summaries: dict[str, Summary] = {p: f.summary for p, f in facts.items()}
        self._languages: dict[str, languages.Language] = {}
        self._in_namespaces: dict[tuple[str, str], dict[str, list[Place]]] = {}

    def scope(self, path: str, index: int) -> Scope:
        """Return a scope of a file."""
        return self.summaries[path].scopes[index]

    def language(self, path: str) -> languages.Language:
        """Return the language of a file; of a project file that of its imports, which only C# has."""
        known = self._languages.get(path)
        if known is None:
            name = self.facts[path].language
            known = self._languages[path] = languages.get_language("csharp" if name == languages.MANIFEST else name)
        return known

    def has(self, path: str) -> bool:
        """Return whether the tree has this source file."""
        return path in self.facts

    @cached_property
    def by_namespace(self) -> dict[tuple[str, str], list[tuple[str, int]]]:
        """Return (family, dotted name) -> scopes that add to this namespace. Go packages are keyed by folder."""
        table: dict[tuple[str, str], list[tuple[str, int]]] = {}
        for path in sorted(self.facts):
            facts = self.facts[path]
            if facts.language == languages.MANIFEST:
                continue
            language = languages.get_language(facts.language)
            if language.naming == "folder":
                table.setdefault((language.family, facts.package), []).append((path, 0))
            namespaces = self.summaries[path].namespaces
            for name, scope in namespaces:
                table.setdefault((language.family, name), []).append((path, scope))
            if language.siblings == "package" and language.naming == "package" and all(at for _, at in namespaces):
                table.setdefault((language.family, ""), []).append((path, 0))  # what is in none
        return table

    def in_namespace(self, family: str, dotted: str) -> dict[str, list[Place]]:
        """Return name -> what the files that add to a namespace define under it."""
        mark = (family, dotted)
        known = self._in_namespaces.get(mark)
        if known is None:
            known = self._in_namespaces[mark] = {}
            for path, index in self.by_namespace.get(mark, ()):
                for name, bindings in self.scope(path, index).names.items():
                    last = next((b for b in reversed(bindings) if b.kind not in ("import", "decl")), None)
                    if last is not None:
                        known.setdefault(name, []).append((path, index, last))
        return known

    @cached_property
    def namespace_parents(self) -> dict[tuple[str, str], set[str]]:
        """Return (family, dotted name) -> first segments of nested namespaces."""
        table: dict[tuple[str, str], set[str]] = {}
        for family, name in self.by_namespace:
            parts = name.split(".")
            for i in range(1, len(parts)):
                table.setdefault((family, ".".join(parts[:i])), set()).add(parts[i])
            table.setdefault((family, ""), set()).add(parts[0])
        return table

    @cached_property
    def accessors(self) -> frozenset[str]:
        """Names of members with a getter or setter."""
        return frozenset(
            symbol.name
            for facts in self.facts.values()
            if facts.language != languages.MANIFEST and languages.get_language(facts.language).accessors
            for symbol in facts.symbols
            if accessor(symbol)
        )

    @cached_property
    def callables(self) -> frozenset[str]:
        """Names of all functions and methods."""
        kinds = ("function", "method")
        return frozenset(s.name for facts in self.facts.values() for s in facts.symbols if s.kind in kinds)

    @cached_property
    def implementations(self) -> dict[str, str]:
        """TypeScript: return for each signature of an overloaded function its implementation, which follows it, by key."""
        table: dict[str, str] = {}
        for facts in self.facts.values():
            known = languages.all_languages().get(facts.language)
            signatures: dict[str, list[str]] = {}
            for symbol in facts.symbols if known is not None and known.family == "javascript" else ():
                if symbol.kind not in ("function", "method"):
                    continue
                if not symbol.complexity:
                    signatures.setdefault(symbol.qualified_name, []).append(symbol.key)
                elif symbol.qualified_name in signatures:
                    table |= dict.fromkeys(signatures.pop(symbol.qualified_name), symbol.key)
        return table

    @cached_property
    def methods_by_name(self) -> dict[tuple[str, str], list[Place]]:
        """Return (family, name) -> methods and fields with it, as (file, scope, binding), in languages where names are guessed."""
        table: dict[tuple[str, str], list[Place]] = {}
        for path, index, scope in self._guessed_scopes():
            family = self.language(path).family
            for name, bindings in scope.names.items():
                last = next((b for b in reversed(bindings) if b.symbol >= 0 and b.kind in ("def", "field")), None)
                if last is not None and self.facts[path].symbols[last.symbol].kind in ("method", "field"):
                    table.setdefault((family, name), []).append((path, index, last))
        return table

    @cached_property
    def types_by_word(self) -> dict[str, dict[str, tuple[Def, ...]]]:
        """Return family -> name as a variable has it -> classes, in languages where names are guessed."""
        table: dict[str, dict[str, dict[str, Def]]] = {}
        for path, index, scope in self._guessed_scopes():
            symbol = self.facts[path].symbols[scope.symbol]
            if scope.kind == "class" and symbol.kind == "class":
                named = table.setdefault(self.language(path).family, {}).setdefault(words.of_class(symbol.name), {})
                named.setdefault(whole_name(self.facts[path], symbol), Def(path, scope.symbol, index))
        return {family: {word: tuple(own.values()) for word, own in named.items()} for family, named in table.items()}

    @cached_property
    def including(self) -> dict[str, set[str]]:
        """Return the last part of the name of a base or mixed in module -> names of the classes, where names are guessed."""
        table: dict[str, set[str]] = {}
        for path, _, scope in self._guessed_scopes():
            for _, base in scope.bases if scope.kind == "class" else ():
                table.setdefault(last_name(base), set()).add(self.facts[path].symbols[scope.symbol].name)
        return table

    def _guessed_scopes(self) -> Iterator[tuple[str, int, Scope]]:
        for path in sorted(self.facts):
            language = languages.all_languages().get(self.facts[path].language)
            if language is not None and language.guesses:
                for index, scope in enumerate(self.summaries[path].scopes):
                    if scope.kind in ("class", "namespace", "extension"):
                        yield path, index, scope

    @cached_property
    def fields(self) -> frozenset[str]:
        """Names of all fields and constants."""
        kinds = ("field", "constant")
        return frozenset(s.name for facts in self.facts.values() for s in facts.symbols if s.kind in kinds)

    @cached_property
    def types(self) -> frozenset[str]:
        """Names of all classes and other types."""
        kinds = ("class", "interface", "struct", "trait", "enum", "type")
        return frozenset(s.name for facts in self.facts.values() for s in facts.symbols if s.kind in kinds)

    @cached_property
    def platform_variants(self) -> dict[str, list[str]]:
        """Qualified name -> functions with it, if several files define it: in Go for different platforms."""
        table: dict[str, list[str]] = {}
        for path in sorted(self.facts):
            language = languages.all_languages().get(self.facts[path].language)
            if language is not None and language.platform_variants:
                for symbol in self.facts[path].symbols:
                    if symbol.kind in ("function", "method"):
                        table.setdefault(symbol.qualified_name, []).append(symbol.key)
        return {name: keys for name, keys in table.items() if len(keys) > 1}

    @cached_property
    def parts(self) -> dict[tuple[str, str, int], list[tuple[str, int]]]:
        """Return (family, qualified name, number of type parameters) -> scopes of a class that may have several parts."""
        table: dict[tuple[str, str, int], list[tuple[str, int]]] = {}
        for path in sorted(self.facts):
            facts = self.facts[path]
            language = None if facts.language == languages.MANIFEST else languages.get_language(facts.language)
            if language is None or not language.several_parts:
                continue
            for index, scope in enumerate(self.summaries[path].scopes):
                symbol = facts.symbols[scope.symbol]
                if scope.kind == "class" and (language.module_members or is_partial(symbol)):
                    mark = (language.family, whole_name(facts, symbol), count_type_parameters(scope))
                    table.setdefault(mark, []).append((path, index))
        return table

    @cached_property
    def generic_types(self) -> dict[str, dict[int, list[Def]]]:
        """Return qualified name -> number of type parameters -> types, where C# has several types of one name."""
        table: dict[str, dict[int, list[Def]]] = {}
        for path in sorted(self.facts):
            facts = self.facts[path]
            if facts.language != languages.MANIFEST and self.language(path).partial:
                for index, scope in enumerate(self.summaries[path].scopes):
                    if scope.kind == "class":
                        name, count = facts.symbols[scope.symbol].qualified_name, count_type_parameters(scope)
                        table.setdefault(name, {}).setdefault(count, []).append(Def(path, scope.symbol, index))
        return {name: counts for name, counts in table.items() if len(counts) > 1}

    @cached_property
    def extensions(self) -> dict[tuple[str, str], list[tuple[str, int]]]:
        """Return (family, type name) -> scopes that add members to a type with that name."""
        table: dict[tuple[str, str], list[tuple[str, int]]] = {}
        for path in sorted(self.facts):
            found = self.summaries[path].extensions
            if found:
                family = languages.get_language(self.facts[path].language).family
                for name, scope in found:
                    table.setdefault((family, name), []).append((path, scope))
        return table

    @cached_property
    def extension_functions(self) -> dict[tuple[str, str], list[tuple[str, int]]]:
        """Return (family, name) -> scopes of extensions that define a function with it, where these are imported."""
        table: dict[tuple[str, str], list[tuple[str, int]]] = {}
        for (family, _), places in self.extensions.items():
            for path, index in places:
                language = languages.get_language(self.facts[path].language)
                if language.imported_extensions or language.partial:
                    for name, bindings in self.scope(path, index).names.items():
                        if bindings[-1].kind == "def" and bindings[-1].symbol >= 0:
                            table.setdefault((family, name), []).append((path, index))
        return table

    @cached_property
    def class_members(self) -> frozenset[str]:
        """Names of the methods of classes, where extension functions are imported."""
        found: set[str] = set()
        for path, facts in self.facts.items():
            language = languages.all_languages().get(facts.language)
            if language is not None and language.imported_extensions:
                found.update(name for name, _ in self._methods(path))
            elif language is not None and language.partial:
                heads = ((name, facts.symbols[b.symbol].signature.partition("(")[0]) for name, b in self._methods(path))
                found.update(name for name, head in heads if "static " not in head)  # C#: called on an instance
        return frozenset(found)

    @cached_property
    def trait_methods(self) -> dict[str, Def]:
        """Rust: return for each name of methods that one trait alone has, besides what implements it, that trait."""
        found: dict[str, set[tuple[str, int, int]]] = {}
        own: set[str] = set()  # of types themselves
        for path, facts in self.facts.items():
            if facts.language == languages.MANIFEST or not self.language(path).root_module:
                continue
            for index, scope in enumerate(self.summaries[path].scopes):
                methods = [name for name, bindings in scope.names.items() if bindings[-1].kind == "def"]
                if scope.kind == "class" and facts.symbols[scope.symbol].kind == "trait":
                    for name in methods:
                        found.setdefault(name, set()).add((path, scope.symbol, index))
                elif scope.kind == "extension" and not scope.bases:
                    own.update(methods)
        return {
            name: Def(*next(iter(traits))) for name, traits in found.items() if len(traits) == 1 and name not in own
        }

    def _methods(self, path: str) -> Iterator[tuple[str, Binding]]:
        for scope in self.summaries[path].scopes:
            if scope.kind == "class":
                for name, bindings in scope.names.items():
                    if bindings[-1].kind == "def":
                        yield name, bindings[-1]

    @cached_property
    def top_level(self) -> dict[tuple[str, str], list[str]]:
        """Return (family, name) -> files that define the name at top level, for languages with one global
        namespace."""
        table: dict[tuple[str, str], list[str]] = {}
        for path in sorted(self.facts):
            facts = self.facts[path]
            if facts.language == languages.MANIFEST or not facts.summary.scopes:
                continue
            family = languages.get_language(facts.language).family
            for name, bindings in facts.summary.scopes[0].names.items():
                if any(b.kind == "def" or b.symbol >= 0 for b in bindings):
                    table.setdefault((family, name), []).append(path)
        return table

    @cached_property
    def by_basename(self) -> dict[str, list[str]]:
        """File name -> paths, for includes and requires without a folder."""
        table: dict[str, list[str]] = {}
        for path in sorted(self.facts):
            table.setdefault(path.rpartition("/")[2], []).append(path)
        return table

    @cached_property
    def global_imports(self) -> list[tuple[str, str, int]]:
        """Return C#'s imports that count for a whole project, as (folder of the project, file, number)."""
        found = []
        for path in sorted(self.facts):
            if self.summaries[path].imports and self.language(path).partial:
                folder = path.rpartition("/")[0]
                folder = folder.removesuffix("Properties").rstrip("/")
                found += [(folder, path, i) for i, item in enumerate(self.summaries[path].imports) if item.exported]
        return found

    @cached_property
    def manifests(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Kind of project file -> folder -> its settings."""
        table: dict[str, dict[str, dict[str, Any]]] = {}
        for path in sorted(self.facts):
            said = self.summaries[path].manifest if self.facts[path].language == languages.MANIFEST else None
            if said:
                table.setdefault(said["kind"], {})[path.rpartition("/")[0]] = said
        return table

    def nearest(self, kind: str, path: str) -> tuple[str, dict[str, Any]] | None:
        """Return the project file of a kind in the nearest folder at or above a file: (folder, settings)."""
        known = self.manifests.get(kind)
        folder = path.rpartition("/")[0]
        while known:
            if folder in known:
                return folder, known[folder]
            if not folder:
                break
            folder = folder.rpartition("/")[0]
        return None


def accessor(symbol: Symbol) -> str:
    """Return "get" for a method that runs when its name is read, "set" when it is assigned to, otherwise ""."""
    found = _ACCESSOR.match(symbol.signature) if symbol.kind == "method" else None
    return found[1] if found else ""


def count_type_parameters(scope: Scope) -> int:
    """Return the number of type parameters of a class or function."""
    return sum(any(b.kind == "typevar" for b in bindings) for bindings in scope.names.values())


def is_partial(symbol: Symbol) -> bool:
    """Return whether it is one part of a class that may have further parts."""
    return _PARTIAL.search(symbol.signature) is not None


_PARTIAL = re.compile(r"^(?:@\S+ |\w+ |\[[^\]]*\] )*(?:partial|expect|actual) ")  # after annotations and attributes
_ACCESSOR = re.compile(
    r"(?:@[\w.]+(?:\([^()]*\))? )*(?:(?:static|public|protected|private|override|abstract) )*(get|set) (?=[\w#$\[])"
)
