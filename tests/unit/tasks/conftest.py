"""Fixtures of the tests of tasks: a desk with a log and the tasks over it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from task_desk import Desk

from graphmem.tasks.service import Tasks


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.log.close()


@pytest.fixture
def tasks(desk: Desk) -> Tasks:
    return desk.tasks
