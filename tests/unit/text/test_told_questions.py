"""Questions are told from statements also where no question mark ends them, in English and Korean."""

from __future__ import annotations

import pytest

from graphmem.text.deciding import extract_statements
from graphmem.text.questions import is_request_for_answer

QUESTIONS = [
    "what was decided about a.py", "What was decided about a.py.", "why did we choose sqlite", "how is the cache keyed",
    "tell me what we settled for the cache", "Which port does the server use", "should we use redis here",
    "did we agree on a limit for uploads", "remind me of the rule for retries", "what about retries, is 3 final?",
    "can you show me the decision on tariffs", "a.py는 어떻게 하기로 결정했지", "캐시 방식은 무엇으로 확정했나",
    "a.py에 대해 결정한 내용 알려줘", "왜 sqlite로 정했어", "결정된 내용이 뭐야",
]  # fmt: skip
STATEMENTS = [
    "What we decided: use sqlite", "When the store is closed, never write.", "How we key the cache: by path.",
    "What is needed is a lock because two writers race.", "Do the tests first.", "No - no surcharge.",
    "Should the disk be full, drop the oldest entry and log it.", "Which means we keep sqlite.", "Can be closed.",
    "캐시는 경로로 키를 만들기로 했다.", "결정: 겨드랑이는 37.5도입니다.", "어떤 경우에도 로그를 지우지 않는다.",
]  # fmt: skip


@pytest.mark.parametrize("sentence", QUESTIONS)
def test_a_question_asks_and_states_nothing(sentence: str) -> None:
    assert is_request_for_answer(sentence)
    assert extract_statements(f"{sentence}\n\nWe keep sqlite.", 100) == "We keep sqlite."


@pytest.mark.parametrize("sentence", STATEMENTS)
def test_a_statement_does_not(sentence: str) -> None:
    assert not is_request_for_answer(sentence)
