"""Token counts, their estimate, and cutting a text to a budget."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.text import tokens

KOREAN = "배포 스크립트가 실패해서 롤백했고 원인은 환경 변수가 빠진 것이었다. 테스트를 추가했습니다."
ENGLISH = "The deployment script failed, so we rolled back; an environment variable had been missing since Tuesday."
CODE = "def retry(times: int = 5) -> None:\n    for attempt in range(times):\n        connect_to_database(attempt)\n"


def test_counts_are_those_of_a_real_vocabulary() -> None:
    assert tokens.count_tokens("") == 0
    assert tokens.count_tokens("The cat sat on the mat.") == 7
    assert tokens.count_tokens(KOREAN) > len(KOREAN)  # a quarter of the characters would undercount it fourfold
    assert tokens.count_tokens("<s>") > 1  # control tokens in a text are plain text


@pytest.mark.parametrize(
    "text", [KOREAN, ENGLISH, CODE, ENGLISH + KOREAN, "데이터베이스 🔥 connection 끊김", "경로/파일.py:12"]
)
def test_the_estimate_is_close_and_rarely_below(text: str) -> None:
    exact = tokens.count_tokens(text)
    assert 0.9 * exact <= tokens.estimate_tokens(text) <= 1.4 * exact


@pytest.mark.parametrize("limit", [1, 5, 17, 40])
@pytest.mark.parametrize("text", [KOREAN * 3, ENGLISH * 3, CODE * 3])
def test_truncation_keeps_nearly_all_that_fits(text: str, limit: int) -> None:
    cut = tokens.truncate_tokens(text, limit)
    assert text.startswith(cut)
    assert limit - 5 <= tokens.count_tokens(cut) <= limit


@given(st.text(alphabet=st.characters(), max_size=200), st.integers(-2, 60))
@settings(deadline=None)
def test_truncation_never_exceeds_and_counts_never_raise(text: str, limit: int) -> None:
    cut = tokens.truncate_tokens(text, limit)
    assert text.startswith(cut) and tokens.count_tokens(cut) <= max(0, limit)
    assert tokens.estimate_tokens(text) >= 0
    if tokens.count_tokens(text) <= limit:
        assert cut == text


@given(st.text(alphabet="ab \n\ud800\udfff한", max_size=30))
@settings(deadline=None)
def test_lone_surrogates_do_no_harm(text: str) -> None:
    assert tokens.count_tokens(text) >= 0 and text.startswith(tokens.truncate_tokens(text, 3))


def test_without_the_vocabulary_the_estimate_serves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tokens, "_VOCABULARY", ("nowhere.json",))
    tokens.tokenizer.cache_clear()
    try:
        assert tokens.count_tokens(ENGLISH) == tokens.estimate_tokens(ENGLISH)
        assert tokens.estimate_tokens(tokens.truncate_tokens(ENGLISH, 7)) <= 7
    finally:
        monkeypatch.undo()
        tokens.tokenizer.cache_clear()


def test_the_estimate_imports_nothing_heavy() -> None:
    code = (
        "import sys; from graphmem.text.tokens import estimate_tokens; estimate_tokens('a b');"
        "print([m for m in ('tokenizers', 'wordllama', 'numpy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
