"""A text over the limit keeps its ends and says what is missing; no secret and no private part comes through at the cut."""

from __future__ import annotations

import pytest
from support import assert_about_linear, with_deep

from graphmem import Memory
from graphmem.cognify.statements import find_statements
from graphmem.log.append import _CUT_OVERLAP_CHARS, _KEPT_END_CHARS
from graphmem.model.bounds import MARK
from graphmem.model.limits import MAX_TEXT_CHARS
from graphmem.text.passages import split_passages
from graphmem.text.placenames import named_files, named_symbols

_KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEAzqhidden0\n" * 60 + "-----END RSA PRIVATE KEY-----"


def stored(memory: Memory, text: str, role: str = "user") -> dict[str, object]:
    id = memory.observe(text, role=role)
    return next(event.payload for event in memory.history() if event.id == id)


def lines(size: int) -> str:
    return "".join(f"line {number} of a long log\n" for number in range(size // 20))[:size]


def test_both_ends_stay_and_the_mark_counts_what_is_missing(memory: Memory) -> None:
    text = f"the beginning {lines(3_000_000)} the end"
    payload = stored(memory, text)
    content = str(payload["content"])
    head, _, rest = content.partition("\n[… ")
    missing, _, tail = rest.partition(" characters left out …]\n")
    assert len(content) <= MAX_TEXT_CHARS and text.startswith(head) and text.endswith(tail)
    assert int(missing.replace(",", "")) == len(text) - len(head) - len(tail) and min(len(head), len(tail)) > 400_000
    assert payload[MARK] == {"texts": 1}
    assert str(stored(memory, lines(MAX_TEXT_CHARS))["content"]) == lines(MAX_TEXT_CHARS)


_SECRETS = [
    _KEY,
    "<private>" + "zqhidden words " * 3_000 + "</private>",
    "password = 'zqhidden zqhidden zqhidden'",
    '{"api_key": "zqhidden0A1b2C3d4E5f6G7h8"}',
    "<private>\nzqhidden " + "zqhidden words " * 9_000,
]
_CUTS = list(zip(_SECRETS, (0.2, 0.9, 0.9, 0.2, 0.2), strict=True))  # daily, each in one of two places


@pytest.mark.parametrize(("secret", "part"), with_deep(_CUTS, [(secret, 1.1 - part) for secret, part in _CUTS]))
def test_nothing_secret_comes_through_at_a_cut(memory: Memory, secret: str, part: float) -> None:
    before = int(len(secret) * part)
    for at in (_KEPT_END_CHARS, 2_000_000 - _KEPT_END_CHARS, 2_000_000 - _KEPT_END_CHARS - _CUT_OVERLAP_CHARS):
        text = lines(at - before - 1) + "\n" + secret + "\n" + lines(2_000_000 - at)
        content = str(stored(memory, text, "tool")["content"])
        assert "zqhidden" not in content and len(content) <= MAX_TEXT_CHARS


@pytest.mark.parametrize("unit", ["\\", ".", "-", "a/", "aB.", "0f3c", "é", "x\t"])
def test_a_text_without_sentences_takes_time_in_proportion_to_its_length(unit: str) -> None:
    def read(size: int) -> None:
        text = unit * (size // len(unit))
        named_files(text)
        named_symbols(text)
        split_passages(text)
        list(find_statements(text))

    assert_about_linear(read, 20_000, enough=0.3)
