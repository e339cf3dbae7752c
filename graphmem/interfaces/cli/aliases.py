"""Other words that people type for a command, and options that they type in front of it. Imports nothing: every command line
passes here."""

from __future__ import annotations

_OF_CODE = (
    "callers", "callees", "impact", "source", "implementations", "changes", "definition", "dead", "unresolved", "overview",
    "routes", "files", "outline", "todos", "api-diff",
)  # fmt: skip
_OF_TASKS = ("ready", "blocked", "claim", "prime")
ALIASES = {
    "add": "remember", "save": "remember", "find": "search", "query": "search", "grep": "code text", "info": "stats",
    "version": "--version",
    **{name: f"code {name}" for name in _OF_CODE}, **{name: f"tasks {name}" for name in _OF_TASKS},
}  # fmt: skip


def expand_aliases(words: list[str]) -> list[str]:
    """Return a command line with the command's own name in front: `--json callers f` becomes `code callers f --json`."""
    as_json = words[:1] == ["--json"]
    words = words[as_json:]
    if words and words[0] in ALIASES:
        words = [*ALIASES[words[0]].split(), *words[1:]]
    if as_json and words:
        end = words.index("--") if "--" in words else len(words)
        words = [*words[:end], "--json", *words[end:]]
    return words
