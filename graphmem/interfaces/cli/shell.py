"""The Cypher shell: `graphmem cypher` without a query. On a terminal it has history and completion; in a pipe it runs
the queries one after another."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmem import settings
from graphmem.errors import GraphmemError, UsageError
from graphmem.interfaces import envelope
from graphmem.interfaces.cli import render
from graphmem.interfaces.verbs.arguments import bindings
from graphmem.memory import Memory

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

_KEYWORDS = (
    "MATCH OPTIONAL WHERE RETURN DISTINCT ORDER BY LIMIT SKIP WITH UNWIND UNION ALL AS AND OR NOT XOR IN IS NULL CONTAINS"
    " STARTS ENDS EXISTS CASE WHEN THEN ELSE END DESC ASC EXPLAIN"
).split()
_FUNCTIONS = (
    "count collect min max avg sum size lower upper trim contains starts_with ends_with regexp_matches substring coalesce"
    " label labels id keys nodes rels length date timestamp date_part list_contains to_int64 to_string"
).split()
_COMMANDS = (":help", ":named", ":schema", ":quit")
_HELP = """A query ends with ; or an empty line.
:named NAME a=b   run a named query        :schema   labels, relations, properties, named queries
:help             this help                :quit     exit (also Ctrl-D)"""


class Completions:
    """Completion candidates for the schema."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.labels = sorted(schema["nodes"])
        self.relations = sorted(schema["relations"])
        columns = [*schema["nodes"].values(), *(relation["properties"] for relation in schema["relations"].values())]
        self.properties = sorted({name for group in columns for name in group})
        self.queries = sorted(query["name"] for query in schema["queries"])

    def after(self, text: str) -> tuple[str, list[str]]:
        """Return (the prefix before the cursor, its completions), ignoring case."""
        if text.startswith(":named "):
            part = text.rsplit(" ", 1)[-1]
            return part, [name for name in self.queries if name.startswith(part)]
        if text.startswith(":") and " " not in text:
            return text, [name for name in _COMMANDS if name.startswith(text)]
        match = re.search(r"(?P<sign>[:.|]?)\s*(?P<part>\w*)\Z", text)
        sign, part = (match["sign"], match["part"]) if match else ("", "")
        if sign in (":", "|"):
            inside = text.rfind("[") > text.rfind("(")
            choices = self.relations if inside else self.labels
        elif sign == ".":
            choices = self.properties
        else:
            choices = [*_KEYWORDS, *_FUNCTIONS] if part else []
        return part, [word for word in choices if word.lower().startswith(part.lower())]


class Shell:
    """Reads queries and prints results until end of input."""

    def __init__(self, memory: Memory, *, as_json: bool = False) -> None:
        self._memory, self._json = memory, as_json

    def run(self, lines: Iterable[str], said: Any = None) -> bool:
        """Run every query in these lines; return whether all succeeded. `said` receives errors, usually standard
        error."""
        well = True
        for query in split_queries(lines):
            if query in (":quit", ":exit"):
                break
            try:
                self._answer(query)
            except GraphmemError as error:
                well = False
                print(f"graphmem: {error}", file=said or sys.stderr, flush=True)
        return well

    def _answer(self, query: str) -> None:
        if query == ":help":
            print(_HELP)  # noqa: T201
        elif query == ":schema":
            self._show("schema", self._memory.schema())
        elif query.startswith(":named "):
            name, *arguments = shlex.split(query.removeprefix(":named "))
            self._show("cypher", self._memory.query(name, bindings(arguments)))
        elif query.startswith(":"):
            raise UsageError(f"unknown command `{query.split()[0]}`: :help lists all")
        else:
            self._show("cypher", self._memory.cypher(query))

    def _show(self, verb: str, result: Any) -> None:
        if self._json:
            print(envelope.success(result, verb=verb))  # noqa: T201
        else:
            render.show(verb, result)


def split_queries(lines: Iterable[str]) -> Iterator[str]:
    """Yield the queries in lines. A query ends with `;`, an empty line or the end of input; a command is a line by
    itself."""
    parts: list[str] = []
    for line in lines:
        text = line.rstrip()
        if not parts and text.lstrip().startswith(":"):
            yield text.strip()
            continue
        if text.strip() and not text.lstrip().startswith("//"):
            parts.append(text)
        if parts and (text.endswith(";") or not text.strip()):
            yield "\n".join(parts).rstrip("; ")
            parts = []
    if parts:
        yield "\n".join(parts).rstrip("; ")


def start(store: Path | None, project: str | None, *, as_json: bool) -> bool:
    """Open the store and run queries from the terminal or a pipe; return whether all succeeded."""
    with Memory.open(store, project=project, daemon=True) as memory:
        shell = Shell(memory, as_json=as_json)
        if not sys.stdin.isatty():
            return shell.run(sys.stdin)
        print(f"{memory.project}: read-only Cypher. :help for help, Ctrl-D to exit.")  # noqa: T201
        shell.run(read_lines(make_prompt(memory.schema(), settings.stores_home() / "cypher_history")))
        return True


def make_prompt(schema: dict[str, Any], history: Path, **options: Any) -> PromptSession[str]:
    """Return a prompt with completion from the schema and a private history file."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
    from prompt_toolkit.completion import Completer, Completion
    from prompt_toolkit.history import FileHistory

    words = Completions(schema)

    class SchemaCompleter(Completer):
        """Completer for keywords, labels, relations, properties and functions."""

        def get_completions(self, document: Any, event: Any) -> Iterator[Completion]:
            """Yield completions of the word before the cursor."""
            part, choices = words.after(document.text_before_cursor)
            yield from (Completion(choice, start_position=-len(part)) for choice in choices)

    history.parent.mkdir(parents=True, exist_ok=True)
    history.touch(mode=0o600)
    return PromptSession(
        history=FileHistory(str(history)), completer=SchemaCompleter(), complete_while_typing=False,
        auto_suggest=AutoSuggestFromHistory(), **options,
    )  # fmt: skip


def read_lines(prompt: PromptSession[str]) -> Iterator[str]:
    """Yield typed lines until end of input; Ctrl-C discards the line."""
    fresh = True
    while True:
        try:
            line = prompt.prompt("cypher> " if fresh else "     …> ")
        except EOFError:
            return
        except KeyboardInterrupt:
            fresh = True
            yield ""
            continue
        fresh = not line.strip() or line.rstrip().endswith(";") or (fresh and line.lstrip().startswith(":"))
        yield line
