"""What an empty list means: what was looked for, and what to try."""

from __future__ import annotations

_ALL = "`graphmem tasks list` shows all tasks"
_CREATE = "`graphmem tasks create TITLE` adds one"
_NOTHING = {
    "tasks ready": f"No task can be started now: none is open, unblocked and unclaimed. {_ALL}, `graphmem tasks blocked` what waits"
    f" for something; {_CREATE}.",
    "tasks list": "No task was found; `--status`, `--file` and `--label` narrow the list. TODO comments are notes:"
    f" `graphmem code todos` lists them. {_CREATE}.",
    "tasks blocked": f"No task waits for anything. {_ALL}; `graphmem tasks block TASK --by BLOCKER` says that one waits.",
    "tasks steps": "No session left a step of its agent's to-do list open. With `--session`, what is done is shown, too.",
    "tasks unblocks": "No task waits for this one. `graphmem tasks show TASK` shows what it waits for itself.",
    "tasks critical-path": f"No open task waits for another one. {_ALL}.",
    "tasks conditions": "No task waits for a condition. `graphmem tasks block TASK --by CONDITION` adds one in words.",
}


def empty_text(verb: str) -> str:
    """Return what to print instead of an empty list.

    >>> empty_text("tasks blocked")[:32], empty_text("activity")
    ('No task waits for anything. `gra', 'Nothing was found.')
    """
    return _NOTHING.get(verb, "Nothing was found.")
