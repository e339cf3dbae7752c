"""What tests of whole processes share. The files that need a browser follow each other in one worker, with one browser and, unless
they need a store of their own, one server."""

from __future__ import annotations

import sys

import pytest

BROWSES = "test_viewer"  # the beginning of the names of these files


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """After the last test in a browser, end what is kept: its driver keeps the event loop of this thread."""
    if "serving" in sys.modules and (nextitem is None or not nextitem.path.name.startswith(BROWSES)):
        sys.modules["serving"].end_kept()
