"""Reads the history that aider writes into a project (`.aider.chat.history.md`): questions after `####`, what the program says
after `>`, and the answers of the model between them. Each start of the program is a session; its turns have no times of
their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path

from graphmem.extract.chats.turns import Conversation, ImportContext, modified_at, parse_time, without_thoughts
from graphmem.extract.foreign import text_of_file
from graphmem.model.events import Draft

PROGRAM = "aider"
START = "# aider chat started at "
_BREAK = "  "  # at the end of each line that the program writes itself, and of no other, if no editor took them off
_EDITED = "Applied edit to "
_COMMANDS = ("/", "!")  # what a command hands to the model follows as a question of its own
_SAID, _NOTE, _ANSWER = "user", "note", "assistant"


def read(path: Path, context: ImportContext) -> Iterator[Draft]:
    """Yield drafts of a file, in order."""
    chat: Conversation | None = None
    whole = text_of_file(path).splitlines()
    end = _BREAK if any(line.startswith("####") and line.endswith(_BREAK) for line in whole) else ""
    for kind, lines in groupby(whole, partial(_kind_of, end=end)):
        if kind == START:
            for line in lines:
                begun = line.removeprefix(START).strip()
                at = parse_time(begun) or modified_at(path)
                chat = Conversation(context, PROGRAM, f"{PROGRAM} {begun}", at, [str(path.parent)])
        elif chat is not None:
            yield from _turns(chat, kind, lines)


def _kind_of(line: str, end: str) -> str:
    if line.startswith(START):
        return START
    if line.endswith(end) and line.startswith("####") and not line.startswith("#####"):
        return _SAID
    return _NOTE if line.startswith(">") and line.endswith(end) else _ANSWER


def _turns(chat: Conversation, kind: str, lines: Iterable[str]) -> Iterator[Draft]:
    if kind == _SAID:
        text = "\n".join(line.removeprefix("####").strip() for line in lines).strip()
        if not text.startswith(_COMMANDS):
            yield from chat.add_message(_SAID, text)
    elif kind == _ANSWER:
        yield from chat.add_message(_ANSWER, without_thoughts("\n".join(lines)).strip())
    else:
        for note in (line.removeprefix(">").strip() for line in lines):
            if note.startswith(_EDITED):
                yield from chat.add_tool_call("Edit", {"file_path": note.removeprefix(_EDITED)}, note)
