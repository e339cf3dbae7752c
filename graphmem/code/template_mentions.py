"""Lines of templates (Django, Jinja, ERB, Go, Twig …) that name a member or a filter. Templates are no sources: nothing says of
which object the name is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from graphmem.codegraph.dead_outside import INSIDE, TEMPLATE, is_template_tag
from graphmem.codegraph.scan import list_files
from graphmem.codegraph.view import View
from graphmem.foreignfiles import TooLarge, read_file
from graphmem.model.code import Symbol

_MEMBERS = frozenset({"method", "field", "property"})
_LARGEST = 1_000_000  # bytes of a template
_SHORTEST = 3  # letters of a name that means something


def find_template_lines(view: View, found: Iterable[Symbol]) -> list[str]:
    """Return the places (FILE:LINE) in templates that name one of these members, or use one of these filters or tags."""
    names = {symbol.name for symbol in found if symbol.kind in _MEMBERS and len(symbol.name) >= _SHORTEST}
    tags = {symbol.name for symbol in found if is_template_tag(symbol)}
    if not (names or tags):
        return []
    said = [rf"\.(?:{'|'.join(map(re.escape, names))})(?!\w)"] * bool(names)
    said += [rf"(?:\|\s{{0,4}}|\{{%-?\s{{0,4}})(?:{'|'.join(map(re.escape, tags))})(?!\w)"] * bool(tags)
    wanted = re.compile("|".join(said))
    root = Path(view.index.root)
    places = list[str]()
    for path in _templates(str(root), _changed_at(root)):
        try:
            text = read_file(root / path, _LARGEST).decode("utf-8", "replace")
        except (OSError, TooLarge):
            continue  # deleted since, or no template that somebody wrote
        if wanted.search(text):
            lines = enumerate(text.split("\n"), 1)
            places += [f"{path}:{number}" for number, line in lines if INSIDE.search(line) and wanted.search(line)]
    return places


@lru_cache(maxsize=8)
def _templates(root: str, changed_at: int) -> tuple[str, ...]:
    """Return the templates of a tree, as of the last change of what git tracks."""
    return tuple(sorted(path for path in list_files(root) if TEMPLATE.search(path)))


def _changed_at(root: Path) -> int:
    try:
        return (root / ".git" / "index").stat().st_mtime_ns
    except OSError:
        return 0
