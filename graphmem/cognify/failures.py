"""Follows the failures of one session: what was edited, run and said between a failure and the moment at which the same
work succeeded. Attempts after which the error came back are left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from graphmem.cognify.episodes import IMPROVISED, same_work
from graphmem.cognify.episodes import NAME as EPISODES
from graphmem.cognify.misnamed import is_misnamed
from graphmem.cognify.packed_entries import Entry
from graphmem.patterns import compile_later
from graphmem.text.toolcalls import runs_tests

_WORD = compile_later(r"\w{5,}")
_SOON = 4  # answers within which an explanation is about the failure
_NEXT = 10  # answers within which a similar command was the one that was meant
# Commands that change nothing: they look, compare, test or save; and those whose output is searched.
_LOOKS = compile_later(
    r"(?:ls|cat|head|tail|grep|rg|find|wc|pwd|which|tree|file|stat|diff|echo|ps|env|date|less|sed -n|jq|du|df|history|type"
    r"|curl|sleep"
    r"|git (?:add|commit|push|status|log|diff|show|branch|blame|ls-files|remote|rev-parse|stash list)"
    r"|gh |bd (?:show|list|ready)|docker (?:ps|logs)|kubectl (?:get|logs|describe))\b"
)
_SETTING = compile_later(r"(?:^|(?<=\s))[A-Z_][A-Z0-9_]*=\S*")  # PYTHONPATH=src
_SEARCHED = compile_later(r"\|\s*(?:tail|head|grep|rg|wc|less|sort)\b")


@dataclass(slots=True)
class Failure:
    """One occurrence, and what happened until it was overcome. `passed`: the work succeeded, rather than failing with
    another error; `replaced`: another command did in its place."""

    project: str
    session: str
    at: int
    clock: int
    label: str
    node: str
    command: str
    key: str
    error: str
    signature: str
    detail: str = ""
    file: str = ""
    line: int = 0
    files: dict[str, str] = field(default_factory=dict)  # path -> the line that an edit put in
    commands: dict[str, None] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)  # kind -> first fact
    answers: int = 0  # of the agent since it happened
    solved_by: tuple[str, str] = ("", "")  # (label, node) of what showed that it was overcome
    solved_command: str = ""
    passed: bool = False
    replaced: bool = False
    commit: tuple[str, str] = ("", "")

    @property
    def solved(self) -> bool:
        """Return whether the same work later got past it."""
        return bool(self.solved_by[1])

    def solve(self, entry: Entry, command: str, *, passed: bool) -> None:
        """Note what got past the failure: the same work succeeded with this command."""
        self.solved_by = entry.body["label"], entry.body["node"]
        self.solved_command, self.passed = command, passed
        self.replaced = passed and command != self.command and not self.files

    def has_other_setting(self, command: str) -> bool:
        """Return whether a command of the same work sets other variables of the environment: that is what helped."""
        return set(_SETTING.findall(command)) != set(_SETTING.findall(self.command))

    def keep_connected(self) -> None:
        """Keep of what was done since only the changes to files that the failure itself names."""
        told = f"{self.error}\n{self.detail}\n{self.file}"
        self.files = {path: edit for path, edit in self.files.items() if path in told}
        self.commands = {}


def failures_of(entries: Iterable[Entry]) -> list[Failure]:
    """Return the failures among the entries of one place, in their order."""
    course = _Course()
    for entry in entries:
        course.take(entry)
    return course.found


class _Course:
    """The state of a session while its entries are read."""

    def __init__(self) -> None:
        self.found: list[Failure] = []
        self._open: list[Failure] = []
        self._fixed: list[Failure] = []  # overcome, but not committed yet

    def take(self, entry: Entry) -> None:
        body = entry.body
        if entry.step != EPISODES:
            self._explain([*body["facts"], *body.get("explains", ())])
            return
        match body["kind"]:
            case "tell":
                for failure in self._open:
                    failure.answers += 1
            case "write":
                for failure in self._open:
                    for path in body["files"]:
                        failure.files[path] = failure.files.pop(path, "") or body.get("edit", "")
            case "run" if body["ok"]:
                self._succeeded(entry)
            case "run" if "error" in body:
                self._failed(entry, body, body["keys"][-1] if body["keys"] else "")
            case "tests":
                self._tested(entry)

    def _explain(self, facts: Iterable[dict[str, Any]]) -> None:
        """Keep what is said soon after a failure in words of that failure: it explains it."""
        for failure in self._open:
            if failure.answers < _SOON:
                words = _words(f"{failure.error} {failure.command} {failure.detail}")
                for fact in (fact for fact in facts if words & _words(fact["content"])):
                    failure.said.setdefault(fact["kind"], fact["content"])

    def _succeeded(self, entry: Entry) -> None:
        body, left = entry.body, []
        for failure in self._open:
            if failure.key and any(same_work(failure.key, key) for key in body["keys"]):
                if failure.has_other_setting(body["command"]):
                    failure.keep_connected()
                failure.solve(entry, body["command"], passed=True)
                self._fixed.append(failure)
            elif failure.answers < _NEXT and any(is_misnamed(failure.key, key, failure.error) for key in body["keys"]):
                # Nothing but the name was wrong, unless what has the right name was only made now.
                made = {path: edit for path, edit in failure.files.items() if path in body["command"]}
                failure.files, failure.commands = made, {}
                failure.solve(entry, body["command"], passed=True)
                self._fixed.append(failure)
            else:
                left.append(failure)
                if _acts(body):
                    failure.commands[body["command"]] = None
        self._open = left
        for hash_, subject in body.get("commits", ()):
            for failure in self._fixed:
                if failure.files:
                    failure.commit = (hash_, subject)
            self._fixed = []

    def _failed(self, entry: Entry, told: dict[str, Any], key: str) -> None:
        body, left = entry.body, []
        program = key.split(" ")[0]
        command = str(body.get("command") or f"{body.get('name', '')}: {told.get('name', '')}".strip(": "))
        for failure in self._open:
            again = failure.signature == told["signature"] and failure.key.split(" ")[0] == program
            if again:  # what was tried in between did not help
                failure.files, failure.commands = {}, {}
                left.append(failure)
            elif (
                body["kind"] == "run"
                and same_work(failure.key, key)
                and (failure.files or failure.commands or failure.has_other_setting(command))
            ):
                if failure.has_other_setting(command):
                    failure.keep_connected()
                failure.solve(entry, command, passed=False)
                self._fixed.append(failure)
            else:
                left.append(failure)
        new = Failure(*entry.place, entry.at, entry.clock, body["label"], body["node"], command, key, told["error"],
                      told["signature"], told.get("detail", ""), told.get("file", ""), told.get("line", 0))  # fmt: skip
        self.found.append(new)
        self._open = [*left, new]

    def _tested(self, entry: Entry) -> None:
        """Note the failures that no longer occur in a run of the same tests."""
        body, left = entry.body, []
        head = f"test {body['name']} "
        failing = {head + failure["name"] for failure in body["failures"]}
        for failure in self._open:
            if failure.key.startswith(head) and failure.key not in failing:
                failure.solve(entry, body["name"], passed=True)
                self._fixed.append(failure)
            else:
                left.append(failure)
        self._open = left
        for failed in body["failures"]:
            self._failed(entry, failed, head + failed["name"])


def _acts(body: dict[str, Any]) -> bool:
    """Return whether a command may have changed something."""
    command = body["command"]
    if body.get("commits") or _SEARCHED.search(command) or IMPROVISED.search(command):
        return False
    return any(not _LOOKS.match(key) and not runs_tests(key) for key in body["keys"])


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}
