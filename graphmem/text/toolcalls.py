"""Interprets tool calls of coding agents: which files were read or written, which command ran, its status, and which
commits it made. Shared by transcripts and hooks; tool names are those of Claude Code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from graphmem.model.bounds import exit_status

SPAWNERS = frozenset({"Task", "Agent"})  # which start a subagent
WRITERS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
READERS = frozenset({"Read", "NotebookRead"})
_COMMIT = re.compile(r"^\[\S+(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.*)$", re.M)
_OWN_TOOL = re.compile(r"mcp__(plugin_graphmem_)?graphmem__")
_OWN_COMMAND = re.compile(r"\s*(?:cd \S+ *&& *)?graphmem\s")
_EXIT = re.compile(r"^Exit code (\d+)\b|<exit_code>(\d+)</exit_code>", re.M)

_STEP = re.compile(r"&&|\|\||;|\n")
_TESTS = re.compile(
    r"(?:[A-Z_]+=\S* +)*(?:(?:npx|yarn|pnpm|uv run|poetry run|bundle exec|(?:[\w.~-]*/)*py(?:thon)?[\d.]* -m) +)*(?:[\w.~-]*/)*"
    r"(?:vitest|jest|pytest|unittest|mocha|rspec|tox|nox|phpunit"
    r"|ctest)\b|(?:mix|cargo|go|npm|pnpm|yarn|bun|deno|make|rake|dotnet|gradle|\./gradlew|mvn|swift) (?:run )?(?:test|check)\b"
)
_ASIDE = re.compile(
    r"-|\d?>|[A-Z_]+=|(?:[\w.~-]*/)*py(?:thon)?[\d.]*$"
)  # a flag, a redirection, a variable, an interpreter


def runs_tests(command: str) -> bool:
    """Return whether a step of a command line runs tests."""
    return bool(tests_run_by(command))


def tests_run_by(command: str) -> frozenset[str]:
    """Return the words of a command line that say which tests run, without flags and variables: a run with fewer of them
    includes a run with more. Empty if no step runs tests.

    >>> sorted(tests_run_by("cd api && CI=1 pytest -x tests/unit 2>&1 | tail -3")), tests_run_by("ls tests")
    (['pytest', 'tests/unit'], frozenset())
    """
    steps = (step.partition("|")[0].strip() for step in _STEP.split(command))
    words = (word for step in steps if _TESTS.match(step) for word in step.split())
    return frozenset(word for word in words if not _ASIDE.match(word))


def relative_path(path: str, roots: Sequence[str]) -> str:
    """Return a path relative to the shortest root that contains it, with `/`; unchanged if none does."""
    path = path.replace("\\", "/")
    for root in sorted(roots, key=len):
        base = root.replace("\\", "/").rstrip("/")
        if path == base:
            return "."
        if path.startswith(base + "/"):
            return path[len(base) + 1 :]
    return path[2:] if path.startswith("./") else path


def is_own_tool(tool: str, arguments: Mapping[str, Any]) -> bool:
    """Return whether a call queried this memory: its answers are never recorded again."""
    command = arguments.get("command")
    return bool(_OWN_TOOL.match(tool)) or (isinstance(command, str) and bool(_OWN_COMMAND.match(command)))


def describe_call(
    tool: str, arguments: Mapping[str, Any], output: str, *, failed: bool, roots: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the payload of a `tool_observation`: tool, input, content (the output), failed, and if applicable command,
    exit_code, reads, writes, commits ([hash, subject])."""
    payload: dict[str, Any] = {
        "role": "tool",
        "tool": tool,
        "input": dict(arguments),
        "content": output,
        "failed": failed,
    }
    path = arguments.get("file_path") or arguments.get("notebook_path")
    if isinstance(path, str) and path and (tool in WRITERS or tool in READERS):
        payload["writes" if tool in WRITERS else "reads"] = [relative_path(path, roots)]
    command = arguments.get("command")
    if isinstance(command, str) and command:
        payload["command"] = command
        payload["exit_code"] = exit_code(output, failed=failed)
        payload["commits"] = [[hash_, subject.strip()] for hash_, subject in _COMMIT.findall(output)]
    return payload


def exit_code(output: str, *, failed: bool) -> int:
    """Return the exit status in the output; otherwise 0 or 1."""
    match = _EXIT.search(output[:2_000])
    return exit_status(match[1] or match[2]) if match else int(failed)


def brief_call(payload: Mapping[str, Any], limit: int = 2_000) -> str:
    """Return the text to index for a tool call: tool, input in one line, head and tail of the output."""
    given = payload.get("input", {})
    what = payload.get("command") or next(
        (str(given[name]) for name in ("file_path", "notebook_path", "pattern", "url", "query", "prompt", "description")
         if given.get(name)), "")  # fmt: skip
    if payload.get("tool") in READERS | WRITERS:
        name = PurePosixPath(what.replace("\\", "/")).name
        change = str(given.get("new_string") or given.get("content") or "") if payload["tool"] in WRITERS else ""
        return f"{payload['tool']} {what} {name}\n{shorten_text(change, limit)}".strip()
    return f"{payload.get('tool', '')}: {what}\n{shorten_text(str(payload.get('content', '')), limit)}".strip()


def told_call(payload: Mapping[str, Any]) -> str:
    """Return the text to find a tool call by. What a subagent was asked to do tells nothing: only its short description is kept,
    with the answer.

    >>> told_call({"tool": "Task", "input": {"description": "review", "prompt": "Is the TTL 60 s?"}, "content": "No, 90 s."})
    'Task: review\\nNo, 90 s.'
    """
    given = payload.get("input", {})
    if payload.get("tool") in SPAWNERS and given.get("description"):
        payload = {**payload, "input": {"description": given["description"]}}
    return brief_call(payload)


def shorten_text(text: str, limit: int) -> str:
    """Return head and tail of a long text, with a marker between them; at most `limit` characters."""
    if len(text) <= limit:
        return text
    marker = "\n[…]\n"
    half = (limit - len(marker)) // 2
    return text[: limit - len(marker) - half] + marker + text[-half:]
