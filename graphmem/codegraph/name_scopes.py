"""Decides where the name of a class or type can mean it: in its own file or package, and in files that import it, its module or
a package that passes it on. Elsewhere an ordinary word such as `Source` or `Ok` is something else."""

from __future__ import annotations

import re
from functools import cache
from pathlib import PurePosixPath

from graphmem.codegraph.view import CLASSES, View, importers
from graphmem.model.code import Symbol

OFFERING = frozenset({"__init__", "index", "mod", "lib"})  # names of files that pass on what others define
_LANGUAGES = frozenset({"python", "go", "typescript", "tsx"})  # whose files name what they take from others


class NameScopes:
    """Where names of classes and types of one view can mean them."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._seeing = cache(self._files_that_see)
        self._outside = cache(self._packages_outside)

    def may_mean(self, symbol: Symbol, path: str, line: str) -> bool:
        """Return whether the name of a symbol in a line of a file may mean it. Always true for functions and values, and for
        names in quotes, by which they may be looked up."""
        if symbol.kind not in CLASSES or symbol.language not in _LANGUAGES:
            return True
        name = re.escape(symbol.name)
        if path == symbol.file and ("__all__" in line or re.fullmatch(rf"\s*[\"']{name}[\"'],?\s*", line)):
            return False  # the module offers it
        if re.search(rf"[\"'`]{name}[\"'`]", line):
            return True
        if symbol.language == "go":
            return self._may_mean_in_go(symbol, path, line, name)
        return path == symbol.file or path in self._seeing(symbol.file)

    def _may_mean_in_go(self, symbol: Symbol, path: str, line: str, name: str) -> bool:
        """Return whether a line names a type of Go: alone within its package, after the name of the package elsewhere. A key of
        a literal, a field that is declared and a selector are other things."""
        if PurePosixPath(path).parent == PurePosixPath(symbol.file).parent:
            field = re.match(rf"\s*{name}\s+(?![{{=(|]|struct\b|interface\b)\S", line)
            return field is None and re.search(rf"(?<![\w.]){name}\b(?!\s*:(?!=))", line) is not None
        packages = re.findall(rf"\b(\w+)\.{name}\b", line)
        return path in self._seeing(symbol.file) and any(each not in self._outside(path) for each in packages)

    def _packages_outside(self, file: str) -> frozenset[str]:
        """Return the names of the packages from outside of the tree that a file imports: `io` of `io.ReadCloser`."""
        imports = (
            edge for each in self._view.by_file.get(file, ())[:1] for edge in self._view.outgoing.get(each.key, ())
        )
        targets = (self._view.symbols[edge.target] for edge in imports if edge.type == "IMPORTS")
        return frozenset(target.name for target in targets if target.external)

    def _files_that_see(self, file: str) -> frozenset[str]:
        """Return the files that import a file, for Go any of its folder, or a file that passes it on."""
        is_go = file.endswith(".go")
        folder = file.rpartition("/")[0]
        rest = [path for path in self._view.by_file if path.rpartition("/")[0] == folder] if is_go else [file]
        seen, found = set(rest), set[str]()
        while rest:
            here = rest.pop()
            for edge in importers(self._view, here):
                path = self._view.symbols[edge.source].file
                found.add(path)
                if path not in seen and PurePosixPath(path).stem in OFFERING:
                    seen.add(path)
                    rest.append(path)
        return frozenset(found)
