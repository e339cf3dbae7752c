"""Shared code of chat readers: a conversation that yields drafts of its turns with original times and stable keys,
project filtering, and mapping of tool names to those of `text.toolcalls`."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graphmem.extract.foreign import text_lines
from graphmem.model.bounds import clamp_time, seconds_to_time
from graphmem.model.bounds import exit_code as bounded_exit
from graphmem.model.events import Draft
from graphmem.model.sources import IngestReport
from graphmem.privacy import strip_private_sections
from graphmem.text.toolcalls import READERS, WRITERS, describe_call, is_own_tool, relative_path

_PATHS = ("file_path", "absolute_path", "target_file", "relativeWorkspacePath", "path", "filePath", "targetFile")
_COMMANDS = ("command", "cmd", "script")
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.M)
_THOUGHT, _THOUGHT_END = (
    re.compile(r"<think(?:ing-content-\w{1,64})?>"),
    re.compile(r"</think(?:ing-content-\w{1,64})?>"),
)
_SHELLS = frozenset({"bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "powershell", "pwsh"})
_TYPES = {"assistant": "agent_response"}
# Limits of numeric times by unit, in microseconds (below 1: nanoseconds).
_UNITS = ((1e11, 1_000_000), (1e14, 1_000), (1e17, 1), (1e20, 0))


@dataclass(slots=True)
class ImportContext:
    """Context of a reader: project, counters, wanted session folders, `folders` of the project, and maximum turns per
    session. `cut`: the current file was not read completely."""

    project: str
    report: IngestReport
    wanted: Callable[[str], bool] = lambda folder: True
    folders: list[str] = field(default_factory=list)
    limit: int | None = None
    cut: bool = False

    def unwanted(self, folder: str) -> bool:
        """Return whether a session in this folder belongs to another project, and count it."""
        if self.wanted(folder):
            return False
        self.report.skip("session of another project")
        self.cut = True
        return True


@dataclass(slots=True)
class Conversation:
    """One session while it is read. `last` is the latest known time, used for turns without one."""

    context: ImportContext
    program: str
    session: str
    last: int
    roots: list[str] = field(default_factory=list)
    branch: str = ""
    _begun: bool = False
    _turns: int = 0

    def add_message(self, role: str, text: object, at: int = 0, ref: str = "") -> Iterator[Draft]:
        """Yield a turn of a person ("user") or model ("assistant"); nothing for an empty text."""
        if not isinstance(text, str) or not text.strip() or self._full():
            return
        yield from self._begin(at)
        payload = {"role": role, "content": text, "ref": ref, "agent": ""}
        yield self._draft(_TYPES.get(role, "user_prompt"), payload, role, ref or self._ordinal(role, text))

    def add_tool_call(
        self, tool: str, given: Mapping[str, Any], output: str, at: int = 0, ref: str = "", *,
        failed: bool = False, exit_code: int | None = None,
    ) -> Iterator[Draft]:  # fmt: skip
        """Yield a tool call with its result. Names are mapped to those of `text.toolcalls`; paths become relative."""
        if is_own_tool(tool, given):
            self.context.report.skip("graphmem's own output")
            return
        if self._full():
            return
        yield from self._begin(at)
        payload = describe_call(
            tool, given, strip_private_sections(output), failed=failed or bool(exit_code), roots=self.roots
        )
        patched = [
            relative_path(path, self.roots)
            for path in _PATCHED.findall(str(given.get("patch") or given.get("command")))
        ]
        if patched and not payload["failed"]:
            payload["writes"] = list(dict.fromkeys(patched))
        if exit_code is not None and "command" in payload:
            payload["exit_code"] = bounded_exit(exit_code)
        payload |= {"ref": ref, "agent": ""}
        yield self._draft("tool_observation", payload, "tool", ref or self._ordinal(tool, output))

    def _begin(self, at: int) -> Iterator[Draft]:
        self.last = at or self.last
        if not self._begun:
            self._begun = True
            cwd = self.roots[0] if self.roots else ""
            payload = {"cwd": cwd, "branch": self.branch, "source": self.program}
            key = f"session:{self.session}"
            yield Draft("session_start", payload, self.last, self.session, self.context.project, "system", key)

    def _draft(self, kind: str, payload: dict[str, Any], actor: str, ref: str) -> Draft:
        self._turns += 1
        key = f"{self.program}:{self.session}:{ref}"
        return Draft(kind, payload, self.last, self.session, self.context.project, actor, key)

    def _full(self) -> bool:
        if self.context.limit is None or self._turns < self.context.limit:
            return False
        self.context.report.skip("turn beyond the limit")
        self.context.cut = True
        return True

    def _ordinal(self, role: str, text: str) -> str:
        """Return the key of a turn without an id: its position and text."""
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
        return f"{self._turns}:{role}:{digest}"


def tool_call_draft(tool: str, given: object, names: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """Return a tool and its arguments, mapped to the names of `text.toolcalls`. `given` may be JSON text, as models write
    it."""
    arguments = as_mapping(given)
    name = names.get(tool, tool)
    if name == "Bash":
        raw = next((arguments[key] for key in _COMMANDS if arguments.get(key)), "")
        arguments = {
            **{key: value for key, value in arguments.items() if key not in _COMMANDS},
            "command": spoken_text(raw),
        }
    elif name in WRITERS | READERS:
        path = next((arguments[key] for key in _PATHS if isinstance(arguments.get(key), str)), "")
        arguments = {**{key: value for key, value in arguments.items() if key not in _PATHS}, "file_path": path}
    return name, arguments


def spoken_text(command: object) -> str:
    """Return a command as typed: `["bash", "-lc", "ls"]` becomes `ls`."""
    if isinstance(command, list):
        words = [str(word) for word in command]
        if len(words) == 3 and words[0] in _SHELLS and words[1].startswith(("-", "/")):
            return words[2]
        return shlex.join(words)
    return command if isinstance(command, str) else ""


def as_mapping(value: object) -> dict[str, Any]:
    """Return an object, or the object in a JSON text; anything else as `{"input": text}`."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError):
            return {"input": value}
    return dict(value) if isinstance(value, Mapping) else {} if value is None else {"input": str(value)}


def text_of(content: object) -> str:
    """Return the text of a message: a string, or its text blocks joined; other content is skipped."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        inner = content.get("text")
        return inner if isinstance(inner, str) else text_of(content.get("parts") or content.get("content") or "")
    if isinstance(content, list):
        return "\n".join(filter(None, map(text_of, content)))
    return ""


def without_thoughts(text: str) -> str:
    """Return a text without the parts in which a model thinks (`<think>…</think>`); an open end stays."""
    kept, reached = [], 0
    for begin in _THOUGHT.finditer(text):
        if begin.start() < reached:
            continue
        end = _THOUGHT_END.search(text, begin.end())
        if end is None:
            break
        kept.append(text[reached : begin.start()])
        reached = end.end()
    return "".join([*kept, text[reached:]])


def parse_time(value: object) -> int:
    """Parse a time to microseconds, 0 if none: ISO 8601 (UTC without a zone), or seconds, milliseconds, microseconds or
    nanoseconds since 1970."""
    if isinstance(value, bool) or value is None:
        return 0
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
        except ValueError:
            return parse_time(float(value)) if re.fullmatch(r"\d{9,20}(\.\d+)?", value.strip()) else 0
        return seconds_to_time((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp())
    if isinstance(value, int | float) and value == value and 0 < value < 1e20:
        unit = next(unit for most, unit in _UNITS if value < most)
        return clamp_time(value * unit if unit >= 1 else value // 1_000)
    return 0


def modified_at(path: Path) -> int:
    """Return the modification time of a file in microseconds: the time of turns without one."""
    return path.stat().st_mtime_ns // 1_000


def read_lines(path: Path, report: IngestReport) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number from 1, record) of a JSON lines file; invalid lines are counted."""
    for number, line in text_lines(path, report):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            yield number, record
        else:
            report.skip("malformed line")
