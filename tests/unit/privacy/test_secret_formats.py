"""The table of formats: every row matches what is made of it, many providers are known, and the shares of secrets that stay on
values nobody has seen, with a third of the providers held out, are within bounds."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from graphmem.bench.redaction import over_formats
from graphmem.privacy.formats import add_checksum, load_formats, make_example, pattern_of
from graphmem.privacy.judge import CHECKS


def test_every_row_matches_its_examples() -> None:
    for row in load_formats():
        assert row.check in CHECKS
        for seed in range(3):
            assert re.fullmatch(pattern_of(row.parts), make_example(row, Random(seed))), row


def test_many_providers_are_known() -> None:
    assert len({row.provider for row in load_formats()}) >= 300
    assert len({row.provider for row in load_formats() if not row.beside}) >= 200


def test_a_checksum_follows_from_what_it_signs() -> None:
    token = make_example(next(row for row in load_formats() if row.provider == "npm"), Random(1))
    assert add_checksum(token) == token and add_checksum(token[:-1] + ("a" if token[-1] != "a" else "b")) == token


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return over_formats(1)


def test_little_stays_of_values_nobody_has_seen(found: dict[str, Any]) -> None:
    assert found["known"]["share"] < 0.01 and found["unknown"]["share"] < 0.1
    assert found["chosen"]["share"] < 0.1 and found["clean"]["share"] < 0.01


def test_little_stays_of_labelled_values(found: dict[str, Any]) -> None:
    assert found["labelled"]["share"] < 0.02 and found["labelled unknown"]["share"] < 0.06
    assert found["output"]["share"] < 0.15 and found["clean"]["share"] < 0.001
