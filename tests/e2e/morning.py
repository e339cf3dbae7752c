"""A morning of an agent in the harbour's repository, as its hooks see it: a failure that is mended, a subagent, a commit, what
is decided and left open, and memories that are injected on the way."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

from graphmem import Memory
from graphmem.hooks.respond import respond

ASKED = "Why does harbour/ledger.py drift by a cent a week? Please mend it and run the tests."
WHY = "AssertionError: 2401 != 2400"
LEFT = "Still open: the invoices are not rounded yet."
TASK = "Find every caller of the ledger and say which need a change."
SECRET = "export HARBOUR=ghp_0123456789abcdefghijABCDEFGHIJ456789"


class Morning:
    """One session, told to the hooks of an open store."""

    def __init__(self, mem: Memory, root: Path, session: str = "morning") -> None:
        self.mem, self.root, self.session = mem, str(root), session
        self.numbers = count(1)

    def hook(self, event: str, **given: Any) -> None:
        """Report an event."""
        respond(self.mem._store, event, {"session_id": self.session, "cwd": self.root, **given})

    def ask(self, prompt: str) -> None:
        """A person asks."""
        self.hook("UserPromptSubmit", prompt=prompt)

    def answer(self, text: str) -> None:
        """The agent answers."""
        self.hook("Stop", last_assistant_message=text)

    def use(self, tool: str, output: str, *, agent: str = "", failed: bool = False, **arguments: Any) -> None:
        """The agent uses a tool, or its subagent does."""
        given = {"tool_name": tool, "tool_input": arguments, "tool_use_id": f"{self.session}-{next(self.numbers)}"}
        given |= {"agent_id": agent} if agent else {}
        self.hook("PreToolUse", **given)
        self.hook("PostToolUse", **given, **({"error": output} if failed else {"tool_response": output}))


def spend_morning(mem: Memory, root: Path) -> None:
    """Work on the ledger, then ask what was decided."""
    morning = Morning(mem, root)
    ledger = str(root / "harbour/ledger.py")
    failure = f"{WHY}\n1 failed\nExit code 1"
    morning.hook("SessionStart", source="startup")
    morning.ask(ASKED)
    morning.use("Read", "class Ledger: ...", file_path=ledger)
    morning.use("Bash", failure, failed=True, command="pytest tests -q")
    morning.use("Grep", "harbour/booking.py:12", agent="scout", pattern="ledger")
    morning.use("Bash", "no such file\nExit code 2", agent="scout", failed=True, command="cat harbour/quay.py")
    morning.use("Task", "booking.py calls it", description="find callers", prompt=TASK)
    morning.use("Edit", "ok", file_path=ledger, old_string="cents", new_string="int(cents)")
    morning.use("Bash", "3 passed", command="pytest tests -q")
    morning.use("Bash", "[main 1a2b3c4] Keep whole cents\n 1 file changed", command="git commit -am 'Keep whole cents'")
    morning.answer(f"We decided to keep whole cents everywhere, because rounding once a night drifts. {LEFT}")
    morning.ask("What was decided about whole cents in harbour/ledger.py?")
    morning.use("Bash", failure, failed=True, command="pytest tests/test_booking.py")
    morning.answer("Whole cents everywhere, refused at the border.")
    mem.process()
