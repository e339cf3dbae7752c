"""Korean time expressions, with their particles and without spaces.
Particles belong to a mention only where they bound it (부터, 까지)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphmem.text.times import anchor_times

NOW = datetime(2026, 3, 18, 10, 30, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "mention", "value"),
    [
        ("어제 배포했다", "어제", "2026-03-17"),
        ("그저께부터 느리다", "그저께부터", "2026-03-16"),
        ("내일까지 끝내자", "내일까지", "2026-03-19"),
        ("모레 만나요", "모레", "2026-03-20"),
        ("지난주에 고쳤다", "지난주", "2026-W11"),
        ("다음 주 화요일에 회의", "다음 주 화요일", "2026-03-24"),
        ("지난 금요일에 머지됨", "지난 금요일", "2026-03-13"),
        ("이번 주말은 쉰다", "이번 주말", "2026-W12-WE"),
        ("다음달 5일에 출시", "다음달 5일", "2026-04-05"),
        ("작년 11월에 시작", "작년 11월", "2025-11"),
        ("2025년 7월 9일(수)에 배포", "2025년 7월 9일(수)", "2025-07-09"),
        ("24년 5월 이후", "24년 5월 이후", "2024-05"),
        ("올해 하반기 계획", "올해 하반기", "2026-H2"),
        ("내년 2분기", "내년 2분기", "2027-Q2"),
        ("지난 여름에 만든 모듈", "지난 여름", "2025-SU"),
        ("1990년대", "1990년대", "199"),
        ("오후 4시 반에 보자", "오후 4시 반", "2026-03-18T16:30"),
        ("내일 오전 9시 15분에", "내일 오전 9시 15분", "2026-03-19T09:15"),
        ("밤 11시에 재시작", "밤 11시", "2026-03-18T23:00"),
        ("오늘 아침에 실패", "오늘 아침", "2026-03-18TMO"),
        ("어젯밤 장애", "어젯밤", "2026-03-17TNI"),
        ("3일 전에 지웠다", "3일 전", "2026-03-15"),
        ("3일전 커밋", "3일전", "2026-03-15"),
        ("두 달 전", "두 달 전", "2026-01"),
        ("이틀 뒤에 확인", "이틀 뒤", "2026-03-20"),
        ("20분 후에 다시", "20분 후", "2026-03-18T10:50:00"),
        ("한 시간 반 걸렸다", "한 시간 반", "PT1.5H"),
        ("5일이 걸렸다", "5일", "P5D"),
        ("며칠 전부터", "며칠 전부터", "2026-03-15"),
        ("지난 3개월 동안", "지난 3개월 동안", "P3M"),
        ("6월 1일부터 15일까지", "6월 1일부터 15일까지", "2026-06-01/2026-06-15"),
        ("오후 1시부터 3시까지", "오후 1시부터 3시까지", "2026-03-18T13:00/2026-03-18T15:00"),
        ("매주 목요일 오후 2시에", "매주 목요일 오후 2시", "XXXX-WXX-4T14:00"),
        ("매일 백업", "매일", "P1D"),
        ("2주마다 회고", "2주마다", "P2W"),
        ("방금 올렸다", "방금", "PAST_REF"),
        ("조금 전에 봤다", "조금 전", "PAST_REF"),
        ("지금 빌드 중", "지금", "PRESENT_REF"),
        ("이따가 하자", "이따가", "FUTURE_REF"),
    ],
)
def test_korean(text: str, mention: str, value: str) -> None:
    found = anchor_times(text, NOW)[0]
    assert (found.text, found.value) == (mention, value)
    assert text[found.start : found.end] == mention


@pytest.mark.parametrize(
    ("text", "value"), [("월요일에 고쳤다", "2026-03-16"), ("월요일에 배포할 예정이다", "2026-03-23")]
)
def test_the_ending_of_the_verb_chooses_the_side(text: str, value: str) -> None:
    assert anchor_times(text, NOW)[0].value == value


@pytest.mark.parametrize(
    "text",
    [
        "일이 많다",
        "이번 일은 어렵다",
        "오늘날짜형식을 바꾼다",
        "분기문을 정리한다",
        "현재 디렉터리를 지운다",
        "전 세계 사용자",
        "초기화 시점",
        "두 분이 리뷰했다",
        "버전 2.3.1 주석",
        "시 단위",
    ],
)
def test_words_that_only_look_like_times(text: str) -> None:
    assert anchor_times(text, NOW) == []
