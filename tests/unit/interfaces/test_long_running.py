"""Servers run for days: what ends is given back."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator

import pytest
from nicegui import Client
from nicegui.page import page

from graphmem.interfaces.longrunning import prepare_to_serve
from graphmem.interfaces.web import viewer


@pytest.fixture
def thresholds() -> Iterator[tuple[int, int, int]]:
    usual = gc.get_threshold()
    yield usual
    gc.unfreeze()
    gc.set_threshold(*usual)


def test_a_server_collects_garbage_as_usual_although_its_command_did_not(thresholds: tuple[int, int, int]) -> None:
    gc.set_threshold(100_000, 20, 20)  # as `graphmem.interfaces.entry` does
    prepare_to_serve()
    assert gc.get_threshold() == thresholds and gc.get_freeze_count() > 0


def test_many_pages_that_no_browser_connects_to_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer, "_MANY_PAGES", len(Client.instances) + 2)
    shown = page("/shown")
    pages = [Client(shown) for _ in range(2)]
    for each in pages:
        each.created = time.time() - viewer._CONNECTED_S - 1
    viewer.drop_unseen_pages()
    assert all(each.id in Client.instances for each in pages)  # few: each has a minute
    pages.append(Client(shown))
    viewer.drop_unseen_pages()
    assert [each.id in Client.instances for each in pages] == [False, False, True]
    pages[2].delete()
