"""Facts from Korean turns of coding sessions: rules, decisions, limits and causes become facts in plain and polite speech;
requests, reports of the moment and chatter do not. And what neither English nor Korean is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphmem.cognify import facts
from graphmem.cognify.source import Source
from graphmem.model.events import Event

MONDAY = int(datetime(2026, 3, 9, 12, tzinfo=UTC).timestamp() * 1_000_000)


def made(text: str, role: str = "user") -> list[tuple[str, str]]:
    type_ = "user_prompt" if role == "user" else "agent_response"
    event = Event(1, "e1", type_, 1, MONDAY, MONDAY, "o", "s", "p", "", {"content": text, "role": role})
    (body,) = facts.derive([Source(event, "Turn", "e1", "e1")])
    return [(fact["kind"], fact["content"]) for fact in body["facts"]] if body else []


@pytest.mark.parametrize(
    ("role", "text"),
    [
        ("user", "커밋 메시지는 항상 영어로 작성해줘."),
        ("user", "아니야, 타임아웃은 30초가 아니라 45초야."),
        ("user", "PR은 최소 두 명의 승인을 받아야 머지할 수 있어."),
        ("user", "디자인 시스템은 더 이상 Material UI를 쓰지 않고 Radix로 옮겼어."),
        ("user", "테스트 커버리지는 80% 아래로 떨어지면 안 돼."),
        ("assistant", "Safari는 `Date` 생성자에서 `2024-01-01 10:00` 형식을 지원하지 않습니다."),
        ("assistant", "CI에서만 실패한 원인은 러너의 시간대가 UTC라서 날짜가 하루 밀렸기 때문입니다."),
    ],
)
def test_what_holds_is_a_fact_in_plain_and_polite_speech(role: str, text: str) -> None:
    assert [content for _, content in made(text, role)] == [text]


@pytest.mark.parametrize(
    ("role", "text"),
    [
        ("user", "로그인 버튼을 파란색으로 바꿔줘."),
        ("user", "지금 빌드가 깨졌어."),
        ("user", "메뉴가 안 열려요."),
        ("assistant", "`app.py` 파일을 읽고 있습니다."),
    ],
)
def test_a_request_or_a_report_of_the_moment_is_none(role: str, text: str) -> None:
    assert made(text, role) == []


@pytest.mark.parametrize(
    "text", ["배포는 금요일 오후에는 하지 않기로 합의했습니다.", "We never deploy on Friday afternoon."]
)
def test_a_weekday_in_a_rule_means_every_week(text: str) -> None:
    ((_, content),) = made(text)
    assert "2026" not in content


def test_a_part_of_a_day_is_dated_by_its_day() -> None:
    ((_, content),) = made("We moved the database to port 6432 yesterday evening.")
    assert "(2026-03-08)" in content


@pytest.mark.parametrize(
    "text",
    [
        "Le site s'adresse à des artisans qui ont des fiches Google Maps et pour les plombiers.",
        "Dokumenty nie są w Qdrant, że jest to `chunk_index` oraz `document_id`.",
        "让我确认一下情况，`uv` 的包下载缓存在 `~/.cache/uv/`。",
    ],
)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_language_that_is_not_read_states_nothing(text: str, role: str) -> None:
    assert made(text, role) == []


def test_a_name_that_begins_like_a_pronoun_stays() -> None:
    assert made("YouTube uses adaptive streaming, which `VideoPlayer` does not support.", "assistant") == [
        ("property", "YouTube uses adaptive streaming, which `VideoPlayer` does not support.")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "shouldn't the schema be `OperationalDetails`",
        "What does it support as far as bullet lists, all nesting levels",
        "Write a script to compare the quality of each berth",
        "Let's create a new git branch so we can start with the viewer",
        "Let's go with the factory approach.",
        "In the screenshot the bot uses the context incorrectly.",
        "Large canvases extend under the buttons, which should not happen.",
        "No errors in the console.",
        "User is logged in as admin.",
        "404 Not Found",
        "I refactored the upload page with the new cards.",
    ],
)
def test_what_a_person_asks_or_reports_for_the_work_at_hand_is_none(text: str) -> None:
    assert made(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Use uv instead of python or python3",
        "Always commit the parent task when all of its parts are done.",
        "Don't add more agents until the contracts and tests are stable.",
        "The beta programme is open.",
        "We migrated from a plain JavaScript app to Vue 3.",
    ],
)
def test_what_a_person_settles_stays(text: str) -> None:
    assert made(text)
