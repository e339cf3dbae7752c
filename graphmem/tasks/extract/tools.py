"""Extracts tasks from an agent's tool calls: the checklists of its plans, and issue tracker commands. Unknown forms are ignored."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from graphmem.errors import UsageError
from graphmem.patterns import compile_later
from graphmem.tasks.extract.listings import issues_of_bd, issues_of_gh
from graphmem.tasks.extract.prose import tasks_of_checklist
from graphmem.tasks.formats.records import TaskRecord
from graphmem.tasks.transitions import priority_of, status_of
from graphmem.text.todolists import is_list_tool

_CREATED = compile_later(r"[Cc]reated (?:issue|task)?:?\s*([A-Za-z]\w*-\w+(?:\.\d+)*)")
_ISSUE_URL = compile_later(r"github\.com/([\w.-]+/[\w.-]+)/issues/(\d+)")
_SPLIT = compile_later(r"\s*(?:&&|\|\||;|\n)\s*")
_REDIRECTED = compile_later(r"\||\d?>|&>|<")
_VALUED = frozenset({"-r", "--reason", "-s", "--status", "-p", "--priority", "-t", "--type", "-d", "--description", "--title",
                     "-a", "--assignee", "-b", "--body", "-R", "--repo", "-c", "--comment", "--parent", "--deps", "-l",
                     "--label", "--labels", "--notes", "-F", "--body-file", "-m", "--milestone", "-T", "--template",
                     "--project"})  # fmt: skip
_LONG = {"-r": "--reason", "-s": "--status", "-p": "--priority", "-t": "--type", "-d": "--description", "-a": "--assignee",
         "-b": "--description", "-R": "--repo", "-c": "--reason", "--comment": "--reason", "--body": "--description"}  # fmt: skip
_LONG_HUB = _LONG | {"-t": "--title", "-p": "--project"}  # `gh` means others by the same letters


def tasks_of_tool_call(tool: str, arguments: Mapping[str, Any], output: str, at: int) -> list[TaskRecord]:
    """Return records of one tool call; `at` in microseconds since 1970 UTC."""
    if is_list_tool(tool):
        return []  # the agent's own list: `steps.py`
    if plan := _text(arguments.get("plan")):
        return [replace(record, updated=at, created=at, source="agent") for record in tasks_of_checklist(plan)]
    command = arguments.get("command")
    return list(_commands(command, output, at)) if isinstance(command, str) else []


def _commands(command: str, output: str, at: int) -> Iterator[TaskRecord]:
    for part in _SPLIT.split(command):
        if not part.startswith(("bd ", "gh issue ")):
            continue
        try:
            words = shlex.split(part)
        except ValueError:
            continue
        verb, *rest = words[1 if words[0] == "bd" else 2 :] or [""]
        names, options = _arguments(rest, _LONG if words[0] == "bd" else _LONG_HUB)
        for each in (_bd if words[0] == "bd" else _gh)(verb, names, options, output):
            each.updated, each.source = at, words[0]
            each.created = at
            each.closed = at if each.status == "done" else None
            yield each


def _arguments(words: list[str], long: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the names and the options of a command; `long` has the long names of short options."""
    names, options, rest = list[str](), dict[str, str](), iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if word[:2] in long and len(word) > 2 and word[:2] in _VALUED:  # "-tTitle", "-t=Title"
            options[long[word[:2]]] = word[2:].removeprefix("=")
        elif word.startswith("-"):
            options[long.get(name, name)] = value if equals else next(rest, "") if word in _VALUED else ""
        elif _REDIRECTED.match(word):
            break
        else:
            names.append(word)
    return names, options


def _bd(verb: str, names: list[str], options: dict[str, str], output: str) -> list[TaskRecord]:
    if (
        verb == "create"
        and (title := options.get("--title") or next(iter(names), ""))
        and (made := _CREATED.search(output))
    ):
        fields = {"title": title, "description": options.get("--description", "")}
        if "--priority" in options:
            fields["priority"] = _known(priority_of, options["--priority"], "medium")
        relations = {"parent": [options["--parent"]]} if options.get("--parent") else {}
        return [TaskRecord(made[1], fields, relations=relations)]
    if verb == "close":
        outcome = {"outcome": options["--reason"]} if options.get("--reason") else {}
        return [_told(name, dict(outcome), "done", output) for name in names]
    if verb == "reopen" or (verb == "update" and "--status" in options):
        status = "in_progress" if verb == "reopen" else _known(status_of, options["--status"], "")
        return [_told(name, {}, status, output) for name in names if status]
    if verb == "dep" and names[:1] == ["add"] and len(names) >= 3:
        return [TaskRecord(names[1], {}, "", {"blocked_by": [names[2]]}, only_known=True)]
    return list(issues_of_bd(output)) if verb in ("show", "list", "ready", "blocked") else []


def _told(name: str, fields: dict[str, Any], status: str, output: str) -> TaskRecord:
    """Return a command on an issue. One that the tracker confirms is there, though nothing told of it before."""
    confirmed = re.search(rf"(?:Updated|Closed|Reopened)(?: issue:?)? {re.escape(name)}(?![\w.-]*\w)", output, re.I)
    return TaskRecord(name, fields, status, only_known=True, unknown_title=name if confirmed else "")


def _gh(verb: str, names: list[str], options: dict[str, str], output: str) -> list[TaskRecord]:
    made = _ISSUE_URL.search(output)
    if verb == "create" and options.get("--title") and made:
        fields = {"title": options["--title"], "description": options.get("--description", "")}
        return [TaskRecord(f"{made[1]}#{made[2]}", fields)]
    owner = options.get("--repo", "")
    if verb in ("list", "view"):
        return list(issues_of_gh(output, owner))
    status = {"close": "done", "reopen": "in_progress"}.get(verb, "")
    return [
        TaskRecord(f"{owner}#{name.lstrip('#')}", {}, status, only_known=True)
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
