"""Other words that people type for a command, the groups of commands, and options that people type in front of a command.
Imports nothing: every command line passes here."""

from __future__ import annotations

# Groups of commands that `graphmem --help` does not list one by one: group -> its commands. Each also runs without its group:
# `graphmem store rebuild` is `graphmem rebuild`.
GROUPS = {
    "record": "conclude observe capture run ingest index watch feedback archive restore supersede merge-entities",
    "browse": "timeline details history sessions session activity analytics neighbours path around schema stats explain",
    "agents": "uninstall mcp hook tools token users pause resume review allow deny approvals approve reject",
    "store": "process rebuild export merge move memify categories schedule outbox stop adopt join projector",
    "memory": "tree endless shared team",
}
_WITH_VERBS = frozenset(
    {*GROUPS, "tasks", "code", "tree", "endless", "shared", "token", "users", "team"}
)  # a command of it follows

_OF_CODE = (
    "callers", "callees", "impact", "source", "implementations", "changes", "definition", "dead", "unresolved", "overview",
    "routes", "files", "outline", "todos", "api-diff",
)  # fmt: skip
_OF_TASKS = ("ready", "blocked", "claim", "prime")
ALIASES = {
    "add": "remember", "save": "remember", "note": "remember", "find": "search", "query": "search", "recall": "search",
    "grep": "code text", "info": "stats", "log": "history", "delete": "forget", "check": "doctor", "setup": "init",
    "connect": "install", "disconnect": "uninstall", "version": "--version",
    **{name: f"code {name}" for name in _OF_CODE}, **{name: f"tasks {name}" for name in _OF_TASKS},
}  # fmt: skip
# `graphmem tasks done TASK`: the verb that people type -> the status that it sets.
STATUS_OF_VERB = {
    "done": "done", "close": "done", "complete": "done", "finish": "done", "start": "in_progress", "cancel": "cancelled",
}  # fmt: skip


def expand_aliases(words: list[str]) -> list[str]:
    """Return a command line with the command's own name in front: `--json callers f` becomes `code callers f --json`,
    `store --json rebuild` becomes `rebuild --json`, `tasks done T` becomes `tasks update T --status done`, and `log FILE`
    becomes `code history FILE`."""
    words, as_json = _without_json(words, 0)
    while words and words[0] in _WITH_VERBS:
        words, inner = _without_json(words, 1)
        as_json = as_json or inner
        if words[0] not in GROUPS or len(words) < 2 or words[1] not in GROUPS[words[0]].split():
            break
        words = words[1:]
    if words and words[0] in ALIASES:
        words = [*ALIASES[words[0]].split(), *words[1:]]
    if words[:1] == ["history"] and len(words) > 1 and not words[1].startswith("-"):
        words = ["code", *words]  # that of a file or a symbol
    if words[:1] == ["tasks"] and len(words) > 1 and words[1] in STATUS_OF_VERB:
        words = _with_options(["tasks", "update", *words[2:]], "--status", STATUS_OF_VERB[words[1]])
    return _with_options(words, "--json") if as_json and words else words


def _with_options(words: list[str], *options: str) -> list[str]:
    """Return the words with these options at the end, but before a `--`."""
    end = words.index("--") if "--" in words else len(words)
    return [*words[:end], *options, *words[end:]]


def _without_json(words: list[str], place: int) -> tuple[list[str], bool]:
    """Return the words without a `--json` at this place, and whether it was there."""
    if words[place : place + 1] != ["--json"]:
        return words, False
    return [*words[:place], *words[place + 1 :]], True
