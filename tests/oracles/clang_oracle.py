"""Prints what the names of a C or C++ tree stand for, as libclang resolves them; see rows_to_scip.py.

    python tests/oracles/clang_oracle.py TREE [--only FOLDER]... -- [CLANG OPTIONS]

Each source file is one translation unit. Of a template that is not instantiated nothing is known. What a header that is missing
declares stays unresolved. A declaration without a definition in the tree is no definition, and its references are "outside"
if it was declared outside."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clang.cindex import Config, CursorKind, Index, TranslationUnit, TranslationUnitLoadError

_SOURCES = {".c": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++"}
_FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE, CursorKind.CONVERSION_FUNCTION,
              CursorKind.DESTRUCTOR}  # fmt: skip
_TYPES = {CursorKind.CLASS_DECL, CursorKind.STRUCT_DECL, CursorKind.UNION_DECL, CursorKind.CLASS_TEMPLATE}
_NAME = re.compile(r"~?\w+")


class Oracle:
    """Collects rows from one translation unit after the other."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._inside: dict[str, str] = {}
        self.rows: set[tuple[str, ...]] = set()

    def path(self, file: Any) -> str:
        """Return the path of a file in the tree, "" if outside."""
        if file is None:
            return ""
        if file.name not in self._inside:
            whole = Path(file.name).resolve()
            inside = self._root in whole.parents
            self._inside[file.name] = whole.relative_to(self._root).as_posix() if inside else ""
        return self._inside[file.name]

    def read(self, unit: TranslationUnit) -> None:
        """Add the rows of a translation unit."""
        todo = [unit.cursor]
        while todo:
            cursor = todo.pop()
            if cursor.kind != CursorKind.TRANSLATION_UNIT and not self.path(cursor.location.file):
                continue
            todo.extend(cursor.get_children())
            if cursor.kind in _FUNCTIONS | _TYPES | {CursorKind.CONSTRUCTOR} and cursor.is_definition():
                self._add("D", cursor.location, cursor)
            elif cursor.kind in (CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR, CursorKind.TYPE_REF, CursorKind.TEMPLATE_REF,
                                 CursorKind.CALL_EXPR):  # fmt: skip
                target = cursor.referenced
                # the place of a call is that of its whole expression; what it names has a cursor of its own
                if target is not None and (
                    cursor.kind != CursorKind.CALL_EXPR or target.kind == CursorKind.CONSTRUCTOR
                ):
                    self._add("R", cursor.location, target)

    def _add(self, role: str, place: Any, target: Any) -> None:
        kind = "type" if target.kind in _TYPES else "constructor" if target.kind == CursorKind.CONSTRUCTOR else "method"
        path, name = self.path(place.file), target.spelling.split("<")[0]
        if (kind == "method" and target.kind not in _FUNCTIONS) or not path or not _NAME.fullmatch(name):
            return
        target = _template_of(target)
        where = "tree" if self.path(target.location.file) else "outside"
        owner, signature = (target.get_usr() or name).replace("\t", " "), ""
        if kind == "constructor":
            owner = target.semantic_parent.get_usr()
            signature = target.get_usr()
        self.rows.add((role, path, str(place.line), str(place.column - 1), where, kind, owner, name, signature))


def _template_of(target: Any) -> Any:
    """Return the template of an instance, otherwise the definition itself."""
    from clang.cindex import conf

    template = conf.lib.clang_getSpecializedCursorTemplate(target)
    return template if template is not None and template.kind != CursorKind.INVALID_FILE else target


def _system_folders(language: str) -> list[str]:
    """Return the folders in which the compiler of this machine looks for headers: libclang's package has none."""
    words = ["gcc", "-E", "-v", "-x", language, "/dev/null"]
    told = subprocess.run(words, capture_output=True, text=True, check=False).stderr
    found = re.search(r"search starts here:\n(.*?)End of search", told.split("#include <...>")[-1], re.DOTALL)
    return [f"-isystem{line.strip()}" for line in found[1].splitlines()] if found else []


def _sources(root: Path, only: list[str]) -> Iterator[Path]:
    for folder in only or ["."]:
        place = root / folder
        yield from [place] if place.is_file() else sorted(p for p in place.rglob("*") if p.suffix in _SOURCES)


def main(arguments: list[str]) -> None:
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    own, options = arguments[:cut], arguments[cut + 1 :]
    root, only = Path(own[0]), [own[n + 1] for n, word in enumerate(own) if word == "--only"]
    folders = {language: _system_folders(language) for language in set(_SOURCES.values())}
    oracle, index = Oracle(root), Index.create()
    for source in _sources(root, only):
        language = _SOURCES[source.suffix]
        words = [f"-x{language}", *options, *folders[language]]
        try:
            unit = index.parse(str(source), words, options=TranslationUnit.PARSE_NONE)
        except TranslationUnitLoadError:
            print(f"{source}: not read", file=sys.stderr)
            continue
        errors = [d for d in unit.diagnostics if d.severity >= d.Error]
        if errors:
            print(f"{source}: {len(errors)} errors, first: {errors[0].spelling}", file=sys.stderr)
        oracle.read(unit)
    for row in sorted(oracle.rows):
        print("\t".join(row))


if __name__ == "__main__":
    Config.set_compatibility_check(False)
    main(sys.argv[1:])
