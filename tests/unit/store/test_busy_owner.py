"""Hooks are answered while their owner works."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

from graphmem import settings
from graphmem.backends.remote.client import start_worker
from graphmem.hooks.respond import respond
from graphmem.model.changes import Link
from graphmem.operations.pipeline import Process
from graphmem.store import Store
from tests.support import STOP_S, wait_until

PROMPT = "How long do uploads wait before they are retried, may I change that?"


def test_a_prompt_is_answered_while_the_index_is_written(tmp_path: Path) -> None:
    store = Store(tmp_path / "store", settings.load_settings(None, {"embedding.provider": "none"}), "demo")
    assert store.own()
    respond(
        store, "UserPromptSubmit", {"session_id": "first", "prompt": "Uploads must wait 90 s before they are retried."}
    )
    store.run(Process())
    writes, answered = threading.Event(), threading.Event()
    said: list[dict[str, object]] = []

    def links() -> Iterator[Link]:
        writes.set()
        answered.wait(STOP_S)
        yield from ()

    def ask() -> None:
        said.append(respond(store, "UserPromptSubmit", {"session_id": "second", "prompt": PROMPT}))
        answered.set()

    writer = threading.Thread(target=store.text.apply, args=((), (), links(), {}))
    writer.start()
    wait_until(writes.is_set)
    threading.Thread(target=ask, daemon=True).start()
    try:
        wait_until(lambda: said)
    finally:
        answered.set()
        writer.join()
    assert "90 s" in str(said[0])
    store.close()


def test_workers_leave_the_processor_to_what_somebody_waits_for(tmp_path: Path) -> None:
    worker = start_worker("fold", tmp_path)
    assert isinstance(worker, subprocess.Popen)
    try:
        assert os.getpriority(os.PRIO_PROCESS, worker.pid) > os.getpriority(os.PRIO_PROCESS, 0)
    finally:
        worker.kill()
        worker.communicate()
