"""What callers of a shared server may call: each method of `Memory` with the right it needs and the store it concerns. What is
not listed is refused, such as everything that reads files of the server or changes its settings."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from graphmem.interfaces.tenancy.rights import Right

READ, WRITE, ADMIN = Right.READ, Right.WRITE, Right.ADMIN


class Where(Enum):
    """Which of the caller's two stores a method concerns, unless the request chooses one."""

    BOTH = "both"  # answers are merged
    ITEMS = "items"  # each given id in the store that has it
    FIRST = "first"  # the private store, or where it has no such item, the team's
    TEAM = "team"
    PRIVATE = "private"
    DEFAULT = "default"  # what the setting `server.visibility` says
    LAST = "last"  # what was written before, otherwise the team's


class Method(NamedTuple):
    """The right that a method needs on the team store, where it runs, and whether it writes. In one's private store, `WRITE` is
    enough for all that writes."""

    right: Right
    where: Where
    is_writing: bool = False


_W = True
METHODS: Mapping[str, Method] = {
    "search": Method(READ, Where.BOTH),
    "ask": Method(READ, Where.BOTH),
    "timeline": Method(READ, Where.ITEMS),
    "details": Method(READ, Where.ITEMS),
    **{name: Method(READ, Where.FIRST) for name in ("show", "neighbours", "path", "event", "session")},
    **{
        name: Method(READ, Where.TEAM)
        for name in (
            "cypher", "query", "schema", "history", "activity", "analytics", "sessions", "around", "whole_graph", "outbox",
            "categories", "review", "approvals", "stats", "health",
        )
    },
    "observe": Method(WRITE, Where.DEFAULT, _W),
    "observe_many": Method(WRITE, Where.DEFAULT, _W),
    "remember": Method(WRITE, Where.DEFAULT, _W),
    "process": Method(WRITE, Where.LAST),  # completes what was recorded: it writes nothing of its own
    "project_pending": Method(WRITE, Where.LAST),
    "supersede": Method(WRITE, Where.FIRST, _W),
    "merge_entities": Method(ADMIN, Where.TEAM, _W),
    "feedback": Method(WRITE, Where.FIRST, _W),
    "archive": Method(ADMIN, Where.FIRST, _W),
    "restore": Method(ADMIN, Where.FIRST, _W),
    "forget": Method(WRITE, Where.FIRST, _W),  # of the team's, an author forgets the own: see `forgetting`
    "approve": Method(ADMIN, Where.FIRST, _W),
    "reject": Method(ADMIN, Where.FIRST, _W),
    "allow": Method(ADMIN, Where.FIRST, _W),
    "deny": Method(ADMIN, Where.FIRST, _W),
    "memify": Method(ADMIN, Where.TEAM, _W),
    "rebuild": Method(ADMIN, Where.TEAM, _W),
    "config": Method(ADMIN, Where.TEAM),
}  # fmt: skip

_TASKS_READ = (
    "blocked",
    "conditions",
    "context",
    "critical_path",
    "dump",
    "find",
    "match",
    "prime",
    "ready",
    "report",
    "show",
    "steps",
    "unblocks",
)
_TASKS_WRITE = ("block", "claim", "confirm", "create", "link", "release", "reopen", "resolve", "unblock", "update")
_CODE = (
    "api_diff", "callees", "callers", "changes", "dead", "definition", "explain", "file", "files", "history", "hunks", "impact",
    "implementations", "known", "outline", "overview", "owners", "patch", "patches", "path", "references", "root", "routes",
    "source", "tests", "text", "todos", "unresolved",
)  # fmt: skip
_TREE_READ, _TREE_WRITE = ("index", "read", "retrieve", "search", "window"), ("compact", "consolidate", "mark")
_ENDLESS_READ, _ENDLESS_WRITE = ("memories", "status", "working_set"), ("consolidate", "disable", "enable")

# The parts of a memory: `memory.tasks.create` is `SERVICES["tasks"]["create"]`.
SERVICES: Mapping[str, Mapping[str, Method]] = {
    "tasks": {
        **{name: Method(READ, Where.TEAM) for name in _TASKS_READ},
        **{name: Method(WRITE, Where.TEAM, _W) for name in _TASKS_WRITE},
    },
    "code": {name: Method(READ, Where.TEAM) for name in _CODE},
    "tree": {
        **{name: Method(READ, Where.PRIVATE) for name in _TREE_READ},
        **{name: Method(ADMIN, Where.PRIVATE, _W) for name in _TREE_WRITE},
    },
    "endless": {
        **{name: Method(READ, Where.PRIVATE) for name in _ENDLESS_READ},
        **{name: Method(ADMIN, Where.PRIVATE, _W) for name in _ENDLESS_WRITE},
    },
}
