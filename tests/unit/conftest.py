"""Which graph engine tests of rules use. A store on the default engine, in files, takes .4 s of processor time to make and close,
one in SQLite tables .07 s, and rules over a log do not ask which it is."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from support import EXPLORES

_BY_RULES = frozenset({"code", "cognify", "endless", "export", "forget", "hooks", "memify", "sync", "tasks", "tree"})
# One file of each area stays on the default engine: own labels, what is merged, what hooks answer, fields of code, tombstones.
_ON_DEFAULT = frozenset(
    {
        "test_formats_wellformed",
        "test_typed",
        "test_merging",
        "test_hooks_respond",
        "test_code_fields",
        "test_forest",
        "test_labels",
    }
)
_VARIABLE = "GRAPHMEM_GRAPH__ENGINE"


@pytest.fixture(scope="module", autouse=True)
def _graph_of_rules(request: pytest.FixtureRequest) -> Iterator[None]:
    """Daily, graphs of these tests are in SQLite tables; before a release, or where the environment names an engine, they are on
    that one. That the engines answer alike, query by query, is what the contracts and the tests of shared queries say."""
    path = request.path
    daily = path.parent.name in _BY_RULES and path.stem not in _ON_DEFAULT
    with pytest.MonkeyPatch.context() as patch:
        if daily and not EXPLORES and _VARIABLE not in os.environ:
            patch.setenv(_VARIABLE, "sqlite")
        yield
