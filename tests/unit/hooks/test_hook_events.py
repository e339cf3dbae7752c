"""The table of hook events agrees with the functions that record and answer events, and with what is installed and documented."""

from __future__ import annotations

import re
from pathlib import Path

import graphmem
from graphmem.hooks.capture import RECORDERS
from graphmem.hooks.contexts import CONTEXTS
from graphmem.hooks.events import EVENTS, HookEvent, hook_event
from graphmem.interfaces.install.installer import HOOKS

GUIDE = (Path(graphmem.__file__).parent / "guides" / "agents.md").read_text("utf-8")


def test_each_recorded_event_has_a_recorder() -> None:
    assert set(RECORDERS) == {name for name, event in EVENTS.items() if event.is_recorded}


def test_each_event_with_context_has_a_function_that_finds_it() -> None:
    assert set(CONTEXTS) == {name for name, event in EVENTS.items() if event.has_context}


def test_only_an_event_with_context_searches_after_a_failure() -> None:
    assert not [name for name, event in EVENTS.items() if event.only_after_failure and not event.has_context]


def test_installed_and_documented_events_are_handled() -> None:
    table = GUIDE.partition("| Event |")[2].partition("\n\n")[0]
    documented = {name for row in table.splitlines()[1:] for name in re.findall(r"`([A-Z]\w+)`", row.split("|")[1])}
    assert {name for name, _, _ in HOOKS} <= documented <= set(EVENTS)


def test_an_unknown_event_is_ignored() -> None:
    assert hook_event("Notification") == HookEvent()
