"""Extracts tasks from an agent's tool calls: its todo lists, and issue tracker commands. Unknown forms are ignored."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from graphmem.errors import UsageError
from graphmem.tasks.exchange.records import Record
from graphmem.tasks.transitions import priority_of, status_of

_CREATED = re.compile(r"[Cc]reated (?:issue|task)?:?\s*([A-Za-z]\w*-\w+(?:\.\d+)*)")
_ISSUE_URL = re.compile(r"github\.com/([\w.-]+/[\w.-]+)/issues/(\d+)")
_SPLIT = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_VALUED = frozenset({"-r", "--reason", "-s", "--status", "-p", "--priority", "-t", "--type", "-d", "--description", "--title",
                     "-a", "--assignee", "-b", "--body", "-R", "--repo", "-c", "--comment", "--parent", "--deps", "-l",
                     "--label", "--labels", "--notes"})  # fmt: skip
_LONG = {"-r": "--reason", "-s": "--status", "-p": "--priority", "-t": "--type", "-d": "--description", "-a": "--assignee",
         "-b": "--description", "-R": "--repo", "-c": "--reason", "--comment": "--reason", "--body": "--description"}  # fmt: skip


def call(tool: str, arguments: Mapping[str, Any], output: str, at: int) -> list[Record]:
    """Return records of one tool call; `at` in microseconds since 1970 UTC."""
    if isinstance(todos := arguments.get("todos"), list):
        return list(_todos(todos, at))
    if tool in ("TaskCreate", "task_create") and (title := _text(arguments.get("subject") or arguments.get("title"))):
        return [Record("", {"title": title, "description": _text(arguments.get("description"))}, created=at, updated=at,
                       source="agent")]  # fmt: skip
    command = arguments.get("command")
    return list(_commands(command, output, at)) if isinstance(command, str) else []


def _todos(todos: Iterable[Any], at: int) -> Iterator[Record]:
    for todo in todos:
        title = _text(todo.get("content")) if isinstance(todo, dict) else ""
        if title:
            status = _known(status_of, todo.get("status"), "pending")
            fields = {"title": title}
            if "priority" in todo:
                fields["priority"] = _known(priority_of, todo["priority"], "medium")
            yield Record("", fields, status, created=at, updated=at, source="agent")


def _commands(command: str, output: str, at: int) -> Iterator[Record]:
    for part in _SPLIT.split(command):
        if not part.startswith(("bd ", "gh issue ")):
            continue
        try:
            words = shlex.split(part)
        except ValueError:
            continue
        verb, *rest = words[1 if words[0] == "bd" else 2 :] or [""]
        names, options = _arguments(rest)
        if record := (_bd if words[0] == "bd" else _gh)(verb, names, options, output):
            for each in record:
                each.updated, each.source = at, words[0]
                each.created = at
                each.closed = at if each.status == "done" else None
                yield each


def _arguments(words: list[str]) -> tuple[list[str], dict[str, str]]:
    names, options, rest = list[str](), dict[str, str](), iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if word.startswith("-"):
            options[_LONG.get(name, name)] = value if equals else next(rest, "") if word in _VALUED else ""
        elif word in ("|", ">", ">>", "2>&1"):
            break
        else:
            names.append(word)
    return names, options


def _bd(verb: str, names: list[str], options: dict[str, str], output: str) -> list[Record]:
    if (
        verb == "create"
        and (title := options.get("--title") or next(iter(names), ""))
        and (made := _CREATED.search(output))
    ):
        fields = {"title": title, "description": options.get("--description", "")}
        if "--priority" in options:
            fields["priority"] = _known(priority_of, options["--priority"], "medium")
        return [Record(made[1], fields)]
    if verb == "close":
        outcome = {"outcome": options["--reason"]} if options.get("--reason") else {}
        return [Record(name, dict(outcome), "done", only_known=True) for name in names]
    if verb == "update" and "--status" in options:
        status = _known(status_of, options["--status"], "")
        return [Record(name, {}, status, only_known=True) for name in names if status]
    return []


def _gh(verb: str, names: list[str], options: dict[str, str], output: str) -> list[Record]:
    made = _ISSUE_URL.search(output)
    if verb == "create" and options.get("--title") and made:
        fields = {"title": options["--title"], "description": options.get("--description", "")}
        return [Record(f"{made[1]}#{made[2]}", fields)]
    owner = options.get("--repo", "")
    status = {"close": "done", "reopen": "in_progress"}.get(verb, "")
    return [
        Record(f"{owner}#{name.lstrip('#')}", {}, status, only_known=True)
        for name in names
        if status and name.lstrip("#").isdigit()
    ]


def _known(function: Any, value: Any, default: str) -> str:
    try:
        return str(function(str(value)))
    except UsageError:
        return default


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
