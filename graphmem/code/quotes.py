"""Quotes the source lines of calls and uses, so that a reader of an answer need not open the files. Secrets are redacted."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from graphmem.code.filters import is_of_tests
from graphmem.code.source_text import read_source
from graphmem.codegraph.fields import receiver_before
from graphmem.codegraph.scan import has_changed
from graphmem.codegraph.view import View
from graphmem.model.answers import Call, Calls, Place, Reach
from graphmem.model.code_answers import PathStep
from graphmem.privacy import redact

MOST = 40  # rows; of more, none is quoted, because nobody reads them one by one
_WIDTH = 90  # characters of a line
_FURTHER = 5  # other lines of one caller
_NOT_CODE = ("#", "//", "*", "/*", "--")

Spot = tuple[str, int]  # path and line


def quote_calls(view: View, found: Calls) -> Calls:
    """Return callers or users with the text of their lines, those in tests without, and with the other lines in which they name
    the symbol. Answers of more than `MOST` rows stay as they are."""
    if len(found.calls) > MOST:
        return found
    lines = _Lines(view)
    wanted = [call for call in found.calls if not _is_of_tests(view, call.symbol)]
    name = found.symbol.name.rpartition(".")[2]
    namesakes = _naming_others(view, name, {found.symbol.name, *(place.name for place in found.family)})
    further = {
        call: lines.naming(name, call.symbol, call.line, is_sole=call.symbol.name not in namesakes) for call in wanted
    }
    spots = [(call.symbol.file, line) for call in wanted for line in (call.line, *further[call])]
    texts = lines.quote(spots)

    def quoted(call: Call) -> Call:
        text = texts.get((call.symbol.file, call.line), "") if call in further else ""
        if not text:
            return call
        said = [text]
        for line in further[call]:
            other = texts.get((call.symbol.file, line), "")
            if not any(one.endswith(other) for one in said):
                said.append(f"{line}: {other}")
        return replace(call, text=" | ".join(said), further=further[call])

    return replace(found, calls=tuple(map(quoted, found.calls)))


def _naming_others(view: View, name: str, own: set[str]) -> set[str]:
    """Return the qualified names of the symbols that use others of a name than their own."""
    others = (s for s in view.named.get(name, ()) if s.qualified_name not in own)
    edges = (edge for other in others for edge in view.incoming.get(other.key, ()) if edge.type != "DEFINES")
    around = (key for edge in edges for key in view.within(edge.source))
    return {view.symbols[key].qualified_name for key in around if view.symbols[key].kind != "module"}


def quote_reached(view: View, rows: Iterable[Reach]) -> list[Reach]:
    """Return what a change affects, with the texts of the lines one step away outside of tests."""
    rows = list(rows)
    near = [row for row in rows if row.depth == 1 and row.line and not _is_of_tests(view, row.symbol)]
    if len(near) > MOST:
        return rows
    texts = _Lines(view).quote((row.symbol.file, row.line) for row in near)
    return [replace(row, text=texts.get((row.symbol.file, row.line), "")) if row in near else row for row in rows]


def quote_path(view: View, steps: Sequence[PathStep]) -> tuple[PathStep, ...]:
    """Return the steps of a path with the texts of their lines."""
    texts = _Lines(view).quote((step.file, step.line) for step in steps)
    return tuple(replace(step, text=texts.get((step.file, step.line), "")) for step in steps)


def _is_of_tests(view: View, place: Place) -> bool:
    return any(is_of_tests(view, symbol) for symbol in view.find(place.name)[:1])


class _Lines:
    """The current lines of files, each read once; none of those that changed since they were indexed."""

    def __init__(self, view: View) -> None:
        self._index = view.index
        self._read: dict[str, list[str]] = {}

    def _of(self, file: str) -> list[str]:
        if file not in self._read:
            self._read[file] = []
            source = self._index.sources.get(file)
            with suppress(OSError):
                if source is not None and not has_changed(self._index.root, source):
                    self._read[file] = read_source(self._index, file).split("\n")
        return self._read[file]

    def quote(self, spots: Iterable[Spot]) -> Mapping[Spot, str]:
        """Return the text of each of these lines, shortened, secrets redacted."""
        by_file: defaultdict[str, list[int]] = defaultdict(list)
        for file, line in spots:
            if file and 1 <= line <= len(self._of(file)):
                by_file[file].append(line)
        found: dict[Spot, str] = {}
        for file, lines in by_file.items():
            texts = [" ".join(self._of(file)[line - 1].split()) for line in lines]
            shown = redact("\n".join(texts)).text.split("\n")
            if len(shown) == len(lines):
                found |= {(file, line): _shortened(text) for line, text in zip(lines, shown, strict=True)}
        return found

    def naming(self, name: str, place: Place, but: int, *, is_sole: bool) -> tuple[int, ...]:
        """Return the other lines of a symbol that have a name, without those of comments. If the symbol uses others of that name
        (not `is_sole`), the name stands there behind the same receiver."""
        before = "" if is_sole else receiver_before("".join(self._of(place.file)[but - 1 : but]), name)
        has: Callable[[str], object] = re.compile(rf"(?<!\w){re.escape(before)}{re.escape(name)}(?!\w)").search
        if not is_sole and not before:
            return ()
        lines = self._of(place.file)[place.line : place.end_line]  # not the one that defines it
        found = [
            number
            for number, line in enumerate(lines, place.line + 1)
            if number != but and name in line and has(line) and not line.lstrip().startswith(_NOT_CODE)
        ]
        return tuple(found[:_FURTHER])


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
