"""A hook waits for the owner that an earlier one has started, instead of doing the same work beside it."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from graphmem import settings
from graphmem.backends.remote import place
from graphmem.interfaces.hooks.owner import OwnerTimeout, ask_starting, is_starting
from graphmem.store import Store
from tests.support import STOP_S, wait_until

PROMPT = {"session_id": "one", "prompt": "Always run the linter before a commit."}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    Store(tmp_path / "store", settings.load_settings(None, {"embedding.provider": "none"}), "demo").close()
    return tmp_path / "store"


def test_nobody_waits_where_no_owner_starts(store: Path) -> None:
    assert ask_starting(str(store), "UserPromptSubmit", PROMPT, STOP_S) is None
    right = place.claim_start(store)
    assert right is not None and is_starting(str(store))
    with pytest.raises(OwnerTimeout):
        ask_starting(str(store), "UserPromptSubmit", PROMPT, 0.1)
    os.close(right)
    assert not is_starting(str(store)) and place.claim_start(store) is not None


def test_an_owner_answers_once_it_is_there(store: Path) -> None:
    right = place.claim_start(store)
    assert right is not None
    said: list[dict[str, Any] | None] = []
    threading.Thread(
        target=lambda: said.append(ask_starting(str(store), "UserPromptSubmit", PROMPT, STOP_S)), daemon=True
    ).start()
    owner = Store(store, settings.load_settings(None, {"embedding.provider": "none"}), "demo")
    assert owner.own()
    wait_until(lambda: said)
    assert said == [{}] and [event.type for event in owner.log.read(types=["user_prompt"])] == ["user_prompt"]
    owner.close()
    os.close(right)
