"""Chats as a source of `ingest`: converts files of any supported program to drafts of new events."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphmem.extract.chats import programs
from graphmem.extract.chats.belonging import belongs_to_repository, session_folders
from graphmem.extract.chats.turns import ImportContext
from graphmem.extract.reading import Reading
from graphmem.model.events import Draft

Options = Mapping[str, Any]


def read_chats(target: Path, reading: Reading, options: Options) -> Iterator[Draft]:
    """Yield the chats of coding agents in a file or folder; the options are those of the source `sessions`."""
    yield from chat_drafts(programs.chat_files(target, options.get("program")), reading, options, programs.AGENTS)


def chat_drafts(
    paths: Sequence[tuple[Path, Any]], reading: Reading, options: Options, own: Collection[str] = ()
) -> Iterator[Draft]:
    """Yield drafts of files, each with the program that wrote it. Chats of `own` programs count as said here; others are
    marked as imported."""
    root = options.get("root")
    context = ImportContext(reading.project, reading.report, limit=options.get("limit"))
    if root is not None:
        context.wanted, context.folders = belongs_to_repository(Path(root)), session_folders(Path(root))
    known = {
        event.payload["target"]: (event.payload["head"], event.payload.get("drafts", 0))
        for event in reading.log.read(types=["source_ingested"])
        if event.payload.get("source") == "sessions" and event.project == reading.project
    }
    for done, (path, program) in enumerate(paths, 1):
        drafts = programs.read_chats(path, program, context, known, reading.clock.now())
        yield from drafts if program.name in own else (_imported(draft, program.name) for draft in drafts)
        reading.progress(done, len(paths))


def _imported(draft: Draft, program: str) -> Draft:
    """Return a draft marked as imported from a file: its user may be another person."""
    if draft.type == "source_ingested":
        return draft
    return replace(draft, payload={**draft.payload, "imported": program})
