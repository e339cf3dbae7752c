"""Fixtures of the tests of searching."""

import pytest
from retrieving import Memory


@pytest.fixture
def memory(tmp_path):
    made = Memory(tmp_path)
    yield made
    made.index.close()
