"""Words that people type for a command lead to a command that exists."""

from __future__ import annotations

import pytest
from typer.main import get_command

from graphmem.interfaces.cli.aliases import ALIASES, GROUPS, STATUS_OF_VERB, expand_aliases
from graphmem.interfaces.cli.main import build
from graphmem.interfaces.verbs.registry import VERBS


def test_each_alias_leads_to_a_command_and_hides_none() -> None:
    names = {verb.name for verb in VERBS}
    commands = {*get_command(build()).commands}
    assert set(ALIASES.values()) - {"--version"} <= names | commands
    assert "tasks update" in names and not {f"tasks {verb}" for verb in STATUS_OF_VERB} & names
    assert not set(ALIASES) & ({name.split()[0] for name in names} | commands | set(GROUPS))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("callers f", "code callers f"),
        ("--json callers f --limit 3", "code callers f --limit 3 --json"),
        ("--json run -- make test", "run --json -- make test"),
        ("add text", "remember text"),
        ("version", "--version"),
        ("search callers", "search callers"),
        ("store rebuild", "rebuild"),
        ("--json memory tree read ID", "tree read ID --json"),
        ("store --json rebuild", "rebuild --json"),
        ("tasks --json ready", "tasks ready --json"),
        ("memory tree --json read ID", "tree read ID --json"),
        ("store", "store"),
        ("store --help", "store --help"),
        ("store nonsense", "store nonsense"),
        ("agents token new", "token new"),
        ("tasks done T", "tasks update T --status done"),
        ("log lib/a.js --json", "code history lib/a.js --json"),
        ("history --last 3", "history --last 3"),
        ("browse history f", "code history f"),
        ("--json tasks start T", "tasks update T --status in_progress --json"),
        ("tasks close -- -T", "tasks update --status done -- -T"),
        ("tasks", "tasks"),
        ("--json", ""),
        ("", ""),
    ],
)
def test_a_command_line_begins_with_the_commands_own_name(typed: str, meant: str) -> None:
    assert expand_aliases(typed.split()) == meant.split()
