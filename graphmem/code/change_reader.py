"""The part of `mem.code` that reads who changed what: authors of symbols and lines, patches, and commits symbol by symbol."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from graphmem.code import authors, blame, revisions, text_search
from graphmem.code.service import Code
from graphmem.codegraph.build import build
from graphmem.codegraph.view import View, symbol_at
from graphmem.errors import NotFound, SourceError
from graphmem.gitprocess import run
from graphmem.model.checked import check_arguments
from graphmem.model.code_answers import Authorship, CommitChanges, SymbolHistory
from graphmem.model.table import Table


@check_arguments
class ChangeReader(Code):
    """Queries about the changes of a project's code."""

    def owners(self, symbol: str) -> Authorship | None:
        """Return the authors of a symbol's lines as of the last commit; None if git does not have them."""
        view = self._view()
        found = self._longest(view, symbol)
        return (
            None
            if found.external
            else authors.blame_lines(Path(view.index.root), found.file, found.line, found.end_line)
        )

    def hunks(self, symbol: str, *, limit: int = 5) -> SymbolHistory:
        """Return the newest commits that changed a symbol, with message and the symbol's hunk."""
        view = self._view()
        found = self._longest(view, symbol)
        total = len(self.history(symbol, limit=10_000).rows)
        rows = authors.read_hunks(Path(view.index.root), found.file, found.line, found.end_line, limit)
        return SymbolHistory(found.qualified_name, tuple(rows), max(total, len(rows)))

    def patch(self, commit: str) -> str:
        """Return the message and the whole patch of a commit, read from git, secrets redacted. Raises NotFound, SourceError."""
        root = Path(self._index().root)
        return authors.read_patch(root, revisions.commit_of(root, commit))

    def blame(self, file: str, *, as_of: str | None = None) -> Table:
        """Return who last changed each line of a file, and with which commit: columns line, hash, at, author, subject. Lines that
        are not committed have none. Raises NotFound, SourceError."""
        root = Path(self._index().root)
        commit = revisions.commit_of(root, as_of) if as_of else None
        path = file if commit else self._known_file(file)
        if path is None:
            raise NotFound(f"there is no file `{file}` in the indexed tree", file=file)
        return Table(list(blame.BlamedLine._fields), [list(row) for row in blame.blame_file(root, path, commit)])

    def commit(self, commit: str) -> CommitChanges:
        """Return what a commit changed, symbol by symbol, with its message. Raises NotFound, SourceError."""
        root = Path(self._index().root)
        hash_ = revisions.commit_of(root, commit)
        files = blame.read_file_patches(root, hash_)
        view = view_of_files(root, hash_, [path for path, _ in files])
        patches = blame.patch_by_symbol(files, lambda path, line: symbol_name_at(view, path, line))
        return CommitChanges(hash_, authors.read_message(root, hash_), tuple(patches))

    def _known_file(self, name: str) -> str | None:
        with suppress(NotFound):
            return self._file(self._view(), name)
        return None


def view_of_files(root: Path, commit: str, paths: Iterable[str]) -> View:
    """Return the symbols of some files, as of the commit. Files that it does not have are left out."""
    with tempfile.TemporaryDirectory(prefix="graphmem-") as folder:
        base = Path(folder).resolve()
        for path in dict.fromkeys(paths):
            target = base / path
            if base in target.resolve().parents and text_search.kind_of_file(path) in ("code", "test"):
                with suppress(SourceError):
                    content = run(root, "cat-file", "blob", f"{commit}:./{path}")
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content)
        return View(build(base, flow=False))


def symbol_name_at(view: View, path: str, line: int) -> str:
    """Return the qualified name of the symbol at a line, "" if there is none."""
    symbol = symbol_at(view, path, line)
    return symbol.qualified_name if symbol and symbol.kind != "module" else ""
