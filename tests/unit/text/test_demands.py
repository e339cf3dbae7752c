"""Sentences that demand something for good, in the forms in which people say it, and orders for the work at hand, which are no rules."""

from __future__ import annotations

from itertools import product

import pytest

from graphmem.text.demands import demands_for_good

SUBJECTS = ("Tests", "Commit messages", "All SQL statements", "Every new endpoint", "Public functions", "Branch names")
MUST = ("must be checked by the linter", "must never contain a secret", "have to follow the guide", "should always name the ticket",
        "must not exceed 80 characters")  # fmt: skip
KOREAN_SUBJECTS = ("커밋 메시지는", "새 유틸은", "PR 은", "날짜는", "API 응답은")
KOREAN_ORDERS = ("항상 영어로 써.", "꼭 테스트를 같이 넣어줘.", "반드시 squash merge 로 합쳐.", "무조건 UTC로 저장해.", "절대 수동으로 고치지 마.",
                 "항상 snake_case로 내려주세요.", "앞으로 문서에 남겨둬.")  # fmt: skip


@pytest.mark.parametrize(("subject", "must"), list(product(SUBJECTS, MUST)))
def test_what_things_of_a_kind_must_be_is_demanded_for_good(subject: str, must: str) -> None:
    assert demands_for_good(f"{subject} {must}.")
    assert not demands_for_good(f"{subject} {must} today.")
    assert not demands_for_good(f"{subject} {must}?")


@pytest.mark.parametrize(("subject", "order"), list(product(KOREAN_SUBJECTS, KOREAN_ORDERS)))
def test_a_plain_korean_order_for_always_is_demanded_for_good(subject: str, order: str) -> None:
    assert demands_for_good(f"{subject} {order}")
    assert not demands_for_good(f"이번 {subject} {order}")


@pytest.mark.parametrize(
    "said",
    [
        "Tests must run with `make check`, not with npm test.",
        "Use `make check` for the tests, not npm test.",
        "We never add a runtime dependency, and tests must run with `make check`.",
        "Run `cargo fmt` before every commit.",
        "From now on every migration needs a rollback script.",
        "npm 쓰지 말고 항상 pnpm 써.",
        "main에는 직접 푸시하지 마.",
        "커밋하기 전에 항상 린트 돌려.",
        "Every public function needs a docstring.",
        "All migrations require a rollback script.",
        "로그는 stdout 말고 stderr 로 찍어.",
        "함수마다 docstring 을 달아줘, 항상.",
    ],
)
def test_one_way_rather_than_another_is_demanded_for_good(said: str) -> None:
    assert demands_for_good(said)


@pytest.mark.parametrize(
    "said",
    [
        "Use the new helper here.",
        "Run the tests with `make check` now, please.",
        "Use `make check` this time, not npm test.",
        "The test must have failed because of the cache.",
        "This must be fixed today.",
        "Tests must be fixed before the release.",
        "It always fails on the second run.",
        "Tests always fail on Mondays.",
        "The server never answers when the queue is full.",
        "Do we have to squash before merging?",
        "이 함수만 영어로 써.",
        "지금 테스트 돌려줘.",
        "항상 실패해.",
        "테스트가 항상 느려.",
        "새 유틸에 단위 테스트를 추가해줘.",
        "꼭 오늘 끝내야 해?",
        "매번 두 번 실행했어.",
        "All requests need a few seconds.",
        "All tests need a rerun.",
        "그거 말고 이걸로 해줘.",
        "이번 로그는 stdout 말고 stderr 로 찍어.",
        "서버는 A 말고 B 에 있어.",
    ],
)
def test_work_at_hand_and_what_is_observed_is_not_demanded_for_good(said: str) -> None:
    assert not demands_for_good(said)
